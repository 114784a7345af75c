// One run of the benchmark, from its plan to its result, with what a person sees of it meanwhile.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/database_option.h"
#include "cli/run_options.h"
#include "cli/run_plan.h"
#include "metrics/metrics_endpoint.h"
#include "report/result.h"

namespace drover::cli {

struct MeasuredRun {
  report::Result result;
  bool stop_requested = false;       // by Ctrl-C or a key, at any time
  std::string delivery_log_failure;  // empty: none
  // Shows the last figures for as long as this lives; none if nobody asked for it.
  std::shared_ptr<metrics::MetricsEndpoint> metrics;
};

// Block until the run is over. Ctrl-C ends it with the result so far. `written` is what `run` was
// made of. They throw UsageError and database::Error where the run could not begin.

// Nothing if it was interrupted before it began.
std::optional<MeasuredRun> measure_on_database(const RunRequest& written, RunPlan run,
                                               const DatabaseTarget& target);
MeasuredRun measure_simulated(const RunRequest& written, RunPlan run);

}  // namespace drover::cli
