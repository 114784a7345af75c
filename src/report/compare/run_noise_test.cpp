#include "support/run_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace drover::report {
namespace {

std::vector<double> draw(const RunNoise& noise, int count, std::uint64_t seed) {
  RunSeries series(noise, 3000, seed);
  std::vector<double> figures;
  for (int i = 0; i < count; ++i) figures.push_back(series.next());
  return figures;
}

TEST(RunNoiseTest, WhatWasDrawnIsFoundAgain) {
  const RunNoise noise{.deviation = 0.02, .shared_deviation = 0.06, .drift = -0.001};
  const RunNoise found = fit_run_noise(draw(noise, 400, 3));
  EXPECT_NEAR(found.deviation, 0.02, 0.003);
  EXPECT_NEAR(found.shared_deviation, 0.06, 0.009);
  EXPECT_NEAR(found.drift, -0.001, 0.0001);
  EXPECT_EQ(found.outlier_share, 0);
}

TEST(RunNoiseTest, SpoiltRunsAreTakenOut) {
  const RunNoise noise{
      .deviation = 0.02, .drift = -0.001, .outlier_share = 0.08, .outlier_shift = -0.3};
  const RunNoise found = fit_run_noise(draw(noise, 400, 3));
  EXPECT_NEAR(found.deviation, 0.02, 0.003);
  EXPECT_NEAR(found.outlier_share, 0.08, 0.04);
  EXPECT_NEAR(found.outlier_shift, -0.3, 0.02);
}

TEST(RunNoiseTest, WhatPairsHaveInCommonIsNotTakenForTheNoiseOfARun) {
  // A machine that is fast at times and slow at others.
  std::vector<double> figures = draw({.deviation = 0.01}, 24, 7);
  for (std::size_t i = 0; i < figures.size(); ++i) figures[i] *= i / 6 % 2 == 0 ? 1 : 0.85;
  const RunNoise found = fit_run_noise(figures);
  EXPECT_NEAR(found.deviation, 0.01, 0.006);
  EXPECT_GT(found.shared_deviation, 0.05);
  EXPECT_EQ(found.outlier_share, 0);
}

TEST(RunNoiseTest, TwelvePairsAreFittedOnAverage) {
  constexpr int rounds = 200;
  double own_variance = 0;
  double shared_variance = 0;
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    const RunNoise found =
        fit_run_noise(draw({.deviation = 0.01, .shared_deviation = 0.03}, 24, seed));
    own_variance += found.deviation * found.deviation / rounds;
    shared_variance += found.shared_deviation * found.shared_deviation / rounds;
  }
  EXPECT_NEAR(std::sqrt(own_variance), 0.01, 0.0006);
  EXPECT_NEAR(std::sqrt(shared_variance), 0.03, 0.002);
}

TEST(RunNoiseTest, EqualRunsHaveNoNoise) {
  const RunNoise noise = fit_run_noise(std::vector<double>(8, 3000.0));
  EXPECT_EQ(noise.deviation, 0);
  EXPECT_EQ(noise.shared_deviation, 0);
  EXPECT_EQ(noise.drift, 0);
  EXPECT_EQ(noise.outlier_share, 0);
}

TEST(RunNoiseTest, ASeriesIsTheSameForASeed) {
  EXPECT_EQ(draw({}, 5, 1), draw({}, 5, 1));
  EXPECT_NE(draw({}, 5, 1), draw({}, 5, 2));
  EXPECT_NEAR(RunSeries({.deviation = 0}, 3000, 1).next(), 3000, 1e-9);
}

}  // namespace
}  // namespace drover::report
