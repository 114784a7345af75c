// Guarantees of every queue: first in, first out; each item once; no loss at the ends of segments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "queue/tested_queues_test.h"

namespace drover::queue {
namespace {

std::vector<std::uint64_t> numbers(std::uint64_t first, std::size_t count) {
  std::vector<std::uint64_t> result(count);
  std::iota(result.begin(), result.end(), first);
  return result;
}

// Pops all items, in batches of up to `size`.
template <class Queue>
std::vector<std::uint64_t> drain(Queue& queue, std::size_t size) {
  std::vector<std::uint64_t> result;
  std::vector<std::uint64_t> batch(size);
  while (const std::size_t count = queue.try_pop_batch(batch)) {
    EXPECT_LE(count, size);
    result.insert(result.end(), batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return result;
}

template <class Tested>
class Queues : public testing::Test {
 protected:
  typename Tested::Queue queue;
};

TYPED_TEST_SUITE(Queues, TestedQueues, QueueNames);

TYPED_TEST(Queues, AnEmptyOneSaysSoAndLeavesTheItemAlone) {
  std::uint64_t item = 17;
  EXPECT_FALSE(this->queue.try_pop(item));
  EXPECT_EQ(item, 17U);
  std::vector<std::uint64_t> batch(64, 17);
  EXPECT_EQ(this->queue.try_pop_batch(batch), 0U);
  EXPECT_THAT(batch, testing::Each(17U));
}

TYPED_TEST(Queues, GivesBackItemByItemInOrder) {
  for (std::uint64_t i = 0; i < 10'000; ++i) this->queue.push(i);
  std::uint64_t item = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(this->queue.try_pop(item));
    ASSERT_EQ(item, i);
  }
  EXPECT_FALSE(this->queue.try_pop(item));
}

TYPED_TEST(Queues, CarriesEveryValue) {
  const std::vector<std::uint64_t> values = {0, 1, std::numeric_limits<std::uint64_t>::max(), 0};
  this->queue.push_batch(values);
  for (const std::uint64_t value : values) this->queue.push(value);
  std::vector<std::uint64_t> expected = values;
  expected.insert(expected.end(), values.begin(), values.end());
  EXPECT_EQ(drain(this->queue, 3), expected);
}

TYPED_TEST(Queues, ABatchOfNothingChangesNothing) {
  this->queue.push_batch({});
  EXPECT_EQ(this->queue.try_pop_batch({}), 0U);
  this->queue.push(5);
  EXPECT_EQ(this->queue.try_pop_batch({}), 0U);
  EXPECT_THAT(drain(this->queue, 1), testing::ElementsAre(5U));
}

TYPED_TEST(Queues, TakesBatchesOfEverySizeAndGivesThemBackInPiecesOfEverySize) {
  for (const std::size_t in : {1, 2, 30, 31, 32, 63, 64, 65, 127, 128, 129, 1000, 5000}) {
    for (const std::size_t out : {1, 7, 31, 63, 64, 65, 128, 200}) {
      const auto items = numbers(1000 * in, in);
      this->queue.push_batch(items);
      ASSERT_EQ(drain(this->queue, out), items) << in << " in, by " << out << " out";
    }
  }
}

// Batches cross the ends of segments at every offset.
TYPED_TEST(Queues, AgreesWithASequenceWhateverTheSizes) {
  std::mt19937_64 random(1);
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
  std::vector<std::uint64_t> batch;
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t size = random() % 67;
    if (random() % 2 == 0) {
      this->queue.push_batch(numbers(pushed, size));
      pushed += size;
      continue;
    }
    batch.assign(size, 0);
    const std::size_t count = this->queue.try_pop_batch(batch);
    ASSERT_EQ(count == 0, size == 0 || popped == pushed);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(batch[i], popped + i);
    popped += count;
  }
  const auto rest = drain(this->queue, 64);
  EXPECT_EQ(rest, numbers(popped, pushed - popped));
}

TYPED_TEST(Queues, DestroysWhatIsLeft) {
  this->queue.push_batch(numbers(0, 10'000));
  std::uint64_t item = 0;
  ASSERT_TRUE(this->queue.try_pop(item));
}

// An item contains its producer and its number.
constexpr std::uint64_t make_item(std::size_t producer, std::size_t number) {
  return std::uint64_t{producer} << 32 | number;
}

struct Interval {
  std::uint64_t began = 0;
  std::uint64_t ended = 0;
};

template <class Queue>
class Traffic {
 public:
  Traffic(Queue& queue, std::size_t producers, std::size_t consumers, std::size_t items)
      : queue_(queue), items_(items), pushes_(producers, std::vector<Interval>(items)) {
    popped_.resize(consumers);
  }

  void run() {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < pushes_.size(); ++i)
      threads.emplace_back([this, i] { produce(i); });
    for (auto& popped : popped_) threads.emplace_back([this, &popped] { consume(popped); });
  }

  void check_each_item_came_once() const {
    std::vector<std::uint64_t> all;
    for (const auto& popped : popped_) all.insert(all.end(), popped.begin(), popped.end());
    std::sort(all.begin(), all.end());
    std::vector<std::uint64_t> expected;
    for (std::size_t producer = 0; producer < pushes_.size(); ++producer) {
      for (std::size_t i = 0; i < items_; ++i) expected.push_back(make_item(producer, i));
    }
    EXPECT_EQ(all, expected);
  }

  // A consumer gets the items of one producer in the order of their pushes.
  void check_order() const {
    for (const auto& popped : popped_) {
      std::vector<std::int64_t> last(pushes_.size(), -1);
      std::uint64_t began_max = 0;
      for (const std::uint64_t item : popped) {
        const std::size_t producer = item >> 32;
        const auto number = static_cast<std::int64_t>(item & 0xffff'ffffU);
        ASSERT_GT(number, last[producer]);
        last[producer] = number;
        const Interval push = pushes_[producer][static_cast<std::size_t>(number)];
        ASSERT_GE(push.ended, began_max);
        began_max = std::max(began_max, push.began);
      }
    }
  }

 private:
  void produce(std::size_t producer) {
    std::mt19937 random(static_cast<std::uint32_t>(producer + 1));
    std::vector<std::uint64_t> batch;
    for (std::size_t first = 0; first < items_; first += batch.size()) {
      batch.resize(std::min<std::size_t>(1 + random() % 70, items_ - first));
      std::iota(batch.begin(), batch.end(), make_item(producer, first));
      const std::uint64_t began = clock_.fetch_add(1);
      queue_.push_batch(batch);
      const Interval push = {began, clock_.fetch_add(1)};
      std::fill_n(pushes_[producer].begin() + static_cast<std::ptrdiff_t>(first), batch.size(),
                  push);
    }
  }

  void consume(std::vector<std::uint64_t>& popped) {
    std::mt19937 random(static_cast<std::uint32_t>(100 + (&popped - popped_.data())));
    std::vector<std::uint64_t> batch(70);
    while (popped_count_.load() < items_ * pushes_.size()) {
      const std::size_t wanted = 1 + random() % batch.size();
      const std::size_t count = queue_.try_pop_batch(std::span(batch).first(wanted));
      popped.insert(popped.end(), batch.begin(),
                    batch.begin() + static_cast<std::ptrdiff_t>(count));
      popped_count_.fetch_add(count);
      if (count == 0) std::this_thread::yield();
    }
  }

  Queue& queue_;
  const std::size_t items_;
  std::vector<std::vector<Interval>> pushes_;  // by producer and number
  std::vector<std::vector<std::uint64_t>> popped_;
  std::atomic<std::size_t> popped_count_{0};
  std::atomic<std::uint64_t> clock_{1};
};

TYPED_TEST(Queues, UnderTrafficEachItemComesOnceAndInOrder) {
  struct Sides {
    std::size_t producers, consumers;
  };
  for (const Sides sides : {Sides{1, 1}, Sides{2, 2}, Sides{4, 1}, Sides{1, 4}, Sides{3, 5}}) {
    Traffic traffic(this->queue, sides.producers, sides.consumers, 16'000 / stress_divisor);
    traffic.run();
    traffic.check_each_item_came_once();
    traffic.check_order();
  }
}

TYPED_TEST(Queues, ThreadsComeAndGo) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t generation = 0; generation < 100; ++generation) {
    std::vector<std::uint64_t> popped(40);
    std::size_t count = 0;
    {
      std::jthread producer([&] { this->queue.push_batch(numbers(20 * generation, 20)); });
      std::jthread consumer([&] { count = this->queue.try_pop_batch(popped); });
    }
    all.insert(all.end(), popped.begin(), popped.begin() + static_cast<std::ptrdiff_t>(count));
  }
  const auto rest = drain(this->queue, 64);
  all.insert(all.end(), rest.begin(), rest.end());
  EXPECT_EQ(all, numbers(0, 2000));
}

// Stops the push that fills a block, so that pops reach it.
struct StoppingAtTheGate {
  static void claimed() noexcept {
    stopped.store(true);
    for (int i = 0; i < 2000; ++i) std::this_thread::yield();
  }
  static void looked() noexcept {}
  static inline std::atomic<bool> stopped{false};
};

// The first pop takes the block's last item, which is claimed but not yet written. Meanwhile the
// second pop must not pass the tail, because it would wait for an item that no thread pushes.
TEST(SegmentQueueTest, APopDoesNotPassAPushThatFillsABlock) {
  using Queue = SegmentQueue<std::uint64_t, StoppingAtTheGate>;
  for (int round = 0; round < 20; ++round) {
    Queue queue;
    queue.push_batch(numbers(0, Queue::block_slots - 1));
    StoppingAtTheGate::stopped = false;
    std::atomic<std::size_t> popped{0};
    std::atomic<int> running{2};
    const auto pop_all = [&] {
      while (!StoppingAtTheGate::stopped) std::this_thread::yield();
      std::vector<std::uint64_t> items(2 * Queue::block_slots);
      popped += queue.try_pop_batch(items);
      --running;
    };
    std::vector<std::jthread> threads;
    threads.emplace_back([&queue] { queue.push(Queue::block_slots - 1); });
    for (int i = 0; i < 2; ++i) threads.emplace_back(pop_all);
    threads.front().join();
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (running != 0 && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
    EXPECT_EQ(running, 0) << "a pop waits for an item that nobody has pushed";
    EXPECT_EQ(popped, Queue::block_slots);
    if (running != 0) {
      queue.push_batch(numbers(0, 2 * Queue::block_slots));
      break;
    }
  }
}

// Two threads each push to a queue and then pop from the other's queue: at least one finds an item.
// (On x86-64 the processor guarantees this, elsewhere the orderings do.)
TYPED_TEST(Queues, WhoPushesFirstIsSeenByOneOfTwo) {
  using Queue = typename TypeParam::Queue;
  for (int round = 0; round < 500; ++round) {
    Queue queues[2];
    std::atomic<int> arrived{0};
    bool found[2] = {false, false};
    const auto push_and_look = [&](std::size_t mine) {
      ++arrived;
      while (arrived != 2) std::this_thread::yield();
      queues[mine].push(1);
      std::uint64_t item = 0;
      found[mine] = queues[1 - mine].try_pop(item);
    };
    {
      std::jthread other([&] { push_and_look(1); });
      push_and_look(0);
    }
    ASSERT_TRUE(found[0] || found[1]);
  }
}

template <class Tested>
class DrainedSegments : public Queues<Tested> {};

using QueuesOfSegmentLists =
    testing::Types<ArrayWithHazardPointers, ArrayWithEpochs, BatchWithHazardPointers,
                   BatchWithEpochs, TicketOfSmallSegments, TicketWithEpochs, Ticket>;
TYPED_TEST_SUITE(DrainedSegments, QueuesOfSegmentLists, QueueNames);

TYPED_TEST(DrainedSegments, AreGivenBackSoon) {
  for (int i = 0; i < 1000; ++i) {
    this->queue.push_batch(numbers(0, 64));
    drain(this->queue, 64);
    ASSERT_LE(this->queue.garbage(), 40U);
  }
}

}  // namespace
}  // namespace drover::queue
