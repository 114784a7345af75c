// The options that every run has, whatever it measures, as they were written; and the plan that is made of them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/hosts_option.h"
#include "cli/option/command.h"
#include "cli/option/database_option.h"
#include "coro/clock.h"
#include "database/isolation.h"
#include "database/server_facts.h"
#include "load/plan.h"
#include "report/page/report.h"
#include "run/measured_run.h"
#include "run/needs.h"
#include "run/run_plan.h"

namespace drover::cli {

using run::DatabaseKind;

struct RunRequest {
  std::string duration = "10m";
  std::string warmup = "auto";
  std::string threads = "auto";
  std::string connections = "auto";
  std::string max_inflight = "auto";
  std::string seed = "1";
  std::optional<std::string> isolation;  // of PostgreSQL; none: as the server has it
  std::optional<std::string> tx_mode;    // of YDB; none: serializable-rw
  std::string on_db_loss = "wait";
  std::string statement_timeout = "60s";
  std::string max_attempts = "20";
  std::string_view attempts_option = "--max-attempts";  // by which name its users know it
  bool strict = false;                                  // a failed audit is a failure
  std::string json;                                     // empty: no file
  std::string ui = "auto";
  std::string metrics;  // the address of the endpoint; empty: none
  bool server_stats = false;
  std::string connection_max_age;  // empty: sessions live as long as they do
  bool balance = false;
  bool affinity = false;
  HostsArguments hosts;
  ranks::MemberRun* member = nullptr;  // this process is one of several that make the run
  std::string share;                   // "2/4"; empty: the run is whole
  std::string start_at;                // empty: at once
};

// --on-db-loss, --statement-timeout, and how often a transaction is tried.
void add_failure_options(Command& command, RunRequest& request);

// --connection-max-age and --balance; --affinity where terminals have a home.
void add_session_options(Command& command, RunRequest& request);
void add_affinity_option(Command& command, RunRequest& request);

// --hosts, --share, --start-at and what goes with them: of runs that others begin with. `perform` makes the run of
// the request, which may be that of a member.
void add_part_options(Command& command, RunRequest& request, std::function<int()> perform);

// --ui, of the commands that show how far they are.
void add_ui_option(Command& command, std::string& written);

// --metrics; --strict and --json come after what else a benchmark writes.
void add_metrics_option(Command& command, RunRequest& request);
void add_server_stats_option(Command& command, RunRequest& request);
void add_result_options(Command& command, RunRequest& request);

// Throws UsageError for what is no choice, and for a screen where none can be: it says why.
ui::Choice parse_ui_choice(const std::string& written);

// Nothing if nothing was written. Throws UsageError, saying what was expected.
std::optional<metrics::ListenAddress> parse_metrics_address(const std::string& written);

// Throws UsageError, also for an option that only the other kind of database has.
std::optional<database::Isolation> parse_isolation(const RunRequest& written, DatabaseKind kind);

// A tenth of the duration, at least `least` and at most ten minutes.
coro::Duration automatic_warmup(const load::Plan& plan, coro::Duration least);

// All of it but the warm-up, and what the engine needs of it. Throws UsageError.
run::RunPlan make_run_plan(const RunRequest& written, const DatabaseOption& database,
                           load::Plan& plan, bool simulated = false);

using SummaryText = std::function<std::string(const report::Result&, std::size_t width)>;

// Writes the document, prints the summary, and does what else there is. Returns the exit code.
int finish_run(
    const run::MeasuredRun& run, const RunRequest& written,
    const SummaryText& summary = report::summary_text,
    const std::function<void()>& write_more = [] {});

}  // namespace drover::cli
