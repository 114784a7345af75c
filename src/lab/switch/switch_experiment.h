// `drover lab switch`: measures the cost of a switch from one flow to another.
//
// A flow repeats an operation: it computes, then yields to all other flows.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <string>
#include <utility>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "lab/experiment.h"
#include "lab/flow_groups.h"
#include "lab/rounds.h"
#include "measure/counter.h"

namespace drover::lab {

struct SwitchPlan {
  FlowModel model = FlowModel::coroutine;
  std::size_t flows = 1;
  std::size_t workers = 1;       // event loops; ignored by the model `thread`
  std::uint64_t work_steps = 1;  // steps of compute() in each operation
  coro::Duration warm_up = std::chrono::seconds(1);
  coro::Duration duration = std::chrono::seconds(5);  // measured
};

struct SwitchOutcome {
  // Of the measured interval. CPU time is user and system time.
  std::uint64_t operations = 0;
  double seconds = 0;
  double cpu_seconds = 0;
  double start_seconds = 0;  // time to create all flows
  double wall_seconds = 0;   // start, warm-up, measured interval and end
  std::uint64_t operations_in_all = 0;
  std::uint64_t residue = 0;  // XOR of the results of all flows
};

// Computes `steps` steps of xorshift64 (Marsaglia, "Xorshift RNGs", 2003) from `value`. Each step
// needs the result of the previous one, so that no processor executes two steps at a time. The work
// is counted in steps and reads no clock, so that a flow with less processor time completes fewer
// operations. Requires: `value` is not 0. The result is not 0 either. Never inlined, so that all
// callers run the same instructions.
std::uint64_t compute(std::uint64_t steps, std::uint64_t value) noexcept;

// Returns the number of steps of compute() that take this long, at least 1. Measures the fastest of
// many short runs, because disturbances (an interrupt, another process, the host of a virtual
// machine) can only make a run longer. Takes some tens of milliseconds.
std::uint64_t steps_in(coro::Duration duration);

// Returns the value that a flow computes from, which is never 0.
constexpr std::uint64_t first_value(std::size_t flow) {
  return flow + 1;
}

// Runs the flows in this process. Throws std::system_error if the system refuses a thread,
// std::runtime_error if the start takes 10 s longer than the whole measurement should.
SwitchOutcome run_switch(const SwitchPlan& plan);

struct SwitchOptions {
  std::vector<FlowModel> models = {FlowModel::coroutine};
  std::vector<std::size_t> workers = {1};
  std::vector<std::size_t> flows = {256};
  coro::Duration work = std::chrono::microseconds(1);  // computation in an operation
  coro::Duration warm_up = std::chrono::seconds(1);
  coro::Duration duration = std::chrono::seconds(5);  // measured in a round
};

// The figures of a cell, in their order.
enum class SwitchFigure : std::uint8_t {
  operations_per_second,
  operations,
  seconds,
  cpu_seconds,
  cpu_ns_per_operation,
  start_ms,
  wall_seconds,
};

// Returns "flows: 256, operations/s: 968k, operations: 4840000, measured: 5 s, CPU: 5.00 s, …".
std::string switch_line(std::size_t flows, const std::vector<double>& figures);

// Returns the figures of a round. Throws std::runtime_error if there was no operation.
std::vector<double> switch_figures(const SwitchOutcome& outcome);

// Returns the findings from the cells of an experiment with the factors flows and workers: each
// number of workers compared with the smallest, the rate at the most flows compared with the
// highest rate, coroutines compared with threads, and the number of threads that was not measured.
std::vector<std::string> switch_findings(const Experiment& experiment);

// Returns the study. Measures first how many steps the computation of an operation has.
Study switch_study(const SwitchOptions& options);

// ---- For switch_models.cpp

// Signals to all groups of a measurement.
struct SwitchSignals {
  explicit SwitchSignals(std::size_t groups) : all_started(static_cast<std::ptrdiff_t>(groups)) {}

  std::atomic<bool> stopping = false;
  std::latch all_started;          // counts the groups
  std::atomic<bool> open = false;  // threads wait until it is true
};

// The flows of one thread. Belongs to this thread, except `operations`, which any thread may read.
class alignas(measure::cache_line_bytes) SwitchGroup : public FlowGroup {
 public:
  SwitchGroup(std::size_t first, std::size_t count, const SwitchPlan& plan, SwitchSignals& signals)
      : FlowGroup(first, count), work_steps_(plan.work_steps), signals_(signals) {}

  // Returns true when the flows must end, each after its current operation.
  bool is_stopping() const noexcept { return signals_.stopping.load(std::memory_order_relaxed); }

  // Executes an operation, and returns the value for the next one.
  std::uint64_t operate(std::uint64_t value) noexcept {
    const std::uint64_t next = compute(work_steps_, value);
    operations.add();
    return next;
  }

  static const FlowModels<SwitchGroup> models;

  // Returns the value that a flow of the group computes from.
  std::uint64_t first_value(std::size_t number) const {
    return lab::first_value(first_flow + number);
  }

  coro::Task<void> all_started() {
    note_started();
    co_return;
  }
  // Reports that all flows of the group have been created.
  void note_started() noexcept {
    if (!std::exchange(is_started_, true)) signals_.all_started.count_down();
  }

  void wait_until_open() const noexcept { signals_.open.wait(false); }

  // Keeps the last value of a flow.
  void keep(std::uint64_t value) noexcept { residue ^= value; }

  measure::Counter operations;
  std::uint64_t residue = 0;

 private:
  const std::uint64_t work_steps_;
  SwitchSignals& signals_;
  bool is_started_ = false;
};

}  // namespace drover::lab
