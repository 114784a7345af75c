// What spawning costs in a StealingPool: so many spawners, each a task that spawns so many empty
// tasks; the time from the first spawn until the last empty task has run. Plain functions, for the
// benchmark beside this folder and whoever else wants the figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "coro/stealing_pool.h"

namespace drover::bench {

struct SpawnWork {
  std::size_t spawners = 2;
  std::size_t workers = 2;
  std::size_t tasks_per_spawner = 7'000;  // empty ones, without the spawner itself
  double seconds_min = 0.1;               // whole rounds are done until then
};

struct SpawnFigures {
  std::uint64_t rounds = 0;
  double tasks_per_second = 0;
  double cpu_ns_per_task = 0;  // of the whole process
  std::uint64_t overflowed = 0;
  std::uint64_t relay_batches = 0;
  std::uint64_t steals = 0;
  std::uint64_t sleeps = 0;
};

// Makes a pool of its own, and warms it up with a round that does not count.
SpawnFigures measure_spawning(const SpawnWork& work, bool relay);

// An interval that holds the median of what the sample was drawn from: two of its order statistics,
// and how surely they do, exactly, whatever the distribution.
struct MedianInterval {
  double median = 0;
  double low = 0;
  double high = 0;
  double confidence = 0;
};

// The narrowest interval that is at least as sure as `confidence`, or the whole sample where that
// is less. Requires: a sample that is not empty.
MedianInterval median_interval(std::span<const double> sample, double confidence);

}  // namespace drover::bench
