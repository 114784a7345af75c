// What spawning costs in a StealingPool: so many spawners, each of which spawns so many empty
// tasks; the time from the first spawn until the last empty task has run, again and again.
//
// The work is that of the published measurements of Tokio with a relay queue (7,000 tasks a
// spawner). Spawners are tasks of the pool themselves, as there, or threads outside of it, whose
// tasks all go through the pool's global list.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drover::lab {

struct SpawnWork {
  std::size_t spawners = 2;
  std::size_t workers = 2;
  std::size_t tasks_per_spawner = 7'000;  // empty ones, without the spawner itself
  double seconds_min = 0.1;               // whole rounds are done until then
  bool outside = false;                   // the spawners are threads, not tasks of the pool
};

// Sums; the round that warms a pool up is not in them.
struct SpawnTally {
  std::uint64_t rounds = 0;
  std::uint64_t tasks = 0;
  double seconds = 0;
  double cpu_seconds = 0;  // of the whole process
  std::uint64_t overflowed = 0;
  std::uint64_t relay_batches = 0;
  std::uint64_t steals = 0;
  std::uint64_t sleeps = 0;
  std::uint64_t lock_waits = 0;  // of the global list's lock: found taken

  SpawnTally& operator+=(const SpawnTally& other) noexcept;
};

// Makes a pool of its own. Throws std::invalid_argument for more than 1,024 workers,
// std::logic_error if a task was lost or ran twice, std::system_error if the system does not allow
// so many threads. Requires: work for at least one spawner and task.
SpawnTally measure_spawning(const SpawnWork& work, bool relay);

// Both in turns: without, with, with, without the relay, for half of the time each, so that what
// drifts steadily on the machine meets both alike.
struct SpawnPair {
  SpawnTally direct;
  SpawnTally relay;
};

SpawnPair measure_spawning_in_turns(const SpawnWork& work);

}  // namespace drover::lab
