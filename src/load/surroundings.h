// The connections of a run to its machine, to other hosts and to the user. A simulation replaces
// all of it, so that the engine runs on one thread and virtual time, and is the same for the same
// seed.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "coro/clock.h"
#include "coro/task.h"
#include "measure/process.h"

namespace drover::load {

// The points at which a run waits for the other hosts of a distributed run. Awaited on the main
// worker, in this order. May be cancelled.
class Rendezvous {
 public:
  virtual ~Rendezvous() = default;

  // Reports that the connections of this host are open. Returns when those of all hosts are.
  virtual coro::Task<void> sessions_open() = 0;

  // Reports that the terminals of this host have started. Returns the instant at which the phases
  // of all hosts begin. If it has already passed, the phases begin at once (Outcome::start_late).
  virtual coro::Task<coro::Instant> terminals_up() = 0;
};

// Returns the seconds since 1970.
inline double unix_time_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

struct Surroundings {
  // True if each worker has its own thread. Otherwise all workers are tasks of the caller's worker.
  bool own_threads = true;
  // Null for a run on one host. Must outlive the run. A stop request ends the wait.
  Rendezvous* rendezvous = nullptr;
  double (*unix_time)() = unix_time_now;
  measure::ProcessUsage (*process_usage)() = measure::read_process_usage;
  std::optional<measure::RunQueueTimes> (*run_queue_times)(pid_t) = measure::read_run_queue_times;
};

// StopRequest: the user's request to end a run early. Used by tasks of the main worker only.
class StopRequest {
 public:
  void request() {
    requested_ = true;
    if (on_request_) on_request_();
  }
  bool requested() const noexcept { return requested_; }
  // Sets the action of the next request.
  void on_request(std::function<void()> action) { on_request_ = std::move(action); }

  // Awaits `waiting`. A request cancels it. Returns true if it was not cancelled.
  coro::Task<bool> unless_requested(coro::Task<void> waiting);

 private:
  bool requested_ = false;
  std::function<void()> on_request_;
};

}  // namespace drover::load
