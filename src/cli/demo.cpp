// `drover demo`: shows and executes the commands of a small benchmark.
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/option/database_option.h"
#include "cli/standard_output.h"
#include "text/plain_text.h"

namespace drover::cli {
namespace {

struct DemoArguments {
  DatabaseOption database;
  std::uint64_t warehouses = 2;
  coro::Duration duration = std::chrono::seconds(60);
  coro::Duration no_delays_duration = std::chrono::seconds(20);
};

// Prints the command and executes it. Returns its exit code.
int perform_line(std::vector<std::string> words, const std::string& db) {
  print(fmt::format("\n$ drover {}\n", fmt::join(words, " ")), "the next command");
  // The connection string may contain a password.
  if (!db.empty()) words.insert(words.end(), {"--db", db});
  Command program("drover");
  add_tpcc(program);
  return read_words(program, words).back()->action();
}

// Returns the options of the database except --db.
std::vector<std::string> words_of_database(const Command& demo, const DatabaseOption& database) {
  std::vector<std::string> words = {"--schema", database.schema};
  for (const Option& option : demo.options) {
    const bool is_of_database = option.group == database_group && option.name() != "--db";
    if (!is_of_database || option.name() == "--schema" || !option.is_set()) continue;
    words.push_back(option.name());
    if (!option.is_flag()) words.push_back(option.written());
  }
  return words;
}

int perform(const Command& demo, const DemoArguments& arguments) {
  const std::string warehouses = fmt::format("{}", arguments.warehouses);
  // Keeps the private server running between the commands.
  const DatabaseTarget target(arguments.database);
  print(fmt::format("Drover demo: TPC-C with {} on {}\n",
                    text::counted(arguments.warehouses, "warehouse"), target.description()),
        "the title of the demo");
  const std::vector<std::string> where = words_of_database(demo, arguments.database);

  const std::vector<std::vector<std::string>> story = {
      {"tpcc", "init", "--force"},
      {"tpcc", "import", "-w", warehouses, "--seed", "1"},
      {"tpcc", "check", "--after-import"},
      {"tpcc", "run", "-w", warehouses, "--duration", duration_text(arguments.duration), "--warmup",
       "5s"},
      {"tpcc", "run", "-w", warehouses, "--duration", duration_text(arguments.no_delays_duration),
       "--warmup", "3s", "--no-delays"},
      {"tpcc", "check"},
  };
  for (std::vector<std::string> words : story) {
    words.insert(words.end(), where.begin(), where.end());
    const int code = perform_line(std::move(words), arguments.database.db);
    if (code != exit_success) return code;
  }
  print(fmt::format("\nThe data are consistent after both runs. They remain in schema {} of "
                    "{}.\nTo remove them: drover tpcc clean {}\n",
                    arguments.database.schema, target.description(), fmt::join(where, " ")),
        "the end of the demo");
  return exit_success;
}

}  // namespace

void add_demo(Command& app) {
  const auto arguments = std::make_shared<DemoArguments>();
  Command& demo = app.add_command(
      "demo",
      "Show TPC-C in two minutes: init, import, check, run, check. One run has keying and\n"
      "think times, and one has none. Replaces the TPC-C tables in the schema drover_demo (or\n"
      "--schema), on the private server unless --db is given.",
      "Example:\n  drover demo -w 1 --duration 30s");
  demo.add_options(
      {{"-w,--warehouses", &arguments->warehouses, "W", "Warehouses to load and to run on",
        in_range(1, 1'000) + common_option},
       {"--duration", &arguments->duration, "TIME",
        "Measured time of the first run, which has keying and think times", common_option},
       {"--no-delays-duration", &arguments->no_delays_duration, "TIME",
        "Measured time of the second run, which has no keying or think times", common_option}});
  arguments->database.schema = "drover_demo";
  add_database_options(demo, arguments->database);
  demo.action = [&demo, arguments] { return perform(demo, *arguments); };
}

}  // namespace drover::cli
