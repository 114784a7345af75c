#include "lab/rounds.h"

#include <gtest/gtest.h>

#include <csignal>
#include <limits>
#include <stdexcept>
#include <vector>

namespace drover::lab {
namespace {

TEST(Apart, FiguresComeBack) {
  const std::vector<double> figures = {1.5, -2e300, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(measured_apart([&] { return figures; }), figures);
  EXPECT_TRUE(measured_apart([] { return std::vector<double>(); }).empty());
}

TEST(Apart, WhatItChangesStaysThere) {
  int value = 1;
  const auto figures = measured_apart([&] {
    value = 2;
    return std::vector<double>{static_cast<double>(value)};
  });
  EXPECT_EQ(figures, std::vector<double>{2});
  EXPECT_EQ(value, 1);
}

TEST(Apart, AnErrorIsHandedOn) {
  try {
    measured_apart([]() -> std::vector<double> { throw std::runtime_error("no more threads"); });
    FAIL() << "expected an error";
  } catch (const MeasurementFailed& error) {
    EXPECT_STREQ(error.what(), "no more threads");
  }
}

TEST(Apart, AProcessThatIsKilledIsAnError) {
  try {
    measured_apart([]() -> std::vector<double> {
      raise(SIGKILL);
      return {};
    });
    FAIL() << "expected an error";
  } catch (const MeasurementFailed& error) {
    EXPECT_NE(std::string(error.what()).find("Killed"), std::string::npos) << error.what();
  }
}

TEST(MedianInterval, OfOneMeasurementIsNotSureAtAll) {
  const MedianInterval interval = median_interval(std::vector{3.0}, 0.9);
  EXPECT_EQ(interval.median, 3);
  EXPECT_EQ(interval.low, 3);
  EXPECT_EQ(interval.high, 3);
  EXPECT_EQ(interval.confidence, 0);
  EXPECT_EQ(interval_text(interval), "3.00 (one round)");
}

TEST(MedianInterval, OfFewIsAllOfThemAndSaysHowSureThatIs) {
  const MedianInterval interval = median_interval(std::vector{4.0, 1.0, 2.0}, 0.9);
  EXPECT_EQ(interval.median, 2);
  EXPECT_EQ(interval.low, 1);
  EXPECT_EQ(interval.high, 4);
  EXPECT_DOUBLE_EQ(interval.confidence, 0.75);  // all on one side: 2 of 8
}

// From tables of the sign test: ranks 2 and 9 of ten are 97.9% sure, 3 and 8 only 89.1%.
TEST(MedianInterval, OfTenLeavesOutAsManyAsItMay) {
  const std::vector<double> sample = {10, 1, 9, 2, 8, 3, 7, 4, 6, 5};
  const MedianInterval sure = median_interval(sample, 0.95);
  EXPECT_EQ(sure.median, 5.5);
  EXPECT_EQ(sure.low, 2);
  EXPECT_EQ(sure.high, 9);
  EXPECT_NEAR(sure.confidence, 0.979, 0.0005);
  const MedianInterval narrower = median_interval(sample, 0.85);
  EXPECT_EQ(narrower.low, 3);
  EXPECT_EQ(narrower.high, 8);
  EXPECT_NEAR(narrower.confidence, 0.891, 0.0005);
  EXPECT_EQ(interval_text(sure), "5.50 (2.00 to 9.00, 98% confidence)");
}

// Half to the power of 10,000 is nothing to a double; the interval is that of a normal
// distribution.
TEST(MedianInterval, OfManyIsStillExact) {
  std::vector<double> sample;
  for (int i = 0; i < 10'000; ++i) sample.push_back(i);
  const MedianInterval interval = median_interval(sample, 0.95);
  EXPECT_EQ(interval.median, 4999.5);
  EXPECT_NEAR(interval.low, 4999.5 - 98, 2);
  EXPECT_NEAR(interval.high, 4999.5 + 98, 2);
  EXPECT_GE(interval.confidence, 0.95);
  EXPECT_LE(interval.confidence, 0.96);
}

}  // namespace
}  // namespace drover::lab
