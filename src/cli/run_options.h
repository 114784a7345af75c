// The options that the runs of all workloads share, and the run that they describe.
//
// Not thread-safe. Errors are UsageError.
#pragma once

#include <cstddef>

#include "cli/hosts_option.h"
#include "cli/option/database_option.h"
#include "database/server.h"
#include "report/page/report.h"
#include "run/run_plan.h"

namespace drover::cli {

using run::DatabaseKind;

// The value of --seed.
struct Seed {
  enum class Source : std::uint8_t { given, time, random };
  Source source = Source::given;
  std::uint64_t number = 1;
};

// The variables of the options. A workload adds its own, and its plan.
struct RunOptions {
  RunOptions();

  DatabaseOption database;
  run::RunPlan run;
  std::optional<coro::Duration> duration = std::chrono::minutes(10);  // none: auto
  std::optional<coro::Duration> warmup;                               // none: auto
  Seed seed;
  HostsArguments hosts;
  std::optional<Pair> share;       // part and number of parts, of a run that is started by hand
  std::optional<double> start_at;  // Unix seconds
  std::string attempts_option;     // the name of --max-attempts, which scripts call --max-tries
  std::string json;                // empty: no file
  bool strict = false;             // an audit that fails is a failure

  bool is_on_several_hosts() const { return hosts.several() || run.member != nullptr; }
};

// The options of clients, which YCSB and scripts have.
struct ClientOptions : RunOptions {
  ClientOptions() { duration.reset(); }

  std::uint64_t clients = 16;
  double rate = 0;  // 0: a closed loop
  bool poisson = false;
  std::optional<std::uint64_t> operations;  // none: the run is limited by time
};

// --isolation for PostgreSQL and --tx-mode for YDB, which set the same variable.
void add_isolation_options(Command& command, std::optional<database::Isolation>& isolation);
Option tx_mode_option(std::optional<database::Isolation>& isolation, std::string description);

// --max-attempts (or its name in another tool), --on-db-loss and --statement-timeout.
void add_failure_options(Command& command, RunOptions& options,
                         const std::string& attempts = "--max-attempts");

// --connection-max-age and --balance.
void add_session_options(Command& command, RunOptions& options);

// The options of a run on several hosts. `perform` executes the run, or an agent's part of it.
void add_part_options(Command& command, RunOptions& options, std::function<int()> perform);

Option seed_option(Seed& seed, std::string description);
Option ui_option(ui::DisplayMode& choice);
Option metrics_option(RunOptions& options);
Option server_stats_option(RunOptions& options);
// --strict and --json
void add_result_options(Command& command, RunOptions& options);

Option max_inflight_option(RunOptions& options);
Option clients_option(ClientOptions& options, std::string description);
// `condition` begins the description: "With --rate".
Option arrivals_option(ClientOptions& options, const std::string& condition);
Option think_time_option(ClientOptions& options);
// --connections, --max-inflight, --threads, --seed and the options of sessions, for clients.
void add_connection_options(Command& command, ClientOptions& options);
// `transactions` is the workload's name of what clients execute.
void add_client_options(Command& command, ClientOptions& options, const std::string& transactions);

// --ui of commands whose output is at most lines of progress, so that scripts can give the same
// options to all commands. Sets `is_quiet`.
void add_progress_option(Command& command, bool& is_quiet);

// Adds the command `clean`. `clean` drops the tables and returns their names. `tables` is for the
// message if there are none: "TPC-C tables".
void add_clean_command(
    Command& group, std::string about, std::string example, std::string tables,
    std::function<coro::Task<std::vector<std::string>>(const DatabaseTarget&)> clean);

// Throws if the screen was asked for and cannot be shown.
void require_screen(ui::DisplayMode choice);

// Returns a tenth of the duration, from `least` to ten minutes.
coro::Duration automatic_warmup(const load::Plan& plan, coro::Duration least);

// Returns the run that the options describe, and sets what `plan` shares with all workloads, except
// the warm-up. `simulated`: the run uses no database.
run::RunPlan make_run_plan(const RunOptions& options, load::Plan& plan, bool simulated = false);
// The same for clients, with the warm-up.
run::RunPlan make_client_run(const ClientOptions& options, load::Plan& plan);

using SummaryText = std::function<std::string(const report::Result&, std::size_t width)>;

// Writes the result document, prints the summary, and calls `write_more`. Returns the exit code.
int finish_run(
    const run::MeasuredRun& run, const RunOptions& options,
    const SummaryText& summary = report::summary_text,
    const std::function<void()>& write_more = [] {});

}  // namespace drover::cli
