// Outcome: what a run was, as it was. Values only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coro/clock.h"
#include "load/availability.h"
#include "load/snapshot.h"
#include "load/worker_metrics.h"

namespace drover::load {

// How a worker got on with the machine, over the measurement interval.
struct WorkerHealth {
  double load = 0;                 // 0..1: the share of it in which the thread had a processor
  double run_queue_share = 0;      // 0..1: in which it was ready, and waited for one
  coro::Duration wake_up_delay{};  // mean wait for a processor
};

struct Outcome {
  coro::Duration ramp_up{};           // from the start until every terminal was up
  coro::Duration measured{};          // the interval; zero if the run ended before it began
  std::int64_t measure_start_ts = 0;  // Unix time, seconds
  double client_cpu_seconds = 0;      // of the interval
  std::vector<WorkerHealth> health;   // of the interval
  bool run_queue_known = false;       // the kernel says how long threads wait
  AvailabilityRecord availability;    // of the whole run
  coro::Instant start;                // to which its instants refer
  std::vector<std::unique_ptr<WorkerMetrics>> workers;
  std::vector<Sample> samples;
  bool interrupted = false;            // before the end of the interval
  bool stop_requested = false;         // at any time, also while the database was asked afterwards
  std::optional<std::string> failure;  // why it was given up
};

}  // namespace drover::load
