#include "cli/option/option_sources.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "cli/option/command.h"

namespace drover::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A program with options of all kinds, and what its commands were given.
struct ProgramWithFile {
  Command app{"program"};
  std::string db;
  std::string check_db;
  std::string warehouses;
  double pace = 1;
  std::optional<double> simulate;
  bool no_delays = false;
  int connections = 0;
  std::vector<std::string> settings;
  std::vector<std::string> words;
  std::string chosen;
  Command* command = nullptr;
  EnvironmentVariables variables;

  ProgramWithFile() {
    Command& tpcc = app.add_command("tpcc");
    Command& run = tpcc.add_command("run");
    run.add_options({{"--db", &db, "URI", ""},
                     {"-w,--warehouses", &warehouses, "W", "", required_option},
                     {"--pace", &pace, "X", ""},
                     {"--simulate-ms", &simulate, "N", ""},
                     {"--no-delays", &no_delays, "", ""}});
    Command& check = tpcc.add_command("check");
    check.add_options({{"--db", &check_db, "URI", ""},
                       {"--connections", &connections, "N", "", in_range(1, 1000)}});
    Command& start = app.add_command("start");
    start.add_options({{"--set", &settings, "NAME=VALUE", ""}, {"words", &words, "ARGS", ""}});
    for (Command* one : {&run, &check, &start}) {
      one->action = [this, one] {
        chosen += one->name();
        return 0;
      };
    }
  }

  // As main does it, but with the text of a file in place of the file.
  void parse(const std::vector<std::string>& line, std::string_view config) {
    const std::vector<ConfigEntry> entries = parse_config(config);
    command = read_words(app, line).back();
    apply_environment(app, *command, variables);
    apply_config(app, *command, entries, "file");
    require_complete(*command);
    command->action();
  }
};

std::string message_of(const std::vector<std::string>& line, std::string_view config) {
  ProgramWithFile program;
  try {
    program.parse(line, config);
  } catch (const UsageError& error) {
    EXPECT_EQ(program.chosen, "");
    return error.what();
  }
  return "(it was taken)";
}

TEST(ConfigOption, GivesTheOptionsOfTheCommand) {
  ProgramWithFile program;
  program.parse({"tpcc", "run"},
                "[tpcc.run]\nwarehouses = 10\npace = 2.5\nsimulate-ms = 5\nno-delays = true\n"
                "db = \"postgresql://user:secret@host/name\"");
  EXPECT_EQ(program.chosen, "run");
  EXPECT_EQ(program.warehouses, "10");
  EXPECT_EQ(program.pace, 2.5);
  EXPECT_EQ(program.simulate, 5);
  EXPECT_TRUE(program.no_delays);
  EXPECT_EQ(program.db, "postgresql://user:secret@host/name");
  EXPECT_EQ(program.check_db, "");
}

TEST(ConfigOption, NeverChoosesACommand) {
  ProgramWithFile program;
  program.parse({"start"}, "[tpcc.run]\nwarehouses = 10\n[tpcc.check]\nconnections = 3");
  EXPECT_EQ(program.chosen, "start");
  EXPECT_EQ(program.warehouses, "");
  EXPECT_EQ(program.connections, 0);
  // A command that lacks what it needs does not become complete by another's section.
  ProgramWithFile other;
  EXPECT_THROW(other.parse({"tpcc", "run"}, "[tpcc.check]\nconnections = 3"), UsageError);
  ProgramWithFile none;
  EXPECT_THROW(none.parse({}, "[tpcc.run]\nwarehouses = 10"), UsageError);
}

TEST(ConfigOption, TheCommandLineComesFirst) {
  ProgramWithFile program;
  program.parse({"tpcc", "run", "-w", "3", "--pace", "7"},
                "[tpcc.run]\nwarehouses = 10\npace = 2.5\nsimulate-ms = 5");
  EXPECT_EQ(program.warehouses, "3");
  EXPECT_EQ(program.pace, 7);
  EXPECT_EQ(program.simulate, 5);
}

TEST(ConfigOption, ThenTheVariables) {
  ProgramWithFile program;
  program.variables = {{"PROGRAM_TPCC_RUN_DB", "host=variable"}};
  program.parse({"tpcc", "run"}, "[tpcc.run]\nwarehouses = 10\ndb = 'host=file'");
  EXPECT_EQ(program.db, "host=variable");
}

TEST(ConfigOption, ThenTheNearestSection) {
  const char* config =
      "db = 'host=all'\n[tpcc]\ndb = 'host=tpcc'\nno-delays = true\n"
      "[tpcc.run]\nwarehouses = 1\ndb = 'host=run'\nno-delays = false";
  ProgramWithFile run;
  run.parse({"tpcc", "run"}, config);
  EXPECT_EQ(run.db, "host=run");
  EXPECT_FALSE(run.no_delays);
  ProgramWithFile check;
  check.parse({"tpcc", "check"}, config);
  EXPECT_EQ(check.check_db, "host=tpcc");
  ProgramWithFile start;  // has unknown option, which is no mistake
  start.parse({"start"}, config);
  EXPECT_EQ(start.chosen, "start");
}

TEST(ConfigOption, Lists) {
  ProgramWithFile program;
  program.parse({"start"}, "[start]\nset = ['fsync=off', 'a=b']");
  EXPECT_THAT(program.settings, ElementsAre("fsync=off", "a=b"));
  ProgramWithFile single;
  single.parse({"start"}, "[start]\nset = 'fsync=off'");
  EXPECT_THAT(single.settings, ElementsAre("fsync=off"));
  ProgramWithFile line;
  line.parse({"start", "--set", "c=d"}, "[start]\nset = ['fsync=off', 'a=b']");
  EXPECT_THAT(line.settings, ElementsAre("c=d"));
  ProgramWithFile none;
  none.parse({"start"}, "[start]\nset = []");
  EXPECT_TRUE(none.settings.empty());
}

TEST(ConfigOption, UnknownNamesAreErrorsInAllSections) {
  EXPECT_EQ(
      message_of({"start"}, "\n[tpcc.run]\nwharehouses = 10"),
      "file, line 3: wharehouses: unknown option of drover tpcc run. See: drover tpcc run --help");
  EXPECT_EQ(message_of({"start"}, "x = 1"), "file, line 1: x: unknown option. See: drover --help");
  EXPECT_EQ(message_of({"start"}, "[tpcc.rum]\nx = 1"),
            "file, line 2: unknown command: drover tpcc rum. Expected a section of run, check");
  EXPECT_EQ(message_of({"start"}, "[start.now]\nx = 1"),
            "file, line 2: unknown command: drover start now. Expected a key");
  // Neither the words that have no name, nor what is of the command line only.
  EXPECT_THAT(message_of({"start"}, "[start]\nwords = 'x'"), HasSubstr("unknown option"));
  EXPECT_THAT(message_of({"start"}, "[start]\nhelp = true"), HasSubstr("unknown option"));
  EXPECT_THAT(message_of({"start"}, "[tpcc.run]\nw = 1"), HasSubstr("unknown option"));
}

TEST(ConfigOption, WrongKindsAreErrorsInAllSections) {
  EXPECT_EQ(message_of({"start"}, "[tpcc.run]\nno-delays = 'yes'"),
            "file, line 2: no-delays: expected true or false");
  EXPECT_EQ(message_of({"start"}, "[tpcc.run]\nno-delays = 1"),
            "file, line 2: no-delays: expected true or false");
  EXPECT_EQ(message_of({"start"}, "[tpcc.run]\npace = true"),
            "file, line 2: pace: expected text in quotes or a number");
  EXPECT_EQ(message_of({"start"}, "[tpcc.run]\npace = [1]"),
            "file, line 2: pace: expected a single value");
  EXPECT_EQ(message_of({"start"}, "[start]\nset = true"), "file, line 2: set: expected a list");
}

TEST(ConfigOption, WrongValuesNameTheLine) {
  EXPECT_EQ(message_of({"tpcc", "run"}, "[tpcc.run]\nwarehouses = 1\npace = 'fast'"),
            "file, line 3: --pace fast: expected a number");
  EXPECT_THAT(
      message_of({"tpcc", "check"}, "[tpcc]\nconnections = 0"),
      testing::StartsWith("file, line 2: --connections 0: expected a whole number from 1 to"));
}

TEST(ConfigOption, NoPasswordIsShown) {
  for (const char* key : {"pace", "warehouses", "simulate-ms"}) {
    for (const char* value : {"postgresql://u:s3cret@h/x", "host=x password=s3cret"}) {
      const std::string message =
          message_of({"tpcc", "run"}, fmt::format("[tpcc.run]\n{} = '{}'", key, value));
      EXPECT_EQ(message,
                fmt::format("file, line 2: {}: set a connection string with the key db", key));
    }
  }
}

TEST(ConfigOption, LaterMessagesNameTheLineToo) {
  ProgramWithFile program;
  program.parse({"tpcc", "run", "--pace", "3"}, "[tpcc.run]\nwarehouses = 'x'\npace = 2.5");
  EXPECT_EQ(origin_note(*program.command, "--warehouses x: expected a number"),
            " (from file, line 2)");
  EXPECT_EQ(origin_note(*program.command, "-w x: expected a number"), " (from file, line 2)");
  EXPECT_EQ(origin_note(*program.command, "--warehouses-of-others x"), "");
  EXPECT_EQ(origin_note(*program.command, "--pace 3: too fast"),
            "");  // that was the command line's
  EXPECT_EQ(origin_note(*program.command, ""), "");
}

}  // namespace
}  // namespace drover::cli
