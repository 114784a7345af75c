// The series of a long run stays small and keeps all counts.
#include "load/sampler.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>

namespace drover::load {
namespace {

using namespace std::chrono_literals;
using coro::Duration;

Sample sample_of(Duration elapsed, Duration length, Phase phase, std::uint64_t latency_ns = 1'000) {
  Sample sample;
  sample.elapsed = elapsed;
  sample.length = length;
  sample.phase = phase;
  sample.ok = {1, 2};
  sample.failed = 3;
  sample.retries = 4;
  measure::HistogramSnapshot latency;
  latency.record(latency_ns);
  sample.latency = latency.to_sparse();
  return sample;
}

TEST(SampleSeries, KeepsEachSampleOfAShortRun) {
  SampleSeries series(1500ms);
  series.add(sample_of(1s, 1s, Phase::warmup));
  series.add(sample_of(1500ms, 500ms, Phase::warmup));
  series.add(sample_of(2500ms, 1s, Phase::measure));
  series.add(sample_of(2700ms, 200ms, Phase::measure));
  EXPECT_EQ(series.seconds_per_point(), 1U);
  const auto points = series.take();
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[1].elapsed, 1500ms);
  EXPECT_EQ(points[3].length, 200ms);
  EXPECT_EQ(series.size(), 0U);
}

TEST(SampleSeries, AWeekFitsAndAddsUp) {
  constexpr std::uint64_t warmup = 90;
  constexpr std::uint64_t week = 7 * 86'400;
  SampleSeries series{std::chrono::seconds(warmup)};
  for (std::uint64_t second = 1; second <= warmup + week; ++second) {
    const auto phase = second <= warmup ? Phase::warmup : Phase::measure;
    // Each sample is read a little late.
    series.add(sample_of(std::chrono::seconds(second) + 3ms, 1s, phase));
    ASSERT_LE(series.size(), SampleSeries::points_most);
  }
  EXPECT_EQ(series.seconds_per_point(), 64U);
  const auto points = series.take();
  ASSERT_EQ(points.size(), 2 + week / 64);
  std::uint64_t committed = 0;
  std::uint64_t failed = 0;
  std::uint64_t retries = 0;
  std::uint64_t latencies = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].phase != Phase::measure) continue;
    committed += points[i].ok[1];
    failed += points[i].failed;
    retries += points[i].retries;
    latencies += measure::HistogramSnapshot::from_sparse(points[i].latency)->count();
    EXPECT_EQ(points[i].length, 64s);
    EXPECT_EQ(points[i].elapsed, std::chrono::seconds(warmup + 64 * (i - 1)) + 3ms);
  }
  EXPECT_EQ(committed, 2 * week);
  EXPECT_EQ(failed, 3 * week);
  EXPECT_EQ(retries, 4 * week);
  EXPECT_EQ(latencies, week);
}

// Log-normal latencies around 5 ms. The sum of 12 uniform numbers stands for a normal one.
measure::SparseHistogram latencies_of_a_second(int count) {
  std::mt19937_64 random(7);
  measure::HistogramSnapshot latency;
  for (int i = 0; i < count; ++i) {
    double normal = -6;
    for (int k = 0; k < 12; ++k) normal += static_cast<double>(random()) * 0x1p-64;
    latency.record(static_cast<std::uint64_t>(5e6 * std::exp(0.5 * normal)));
  }
  return latency.to_sparse();
}

TEST(SampleSeries, FourHoursTakeLessThanTenMegabytes) {
  for (const int commits : {1'000, 20'000}) {
    SCOPED_TRACE(commits);
    SampleSeries series(0s);
    Sample sample = sample_of(0s, 1s, Phase::measure);
    sample.ok = {1, 2, 3, 4, 5};
    sample.latency = latencies_of_a_second(commits);
    for (std::size_t i = 0; i < SampleSeries::points_most; ++i) {
      sample.elapsed += 1s;
      series.add(sample);
    }
    EXPECT_EQ(series.seconds_per_point(), 1U);
    EXPECT_LT(series.bytes(), 10'000'000U);
    sample.elapsed += 1s;
    series.add(sample);
    EXPECT_EQ(series.seconds_per_point(), 2U);
    EXPECT_LT(series.bytes(), 6'000'000U);
    const auto points = series.take(false);
    ASSERT_EQ(points.size(), SampleSeries::points_most / 2 + 1);
    EXPECT_TRUE(points[0].latency.empty());
    EXPECT_NEAR(points[0].p50_ms, 5, 0.5);
    EXPECT_EQ(series.bytes(), 0U);
  }
}

TEST(SampleSeries, APointHasThePercentilesOfAllItsTransactions) {
  SampleSeries series(0s, 2);
  for (int second = 1; second <= 4; ++second) {
    Sample sample = sample_of(std::chrono::seconds(second), 1s, Phase::measure,
                              second == 2 ? 50'000'000 : 10'000'000);
    sample.in_flight = static_cast<std::uint64_t>(second);
    sample.client_load = second == 2 ? 0.6 : 0.2;
    series.add(std::move(sample));
  }
  const auto points = series.take();
  ASSERT_EQ(points.size(), 2U);
  EXPECT_NEAR(points[0].p50_ms, 10, 0.1);
  EXPECT_NEAR(points[0].p99_ms, 50, 0.5);
  EXPECT_NEAR(points[1].p99_ms, 10, 0.1);
  EXPECT_EQ(points[0].in_flight, 2U);
  EXPECT_DOUBLE_EQ(points[0].client_load, 0.4);
}

// One sample covers the seconds of a standstill. Points still begin at multiples of their length.
TEST(SampleSeries, PointsKeepTheirGridAfterAStandstill) {
  SampleSeries series(0s, 4);
  for (int second = 1; second <= 5; ++second) {
    series.add(sample_of(std::chrono::seconds(second), 1s, Phase::measure));
  }
  series.add(sample_of(8700ms, 3700ms, Phase::measure));
  series.add(sample_of(9s, 300ms, Phase::measure));
  series.add(sample_of(10s, 1s, Phase::measure));
  const auto points = series.take();
  std::vector<Duration> ends;
  std::uint64_t committed = 0;
  for (const Sample& point : points) {
    ends.push_back(point.elapsed);
    committed += point.ok[0];
  }
  EXPECT_EQ(committed, 8U);
  EXPECT_EQ(ends, (std::vector<Duration>{4s, 8700ms, 10s}));
}

TEST(SampleSeries, TakesWhatWasCountedLate) {
  SampleSeries series(0s);
  series.add_to_last(sample_of(1s, 1s, Phase::measure));
  EXPECT_EQ(series.size(), 0U);
  series.add(sample_of(1s, 1s, Phase::measure));
  series.add_to_last(sample_of(0s, 0s, Phase::measure, 9'000'000));
  const auto points = series.take();
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].elapsed, 1s);
  EXPECT_EQ(points[0].ok[1], 4U);
  EXPECT_NEAR(points[0].p99_ms, 9, 0.1);
}

}  // namespace
}  // namespace drover::load
