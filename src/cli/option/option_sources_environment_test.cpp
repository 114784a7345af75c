#include "cli/option/option_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "cli/option/command.h"

namespace drover::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A program with options of all kinds, and what its commands were given.
struct ProgramWithVariables {
  Command app{"drover"};
  std::string db;
  std::string other_db;
  std::string warehouses;
  double pace = 1;
  bool no_delays = true;
  int connections = 0;
  std::vector<std::string> settings;
  std::string chosen;
  Command* command = nullptr;
  std::vector<std::string> warnings;

  ProgramWithVariables() {
    Command& tpcc = app.add_command("tpcc");
    Command& run = tpcc.add_command("run");
    run.add_options({{"--db", &db, "URI", "", {.variable = "DROVER_DB"}},
                     {"-w,--warehouses", &warehouses, "W", "", required_option},
                     {"--pace", &pace, "X", ""},
                     {"--no-delays", &no_delays, "", ""}});
    Command& check = tpcc.add_command("check");
    check.add_options({{"--db", &other_db, "URI", "", {.variable = "DROVER_DB"}},
                       {"--connections", &connections, "N", "", in_range(1, 1000)}});
    Command& start = app.add_command("start");
    start.add_options({{"--set", &settings, "NAME=VALUE", ""}});
    for (Command* one : {&run, &check, &start}) {
      one->action = [this, one] {
        chosen += one->name();
        return 0;
      };
    }
  }

  // As main does it, but with these in place of the environment, and of the file.
  void parse(const std::vector<std::string>& line, const EnvironmentVariables& variables,
             std::string_view config = "") {
    command = read_words(app, line).back();
    if (has_flag({command}, "--help")) return;
    warnings = apply_environment(app, *command, variables);
    apply_config(app, *command, parse_config(config), "file");
    require_complete(*command);
    command->action();
  }
};

std::string message_of(const std::vector<std::string>& line,
                       const EnvironmentVariables& variables) {
  ProgramWithVariables program;
  try {
    program.parse(line, variables);
  } catch (const UsageError& error) {
    EXPECT_EQ(program.chosen, "");
    return error.what();
  }
  return "(it was taken)";
}

TEST(EnvironmentOption, GivesTheOptionsOfTheCommand) {
  ProgramWithVariables program;
  program.parse({"tpcc", "run"}, {{"DROVER_TPCC_RUN_WAREHOUSES", "10"},
                                  {"DROVER_TPCC_RUN_PACE", "2.5"},
                                  {"DROVER_TPCC_RUN_NO_DELAYS", "0"},
                                  {"DROVER_DB", "postgresql://user:secret@host/name"},
                                  {"DROVER_TPCC_CHECK_CONNECTIONS", "nonsense"}});
  EXPECT_EQ(program.chosen, "run");
  EXPECT_EQ(program.warehouses, "10");  // although it is required
  EXPECT_EQ(program.pace, 2.5);
  EXPECT_FALSE(program.no_delays);
  EXPECT_EQ(program.db, "postgresql://user:secret@host/name");
  EXPECT_EQ(program.connections, 0);  // of another command
  EXPECT_THAT(program.warnings, IsEmpty());
}

TEST(EnvironmentOption, TheCommandLineThenVariablesThenTheFile) {
  ProgramWithVariables program;
  program.parse({"tpcc", "run", "--pace", "7"},
                {{"DROVER_TPCC_RUN_PACE", "6"},
                 {"DROVER_TPCC_RUN_WAREHOUSES", "3"},
                 {"DROVER_TPCC_RUN_NO_DELAYS", "false"}},
                "[tpcc.run]\npace = 5\nwarehouses = 2\nno-delays = true\ndb = 'host=file'");
  EXPECT_EQ(program.pace, 7);
  EXPECT_EQ(program.warehouses, "3");
  EXPECT_FALSE(program.no_delays);
  EXPECT_EQ(program.db, "host=file");
}

TEST(EnvironmentOption, TheNearestNameFirst) {
  const EnvironmentVariables all = {{"DROVER_DB", "host=all"},
                                    {"DROVER_TPCC_DB", "host=tpcc"},
                                    {"DROVER_TPCC_RUN_DB", "host=run"}};
  ProgramWithVariables run;
  run.parse({"tpcc", "run", "-w", "1"}, all);
  EXPECT_EQ(run.db, "host=run");
  ProgramWithVariables check;
  check.parse({"tpcc", "check"}, all);
  EXPECT_EQ(check.other_db, "host=tpcc");
  ProgramWithVariables none;  // as --no-environment does
  none.parse({"tpcc", "check"}, {});
  EXPECT_EQ(none.other_db, "");
  ProgramWithVariables line;
  line.parse({"tpcc", "check", "--db", "host=line"}, all);
  EXPECT_EQ(line.other_db, "host=line");
}

TEST(EnvironmentOption, Lists) {
  ProgramWithVariables program;
  program.parse({"start"}, {{"DROVER_START_SET", "fsync=off;a='b c';"}});
  EXPECT_THAT(program.settings, ElementsAre("fsync=off", "a='b c'"));
  ProgramWithVariables none;
  none.parse({"start"}, {{"DROVER_START_SET", ";"}});
  EXPECT_THAT(none.settings, IsEmpty());
}

TEST(EnvironmentOption, WrongValuesNameTheVariable) {
  EXPECT_EQ(message_of({"tpcc", "run"}, {{"DROVER_TPCC_RUN_PACE", "fast"}}),
            "--pace fast: expected a number (from the variable DROVER_TPCC_RUN_PACE)");
  EXPECT_THAT(message_of({"tpcc", "check"}, {{"DROVER_CONNECTIONS", "0"}}),
              testing::StartsWith("--connections 0: expected a whole number from 1"));
  for (const char* value : {"yes", "2", "TRUE", " ", "postgresql://u:s3cret@h"}) {
    EXPECT_EQ(message_of({"tpcc", "run"}, {{"DROVER_TPCC_RUN_NO_DELAYS", value}}),
              "DROVER_TPCC_RUN_NO_DELAYS: expected true, false, 1 or 0");
  }
}

TEST(EnvironmentOption, NothingActsUponTheTerminal) {
  EXPECT_THAT(message_of({"tpcc", "run"}, {{"DROVER_TPCC_RUN_PACE", "\x1b[2J"}}),
              testing::AllOf(HasSubstr("--pace "), testing::Not(HasSubstr("\x1b"))));
}

TEST(EnvironmentOption, LaterMessagesNameTheVariableToo) {
  ProgramWithVariables program;
  program.parse({"tpcc", "run", "--pace", "3"},
                {{"DROVER_TPCC_RUN_WAREHOUSES", "x"}, {"DROVER_TPCC_RUN_PACE", "4"}});
  EXPECT_EQ(origin_note(*program.command, "--warehouses x: expected a number"),
            " (from the variable DROVER_TPCC_RUN_WAREHOUSES)");
  EXPECT_EQ(origin_note(*program.command, "-w x: expected a number"),
            " (from the variable DROVER_TPCC_RUN_WAREHOUSES)");
  EXPECT_EQ(origin_note(*program.command, "--pace 3: too fast"),
            "");  // that was the command line's
}

TEST(EnvironmentOption, UnknownOnesOfTheCommandAreErrors) {
  EXPECT_EQ(message_of({"tpcc", "run"}, {{"DROVER_TPCC_RUN_PAEC", "1"}}),
            "the variable DROVER_TPCC_RUN_PAEC does not match any option of drover tpcc run; did "
            "you mean DROVER_TPCC_RUN_PACE?");
  // What is of the command line only.
  EXPECT_THAT(message_of({"tpcc", "run"}, {{"DROVER_TPCC_RUN_HELP", "1"}}),
              HasSubstr("does not match any option"));
}

TEST(EnvironmentOption, OtherUnknownOnesAreWarnedOf) {
  ProgramWithVariables program;
  program.parse({"start"}, {{"DROVER_TPCC_RUN_PAEC", "s3cret"},
                            {"DROVER_MY_OWN_\x1b[2J", "s3cret"},
                            {"DROVER_DATA_HOME", "x"},
                            {"DROVER_PG_BINDIR", "x"},
                            {"DROVER_CONFIG", "x"}});
  EXPECT_EQ(program.chosen, "start");
  ASSERT_EQ(program.warnings.size(), 2U);
  EXPECT_EQ(program.warnings[0],
            "the variable DROVER_TPCC_RUN_PAEC does not match any option of drover and is ignored; "
            "did you mean DROVER_TPCC_RUN_PACE?");
  EXPECT_THAT(program.warnings[1], HasSubstr("DROVER_MY_OWN_"));
  EXPECT_THAT(program.warnings[1], testing::Not(HasSubstr("\x1b")));
}

TEST(EnvironmentOption, WhatIsMissingIsSaidFirst) {
  ProgramWithVariables none;
  EXPECT_THROW(none.parse({"tpcc"}, {{"DROVER_TPCC_PACE", "fast"}}), UsageError);
  ProgramWithVariables help;
  EXPECT_NO_THROW(help.parse({"tpcc", "run", "--help"}, {{"DROVER_TPCC_RUN_PACE", "fast"}}));
  EXPECT_EQ(help.chosen, "");
}

TEST(EnvironmentOption, NoPasswordIsShown) {
  for (const char* variable : {"DROVER_TPCC_RUN_PACE", "DROVER_WAREHOUSES"}) {
    for (const char* value : {"postgresql://u:s3cret@h/x", "host=x password=s3cret"}) {
      EXPECT_EQ(message_of({"tpcc", "run"}, {{variable, value}}),
                std::string(variable) + ": set a connection string in the variable DROVER_DB");
    }
  }
}

}  // namespace
}  // namespace drover::cli
