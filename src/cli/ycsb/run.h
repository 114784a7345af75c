// The options of a run of YCSB, for `ycsb run` and for the runs of `ycsb search`.
#pragma once

#include <optional>

#include "benchmark/ycsb/ycsb_benchmark.h"
#include "cli/run_options.h"
#include "cli/ycsb/options.h"

namespace drover::cli {

struct YcsbRunOptions : ClientOptions {
  PropertyArguments properties;
  bool verify = false;
  std::optional<database::Isolation> isolation;
};

// --verify
void add_verify_option(Command& command, YcsbRunOptions& options);

// A run, and the benchmark that it executes.
struct YcsbRun {
  run::RunPlan run;
  benchmark::YcsbOptions options;
};

// `properties`: read from options.properties. Throws UsageError.
YcsbRun make_ycsb_run(const YcsbRunOptions& options, const ycsb::Properties& properties);

// Returns nothing if the run was interrupted before it began.
std::optional<run::MeasuredRun> measure_ycsb(YcsbRun run, const DatabaseTarget& target);

}  // namespace drover::cli
