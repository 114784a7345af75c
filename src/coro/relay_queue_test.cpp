// The relay queue: order, limits, and conservation under many producers and consumers.
#include "coro/relay_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace drover::coro {
namespace {

TEST(RelayQueueTest, IsAFifo) {
  RelayQueue<int> queue(4);
  std::array<int, 3> items{};
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.try_pop(), nullptr);
  for (int& item : items) ASSERT_TRUE(queue.try_push(&item));
  EXPECT_FALSE(queue.empty());
  for (int& item : items) EXPECT_EQ(queue.try_pop(), &item);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.try_pop(), nullptr);
}

TEST(RelayQueueTest, RefusesMoreThanItsCapacityAndTakesItAgainLater) {
  RelayQueue<int> queue(2);
  std::array<int, 3> items{};
  for (int round = 0; round < 1000; ++round) {
    EXPECT_FALSE(queue.full());
    ASSERT_TRUE(queue.try_push(&items[0]));
    ASSERT_TRUE(queue.try_push(&items[1]));
    EXPECT_TRUE(queue.full());
    EXPECT_FALSE(queue.try_push(&items[2]));
    EXPECT_EQ(queue.try_pop(), &items[0]);
    ASSERT_TRUE(queue.try_push(&items[2]));
    EXPECT_EQ(queue.try_pop(), &items[1]);
    EXPECT_EQ(queue.try_pop(), &items[2]);
  }
}

TEST(RelayQueueTest, RefusesAnImpossibleCapacity) {
  EXPECT_THROW(RelayQueue<int>(0), std::invalid_argument);
  EXPECT_THROW(RelayQueue<int>(RelayQueue<int>::capacity_max + 1), std::invalid_argument);
}

struct Item {
  std::size_t producer = 0;
  std::size_t number = 0;
  int taken = 0;  // unguarded: a second taker is a race
};

// Three places for four threads: nodes are used again at once, which is where the counts matter.
TEST(RelayQueueStress, EachItemIsTakenOnceAndInTheOrderOfItsProducer) {
  constexpr std::size_t producers = 2;
  constexpr std::size_t consumers = 2;
  constexpr std::size_t count = 15'000;
  RelayQueue<Item> queue(3);
  std::array<std::vector<Item>, producers> items;
  std::atomic<std::size_t> taken{0};
  std::atomic<bool> in_order{true};
  const auto produce = [&](std::size_t producer) {
    items[producer].resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      Item& item = items[producer][i];
      item.producer = producer;
      item.number = i;
      while (!queue.try_push(&item)) std::this_thread::yield();
    }
  };
  const auto consume = [&] {
    std::array<std::size_t, producers> next{};
    while (taken.load(std::memory_order_relaxed) < producers * count) {
      Item* item = queue.try_pop();
      if (item == nullptr) {
        std::this_thread::yield();
        continue;
      }
      ++item->taken;
      if (item->number < next[item->producer]) in_order.store(false, std::memory_order_relaxed);
      next[item->producer] = item->number + 1;
      taken.fetch_add(1, std::memory_order_relaxed);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < producers; ++i) threads.emplace_back(produce, i);
  for (std::size_t i = 0; i < consumers; ++i) threads.emplace_back(consume);
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(in_order);
  EXPECT_TRUE(queue.empty());
  for (const auto& own : items) {
    EXPECT_TRUE(std::all_of(own.begin(), own.end(), [](const Item& i) { return i.taken == 1; }));
  }
}

}  // namespace
}  // namespace drover::coro
