#include "load/sample_series.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "measure/histogram_bytes.h"

namespace drover::load {
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
