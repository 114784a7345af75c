// The options of `drover sql run` and `drover sql search`, and the runs that they describe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchmark/sql/sql_benchmark.h"
#include "cli/run_options.h"
#include "workload/sql/script/script_set.h"

namespace drover::cli {

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

void add_script_options(Command& command, ScriptArguments& arguments);

// Returns the text that --builtin list or --show-script prints, or nothing if neither was given.
// Throws UsageError.
std::optional<std::string> shown_scripts(const ScriptArguments& written,
                                         const std::string& show_script, DatabaseKind kind);

// Reads the files. Throws UsageError, also if there is no script to execute.
std::vector<sql::ScriptText> read_scripts(const ScriptArguments& written, DatabaseKind kind);

// Throws UsageError.
benchmark::SqlBenchmarkOptions sql_options_of(const SqlRunOptions& options,
                                              std::vector<sql::ScriptText> texts);

// Adds --tx-mode.
void add_mode_option(Command& command, SqlRunOptions& options);

struct SqlRun {
  run::RunPlan run;
  benchmark::SqlBenchmarkOptions options;
};

// Throws UsageError.
SqlRun make_sql_run(const ClientOptions& options, benchmark::SqlBenchmarkOptions sql);

// Executes the run. Returns nothing if it was interrupted before it began.
std::optional<run::MeasuredRun> measure_sql(SqlRun run, const DatabaseTarget& target);

}  // namespace drover::cli
