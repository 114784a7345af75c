#include "report/compare/compare_shift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace drover::report {
namespace {

// Critical values of printed tables.
TEST(StudentDistributionTest, QuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(student_quantile(0.025, 1), 12.706, 5e-4);
  EXPECT_NEAR(student_quantile(0.025, 2), 4.303, 5e-4);
  EXPECT_NEAR(student_quantile(0.025, 4), 2.776, 5e-4);
  EXPECT_NEAR(student_quantile(0.005, 8), 3.355, 5e-4);
  EXPECT_NEAR(student_quantile(0.05, 30), 1.697, 5e-4);
  EXPECT_NEAR(student_quantile(0.0005, 120), 3.373, 5e-4);
  EXPECT_NEAR(student_quantile(0.025, 1e9), 1.959964, 1e-6);
  EXPECT_NEAR(student_quantile(0.5, 7), 0, 1e-9);
}

TEST(StudentDistributionTest, TheTailIsTheCauchyDistributionsForOneDegree) {
  for (const double t : {-30.0, -2.0, -0.1, 0.0, 0.5, 1.0, 3.0, 100.0}) {
    EXPECT_NEAR(student_tail(t, 1), 0.5 - std::atan(t) / M_PI, 1e-12) << t;
  }
}

TEST(StudentDistributionTest, TheTailsSumToOneAndGoOnBeyondAllNumbers) {
  for (const double degrees : {0.7, 3.0, 19.5, 400.0, 1e5}) {
    for (const double t : {0.01, 0.7, 2.5, 9.0}) {
      EXPECT_NEAR(student_tail(t, degrees) + student_tail(-t, degrees), 1, 1e-12);
    }
  }
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(student_tail(infinity, 3), 0);
  EXPECT_EQ(student_tail(-infinity, 3), 1);
  EXPECT_EQ(student_tail(std::nan(""), 3), 0.5);
  EXPECT_NEAR(student_tail(1.96, 999'999), student_tail(1.96, 1e6), 1e-6);
}

}  // namespace
}  // namespace drover::report
