// StealingPool: each task runs once, no wake-up is lost, errors are kept, no task starves, and
// coroutines can call functions.
#include "coro/stealing_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "coro/block_on.h"
#include "coro/deadline.h"
#include "coro/detail/idle_workers.h"
#include "coro/scope.h"
#include "coro/sleep.h"

namespace drover::coro {
namespace {

std::uint64_t total(const StealingPool& pool,
                    std::atomic<std::uint64_t> PoolWorkerStatistics::* figure) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < pool.workers(); ++i) sum += (pool.statistics(i).*figure).load();
  return sum;
}

// Number of runs of each task.
class Runs {
 public:
  explicit Runs(std::size_t count) : counts_(count) {}
  void add(std::size_t task) { counts_[task].fetch_add(1, std::memory_order_relaxed); }
  bool each_once() const {
    for (const auto& count : counts_) {
      if (count.load(std::memory_order_relaxed) != 1) return false;
    }
    return true;
  }

 private:
  std::vector<std::atomic<int>> counts_;
};

struct Setting {
  std::size_t workers;
  bool relay;
};

class StealingPoolWith : public testing::TestWithParam<Setting> {
 protected:
  StealingPool pool{{.workers = GetParam().workers, .relay = GetParam().relay}};
};

TEST_P(StealingPoolWith, RunsWhatOtherThreadsSpawnOnce) {
  constexpr std::size_t spawners = 3;
  constexpr std::size_t count = 3000;
  Runs runs(spawners * count);
  std::vector<std::thread> threads;
  for (std::size_t spawner = 0; spawner < spawners; ++spawner) {
    threads.emplace_back([this, &runs, spawner] {
      for (std::size_t i = 0; i < count; ++i) {
        pool.spawn([&runs, task = spawner * count + i] { runs.add(task); });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  pool.join();
  EXPECT_TRUE(runs.each_once());
  EXPECT_EQ(total(pool, &PoolWorkerStatistics::executed), spawners * count);
}

TEST_P(StealingPoolWith, RunsWhatTasksSpawnOnce) {
  constexpr std::size_t spawners = 8;
  constexpr std::size_t count = 2000;
  Runs runs(spawners * count);
  for (std::size_t spawner = 0; spawner < spawners; ++spawner) {
    pool.spawn([this, &runs, spawner] {
      for (std::size_t i = 0; i < count; ++i) {
        pool.spawn([&runs, task = spawner * count + i] { runs.add(task); });
      }
    });
  }
  pool.join();
  EXPECT_TRUE(runs.each_once());
  EXPECT_GT(total(pool, &PoolWorkerStatistics::overflowed), 0U);
}

TEST_P(StealingPoolWith, RunsATreeOfTasks) {
  struct Node {
    StealingPool& pool;
    Runs& runs;
    std::size_t number;
    void operator()() const {
      runs.add(number);
      if (number >= 4096 / 2) return;
      pool.spawn(Node{pool, runs, 2 * number});
      pool.spawn(Node{pool, runs, 2 * number + 1});
    }
  };
  Runs runs(4096);
  runs.add(0);  // the tree begins at 1
  pool.spawn(Node{pool, runs, 1});
  pool.join();
  EXPECT_TRUE(runs.each_once());
}

// The pool sleeps after each task.
TEST_P(StealingPoolWith, WakesForEverySingleTask) {
  std::binary_semaphore done{0};
  for (int i = 0; i < 3000; ++i) {
    pool.spawn([&done] { done.release(); });
    done.acquire();
  }
  pool.join();
  EXPECT_EQ(total(pool, &PoolWorkerStatistics::executed), 3000U);
}

INSTANTIATE_TEST_SUITE_P(Settings, StealingPoolWith,
                         testing::Values(Setting{1, false}, Setting{1, true}, Setting{2, false},
                                         Setting{2, true}, Setting{8, false}, Setting{8, true}),
                         [](const auto& info) {
                           return std::to_string(info.param.workers) +
                                  (info.param.relay ? "Relayed" : "Direct");
                         });

TEST(StealingPoolTest, RefusesMoreWorkersThanItsLimit) {
  EXPECT_THROW(StealingPool({.workers = IdleWorkers::workers_max + 1}), std::invalid_argument);
}

TEST(StealingPoolTest, HasAWorkerForEachCpuUnlessToldOtherwise) {
  const StealingPool pool({});
  EXPECT_EQ(pool.workers(), std::max(1U, std::thread::hardware_concurrency()));
}

TEST(StealingPoolTest, AnIdlePoolSleepsAndEnds) {
  StealingPool pool({.workers = 3});
  pool.join();
  EXPECT_EQ(total(pool, &PoolWorkerStatistics::executed), 0U);
  EXPECT_GE(total(pool, &PoolWorkerStatistics::sleeps), 3U);
}

// A task spawns a child into its worker's slot and occupies the worker until the child has run
// elsewhere. This hangs if the slot is not stolen, or no worker is woken for it.
TEST(StealingPoolTest, AChildDoesNotWaitForItsParent) {
  StealingPool pool({.workers = 2});
  for (int i = 0; i < 500; ++i) {
    std::binary_semaphore parent_done{0};
    pool.spawn([&pool, &parent_done] {
      std::binary_semaphore child_done{0};
      pool.spawn([&child_done] { child_done.release(); });
      child_done.acquire();
      parent_done.release();
    });
    parent_done.acquire();
  }
}

// Each worker waits for the others, so all must work at the same time.
TEST(StealingPoolTest, ABurstWakesEveryone) {
  constexpr std::size_t workers = 4;
  StealingPool pool({.workers = workers});
  for (int round = 0; round < 200; ++round) {
    std::atomic<std::size_t> arrived{0};
    std::counting_semaphore<> all_here{0};
    std::counting_semaphore<> left{0};
    pool.spawn([&] {
      const auto arrive = [&] {
        if (arrived.fetch_add(1) + 1 == workers) all_here.release(workers);
        all_here.acquire();
        left.release();
      };
      for (std::size_t i = 1; i < workers; ++i) pool.spawn(arrive);
      arrive();
    });
    for (std::size_t i = 0; i < workers; ++i) left.acquire();
  }
}

// With the relay, and with the owner of the work stuck in a task. The argument that no wake-up is
// lost is in idle_workers.h; a test cannot prove it.
TEST(StealingPoolTest, TheWorkOfOneThatIsStuckIsDoneByTheOthers) {
  constexpr std::size_t count = 3000;
  StealingPool pool({.workers = 2, .relay = true, .relay_minimum = 1});
  for (int round = 0; round < 20; ++round) {
    std::atomic<std::size_t> left{count};
    std::binary_semaphore all_run{0};
    std::binary_semaphore spawner_left{0};
    pool.spawn([&] {
      for (std::size_t i = 0; i < count; ++i) {
        pool.spawn([&left, &all_run] {
          if (left.fetch_sub(1) == 1) all_run.release();
        });
      }
      all_run.acquire();
      spawner_left.release();
    });
    spawner_left.acquire();
  }
  pool.join();
  EXPECT_EQ(total(pool, &PoolWorkerStatistics::executed), 20 * (count + 1));
}

// With one worker, so that no other empties the global list while it fills.
TEST(StealingPoolTest, TheRelayIsReachedAndEmptied) {
  constexpr std::size_t count = 20'000;
  StealingPool pool({.workers = 1, .relay = true});
  Runs runs(count);
  pool.spawn([&] {
    for (std::size_t i = 0; i < count; ++i) pool.spawn([&runs, i] { runs.add(i); });
  });
  pool.join();
  EXPECT_TRUE(runs.each_once());
  EXPECT_GT(total(pool, &PoolWorkerStatistics::relay_batches), 0U);
}

// Tasks beyond the relay's 1,024 batches of 64 stay in the global list.
TEST(StealingPoolTest, AFullRelayLosesNothing) {
  constexpr std::size_t count = 1024 * 64 + 10'000;
  StealingPool pool({.workers = 1, .relay = true, .relay_minimum = 1});
  std::atomic<std::size_t> run{0};
  pool.spawn([&] {
    for (std::size_t i = 0; i < count; ++i) {
      pool.spawn([&run] { run.fetch_add(1, std::memory_order_relaxed); });
    }
  });
  pool.join();
  EXPECT_EQ(run, count);
}

TEST(StealingPoolTest, TheFirstErrorIsThrownByJoinAndTheOthersRun) {
  StealingPool pool({.workers = 1});
  std::atomic<int> run{0};
  for (int i = 0; i < 10; ++i) {
    pool.spawn([&run, i] {
      ++run;
      if (i == 3 || i == 5) throw std::runtime_error("task " + std::to_string(i));
    });
  }
  try {
    pool.join();
    FAIL() << "no error";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "task 3");
  }
  EXPECT_EQ(run, 10);
  EXPECT_EQ(total(pool, &PoolWorkerStatistics::failed), 2U);
  EXPECT_NO_THROW(pool.join());
}

TEST(StealingPoolTest, DestructionRunsWhatIsQueued) {
  const auto guard = std::make_shared<int>(0);
  std::atomic<int> run{0};
  {
    StealingPool pool({.workers = 2});
    for (int i = 0; i < 1000; ++i) {
      pool.spawn([&run, &pool, guard] {
        ++run;
        pool.spawn([&run, guard] { ++run; });
      });
    }
  }
  EXPECT_EQ(run, 2000);
  EXPECT_EQ(guard.use_count(), 1);
}

TEST(StealingPoolTest, AFunctionOfAnySizeIsDestroyedOnceAlsoWhenItThrows) {
  const auto guard = std::make_shared<int>(0);
  std::array<char, 500> ballast{};
  {
    StealingPool pool({.workers = 2});
    for (int i = 0; i < 200; ++i) {
      pool.spawn([guard, ballast, i] {
        if (i % 2 == 0) throw std::runtime_error(std::string(ballast.data()));
      });
      pool.spawn([guard, i] {
        if (i % 2 == 0) throw std::runtime_error("small");
      });
    }
    EXPECT_THROW(pool.join(), std::runtime_error);
  }
  EXPECT_EQ(guard.use_count(), 1);
}

class CountingTask final : public PoolTask {
 public:
  explicit CountingTask(std::atomic<int>& runs) : runs_(runs) {}
  void run() override { ++runs_; }

 private:
  std::atomic<int>& runs_;
};

TEST(StealingPoolTest, RunsIntrusiveTasksOfAnotherPoolsTask) {
  std::atomic<int> runs{0};
  std::vector<std::unique_ptr<CountingTask>> tasks;
  for (int i = 0; i < 1000; ++i) tasks.push_back(std::make_unique<CountingTask>(runs));
  StealingPool pool({.workers = 2});
  StealingPool other({.workers = 2});
  other.spawn([&] {
    for (const auto& task : tasks) pool.spawn(*task);
  });
  other.join();
  pool.join();
  EXPECT_EQ(runs, 1000);
}

// Task that spawns itself into the slot of the only worker until it is told to stop.
class EndlessTask final : public PoolTask {
 public:
  explicit EndlessTask(StealingPool& pool) : pool_(pool) {}
  void run() override {
    if (!stopped.load(std::memory_order_relaxed)) pool_.spawn(*this);
  }
  std::atomic<bool> stopped{false};

 private:
  StealingPool& pool_;
};

TEST(StealingPoolTest, AnEndlessTaskStarvesNeitherTheGlobalListNorTheRing) {
  StealingPool pool({.workers = 1});
  EndlessTask endless(pool);
  pool.spawn(endless);
  std::binary_semaphore from_global{0};
  std::binary_semaphore from_ring{0};
  pool.spawn([&] {
    pool.spawn([&from_ring] { from_ring.release(); });
    pool.spawn([] {});  // moves the one before from the slot to the ring
    from_global.release();
  });
  from_global.acquire();
  from_ring.acquire();
  endless.stopped = true;
  pool.join();
}

TEST(StealingPoolTest, AnEndlessTaskDoesNotStarveTheRelay) {
  constexpr std::size_t count = 2000;
  StealingPool pool({.workers = 1, .relay = true, .relay_minimum = 1});
  EndlessTask endless(pool);
  pool.spawn(endless);
  std::counting_semaphore<> run{0};
  for (std::size_t i = 0; i < count; ++i) pool.spawn([&run] { run.release(); });
  for (std::size_t i = 0; i < count; ++i) run.acquire();
  endless.stopped = true;
  pool.join();
}

// Calls from coroutines. The worker outlives the pool.
class PoolCalls : public testing::Test {
 protected:
  VirtualClock clock;
  Worker worker{clock};
  StealingPool pool{{.workers = 2}};
};

TEST_F(PoolCalls, HandBackTheResultAtHome) {
  const std::thread::id home = std::this_thread::get_id();
  auto body = [this, home]() -> Task<int> {
    auto compute = [home] {
      EXPECT_NE(std::this_thread::get_id(), home);
      return std::make_unique<int>(42);
    };
    const std::unique_ptr<int> result = co_await pool.run(compute);
    EXPECT_EQ(std::this_thread::get_id(), home);
    EXPECT_EQ(&Worker::current(), &worker);
    co_return *result;
  };
  EXPECT_EQ(block_on(worker, body()), 42);
}

TEST_F(PoolCalls, HandBackTheExceptionAndLeaveNoneForJoin) {
  auto body = [this]() -> Task<void> {
    auto fail = [] { throw std::runtime_error("computed badly"); };
    co_await pool.run(fail);
  };
  EXPECT_THROW(block_on(worker, body()), std::runtime_error);
  EXPECT_NO_THROW(pool.join());
}

TEST_F(PoolCalls, RunSideBySide) {
  std::atomic<int> sum{0};
  auto call = [this, &sum](int number) -> Task<void> {
    auto compute = [&sum, number] { sum += number; };
    for (int i = 0; i < 10; ++i) co_await pool.run(compute);
  };
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 1; i <= 100; ++i) scope.start(call(i));
    co_return;
  };
  block_on(worker, with_scope(body));
  EXPECT_EQ(sum, 10 * 5050);
}

TEST_F(PoolCalls, ACancelledOneWaitsForItsFunctionAndThrowsCancelled) {
  std::binary_semaphore begun{0};
  std::binary_semaphore cancelled{0};
  std::atomic<bool> ended{false};
  bool threw = false;
  auto call = [&]() -> Task<void> {
    auto compute = [&] {
      begun.release();
      cancelled.acquire();
      ended = true;
      return 1;
    };
    try {
      co_await pool.run(compute);
    } catch (const Cancelled&) {
      threw = true;
      EXPECT_TRUE(ended);
      throw;
    }
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(call());
    co_await yield();
    begun.acquire();
    scope.cancel();
    cancelled.release();
  };
  block_on(worker, with_scope(body));
  EXPECT_TRUE(threw);
}

TEST_F(PoolCalls, ACancelledOneThatHasNotBegunDoesNotRun) {
  std::counting_semaphore<> begun{0};
  std::counting_semaphore<> go_on{0};
  bool run = false;
  auto occupy = [&] {
    begun.release();
    go_on.acquire();
  };
  auto occupier = [&]() -> Task<void> { co_await pool.run(occupy); };
  auto late = [&]() -> Task<void> {
    auto compute = [&run] { run = true; };
    co_await pool.run(compute);
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(occupier());
    scope.start(occupier());
    co_await yield();
    for (int i = 0; i < 2; ++i) begun.acquire();  // both workers are busy
    scope.start(late());
    co_await yield();
    scope.cancel();
    go_on.release(2);
  };
  block_on(worker, with_scope(body));
  EXPECT_FALSE(run);
}

TEST_F(PoolCalls, UnderACancelledSourceThrowAtOnce) {
  bool run = false;
  bool threw = false;
  auto call = [&]() -> Task<void> {
    auto compute = [&run] { run = true; };
    try {
      co_await pool.run(compute);
    } catch (const Cancelled&) {
      threw = true;
    }
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.cancel();
    scope.start(call());
    co_return;
  };
  block_on(worker, with_scope(body));
  EXPECT_TRUE(threw);
  pool.join();
  EXPECT_FALSE(run);
}

TEST_F(PoolCalls, HaveVirtualTimeStandStill) {
  auto compute = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  auto call = [&]() -> Task<void> { co_await pool.run(compute); };
  auto body = [&]() -> Task<void> {
    co_await with_deadline(clock.now() + std::chrono::hours(1), call());
    EXPECT_EQ(clock.now(), Instant{});
    co_await sleep_for(std::chrono::hours(1));  // goes on as before
  };
  block_on(worker, body());
  EXPECT_GE(clock.now(), Instant{} + std::chrono::hours(1));
}

TEST_F(PoolCalls, AfterJoinAreAnErrorAtOnce) {
  pool.join();
  const auto guard = std::make_shared<int>(0);
  std::array<char, 500> ballast{};
  EXPECT_THROW(pool.spawn([guard] {}), std::logic_error);
  EXPECT_THROW(pool.spawn([guard, ballast] { (void)ballast; }), std::logic_error);
  EXPECT_EQ(guard.use_count(), 1);
  auto nothing = [] {};
  auto body = [&]() -> Task<void> {
    EXPECT_THROW(co_await pool.run(nothing), std::logic_error);
    co_await sleep_for(std::chrono::hours(1));  // the call that was refused holds no time up
  };
  block_on(worker, body());
}

// In each order of both calls, accepted tasks run and the others are refused.
TEST(StealingPoolTest, WhatIsSpawnedBesideJoinRunsOrIsRefused) {
  for (int round = 0; round < 300; ++round) {
    StealingPool pool({.workers = 2});
    std::atomic<int> run{0};
    int accepted = 0;
    std::binary_semaphore begun{0};
    std::thread spawner([&] {
      begun.release();
      try {
        for (; accepted < 10'000; ++accepted) pool.spawn([&run] { ++run; });
      } catch (const std::logic_error&) {
      }
    });
    begun.acquire();
    pool.join();
    spawner.join();
    ASSERT_EQ(run, accepted);
  }
}

}  // namespace
}  // namespace drover::coro
