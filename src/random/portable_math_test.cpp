#include "random/portable_math.h"

#include <gtest/gtest.h>

#include <cmath>

#include "random/rng.h"

namespace drover::random {
namespace {

constexpr double relative_error_max = 4.45e-16;  // 2 units in the last place

void expect_near_enough(double actual, double expected, double of) {
  EXPECT_LE(std::abs(actual - expected), relative_error_max * std::abs(expected)) << "of " << of;
}

TEST(PortableMath, IsAsGoodAsTheLibrarys) {
  Rng rng(11);
  for (int i = 0; i < 20'000; ++i) {
    const double x = std::exp((rng.unit() - 0.5) * 1'400);
    expect_near_enough(portable_log(x), std::log(x), x);
    const double power = (rng.unit() - 0.5) * 1'400;
    expect_near_enough(portable_exp(power), std::exp(power), power);
  }
}

TEST(PortableMath, KeepsTheDigitsOfSmallNumbers) {
  Rng rng(12);
  for (int i = 0; i < 20'000; ++i) {
    const double t = (rng.unit() - 0.5) * std::exp(-40 * rng.unit());
    expect_near_enough(portable_log1p(t), std::log1p(t), t);
    EXPECT_NEAR(portable_expm1(t) / std::expm1(t), 1, 1e-15) << t;
  }
}

TEST(PortableMath, AtItsEnds) {
  EXPECT_EQ(portable_log(1), 0);
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_log1p(0), 0);
  EXPECT_EQ(portable_expm1(0), 0);
  EXPECT_EQ(portable_expm1(-100), -1);
  expect_near_enough(portable_log(0x1p62), std::log(0x1p62), 0x1p62);
  expect_near_enough(portable_log1p(-1 + 0x1p-53), std::log(0x1p-53), -1);
}

}  // namespace
}  // namespace drover::random
