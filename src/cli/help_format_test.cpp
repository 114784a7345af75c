#include "cli/help_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/wrapped_text.h"

namespace drover::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

CommandOutline example() {
  CommandOutline command;
  command.path = {"drover", "tpcc", "run"};
  command.description = "Runs the benchmark.\nAnd reports.";
  command.footer = "Example:\n  drover tpcc run -w 10";
  command.groups = {"What", general_group};
  command.options = {
      {.names = {"-h", "--help"}, .description = "Print this help", .group = general_group},
      {.names = {"-w", "--warehouses"},
       .description = "How many",
       .group = "What",
       .kind = ValueKind::text,
       .value = "W",
       .range = "1 to 9",
       .default_value = "5",
       .variable = "DROVER_TPCC_RUN_WAREHOUSES",
       .required = true},
      {.names = {"--isolation"},
       .description = "The level of isolation of all of the transactions, which costs retries",
       .group = "What",
       .kind = ValueKind::text,
       .value = "read-committed|serializable"}};
  command.arguments = {
      {.names = {"file"}, .description = "Results", .kind = ValueKind::file, .repeatable = true}};
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
            "What:\n"
            "  -w, --warehouses W        How many [required, 1 to 9, default: 5]\n"
            "      --isolation read-committed|serializable\n"
            "                            The level of isolation of all of the\n"
            "                            transactions, which costs retries\n"
            "\n"
            "General:\n"
            "  -h, --help                Print this help\n"
            "\n"
            "Each option may come from a variable of the environment\n"
            "(DROVER_TPCC_RUN_WAREHOUSES for --warehouses) or from the file of\n"
            "--config. The command line comes first, then variables, then the file.\n"
            "\n"
            "Example:\n"
            "  drover tpcc run -w 10\n");
}

TEST(HelpFormat, NoLineIsWiderThanItMayBe) {
  for (const std::size_t width : {60U, 72U, 80U, 100U}) {
    std::istringstream lines(help_text(example(), width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), width) << line;
  }
}

TEST(HelpFormat, CommandsInGroups) {
  CommandOutline program;
  program.path = {"drover"};
  program.groups = {general_group};
  program.commands = {
      {.path = {"drover", "tpcc"}, .description = "Of TPC-C. More of it.", .group = "Subcommands"},
      {.path = {"drover", "help"}, .description = "Help", .group = "About"}};
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
  CLI::App app("A program", "drover");
  app.formatter(std::make_shared<HelpFormat>());
  CLI::App* command = app.add_subcommand("demo", "The story");
  std::string db;
  command->add_option("--db", db, "Where")->envname("DROVER_DB")->type_name("URI");
  const std::string help = command->help();
  EXPECT_THAT(help, HasSubstr("Usage: drover demo [OPTIONS]\n"));
  EXPECT_THAT(help, HasSubstr("--db URI"));
  EXPECT_THAT(help, HasSubstr("Where [variable: DROVER_DB]"));
  // There is nothing that the sentence could say.
  EXPECT_THAT(help, Not(HasSubstr("Each option may come")));
}

}  // namespace
}  // namespace drover::cli
