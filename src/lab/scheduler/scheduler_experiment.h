// `drover lab scheduler`: measures the cost of spawning tasks in a StealingPool.
//
// A round lasts from the first spawn until the last empty task has run. The work is that of the
// published measurements of Tokio with a relay queue: each spawner spawns 7,000 empty tasks.
// Spawners are tasks of the pool, as in those measurements, or threads outside of the pool, whose
// tasks all go through the pool's global list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/experiment.h"
#include "lab/rounds.h"

namespace drover::lab {

struct SpawnWork {
  std::size_t spawners = 2;
  std::size_t workers = 2;
  std::size_t tasks_per_spawner = 7'000;
  double seconds_min = 0.1;  // rounds are repeated until this time has passed
  bool outside = false;      // spawners are threads outside of the pool
};

// Sums over all rounds except the first one, which warms the pool up.
struct SpawnTally {
  std::uint64_t rounds = 0;
  std::uint64_t tasks = 0;
  double seconds = 0;
  double cpu_seconds = 0;  // whole process
  std::uint64_t overflowed = 0;
  std::uint64_t relay_batches = 0;
  std::uint64_t steals = 0;
  std::uint64_t sleeps = 0;
  std::uint64_t lock_waits = 0;  // the lock of the global list was taken

  SpawnTally& operator+=(const SpawnTally& other) noexcept;
};

// Measures the work in a new pool. Throws std::invalid_argument for more than 1,024 workers,
// std::logic_error if a task was lost or ran twice, std::system_error if the system refuses a
// thread. Requires: at least one spawner and one task.
SpawnTally measure_spawning(const SpawnWork& work, bool relay);

// The sums without and with the relay.
struct SpawnPair {
  SpawnTally direct;
  SpawnTally relay;
};

// Measures direct, relay, relay and direct, each for half of the time, so that a steady drift of
// the machine affects both alike.
SpawnPair measure_spawning_in_turns(const SpawnWork& work);

struct SchedulerOptions {
  std::vector<std::size_t> spawners = {2};
  std::vector<std::size_t> workers = {2};
  std::size_t tasks = 7'000;  // per spawner
  double seconds = 0.1;       // shortest time of each subject in each round
  bool outside = false;       // spawners are threads outside of the pool
};

// The figures of a cell, in their order. Only the relay has the last one.
enum class SchedulerFigure : std::uint8_t {
  tasks_per_second,
  cpu_ns_per_task,
  overflow_share,
  relay_batches,  // this and the next three: per million tasks
  steals,
  sleeps,
  lock_waits,
  relay_to_direct,
};

// Returns "32 spawners, 2 workers: direct 10.7M tasks/s, relay 10.9M tasks/s, ratio 1.02".
// `figures` are those of both subjects, as OnMeasured gets them.
std::string scheduler_line(const Cell& cell, const std::vector<double>& figures);

// Returns the study. A measurement has the figures of direct, followed by those of relay.
Study scheduler_study(const SchedulerOptions& options);

// Replaces each cell with the figures of both subjects by a cell for each subject, and adds the
// findings.
void compare_schedulers(Experiment& experiment);

}  // namespace drover::lab
