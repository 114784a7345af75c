#include "cli/command_outline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/completion.h"

namespace drover::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A program with options of all kinds.
struct Program {
  CLI::App app{"A program", "drover"};
  std::string text = "10m";
  int number = 0;
  bool flag = false;
  std::vector<std::string> list;

  Program() {
    app.set_help_flag("-h,--help", "Print this help");
    CLI::App* tpcc = app.add_subcommand("tpcc", "Of TPC-C");
    CLI::App* run = tpcc->add_subcommand("run", "Run it. And more.");
    run->footer("Example:\n  drover tpcc run");
    run->add_option("-w,--warehouses", text, "How\nmany")->type_name("W|auto")->required();
    run->add_option("--connections", number, "Sessions")
        ->check(CLI::Range(1, 1000))
        ->type_name("N")
        ->group("Database");
    run->add_option("--db", text, "Where")->envname("DROVER_DB")->type_name("URI");
    run->add_option("--listen", text, "Where")->type_name("HOST:PORT");
    run->add_option("--json", text, "Into")->type_name("FILE");
    run->add_option("--data-dir", text, "In")->type_name("DIR");
    run->add_option("--set", list, "Settings")->type_name("NAME=VALUE");
    run->add_option("--style", text, "How")->check(CLI::IsMember({"one", "two"}));
    run->add_option("--duration", text, "How long")->type_name("TIME")->capture_default_str();
    run->add_flag("--no-delays", flag, "At once");
    run->add_flag("--secret", flag, "Hidden")->group("");
    run->add_option("--config", text, "File")->configurable(false)->type_name("FILE");
    run->add_option("result", list, "Results")->type_name("FILE")->required();
    app.add_subcommand("hidden", "Not listed")->group("");
    app.add_subcommand("help", "Help");
  }

  CommandOutline run() const { return outline_of(app).commands[0].commands[0]; }
};

OptionOutline option(const CommandOutline& command, std::string_view name) {
  for (const OptionOutline& one : command.options) {
    if (one.longest_name() == name) return one;
  }
  ADD_FAILURE() << "no option " << name;
  OptionOutline none;
  none.names = {"--none"};
  return none;
}

TEST(CommandOutline, TheTree) {
  const Program program;
  const CommandOutline outline = outline_of(program.app);
  EXPECT_EQ(outline.full_name(), "drover");
  ASSERT_EQ(outline.commands.size(), 2U);  // the hidden one is left out
  EXPECT_EQ(outline.commands[0].full_name(), "drover tpcc");
  const CommandOutline run = program.run();
  EXPECT_THAT(run.path, ElementsAre("drover", "tpcc", "run"));
  EXPECT_EQ(run.description, "Run it. And more.");
  EXPECT_EQ(run.footer, "Example:\n  drover tpcc run");
  EXPECT_THAT(run.groups, ElementsAre("Options", "Database", general_group));
  // The same when asked for the command alone, as its help is.
  EXPECT_EQ(outline_of(*program.app.get_subcommand("tpcc")).commands[0].full_name(),
            "drover tpcc run");
}

TEST(CommandOutline, NamesAndValues) {
  const CommandOutline run = Program().run();
  const OptionOutline warehouses = option(run, "--warehouses");
  EXPECT_THAT(warehouses.names, ElementsAre("-w", "--warehouses"));
  EXPECT_EQ(warehouses.description, "How many");
  EXPECT_EQ(warehouses.value, "W|auto");
  EXPECT_THAT(warehouses.choices, ElementsAre("auto"));
  EXPECT_TRUE(warehouses.required);
  EXPECT_EQ(warehouses.variable, "DROVER_TPCC_RUN_WAREHOUSES");
  const OptionOutline connections = option(run, "--connections");
  EXPECT_EQ(connections.value, "N");
  EXPECT_EQ(connections.range, "1 to 1000");
  EXPECT_EQ(connections.group, "Database");
  const OptionOutline style = option(run, "--style");
  EXPECT_EQ(style.value, "one|two");
  EXPECT_THAT(style.choices, ElementsAre("one", "two"));
  EXPECT_EQ(option(run, "--listen").value, "HOST:PORT");
  EXPECT_THAT(option(run, "--listen").choices, IsEmpty());
  EXPECT_EQ(option(run, "--duration").default_value, "10m");
}

TEST(CommandOutline, Kinds) {
  const CommandOutline run = Program().run();
  EXPECT_EQ(option(run, "--json").kind, ValueKind::file);
  EXPECT_EQ(option(run, "--data-dir").kind, ValueKind::folder);
  EXPECT_EQ(option(run, "--duration").kind, ValueKind::text);
  const OptionOutline flag = option(run, "--no-delays");
  EXPECT_EQ(flag.kind, ValueKind::none);
  EXPECT_EQ(flag.value, "");
  EXPECT_EQ(flag.default_value, "");
  EXPECT_TRUE(option(run, "--set").repeatable);
  EXPECT_FALSE(option(run, "--json").repeatable);
  for (const OptionOutline& one : run.options) EXPECT_NE(one.longest_name(), "--secret");
  ASSERT_EQ(run.arguments.size(), 1U);
  EXPECT_TRUE(run.arguments[0].is_argument());
  EXPECT_THAT(run.arguments[0].names, ElementsAre("result"));
  EXPECT_EQ(run.arguments[0].variable, "");
}

TEST(CommandOutline, VariablesOfThoseThatMayHaveOne) {
  const CommandOutline run = Program().run();
  EXPECT_EQ(option(run, "--db").variable, "DROVER_DB");
  EXPECT_TRUE(option(run, "--db").variable_is_common);
  EXPECT_EQ(option(run, "--config").variable, "");
  EXPECT_EQ(option(run, "--config").group, general_group);
  EXPECT_EQ(option(run, "--help").group, general_group);
}

TEST(CommandOutline, FirstSentences) {
  EXPECT_EQ(first_sentence("Run it. And more.", 80), "Run it");
  EXPECT_EQ(first_sentence("Make them,\nempty; refuses some.", 80), "Make them, empty");
  EXPECT_EQ(first_sentence("Of drover 0.1.0.", 80), "Of drover 0.1.0");
  EXPECT_EQ(first_sentence("one two three", 9), "one two…");
  EXPECT_EQ(first_sentence("", 9), "");
}

TEST(CommandOutline, HelpHasAllCommandsBelowIt) {
  const CommandOutline program = with_help_topics(outline_of(Program().app));
  const CommandOutline& help = program.commands.back();
  ASSERT_EQ(help.name(), "help");
  ASSERT_EQ(help.commands.size(), 1U);
  EXPECT_EQ(help.commands[0].commands[0].full_name(), "drover help tpcc run");
  EXPECT_THAT(help.commands[0].commands[0].options, IsEmpty());
}

}  // namespace
}  // namespace drover::cli
