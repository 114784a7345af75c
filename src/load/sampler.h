// The sampler: turns the workers' counters into a sample a second.
#pragma once

#include <memory>
#include <vector>

#include "coro/worker.h"
#include "load/run.h"

namespace drover::load {

// One worker as the sampler sees it. Both must outlive the sampler.
struct SampledWorker {
  const WorkerMetrics* metrics;
  const coro::Worker* worker;
};

class Sampler {
 public:
  explicit Sampler(std::vector<SampledWorker> workers);

  // The sample of what has happened since the last call (or the construction).
  Sample take(coro::Duration elapsed, coro::Duration length, Phase phase);

  // Of the transactions that the last sample counted.
  const measure::HistogramSnapshot& last_latency() const noexcept { return last_latency_; }

 private:
  struct Totals {
    std::array<std::uint64_t, tpcc::transaction_type_count> committed{};
    std::uint64_t failed = 0;
    std::uint64_t retries = 0;
    measure::HistogramSnapshot latency;
    std::vector<coro::Duration> cpu_times;
  };
  Totals totals() const;

  std::vector<SampledWorker> workers_;
  Totals before_;
  measure::HistogramSnapshot last_latency_;
};

}  // namespace drover::load
