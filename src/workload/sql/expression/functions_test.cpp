// Compares the shares of many draws with the distributions of pgbench's manual.
#include "workload/sql/expression/expression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <set>
#include <vector>

namespace drover::sql {
namespace {

constexpr int draws = 100'000;
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

// Returns the shares of the draws of 1 … 10. Index 0 belongs to 1.
std::array<double, 10> shares(const std::function<std::int64_t(random::Rng&)>& draw) {
  std::array<double, 10> result{};
  random::Rng rng(3);
  for (int i = 0; i < draws; ++i) result.at(static_cast<std::size_t>(draw(rng) - 1)) += 1.0 / draws;
  return result;
}

TEST(Distributions, Uniform) {
  for (const double share : shares([](auto& rng) { return uniform_integer(rng, 1, 10); })) {
    EXPECT_NEAR(share, 0.1, 0.005);
  }
  random::Rng rng(1);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_GE(uniform_integer(rng, -largest, -1), -largest);
    EXPECT_LE(uniform_integer(rng, -largest, -1), -1);
    EXPECT_EQ(uniform_integer(rng, 5, 5), 5);
  }
}

TEST(Distributions, Exponential) {
  for (const double parameter : {0.001, 2.5, 20.0}) {
    const auto found =
        shares([&](auto& rng) { return exponential_integer(rng, 1, 10, parameter); });
    for (int i = 0; i < 10; ++i) {
      const double expected = std::exp(-parameter * i / 10) * (1 - std::exp(-parameter / 10)) /
                              (1 - std::exp(-parameter));
      EXPECT_NEAR(found.at(i), expected, 0.006);
    }
  }
}

double normal_share_below(double deviations) {
  return 0.5 * (1 + std::erf(deviations / std::sqrt(2)));
}

TEST(Distributions, Gaussian) {
  for (const double parameter : {2.0, 2.5, 6.0}) {
    const auto found = shares([&](auto& rng) { return gaussian_integer(rng, 1, 10, parameter); });
    for (int i = 0; i < 10; ++i) {
      const double from = 2 * parameter * (i / 10.0 - 0.5);
      const double to = 2 * parameter * ((i + 1) / 10.0 - 0.5);
      const double expected = (normal_share_below(to) - normal_share_below(from)) /
                              (2 * normal_share_below(parameter) - 1);
      EXPECT_NEAR(found.at(i), expected, 0.006);
    }
  }
}

TEST(Distributions, Zipfian) {
  for (const double parameter : {1.001, 1.07, 2.0, 3.5, 40.0}) {
    const auto found = shares([&](auto& rng) { return zipfian_integer(rng, 1, 10, parameter); });
    double sum = 0;
    for (int k = 1; k <= 10; ++k) sum += std::pow(k, -parameter);
    for (int k = 1; k <= 10; ++k) {
      EXPECT_NEAR(found.at(k - 1), std::pow(k, -parameter) / sum, 0.006) << parameter << " " << k;
    }
  }
}

TEST(Distributions, StayInTheirRanges) {
  random::Rng rng(5);
  for (const std::int64_t low : {std::int64_t{1}, -largest / 2, std::int64_t{-5}}) {
    const std::int64_t high = low == 1 ? largest - 1 : low + largest / 2;
    for (int i = 0; i < 2000; ++i) {
      for (const std::int64_t drawn :
           {zipfian_integer(rng, low, high, 1.001), zipfian_integer(rng, low, high, 1000),
            gaussian_integer(rng, low, high, 2), gaussian_integer(rng, low, high, 1e9),
            exponential_integer(rng, low, high, 1e-300), exponential_integer(rng, low, high, 1e300),
            exponential_integer(rng, low, high, 1e-9), zipfian_integer(rng, low, low + 1, 1.001)}) {
        ASSERT_GE(drawn, low);
        ASSERT_LE(drawn, high);
      }
    }
  }
}

TEST(Hashes, PermuteIsAPermutation) {
  for (const std::int64_t size : {1, 2, 3, 4, 5, 7, 8, 100, 1023, 1024, 1025}) {
    std::set<std::int64_t> places;
    for (std::int64_t value = 0; value < size; ++value) {
      const std::int64_t place = permute(value, size, 99);
      EXPECT_GE(place, 0);
      EXPECT_LT(place, size);
      places.insert(place);
    }
    EXPECT_EQ(static_cast<std::int64_t>(places.size()), size);
  }
}

}  // namespace
}  // namespace drover::sql
