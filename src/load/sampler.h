// The sampler: turns the workers' counters into a snapshot a second.
#pragma once

#include <vector>

#include "coro/worker.h"
#include "load/snapshot.h"

namespace drover::load {

// One worker as the sampler sees it. Both must outlive the sampler.
struct SampledWorker {
  const WorkerMetrics* metrics;
  const coro::Worker* worker;
};

class Sampler {
 public:
  explicit Sampler(std::vector<SampledWorker> workers);

  // The counters now: `second` and the workers' figures are of what has happened since the last
  // call (or the construction). What the workers do not count (availability, connections, the
  // process) is left to the caller.
  Snapshot take(coro::Duration elapsed, coro::Duration length, Phase phase);

 private:
  // What one worker had counted at a time.
  struct WorkerTotals {
    coro::Duration cpu_time{};
    measure::HistogramSnapshot timer_lag;
  };
  struct Totals {
    PhaseSnapshot warmup;
    PhaseSnapshot measured;
    std::vector<WorkerTotals> workers;
  };
  Totals totals() const;
  void add_second(const Totals& now, Snapshot& snapshot) const;
  void add_workers(const Totals& now, Snapshot& snapshot) const;

  std::vector<SampledWorker> workers_;
  Totals before_;
};

}  // namespace drover::load
