#include "cli/option/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/option/option_sources.h"

namespace drover::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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
  EXPECT_EQ(variable("--no-delays"), "DROVER_TPCC_RUN_NO_DELAYS");
  EXPECT_EQ(variable("--db"), "DROVER_DB");
  EXPECT_EQ(variable("--config"), "");
  EXPECT_EQ(variable_of(*program.run, program.run->arguments[0]), "");
  EXPECT_EQ(program.option("--config").group, general_group);
  EXPECT_EQ(program.option("--help").group, general_group);
  EXPECT_EQ(program.option("--host").group, "Database");
}

std::string message_with(const std::vector<std::string>& line, const std::string& config) {
  Command app("drover");
  Command& tpcc = app.add_command("tpcc");
  Command& run = tpcc.add_command("run");
  Command& import = tpcc.add_command("import");
  std::string text;
  double number = 0;
  bool flag = false;
  for (Command* command : {&run, &import}) {
    command->add_options({{"-w,--warehouses", &text, "W", ""}, {"--db", &text, "URI", ""}});
  }
  run.add_options({{"--pace", &number, "X", ""}, {"--no-delays", &flag, "", ""}});
  import.add_options({{"--seed", &text, "N", "", required_option}});
  app.add_command("show").add_options({{"results", &text, "FILE", "", required_option}});
  std::vector<std::string> files;
  app.add_command("read").add_options({{"-f,--file", &files, "FILE[@WEIGHT]", "", input_file},
                                       {"--json", &text, "FILE", ""},
                                       {"results", &files, "FILE...", "", input_file}});
  int count = 0;
  app.add_command("print").add_options(
      {{"shell", &text, "SHELL", "", {.only = {"bash", "zsh", "fish"}, .required = true}},
       {"--count", &count, "N", "", in_range(1, 100)},
       {"--seconds", &number, "SECONDS", "", in_range(0.01, 3600)}});
  try {
    const Command& chosen = *read_words(app, line).back();
    require_complete(chosen);
    require_one_reader_of_standard_input(chosen, config);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "(it was taken)";
}

std::string message_of(const std::vector<std::string>& line) {
  return message_with(line, "");
}

TEST(CommandLine, UnknownOptions) {
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

TEST(CommandLine, UnknownCommands) {
  EXPECT_EQ(message_of({"tpcc", "rnu"}),
            "unknown command: drover tpcc rnu; did you mean run?\nSee: drover tpcc --help");
  EXPECT_EQ(message_of({"tcpc", "run"}),
            "unknown command: drover tcpc; did you mean tpcc?\nSee: drover --help");
  EXPECT_EQ(message_of({"tpcc", "run", "surplus"}),
            "drover tpcc run takes no argument surplus\nSee: drover tpcc run --help");
}

TEST(CommandLine, WhatIsMissing) {
  EXPECT_EQ(message_of({}),
            "drover needs a subcommand: tpcc, show, read, print\nSee: drover --help");
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

TEST(CommandLine, WrongValues) {
  const auto first_line = [](const std::vector<std::string>& line) {
    const std::string message = message_of(line);
    return message.substr(0, message.find('\n'));
  };
  EXPECT_EQ(first_line({"tpcc", "run", "--pace", "fast"}), "--pace fast: expected a number");
  EXPECT_EQ(first_line({"tpcc", "run", "--pace=a = b"}), "--pace a = b: expected a number");
  EXPECT_EQ(first_line({"tpcc", "run", "--pace", "1", "--pace", "2"}),
            "--pace is given 2 times. Give it once");
  EXPECT_EQ(first_line({"tpcc", "run", "--no-delays=maybe"}), "--no-delays takes no value");
  EXPECT_EQ(first_line({"print", "zsh", "--count", "0"}),
            "--count 0: expected a whole number from 1 to 100");
  EXPECT_EQ(first_line({"print", "zsh", "--count", "many"}),
            "--count many: expected a whole number from 1 to 100");
  EXPECT_EQ(first_line({"print", "zsh", "--seconds", "0"}),
            "--seconds 0: expected a number from 0.01 to 3600");
  EXPECT_EQ(first_line({"print", "tcsh"}), "shell tcsh: expected bash, zsh or fish");
}

TEST(CommandLine, OnlyWhereNothingWasMeantToBeACommandOneIsMissing) {
  const auto is_missing = [](const std::vector<std::string>& line) {
    Command app("drover");
    std::string text;
    app.add_command("run").add_options({{"--seed", &text, "N", "", required_option}});
    try {
      require_complete(*read_words(app, line).back());
    } catch (const CommandMissing&) {
      return true;
    } catch (const UsageError&) {
      return false;
    }
    return false;
  };
  EXPECT_TRUE(is_missing({}));
  EXPECT_FALSE(is_missing({"rnu"}));
  EXPECT_FALSE(is_missing({"--frobnicate"}));
  EXPECT_FALSE(is_missing({"run"})) << "--seed is";
}

TEST(CommandLine, NoPasswordIsShown) {
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

TEST(CommandLine, NothingActsUponTheTerminal) {
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"--\x1b[2J"}, {"\x1b[2J"}, {"tpcc", "run", "--pace", "\x1b[2J"}}) {
    EXPECT_THAT(message_of(line), Not(HasSubstr("\x1b")));
  }
}

TEST(CommandLine, GivesValuesOfAllKinds) {
  Command app("drover");
  std::string text;
  std::optional<std::string> perhaps;
  double real = 0;
  int whole = 0;
  bool flag = false;
  std::vector<std::string> list;
  std::vector<std::size_t> sizes;
  std::vector<std::string> files;
  std::vector<std::string> base;
  app.add_options({{"-t,--text", &text, "TEXT", ""},
                   {"--perhaps", &perhaps, "TEXT", ""},
                   {"--real", &real, "X", ""},
                   {"--whole", &whole, "N", ""},
                   {"--flag", &flag, "", ""},
                   {"--set", &list, "TEXT", ""},
                   {"--sizes", &sizes, "N", "", {.range = Range{1, 10}, .delimiter = ','}},
                   {"--base", &base, "FILE", "", {.several = true}},
                   {"files", &files, "FILE", ""}});
  read_words(app, {"-tx",    "one",     "--perhaps=y", "--real", "-2.5",  "--whole", "-3",
                   "--flag", "--set",   "a=b",         "two",    "--set", "c",       "--sizes",
                   "1,2",    "--sizes", "10",          "--base", "d",     "e"});
  EXPECT_EQ(text, "x");
  EXPECT_EQ(perhaps, "y");
  EXPECT_EQ(real, -2.5);
  EXPECT_EQ(whole, -3);
  EXPECT_TRUE(flag);
  EXPECT_THAT(list, testing::ElementsAre("a=b", "c"));
  EXPECT_THAT(sizes, testing::ElementsAre(1, 2, 10));
  EXPECT_THAT(files, testing::ElementsAre("one", "two"));
  EXPECT_THAT(base, testing::ElementsAre("d", "e"));
}

TEST(CommandLine, WhatIsAskedInPlaceOfTheCommand) {
  Command app("drover");
  Command& run = app.add_command("run");
  std::string text;
  run.add_options({{"--seed", &text, "N", "", required_option}});
  const auto path = read_words(app, {"run", "--help"});
  EXPECT_TRUE(has_flag(path, "--help"));
  EXPECT_EQ(path.back(), &run);
  EXPECT_TRUE(has_flag(read_words(app, {"-h"}), "--help"));
}

TEST(CommandLine, AnEmptyWordIsAValue) {
  Command app("drover");
  std::vector<std::string> list;
  app.add_options({{"--list", &list, "TEXT", "", comma_list}});
  read_words(app, {"--list", "a,,b,", "--list", ""});
  EXPECT_THAT(list, testing::ElementsAre("a", "b", ""));
}

TEST(CommandLine, AnEmptyValueTakesNoWordBehindIt) {
  Command app("drover");
  std::string schema = "public";
  std::string pace;
  app.add_options({{"--schema", &schema, "NAME", ""}, {"--pace", &pace, "X", ""}});
  read_words(app, {"--schema=", "--pace=2"});
  EXPECT_EQ(schema, "");
  EXPECT_EQ(pace, "2");
}

TEST(CommandLine, BehindTwoDashesAllAreArguments) {
  Command app("drover");
  std::vector<std::string> words;
  app.add_options({{"words", &words, "ARGS", ""}});
  read_words(app, {"--", "-c", "SELECT 1", "--x=y", "--z="});
  EXPECT_THAT(words, testing::ElementsAre("-c", "SELECT 1", "--x=y", "--z="));
}

TEST(CommandLine, OnlyOneOptionReadsTheStandardInput) {
  constexpr const char* taken = "(it was taken)";
  EXPECT_EQ(message_with({"read", "-f", "-@2", "--json", "-"}, "/etc/drover.toml"), taken);
  EXPECT_EQ(message_with({"read", "/dev/stdin", "/dev/fd/9", "/dev/fd/8"}, ""), taken);
  EXPECT_EQ(message_with({"read"}, "-"), taken);
  EXPECT_EQ(message_with({"read", "-f", "-"}, "-"),
            "--file: the standard input can be read only once, and --config reads it. Name a file");
  EXPECT_THAT(message_with({"read", "-f", "a@3", "-f", "/dev/stdin@2"}, "/dev/fd/0"),
              HasSubstr("--config reads it"));
  EXPECT_THAT(message_with({"read", "-f", "-", "-f", "/proc/self/fd/0"}, ""),
              HasSubstr("only once"));
  EXPECT_THAT(message_with({"read", "-", "-"}, ""), HasSubstr("only once"));
}

TEST(CommandLine, AdvisedCommandsNeedTheSameDatabase) {
  constexpr const char* advice = "the schema is empty. Create it with 'drover tpcc init'";
  Command run("run");
  std::string database;
  run.add_options({{"--db", &database, "URI", ""}});
  EXPECT_EQ(same_database_note(run, advice), "");
  run.options.back().give({"host=a"});
  EXPECT_EQ(same_database_note(run, advice), " (with the same --db)");
  EXPECT_EQ(same_database_note(run, "the server is down. See 'drover pg status'"), "");
  EXPECT_EQ(same_database_note(run, "'drover tpcc init' needs the coordinator in --db"), "");
  EXPECT_EQ(same_database_note(Command("run"), advice), "");
}

TEST(CommandLine, AVariableThatNamesTheDatabaseServesAdvisedCommandsToo) {
  Command run("run");
  std::string database;
  run.add_options({{"--db", &database, "URI", ""}});
  run.options.back().give({"host=a"}, " (from the variable DROVER_DB)");
  EXPECT_EQ(same_database_note(run, "load it with 'drover ycsb load'"), "");
}

}  // namespace
}  // namespace drover::cli
