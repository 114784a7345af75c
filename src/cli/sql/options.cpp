#include "cli/sql/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/standard_output.h"
#include "file/bounded_file.h"
#include "workload/sql/builtin/builtin.h"

namespace drover::cli {
namespace {

using sql::Protocol;

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

}  // namespace

void add_mode_option(Command& command, SqlRunOptions& options) {
  Option option = tx_mode_option(options.isolation,
                                 "YDB: transaction mode of transactions that may write. A single "
                                 "statement that only reads uses a snapshot");
  option.instead = "For PostgreSQL, write BEGIN ISOLATION LEVEL … in the script";
  command.add_options("Load", {std::move(option)});
}

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

SqlRun make_sql_run(const ClientOptions& options, benchmark::SqlBenchmarkOptions sql) {
  SqlRun made{.run = {}, .options = std::move(sql)};
  made.run = make_client_run(options, made.options.plan);
  made.run.settings.benchmark = "sql";
  return made;
}

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
        common_option},
       {"-b,--builtin", &arguments.builtins, "NAME[@WEIGHT]",
        "Run tpcb-like, simple-update or select-only on the tables of drover sql init. list: print "
        "the scripts and exit",
        common_option},
       {"-D,--define", &arguments.definitions, "NAME=VALUE",
        "Set the variable NAME of the scripts to VALUE", common_option},
       {"-M,--protocol",
        {&arguments.protocol, Choices<Protocol>{{"simple", Protocol::simple},
                                                {"extended", Protocol::extended},
                                                {"prepared", Protocol::prepared}}},
        "",
        "PostgreSQL: how to send statements. simple: as text; extended: with parameters; prepared: "
        "prepared once per connection",
        {.only_on = OnlyOn::postgres,
         .instead = "On YDB, Drover always declares the parameters of statements"}},
       {"--scale", &arguments.scale, "N|auto",
        "Value of the variable :scale. auto: with a built-in script the number of branches, else 1",
        in_range(1, sql::scale_max)}});
}

}  // namespace drover::cli
