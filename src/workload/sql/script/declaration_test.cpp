#include "workload/sql/script/declaration.h"

#include <gtest/gtest.h>

#include <string>

namespace drover::sql {
namespace {

TEST(ParameterType, IsKnownByItsName) {
  EXPECT_EQ(parse_parameter_type("Int64"), ParameterType{.kind = ParameterKind::int64});
  EXPECT_EQ(parse_parameter_type("uint32"), ParameterType{.kind = ParameterKind::uint32});
  EXPECT_EQ(parse_parameter_type("Text"), parse_parameter_type("Utf8"));
  EXPECT_EQ(parse_parameter_type("Bytes"), parse_parameter_type("String"));
  EXPECT_EQ(parse_parameter_type("Double"), ParameterType{.kind = ParameterKind::real});
  EXPECT_EQ(parse_parameter_type("Bool"), ParameterType{.kind = ParameterKind::boolean});
}

TEST(ParameterType, MayBeOptional) {
  const ParameterType optional{.kind = ParameterKind::int32, .optional = true};
  for (const char* written : {"Int32?", "Optional<Int32>", "optional < int32 >", "Int32 ?"}) {
    EXPECT_EQ(parse_parameter_type(written), optional) << written;
  }
  for (const char* written : {"Optional<Int32", "Optional<>", "Optional<Int32?>", "Int32??", "?",
                              "Optional<Optional<Int32>>", "Optional<Int32>?"}) {
    EXPECT_FALSE(parse_parameter_type(written)) << written;
  }
}

TEST(ParameterType, MayBeDecimal) {
  const ParameterType decimal{.kind = ParameterKind::decimal, .precision = 22, .scale = 9};
  EXPECT_EQ(parse_parameter_type("Decimal(22,9)"), decimal);
  EXPECT_EQ(parse_parameter_type("DECIMAL ( 22 , 9 )"), decimal);
  EXPECT_TRUE(parse_parameter_type("Decimal(35,35)"));
  EXPECT_TRUE(parse_parameter_type("Optional<Decimal(1,0)>")->optional);
  for (const char* written :
       {"Decimal", "Decimal()", "Decimal(22)", "Decimal(22,9", "Decimal(0,0)", "Decimal(36,2)",
        "Decimal(5,6)", "Decimal(-5,2)", "Decimal(5,-2)", "Decimal(22,9,1)", "Decimal(x,2)"}) {
    EXPECT_FALSE(parse_parameter_type(written)) << written;
  }
}

TEST(ParameterType, IsNoneOfOthers) {
  for (const char* written : {"", "Int", "Int128", "List<Int32>", "Timestamp", "Int64;"}) {
    EXPECT_FALSE(parse_parameter_type(written)) << written;
  }
}

TEST(Declaration, HasANameAndAType) {
  const ReadDeclaration read = read_declaration("declare  $amount\tAS\nOptional<\n Int64 > ;");
  EXPECT_EQ(read.problem, "");
  EXPECT_EQ(read.name, "amount");
  EXPECT_EQ(read.type_name, "Optional<Int64>");
  EXPECT_TRUE(read.type.optional);
  const Declaration declared{read.name, 0, read.type, read.type_name};
  EXPECT_EQ(declared.text(), "DECLARE $amount AS Optional<Int64>;\n");
}

TEST(Declaration, SaysWhatIsWrongWithIt) {
  const auto problem = [](const char* text) { return read_declaration(text).problem; };
  const std::string no_name = "expected DECLARE $name AS Type; with the name of a variable";
  EXPECT_EQ(problem("DECLARE;"), no_name);
  EXPECT_EQ(problem("DECLARE amount AS Int64;"), no_name);
  EXPECT_EQ(problem("DECLARE $1 AS Int64;"), no_name);
  EXPECT_EQ(problem("DECLARE $a-b AS Int64;"), no_name);
  EXPECT_EQ(problem("DECLARE $ AS Int64;"), no_name);
  EXPECT_EQ(problem("DECLARE $a Int64;"), "expected AS and a type behind DECLARE $a");
  EXPECT_EQ(problem("DECLARE $a"), "expected AS and a type behind DECLARE $a");
  EXPECT_EQ(
      problem("DECLARE $a AS \x1b;"),
      "a parameter cannot have the type \"\\x1b\". Expected Bool, Int32, Int64, Uint32, Uint64, "
      "Double, Utf8, Text, String, Bytes and Decimal(22,9), each also as Optional<…>");
}

}  // namespace
}  // namespace drover::sql
