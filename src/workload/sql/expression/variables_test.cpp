// The values of texts are those of the option -D of pgbench 15.18.
#include "workload/sql/expression/variables.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "workload/sql/script/source.h"

namespace drover::sql {
namespace {

std::string meaning(std::string_view text) {
  const std::optional<Value> value = value_of(text);
  return value ? described(*value) : "none";
}

TEST(Variables, TakesTextsForWhatTheyMean) {
  EXPECT_EQ(meaning("5"), "int 5");
  EXPECT_EQ(meaning(" 5"), "int 5");
  EXPECT_EQ(meaning("+5"), "int 5");
  EXPECT_EQ(meaning("-0"), "int 0");
  EXPECT_EQ(meaning("007"), "int 7");
  EXPECT_EQ(meaning("-9223372036854775808"), "int -9223372036854775808");
  EXPECT_EQ(meaning("5.5"), "double 5.5");
  EXPECT_EQ(meaning(".5"), "double 0.5");
  EXPECT_EQ(meaning("0x10"), "double 16");
  EXPECT_EQ(meaning("nan"), "double NaN");
  EXPECT_EQ(meaning("inf"), "double Infinity");
  for (const char* text : {"true", "t", "TRUE", "y", "yes", "on"}) {
    EXPECT_EQ(meaning(text), "boolean true");
  }
  for (const char* text : {"false", "f", "N", "no", "of", "off"}) {
    EXPECT_EQ(meaning(text), "boolean false");
  }
  EXPECT_EQ(meaning("NULL"), "null");
  for (const char* text :
       {"", "o", "abc", "1a", "5 ", "=5", "1e400", "1e-400", "99999999999999999999"}) {
    EXPECT_EQ(meaning(text), "none") << text;
  }
}

std::string use_of(const Variables& variables, Slot slot) {
  try {
    return described(variables.get(slot));
  } catch (const EvaluationError& error) {
    return error.what();
  }
}

TEST(Variables, SaysWhyOneHasNoValue) {
  VariableNames names;
  const Slot x = names.slot_of("x");
  Variables variables(names);
  EXPECT_EQ(use_of(variables, x), "undefined variable \"x\"");
  variables.set_text(x, "abc");
  EXPECT_EQ(use_of(variables, x), "malformed variable \"x\" value: \"abc\"");
  variables.set_text(x, "99999999999999999999");
  EXPECT_EQ(use_of(variables, x),
            "variable \"x\": value \"99999999999999999999\" is out of range for bigint");
}

TEST(Variables, KeepsTextsAsTheyAre) {
  VariableNames names;
  const Slot x = names.slot_of("x");
  Variables variables(names);
  const auto text = [&] {
    std::string result;
    variables.append_text(x, result);
    return result;
  };
  EXPECT_EQ(text(), "");
  variables.set_text(x, "007");
  EXPECT_EQ(text(), "007");
  EXPECT_EQ(variables.get(x).integer(), 7);
  variables.set_text(x, "");
  EXPECT_TRUE(variables.is_set(x));
  EXPECT_EQ(text(), "");
  variables.set(x, Value::of(std::int64_t{8}));
  EXPECT_EQ(text(), "8");
}

TEST(Variables, FindsColumns) {
  VariableNames names;
  names.slot_of("p_a");
  names.slot_of("b");
  const Slot p_b = names.slot_of("p_b");
  EXPECT_EQ(column_slots(names, "p_", {"b", "c", "a"}),
            (std::vector<std::optional<Slot>>{p_b, std::nullopt, 0}));
  EXPECT_EQ(column_slots(names, "", {"b"}), std::vector<std::optional<Slot>>{1});
}

TEST(Variables, AreDefinedByNameAndValue) {
  const std::optional<VariableDefinition> definition = parse_definition("x=a=b");
  ASSERT_TRUE(definition);
  EXPECT_EQ(definition->name, "x");
  EXPECT_EQ(definition->value, "a=b");
  for (const char* text : {"", "x", "x=", "=5", "a b=5", "1x=5"}) {
    EXPECT_FALSE(parse_definition(text)) << text;
  }
}

TEST(Variables, AreDefinedOverTheBuiltInOnes) {
  VariableNames names;
  const Slot scale = names.slot_of("scale");
  Variables variables(names);
  set_builtin_variables({.scale = 5}, variables);
  EXPECT_EQ(variables.get(scale).integer(), 5);
  set_definitions({{"scale", "9"}, {"nobody", "1"}}, variables);
  EXPECT_EQ(variables.get(scale).integer(), 9);
}

TEST(Variables, HaveNames) {
  EXPECT_TRUE(is_variable_name("a_1"));
  EXPECT_TRUE(is_variable_name("_"));
  EXPECT_TRUE(is_variable_name("größe"));
  for (const char* name : {"", "1a", "a-b", "a b", "a$"}) EXPECT_FALSE(is_variable_name(name));
}

}  // namespace
}  // namespace drover::sql
