// `drover sql`: runs of scripts in pgbench's language, and the tables of its built-in scripts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/client_options.h"
#include "cli/client_search.h"
#include "cli/commands.h"
#include "cli/option/database_option.h"
#include "cli/option/quantity.h"
#include "cli/progress_option.h"
#include "cli/sql/options.h"
#include "cli/standard_output.h"
#include "random/fnv.h"
#include "report/document/result_json.h"
#include "run/interrupt.h"
#include "run/measured_run.h"
#include "text/password.h"

namespace drover::cli {
namespace {

struct SqlRequest : ClientRequest {
  ScriptArguments scripts;
  std::string show_script;
};

int perform_run(const DatabaseOption& option, const SqlRequest& written) {
  const DatabaseKind kind = kind_of(option);
  if (const auto text = shown_scripts(written.scripts, written.show_script, kind)) {
    print(*text, "the scripts");
    return exit_success;
  }
  SqlRun planned = make_sql_run(
      written, sql_options_of(written.scripts, read_scripts(written.scripts, kind), written, kind),
      option);
  if (!written.json.empty()) file::check_can_write(report::result_file(written.json));
  const DatabaseTarget target(option);
  const auto run = measure_sql(std::move(planned), target);
  return run ? finish_run(*run, written) : exit_interrupted;
}

void add_sql_run(Command& sql) {
  struct Options {
    DatabaseOption database;
    SqlRequest request;
  };
  const auto options = std::make_shared<Options>();
  SqlRequest& request = options->request;
  Command& run = sql.add_command(
      "run", "Run SQL scripts with concurrent clients, and report throughput and latency",
      "Examples:\n"
      "  drover sql run -f pay.sql@9 -f report.sql@1 --clients 64 --duration 10m\n"
      "  drover sql run -f pay.sql --rate 2000 --json result.json\n"
      "  drover sql run --builtin select-only --clients 32 --duration 30s\n"
      "\n"
      "Ctrl-C ends the run and reports the result so far (exit code 130). A second Ctrl-C "
      "exits at once.");
  add_database_options(run, options->database);
  add_script_options(run, request.scripts);
  run.add_options("Scripts", {{"--show-script", &request.show_script, "NAME",
                               "Print the built-in script NAME and exit"}});
  add_client_options(run, request, "transactions");
  add_mode_option(run, request);
  run.action = [options] { return perform_run(options->database, options->request); };
  add_part_options(run, request, run.action);
  request.attempts_option = "--max-tries";
  add_failure_options(run, request);
  add_ui_option(run, request.ui);
  add_metrics_option(run, request);
  add_server_stats_option(run, request);
  add_result_options(run, request);
}

struct SqlSearchArguments {
  DatabaseOption database;
  ClientSearchRequest search;
  ClientRequest load;
  ScriptArguments scripts;
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

// Returns the settings that must be equal when a search is resumed.
std::map<std::string, std::string> settings_of_scripts(const Command& command,
                                                       const ScriptArguments& scripts,
                                                       const std::vector<sql::ScriptText>& texts) {
  std::map<std::string, std::string> settings =
      written_settings(command, {"--protocol", "--scale", "--tx-mode"});
  settings["--file"] = joined_values(scripts.files);
  settings["--builtin"] = joined_values(scripts.builtins);
  settings["--define"] = joined_values(shown_definitions(scripts));
  std::string all;
  for (const sql::ScriptText& text : texts) all += fingerprint(text.text);
  settings["the fingerprint of the scripts"] = fingerprint(all);
  return settings;
}

int perform_search(const Command& command, const SqlSearchArguments& arguments) {
  const DatabaseKind kind = kind_of(arguments.database);
  const std::vector<sql::ScriptText> texts = read_scripts(arguments.scripts, kind);
  const benchmark::SqlBenchmarkOptions options =
      sql_options_of(arguments.scripts, texts, arguments.load, kind);
  return perform_client_search(
      command, arguments.database, arguments.search, arguments.load,
      {.benchmark = "sql",
       .transactions = options.plan.scripts->titles(),
       .settings = settings_of_scripts(command, arguments.scripts, texts),
       .plan =
           [&](const ClientRequest& request) {
             (void)make_sql_run(request, options, arguments.database);
           },
       .measure =
           [&](const ClientRequest& request, const DatabaseTarget& target) {
             return measure_sql(make_sql_run(request, options, arguments.database), target);
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
  add_client_search_options(command, arguments->search, arguments->load, "transactions");
  add_mode_option(command, arguments->load);
  arguments->load.attempts_option = "--max-tries";
  add_failure_options(command, arguments->load);
  add_ui_option(command, arguments->load.ui);
  add_server_stats_option(command, arguments->load);
  command.action = [arguments, &command] { return perform_search(command, *arguments); };
}

struct SqlInitArguments {
  DatabaseOption database;
  std::string scale = "1";
  bool force = false;
  std::string ui = "auto";
};

coro::Task<void> initialise(const DatabaseTarget& target, sql::InitialiseSettings settings) {
  const std::int64_t scale = settings.scale;
  const auto dropped = co_await target.sql()->initialise(std::move(settings));
  std::string text;
  if (!dropped.empty()) text = fmt::format("dropped {}\n", fmt::join(dropped, ", "));
  text += fmt::format("made the four tables of the built-in scripts in {}, scale {}\n",
                      target.description(), scale);
  print(text, "what was made");
}

void add_sql_init(Command& sql) {
  const auto arguments = std::make_shared<SqlInitArguments>();
  Command& init = sql.add_command("init",
                                  "Create and fill the four tables of the built-in scripts, like "
                                  "pgbench -i. Fails if one of them exists.",
                                  "Example:\n  drover sql init --scale 10");
  add_database_options(init, arguments->database);
  init.add_options({{"--scale", &arguments->scale, "N",
                     "Number of branches, with 100,000 accounts each", common_option},
                    {"--force", &arguments->force, "", "Drop existing tables and their rows first",
                     common_option}});
  add_progress_option(init, arguments->ui);
  init.action = [arguments] {
    static_cast<void>(is_quiet(arguments->ui));  // shows no progress, but refuses a wrong value
    sql::InitialiseSettings settings;
    settings.scale = parse_count("--scale", arguments->scale, 1, sql::scale_max);
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
    std::string ui = "auto";
  };
  const auto arguments = std::make_shared<Arguments>();
  Command& command = sql.add_command("clean", "Drop the four tables of the built-in scripts",
                                     "Example:\n  drover sql clean --schema bank");
  add_database_options(command, arguments->database);
  add_progress_option(command, arguments->ui);
  command.action = [arguments] {
    static_cast<void>(is_quiet(arguments->ui));
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
