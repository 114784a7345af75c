// The options of a run of TPC-C, and the run that they describe.
#pragma once

#include "benchmark/tpcc/tpcc_benchmark.h"
#include "cli/run_options.h"

namespace drover::cli {

struct TpccRunOptions : RunOptions {
  benchmark::TpccOptions tpcc;
  std::optional<std::int32_t> warehouses;  // none: all that are loaded
  std::optional<std::uint64_t> terminals;  // without delays; none: ten per warehouse
  std::optional<Pair> warehouse_range;     // first and last warehouse of this host
  std::optional<double> simulate_ms;
};

// The options of a run.
void add_run_options(Command& command, TpccRunOptions& options);
// The options that a search shares with a run.
void add_load_options(Command& command, TpccRunOptions& options);

// A run, and the benchmark that it executes.
struct TpccRun {
  run::RunPlan run;
  benchmark::TpccOptions options;
};

// Throws UsageError.
TpccRun make_tpcc_run(const TpccRunOptions& options);

// Returns nothing if the run was interrupted before it began. `target` is null where transactions
// are simulated.
std::optional<run::MeasuredRun> measure_tpcc(TpccRun run, const DatabaseTarget* target);

}  // namespace drover::cli
