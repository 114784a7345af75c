// Timetable: the instants that all workers of a run agree on. The phases are known when all
// terminals are up.
#pragma once

#include "coro/clock.h"
#include "load/worker_metrics.h"

namespace drover::load {

struct Timetable {
  coro::Instant start;  // terminals are at a random point of their cycle
  coro::Instant measure_start = coro::Instant::max();  // the end of the warm-up
  coro::Instant measure_end = coro::Instant::max();
  double unix_start = 0;  // of `start`, in seconds

  double unix_time(coro::Instant instant) const noexcept {
    return unix_start + coro::seconds_of(instant - start);
  }

  Phase phase_at(coro::Instant instant) const noexcept {
    if (instant < measure_start) return Phase::warmup;
    return instant < measure_end ? Phase::measure : Phase::done;
  }
};

}  // namespace drover::load
