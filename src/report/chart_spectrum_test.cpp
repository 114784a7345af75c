#include "report/chart_spectrum.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace drover::report {
namespace {

TEST(Spectrum, OfNothing) {
  EXPECT_TRUE(make_spectrum({}).empty());
}

TEST(Spectrum, OfOneSampleIsAPoint) {
  measure::HistogramSnapshot histogram;
  histogram.record(5'000'000);
  const auto points = make_spectrum(histogram);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_DOUBLE_EQ(points[0].inverse, 1);
  EXPECT_DOUBLE_EQ(points[0].ms, 5);
}

TEST(Spectrum, EndsWhereTheSampleDoes) {
  measure::HistogramSnapshot histogram;
  for (std::uint64_t i = 1; i <= 200; ++i) histogram.record(i * 1'000'000);
  const auto points = make_spectrum(histogram);
  EXPECT_DOUBLE_EQ(points.back().inverse, 200);
  EXPECT_NEAR(points.back().percent, 99.5, 1e-9);
  EXPECT_NEAR(points.back().ms, 200, 2);
}

TEST(Spectrum, GoesTo9999AndRises) {
  measure::HistogramSnapshot histogram;
  for (std::uint64_t i = 1; i <= 100'000; ++i) histogram.record(i * 1'000);
  const auto points = make_spectrum(histogram);
  EXPECT_DOUBLE_EQ(points.front().inverse, 1);
  EXPECT_DOUBLE_EQ(points.back().inverse, spectrum_inverse_max);
  EXPECT_TRUE(std::ranges::is_sorted(points, {}, &SpectrumPoint::inverse));
  EXPECT_TRUE(std::ranges::is_sorted(points, {}, &SpectrumPoint::ms));
  for (const SpectrumPoint& point : points) {
    EXPECT_NEAR(point.ms, std::max(0.001, point.percent), point.percent * 0.01 + 0.002);
  }
}

TEST(Spectrum, PositionOfAPercentile) {
  EXPECT_DOUBLE_EQ(inverse_of_percent(0), 1);
  EXPECT_DOUBLE_EQ(inverse_of_percent(50), 2);
  EXPECT_NEAR(inverse_of_percent(99.9), 1'000, 1e-6);
  EXPECT_DOUBLE_EQ(inverse_of_percent(100), spectrum_inverse_max);
}

}  // namespace
}  // namespace drover::report
