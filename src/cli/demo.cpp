// `drover demo`: the whole story, told by the commands that a user would type.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/count_option.h"
#include "cli/database_option.h"
#include "cli/duration.h"
#include "cli/standard_output.h"
#include "cli/usage_error.h"

namespace drover::cli {
namespace {

struct DemoArguments {
  DatabaseOption database;
  std::string warehouses = "2";
  std::string duration = "60s";
  std::string no_delays_duration = "20s";
};

// Shows the command and does it; returns its exit code.
int perform_line(std::vector<std::string> words) {
  print(fmt::format("\n$ drover {}\n", fmt::join(words, " ")), "the next command");
  CLI::App app("", "drover");
  std::function<int()> chosen;
  add_tpcc(app, chosen);
  std::reverse(words.begin(), words.end());  // as CLI11 wants a vector
  app.parse(words);
  return chosen();
}

int perform(const DemoArguments& arguments) {
  const std::string warehouses =
      fmt::format("{}", parse_count("-w", arguments.warehouses, 1, 1000));
  parse_duration("--duration", arguments.duration);
  parse_duration("--no-delays-duration", arguments.no_delays_duration);
  // Holds the private server over all of the commands.
  const DatabaseTarget target(arguments.database);
  print(fmt::format("Drover demo: TPC-C with {} {} on {}\n", warehouses,
                    warehouses == "1" ? "warehouse" : "warehouses", target.description()),
        "the story");
  const std::vector<std::string> where = words_without_db(arguments.database);
  // By the variable and not by --db: the commands are shown, and a password may be in it.
  if (!arguments.database.db.empty()) setenv("DROVER_DB", arguments.database.db.c_str(), 1);

  const std::vector<std::vector<std::string>> story = {
      {"tpcc", "init", "--force"},
      {"tpcc", "import", "-w", warehouses, "--seed", "1"},
      {"tpcc", "check", "--after-import"},
      {"tpcc", "run", "-w", warehouses, "--duration", arguments.duration, "--warmup", "5s"},
      {"tpcc", "run", "-w", warehouses, "--duration", arguments.no_delays_duration, "--warmup",
       "3s", "--no-delays"},
      {"tpcc", "check"},
  };
  for (std::vector<std::string> words : story) {
    words.insert(words.end(), where.begin(), where.end());
    const int code = perform_line(std::move(words));
    if (code != exit_success) return code;
  }
  print(fmt::format("\nThe data are consistent after all of it. They stay in schema {} of {};\n"
                    "remove them with: drover tpcc clean {}\n",
                    arguments.database.schema, target.description(), fmt::join(where, " ")),
        "the end of the story");
  return exit_success;
}

}  // namespace

void add_demo(CLI::App& app, std::function<int()>& chosen) {
  const auto arguments = std::make_shared<DemoArguments>();
  arguments->database.schema = "drover_demo";
  CLI::App& demo = *app.add_subcommand(
      "demo",
      "The whole story in about two minutes: init, import, check, run with and without delays,\n"
      "check again; on the private server unless --db is given. Replaces tables of TPC-C in the\n"
      "schema drover_demo, or in that of --schema");
  demo.add_option("-w,--warehouses", arguments->warehouses, "Warehouses to load and run")
      ->capture_default_str()
      ->type_name("W");
  demo.add_option("--duration", arguments->duration, "Of the run with delays")
      ->capture_default_str()
      ->type_name("TIME");
  demo.add_option("--no-delays-duration", arguments->no_delays_duration, "Of the run without")
      ->capture_default_str()
      ->type_name("TIME");
  add_database_options(demo, arguments->database);
  demo.footer("Example:\n  drover demo -w 1 --duration 30s");
  demo.callback([arguments, &chosen] { chosen = [arguments] { return perform(*arguments); }; });
}

}  // namespace drover::cli
