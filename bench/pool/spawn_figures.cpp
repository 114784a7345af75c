#include "pool/spawn_figures.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <semaphore>
#include <vector>

namespace drover::bench {
namespace {

using Clock = std::chrono::steady_clock;

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// One round: counts the empty tasks of each spawner, and the spawners that are through.
class Round {
 public:
  Round(coro::StealingPool& pool, const SpawnWork& work)
      : pool_(pool), tasks_(work.tasks_per_spawner), left_(work.spawners) {}

  void run() {
    const std::size_t spawners = left_.size();
    spawners_left_.store(spawners, std::memory_order_relaxed);
    for (Left& left : left_) {
      left.tasks.store(tasks_, std::memory_order_relaxed);
      pool_.spawn([this, &left] { spawn_all(left); });
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

  coro::StealingPool& pool_;
  std::size_t tasks_;
  std::vector<Left> left_;
  alignas(64) std::atomic<std::size_t> spawners_left_{0};
  std::binary_semaphore ended_{0};
};

void add_statistics(const coro::StealingPool& pool, SpawnFigures& figures) {
  for (std::size_t i = 0; i < pool.workers(); ++i) {
    const coro::PoolWorkerStatistics& of_worker = pool.statistics(i);
    figures.overflowed += of_worker.overflowed.load(std::memory_order_relaxed);
    figures.relay_batches += of_worker.relay_batches.load(std::memory_order_relaxed);
    figures.steals += of_worker.steals.load(std::memory_order_relaxed);
    figures.sleeps += of_worker.sleeps.load(std::memory_order_relaxed);
  }
}

// That `successes` or fewer of `trials` fair coins fall on heads.
double at_most(std::size_t successes, std::size_t trials) {
  double ways = 1;
  double sum = 0;
  for (std::size_t k = 0; k <= successes; ++k) {
    sum += ways;
    ways *= static_cast<double>(trials - k) / static_cast<double>(k + 1);
  }
  for (std::size_t i = 0; i < trials; ++i) sum /= 2;
  return sum;
}

}  // namespace

SpawnFigures measure_spawning(const SpawnWork& work, bool relay) {
  coro::StealingPool pool({.workers = work.workers, .relay = relay});
  Round round(pool, work);
  round.run();
  SpawnFigures figures;
  const double cpu_before = cpu_seconds();
  const Clock::time_point begin = Clock::now();
  double seconds = 0;
  while (seconds < work.seconds_min) {
    round.run();
    ++figures.rounds;
    seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  }
  const double cpu = cpu_seconds() - cpu_before;
  const double tasks = static_cast<double>(figures.rounds * work.spawners * work.tasks_per_spawner);
  figures.tasks_per_second = tasks / seconds;
  figures.cpu_ns_per_task = cpu * 1e9 / tasks;
  pool.join();
  add_statistics(pool, figures);
  return figures;
}

MedianInterval median_interval(std::span<const double> sample, double confidence) {
  std::vector<double> sorted(sample.begin(), sample.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t count = sorted.size();
  MedianInterval interval;
  interval.median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
  // The median lies outside of [sorted[k], sorted[count - 1 - k]] if k or fewer of the sample lie
  // on one side of it.
  for (std::size_t k = 0; 2 * k < count; ++k) {
    const double sure = 1 - 2 * at_most(k, count);
    if (k > 0 && sure < confidence) break;
    interval.low = sorted[k];
    interval.high = sorted[count - 1 - k];
    interval.confidence = std::max(sure, 0.0);
  }
  return interval;
}

}  // namespace drover::bench
