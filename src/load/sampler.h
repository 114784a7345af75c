// The sampler: turns the workers' counters into a snapshot a second.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "load/plan.h"
#include "load/run_worker.h"
#include "load/snapshot.h"

namespace drover::load {

class Sampler {
 public:
  // Both must outlive it.
  Sampler(const Plan& plan, const std::vector<std::unique_ptr<RunWorker>>& workers);

  // Returns the current counters. `second` contains what was counted in the phase since the last
  // call (or the construction), so that the seconds of a phase add up to its totals. The loads of
  // workers and the rates of database hosts are of all that happened since the last call, in any
  // phase: `since_last` is the time since then. It differs from the second's `length` if the call
  // comes after the end of the phase. The caller adds what workers do not count: availability,
  // connections, the process.
  Snapshot take(Phase phase, coro::Duration elapsed, coro::Duration length,
                coro::Duration since_last);

  // Returns the counts and latencies of the phase since the last call for it. Workers count on
  // while a sample is read, so the last sample does not contain all.
  Sample take_rest(Phase phase);

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
  measure::HistogramSnapshot add_phase(const Totals& now, Phase phase, Sample& second) const;
  void add_workers(const Totals& now, coro::Duration since_last, Snapshot& snapshot) const;
  std::optional<std::uint64_t> backlog(coro::Duration elapsed) const;
  void add_hosts(const Totals& now, coro::Duration since_last, Snapshot& snapshot) const;

  const Plan& plan_;
  const std::vector<std::unique_ptr<RunWorker>>& workers_;
  Totals before_;
};

}  // namespace drover::load
