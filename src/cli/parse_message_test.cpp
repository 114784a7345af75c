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
  import->add_option("--seed", text)->required();
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
  EXPECT_EQ(message_of({}), "drover needs a subcommand: tpcc\nSee: drover --help");
  EXPECT_EQ(message_of({"tpcc"}),
            "drover tpcc needs a subcommand: run, import\nSee: drover tpcc --help");
  EXPECT_EQ(message_of({"tpcc", "import"}),
            "drover tpcc import: --seed is required\nSee: drover tpcc import --help");
  EXPECT_EQ(message_of({"tpcc", "run", "--pace"}),
            "--pace needs a value: X\nSee: drover tpcc run --help");
}

TEST(ParseMessage, WrongValues) {
  EXPECT_THAT(message_of({"tpcc", "run", "--pace", "fast"}), HasSubstr("--pace = fast"));
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
