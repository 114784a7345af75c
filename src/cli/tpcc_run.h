// `drover tpcc run`, also for commands that run the benchmark, as the demo does.
#pragma once

#include <optional>
#include <string>

#include "cli/database_option.h"

namespace drover::cli {

// The options as they were written; run_tpcc() validates them.
struct RunRequest {
  std::string warehouses = "auto";  // all that are loaded
  std::string duration = "10m";
  std::string warmup = "auto";
  std::string threads = "auto";
  std::string connections = "auto";
  std::string max_inflight = "auto";
  bool no_delays = false;
  double pace = 1.0;
  std::string seed = "1";
  std::string statements = "batched";
  std::string isolation = "read-committed";
  std::string on_db_loss = "wait";
  std::string statement_timeout = "60s";
  std::string max_attempts = "20";
  bool deferred_delivery = false;
  std::string delivery_log;  // empty: no file
  bool strict = false;       // a failed audit is a failure
  std::string json;          // empty: no file
  std::optional<double> simulate_ms;
};

// Runs, prints the summary to stdout and returns the exit code. Throws UsageError or what the
// database said.
int run_tpcc(const DatabaseOption& database, const RunRequest& request);

}  // namespace drover::cli
