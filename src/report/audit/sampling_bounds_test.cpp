#include "report/audit/sampling_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace drover::report {
namespace {

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

}  // namespace
}  // namespace drover::report
