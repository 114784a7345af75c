// `drover lab scheduler` as a function: what is asked for, and the experiment that comes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/experiment.h"
#include "lab/rounds.h"
#include "lab/scheduler_spawning.h"

namespace drover::lab {

struct SchedulerOptions {
  std::vector<std::size_t> spawners = {2};
  std::vector<std::size_t> workers = {2};
  std::size_t tasks = 7'000;  // a spawner
  double seconds = 0.1;       // of each subject in each round, at least
  bool outside = false;       // spawners are threads outside of the pool
  std::size_t rounds = 1;
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

inline constexpr std::string_view scheduler_direct = "direct";
inline constexpr std::string_view scheduler_relay = "relay";

// "32 spawners, 2 workers: direct 10.7M tasks/s, relay 10.9M tasks/s, ratio 1.02"; the figures are
// those of both subjects, as the call-back of measure_scheduler() gets them.
std::string scheduler_line(const Cell& cell, const std::vector<double>& figures);

// Fills factors, figures, cells, pictures and findings of `experiment`. `on_measured` is told of
// both subjects at once: their figures one after the other.
void measure_scheduler(Experiment& experiment, const SchedulerOptions& options,
                       const OnMeasured& on_measured, const std::function<bool()>& interrupted);

// The end of measure_scheduler(): makes two cells of each that holds the figures of both subjects,
// and says what they come to.
void compare_schedulers(Experiment& experiment);

}  // namespace drover::lab
