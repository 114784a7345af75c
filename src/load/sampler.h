// The sampler: turns the workers' counters into a snapshot a second.
#pragma once

#include <memory>
#include <vector>

#include "load/run_worker.h"
#include "load/snapshot.h"

namespace drover::load {

class Sampler {
 public:
  // The workers must outlive it.
  explicit Sampler(const std::vector<std::unique_ptr<RunWorker>>& workers);

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
    PerType<HostSnapshot> hosts_warmup;
    PerType<HostSnapshot> hosts_measured;
    std::vector<WorkerTotals> workers;
  };
  Totals totals() const;
  void add_second(const Totals& now, Snapshot& snapshot) const;
  void add_workers(const Totals& now, Snapshot& snapshot) const;
  void add_hosts(const Totals& now, Snapshot& snapshot) const;

  const std::vector<std::unique_ptr<RunWorker>>& workers_;
  Totals before_;
};

}  // namespace drover::load
