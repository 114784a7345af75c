#include "random/rng.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace drover::random {
namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

TEST(Rng, DrawsTheSameFromASeedForEver) {
  // Stored results depend on these numbers.
  Rng rng = Rng::stream(7, 1, {2, 3});
  EXPECT_EQ(rng.next(), 10'437'429'293'611'601'097ULL);
  EXPECT_EQ(rng.uniform(1, 1000), 191);
  EXPECT_EQ(rng.uniform64(0, std::uint64_t{1} << 40), 601'681'897'622ULL);
}

TEST(Rng, UniformOf64BitsHasBothEnds) {
  Rng rng(1);
  std::array<int, 5> seen{};
  for (int i = 0; i < 5000; ++i) ++seen.at(rng.uniform64(largest - 4, largest) - (largest - 4));
  for (const int count : seen) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(rng.uniform64(9, 9), 9U);
  EXPECT_EQ(rng.uniform64(largest, largest), largest);
}

TEST(Rng, UniformOfAllNumbersIsNext) {
  Rng one(3);
  Rng other(3);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(one.uniform64(0, largest), other.next());
}

// A multiplication alone would favour parts of a range of 3/4 of 2^64.
TEST(Rng, UniformOfALargeRangeIsWithoutBias) {
  Rng rng(5);
  const std::uint64_t range = (std::uint64_t{1} << 62) * 3;
  std::array<int, 3> thirds{};
  for (int i = 0; i < 30'000; ++i) ++thirds.at(rng.below(range) >> 62);
  for (const int count : thirds) EXPECT_NEAR(count, 10'000, 400);
  int even = 0;
  for (int i = 0; i < 30'000; ++i) even += rng.below(range) % 2 == 0 ? 1 : 0;
  EXPECT_NEAR(even, 15'000, 450);
}

}  // namespace
}  // namespace drover::random
