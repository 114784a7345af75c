#include "random/zeta.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace drover::random {
namespace {

double summed(std::uint64_t items, double skew) {
  double sum = 0;
  for (std::uint64_t i = items; i > 0; --i) sum += std::pow(static_cast<double>(i), -skew);
  return sum;
}

TEST(Zeta, IsTheSum) {
  for (const std::uint64_t items : {0, 1, 2, 99, 100, 101, 1'000, 1'000'000}) {
    for (const double skew : {0.0, 0.5, 0.99, 1.0, 1.2, 2.0, 10.0}) {
      const double sum = summed(items, skew);
      EXPECT_NEAR(zeta(items, skew), sum, 2e-13 * sum) << items << " " << skew;
    }
  }
}

TEST(Zeta, ComesToWhatIsKnown) {
  EXPECT_NEAR(zeta(std::uint64_t{1} << 62, 2), 1.6449340668482264, 1e-13);    // pi^2 / 6
  EXPECT_NEAR(zeta(10'000'000'000, 0.99), 26.46902820178302, 1e-7);           // as published
  EXPECT_NEAR(zeta(1'000'000'000, 1), std::log(1e9) + 0.57721566540, 1e-10);  // Euler's constant
}

TEST(Zeta, RefusesOtherSkews) {
  EXPECT_THROW(zeta(10, -0.1), std::invalid_argument);
  EXPECT_THROW(zeta(10, 10.1), std::invalid_argument);
  EXPECT_THROW(zeta(10, std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
}

}  // namespace
}  // namespace drover::random
