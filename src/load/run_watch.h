// RunWatch: the main thread's side of a run that goes on: a sample a second for whoever looks on, and
// the readings of the machine at both ends of the measurement interval.
//
// Belongs to the task of the run.
#pragma once

#include <optional>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "load/herd.h"
#include "load/outcome.h"
#include "load/plan.h"
#include "load/run_workers.h"
#include "load/snapshot.h"
#include "load/surroundings.h"

namespace drover::load {

class RunWatch {
 public:
  // All must outlive it.
  RunWatch(const Plan& plan, const Timetable& timetable, const RunWorkers& workers,
           SharedRecords& shared, const Surroundings& surroundings, Observer& observer,
           Outcome& outcome);

  // Ends with the interval; when it is ended before, by finish(), it is to be cancelled.
  coro::Task<void> run();

  // At the end, or when the run is stopped before it.
  void finish();

  // When it was; requires that finish() was called.
  coro::Instant ended_at() const noexcept { return ended_at_; }

 private:
  // What is read at both ends of the measurement interval.
  struct Reading {
    coro::Instant instant;
    double cpu_seconds = 0;
    std::vector<coro::Duration> cpu_times;  // of the workers
    std::vector<std::optional<measure::RunQueueTimes>> run_queues;
  };

  static WorkerHealth health_between(const Reading& first, const Reading& last, std::size_t i);
  Reading read_client() const;
  coro::Instant next_sample(coro::Instant last) const;
  void complete(Snapshot& snapshot, coro::Instant now) const;

  const Plan& plan_;
  const Timetable& timetable_;
  const RunWorkers& workers_;
  SharedRecords& shared_;
  const Surroundings& surroundings_;
  Observer& observer_;
  Outcome& outcome_;
  Reading first_;
  bool ended_ = false;
  coro::Instant ended_at_;
};

}  // namespace drover::load
