// The options of a run as they were written: of `tpcc run`, and of what makes runs of its own, as
// `tpcc search` does; and the plan that is made of them.
#pragma once

#include <optional>
#include <string>

#include "cli/option/command.h"
#include "cli/option/database_option.h"
#include "run/run_plan.h"

namespace drover::cli {

struct RunRequest {
  std::string warehouses = "auto";  // all that are loaded
  std::string duration = "10m";
  std::string warmup = "auto";
  std::string threads = "auto";
  std::string connections = "auto";
  std::string max_inflight = "auto";
  std::string terminals = "auto";
  bool no_delays = false;
  double pace = 1.0;
  std::string seed = "1";
  std::string statements = "batched";
  std::optional<std::string> isolation;  // of PostgreSQL; none: read-committed
  std::optional<std::string> tx_mode;    // of YDB; none: serializable-rw
  std::string on_db_loss = "wait";
  std::string statement_timeout = "60s";
  std::string max_attempts = "20";
  bool deferred_delivery = false;
  std::string delivery_log;  // empty: no file
  bool strict = false;       // a failed audit is a failure
  std::string json;          // empty: no file
  std::string ui = "auto";
  std::string metrics;  // the address of the endpoint; empty: none
  std::optional<double> simulate_ms;
};

// How the load is made: what a search has in common with a run.
void add_load_options(Command& command, RunRequest& request);

// What a single run has besides.
void add_run_options(Command& command, RunRequest& request);

// --ui, of the commands that show how far they are.
void add_ui_option(Command& command, std::string& written);

// Throws UsageError for what is no choice, and for a screen where none can be: it says why.
ui::Choice parse_ui_choice(const std::string& written);

// Nothing if nothing was written. Throws UsageError, saying what was expected.
std::optional<metrics::ListenAddress> parse_metrics_address(const std::string& written);

// Throws UsageError, also for an option that only the other kind of database has.
run::RunPlan make_run_plan(const RunRequest& written, DatabaseKind kind);

}  // namespace drover::cli
