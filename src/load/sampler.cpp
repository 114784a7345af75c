#include "load/sampler.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "measure/histogram.h"
#include "model/adder.h"
#include "model/totals_fields.h"

namespace drover::load {

void add_live(const SharedTotals& worker, model::Totals& sum) {
  model::Adder adder;
  model::describe_live_totals(adder, sum, worker);
  // Every commit has a latency. The number of latencies keeps both equal while the worker counts.
  sum.ok_count = sum.latency.count();
}

Sampler::Sampler(const Plan& plan, const std::vector<std::unique_ptr<RunWorker>>& workers)
    : plan_(plan), workers_(workers), before_(totals()) {}

Sampler::AllTotals Sampler::totals() const {
  AllTotals totals;
  const auto add_hosts_of = [](const PerType<SharedHostTotals>& worker,
                               PerType<model::HostTotals>& sum) {
    model::Adder adder;
    for (std::size_t host = 0; host < worker.size(); ++host)
      model::describe_host_totals(adder, sum[host], worker[host]);
  };
  for (const auto& worker : workers_) {
    const WorkerMetrics& metrics = worker->metrics();
    for (std::size_t type = 0; type < metrics.measured.size(); ++type) {
      add_live(metrics.warmup[type], totals.warmup[type]);
      add_live(metrics.measured[type], totals.measured[type]);
    }
    add_hosts_of(metrics.hosts.warmup, totals.hosts_warmup);
    add_hosts_of(metrics.hosts.measured, totals.hosts_measured);
    WorkerTotals one{.cpu_time = worker->worker().cpu_time(), .timer_lag = {}};
    metrics.timer_lag.add_to(one.timer_lag);
    metrics.timer_lag_warmup.add_to(one.timer_lag);
    totals.workers.push_back(std::move(one));
  }
  return totals;
}

Snapshot Sampler::take(Phase phase, coro::Duration elapsed, coro::Duration length,
                       coro::Duration since_last) {
  AllTotals now = totals();
  Snapshot snapshot;
  Sample& second = snapshot.second;
  second.elapsed = elapsed;
  second.length = length;
  second.phase = phase;
  snapshot.second_latency = add_phase(now, phase, second);
  second.latency = snapshot.second_latency.to_sparse();
  second.set_percentiles(snapshot.second_latency);
  add_workers(now, since_last, snapshot);
  second.backlog = backlog(elapsed);
  add_hosts(now, since_last, snapshot);
  snapshot.warmup = now.warmup;
  snapshot.measured = now.measured;
  // A later call takes the counts of the other phase.
  const auto other = phase == Phase::warmup ? &AllTotals::measured : &AllTotals::warmup;
  std::swap(now.*other, before_.*other);
  before_ = std::move(now);
  return snapshot;
}

Sample Sampler::take_rest(Phase phase) {
  AllTotals now = totals();
  Sample rest;
  rest.phase = phase;
  rest.latency = add_phase(now, phase, rest).to_sparse();
  const auto counted = phase == Phase::warmup ? &AllTotals::warmup : &AllTotals::measured;
  before_.*counted = std::move(now.*counted);
  return rest;
}

// Adds the counts of the phase to `second` and returns their latencies.
measure::HistogramSnapshot Sampler::add_phase(const AllTotals& now, Phase phase,
                                              Sample& second) const {
  const auto counted = phase == Phase::warmup ? &AllTotals::warmup : &AllTotals::measured;
  measure::HistogramSnapshot latency;
  measure::HistogramSnapshot earlier;
  second.ok.resize((now.*counted).size());
  for (std::size_t type = 0; type < second.ok.size(); ++type) {
    const model::Totals& last = (now.*counted)[type];
    const model::Totals& first = (before_.*counted)[type];
    second.ok[type] += last.ok_count - first.ok_count;
    second.failed += last.failed_count - first.failed_count;
    second.retries += last.retry_count - first.retry_count;
    latency.merge(last.latency);
    earlier.merge(first.latency);
  }
  latency.subtract(earlier);
  return latency;
}

void Sampler::add_workers(const AllTotals& now, coro::Duration since_last,
                          Snapshot& snapshot) const {
  Sample& second = snapshot.second;
  const double seconds = coro::seconds_of(since_last);
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const WorkerTotals& last = now.workers[i];
    const double busy = coro::seconds_of(last.cpu_time - before_.workers[i].cpu_time);
    // The last sample of a run may be short, and contains the time that the worker took to end.
    WorkerSnapshot worker{.load = seconds > 0 ? std::min(busy / seconds, 1.0) : 0,
                          .in_flight = workers_[i]->metrics().in_flight(),
                          .waiting = workers_[i]->metrics().waiting(),
                          .timer_lag = last.timer_lag};
    worker.timer_lag.subtract(before_.workers[i].timer_lag);
    second.in_flight += worker.in_flight;
    second.waiting += worker.waiting;
    second.client_load = std::max(second.client_load, worker.load);
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

void Sampler::add_hosts(const AllTotals& now, coro::Duration since_last, Snapshot& snapshot) const {
  const double seconds = coro::seconds_of(since_last);
  const bool warmup = snapshot.second.phase == Phase::warmup;
  for (std::size_t host = 0; host < now.hosts_measured.size(); ++host) {
    HostNow& one = snapshot.hosts.emplace_back();
    one.phase = warmup ? now.hosts_warmup[host] : now.hosts_measured[host];
    const std::uint64_t committed =
        now.hosts_warmup[host].ok_count + now.hosts_measured[host].ok_count -
        before_.hosts_warmup[host].ok_count - before_.hosts_measured[host].ok_count;
    one.per_second = seconds > 0 ? static_cast<double>(committed) / seconds : 0;
    for (const auto& worker : workers_)
      one.sessions += worker->metrics().hosts.sessions[host].get();
  }
}

namespace {

void add_counts_to(Sample& sum, const Sample& next) {
  model::Adder adder;
  model::describe_interval_counts(adder, sum, next);
}

// Appends the counts of `next`. The state of the sum is that at the end of `next`. Its load is the
// mean over both.
void append(const Sample& next, Sample& sum) {
  add_counts_to(sum, next);
  const double length = coro::seconds_of(sum.length + next.length);
  if (length > 0) {
    sum.client_load = (sum.client_load * coro::seconds_of(sum.length) +
                       next.client_load * coro::seconds_of(next.length)) /
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
  Sample& last = points_.back().sample;
  add_counts_to(last, rest);
  last.latency = {};
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
    sum += point.sample.ok.capacity() * sizeof(std::uint64_t) + point.latency.capacity() +
           point.sample.latency.buckets.capacity() * sizeof(point.sample.latency.buckets[0]);
  }
  return sum;
}

std::vector<Sample> SampleSeries::take(bool with_latency) {
  std::vector<Sample> samples;
  samples.reserve(points_.size());
  for (Point& point : std::exchange(points_, {})) {
    measure::SparseHistogram sparse = histogram_in(std::exchange(point.latency, {}));
    Sample& sample = samples.emplace_back(std::move(point.sample));
    const auto latency = measure::HistogramSnapshot::from_sparse(sparse);
    if (latency && !latency->empty()) sample.set_percentiles(*latency);
    if (with_latency) sample.latency = std::move(sparse);
  }
  return samples;
}

}  // namespace drover::load
