#include "lab/scheduler_spawning.h"

#include <time.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <semaphore>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "coro/stealing_pool.h"

namespace drover::lab {
namespace {

using Clock = std::chrono::steady_clock;

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// One round after another: counts the empty tasks of each spawner, and the spawners that are
// through.
class Rounds {
 public:
  Rounds(coro::StealingPool& pool, const SpawnWork& work)
      : pool_(pool),
        tasks_(work.tasks_per_spawner),
        left_(work.spawners),
        begin_(static_cast<std::ptrdiff_t>(work.spawners + 1)) {
    if (work.outside) start_threads();
  }
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;
  ~Rounds() {
    if (threads_.empty()) return;
    over_ = true;
    begin_.arrive_and_wait();
  }

  void run() {
    spawners_left_.store(left_.size(), std::memory_order_relaxed);
    for (Left& left : left_) left.tasks.store(tasks_, std::memory_order_relaxed);
    if (!threads_.empty()) {
      begin_.arrive_and_wait();
    } else {
      for (Left& left : left_) pool_.spawn([this, &left] { spawn_all(left); });
    }
    ended_.acquire();
  }

 private:
  struct alignas(64) Left {
    std::atomic<std::size_t> tasks{0};
  };

  void spawn_all(Left& left) {
    for (std::size_t i = 0; i < tasks_; ++i) {
      pool_.spawn([this, &left] {
        // Both counts release and acquire, so that the round's end comes after all of it.
        if (left.tasks.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        if (spawners_left_.fetch_sub(1, std::memory_order_acq_rel) == 1) ended_.release();
      });
    }
  }

  void start_threads() {
    threads_.reserve(left_.size());
    try {
      for (Left& left : left_) {
        threads_.emplace_back([this, &left] {
          for (begin_.arrive_and_wait(); !over_; begin_.arrive_and_wait()) spawn_all(left);
        });
      }
    } catch (const std::system_error&) {
      // Those that were started wait for the others, which will not come.
      over_ = true;
      const std::size_t missing = left_.size() + 1 - threads_.size();
      static_cast<void>(begin_.arrive(static_cast<std::ptrdiff_t>(missing)));
      throw;
    }
  }

  coro::StealingPool& pool_;
  const std::size_t tasks_;
  std::vector<Left> left_;
  alignas(64) std::atomic<std::size_t> spawners_left_{0};
  std::binary_semaphore ended_{0};

  // Of the threads outside of the pool. Read and written between two turns of the barrier.
  std::barrier<> begin_;
  bool over_ = false;
  std::vector<std::jthread> threads_;
};

struct PoolCounts {
  std::uint64_t executed = 0;
  SpawnTally tally;
};

PoolCounts counts_of(const coro::StealingPool& pool) {
  PoolCounts counts;
  for (std::size_t i = 0; i < pool.workers(); ++i) {
    const coro::PoolWorkerStatistics& of_worker = pool.statistics(i);
    counts.executed += of_worker.executed.load(std::memory_order_relaxed);
    counts.tally.overflowed += of_worker.overflowed.load(std::memory_order_relaxed);
    counts.tally.relay_batches += of_worker.relay_batches.load(std::memory_order_relaxed);
    counts.tally.steals += of_worker.steals.load(std::memory_order_relaxed);
    counts.tally.sleeps += of_worker.sleeps.load(std::memory_order_relaxed);
  }
  counts.tally.lock_waits = pool.global_lock_waits();
  return counts;
}

SpawnTally since(const PoolCounts& before, const PoolCounts& now) {
  SpawnTally tally;
  tally.overflowed = now.tally.overflowed - before.tally.overflowed;
  tally.relay_batches = now.tally.relay_batches - before.tally.relay_batches;
  tally.steals = now.tally.steals - before.tally.steals;
  tally.sleeps = now.tally.sleeps - before.tally.sleeps;
  tally.lock_waits = now.tally.lock_waits - before.tally.lock_waits;
  return tally;
}

}  // namespace

SpawnTally& SpawnTally::operator+=(const SpawnTally& other) noexcept {
  rounds += other.rounds;
  tasks += other.tasks;
  seconds += other.seconds;
  cpu_seconds += other.cpu_seconds;
  overflowed += other.overflowed;
  relay_batches += other.relay_batches;
  steals += other.steals;
  sleeps += other.sleeps;
  lock_waits += other.lock_waits;
  return *this;
}

SpawnTally measure_spawning(const SpawnWork& work, bool relay) {
  coro::StealingPool pool({.workers = work.workers, .relay = relay});
  SpawnTally tally;
  {
    Rounds rounds(pool, work);
    rounds.run();
    const PoolCounts before = counts_of(pool);
    const double cpu_before = cpu_seconds();
    const Clock::time_point begin = Clock::now();
    std::uint64_t count = 0;
    double seconds = 0;
    while (seconds < work.seconds_min) {
      rounds.run();
      ++count;
      seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    }
    const double cpu = cpu_seconds() - cpu_before;
    tally = since(before, counts_of(pool));
    tally.rounds = count;
    tally.seconds = seconds;
    tally.cpu_seconds = cpu;
    tally.tasks = count * work.spawners * work.tasks_per_spawner;
  }
  pool.join();
  const std::uint64_t spawners = work.outside ? 0 : work.spawners;
  const std::uint64_t a_round = work.spawners * work.tasks_per_spawner + spawners;
  if (counts_of(pool).executed != (tally.rounds + 1) * a_round) {
    throw std::logic_error("the pool has lost tasks or run some twice");
  }
  return tally;
}

SpawnPair measure_spawning_in_turns(const SpawnWork& work) {
  SpawnWork half = work;
  half.seconds_min = work.seconds_min / 2;
  SpawnPair pair;
  for (const bool relay : {false, true, true, false}) {
    (relay ? pair.relay : pair.direct) += measure_spawning(half, relay);
  }
  return pair;
}

}  // namespace drover::lab
