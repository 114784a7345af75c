#include "cli/option/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/option/option_sources.h"

namespace drover::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A program with options of all kinds.
struct Program {
  Command app{"drover", "A program"};
  std::string text = "10m";
  std::string none;
  int number = 0;
  bool flag = false;
  std::vector<std::string> list;
  Command* tpcc = &app.add_command("tpcc", "Of TPC-C");
  Command* run = &tpcc->add_command("run", "Run it. And more.", "Example:\n  drover tpcc run");

  Program() {
    run->add_options("Load", {{"-w,--warehouses", &none, "W|auto", "How\nmany", required_option},
                              {"--style", &none, "HOW", "How", {.only = {"one", "two"}}},
                              {"--duration", &text, "TIME", "How long"},
                              {"--level", &none, "N", "How deep", default_is("low")},
                              {"--no-delays", &flag, "", "At once"}});
    run->add_options("Database", {{"--connections", &number, "N", "Sessions", in_range(1, 1000)},
                                  {"--db", &none, "URI", "Where", {.variable = "DROVER_DB"}},
                                  {"--listen", &none, "HOST:PORT", "Where"},
                                  {"--host", &none, "NAME", "Whom", command_line_only}});
    run->add_options({{"--json", &none, "FILE", "Into"},
                      {"--data-dir", &none, "DIR", "In"},
                      {"--set", &list, "NAME=VALUE", "Settings"},
                      {"--config", {}, "FILE", "File", command_line_only},
                      {"result", &list, "FILE", "Results", required_option}});
  }
  const Option& option(std::string_view name) const { return *run->find_option(name); }
};

TEST(Command, TheTree) {
  const Program program;
  EXPECT_EQ(program.app.full_name(), "drover");
  EXPECT_THAT(program.app.command_names(), ElementsAre("tpcc"));
  EXPECT_THAT(program.run->path, ElementsAre("drover", "tpcc", "run"));
  EXPECT_EQ(program.run->full_name(), "drover tpcc run");
  EXPECT_THAT(all_commands(program.app), ElementsAre(&program.app, program.tpcc, program.run));
  EXPECT_EQ(program.app.find_command("tpcc"), program.tpcc);
  EXPECT_EQ(program.app.find_command("run"), nullptr);
  EXPECT_EQ(program.run->find_option("-w"), program.run->find_option("--warehouses"));
  EXPECT_EQ(program.run->find_option("result"), nullptr);
}

TEST(Command, NamesAndValues) {
  const Program program;
  const Option& warehouses = program.option("--warehouses");
  EXPECT_THAT(warehouses.names, ElementsAre("-w", "--warehouses"));
  EXPECT_EQ(warehouses.name(), "--warehouses");
  EXPECT_EQ(warehouses.description, "How many");
  EXPECT_THAT(warehouses.choices, ElementsAre("auto"));
  EXPECT_EQ(program.option("--style").value, "one|two");
  EXPECT_THAT(program.option("--style").choices, ElementsAre("one", "two"));
  EXPECT_THAT(program.option("--listen").choices, IsEmpty());
  EXPECT_EQ(program.option("--connections").range_text(), "1 to 1000");
  EXPECT_EQ(program.option("--connections").group, "Database");
  EXPECT_EQ(program.option("--json").group, "Options");
}

TEST(Command, DefaultsAreWhatTheTargetsHave) {
  const Program program;
  EXPECT_EQ(program.option("--duration").default_text, "10m");
  EXPECT_EQ(program.option("--connections").default_text, "0");
  EXPECT_EQ(program.option("--level").default_text, "low");
  for (const char* name : {"--json", "--set", "--no-delays", "--config"}) {
    EXPECT_EQ(program.option(name).default_text, "") << name;
  }
}

TEST(Command, Kinds) {
  const Program program;
  EXPECT_EQ(program.option("--json").kind, ValueKind::file);
  EXPECT_EQ(program.option("--data-dir").kind, ValueKind::folder);
  EXPECT_EQ(program.option("--duration").kind, ValueKind::text);
  EXPECT_EQ(program.option("--no-delays").kind, ValueKind::none);
  EXPECT_TRUE(program.option("--set").is_list());
  EXPECT_FALSE(program.option("--json").is_list());
  ASSERT_EQ(program.run->arguments.size(), 1U);
  EXPECT_TRUE(program.run->arguments[0].is_argument());
  EXPECT_THAT(program.run->arguments[0].names, ElementsAre("result"));
}

TEST(Command, VariablesOfThoseThatMayHaveOne) {
  const Program program;
  const auto variable = [&](const char* name) {
    return variable_of(*program.run, program.option(name));
  };
  EXPECT_EQ(variable("--warehouses"), "DROVER_TPCC_RUN_WAREHOUSES");
  EXPECT_EQ(variable("--db"), "DROVER_DB");
  EXPECT_EQ(variable("--config"), "");
  EXPECT_EQ(variable_of(*program.run, program.run->arguments[0]), "");
  EXPECT_EQ(program.option("--config").group, general_group);
  EXPECT_EQ(program.option("--help").group, general_group);
  EXPECT_EQ(program.option("--host").group, "Database");
}

}  // namespace
}  // namespace drover::cli
