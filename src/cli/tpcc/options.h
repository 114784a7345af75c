// The options of a run of TPC-C as they were written: of `tpcc run`, and of what makes runs of its own, as `tpcc search`
// does; and the benchmark that is made of them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "benchmark/tpcc/tpcc_benchmark.h"
#include "cli/option/command.h"
#include "cli/option/database_option.h"
#include "cli/run_options.h"
#include "run/run_plan.h"

namespace drover::cli {

struct TpccRequest : RunRequest {
  std::string warehouses = "auto";  // all that are loaded
  std::string terminals = "auto";
  std::string warehouse_range;  // "1-100"; empty: as the share says
  bool no_delays = false;
  double pace = 1.0;
  std::string statements = "batched";
  bool deferred_delivery = false;
  std::string delivery_log;  // empty: no file
  std::optional<double> simulate_ms;
};

// How the load is made: what a search has in common with a run.
void add_load_options(Command& command, TpccRequest& request);

// What a single run has besides.
void add_run_options(Command& command, TpccRequest& request, std::function<int()> perform);

struct TpccRun {
  run::RunPlan run;
  benchmark::TpccOptions options;
};

// Throws UsageError, also for an option that only the other kind of database has.
TpccRun make_tpcc_run(const TpccRequest& written, const DatabaseOption& database);

// Nothing if it was interrupted before it began. `target` is null where transactions are simulated.
std::optional<run::MeasuredRun> measure_tpcc(TpccRun run, const DatabaseTarget* target);

}  // namespace drover::cli
