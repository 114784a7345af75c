// run(): the workers of a run, their timetable, and a sample a second for whoever looks on; and what a run was, as it
// was: its Outcome.
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
#include "load/stop_request.h"
#include "load/surroundings.h"
#include "load/worker_metrics.h"
#include "load/workload.h"

namespace drover::load {

// How a worker got on with the machine, over the measurement interval.
struct WorkerHealth {
  double load = 0;                 // 0..1: the share of it in which the thread had a processor
  double run_queue_share = 0;      // 0..1: in which it was ready, and waited for one
  coro::Duration wake_up_delay{};  // mean wait for a processor
};

struct Outcome {
  coro::Duration ramp_up{};  // from the start until every terminal was up
  // How long after the instant that was agreed on with others (Rendezvous) the phases began; none: with nobody, or they
  // did not begin.
  std::optional<coro::Duration> start_late = {};
  coro::Duration measured{};          // the interval; zero if the run ended before it began
  std::int64_t measure_start_ts = 0;  // Unix time, seconds
  double client_cpu_seconds = 0;      // of the interval
  std::vector<WorkerHealth> health;   // of the interval
  bool run_queue_known = false;       // the kernel says how long threads wait
  AvailabilityRecord availability;    // of the whole run
  coro::Instant start;                // to which its instants refer
  double unix_start = 0;              // the same by the wall clock, Unix time, seconds
  std::vector<std::unique_ptr<WorkerMetrics>> workers;
  std::vector<Sample> samples;          // their counts add up to those of the workers
  std::uint64_t seconds_per_point = 1;  // seconds that a sample covers (SampleSeries)
  bool interrupted = false;             // before the end of the interval
  bool stop_requested = false;          // at any time, also during the look-ups after the run
  std::optional<std::string> failure;   // why the run was given up
};

// Runs the plan. Awaited on the main worker; starts and joins the others. Throws database::Error
// when the run could not begin; when it had to be given up later, the outcome says why.
coro::Task<Outcome> run(const Plan& plan, WorkloadFactory make_workload, Observer& observer,
                        StopRequest& stop, Surroundings surroundings = {});

}  // namespace drover::load
