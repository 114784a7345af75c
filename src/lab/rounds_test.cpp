#include "lab/rounds.h"

#include <gtest/gtest.h>

#include <csignal>
#include <limits>
#include <stdexcept>

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

}  // namespace
}  // namespace drover::lab
