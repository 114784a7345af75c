// `drover sql`: runs of scripts in pgbench's language, and the tables of its built-in scripts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "benchmark/sql/sql_benchmark.h"
#include "cli/commands.h"
#include "cli/search.h"
#include "cli/standard_output.h"
#include "file/bounded_file.h"
#include "random/permutation.h"
#include "report/document/result_json.h"
#include "run/process.h"
#include "text/utf8.h"
#include "workload/sql/builtin/builtin.h"
#include "workload/sql/script/script_set.h"

namespace drover::cli {
namespace {

using sql::Protocol;

struct ScriptArguments {
  std::vector<std::string> files;
  std::vector<std::string> builtins;
  std::vector<std::string> definitions;
  sql::Protocol protocol = sql::Protocol::prepared;  // of PostgreSQL
  std::optional<std::int64_t> scale;                 // none: auto
};

struct SqlRunOptions : ClientOptions {
  ScriptArguments scripts;
  std::optional<database::Isolation> isolation;
};

sql::WeightedName weighted(const char* option, const std::string& written) {
  if (auto name = sql::parse_weighted(written)) return std::move(*name);
  throw UsageError(
      fmt::format("{} {}: expected a name, or a name and a weight from 0 to "
                  "2147483647, such as pay.sql@9",
                  option, written));
}

std::string script_text(const std::string& path) {
  try {
    return file::read_bounded_file(path, sql::script_bytes_max);
  } catch (const file::UnreadableFile& error) {
    throw UsageError(fmt::format("--file {}: {}", path, error.what()));
  }
}

const sql::BuiltinScript& builtin_of(const char* option, const std::string& written,
                                     const std::string& name) {
  try {
    return sql::find_builtin(name);
  } catch (const sql::UnknownBuiltin& error) {
    throw UsageError(fmt::format("{} {}: {}", option, written, error.what()));
  }
}

std::string text_of(const sql::BuiltinScript& script, DatabaseKind kind) {
  return std::string(kind == DatabaseKind::ydb ? script.yql : script.text);
}

// Returns the text that --builtin list or --show-script prints, or nothing.
std::optional<std::string> shown_scripts(const ScriptArguments& written,
                                         const std::string& show_script, DatabaseKind kind) {
  if (!show_script.empty()) {
    const sql::BuiltinScript& script = builtin_of("--show-script", show_script, show_script);
    return fmt::format("-- {}: {}\n{}", script.name, script.description, text_of(script, kind));
  }
  if (std::ranges::find(written.builtins, "list") == written.builtins.end()) return std::nullopt;
  std::string text;
  for (const sql::BuiltinScript& script : sql::builtin_scripts()) {
    text += fmt::format("{:<15}{}\n", script.name, script.description);
  }
  return text;
}

std::vector<sql::ScriptText> read_scripts(const ScriptArguments& written, DatabaseKind kind) {
  std::vector<sql::ScriptText> texts;
  for (const std::string& one : written.builtins) {
    const sql::WeightedName wanted = weighted("--builtin", one);
    const sql::BuiltinScript& script = builtin_of("--builtin", one, wanted.name);
    texts.push_back({std::string(script.name), text_of(script, kind), wanted.weight});
  }
  for (const std::string& one : written.files) {
    const sql::WeightedName wanted = weighted("--file", one);
    texts.push_back({wanted.name, script_text(wanted.name), wanted.weight});
  }
  if (texts.empty()) {
    throw UsageError(
        "no script is given. Name one with --file FILE, or use --builtin select-only, "
        "simple-update or tpcb-like");
  }
  if (texts.size() > report::transactions_max) {
    throw UsageError(fmt::format("{} scripts are given. Expected at most {}", texts.size(),
                                 report::transactions_max));
  }
  std::int64_t weights = 0;
  for (const sql::ScriptText& text : texts) weights += text.weight;
  if (weights == 0) {
    throw UsageError(
        "all scripts have the weight 0, so none would be executed. Give at least one a weight "
        "above 0");
  }
  return texts;
}

benchmark::SqlBenchmarkOptions sql_options_of(const SqlRunOptions& options,
                                              std::vector<sql::ScriptText> texts) {
  const ScriptArguments& scripts = options.scripts;
  const bool on_ydb = kind_of(options.database) == DatabaseKind::ydb;
  benchmark::SqlBenchmarkOptions made;
  made.isolation = options.isolation;
  if (on_ydb && !made.isolation) made.isolation = database::Isolation::serializable;
  try {
    made.plan.scripts = std::make_shared<const sql::ScriptSet>(
        std::move(texts), on_ydb ? Protocol::declared : scripts.protocol);
  } catch (const sql::ScriptError& error) {
    throw UsageError(error.what());
  }
  for (const std::string& text : scripts.definitions) {
    const auto definition = sql::parse_definition(text);
    if (!definition) {
      throw UsageError(
          fmt::format("-D {}: expected name=value, such as -D amount=10. The name consists of "
                      "letters, digits and _, and does not begin with a digit",
                      text));
    }
    made.plan.definitions.push_back(*definition);
  }
  made.plan.scale = scripts.scale.value_or(1);
  made.counts_branches = !scripts.scale && !scripts.builtins.empty();
  return made;
}

struct SqlRun {
  run::RunPlan run;
  benchmark::SqlBenchmarkOptions options;
};

SqlRun make_sql_run(const ClientOptions& options, benchmark::SqlBenchmarkOptions sql) {
  SqlRun made{.run = {}, .options = std::move(sql)};
  made.run = make_client_run(options, made.options.plan);
  made.run.settings.benchmark = "sql";
  return made;
}

// Returns nothing if the run was interrupted before it began.
std::optional<run::MeasuredRun> measure_sql(SqlRun run, const DatabaseTarget& target) {
  const auto database = target.sql();
  benchmark::SqlBenchmark benchmark(std::move(run.options), *database);
  auto measured = run::measure_on_database(std::move(run.run), benchmark, target.place());
  if (!measured) return std::nullopt;
  for (const std::string& line : benchmark.first_failures()) note_to_stderr(line);
  return measured;
}

void add_script_options(Command& command, ScriptArguments& arguments) {
  command.add_options(
      "Scripts",
      {{"-f,--file", &arguments.files, "FILE[@WEIGHT]",
        "Run the pgbench script in FILE (YDB: in YQL). -: standard input. WEIGHT: relative "
        "frequency (default: 1)",
        input_file + common_option},
       {"-b,--builtin", &arguments.builtins, "NAME[@WEIGHT]",
        "Run tpcb-like, simple-update or select-only on the tables of drover sql init. list: print "
        "the scripts and exit",
        common_option},
       {"-D,--define", &arguments.definitions, "NAME=VALUE",
        "Set the variable NAME of the scripts to VALUE", common_option},
       {"-M,--protocol",
        one_of(&arguments.protocol, {{"simple", Protocol::simple},
                                     {"extended", Protocol::extended},
                                     {"prepared", Protocol::prepared}}),
        "",
        "PostgreSQL: how to send statements. simple: as text; extended: with parameters; prepared: "
        "prepared once per connection",
        on_postgres + instead("On YDB, Drover always declares the parameters of statements")},
       {"--scale", &arguments.scale, "N|auto",
        "Value of the variable :scale. auto: with a built-in script the number of branches, else 1",
        in_range(1, sql::scale_max)}});
}

void add_mode_option(Command& command, SqlRunOptions& options) {
  Option option = tx_mode_option(options.isolation,
                                 "YDB: transaction mode of transactions that may write. A single "
                                 "statement that only reads uses a snapshot");
  option.instead = "For PostgreSQL, write BEGIN ISOLATION LEVEL … in the script";
  command.add_options("Load", {std::move(option)});
}

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
  SearchOptions search;
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

// Returns further settings of a search, besides the words of its options: the definitions, and a
// fingerprint of the scripts, whose files may have changed when the search is resumed.
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
  init.add_options(
      {{"--scale", &arguments->scale, "N", "Number of branches, with 100,000 accounts each",
        in_range(1, sql::scale_max) + common_option},
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
  add_clean_command(sql, "Drop the four tables of the built-in scripts",
                    "Example:\n  drover sql clean --schema bank", "tables of the built-in scripts",
                    [](const DatabaseTarget& target) -> coro::Task<std::vector<std::string>> {
                      co_return co_await target.sql()->clean();
                    });
}

}  // namespace drover::cli
