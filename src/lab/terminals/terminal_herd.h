// The terminals that share an event loop, and what a model has to write for them.
//
// Belongs to its thread; the tally is read when that has ended.
#pragma once

#include <atomic>
#include <cstddef>

#include "coro/clock.h"
#include "coro/task.h"
#include "lab/terminals/terminals_experiment.h"
#include "measure/histogram.h"

namespace drover::lab {

// What a herd counts while its terminals run.
struct alignas(64) TerminalTally {
  std::uint64_t tasks = 0;
  std::uint64_t early = 0;      // pauses that ended before their time; has to stay 0
  measure::Histogram lateness;  // of the pauses of a few terminals, in ns

  void note_pause(coro::Instant due, coro::Instant now) {
    if (now < due) ++early;
    lateness.record(now > due ? static_cast<std::uint64_t>((now - due).count()) : 0);
  }
};

class TerminalHerd : public Herd {
 public:
  TerminalHerd(std::size_t first, std::size_t count, const coro::Instant& end,
               const std::atomic<bool>& threads_stop)
      : Herd(first, count), end_(end), threads_stop_(threads_stop) {}

  // Every 64th terminal measures how late its pauses end: often enough to know the tail, too seldom
  // to weigh on the figures.
  bool is_watched(std::size_t terminal) const { return (first_flow + terminal) % 64 == 0; }

  static const FlowModels<TerminalHerd> models;

  // An event loop's part: sleeps until the end, takes down the count, and tells the terminals.
  coro::Task<void> all_started();
  bool stopping = false;  // a terminal stops after the task that it is at

  // The same for a thread.
  bool threads_stop() const noexcept { return threads_stop_.load(std::memory_order_relaxed); }

  TerminalTally tally;
  std::uint64_t tasks_at_end = 0;

 private:
  const coro::Instant end_;
  const std::atomic<bool>& threads_stop_;
};

}  // namespace drover::lab
