#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "random/distributions.h"

namespace drover::random {
namespace {

constexpr std::uint64_t most_items = std::uint64_t{1} << 62;
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

TEST(Hotspot, GivesTheHotTheirShare) {
  const Hotspot hotspot(0.2, 0.8);
  Rng rng(1);
  int hot = 0;
  std::vector<int> counts(10);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t number = hotspot.draw(rng, 10);
    ++counts.at(number);
    hot += number < 2 ? 1 : 0;
  }
  EXPECT_NEAR(hot, 80'000, 700);
  EXPECT_NEAR(counts[0], 40'000, 700);
  for (std::size_t i = 2; i < counts.size(); ++i) EXPECT_NEAR(counts[i], 2'500, 250);
}

TEST(Hotspot, AlwaysHasAHotNumber) {
  Rng rng(1);
  const Hotspot nothing_hot(0, 1);
  EXPECT_EQ(nothing_hot.hot_items(100), 1U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(nothing_hot.draw(rng, 100), 0U);
  const Hotspot all_hot(1, 0);
  EXPECT_EQ(all_hot.hot_items(100), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_LT(all_hot.draw(rng, 100), 100U);
  EXPECT_EQ(Hotspot(0.2, 0.8).draw(rng, 1), 0U);
  EXPECT_LT(Hotspot(0.2, 0.8).draw(rng, most_items), most_items);
}

TEST(Hotspot, NeverDrawsTheHotWithoutAShare) {
  Rng rng(1);
  const Hotspot hotspot(0.5, 0);
  for (int i = 0; i < 1'000; ++i) EXPECT_GE(hotspot.draw(rng, 100), 50U);
}

TEST(Hotspot, RefusesOtherArguments) {
  EXPECT_THROW(Hotspot(-0.1, 0.5), std::invalid_argument);
  EXPECT_THROW(Hotspot(0.5, 1.1), std::invalid_argument);
  EXPECT_THROW(Hotspot(no_number, 0.5), std::invalid_argument);
}

TEST(Exponential, HasItsPercentageWithinTheFraction) {
  const Exponential exponential(95, 0.5);
  Rng rng(1);
  int within = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t number = exponential.draw(rng, 1'000'000);
    ASSERT_LT(number, 1'000'000U);
    within += number < 500'000 ? 1 : 0;
  }
  // 0.25% of the whole distribution are outside of the range.
  EXPECT_NEAR(within, 100'000 * 0.95 / 0.9975, 400);
}

TEST(Exponential, StaysWithinTheNumbers) {
  Rng rng(1);
  for (const double percent : {0.001, 50.0, 99.999999}) {
    for (const double fraction : {0.000001, 0.5, 1.0}) {
      const Exponential exponential(percent, fraction);
      for (const std::uint64_t items : {std::uint64_t{1}, std::uint64_t{2}, most_items}) {
        for (int i = 0; i < 1'000; ++i) ASSERT_LT(exponential.draw(rng, items), items);
      }
    }
  }
}

TEST(Exponential, RefusesOtherArguments) {
  EXPECT_THROW(Exponential(0, 0.5), std::invalid_argument);
  EXPECT_THROW(Exponential(100, 0.5), std::invalid_argument);
  EXPECT_THROW(Exponential(95, 0), std::invalid_argument);
  EXPECT_THROW(Exponential(95, 1.1), std::invalid_argument);
  EXPECT_THROW(Exponential(no_number, 0.5), std::invalid_argument);
}

TEST(Sequential, BeginsAgainAtTheEnd) {
  Sequential sequential;
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_EQ(sequential.draw(4), i % 4);
}

TEST(Sequential, StripesCoverAllNumbersTogether) {
  Sequential one(0, 3, 4);
  Sequential other(3, 1, 4);
  std::vector<std::uint64_t> drawn;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 3; ++i) drawn.push_back(one.draw(10));
    drawn.push_back(other.draw(10));
  }
  for (std::size_t i = 0; i < drawn.size(); ++i) EXPECT_EQ(drawn[i], i % 10);
}

TEST(Sequential, ThreadsShareOneTurn) {
  constexpr std::size_t threads = 4;
  constexpr int draws = 2'500;
  Sequential sequential;
  std::array<std::array<int, 10>, threads> counts{};
  std::vector<std::jthread> drawing;
  for (auto& own : counts) {
    drawing.emplace_back([&sequential, &own] {
      for (int i = 0; i < draws; ++i) ++own.at(sequential.draw(10));
    });
  }
  drawing.clear();
  for (std::size_t number = 0; number < 10; ++number) {
    int all = 0;
    for (const auto& own : counts) all += own[number];
    EXPECT_EQ(all, 1'000) << number;
  }
}

TEST(Sequential, RefusesAnEmptyStripeAndOneOutsideOfTheWhole) {
  EXPECT_THROW(Sequential(0, 0, 1), std::invalid_argument);
  EXPECT_THROW(Sequential(1, 2, 2), std::invalid_argument);
  EXPECT_THROW(Sequential(3, 1, 2), std::invalid_argument);
}

}  // namespace
}  // namespace drover::random
