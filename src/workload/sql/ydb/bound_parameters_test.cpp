// Values of declared parameters, and values that are refused.
#include "workload/sql/ydb/database_on_ydb.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "database/error.h"
#include "database/ydb/value/value.h"
#include "query.pb.h"
#include "workload/sql/script/script_set.h"

namespace drover::sql::ydb {
namespace {

using database::Error;
using database::ydb::Int128;
using database::ydb::Parameters;
using database::ydb::ValueView;

Declaration declared_as(const std::string& type_name) {
  return {"x", 0, parse_parameter_type(type_name).value(), type_name};
}

// Returns the digits, such as "1250", or the message of the error.
std::string decimal_digits(std::string_view text, const std::string& type_name) {
  try {
    Int128 digits = decimal_of(text, declared_as(type_name)).digits;
    const bool negative = digits < 0;
    std::string written;
    for (; digits != 0; digits /= 10) {
      const int digit = static_cast<int>(digits % 10);
      written.insert(written.begin(), static_cast<char>('0' + (negative ? -digit : digit)));
    }
    return written.empty() ? "0" : (negative ? "-" : "") + written;
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), database::ErrorClass::statement);
    return error.what();
  }
}

TEST(DecimalOf, KeepsEachDigit) {
  EXPECT_EQ(decimal_digits("12.5", "Decimal(22,9)"), "12500000000");
  EXPECT_EQ(decimal_digits("-12.05", "Decimal(22,2)"), "-1205");
  EXPECT_EQ(decimal_digits("7", "Decimal(3,2)"), "700");
  EXPECT_EQ(decimal_digits("7", "Decimal(1,0)"), "7");
  EXPECT_EQ(decimal_digits("7.", "Decimal(1,0)"), "7");
  EXPECT_EQ(decimal_digits(".5", "Decimal(2,1)"), "5");
  EXPECT_EQ(decimal_digits("0.5", "Decimal(1,1)"), "5");
  EXPECT_EQ(decimal_digits("0", "Decimal(2,2)"), "0");
  EXPECT_EQ(decimal_digits("-0.00", "Decimal(2,2)"), "0");
  EXPECT_EQ(decimal_digits("0000000000000000000000000000000000000000000000001.5", "Decimal(2,1)"),
            "15");
}

TEST(DecimalOf, HasRoomForAllDigitsOfItsType) {
  const std::string most(35, '9');
  EXPECT_EQ(decimal_digits(most, "Decimal(35,0)"), most);
  EXPECT_EQ(decimal_digits("-" + most, "Decimal(35,0)"), "-" + most);
  EXPECT_EQ(decimal_digits("0." + most, "Decimal(35,35)"), most);
}

TEST(DecimalOf, RefusesWhatItsTypeHasNoRoomFor) {
  const auto refused = [](std::string_view text, const std::string& type) {
    return decimal_digits(text, type) ==
           fmt::format("$x: the value {} does not have the type {}", text, type);
  };
  EXPECT_TRUE(refused("1.234", "Decimal(22,2)")) << "more digits behind the point";
  EXPECT_TRUE(refused("1.230", "Decimal(22,2)"));
  EXPECT_TRUE(refused("1.5", "Decimal(22,0)"));
  EXPECT_TRUE(refused("10", "Decimal(3,2)")) << "more digits in all";
  EXPECT_TRUE(refused("-10", "Decimal(3,2)"));
  EXPECT_TRUE(refused("1", "Decimal(2,2)"));
  EXPECT_TRUE(refused("1" + std::string(35, '0'), "Decimal(35,0)"));
  EXPECT_TRUE(refused(std::string(40, '9'), "Decimal(35,0)"));
}

TEST(DecimalOf, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "-", ".", "-.", "--1", "+1", "1.2.3", "1..2", "1e3", "0x1", " 1",
                           "1 ", "1,5", "inf", "nan", "abc", "-.x"}) {
    EXPECT_EQ(decimal_digits(text, "Decimal(22,9)"),
              fmt::format("$x: the value {} does not have the type Decimal(22,9)", text));
  }
}

// Returns the parameter $x that is sent when its variable has the text `set_to`, is null ("null")
// or unset (""), or the message of the error.
std::string bound(const std::string& type_name, const std::string& set_to) {
  const ScriptSet set({{"test.yql", fmt::format("DECLARE $x AS {};\nSELECT $x;", type_name)}},
                      Protocol::declared);
  Variables variables(set.names());
  if (set_to == "null") variables.set(0, Value::null());
  if (!set_to.empty() && set_to != "null") variables.set_text(0, set_to);
  try {
    Parameters parameters = bound_parameters(*set.statements().at(0).command, variables);
    const auto& sent = parameters.request().parameters().at("$x");
    const ValueView view(sent.value(), sent.type());
    std::string text;
    if (view.is_null()) return "NULL";
    view.append_text(text);
    return text;
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), database::ErrorClass::statement);
    return error.what();
  }
}

TEST(BoundParameters, HaveTheDeclaredType) {
  EXPECT_EQ(bound("Int32", "-2147483648"), "-2147483648");
  EXPECT_EQ(bound("Int64", "-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(bound("Uint32", "4294967295"), "4294967295");
  EXPECT_EQ(bound("Uint64", "18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(bound("Double", "0.1"), "0.1");
  EXPECT_EQ(bound("Double", "7"), "7");
  EXPECT_EQ(bound("Bool", "true"), "true");
  EXPECT_EQ(bound("Bool", "off"), "false");
  EXPECT_EQ(bound("Utf8", "Größe"), "Größe");
  EXPECT_EQ(bound("String", "a\x80z"), "a\x80z");
  EXPECT_EQ(bound("Utf8", "007"), "007");
  EXPECT_EQ(bound("Decimal(22,2)", "-0.05"), "-0.05");
  EXPECT_EQ(bound("Int64?", "5"), "5");
}

TEST(BoundParameters, AreRefusedWhereTheTypeHasNoSuchValue) {
  const auto refused = [](const std::string& type, const std::string& value,
                          const std::string& shown) {
    return bound(type, value) ==
           fmt::format("$x: the value {} does not have the type {}", shown, type);
  };
  EXPECT_TRUE(refused("Int32", "2147483648", "2147483648"));
  EXPECT_TRUE(refused("Int64", "9223372036854775808", "9223372036854775808"));
  EXPECT_TRUE(refused("Uint32", "-1", "-1"));
  EXPECT_TRUE(refused("Uint64", "18446744073709551616", "18446744073709551616"));
  EXPECT_TRUE(refused("Int64", "1.0", "1.0"));
  EXPECT_TRUE(refused("Int64", "1 ", "1 "));
  EXPECT_TRUE(refused("Int64", "abc", "abc"));
  EXPECT_TRUE(refused("Double", "abc", "abc"));
  EXPECT_TRUE(refused("Bool", "1", "1"));
  EXPECT_TRUE(refused("Bool", "maybe", "maybe"));
  EXPECT_TRUE(refused("Utf8", "a\xff", "a\\xff"));
  EXPECT_TRUE(refused("Utf8", "\xc3", "\\xc3")) << "a character that is cut off";
  EXPECT_TRUE(refused("Optional<Int32>", "abc", "abc"));
}

TEST(BoundParameters, AreNullWhereTheyMayBe) {
  EXPECT_EQ(bound("Int64?", "null"), "NULL");
  EXPECT_EQ(bound("Optional<Decimal(22,9)>", ""), "NULL");
  EXPECT_EQ(bound("Int64", "null"),
            "$x: the variable is null, and Int64 does not allow NULL. Set the variable, or declare "
            "Optional<Int64>");
  EXPECT_EQ(bound("Int64", ""),
            "$x: the variable is not set, and Int64 does not allow NULL. Set the variable, or "
            "declare Optional<Int64>");
}

}  // namespace
}  // namespace drover::sql::ydb
