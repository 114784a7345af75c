// Surroundings: what a run takes from the machine that it is on, and from others. A simulation puts its own in their
// place, so that the whole engine runs on one thread and virtual time, and every run of a seed is
// the same.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>

#include "load/rendezvous.h"
#include "measure/process.h"

namespace drover::load {

// Seconds since 1970.
inline double unix_time_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

struct Surroundings {
  // Each worker has a thread; else all are tasks of the worker that the run is awaited on.
  bool own_threads = true;
  // Null: the run is alone; else it outlives the run. A stop request ends the wait there.
  Rendezvous* rendezvous = nullptr;
  double (*unix_time)() = unix_time_now;
  measure::ProcessUsage (*process_usage)() = measure::read_process_usage;
  std::optional<measure::RunQueueTimes> (*run_queue_times)(pid_t) = measure::read_run_queue_times;
};

}  // namespace drover::load
