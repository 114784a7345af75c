// The flows of the experiment that share an event loop, and what a model has to write for them.
//
// Belongs to its thread, but for `operations`, which anybody may read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <utility>

#include "coro/task.h"
#include "lab/switch/switch_experiment.h"
#include "measure/counter.h"

namespace drover::lab {

// What all herds of a measurement are told.
struct SwitchSignals {
  explicit SwitchSignals(std::size_t herds) : all_started(static_cast<std::ptrdiff_t>(herds)) {}

  std::atomic<bool> stopping = false;
  std::latch all_started;          // counts the herds
  std::atomic<bool> open = false;  // threads wait until they may begin
};

class alignas(measure::cache_line_bytes) SwitchHerd : public Herd {
 public:
  SwitchHerd(std::size_t first, std::size_t count, const SwitchPlan& plan, SwitchSignals& signals)
      : Herd(first, count), work_steps_(plan.work_steps), signals_(signals) {}

  // A flow ends after the operation that it is at.
  bool is_stopping() const noexcept { return signals_.stopping.load(std::memory_order_relaxed); }

  // A slice of computing: the value to go on with.
  std::uint64_t operate(std::uint64_t value) noexcept {
    const std::uint64_t next = compute(work_steps_, value);
    operations.add();
    return next;
  }

  static const FlowModels<SwitchHerd> models;

  // What a flow of the herd computes from.
  std::uint64_t first_value(std::size_t number) const {
    return lab::first_value(first_flow + number);
  }

  coro::Task<void> all_started() {
    note_started();
    co_return;
  }
  // Every flow of the herd has been started.
  void note_started() noexcept {
    if (!std::exchange(is_started_, true)) signals_.all_started.count_down();
  }

  void wait_until_open() const noexcept { signals_.open.wait(false); }

  // What a flow computed until its end.
  void keep(std::uint64_t value) noexcept { residue ^= value; }

  measure::Counter operations;
  std::uint64_t residue = 0;

 private:
  const std::uint64_t work_steps_;
  SwitchSignals& signals_;
  bool is_started_ = false;
};

}  // namespace drover::lab
