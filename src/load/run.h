// run(): executes a plan with a workload, and returns its Outcome.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "load/availability.h"
#include "load/plan.h"
#include "load/snapshot.h"
#include "load/surroundings.h"
#include "load/worker_metrics.h"
#include "load/workload.h"

namespace drover::load {

// Processor use of a worker in the measured interval.
struct WorkerHealth {
  double load = 0;                 // 0 to 1: share of the time in which the thread had a processor
  double run_queue_share = 0;      // 0 to 1: share in which the thread waited for a processor
  coro::Duration wake_up_delay{};  // mean wait for a processor
};

struct Outcome {
  coro::Duration ramp_up{};  // from the start until every terminal was up
  // Delay of the phases after the start that the hosts agreed on (Rendezvous). None on one host, or
  // if the phases did not begin.
  std::optional<coro::Duration> start_late = {};
  coro::Duration measured{};          // length of the measured interval
  std::int64_t measure_start_ts = 0;  // Unix time, seconds
  double client_cpu_seconds = 0;      // in the measured interval
  std::vector<WorkerHealth> health;   // in the measured interval
  bool run_queue_known = false;       // the kernel reports how long threads wait
  AvailabilityRecord availability;    // of the whole run
  coro::Instant start;                // start of the phases
  double unix_start = 0;              // the same as Unix time, seconds
  std::vector<std::unique_ptr<WorkerMetrics>> workers;
  std::vector<Sample> samples;          // their counts add up to those of the workers
  std::uint64_t seconds_per_point = 1;  // seconds that a sample covers (SampleSeries)
  bool interrupted = false;             // ended before the end of the interval
  bool stop_requested = false;          // at any time, also during the look-ups after the run
  std::optional<std::string> failure;   // why the run was given up
};

// Executes the plan. Awaited on the main worker. Starts and joins the worker threads. Throws
// database::Error if the run could not begin. If it was given up later, the outcome has the reason.
coro::Task<Outcome> run(const Plan& plan, WorkloadFactory make_workload, Observer& observer,
                        StopRequest& stop, Surroundings surroundings = {});

}  // namespace drover::load
