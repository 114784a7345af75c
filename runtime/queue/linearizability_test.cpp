// Records and checks histories of all queues, and tests the checker.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cstdint>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "queue/fifo_history_test.h"
#include "queue/tested_queues_test.h"

namespace drover::queue {
namespace {

using Kind = HistoryOperation::Kind;
using History = std::vector<HistoryOperation>;

bool judge(const History& history) {
  return FifoHistory(history).is_linearizable();
}

TEST(FifoHistories, OneThreadMustObeyTheQueue) {
  EXPECT_TRUE(judge({{0, Kind::push, {1, 2}, 1, 2},
                     {0, Kind::pop, {1}, 3, 4},
                     {0, Kind::pop, {2}, 5, 6},
                     {0, Kind::pop, {}, 7, 8}}));
  EXPECT_FALSE(judge({{0, Kind::push, {1, 2}, 1, 2}, {0, Kind::pop, {2}, 3, 4}}));
  EXPECT_FALSE(judge({{0, Kind::push, {1}, 1, 2}, {0, Kind::pop, {}, 3, 4}}));
  EXPECT_FALSE(
      judge({{0, Kind::push, {1}, 1, 2}, {0, Kind::pop, {1}, 3, 4}, {0, Kind::pop, {1}, 5, 6}}));
  EXPECT_FALSE(judge({{0, Kind::pop, {1}, 1, 2}, {0, Kind::push, {1}, 3, 4}}));
}

TEST(FifoHistories, WhatOverlapsMayTakeEffectInAnyOrder) {
  EXPECT_TRUE(judge({{0, Kind::push, {1}, 1, 4},
                     {1, Kind::push, {2}, 2, 3},
                     {0, Kind::pop, {2}, 5, 6},
                     {0, Kind::pop, {1}, 7, 8}}));
  EXPECT_FALSE(judge({{0, Kind::push, {1}, 1, 2},
                      {1, Kind::push, {2}, 3, 4},
                      {0, Kind::pop, {2}, 5, 6},
                      {0, Kind::pop, {1}, 7, 8}}));
  EXPECT_TRUE(
      judge({{0, Kind::push, {1}, 1, 4}, {1, Kind::pop, {}, 2, 3}, {1, Kind::pop, {1}, 5, 6}}));
}

TEST(FifoHistories, ABatchIsOneStepUnlessItIsGivenAsSeveral) {
  const History torn = {{0, Kind::push, {1, 2}, 1, 4},
                        {1, Kind::push, {9}, 2, 3},
                        {2, Kind::pop, {1}, 5, 6},
                        {2, Kind::pop, {9}, 7, 8}};
  EXPECT_FALSE(judge(torn));
  EXPECT_TRUE(
      judge({{0, Kind::push, {1}, 1, 4}, {0, Kind::push, {2}, 1, 4}, torn[1], torn[2], torn[3]}));
  // The order of the list counts.
  EXPECT_FALSE(
      judge({{0, Kind::push, {1}, 1, 4}, {0, Kind::push, {2}, 1, 4}, {2, Kind::pop, {2}, 5, 6}}));
}

// A pop reports "empty" while the queue always held an item, though never the same one.
TEST(FifoHistories, EmptyNeedsAMomentWithoutAnyItem) {
  EXPECT_FALSE(judge({{0, Kind::push, {1}, 1, 2},
                      {1, Kind::pop, {}, 3, 10},
                      {0, Kind::push, {2}, 4, 5},
                      {0, Kind::pop, {1}, 6, 7}}));
  EXPECT_TRUE(judge({{0, Kind::push, {1}, 1, 2},
                     {1, Kind::pop, {}, 3, 10},
                     {0, Kind::pop, {1}, 4, 5},
                     {0, Kind::push, {2}, 6, 7}}));
}

std::string print(const History& history) {
  std::ostringstream out;
  for (const auto& operation : history) {
    out << operation.called << ".." << operation.returned << " thread " << operation.thread
        << (operation.kind == Kind::push ? " push" : " pop");
    for (const std::uint64_t item : operation.items) out << ' ' << item;
    out << '\n';
  }
  return out.str();
}

template <class Tested>
class Linearizability : public testing::Test {
 protected:
  using Queue = typename Tested::Queue;
  static constexpr int threads = 4;
  static constexpr int operations = 4;

  // Executes one thread's operations of a round.
  void act(int thread, std::mt19937& random, History& history) {
    std::uint64_t number = 100 * static_cast<std::uint64_t>(thread + 1);
    std::vector<std::uint64_t> batch;
    for (int i = 0; i < operations; ++i) {
      HistoryOperation operation;
      operation.thread = thread;
      operation.kind = random() % 2 == 0 ? Kind::push : Kind::pop;
      batch.assign(1 + random() % 2, 0);
      operation.called = clock.fetch_add(1);
      if (operation.kind == Kind::push) {
        for (std::uint64_t& item : batch) item = number++;
        queue->push_batch(batch);
      } else {
        batch.resize(queue->try_pop_batch(batch));
      }
      operation.returned = clock.fetch_add(1);
      operation.items = batch;
      history.push_back(operation);
    }
  }

  // Splits an operation of several steps into one per item, with the times of the whole.
  static History steps(const std::vector<History>& histories) {
    History result;
    for (const History& history : histories) {
      for (const HistoryOperation& operation : history) {
        if (operation.items.size() <= Tested::atomic_batch_max) {
          result.push_back(operation);
          continue;
        }
        for (const std::uint64_t item : operation.items) {
          result.push_back(operation);
          result.back().items = {item};
        }
      }
    }
    return result;
  }

  std::unique_ptr<Queue> queue;
  std::atomic<std::uint64_t> clock{0};
};

TYPED_TEST_SUITE(Linearizability, TestedQueues, QueueNames);

TYPED_TEST(Linearizability, OfShortHistories) {
  constexpr int rounds = 1600 / stress_divisor;
  constexpr int threads = TestFixture::threads;
  std::vector<History> histories(threads);
  std::barrier phase(threads + 1);
  std::vector<std::jthread> actors;
  for (int thread = 0; thread < threads; ++thread) {
    actors.emplace_back([&, thread] {
      std::mt19937 random(static_cast<std::uint32_t>(thread));
      for (int round = 0; round < rounds; ++round) {
        phase.arrive_and_wait();
        this->act(thread, random, histories[static_cast<std::size_t>(thread)]);
        phase.arrive_and_wait();
      }
    });
  }
  for (int round = 0; round < rounds; ++round) {
    this->queue = std::make_unique<typename TypeParam::Queue>();
    for (History& history : histories) history.clear();
    phase.arrive_and_wait();
    phase.arrive_and_wait();
    const History history = TestFixture::steps(histories);
    EXPECT_LE(history.size(), 64U);
    EXPECT_TRUE(judge(history)) << "round " << round << '\n' << print(history);
  }
}

}  // namespace
}  // namespace drover::queue
