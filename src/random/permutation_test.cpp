#include "random/permutation.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace drover::random {
namespace {

void expect_bijection(std::uint64_t size) {
  const Permutation permutation(size);
  std::vector<bool> seen(size);
  for (std::uint64_t i = 0; i < size; ++i) {
    const std::uint64_t image = permutation(i);
    ASSERT_LT(image, size);
    ASSERT_FALSE(seen[image]) << "of " << size << " two go to " << image;
    seen[image] = true;
  }
}

TEST(Permutation, IsABijectionOfAnySize) {
  for (std::uint64_t size = 1; size <= 600; ++size) expect_bijection(size);
  for (const std::uint64_t size : {1'023, 1'024, 1'025, 65'535, 65'537, 100'000, 262'144}) {
    expect_bijection(size);
  }
}

TEST(Permutation, StaysWithinTheLargestSizes) {
  for (const std::uint64_t size : {std::uint64_t{1} << 62, (std::uint64_t{1} << 62) + 1,
                                   (std::uint64_t{1} << 63) + 1, ~std::uint64_t{0}}) {
    const Permutation permutation(size);
    for (std::uint64_t i = 0; i < 1'000; ++i) {
      EXPECT_LT(permutation(i), size);
      EXPECT_LT(permutation(size - 1 - i), size);
    }
  }
}

// The hottest thousand keys are spread at random: chi-square over 50 parts, 49 degrees of freedom.
TEST(Permutation, ScattersNeighbours) {
  for (const std::uint64_t size : {10'000, 65'536, 1'000'000, 100'000'000}) {
    const Permutation permutation(size);
    std::array<int, 50> parts{};
    for (std::uint64_t i = 0; i < 1'000; ++i) ++parts.at(permutation(i) * 50 / size);
    double statistic = 0;
    for (const int count : parts) statistic += (count - 20) * (count - 20) / 20.0;
    EXPECT_LT(statistic, 100) << size;
    int near = 0;
    for (std::uint64_t i = 0; i + 1 < 1'000; ++i) {
      const std::uint64_t distance = permutation(i + 1) - permutation(i);
      near += distance < size / 100 || 0 - distance < size / 100 ? 1 : 0;
    }
    EXPECT_NEAR(near, 20, 20) << size;
  }
}

TEST(Permutation, IsTheSameOnEveryHost) {
  const Permutation permutation(1'000'000);
  EXPECT_EQ(permutation(0), 400'088U);
  EXPECT_EQ(permutation(1), 269'475U);
  EXPECT_EQ(permutation(999'999), 867'649U);
}

TEST(Permutation, RefusesNothing) {
  EXPECT_THROW(Permutation(0), std::invalid_argument);
}

}  // namespace
}  // namespace drover::random
