#include "workload/sql/script/script.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "workload/sql/builtin/builtin.h"
#include "workload/sql/script/script_set.h"

namespace drover::sql {
namespace {

using Lines = std::vector<std::string>;

struct Described {
  const VariableNames& names;

  std::string operator()(const SqlCommand& sql) const {
    if (sql.storing == Storing::none) return sql.sql.text();
    return fmt::format("{} -> {} {}", sql.sql.text(),
                       sql.storing == Storing::gset ? "gset" : "aset", sql.prefix);
  }
  std::string operator()(const SetCommand& set) const { return "set " + names.name(set.variable); }
  std::string operator()(const PauseCommand& pause) const {
    const auto* slot = std::get_if<Slot>(&pause.amount);
    return fmt::format("{} {} * {} us", pause.exponential ? "think" : "sleep",
                       slot ? names.name(*slot) : fmt::to_string(std::get<double>(pause.amount)),
                       pause.unit_us);
  }
  std::string operator()(const PipelineCommand& pipeline) const {
    return fmt::format("pipeline {}", static_cast<int>(pipeline.step));
  }
  std::string operator()(const BranchCommand& branch) const {
    return fmt::format("branch else {}", branch.otherwise);
  }
  std::string operator()(const JumpCommand& jump) const {
    return fmt::format("jump {}", jump.target);
  }
};

Lines commands_of(const std::string& text) {
  VariableNames names;
  const Script script = parse_script("test", text, names);
  Lines lines;
  for (const Command& command : script.commands()) {
    lines.push_back(std::visit(Described{names}, command.action));
  }
  return lines;
}

// Returns "line:column message" of the error, or "none".
std::string parse_refusal(const std::string& text) {
  VariableNames names;
  try {
    parse_script("test", text, names);
    return "none";
  } catch (const ScriptError& error) {
    return fmt::format("{}:{} {}", error.position().line, error.position().column, error.message());
  }
}

TEST(ScriptParser, ReadsStatementsAndCommands) {
  EXPECT_EQ(commands_of("\\set x 1\nselect :x;\n  \\SET y :x + 1\n\nselect\n 2"),
            (Lines{"set x", "select :x;", "set y", "select\n 2"}));
  EXPECT_EQ(commands_of("select 1;\\set x 1\nselect :x"),
            (Lines{"select 1;", "set x", "select :x"}));
  EXPECT_EQ(commands_of("select 1 \\set x 1\n, 2;"), (Lines{"select 1", "set x", ", 2;"}));
  EXPECT_EQ(commands_of("\\set x\t5\r\nselect :x;\r\n"), (Lines{"set x", "select :x;"}));
  EXPECT_EQ(commands_of("\\\n\\ \nselect 1"), Lines{"select 1"});
}

TEST(ScriptParser, ContinuesLines) {
  EXPECT_EQ(commands_of("\\set x\\\n 1 + \\\n 2\nselect 1"), (Lines{"set x", "select 1"}));
  EXPECT_EQ(commands_of("\\sleep 1\\\r\nms\n"), Lines{"sleep 1 * 1000 us"});
}

TEST(ScriptParser, KnowsWhereCommandsStand) {
  VariableNames names;
  const Script script =
      parse_script("test", "-- é\n  select 1;\n\n select /* é */ 2; \\sleep 1\n", names);
  ASSERT_EQ(script.commands().size(), 3U);
  EXPECT_EQ(script.position(script.commands()[0]), (Position{2, 3}));
  EXPECT_EQ(script.position(script.commands()[1]), (Position{4, 2}));
  EXPECT_EQ(script.position(script.commands()[2]), (Position{4, 20}));
}

TEST(ScriptParser, ReadsPauses) {
  EXPECT_EQ(commands_of("\\sleep 2\n\\sleep 3 us\n\\sleep 4ms\n\\sleep 5 S\n\\sleep -1\n"),
            (Lines{"sleep 2 * 1000000 us", "sleep 3 * 1 us", "sleep 4 * 1000 us",
                   "sleep 5 * 1000000 us", "sleep -1 * 1000000 us"}));
  EXPECT_EQ(commands_of("\\sleep :x ms\n\\think 1.5 ms\n\\think :y\n\\think .5s"),
            (Lines{"sleep x * 1000 us", "think 1.5 * 1000 us", "think y * 1000000 us",
                   "think 0.5 * 1000000 us"}));
}

TEST(ScriptParser, ReadsWhereResultsGo) {
  EXPECT_EQ(
      commands_of("select 1 as a \\gset\nselect 2 as a;\n\\gset p_\nselect 3 as a\\;select 4 as "
                  "b \\aset x\n"),
      (Lines{"select 1 as a -> gset ", "select 2 as a; -> gset p_",
             "select 3 as a;select 4 as b -> aset x"}));
  EXPECT_EQ(commands_of("\\if true\nselect 1 as a \\gset\n\\endif"),
            (Lines{"branch else 2", "select 1 as a -> gset "}));
}

TEST(ScriptParser, ReadsConditions) {
  EXPECT_EQ(commands_of("\\if 1\na;\n\\endif\nb;"), (Lines{"branch else 2", "a;", "b;"}));
  EXPECT_EQ(commands_of("\\if 1\na;\n\\else\nb;\n\\endif\nc;"),
            (Lines{"branch else 3", "a;", "jump 4", "b;", "c;"}));
  EXPECT_EQ(commands_of("\\if 1\na;\n\\elif 2\nb;\n\\elif 3\n\\else\nc;\n\\endif"),
            (Lines{"branch else 3", "a;", "jump 9", "branch else 6", "b;", "jump 9",
                   "branch else 8", "jump 9", "c;"}));
  EXPECT_EQ(commands_of("\\if 1\n\\if 2\na;\n\\else\nb;\n\\endif\n\\endif\nc;"),
            (Lines{"branch else 5", "branch else 4", "a;", "jump 5", "b;", "c;"}));
}

TEST(ScriptParser, ReadsPipelines) {
  EXPECT_EQ(commands_of("\\startpipeline\nselect 1;\n\\syncpipeline\nselect 2;\\endpipeline\n"),
            (Lines{"pipeline 0", "select 1;", "pipeline 1", "select 2;", "pipeline 2"}));
}

TEST(ScriptParser, RefusesCommands) {
  EXPECT_EQ(parse_refusal("select 1;\n  \\nosuch 1"), "2:3 invalid command \"\\nosuch\"");
  EXPECT_EQ(parse_refusal("\\sett x 1"), "1:1 invalid command \"\\sett\"; did you mean \\set?");
  EXPECT_EQ(parse_refusal("\\if(1)\n\\endif"), "1:1 invalid command \"\\if(1)\"");
  EXPECT_EQ(parse_refusal("\\\\set x 1"), "1:1 invalid command \"\\\\set\"; did you mean \\set?");
  EXPECT_EQ(parse_refusal("\\setrandom x 1 2"),
            "1:1 \\setrandom is no longer a command. Use \\set NAME random(…)");
  EXPECT_EQ(parse_refusal("\\shell true"),
            "1:1 shell commands are not supported, because they would block all clients");
  EXPECT_EQ(parse_refusal("\\setshell x true"),
            "1:1 shell commands are not supported, because they would block all clients");
}

TEST(ScriptParser, RefusesArguments) {
  EXPECT_EQ(parse_refusal("\\set"), "1:5 missing argument in command \"set\"");
  EXPECT_EQ(parse_refusal("\\set a-b 1"), "1:6 invalid variable name (a-b) in command \"set\"");
  EXPECT_EQ(parse_refusal("\\set \"a\" 1"), "1:6 invalid variable name (\"a\") in command \"set\"");
  EXPECT_EQ(parse_refusal("\\set 1a 1"), "1:6 invalid variable name (1a) in command \"set\"");
  EXPECT_EQ(parse_refusal("\\set x"),
            "1:7 syntax error: expected a value, found the end of the line");
  EXPECT_EQ(parse_refusal("\\set x 1 $ 2"), "1:10 unexpected character ($)");
  EXPECT_EQ(parse_refusal("\\set x 1 ; select 1;"), "1:10 unexpected character (;)");
  EXPECT_EQ(parse_refusal("\\set x 1 2"),
            "1:10 syntax error: expected the end of the expression, found \"2\"");
  EXPECT_EQ(parse_refusal("\\set x 1 +\n2"),
            "1:11 syntax error: expected a value, found the end of the line");
  EXPECT_EQ(parse_refusal("\\if\n\\endif"),
            "1:4 syntax error: expected a value, found the end of the line");
  EXPECT_EQ(parse_refusal("\\startpipeline x"),
            "1:16 unexpected argument in command \"startpipeline\"");
}

TEST(ScriptParser, RefusesPauses) {
  EXPECT_EQ(parse_refusal("\\sleep"), "1:7 missing argument in command \"sleep\"");
  EXPECT_EQ(parse_refusal("\\sleep 1 zz"),
            "1:10 unrecognized time unit, must be us, ms or s (zz) in command \"sleep\"");
  EXPECT_EQ(parse_refusal("\\sleep 1 ms 3"), "1:13 too many arguments in command \"sleep\"");
  EXPECT_EQ(
      parse_refusal("\\sleep 1.5 ms"),
      "1:8 invalid sleep time, must be an integer up to 2147483647 (1.5) in command \"sleep\"");
  EXPECT_EQ(parse_refusal("\\sleep x"),
            "1:8 invalid sleep time, must be an integer up to 2147483647 (x) in command \"sleep\"");
  EXPECT_EQ(parse_refusal("\\sleep :1"), "1:8 invalid variable name (1) in command \"sleep\"");
  EXPECT_EQ(parse_refusal("\\think -1"),
            "1:8 invalid mean, must be a number from 0 to 1000000000 (-1) in command \"think\"");
}

TEST(ScriptParser, RefusesConditions) {
  EXPECT_EQ(parse_refusal("select 1;\n\\if 1"), "2:1 \\if without matching \\endif");
  EXPECT_EQ(parse_refusal("\\else"), "1:1 \\else without matching \\if");
  EXPECT_EQ(parse_refusal("\\endif"), "1:1 \\endif without matching \\if");
  EXPECT_EQ(parse_refusal("\\elif 1"), "1:1 \\elif without matching \\if");
  EXPECT_EQ(parse_refusal("\\if 1\n\\else\n\\else\n\\endif"), "3:1 \\else after \\else");
  EXPECT_EQ(parse_refusal("\\if 1\n\\else\n\\elif 1\n\\endif"), "3:1 \\elif after \\else");
  EXPECT_EQ(parse_refusal("\\if 1\n\\endif x"), "2:8 unexpected argument in command \"endif\"");
  EXPECT_EQ(parse_refusal("\\if 1\n\\else x\n\\endif"),
            "2:7 unexpected argument in command \"else\"");
}

TEST(ScriptParser, RefusesToStoreNothing) {
  EXPECT_EQ(parse_refusal("\\gset"), "1:1 \\gset must follow an SQL command");
  EXPECT_EQ(parse_refusal("select 1 \\gset\n\\aset"), "2:1 \\aset must follow an SQL command");
  EXPECT_EQ(parse_refusal("select 1;\n\\set y 1\n\\gset"), "3:1 \\gset must follow an SQL command");
  EXPECT_EQ(parse_refusal("\\if true\nselect 1;\n\\endif\n\\gset"),
            "4:1 \\gset must follow an SQL command");
  EXPECT_EQ(parse_refusal("select 1 \\gset a b"), "1:18 too many arguments in command \"gset\"");
  EXPECT_EQ(parse_refusal("select 1 as a \\gset 1_"),
            "1:21 the name of a variable cannot begin with (1_) in command \"gset\"");
  EXPECT_EQ(parse_refusal("select 1 as a \\aset p-"),
            "1:21 the name of a variable cannot begin with (p-) in command \"aset\"");
}

// The server would read the statement only up to the byte 0.
TEST(ScriptParser, RefusesWhatIsNoText) {
  using namespace std::string_literals;
  EXPECT_EQ(parse_refusal("select 1;\nselect 'a\0b';"s),
            "2:10 a script must be text, and this byte is 0");
}

TEST(ScriptParser, PassesOverAMarkAtTheBeginning) {
  EXPECT_EQ(commands_of("\xef\xbb\xbfselect 1;"), (Lines{"select 1;"}));
  EXPECT_EQ(parse_refusal("\xef\xbb\xbf\\nosuch"), "1:1 invalid command \"\\nosuch\"");
}

TEST(ScriptParser, RefusesScriptsWithoutACommand) {
  EXPECT_EQ(parse_refusal(""), "1:1 the script has no command");
  EXPECT_EQ(parse_refusal("-- only\n"), "1:1 the script has no command");
  EXPECT_EQ(parse_refusal("\\\n"), "1:1 the script has no command");
}

TEST(ScriptError, ShowsTheLine) {
  VariableNames names;
  try {
    parse_script("transfer.sql", "select 1;\n\t\\set amount 1 + $2\n", names);
    FAIL();
  } catch (const ScriptError& error) {
    EXPECT_STREQ(error.what(),
                 "transfer.sql:2:18: unexpected character ($)\n"
                 "   \\set amount 1 + $2\n"
                 "                   ^");
    EXPECT_EQ(error.file(), "transfer.sql");
  }
}

TEST(ScriptError, ShowsAPartOfALongLine) {
  const ScriptError error("f", {1, 101}, "wrong",
                          std::string(100, 'a') + "b" + std::string(99, 'c'));
  EXPECT_STREQ(error.what(), ("f:1:101: wrong\n  …" + std::string(60, 'a') + "b" +
                              std::string(29, 'c') + "…\n" + std::string(63, ' ') + "^")
                                 .c_str());
  EXPECT_STREQ(ScriptError("f", {1, 1}, "wrong", "\x1b\x80").what(), "f:1:1: wrong\n  ??\n  ^");
}

// Scripts in YQL.

// Returns the text that is sent for each statement.
Lines sent_by(std::string text) {
  const ScriptSet set({{"test.yql", std::move(text)}}, Protocol::declared);
  Lines lines;
  for (const Statement& statement : set.statements()) lines.push_back(statement.parameterised);
  return lines;
}

// Returns "line:column message" of the error, or "none".
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
  const std::string forms =
      "1:1 expected BEGIN, BEGIN READ ONLY, COMMIT or ROLLBACK as a statement of its own";
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
  EXPECT_EQ(sent_by("declare  $amount\tAS\nOptional<\n Int64 > ;\nSELECT $amount;"),
            Lines{"DECLARE $amount AS Optional<Int64>;\nSELECT $amount;"});
}

TEST(Declaration, SaysWhatIsWrongWithIt) {
  const std::string no_name = "1:1 expected DECLARE $name AS Type; with the name of a variable";
  for (const char* text : {"DECLARE;", "DECLARE amount AS Int64;", "DECLARE $1 AS Int64;",
                           "DECLARE $a-b AS Int64;", "DECLARE $ AS Int64;"}) {
    EXPECT_EQ(declared_refusal(text), no_name) << text;
  }
  for (const char* text : {"DECLARE $a Int64;", "DECLARE $a"}) {
    EXPECT_EQ(declared_refusal(text), "1:1 expected AS and a type after DECLARE $a") << text;
  }
  EXPECT_EQ(declared_refusal("DECLARE $a AS \x1b;"),
            "1:1 a parameter cannot have the type \"\\x1b\". Expected Bool, Int32, Int64, Uint32, "
            "Uint64, Double, Utf8, Text, String, Bytes and Decimal(22,9), each also as "
            "Optional<…>");
}

}  // namespace
}  // namespace drover::sql
