// `drover sql`: runs of scripts in pgbench's language, and the tables of its built-in scripts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/client_search.h"
#include "cli/commands.h"
#include "cli/sql/options.h"
#include "cli/standard_output.h"
#include "random/permutation.h"
#include "report/document/result_json.h"
#include "run/process.h"
#include "text/utf8.h"

namespace drover::cli {
namespace {

struct SqlRunArguments : SqlRunOptions {
  std::string show_script;
};

int perform_run(const SqlRunArguments& arguments) {
  const DatabaseKind kind = kind_of(arguments.database);
  if (const auto text = shown_scripts(arguments.scripts, arguments.show_script, kind)) {
    print(*text, "the scripts");
    return exit_success;
  }
  SqlRun planned =
      make_sql_run(arguments, sql_options_of(arguments, read_scripts(arguments.scripts, kind)));
  if (!arguments.json.empty()) file::check_can_write(report::result_file(arguments.json));
  const DatabaseTarget target(arguments.database);
  const auto run = measure_sql(std::move(planned), target);
  return run ? finish_run(*run, arguments) : exit_interrupted;
}

void add_sql_run(Command& sql) {
  const auto arguments = std::make_shared<SqlRunArguments>();
  Command& run = sql.add_command(
      "run", "Run SQL scripts with concurrent clients, and report throughput and latency",
      "Examples:\n"
      "  drover sql run -f pay.sql@9 -f report.sql@1 --clients 64 --duration 10m\n"
      "  drover sql run -f pay.sql --rate 2000 --json result.json\n"
      "  drover sql run --builtin select-only --clients 32 --duration 30s\n"
      "\n"
      "Ctrl-C ends the run and reports the result so far (exit code 130). A second Ctrl-C "
      "exits at once.");
  run.action = [arguments] { return perform_run(*arguments); };
  add_database_options(run, arguments->database);
  add_script_options(run, arguments->scripts);
  run.add_options("Scripts", {{"--show-script", &arguments->show_script, "NAME",
                               "Print the built-in script NAME and exit"}});
  add_client_options(run, *arguments, "transactions");
  add_mode_option(run, *arguments);
  add_part_options(run, *arguments, run.action);
  add_failure_options(run, *arguments, "--max-tries");
  run.add_options(output_group, {ui_option(arguments->run.ui), metrics_option(*arguments),
                                 server_stats_option(*arguments)});
  add_result_options(run, *arguments);
}

struct SqlSearchArguments : SqlRunOptions {
  ClientSearchOptions search;
};

// Detects edited scripts. It does not protect against deliberate collisions.
std::string fingerprint(const std::string& text) {
  std::uint64_t hash = 0;
  for (const char c : text) hash = random::fnv1a_64(static_cast<unsigned char>(c), hash);
  return fmt::format("{:016x}", hash);
}

// Hides the values of definitions that may contain passwords, because a search records its
// settings.
std::vector<std::string> shown_definitions(const ScriptArguments& scripts) {
  std::vector<std::string> shown = scripts.definitions;
  for (std::string& definition : shown) {
    if (!text::may_hold_password(definition)) continue;
    definition = definition.substr(0, definition.find('=')) + "=(hidden)";
  }
  return shown;
}

// Returns the settings of a search that are not the words of options. The contents of a file may
// have changed when the search is resumed.
std::map<std::string, std::string> settings_of_scripts(const ScriptArguments& scripts,
                                                       const std::vector<sql::ScriptText>& texts) {
  std::string all;
  for (const sql::ScriptText& text : texts) all += fingerprint(text.text);
  return {{"--define", fmt::format("{}", fmt::join(shown_definitions(scripts), " and "))},
          {"the fingerprint of the scripts", fingerprint(all)}};
}

int perform_search(const Command& command, const SqlSearchArguments& arguments) {
  const std::vector<sql::ScriptText> texts =
      read_scripts(arguments.scripts, kind_of(arguments.database));
  const benchmark::SqlBenchmarkOptions options = sql_options_of(arguments, texts);
  return perform_client_search(
      command, arguments.search, arguments,
      {.benchmark = "sql",
       .transactions = options.plan.scripts->titles(),
       .settings = settings_of_scripts(arguments.scripts, texts),
       .plan = [&](const ClientOptions& step) { (void)make_sql_run(step, options); },
       .measure =
           [&](const ClientOptions& step, const DatabaseTarget& target) {
             return measure_sql(make_sql_run(step, options), target);
           }});
}

void add_sql_search(Command& sql) {
  const auto arguments = std::make_shared<SqlSearchArguments>();
  Command& command = sql.add_command(
      "search",
      "Find the highest rate or number of clients at which the rules hold: no failures, rate "
      "reached, valid audit and your limits. Short runs search for this limit, and a long run "
      "confirms it. Exit code 1: the rules hold at no load or not in the long run, or this machine "
      "was too slow to measure the limit.",
      "Examples:\n"
      "  drover sql search --out search -f pay.sql@9 -f report.sql@1 --clients 64\n"
      "  drover sql search --out search -f pay.sql --fail-if 'pay.sql.p99 > 5'\n"
      "  drover sql search --out flight --find clients -b tpcb-like --fail-if 'all.p99 > 20'\n"
      "\n"
      "Ctrl-C discards the current run. The same command resumes the search.");
  add_database_options(command, arguments->database);
  add_script_options(command, arguments->scripts);
  add_client_search_options(command, arguments->search, *arguments, "transactions");
  add_mode_option(command, *arguments);
  add_failure_options(command, *arguments, "--max-tries");
  command.add_options(output_group,
                      {ui_option(arguments->run.ui), server_stats_option(*arguments)});
  command.action = [arguments, &command] { return perform_search(command, *arguments); };
}

struct SqlInitArguments {
  DatabaseOption database;
  std::int64_t scale = 1;
  bool force = false;
  bool is_quiet = false;
};

coro::Task<void> initialise(const DatabaseTarget& target, sql::InitialiseSettings settings) {
  const std::int64_t scale = settings.scale;
  const auto dropped = co_await target.sql()->initialise(std::move(settings));
  std::string text;
  if (!dropped.empty()) text = fmt::format("dropped {}\n", fmt::join(dropped, ", "));
  text += fmt::format("created the four tables of the built-in scripts in {}, scale {}\n",
                      target.description(), scale);
  print(text, "the created tables");
}

void add_sql_init(Command& sql) {
  const auto arguments = std::make_shared<SqlInitArguments>();
  Command& init = sql.add_command("init",
                                  "Create and fill the four tables of the built-in scripts, like "
                                  "pgbench -i. Fails if one of them exists.",
                                  "Example:\n  drover sql init --scale 10");
  add_database_options(init, arguments->database);
  init.add_options({{"--scale",
                     &arguments->scale,
                     "N",
                     "Number of branches, with 100,000 accounts each",
                     {.range = Range{1, sql::scale_max}, .common = true}},
                    {"--force", &arguments->force, "", "Drop existing tables and their rows first",
                     common_option}});
  add_progress_option(init, arguments->is_quiet);
  init.action = [arguments] {
    sql::InitialiseSettings settings;
    settings.scale = arguments->scale;
    settings.force = arguments->force;
    const DatabaseTarget target(arguments->database, DatabaseTarget::Use::administration);
    return run::run_command(initialise(target, std::move(settings)));
  };
}

coro::Task<void> clean_sql(const DatabaseTarget& target) {
  const auto dropped = co_await target.sql()->clean();
  print(dropped.empty()
            ? fmt::format("{} has no tables of the built-in scripts, so there is nothing to drop\n",
                          target.description())
            : fmt::format("dropped {}\n", fmt::join(dropped, ", ")),
        "what was dropped");
}

void add_sql_clean(Command& sql) {
  struct Arguments {
    DatabaseOption database;
    bool is_quiet = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  Command& command = sql.add_command("clean", "Drop the four tables of the built-in scripts",
                                     "Example:\n  drover sql clean --schema bank");
  add_database_options(command, arguments->database);
  add_progress_option(command, arguments->is_quiet);
  command.action = [arguments] {
    const DatabaseTarget target(arguments->database, DatabaseTarget::Use::administration);
    return run::run_command(clean_sql(target));
  };
}

}  // namespace

void add_sql(Command& app) {
  Command& sql =
      app.add_command("sql", "Run your own transactions, as scripts in pgbench's language",
                      "Example, on the private server (see drover pg):\n"
                      "  drover sql init --scale 10\n"
                      "  drover sql run --builtin tpcb-like --clients 32 --duration 1m\n"
                      "  drover sql run --file pay.sql --rate 500 --duration 1m");
  add_sql_init(sql);
  add_sql_run(sql);
  add_sql_search(sql);
  add_sql_clean(sql);
}

}  // namespace drover::cli
