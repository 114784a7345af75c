// The flows that share an event loop, and what a model has to write for them.
//
// Belongs to its worker's thread, but for `operations`, which anybody may read. The residue is read
// when that thread has ended.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <utility>

#include "coro/task.h"
#include "lab/counted_work.h"
#include "lab/switch_model.h"
#include "measure/counter.h"

namespace drover::lab {

class alignas(measure::cache_line_bytes) SwitchHerd {
 public:
  // It has flow number `first` and those after it; a latch for each herd counts those started.
  SwitchHerd(const SwitchPlan& plan, std::size_t first, std::size_t count,
             const std::atomic<bool>& stopping, std::latch& all_started)
      : first_flow(first),
        flows(count),
        work_steps_(plan.work_steps),
        stopping_(stopping),
        all_started_(all_started) {}

  // A flow ends after the operation that it is at.
  bool is_stopping() const noexcept { return stopping_.load(std::memory_order_relaxed); }

  // A slice of computing: the value to go on with.
  std::uint64_t operate(std::uint64_t value) noexcept {
    const std::uint64_t next = compute(work_steps_, value);
    operations.add();
    return next;
  }

  // Every flow of the herd has been started.
  void note_started() noexcept {
    if (!std::exchange(is_started_, true)) all_started_.count_down();
  }

  // The end of a flow.
  void keep(std::uint64_t value) noexcept { residue ^= value; }

  const std::size_t first_flow;
  const std::size_t flows;
  measure::Counter operations;
  std::uint64_t residue = 0;

 private:
  const std::uint64_t work_steps_;
  const std::atomic<bool>& stopping_;
  std::latch& all_started_;
  bool is_started_ = false;
};

// Each runs the herd's flows on the current worker until they have stopped.
coro::Task<void> drive_coroutines(SwitchHerd& herd);
coro::Task<void> drive_steps(SwitchHerd& herd);
coro::Task<void> drive_machines(SwitchHerd& herd);
coro::Task<void> drive_futures(SwitchHerd& herd);

// Runs as many threads; they share nothing but the flag that stops them.
SwitchOutcome run_switch_threads(const SwitchPlan& plan);

}  // namespace drover::lab
