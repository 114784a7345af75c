#include "report/audit/steady_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace drover::report {
namespace {

using testing::Each;
using testing::SizeIs;

TEST(Trend, OfAStraightLine) {
  const Trend trend = find_trend({10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20});
  EXPECT_DOUBLE_EQ(trend.change, 10);
  EXPECT_DOUBLE_EQ(trend.median, 15);
  // 55 rising pairs, 54 after the correction; the variance is 11 * 10 * 27 / 18 = 165.
  EXPECT_NEAR(trend.z, 54 / std::sqrt(165.0), 1e-9);
  EXPECT_NEAR(find_trend({20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10}).z, -trend.z, 1e-9);
}

TEST(Trend, OfEqualValuesIsNone) {
  const Trend trend = find_trend({5, 5, 5, 5, 5});
  EXPECT_EQ(trend.z, 0);
  EXPECT_EQ(trend.change, 0);
  EXPECT_EQ(trend.median, 5);
}

TEST(Trend, IsNotMovedByAnOutlier) {
  std::vector<double> values = {100, 101, 100, 99, 100, 101, 99, 100, 101, 100, 99, 100};
  const double before = find_trend(values).change;
  values[11] = 1'000'000;
  EXPECT_NEAR(find_trend(values).change, before, 1.5);
  EXPECT_LT(std::abs(find_trend(values).z), 2);
}

// Second-by-second throughput: noise of which each value keeps a part of the one before.
std::vector<double> noise(std::mt19937_64& random, std::size_t count, double deviation,
                          double kept) {
  std::normal_distribution<double> normal(0, deviation * std::sqrt(1 - kept * kept));
  double value = 0;
  std::vector<double> values;
  for (std::size_t i = 0; i < count + 50; ++i) {
    value = kept * value + normal(random);
    if (i >= 50) values.push_back(value);
  }
  return values;
}

std::vector<TimePoint> series(const std::vector<double>& throughput, double p90_ms = 20) {
  std::vector<TimePoint> points;
  points.push_back({.t = 5, .phase = "warm-up", .ok = {999'999}});
  for (std::size_t i = 0; i < throughput.size(); ++i) {
    TimePoint point;
    point.t = 6 + static_cast<double>(i);
    point.phase = "measure";
    const auto half = static_cast<std::uint64_t>(std::llround(throughput[i])) / 2;
    point.ok = {half, static_cast<std::uint64_t>(std::llround(throughput[i])) - half};
    point.p90_ms = p90_ms;
    points.push_back(point);
  }
  return points;
}

TEST(SteadyStateBins, KnowHowLongThePointsOfALongRunAre) {
  std::vector<TimePoint> points = series(std::vector<double>(40, 8'000));
  for (TimePoint& point : points) point.t = 5 + (point.t - 5) * 8;
  const SteadyStateBins bins = make_steady_state_bins(points);
  EXPECT_EQ(bins.seconds_each, 16);
  EXPECT_EQ(bins.start_s, 5);
  EXPECT_THAT(bins.throughput, SizeIs(20));
  EXPECT_THAT(bins.throughput, Each(1'000));
}

TEST(SteadyStateBins, AreEqualAndOfTheMeasurementOnly) {
  const SteadyStateBins bins = make_steady_state_bins(series(std::vector<double>(65, 1'000)));
  EXPECT_EQ(bins.seconds_each, 3);
  EXPECT_THAT(bins.throughput, SizeIs(21));
  EXPECT_THAT(bins.throughput, Each(1'000));
  EXPECT_THAT(bins.p90_ms, Each(20));
}

TEST(SteadyStateBins, OfAShortRunAreItsSeconds) {
  EXPECT_THAT(make_steady_state_bins(series({7, 8, 9})).throughput, testing::ElementsAre(7, 8, 9));
  EXPECT_THAT(make_steady_state_bins({}).throughput, SizeIs(0));
}

TEST(SteadyStateBins, AreTwentyToForty) {
  for (const int seconds : {20, 39, 40, 59, 60, 119, 120, 121, 600, 7'200}) {
    const auto count = static_cast<std::size_t>(seconds);
    const SteadyStateBins bins = make_steady_state_bins(series(std::vector<double>(count, 100)));
    EXPECT_GE(bins.throughput.size(), 20u) << seconds;
    EXPECT_LE(bins.throughput.size(), 40u) << seconds;
  }
}

TEST(SteadyStateBins, ALastShortSecondIsLeftOut) {
  std::vector<TimePoint> points = series(std::vector<double>(20, 1'000));
  TimePoint last = points.back();
  last.t += 0.1;
  points.push_back(last);
  EXPECT_THAT(make_steady_state_bins(points).throughput, Each(1'000));
}

TEST(SteadyStateBins, SecondsWithoutTransactionsHaveNoLatency) {
  const SteadyStateBins bins = make_steady_state_bins(series(std::vector<double>(20, 0), 0));
  EXPECT_THAT(bins.throughput, SizeIs(20));
  EXPECT_THAT(bins.p90_ms, SizeIs(0));
}

TEST(SteadyStateBins, NoiseThatRemembersSeldomLooksLikeATrend) {
  std::mt19937_64 random(11);
  int alarms = 0;
  for (int round = 0; round < 2'000; ++round) {
    std::vector<double> throughput = noise(random, 60, 0.05, 0.6);
    for (double& value : throughput) value = 1'000 * (1 + value);
    const SteadyStateBins bins = make_steady_state_bins(series(throughput));
    if (throughput_has_trend(find_trend(bins.throughput))) ++alarms;
  }
  EXPECT_LE(alarms, 2);
}

TEST(SteadyStateBins, ADriftOfTenPercentIsSeen) {
  std::mt19937_64 random(12);
  int found = 0;
  constexpr int rounds = 200;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> throughput = noise(random, 120, 0.02, 0.5);
    for (std::size_t i = 0; i < throughput.size(); ++i) {
      throughput[i] = 1'000 * (1 + throughput[i] - 0.1 * static_cast<double>(i) / 120);
    }
    const SteadyStateBins bins = make_steady_state_bins(series(throughput));
    if (throughput_has_trend(find_trend(bins.throughput))) ++found;
  }
  EXPECT_GE(found, rounds * 90 / 100);
}

// The two runs that held: the primary key of stock dropped after 4 of 14 s, and a database that
// stopped before the end.
TEST(SteadyStateBins, ACollapseIsAStep) {
  for (const std::vector<double>& throughput :
       {std::vector<double>{519, 552, 560, 571, 588, 580, 569, 577, 590, 585, 594, 13, 0, 0},
        std::vector<double>{541, 566, 572, 559, 61, 27, 26, 28, 25, 29, 27, 26, 28, 27},
        std::vector<double>{487, 729, 742, 755, 37, 35, 36, 38, 36, 37, 35, 36, 37, 36}}) {
    const SteadyStateBins bins = make_steady_state_bins(series(throughput));
    const auto shift = find_throughput_shift(bins);
    ASSERT_TRUE(shift);
    EXPECT_EQ(shift->shape, LevelShift::Shape::step);
    EXPECT_LT(shift->to, shift->from / 10);
  }
}

TEST(SteadyStateBins, ACollapseIsSeenInAFewSeconds) {
  EXPECT_TRUE(find_throughput_shift(make_steady_state_bins(series({510, 500, 20, 10}))));
  EXPECT_TRUE(find_throughput_shift(make_steady_state_bins(series({510, 500, 490, 505, 0, 0}))));
  EXPECT_FALSE(
      find_throughput_shift(make_steady_state_bins(series({510, 400, 480, 505, 390, 420}))));
  EXPECT_FALSE(find_throughput_shift(make_steady_state_bins(series({510, 500, 0}))));
  EXPECT_FALSE(find_throughput_shift(make_steady_state_bins({})));
}

TEST(SteadyStateBins, ACollapseIsSeenAtTheEndOfAnHour) {
  std::vector<double> throughput(3'600, 1'000);
  for (std::size_t i = 0; i < throughput.size(); ++i) throughput[i] += static_cast<double>(i % 7);
  std::fill(throughput.end() - 100, throughput.end(), 0);
  const auto shift = find_throughput_shift(make_steady_state_bins(series(throughput)));
  ASSERT_TRUE(shift);
  EXPECT_EQ(shift->last, 40u);
  EXPECT_GE(shift->first, 38u);
}

TEST(SteadyStateBins, AStepOfTheLatencyIsSeenIfItMatters) {
  const auto shift_of = [](double before_ms, double after_ms) {
    std::vector<TimePoint> points = series(std::vector<double>(30, 1'000));
    for (std::size_t i = 0; i < points.size(); ++i) {
      points[i].p90_ms = (i < 12 ? before_ms : after_ms) * (1 + 0.02 * static_cast<double>(i % 5));
    }
    return find_p90_shift(make_steady_state_bins(points));
  };
  EXPECT_TRUE(shift_of(20, 60));
  EXPECT_TRUE(shift_of(60, 20)) << "a warm-up that was too short";
  EXPECT_FALSE(shift_of(2, 6)) << "4 ms";
  EXPECT_FALSE(shift_of(200, 240)) << "a fifth";
}

// A latency has to rise by a quarter and by 10 ms.
TEST(SteadyStateBins, ALatencyThatGrowsIsATrendIfItMatters) {
  const auto rising = [](double first_ms, double last_ms) {
    std::vector<double> p90s_ms;
    for (int i = 0; i < 20; ++i) p90s_ms.push_back(first_ms + (last_ms - first_ms) * i / 19);
    return p90_has_trend(find_trend(p90s_ms));
  };
  EXPECT_TRUE(rising(20, 40));
  EXPECT_FALSE(rising(2, 8)) << "6 ms";
  EXPECT_FALSE(rising(200, 230)) << "14%";
  EXPECT_TRUE(rising(40, 20)) << "a warm-up that was too short";
}

}  // namespace
}  // namespace drover::report
