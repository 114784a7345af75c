#include "cli/parse_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace drover::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string message_of(std::vector<std::string> line) {
  CLI::App app("", "drover");
  app.require_subcommand(1);
  CLI::App* tpcc = app.add_subcommand("tpcc");
  tpcc->require_subcommand(1);
  CLI::App* run = tpcc->add_subcommand("run");
  CLI::App* import = tpcc->add_subcommand("import");
  std::string text;
  double number = 0;
  bool flag = false;
  for (CLI::App* command : {run, import}) {
    command->add_option("-w,--warehouses", text)->type_name("W");
    command->add_option("--db", text);
  }
  run->add_option("--pace", number)->type_name("X");
  run->add_flag("--no-delays", flag);
  import->add_option("--seed", text)->required()->type_name("N");
  CLI::App* show = app.add_subcommand("show");
  show->add_option("results", text)->required()->type_name("FILE");
  CLI::App* print = app.add_subcommand("print");
  print->add_option("shell", text)->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  int count = 0;
  print->add_option("--count", count)->check(CLI::Range(1, 100))->type_name("N");
  print->add_option("--seconds", number)->check(CLI::Range(0.01, 3600.0))->type_name("SECONDS");
  std::reverse(line.begin(), line.end());
  try {
    app.parse(line);
  } catch (const CLI::ParseError& error) {
    return parse_message(error, app);
  }
  return "(it was taken)";
}

TEST(ParseMessage, UnknownOptions) {
  EXPECT_EQ(message_of({"tpcc", "run", "--warehousse", "10"}),
            "drover tpcc run: unknown option --warehousse; did you mean --warehouses?\n"
            "See: drover tpcc run --help");
  EXPECT_EQ(message_of({"tpcc", "import", "--seed", "1", "--no-delays"}),
            "drover tpcc import: unknown option --no-delays; drover tpcc run has it\n"
            "See: drover tpcc import --help");
  EXPECT_EQ(message_of({"--frobnicate"}),
            "drover: unknown option --frobnicate\nSee: drover --help");
  EXPECT_EQ(message_of({"tpcc", "run", "-x"}),
            "drover tpcc run: unknown option -x\nSee: drover tpcc run --help");
}

TEST(ParseMessage, UnknownCommands) {
  EXPECT_EQ(message_of({"tpcc", "rnu"}),
            "unknown command: drover tpcc rnu; did you mean run?\nSee: drover tpcc --help");
  EXPECT_EQ(message_of({"tcpc", "run"}),
            "unknown command: drover tcpc; did you mean tpcc?\nSee: drover --help");
  EXPECT_EQ(message_of({"tpcc", "run", "surplus"}),
            "drover tpcc run takes no argument surplus\nSee: drover tpcc run --help");
}

TEST(ParseMessage, WhatIsMissing) {
  EXPECT_EQ(message_of({}), "drover needs a subcommand: tpcc, show, print\nSee: drover --help");
  EXPECT_EQ(message_of({"tpcc"}),
            "drover tpcc needs a subcommand: run, import\nSee: drover tpcc --help");
  EXPECT_EQ(message_of({"tpcc", "import"}),
            "drover tpcc import needs --seed N\nSee: drover tpcc import --help");
  EXPECT_EQ(message_of({"tpcc", "run", "--pace"}),
            "--pace needs a value: X\nSee: drover tpcc run --help");
  EXPECT_EQ(message_of({"show"}), "drover show needs results: FILE\nSee: drover show --help");
  EXPECT_EQ(message_of({"print"}),
            "drover print needs shell: bash, zsh or fish\nSee: drover print --help");
}

TEST(ParseMessage, WrongValues) {
  const auto first_line = [](const std::vector<std::string>& line) {
    const std::string message = message_of(line);
    return message.substr(0, message.find('\n'));
  };
  EXPECT_EQ(first_line({"tpcc", "run", "--pace", "fast"}), "--pace fast: expected a number");
  EXPECT_EQ(first_line({"tpcc", "run", "--pace=a = b"}), "--pace a = b: expected a number");
  EXPECT_EQ(first_line({"tpcc", "run", "--pace", "1", "--pace", "2"}),
            "--pace: given 2 times; expected once");
  EXPECT_EQ(first_line({"tpcc", "run", "--no-delays=maybe"}), "--no-delays takes no value");
  EXPECT_EQ(first_line({"print", "zsh", "--count", "0"}),
            "--count 0: expected a whole number from 1 to 100");
  EXPECT_EQ(first_line({"print", "zsh", "--count", "many"}),
            "--count many: expected a whole number from 1 to 100");
  EXPECT_EQ(first_line({"print", "zsh", "--seconds", "0"}),
            "--seconds 0: expected a number from 0.01 to 3600");
  EXPECT_EQ(first_line({"print", "tcsh"}), "shell tcsh: expected bash, zsh or fish");
}

TEST(ParseMessage, OnlyWhereNothingWasMeantToBeACommandOneIsMissing) {
  const auto is_missing = [](const std::vector<std::string>& line) {
    CLI::App app("", "drover");
    app.require_subcommand(1);
    CLI::App* run = app.add_subcommand("run");
    std::string text;
    run->add_option("--seed", text)->required();
    try {
      app.parse(std::vector<std::string>(line.rbegin(), line.rend()));
    } catch (const CLI::ParseError& error) {
      return is_command_missing(error, app);
    }
    return false;
  };
  EXPECT_TRUE(is_missing({}));
  EXPECT_FALSE(is_missing({"rnu"}));
  EXPECT_FALSE(is_missing({"--frobnicate"}));
  EXPECT_FALSE(is_missing({"run"})) << "--seed is";
}

TEST(ParseMessage, NoPasswordIsShown) {
  for (const std::string value : {"postgresql://u:s3cret@h", "host=h password=s3cret"}) {
    for (const std::vector<std::string>& line :
         {std::vector<std::string>{"tpcc", "run", "--dbb", value},
          {"tpcc", "run", "--dbb=" + value},
          {"tpcc", "run", "--pace", value},
          {"tpcc", "run", value},
          {value}}) {
      EXPECT_THAT(message_of(line), Not(HasSubstr("s3cret")));
    }
  }
}

TEST(ParseMessage, NothingActsUponTheTerminal) {
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"--\x1b[2J"}, {"\x1b[2J"}, {"tpcc", "run", "--pace", "\x1b[2J"}}) {
    EXPECT_THAT(message_of(line), Not(HasSubstr("\x1b")));
  }
}

}  // namespace
}  // namespace drover::cli
