// Cells, parameters and results: what goes out as a value comes back as the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "database/error.h"
#include "database/ydb/value/value.h"
#include "query.pb.h"

namespace drover::database::ydb {
namespace {

using testing::HasSubstr;

// A value on its way out and in again.
class Sent {
 public:
  Sent(ScalarType type, const Cell& cell) {
    write_type(type, type_);
    cell.write(type, value_);
  }
  ValueView view() const { return {value_, type_}; }
  const Ydb::Value& value() const { return value_; }
  const Ydb::Type& type() const { return type_; }

 private:
  Ydb::Type type_;
  Ydb::Value value_;
};

TEST(Values, OfWholeNumbers) {
  const Sent sent(Primitive::int32, -7);
  EXPECT_EQ(sent.value().value_case(), Ydb::Value::kInt32Value);
  EXPECT_EQ(sent.view().integer(), -7);
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  const Sent large(Primitive::int64, least);
  EXPECT_EQ(large.value().value_case(), Ydb::Value::kInt64Value);
  EXPECT_EQ(large.view().integer(), least);
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  for (const Primitive primitive : {Primitive::uint64, Primitive::timestamp}) {
    const Sent natural(primitive, most);
    EXPECT_EQ(natural.value().value_case(), Ydb::Value::kUint64Value);
    EXPECT_EQ(natural.view().natural(), most);
    EXPECT_THROW(natural.view().integer(), Error);
  }
  EXPECT_THROW(Sent(Primitive::int32, -1).view().natural(), Error);
}

TEST(Values, OfOtherScalars) {
  EXPECT_TRUE(Sent(Primitive::boolean, true).view().boolean());
  EXPECT_EQ(Sent(Primitive::utf8, "Größe").view().text(), "Größe");
}

// What comes back may be of types that nothing sends.
TEST(Values, OfTheServer) {
  Ydb::Value value;
  const Ydb::Type type;
  value.set_uint32_value(200);
  EXPECT_EQ(ValueView(value, type).natural(), 200U);
  value.set_double_value(0.1);
  EXPECT_EQ(ValueView(value, type).real(), 0.1);
  value.set_float_value(0.5);
  EXPECT_EQ(ValueView(value, type).real(), 0.5);
  const std::string bytes("\0\xFF", 2);
  value.set_bytes_value(bytes);
  EXPECT_EQ(ValueView(value, type).text(), bytes);
}

TEST(Values, OfNumbersHaveTheNumbersOfTheProtocol) {
  EXPECT_EQ(Sent(Primitive::utf8, "").type().type_id(), Ydb::Type::UTF8);
  EXPECT_EQ(Sent(Primitive::uint64, 0).type().type_id(), Ydb::Type::UINT64);
  EXPECT_EQ(Sent(Primitive::timestamp, 0).type().type_id(), Ydb::Type::TIMESTAMP);
}

TEST(Values, OfMoneyAreExact) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t cents : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-12345}, most}) {
    for (const int scale : {2, 4, 9}) {
      const ScalarType type = ScalarType::decimal(35, static_cast<std::uint8_t>(scale));
      EXPECT_EQ(Sent(type, decimal_of_cents(cents, scale)).view().cents(), cents);
    }
  }
  const ScalarType type = ScalarType::decimal(22, 9);
  EXPECT_EQ(Sent(type, Decimal{-1}).view().decimal().digits, -1);
  EXPECT_EQ(Sent(type, Decimal{-1}).value().high_128(), ~0ULL);
  EXPECT_THROW(Sent(type, Decimal{1}).view().cents(), Error) << "no whole cent";
  EXPECT_EQ(Sent(ScalarType::decimal(22, 0), Decimal{7}).view().cents(), 700);
  const Decimal huge{Int128{most} * 1000};
  EXPECT_THROW(Sent(ScalarType::decimal(35, 2), huge).view().cents(), Error);
}

// As scripts have them.
TEST(Values, HaveATextOfTheirOwn) {
  const auto text = [](const ValueView& view) {
    std::string shown;
    view.append_text(shown);
    return shown;
  };
  EXPECT_EQ(text(Sent(Primitive::boolean, false).view()), "false");
  EXPECT_EQ(text(Sent(Primitive::int32, -7).view()), "-7");
  EXPECT_EQ(text(Sent(Primitive::uint64, ~0ULL).view()), "18446744073709551615");
  EXPECT_EQ(text(Sent(Primitive::real, 0.1).view()), "0.1");
  EXPECT_EQ(text(Sent(Primitive::bytes, "a;b").view()), "a;b");
  EXPECT_EQ(text(Sent(ScalarType::decimal(22, 2), Decimal{-5}).view()), "-0.05");
  EXPECT_EQ(text(Sent(ScalarType::decimal(22, 0), Decimal{70}).view()), "70");
  EXPECT_EQ(text(Sent(ScalarType::decimal(22, 2), Decimal{0}).view()), "0.00");
  Ydb::Value value;
  Ydb::Type type;
  value.set_float_value(0.1F);
  EXPECT_EQ(text(ValueView(value, type)), "0.1") << "and not the digits of a double";
  value.add_items();
  value.clear_value();
  EXPECT_THROW(text(ValueView(value, type)), Error) << "a list";
}

TEST(Values, MayBeNull) {
  const ScalarType type = ScalarType(Primitive::int32).nullable();
  const Sent nothing(type, null);
  EXPECT_TRUE(nothing.view().is_null());
  EXPECT_EQ(nothing.value().value_case(), Ydb::Value::kNullFlagValue);
  EXPECT_THROW(nothing.view().integer(), Error);
  const Sent set(type, 0);
  EXPECT_FALSE(set.view().is_null());
  EXPECT_EQ(set.view().integer(), 0);
  EXPECT_EQ(set.type().optional_type().item().type_id(), Ydb::Type::INT32);
}

TEST(Values, MayBeOptionalTwice) {
  Ydb::Type type;
  write_type(ScalarType(Primitive::int32).nullable(),
             *type.mutable_optional_type()->mutable_item());
  Ydb::Value value;
  value.set_int32_value(5);
  EXPECT_EQ(ValueView(value, type).integer(), 5);
  value.mutable_nested_value()->set_null_flag_value(google::protobuf::NULL_VALUE);
  EXPECT_TRUE(ValueView(value, type).is_null());
}

TEST(Values, SayWhatTheyAreNot) {
  const Sent number(Primitive::int32, 1);
  try {
    number.view().text();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::statement);
    EXPECT_THAT(error.what(), HasSubstr("expected a String or Utf8"));
  }
  EXPECT_THROW(number.view().boolean(), Error);
  EXPECT_THROW(number.view().real(), Error);
  EXPECT_THROW(number.view().decimal(), Error);
  EXPECT_THROW(Sent(Primitive::utf8, "1").view().integer(), Error);
}

TEST(ParametersTest, HoldScalarsListsAndRows) {
  const RowType row({{"id", Primitive::int32},
                     {"amount", ScalarType::decimal(22, 9)},
                     {"note", ScalarType(Primitive::utf8).nullable()}});
  Parameters parameters;
  parameters.add("$w_id", Primitive::int32, 7);
  const std::vector<std::int32_t> ids = {3, 1, 2};
  parameters.add_list("$ids", ids);
  const std::vector<std::string> keys_of_text = {"one", ""};
  parameters.add_list("$texts", keys_of_text);
  Rows rows = parameters.add_rows("$rows", row);
  rows.add({1, decimal_of_cents(250, 9), "first"});
  rows.add({2, decimal_of_cents(-1, 9), null});
  const RowType keys = RowType::tuple({Primitive::int32, Primitive::int32});
  parameters.add_rows("$keys", keys).add({4, 5});

  const Parameters moved = std::move(parameters);
  auto sent = const_cast<Parameters&>(moved).request().parameters();
  EXPECT_EQ(sent.size(), 5U);
  ASSERT_EQ(sent["$texts"].value().items_size(), 2);
  EXPECT_EQ(sent["$texts"].value().items(0).text_value(), "one");
  EXPECT_EQ(ValueView(sent["$w_id"].value(), sent["$w_id"].type()).integer(), 7);
  ASSERT_EQ(sent["$ids"].value().items_size(), 3);
  EXPECT_EQ(sent["$ids"].value().items(0).int32_value(), 3);
  EXPECT_EQ(sent["$ids"].type().list_type().item().type_id(), Ydb::Type::INT32);
  const Ydb::Value& structs = sent["$rows"].value();
  const auto& members = sent["$rows"].type().list_type().item().struct_type().members();
  ASSERT_EQ(structs.items_size(), 2);
  EXPECT_EQ(ValueView(structs.items(0).items(1), members[1].type()).cents(), 250);
  EXPECT_EQ(ValueView(structs.items(0).items(2), members[2].type()).text(), "first");
  EXPECT_TRUE(ValueView(structs.items(1).items(2), members[2].type()).is_null());
  EXPECT_EQ(members[1].name(), "amount");
  const auto& elements = sent["$keys"].type().list_type().item().tuple_type().elements();
  ASSERT_EQ(elements.size(), 2);
  EXPECT_EQ(sent["$keys"].value().items(0).items(1).int32_value(), 5);
  EXPECT_EQ(row.list_yql_name(), "List<Struct<id: Int32, amount: Decimal(22,9), note: Utf8?>>");
  EXPECT_EQ(keys.list_yql_name(), "List<Tuple<Int32, Int32>>");
}

TEST(ParametersTest, MayBeMany) {
  const RowType row({{"id", Primitive::int64}, {"text", Primitive::utf8}});
  Parameters parameters;
  Rows rows = parameters.add_rows("$rows", row);
  for (int i = 0; i < 10'000; ++i) rows.add({i, "some text that is not short"});
  EXPECT_EQ(parameters.request().parameters().at("$rows").value().items_size(), 10'000);
}

Ydb::Query::ExecuteQueryResponsePart& add_numbers(QueryResult& result, std::int64_t set,
                                                  const std::vector<int>& numbers,
                                                  bool with_columns) {
  Ydb::Query::ExecuteQueryResponsePart& part = result.add_part();
  part.set_result_set_index(set);
  if (with_columns) {
    Ydb::Column& column = *part.mutable_result_set()->add_columns();
    column.set_name("n");
    column.mutable_type()->set_type_id(Ydb::Type::INT32);
  }
  for (const int number : numbers) {
    part.mutable_result_set()->add_rows()->add_items()->set_int32_value(number);
  }
  result.take_in(part);
  return part;
}

TEST(QueryResultTest, PutsThePartsTogether) {
  QueryResult result;
  add_numbers(result, 0, {1, 2}, true);
  add_numbers(result, 1, {9}, true);
  add_numbers(result, 0, {3}, false);
  result.take_in(result.add_part());
  const QueryResult moved = std::move(result);
  ASSERT_EQ(moved.sets(), 2U);
  const ResultSetView set = moved.set(0);
  ASSERT_EQ(set.rows(), 3U);
  EXPECT_EQ(set.columns(), 1U);
  EXPECT_EQ(set.at(2, 0).integer(), 3);
  EXPECT_EQ(moved.set(1).at(0, "n").integer(), 9);
  EXPECT_FALSE(set.truncated());
}

TEST(QueryResultTest, SaysWhatIsMissing) {
  QueryResult result;
  EXPECT_EQ(result.sets(), 0U);
  EXPECT_THROW(result.set(0), Error);
  add_numbers(result, 0, {1}, true).mutable_result_set()->mutable_rows(0)->clear_items();
  EXPECT_THROW(result.set(0).column("m"), Error);
  EXPECT_THROW(result.set(0).at(1, 0), Error);
  EXPECT_THROW(result.set(0).at(0, 1), Error);
  EXPECT_THROW(result.set(0).at(0, 0), Error) << "the row is short";
  EXPECT_THROW(add_numbers(result, -1, {}, true), Error);
  EXPECT_THROW(add_numbers(result, 1'000'000'000, {}, true), Error);
}

}  // namespace
}  // namespace drover::database::ydb
