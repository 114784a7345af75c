#include "cli/sql/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/option/quantity.h"
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

Protocol parse_protocol(const ScriptArguments& written, DatabaseKind kind) {
  if (kind == DatabaseKind::ydb) {
    if (!written.protocol) return Protocol::declared;
    throw UsageError(
        "--protocol applies only to PostgreSQL. On YDB, statements have declared parameters");
  }
  if (!written.protocol) return Protocol::prepared;
  return parse_choice<Protocol>("--protocol", *written.protocol,
                                {{"simple", Protocol::simple},
                                 {"extended", Protocol::extended},
                                 {"prepared", Protocol::prepared}});
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

// PostgreSQL has no such option, because scripts choose the isolation of their transactions.
std::optional<database::Isolation> parse_mode(const ClientRequest& request, DatabaseKind kind) {
  if (kind == DatabaseKind::ydb) return parse_isolation(request, kind);
  if (request.tx_mode) {
    throw UsageError(
        "--tx-mode applies only to YDB. For PostgreSQL, write BEGIN ISOLATION LEVEL … in the "
        "script");
  }
  return std::nullopt;
}

}  // namespace

void add_mode_option(Command& command, ClientRequest& request) {
  command.add_options("Load", {{"--tx-mode", &request.tx_mode, "serializable-rw|snapshot-rw",
                                "YDB: mode of transactions that may write. A single statement "
                                "that only reads uses a snapshot",
                                default_is("serializable-rw")}});
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

benchmark::SqlBenchmarkOptions sql_options_of(const ScriptArguments& written,
                                              std::vector<sql::ScriptText> texts,
                                              const ClientRequest& request, DatabaseKind kind) {
  benchmark::SqlBenchmarkOptions options;
  const Protocol protocol = parse_protocol(written, kind);
  options.isolation = parse_mode(request, kind);
  try {
    options.plan.scripts = std::make_shared<const sql::ScriptSet>(std::move(texts), protocol);
  } catch (const sql::ScriptError& error) {
    throw UsageError(error.what());
  }
  for (const std::string& text : written.definitions) {
    const auto definition = sql::parse_definition(text);
    if (!definition) {
      throw UsageError(
          fmt::format("-D {}: expected name=value, such as -D amount=10. The name consists of "
                      "letters, digits and _, and does not begin with a digit",
                      text));
    }
    options.plan.definitions.push_back(*definition);
  }
  const auto scale = parse_count_or_auto("--scale", written.scale, 1, sql::scale_max);
  options.plan.scale = scale.value_or(1);
  options.counts_branches = !scale && !written.builtins.empty();
  return options;
}

SqlRun make_sql_run(const ClientRequest& written, benchmark::SqlBenchmarkOptions options,
                    const DatabaseOption& database) {
  SqlRun made{.run = {}, .options = std::move(options)};
  made.run = make_client_run(written, database, made.options.plan);
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
       {"-M,--protocol", &arguments.protocol, "simple|extended|prepared",
        "PostgreSQL: how to send statements. simple: as text; extended: with parameters; prepared "
        "(default): prepared once per connection"},
       {"--scale", &arguments.scale, "N|auto",
        "Value of the variable :scale. auto: with a built-in script the number of branches, else "
        "1"}});
}

}  // namespace drover::cli
