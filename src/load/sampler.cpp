#include "load/sampler.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "measure/histogram.h"

namespace drover::load {
namespace {

double milliseconds(const measure::HistogramSnapshot& histogram, double percent) {
  return static_cast<double>(histogram.percentile_ns(percent)) / 1e6;
}

}  // namespace

// Every commit has a latency: taking the number of commits from the histogram keeps the two equal
// while the worker counts on.
void TransactionSnapshot::add(const TransactionMetrics& worker) {
  user_aborted += worker.user_aborted.get();
  failed += worker.failed.get();
  retries += worker.retries.get();
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] += worker.errors[i].get();
  worker.latency.add_to(latency);
  committed = latency.count();
}

void HostSnapshot::add(const HostMetrics& worker) {
  committed += worker.committed.get();
  failed += worker.failed.get();
  worker.service.add_to(service);
}

Sampler::Sampler(const Plan& plan, const std::vector<std::unique_ptr<RunWorker>>& workers)
    : plan_(plan), workers_(workers), before_(totals()) {}

Sampler::Totals Sampler::totals() const {
  Totals totals;
  for (const auto& worker : workers_) {
    const WorkerMetrics& metrics = worker->metrics();
    for (std::size_t type = 0; type < metrics.measured.size(); ++type) {
      totals.warmup[type].add(metrics.warmup[type]);
      totals.measured[type].add(metrics.measured[type]);
    }
    for (std::size_t host = 0; host < metrics.hosts.measured.size(); ++host) {
      totals.hosts_warmup[host].add(metrics.hosts.warmup[host]);
      totals.hosts_measured[host].add(metrics.hosts.measured[host]);
    }
    WorkerTotals one{.cpu_time = worker->worker().cpu_time(), .timer_lag = {}};
    metrics.timer_lag.add_to(one.timer_lag);
    metrics.timer_lag_warmup.add_to(one.timer_lag);
    totals.workers.push_back(std::move(one));
  }
  return totals;
}

Snapshot Sampler::take(Phase phase, coro::Duration elapsed, coro::Duration length,
                       coro::Duration since_last) {
  Totals now = totals();
  Snapshot snapshot;
  snapshot.second.elapsed = elapsed;
  snapshot.second.length = length;
  snapshot.second.phase = phase;
  snapshot.second_latency = add_phase(now, phase, snapshot.second);
  snapshot.second.latency = snapshot.second_latency.to_sparse();
  snapshot.second.p50_ms = milliseconds(snapshot.second_latency, 50);
  snapshot.second.p90_ms = milliseconds(snapshot.second_latency, 90);
  snapshot.second.p99_ms = milliseconds(snapshot.second_latency, 99);
  add_workers(now, since_last, snapshot);
  snapshot.second.backlog = backlog(elapsed);
  add_hosts(now, since_last, snapshot);
  snapshot.warmup = now.warmup;
  snapshot.measured = now.measured;
  // Counts of the other phase are taken by a later call.
  const auto other = phase == Phase::warmup ? &Totals::measured : &Totals::warmup;
  std::swap(now.*other, before_.*other);
  before_ = std::move(now);
  return snapshot;
}

Sample Sampler::take_rest(Phase phase) {
  Totals now = totals();
  Sample rest;
  rest.phase = phase;
  rest.latency = add_phase(now, phase, rest).to_sparse();
  const auto counted = phase == Phase::warmup ? &Totals::warmup : &Totals::measured;
  before_.*counted = std::move(now.*counted);
  return rest;
}

// Adds the counts of the phase to `second` and returns their latencies.
measure::HistogramSnapshot Sampler::add_phase(const Totals& now, Phase phase,
                                              Sample& second) const {
  const auto counted = phase == Phase::warmup ? &Totals::warmup : &Totals::measured;
  measure::HistogramSnapshot latency;
  measure::HistogramSnapshot earlier;
  for (std::size_t type = 0; type < (now.*counted).size(); ++type) {
    const TransactionSnapshot& last = (now.*counted)[type];
    const TransactionSnapshot& first = (before_.*counted)[type];
    second.committed[type] += last.committed - first.committed;
    second.failed += last.failed - first.failed;
    second.retries += last.retries - first.retries;
    latency.merge(last.latency);
    earlier.merge(first.latency);
  }
  latency.subtract(earlier);
  return latency;
}

void Sampler::add_workers(const Totals& now, coro::Duration since_last, Snapshot& snapshot) const {
  Sample& second = snapshot.second;
  const double seconds = coro::seconds_of(since_last);
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const WorkerTotals& last = now.workers[i];
    const double busy = coro::seconds_of(last.cpu_time - before_.workers[i].cpu_time);
    // The last sample of a run may be short, and the time that the worker took to end is in it.
    WorkerSnapshot worker{.load = seconds > 0 ? std::min(busy / seconds, 1.0) : 0,
                          .in_flight = workers_[i]->metrics().in_flight(),
                          .waiting = workers_[i]->metrics().waiting(),
                          .timer_lag = last.timer_lag};
    worker.timer_lag.subtract(before_.workers[i].timer_lag);
    second.in_flight += worker.in_flight;
    second.waiting += worker.waiting;
    second.busiest_worker_load = std::max(second.busiest_worker_load, worker.load);
    snapshot.workers.push_back(std::move(worker));
  }
}

// Returns the backlog at the time `elapsed` since the start.
std::optional<std::uint64_t> Sampler::backlog(coro::Duration elapsed) const {
  if (plan_.rate <= 0) return std::nullopt;
  const double rate = plan_.own_rate() / static_cast<double>(plan_.threads);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const WorkerMetrics& metrics = workers_[i]->metrics();
    const coro::Duration late =
        elapsed - coro::Duration(static_cast<std::int64_t>(metrics.next_arrival_ns.get()));
    if (late <= coro::Duration::zero()) continue;
    auto due = static_cast<std::uint64_t>(std::ceil(coro::seconds_of(late) * rate));
    if (plan_.operations > 0) {
      const std::uint64_t all = plan_.share_of_worker(i, plan_.own_operations());
      due = std::min(due, all - std::min(all, metrics.started.get()));
    }
    sum += due;
  }
  return sum;
}

void Sampler::add_hosts(const Totals& now, coro::Duration since_last, Snapshot& snapshot) const {
  const double seconds = coro::seconds_of(since_last);
  const bool warmup = snapshot.second.phase == Phase::warmup;
  for (std::size_t host = 0; host < now.hosts_measured.size(); ++host) {
    HostNow& one = snapshot.hosts.emplace_back();
    one.phase = warmup ? now.hosts_warmup[host] : now.hosts_measured[host];
    const std::uint64_t committed =
        now.hosts_warmup[host].committed + now.hosts_measured[host].committed -
        before_.hosts_warmup[host].committed - before_.hosts_measured[host].committed;
    one.per_second = seconds > 0 ? static_cast<double>(committed) / seconds : 0;
    for (const auto& worker : workers_)
      one.sessions += worker->metrics().hosts.sessions[host].get();
  }
}

namespace {

void add_counts(const Sample& next, Sample& sum) {
  for (std::size_t i = 0; i < next.committed.size(); ++i) sum.committed[i] += next.committed[i];
  sum.failed += next.failed;
  sum.retries += next.retries;
}

// Appends the counts of `next`. The state of the sum is that at the end of `next`; its load is the
// mean over both.
void append(const Sample& next, Sample& sum) {
  add_counts(next, sum);
  const double length = coro::seconds_of(sum.length + next.length);
  if (length > 0) {
    sum.busiest_worker_load = (sum.busiest_worker_load * coro::seconds_of(sum.length) +
                               next.busiest_worker_load * coro::seconds_of(next.length)) /
                              length;
  }
  sum.elapsed = next.elapsed;
  sum.length += next.length;
  sum.in_flight = next.in_flight;
  sum.waiting = next.waiting;
  sum.backlog = next.backlog;
  sum.away = next.away;
  sum.silent = next.silent;
}

using Bytes = std::vector<std::uint8_t>;

measure::SparseHistogram histogram_in(const Bytes& bytes) {
  return measure::histogram_of(bytes).value_or(measure::SparseHistogram());
}

Bytes bytes_of(const measure::SparseHistogram& histogram) {
  Bytes bytes = measure::histogram_bytes(histogram);
  bytes.shrink_to_fit();
  return bytes;
}

void merge(const measure::SparseHistogram& next, Bytes& sum) {
  measure::SparseHistogram both = histogram_in(sum);
  both.merge(next);
  sum = bytes_of(both);
}

void set_percentiles(const measure::SparseHistogram& sparse, Sample& sample) {
  const auto latency = measure::HistogramSnapshot::from_sparse(sparse);
  if (!latency || latency->empty()) return;
  const auto ms = [&latency](double percent) {
    return static_cast<double>(latency->percentile_ns(percent)) * 1e-6;
  };
  sample.p50_ms = ms(50);
  sample.p90_ms = ms(90);
  sample.p99_ms = ms(99);
}

}  // namespace

// A sample may be late, and after a standstill of the process it covers several seconds. The middle
// of the sample decides which point it belongs to.
std::uint64_t SampleSeries::group_of(const Sample& sample) const noexcept {
  coro::Duration middle = sample.elapsed - sample.length / 2;
  if (sample.phase != Phase::warmup) middle -= warmup_;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(middle).count();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(seconds, 0)) / step_;
}

bool SampleSeries::belong_together(const Sample& one, const Sample& next) const noexcept {
  return step_ > 1 && one.phase == next.phase && group_of(one) == group_of(next);
}

void SampleSeries::add(Sample sample) {
  const measure::SparseHistogram latency = std::exchange(sample.latency, {});
  if (!points_.empty() && belong_together(points_.back().sample, sample)) {
    append(sample, points_.back().sample);
    merge(latency, points_.back().latency);
    return;
  }
  points_.push_back({std::move(sample), bytes_of(latency)});
  while (points_.size() > most_ && step_ < std::uint64_t{1} << 32) double_step();
}

void SampleSeries::add_to_last(const Sample& rest) {
  if (points_.empty()) return;
  add_counts(rest, points_.back().sample);
  merge(rest.latency, points_.back().latency);
}

void SampleSeries::double_step() {
  step_ *= 2;
  std::vector<Point> points;
  for (Point& point : points_) {
    if (!points.empty() && belong_together(points.back().sample, point.sample)) {
      append(point.sample, points.back().sample);
      merge(histogram_in(point.latency), points.back().latency);
    } else {
      points.push_back(std::move(point));
    }
  }
  points_ = std::move(points);
}

std::size_t SampleSeries::bytes() const noexcept {
  std::size_t sum = points_.capacity() * sizeof(Point);
  for (const Point& point : points_) {
    sum += point.sample.committed.size() * sizeof(std::uint64_t) + point.latency.capacity() +
           point.sample.latency.buckets.capacity() * sizeof(point.sample.latency.buckets[0]);
  }
  return sum;
}

std::vector<Sample> SampleSeries::take(bool with_latency) {
  std::vector<Sample> samples;
  samples.reserve(points_.size());
  for (Point& point : std::exchange(points_, {})) {
    measure::SparseHistogram latency = histogram_in(std::exchange(point.latency, {}));
    Sample& sample = samples.emplace_back(std::move(point.sample));
    set_percentiles(latency, sample);
    if (with_latency) sample.latency = std::move(latency);
  }
  return samples;
}

}  // namespace drover::load
