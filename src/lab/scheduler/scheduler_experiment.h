// `drover lab scheduler`: what spawning costs in a StealingPool. So many spawners each spawn so many
// empty tasks; the time from the first spawn until the last empty task has run, again and again.
//
// The work is that of the published measurements of Tokio with a relay queue (7,000 tasks a
// spawner). Spawners are tasks of the pool themselves, as there, or threads outside of it, whose
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

struct SchedulerOptions {
  std::vector<std::size_t> spawners = {2};
  std::vector<std::size_t> workers = {2};
  std::size_t tasks = 7'000;  // a spawner
  double seconds = 0.1;       // of each subject in each round, at least
  bool outside = false;       // spawners are threads outside of the pool
};

// Which of the figures of a cell is which. The last is there with the relay only.
enum class SchedulerFigure : std::uint8_t {
  tasks_per_second,
  cpu_ns_per_task,
  overflow_share,
  relay_batches,  // these four of a million tasks
  steals,
  sleeps,
  lock_waits,
  relay_to_direct,
};

// "32 spawners, 2 workers: direct 10.7M tasks/s, relay 10.9M tasks/s, ratio 1.02"; the figures are
// those of both subjects, as OnMeasured gets them.
std::string scheduler_line(const Cell& cell, const std::vector<double>& figures);

// A measurement is of both subjects at once: their figures one after the other.
Study scheduler_study(const SchedulerOptions& options);

// What the study concludes: makes two cells of each that holds the figures of both subjects,
// and says what they come to.
void compare_schedulers(Experiment& experiment);

}  // namespace drover::lab
