#include "cli/help/help.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "text/wrapped_text.h"

namespace drover::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

Command example() {
  static int warehouses = 5;
  static std::string text;
  static std::vector<std::string> files;
  Command command("run", "Runs the benchmark.\nAnd reports.", "Example:\n  drover tpcc run -w 10",
                  {"drover", "tpcc"});
  command.add_options(
      "What",
      {{"-w,--warehouses", &warehouses, "W", "How many", {.range = Range{1, 9}, .required = true}},
       {"--isolation", &text, "read-committed|serializable",
        "The level of isolation of all of the transactions, which costs retries"},
       {"file", &files, "FILE", "Results"}});
  return command;
}

TEST(HelpFormat, GroupsAndColumns) {
  EXPECT_EQ(help_text(example(), 70),
            "Runs the benchmark. And reports.\n"
            "\n"
            "Usage: drover tpcc run [OPTIONS] --warehouses W [file...]\n"
            "\n"
            "Arguments:\n"
            "  file                      Results\n"
            "\n"
            "Common options:\n"
            "  -w, --warehouses W        How many [required, 1 to 9, default: 5]\n"
            "\n"
            "What:\n"
            "      --isolation read-committed|serializable\n"
            "                            The level of isolation of all of the\n"
            "                            transactions, which costs retries\n"
            "\n"
            "General:\n"
            "  -h, --help                Print this help\n"
            "\n"
            "Options can also be set by environment variables\n"
            "(DROVER_TPCC_RUN_WAREHOUSES sets --warehouses) and in the file of\n"
            "--config. The command line overrides variables, and variables override\n"
            "the file.\n"
            "\n"
            "Example:\n"
            "  drover tpcc run -w 10\n");
}

TEST(HelpFormat, NoLineIsWiderThanItMayBe) {
  for (const std::size_t width : {60U, 72U, 80U, 100U}) {
    std::istringstream lines(help_text(example(), width));
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(text::text_width(line), width) << line;
  }
}

// A command with all groups and more options than two terminals show.
Command long_example() {
  Command command("run", "Runs it.", "Example:\n  drover run", {"drover"});
  command.add_options(database_group, {{"--db", {}, "URI", "Where", common_option},
                                       {"--schema", {}, "NAME", "Which tables"}});
  command.add_options(hosts_group, {{"--hosts", {}, "HOST", "On these"}});
  command.add_options({{"--seed", {}, "N", "Of inputs"}});
  command.add_options(
      "Load", {{"--rate", {}, "N", "How fast"}, {"--clients", {}, "N", "How many", common_option}});
  for (int i = 0; i < 40; ++i) {
    command.add_options(failures_group, {{fmt::format("--option-{}", i), {}, "", "It"}});
  }
  return command;
}

TEST(HelpFormat, CommonOptionsFirstAndRareGroupsLast) {
  const Command command = long_example();
  std::vector<std::string> order;
  for (const OptionGroup& group : option_groups(command)) {
    order.push_back(group.heading + ":");
    for (const Option* option : group.options) {
      if (!option->name().starts_with("--option")) order.push_back(option->name());
    }
  }
  EXPECT_THAT(order, testing::ElementsAre("Common options:", "--clients", "--db",
                                          "Other options:", "--seed", "Load:", "--rate",
                                          "Failures:", "Several hosts:", "--hosts",
                                          "Database:", "--schema", "General:", "--help"));
}

TEST(HelpFormat, TheShortHelpOfALongCommandHasItsCommonOptions) {
  const Command command = long_example();
  EXPECT_EQ(short_help_text(command, 80),
            "Runs it.\n"
            "\n"
            "Usage: drover run [OPTIONS]\n"
            "\n"
            "Common options:\n"
            "      --clients N           How many\n"
            "      --db URI              Where\n"
            "\n"
            "All options: drover help run\n"
            "\n"
            "Example:\n"
            "  drover run\n");
  EXPECT_THAT(help_text(command, 80), HasSubstr("--option-39"));
}

TEST(HelpFormat, TheShortHelpOfAShortCommandHasAllOptions) {
  EXPECT_EQ(short_help_text(example(), 70), help_text(example(), 70));
}

TEST(HelpFormat, CommandsInGroups) {
  Command program("drover");
  program.options.clear();
  program.add_command("tpcc", "Of TPC-C. More of it.");
  program.add_command("help", "Help").group = "About";
  EXPECT_EQ(help_text(program, 80),
            "\n"
            "Usage: drover COMMAND\n"
            "\n"
            "Commands:\n"
            "  tpcc                      Of TPC-C\n"
            "\n"
            "About:\n"
            "  help                      Help\n");
}

TEST(HelpFormat, OfAProgram) {
  Command app("drover", "A program");
  Command& command = app.add_command("demo", "The story");
  std::string db;
  command.add_options({{"--db", &db, "URI", "Where", {.variable = "DROVER_DB"}}});
  const std::string help = help_text(command, 80);
  EXPECT_THAT(help, HasSubstr("Usage: drover demo [OPTIONS]\n"));
  EXPECT_THAT(help, HasSubstr("--db URI"));
  EXPECT_THAT(help, HasSubstr("Where [variable: DROVER_DB]"));
  // There is nothing that the sentence could say.
  EXPECT_THAT(help, Not(HasSubstr("environment variables")));
}

}  // namespace
}  // namespace drover::cli
