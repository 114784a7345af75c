#include "load/sampler.h"

#include <algorithm>

namespace drover::load {

Sampler::Sampler(std::vector<SampledWorker> workers) : workers_(std::move(workers)) {
  before_ = totals();
}

Sampler::Totals Sampler::totals() const {
  Totals totals;
  for (const SampledWorker& worker : workers_) {
    for (const PhaseMetrics* phase : {&worker.metrics->warmup, &worker.metrics->measured}) {
      for (std::size_t type = 0; type < tpcc::transaction_type_count; ++type) {
        const TransactionMetrics& metrics = (*phase)[type];
        totals.committed[type] += metrics.committed.get();
        totals.failed += metrics.failed.get();
        totals.retries += metrics.retries.get();
        metrics.latency.add_to(totals.latency);
      }
    }
    totals.cpu_times.push_back(worker.worker->cpu_time());
  }
  return totals;
}

Sample Sampler::take(coro::Duration elapsed, coro::Duration length, Phase phase) {
  Totals now = totals();
  Sample sample;
  sample.elapsed = elapsed;
  sample.length = length;
  sample.phase = phase;
  for (std::size_t type = 0; type < tpcc::transaction_type_count; ++type) {
    sample.committed[type] = now.committed[type] - before_.committed[type];
  }
  sample.failed = now.failed - before_.failed;
  sample.retries = now.retries - before_.retries;
  last_latency_ = now.latency;
  measure::HistogramSnapshot& latency = last_latency_;
  latency.subtract(before_.latency);
  sample.p50_ms = static_cast<double>(latency.percentile_ns(50)) / 1e6;
  sample.p90_ms = static_cast<double>(latency.percentile_ns(90)) / 1e6;
  sample.p99_ms = static_cast<double>(latency.percentile_ns(99)) / 1e6;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    sample.in_flight += workers_[i].metrics->in_flight();
    sample.waiting += workers_[i].metrics->waiting();
    const auto busy = static_cast<double>((now.cpu_times[i] - before_.cpu_times[i]).count());
    const double load = busy / static_cast<double>(std::max<std::int64_t>(length.count(), 1));
    sample.busiest_worker_load = std::max(sample.busiest_worker_load, load);
  }
  before_ = std::move(now);
  return sample;
}

}  // namespace drover::load
