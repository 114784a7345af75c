#include "workload/sql/script/parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "workload/sql/script/script_run.h"

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

// "line:column message"
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

// The server would take the statement's beginning for the whole.
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

}  // namespace
}  // namespace drover::sql
