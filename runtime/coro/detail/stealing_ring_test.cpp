// StealingRing alone: limits, overflow of its indexes, and thieves against the owner.
#include "coro/detail/stealing_ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>

namespace drover::coro {
namespace {

using testing::ElementsAre;

constexpr std::uint32_t capacity = 8;
using Ring = StealingRing<int, capacity>;

template <class AnyRing>
std::vector<int> drain(AnyRing& ring) {
  std::vector<int> items;
  while (const int* item = ring.pop()) items.push_back(*item);
  return items;
}

// Ring whose indexes start shortly before their overflow, or at 0.
class StealingRingAt : public testing::TestWithParam<std::uint32_t> {
 protected:
  StealingRingAt() { std::iota(items.begin(), items.end(), 0); }

  void push(int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(ring.try_push(&items[static_cast<std::size_t>(pushed++)]));
    }
  }

  std::array<int, 100> items;
  int pushed = 0;
  Ring ring{GetParam()};
  Ring thief{GetParam() + 3};
};

TEST_P(StealingRingAt, HandsOutTheOldestFirst) {
  push(3);
  EXPECT_THAT(drain(ring), ElementsAre(0, 1, 2));
  EXPECT_EQ(ring.pop(), nullptr);
}

TEST_P(StealingRingAt, RefusesWhatDoesNotFitUntilThereIsRoom) {
  push(capacity);
  EXPECT_FALSE(ring.try_push(&items[99]));
  EXPECT_EQ(*ring.pop(), 0);
  EXPECT_TRUE(ring.try_push(&items[99]));
  EXPECT_THAT(drain(ring), ElementsAre(1, 2, 3, 4, 5, 6, 7, 99));
}

TEST_P(StealingRingAt, GivesItsOlderHalfAway) {
  push(capacity);
  std::array<int*, capacity / 2> half{};
  ASSERT_EQ(ring.take_half(half), capacity / 2);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(*half[static_cast<std::size_t>(i)], i);
  EXPECT_THAT(drain(ring), ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(ring.take_half(half), 0U);
}

TEST_P(StealingRingAt, AThiefTakesTheOlderHalfRoundedUp) {
  push(5);
  EXPECT_EQ(*ring.steal_half(thief), 0);
  EXPECT_THAT(drain(thief), ElementsAre(1, 2));
  EXPECT_THAT(drain(ring), ElementsAre(3, 4));
}

TEST_P(StealingRingAt, AThiefTakesTheOnlyOneAndThenNothing) {
  push(1);
  EXPECT_TRUE(ring.worth_stealing());
  EXPECT_EQ(*ring.steal_half(thief), 0);
  EXPECT_FALSE(ring.worth_stealing());
  EXPECT_EQ(ring.steal_half(thief), nullptr);
  EXPECT_EQ(thief.pop(), nullptr);
}

TEST_P(StealingRingAt, AThiefTakesNoMoreThanFits) {
  for (int i = 50; i < 57; ++i) ASSERT_TRUE(thief.try_push(&items[static_cast<std::size_t>(i)]));
  push(capacity);
  EXPECT_EQ(*ring.steal_half(thief), 0);  // in hand, and there is room for one more
  EXPECT_THAT(drain(thief), ElementsAre(50, 51, 52, 53, 54, 55, 56, 1));
  EXPECT_THAT(drain(ring), ElementsAre(2, 3, 4, 5, 6, 7));
}

TEST_P(StealingRingAt, ComesRoundManyTimes) {
  for (int round = 0; round < 100; ++round) {
    pushed = 0;
    push(6);
    EXPECT_EQ(*ring.steal_half(thief), 0);
    EXPECT_THAT(drain(ring), ElementsAre(3, 4, 5));
    EXPECT_THAT(drain(thief), ElementsAre(1, 2));
  }
}

INSTANTIATE_TEST_SUITE_P(Indexes, StealingRingAt,
                         testing::Values(0U, std::numeric_limits<std::uint32_t>::max() - 3,
                                         std::numeric_limits<std::uint32_t>::max()));

// A small ring is often full, empty or half stolen. Its indexes overflow early.
TEST(StealingRingStress, EachItemIsTakenOnceByTheOwnerOrAThief) {
  constexpr std::size_t count = 40'000;
  constexpr std::size_t thieves = 3;
  StealingRing<int, 16> ring(std::numeric_limits<std::uint32_t>::max() - 1000);
  std::vector<int> items(count, 0);  // how often each was taken
  std::atomic<std::size_t> taken{0};
  const auto take = [&taken](int* item) {
    ++*item;  // a race if two take the same
    taken.fetch_add(1, std::memory_order_relaxed);
  };
  const auto steal = [&] {
    StealingRing<int, 16> own;
    while (taken.load(std::memory_order_relaxed) < count) {
      if (int* item = ring.steal_half(own)) take(item);
      while (int* item = own.pop()) take(item);
      std::this_thread::yield();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < thieves; ++i) threads.emplace_back(steal);
  std::array<int*, 8> half{};
  for (std::size_t i = 0; i < count; ++i) {
    while (!ring.try_push(&items[i])) {
      const std::size_t moved = ring.take_half(half);
      for (std::size_t j = 0; j < moved; ++j) take(half[j]);
    }
    if (i % 3 == 0) {
      if (int* item = ring.pop()) take(item);
    }
  }
  while (int* item = ring.pop()) take(item);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::count(items.begin(), items.end(), 1), static_cast<std::ptrdiff_t>(count));
}

// Two workers push and steal from each other, so the target of a theft is a victim itself.
TEST(StealingRingStress, ThievesAreStolenFrom) {
  constexpr std::size_t count = 20'000;
  std::array<StealingRing<int, 16>, 2> rings;
  std::array<std::vector<int>, 2> items;
  for (auto& own : items) own.assign(count, 0);
  std::atomic<std::size_t> taken{0};
  const auto take = [&taken](int* item) {
    ++*item;
    taken.fetch_add(1, std::memory_order_relaxed);
  };
  const auto work = [&](std::size_t self) {
    std::size_t pushed = 0;
    while (taken.load(std::memory_order_relaxed) < 2 * count) {
      while (pushed < count && rings[self].try_push(&items[self][pushed])) ++pushed;
      for (int i = 0; i < 5; ++i) {
        if (int* item = rings[self].pop()) take(item);
      }
      if (int* item = rings[1 - self].steal_half(rings[self])) take(item);
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  for (const auto& own : items) {
    EXPECT_EQ(std::count(own.begin(), own.end(), 1), static_cast<std::ptrdiff_t>(count));
  }
}

}  // namespace
}  // namespace drover::coro
