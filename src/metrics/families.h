// The metric families of a run: the names, types and explanations that a scrape shows.
//
// Names follow https://prometheus.io/docs/practices/naming/: base units, _total for what only
// rises. The label `phase` (warmup, measure) divides what is counted, so that a sum over it is the
// whole run and "measure" alone is what the result counts; either way no series ever goes down.
// docs/metrics.md describes them all; a test compares.
#pragma once

#include <prometheus/metric_family.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "load/plan.h"
#include "measure/process.h"
#include "metrics/run_figures.h"

namespace drover::metrics {

// What does not change during a run.
struct RunDescription {
  // Labels of drover_run_info besides its benchmark: ("version", "0.1.0"), ("commit", …). Names are
  // letters, digits and _; values are any text, of which 200 bytes are shown.
  std::vector<std::pair<std::string, std::string>> info;
  std::int32_t warehouses = 0;
  std::size_t terminals = 0;
  std::size_t threads = 0;
  std::size_t connections = 0;  // that the run wants; 0 where there is no database
  bool has_warmup = false;
  double process_start_s = 0;  // Unix time

  static RunDescription of(const load::Plan& plan,
                           std::vector<std::pair<std::string, std::string>> info);
};

std::vector<prometheus::MetricFamily> families_of(const RunDescription& run,
                                                  const RunFigures& figures,
                                                  const measure::ProcessUsage& process);

}  // namespace drover::metrics
