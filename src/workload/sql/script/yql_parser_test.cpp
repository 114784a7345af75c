// Scripts of YQL: what is sent, and which variables go with it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "workload/sql/builtin/builtin.h"
#include "workload/sql/script/script_set.h"
#include "workload/sql/script/transaction_control.h"

namespace drover::sql {
namespace {

using Lines = std::vector<std::string>;

// What is sent for each statement.
Lines sent_by(std::string text) {
  const ScriptSet set({{"test.yql", std::move(text)}}, Protocol::declared);
  Lines lines;
  for (const Statement& statement : set.statements()) lines.push_back(statement.parameterised);
  return lines;
}

// "line:column message"
std::string declared_refusal(const std::string& text) {
  try {
    sent_by(text);
    return "none";
  } catch (const ScriptError& error) {
    return fmt::format("{}:{} {}", error.position().line, error.position().column, error.message());
  }
}

TEST(YqlScript, SendsTheDeclarationsThatAStatementMentions) {
  EXPECT_EQ(sent_by("DECLARE $a AS Int64;\nDECLARE $b AS Utf8?;\n\\set a 1\n"
                    "SELECT $b, $b, $a; SELECT $a; SELECT 1;"),
            (Lines{"DECLARE $b AS Utf8?;\nDECLARE $a AS Int64;\nSELECT $b, $b, $a;",
                   "DECLARE $a AS Int64;\nSELECT $a;", "SELECT 1;"}));
}

TEST(YqlScript, ADeclarationCountsForWhatStandsBehindIt) {
  EXPECT_EQ(sent_by("DECLARE $a AS Int64;SELECT $a;DECLARE $a AS Int32;SELECT $a;"),
            (Lines{"DECLARE $a AS Int64;\nSELECT $a;", "DECLARE $a AS Int32;\nSELECT $a;"}));
}

TEST(YqlScript, APragmaCountsForWhatStandsBehindIt) {
  EXPECT_EQ(
      sent_by("PRAGMA a;\nDECLARE $a AS Int64;\nSELECT $a;\nPRAGMA b = '1' \\set a 1\n"
              "/* c */ SELECT 1;\nPRAGMA c \\; SELECT 2;"),
      (Lines{"PRAGMA a;\nDECLARE $a AS Int64;\nSELECT $a;", "PRAGMA a;\nPRAGMA b = '1';\nSELECT 1;",
             "PRAGMA a;\nPRAGMA b = '1';\nPRAGMA c ; SELECT 2;"}));
}

TEST(YqlScript, NamesOfItsOwnAreNoParameters) {
  EXPECT_EQ(sent_by("$rows = (SELECT 1 AS x);\nSELECT <|a:b|> FROM $rows;"),
            Lines{"$rows = (SELECT 1 AS x);\nSELECT <|a:b|> FROM $rows;"});
}

TEST(YqlScript, RefusesVariablesThatAreNotDeclared) {
  const std::string wanted =
      "the variable amount is a parameter in YQL: write DECLARE $amount AS Int64; (or another "
      "type) before this statement, and $amount in it";
  EXPECT_EQ(declared_refusal("\\set amount 1\nSELECT $amount;"), "2:8 " + wanted);
  EXPECT_EQ(declared_refusal("\\set amount 1\nSELECT :amount;"), "2:8 " + wanted);
  EXPECT_EQ(declared_refusal("SELECT $amount;\nDECLARE $amount AS Int64;"), "1:8 " + wanted);
  EXPECT_EQ(declared_refusal("DECLARE $amount AS Int64;\nSELECT :amount;"), "2:8 " + wanted);
}

TEST(YqlScript, RefusesDeclarations) {
  EXPECT_EQ(declared_refusal("SELECT 1;\n  DECLARE $a AS Nothing;").substr(0, 60),
            "2:3 a parameter cannot have the type \"Nothing\". Expected Boo");
  EXPECT_EQ(declared_refusal("DECLARE a AS Int64;"),
            "1:1 expected DECLARE $name AS Type; with the name of a variable");
  EXPECT_EQ(declared_refusal("DECLARE $a AS Int64;\n\\gset"),
            "2:1 \\gset must follow an SQL command");
  EXPECT_EQ(declared_refusal("PRAGMA a;\n\\gset"), "2:1 \\gset must follow an SQL command");
  EXPECT_EQ(declared_refusal("DECLARE $a AS Int64;\nPRAGMA a;"), "1:1 the script has no command");
}

TEST(YqlScript, RefusesPipelines) {
  EXPECT_EQ(
      declared_refusal("SELECT 1;\n\\startpipeline\nSELECT 2;\n\\endpipeline"),
      "2:1 YDB has no pipelines. To send several statements in one request, join them with \\;");
}

TEST(YqlScript, RefusesTransactionsAsYdbHasThemNot) {
  const std::string forms = fmt::format("1:1 {}", transaction_control_forms);
  for (const char* text :
       {"BEGIN ISOLATION LEVEL SERIALIZABLE;", "COMMIT AND CHAIN;", "ROLLBACK TO s;",
        "BEGIN \\; SELECT 1;", "SELECT 1 \\; COMMIT;", "$x = 1; COMMIT;"}) {
    EXPECT_EQ(declared_refusal(text), forms) << text;
  }
  EXPECT_EQ(declared_refusal("BEGIN READ ONLY;\nSELECT 1 \\; SELECT 2 \\gset\nEND;"), "none");
}

TEST(YqlScript, IsThatOfEachBuiltinScript) {
  for (const BuiltinScript& script : builtin_scripts()) {
    EXPECT_EQ(declared_refusal(std::string(script.yql)), "none") << script.name;
  }
}

}  // namespace
}  // namespace drover::sql
