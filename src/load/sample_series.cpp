#include "load/sample_series.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace drover::load {
namespace {

void add_counts(const Sample& next, Sample& sum) {
  for (std::size_t i = 0; i < next.committed.size(); ++i) sum.committed[i] += next.committed[i];
  sum.failed += next.failed;
  sum.retries += next.retries;
  sum.latency.merge(next.latency);
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
  sum.away = next.away;
  sum.silent = next.silent;
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
  if (!points_.empty() && belong_together(points_.back(), sample)) {
    append(sample, points_.back());
    return;
  }
  points_.push_back(std::move(sample));
  while (points_.size() > most_ && step_ < std::uint64_t{1} << 32) double_step();
}

void SampleSeries::add_to_last(const Sample& rest) {
  if (!points_.empty()) add_counts(rest, points_.back());
}

void SampleSeries::double_step() {
  step_ *= 2;
  std::vector<Sample> points;
  for (Sample& point : points_) {
    if (!points.empty() && belong_together(points.back(), point)) {
      append(point, points.back());
    } else {
      points.push_back(std::move(point));
    }
  }
  points_ = std::move(points);
}

std::vector<Sample> SampleSeries::take() {
  for (Sample& point : points_) {
    const auto latency = measure::HistogramSnapshot::from_sparse(point.latency);
    if (!latency || latency->empty()) continue;
    const auto ms = [&latency](double percent) {
      return static_cast<double>(latency->percentile_ns(percent)) * 1e-6;
    };
    point.p50_ms = ms(50);
    point.p90_ms = ms(90);
    point.p99_ms = ms(99);
  }
  return std::exchange(points_, {});
}

}  // namespace drover::load
