#include "workload/sql/script/script_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "workload/sql/builtin/builtin.h"

namespace drover::sql {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> notes_of(std::string text,
                                  std::vector<VariableDefinition> definitions = {},
                                  Protocol protocol = Protocol::prepared) {
  const ScriptSet scripts({{"pay.sql", std::move(text)}}, protocol);
  return undefined_variable_notes(scripts, definitions);
}

TEST(UndefinedVariables, AMisspeltNameIsNotedOnceWithItsLineAndTheNearestName) {
  EXPECT_THAT(
      notes_of("\\set amount 5\nUPDATE t\n  SET x = :amuont\n  WHERE y = :amuont;\nSELECT :z"),
      ElementsAre("note: pay.sql, line 3: nothing sets the variable amuont, so the statement is "
                  "sent with NULL in its place; did you mean amount?",
                  "note: pay.sql, line 5: nothing sets the variable z, so the statement is sent "
                  "with NULL in its place"));
  EXPECT_THAT(notes_of("SELECT :naem", {{"name", "5"}}),
              ElementsAre(HasSubstr("did you mean name?")));
  EXPECT_THAT(notes_of("SELECT :scael, :scale"), ElementsAre(HasSubstr("did you mean scale?")));
}

TEST(UndefinedVariables, WhatAnythingCanSetIsNotNoted) {
  EXPECT_THAT(notes_of("SELECT :x;\n\\if false\n\\set x 1\n\\endif"), IsEmpty());
  EXPECT_THAT(notes_of("SELECT :x", {{"x", "5"}}), IsEmpty());
  EXPECT_THAT(notes_of("SELECT :client_id, :scale, :default_seed, :random_seed"), IsEmpty());
  EXPECT_THAT(notes_of("SELECT 1 AS x \\gset\nSELECT :x, :any;"), IsEmpty());
  EXPECT_THAT(notes_of("SELECT 1 AS x \\aset old_\nSELECT :old_x, :ol_x;"),
              ElementsAre(HasSubstr("the variable ol_x")));
  const ScriptSet two({{"a.sql", "\\set x 1\nSELECT 1;"}, {"b.sql", "SELECT :x;"}},
                      Protocol::extended);
  EXPECT_THAT(undefined_variable_notes(two, {}), IsEmpty()) << "a client keeps its variables";
}

TEST(UndefinedVariables, TheSimpleProtocolSendsANameAsItIsWritten) {
  EXPECT_THAT(notes_of("SELECT (array[1,2])[1:n]", {}, Protocol::simple), IsEmpty());
}

TEST(UndefinedVariables, OfYqlOnlyWhatMayBeNull) {
  EXPECT_THAT(notes_of("DECLARE $a AS Int64?;\nDECLARE $b AS Int64;\n\\set aa 1\nSELECT $a, $b;",
                       {}, Protocol::declared),
              ElementsAre("note: pay.sql, line 4: nothing sets the variable a, so the statement is "
                          "sent with NULL in its place; did you mean aa?"));
}

TEST(UndefinedVariables, TheBuiltinScriptsSetAllOfTheirs) {
  for (const BuiltinScript& script : builtin_scripts()) {
    EXPECT_THAT(notes_of(std::string(script.text)), IsEmpty()) << script.name;
  }
}

}  // namespace
}  // namespace drover::sql
