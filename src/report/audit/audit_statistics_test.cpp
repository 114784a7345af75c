#include "report/audit/audit_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace drover::report {
namespace {

using testing::Each;
using testing::SizeIs;

// P(X <= count) of a binomial X, by the incomplete sum in logarithms.
double binomial_cumulative(std::uint64_t n, double p, std::uint64_t count) {
  double sum = 0;
  for (std::uint64_t k = 0; k <= count; ++k) {
    const auto trials = static_cast<double>(n);
    const auto successes = static_cast<double>(k);
    sum += std::exp(std::lgamma(trials + 1) - std::lgamma(successes + 1) -
                    std::lgamma(trials - successes + 1) + successes * std::log(p) +
                    (trials - successes) * std::log1p(-p));
  }
  return sum;
}

TEST(BinomialBounds, LeaveTheStatedTailAndNoLess) {
  for (const auto& [n, p] : {std::pair<std::uint64_t, double>{125, 0.01},
                             {3'000, 0.01},
                             {9'000, 0.01},
                             {50'000, 0.01},
                             {40, 0.6},
                             {200, 0.6},
                             {20'000, 0.6},
                             {120, 0.15},
                             {5'000, 0.15},
                             {5'000, 0.99}}) {
    const CountBounds bounds = binomial_bounds(n, p);
    if (bounds.low > 0) {
      EXPECT_LT(binomial_cumulative(n, p, bounds.low - 1), 1.15 * bound_tail) << n << " " << p;
    }
    EXPECT_LT(1 - binomial_cumulative(n, p, bounds.high), 1.15 * bound_tail) << n << " " << p;
    // And not far wider than that: two counts further in, the tail is too large.
    const double inside = binomial_cumulative(n, p, bounds.low + 2);
    const double beyond = 1 - binomial_cumulative(n, p, bounds.high - 3);
    EXPECT_GT(inside, bound_tail) << n << " " << p;
    EXPECT_GT(beyond, bound_tail) << n << " " << p;
  }
}

TEST(BinomialBounds, OfNothingIsNothing) {
  const CountBounds bounds = binomial_bounds(0, 0.01);
  EXPECT_EQ(bounds.low, 0u);
  EXPECT_EQ(bounds.high, 0u);
}

TEST(BinomialBounds, OfHugeCountsAreFourDeviations) {
  const CountBounds bounds = binomial_bounds(1'000'000'000, 0.01);
  EXPECT_NEAR(static_cast<double>(bounds.high), 1e7 + 4 * std::sqrt(9.9e6), 10);
  EXPECT_NEAR(static_cast<double>(bounds.low), 1e7 - 4 * std::sqrt(9.9e6), 10);
}

TEST(ObservedExponential, OfALongRunIsTheExponentialItself) {
  const Distribution all = observed_exponential(12, 1'000, 100'000);
  EXPECT_NEAR(all.mean, 12 * (1 - std::exp(-10)), 1e-3);
  EXPECT_NEAR(all.deviation, 12, 0.05);
  EXPECT_DOUBLE_EQ(all.cumulative(0), 0);
  EXPECT_NEAR(all.cumulative(12), 1 - std::exp(-1), 1e-9);
  EXPECT_NEAR(all.cumulative(119.9), 1, 1e-4);
  EXPECT_LT(all.cumulative(119.9), 1);
  EXPECT_DOUBLE_EQ(all.cumulative(120), 1);
}

// Terminals that only think, one after the other, from 0 on: what is seen of it in a short run.
TEST(ObservedExponential, OfAShortRunIsThatOfASimulatedOne) {
  std::mt19937_64 random(7);
  std::exponential_distribution<double> think(1 / 12.0);
  constexpr double warmup = 5;
  constexpr double interval = 10;
  const Distribution expected = observed_exponential(12, warmup, interval);
  double sum = 0;
  double below_6 = 0;
  int count = 0;
  for (int terminal = 0; terminal < 400'000; ++terminal) {
    // At 0 a stationary terminal is in the middle of a pause, which is not looked at.
    for (double begin = think(random); begin < warmup + interval;) {
      const double length = std::min(think(random), 120.0);
      const double end = begin + length;
      if (end >= warmup && end < warmup + interval) {
        sum += length;
        below_6 += length <= 6 ? 1 : 0;
        ++count;
      }
      begin = end;
    }
  }
  EXPECT_NEAR(sum / count, expected.mean, 0.02);
  EXPECT_NEAR(below_6 / count, expected.cumulative(6), 0.003);
  EXPECT_LT(expected.mean, 6) << "long ones are hardly seen";
  EXPECT_DOUBLE_EQ(expected.cumulative(15), 1);
}

TEST(KolmogorovDistance, FallsWithTheRootOfTheCount) {
  EXPECT_NEAR(kolmogorov_distance(10'000), 0.0247, 1e-4);
  EXPECT_NEAR(kolmogorov_distance(100) / kolmogorov_distance(10'000), 10, 1e-9);
}

TEST(KolmogorovDistance, IsNotReachedByUniformSamples) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<double> samples(100);
    for (double& sample : samples) sample = uniform(random);
    std::sort(samples.begin(), samples.end());
    double distance = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      distance = std::max({distance, static_cast<double>(i + 1) / 100 - samples[i],
                           samples[i] - static_cast<double>(i) / 100});
    }
    EXPECT_LT(distance, kolmogorov_distance(100));
  }
}

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
  points.push_back({{.ok = {999'999}}, 5, "warm-up"});
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
