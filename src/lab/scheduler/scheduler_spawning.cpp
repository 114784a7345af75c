#include "lab/scheduler/scheduler_experiment.h"

#include <atomic>
#include <barrier>
#include <chrono>
#include <semaphore>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "coro/stealing_pool.h"
#include "measure/process.h"

namespace drover::lab {
namespace {

using Clock = std::chrono::steady_clock;

// Executes rounds. Counts the tasks that each spawner still waits for, and the spawners that wait.
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
        // Both counts release and acquire, so that the end of the round happens after all tasks.
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
      // Releases the started threads, which wait for the missing ones at the barrier.
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

  // For threads outside of the pool. `over_` changes only between two phases of the barrier.
  std::barrier<> begin_;
  bool over_ = false;
  std::vector<std::jthread> threads_;
};

// Returns the counts of the pool; `tasks` is the number of executed tasks.
SpawnTally counts_of(const coro::StealingPool& pool) {
  SpawnTally counts{.lock_waits = pool.global_lock_waits()};
  const auto get = [](const std::atomic<std::uint64_t>& count) {
    return count.load(std::memory_order_relaxed);
  };
  for (std::size_t i = 0; i < pool.workers(); ++i) {
    const coro::PoolWorkerStatistics& worker = pool.statistics(i);
    counts += {.tasks = get(worker.executed),
               .overflowed = get(worker.overflowed),
               .relay_batches = get(worker.relay_batches),
               .steals = get(worker.steals),
               .sleeps = get(worker.sleeps)};
  }
  return counts;
}

// Calls `action` for each member of SpawnTally.
template <class Action>
void combine(SpawnTally& tally, const SpawnTally& other, Action action) {
  action(tally.rounds, other.rounds);
  action(tally.tasks, other.tasks);
  action(tally.seconds, other.seconds);
  action(tally.cpu_seconds, other.cpu_seconds);
  action(tally.overflowed, other.overflowed);
  action(tally.relay_batches, other.relay_batches);
  action(tally.steals, other.steals);
  action(tally.sleeps, other.sleeps);
  action(tally.lock_waits, other.lock_waits);
}

}  // namespace

SpawnTally& SpawnTally::operator+=(const SpawnTally& other) noexcept {
  combine(*this, other, [](auto& sum, auto value) { sum += value; });
  return *this;
}

SpawnTally measure_spawning(const SpawnWork& work, bool relay) {
  coro::StealingPool pool({.workers = work.workers, .relay = relay});
  SpawnTally tally;
  {
    Rounds rounds(pool, work);
    rounds.run();
    const SpawnTally before = counts_of(pool);
    const double cpu_before = measure::process_cpu_seconds();
    const Clock::time_point begin = Clock::now();
    std::uint64_t count = 0;
    double seconds = 0;
    while (seconds < work.seconds_min) {
      rounds.run();
      ++count;
      seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    }
    const double cpu = measure::process_cpu_seconds() - cpu_before;
    tally = counts_of(pool);
    combine(tally, before, [](auto& count, auto earlier) { count -= earlier; });
    tally.rounds = count;
    tally.seconds = seconds;
    tally.cpu_seconds = cpu;
    tally.tasks = count * work.spawners * work.tasks_per_spawner;
  }
  pool.join();
  const std::uint64_t spawners = work.outside ? 0 : work.spawners;
  const std::uint64_t a_round = work.spawners * work.tasks_per_spawner + spawners;
  if (counts_of(pool).tasks != (tally.rounds + 1) * a_round) {
    throw std::logic_error("the pool lost tasks or ran some of them twice");
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
