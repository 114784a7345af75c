// The metric families of a run, and the figures that they are made of. Plain values.
//
// Names follow https://prometheus.io/docs/practices/naming/. Metrics of the workload are called
// drover_KEY_... The label `phase` (warmup, measure) divides the counts: the sum over it is the
// whole run, "measure" is what the result counts, and no series ever falls. docs/metrics.md
// describes all metrics; a test compares.
#pragma once

#include <prometheus/metric_family.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "load/plan.h"
#include "load/run.h"
#include "load/snapshot.h"
#include "measure/process.h"

namespace drover::metrics {

// Upper bounds of the buckets, in seconds. Those of transactions contain the limits of TPC-C (5 s
// and 20 s), and steps of at most a factor of 2 where medians are likely.
inline constexpr std::array duration_bounds_s = {
    0.0002, 0.0005, 0.0007, 0.001, 0.0015, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015,
    0.02,   0.03,   0.05,   0.07,  0.1,    0.15,  0.2,   0.3,   0.5,   0.7,  1.0,
    1.5,    2.0,    3.0,    5.0,   7.0,    10.0,  15.0,  20.0,  60.0};
inline constexpr std::array timer_lag_bounds_s = {0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01,
                                                  0.02,   0.05,   0.1,    0.2,   0.5,   1.0};

struct RunDescription {
  load::Plan plan;
  // Labels of drover_run_info in addition to the benchmark, such as ("version", "0.1.0"). Names
  // consist of letters, digits and _. The first 200 bytes of a value are shown.
  std::vector<std::pair<std::string, std::string>> info;
  double process_start_s = measure::process_start_unix_s();  // Unix time
};

struct WorkerFigures {
  double cpu_s = 0;  // of the thread since the start
  std::uint64_t in_flight = 0;
  std::uint64_t waiting = 0;
  prometheus::ClientMetric::Histogram timer_lag;
};

struct DatabaseFigures {
  double away_s = 0;    // duration of the current outage
  double silent_s = 0;  // duration of the current stall
  std::uint64_t outages = 0;
  std::uint64_t stalls = 0;
  std::uint64_t interruptions = 0;
  std::uint64_t sessions_lost = 0;
  std::uint64_t sessions_reopened = 0;
  std::size_t connections_open = 0;
};

enum class RunState { starting, warmup, measure, ended };
inline constexpr std::size_t run_state_count = 4;

struct RunFigures {
  explicit RunFigures(std::size_t workers_count);

  void take(const load::Snapshot& snapshot);
  // Sets the figures after the end of the load, when nothing is in flight.
  void end(bool database_away);
  // Takes the counts of the result, which contain transactions after the last snapshot.
  void take(const load::Outcome& outcome);

  RunState state = RunState::starting;
  load::PhaseTotals warmup;
  load::PhaseTotals measured;
  std::vector<WorkerFigures> workers;
  DatabaseFigures database;
  std::vector<load::RankNow> ranks;  // on several hosts: shown instead of the workers
};

std::vector<prometheus::MetricFamily> families_of(const RunDescription& run,
                                                  const RunFigures& figures,
                                                  const measure::ProcessUsage& process);

}  // namespace drover::metrics
