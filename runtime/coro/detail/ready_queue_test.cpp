// The worker's queue of coroutines: order, growth, and withdrawn entries.
#include <gtest/gtest.h>

#include <array>
#include <coroutine>
#include <deque>
#include <random>

#include "coro/worker.h"

namespace drover::coro {
namespace {

// Handle that is never resumed, identified by its address.
std::coroutine_handle<> handle(std::size_t number) {
  static std::array<std::max_align_t, 1000> places;
  return std::coroutine_handle<>::from_address(&places.at(number));
}

TEST(ReadyQueue, IsFirstInFirstOutAndGrows) {
  ReadyQueue queue;
  EXPECT_TRUE(queue.empty());
  for (std::size_t i = 0; i < 1000; ++i) queue.push(handle(i));
  EXPECT_EQ(queue.size(), 1000U);
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(queue.pop(), handle(i));
  EXPECT_TRUE(queue.empty());
}

TEST(ReadyQueue, FetchingAheadChangesNothing) {
  ReadyQueue queue;
  for (std::size_t i = 0; i < 100; ++i) queue.push(handle(i));
  queue.withdraw(50);
  for (std::size_t i = 0; i < 100; ++i) {
    if (queue.size() > 8) queue.prefetch(8);  // of a withdrawn entry, too: nothing is there
    EXPECT_EQ(queue.pop(), i == 50 ? nullptr : handle(i));
  }
  EXPECT_TRUE(queue.empty());
}

TEST(ReadyQueue, TheOnlyEntryIsWithdrawn) {
  ReadyQueue queue;
  queue.withdraw(queue.push(handle(1)));
  EXPECT_TRUE(queue.empty());
  queue.push(handle(2));
  EXPECT_EQ(queue.pop(), handle(2));
}

TEST(ReadyQueue, AnEntryBetweenOthersLeavesANullInItsPlace) {
  ReadyQueue queue;
  queue.push(handle(1));
  const std::size_t second = queue.push(handle(2));
  queue.push(handle(3));
  queue.withdraw(second);
  EXPECT_EQ(queue.pop(), handle(1));
  EXPECT_EQ(queue.pop(), nullptr);
  EXPECT_EQ(queue.pop(), handle(3));
  EXPECT_TRUE(queue.empty());
}

// Compares the queue with a std::deque, over growth and overflow.
TEST(ReadyQueue, WithdrawsWhatIsAskedForAndNothingElse) {
  struct Entry {
    std::size_t number;
    std::size_t position;
  };
  std::mt19937 random(1);
  ReadyQueue queue;
  std::deque<Entry> expected;
  const auto pop = [&] {
    std::coroutine_handle<> next = nullptr;
    while (!next && !queue.empty()) next = queue.pop();
    ASSERT_EQ(next, handle(expected.front().number));
    expected.pop_front();
  };
  for (std::size_t i = 0; i < 20'000; ++i) {
    const auto what = random() % 8;
    if (what < 4 || expected.empty()) {
      expected.push_back({i % 1000, queue.push(handle(i % 1000))});
    } else if (what < 6) {
      pop();
    } else {
      const auto chosen =
          expected.begin() + static_cast<std::ptrdiff_t>(random() % expected.size());
      queue.withdraw(chosen->position);
      expected.erase(chosen);
    }
  }
  while (!expected.empty()) pop();
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace drover::coro
