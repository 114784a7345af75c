// The runtime without memory, and tests that frames do not accumulate.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/promise.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/stealing_pool.h"

namespace {

std::atomic<long> live_blocks{0};
thread_local bool heap_is_empty = false;

}  // namespace

// The thread sanitizer defines these operators, which then cannot be replaced.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DROVER_HEAP_IS_NOT_OURS 1
#endif
#endif

#ifdef DROVER_HEAP_IS_NOT_OURS
constexpr bool heap_is_ours = false;
#else
constexpr bool heap_is_ours = true;

static void* block_from_heap(std::size_t size) noexcept {
  void* block = heap_is_empty ? nullptr : std::malloc(size);
  if (block != nullptr) live_blocks.fetch_add(1, std::memory_order_relaxed);
  return block;
}

static void give_to_heap(void* block) noexcept {
  if (block != nullptr) live_blocks.fetch_sub(1, std::memory_order_relaxed);
  std::free(block);
}

// These replace the operators of the C++ library in the whole test program.
void* operator new(std::size_t size) {
  void* block = block_from_heap(size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return block_from_heap(size);
}
void operator delete(void* block) noexcept {
  give_to_heap(block);
}
void operator delete(void* block, std::size_t) noexcept {
  give_to_heap(block);
}
void operator delete(void* block, const std::nothrow_t&) noexcept {
  give_to_heap(block);
}
#endif

namespace drover::coro {
namespace {

using namespace std::chrono_literals;

// Makes the calling thread's allocations fail during its life.
class EmptyHeap {
 public:
  EmptyHeap() noexcept { heap_is_empty = true; }
  EmptyHeap(const EmptyHeap&) = delete;
  EmptyHeap& operator=(const EmptyHeap&) = delete;
  ~EmptyHeap() { heap_is_empty = false; }
};

class Heap : public testing::Test {
 protected:
  VirtualClock clock;
  Worker worker{clock};
};

TEST_F(Heap, APromiseIsSetWithoutAny) {
  auto body = []() -> Task<int> {
    auto [promise, future] = make_promise<int>();
    std::jthread other([p = std::move(promise)]() mutable {
      const EmptyHeap empty;
      p.set_value(7);
    });
    co_return co_await std::move(future).get();
  };
  EXPECT_EQ(block_on(worker, body()), 7);
}

TEST_F(Heap, APromiseBreaksWithoutAny) {
  auto body = []() -> Task<int> {
    auto [promise, future] = make_promise<int>();
    std::jthread other([p = std::optional(std::move(promise))]() mutable {
      const EmptyHeap empty;
      p.reset();
    });
    co_return co_await std::move(future).get();
  };
  EXPECT_THROW(block_on(worker, body()), BrokenPromise);
}

TEST_F(Heap, ACallComesHomeFromAPoolWithoutAny) {
  StealingPool pool({.workers = 1});
  auto body = [&pool]() -> Task<int> {
    auto compute = [] {
      heap_is_empty = true;  // until the worker of the pool has posted
      return 42;
    };
    co_return co_await pool.run(compute);
  };
  EXPECT_EQ(block_on(worker, body()), 42);
}

TEST_F(Heap, AScopeThatCannotStartATaskDestroysItAndEnds) {
  if (!heap_is_ours) GTEST_SKIP() << "the sanitizer's heap does not fail";
  const auto guard = std::make_shared<int>(0);
  int ended = 0;
  auto child = [&ended](std::shared_ptr<int>) -> Task<void> {
    ++ended;
    co_return;
  };
  int refused = 0;
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 1000; ++i) {
      Task<void> task = child(guard);
      const EmptyHeap empty;
      try {
        scope.start(std::move(task));
      } catch (const std::bad_alloc&) {
        ++refused;
      }
    }
    co_return;
  };
  block_on(worker, with_scope(body));
  EXPECT_GT(refused, 0);
  EXPECT_EQ(ended + refused, 1000);
  EXPECT_EQ(guard.use_count(), 1);
}

TEST_F(Heap, AWorkerDropsWhatIsPostedAsItDrops) {
  std::optional<Promise<int>> promise;
  auto make = [&promise]() -> Task<void> {
    promise.emplace(make_promise<int>().first);
    co_return;
  };
  const auto post_and_drop = [&] {
    Worker other(clock);
    block_on(other, make());
    other.post([p = std::move(*promise)] {});
    promise.reset();
  };
  post_and_drop();  // the pool keeps the blocks of frames
  const long before = live_blocks;
  post_and_drop();
  EXPECT_EQ(live_blocks, before);
}

// Passes 45,000 frames in each direction, of which 150 are alive at a time.
TEST(HeapOfFrames, DoesNotGrowWithThoseFreedByAnotherThread) {
  constexpr int rounds = 300;
  constexpr std::size_t alive = 150;
  auto nothing = []() -> Task<void> { co_return; };
  std::vector<Task<void>> batch;
  std::atomic<int> made{0};
  std::atomic<int> freed{0};
  std::jthread other([&] {
    for (int round = 1; round <= rounds; ++round) {
      while (made != round) std::this_thread::yield();
      batch.clear();
      freed = round;
    }
    // In the other direction: the first thread frees what this thread allocates.
    for (int round = rounds + 1; round <= 2 * rounds; ++round) {
      while (made != round) std::this_thread::yield();
      for (std::size_t i = 0; i < alive; ++i) batch.push_back(nothing());
      freed = round;
    }
  });
  batch.reserve(alive);
  const long before = live_blocks;
  long most = 0;
  for (int round = 1; round <= 2 * rounds; ++round) {
    if (round <= rounds) {
      for (std::size_t i = 0; i < alive; ++i) batch.push_back(nothing());
    }
    made = round;
    while (freed != round) std::this_thread::yield();
    batch.clear();
    most = std::max(most, live_blocks - before);
  }
  EXPECT_LT(most, 1'000);
}

}  // namespace
}  // namespace drover::coro
