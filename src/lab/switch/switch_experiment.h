// `drover lab switch`: what it costs to let another flow run.
//
// Every flow loops: it computes for a while, then lets the others run. A loop is an operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "coro/clock.h"
#include "lab/experiment.h"
#include "lab/herds.h"
#include "lab/rounds.h"

namespace drover::lab {

struct SwitchPlan {
  FlowModel model = FlowModel::coroutine;
  std::size_t flows = 1;
  std::size_t workers = 1;       // event loops; the model `thread` has none
  std::uint64_t work_steps = 1;  // of compute(), in each operation
  coro::Duration warm_up = std::chrono::seconds(1);
  coro::Duration duration = std::chrono::seconds(5);  // measured
};

struct SwitchOutcome {
  std::uint64_t operations = 0;  // while measured
  double seconds = 0;            // measured
  double cpu_seconds = 0;        // while measured: the user's and the system's
  double start_seconds = 0;      // until every flow was there
  double wall_seconds = 0;       // start, warm-up, measured, end
  std::uint64_t operations_in_all = 0;
  std::uint64_t residue = 0;  // what the flows computed, all of it XORed
};

// Computing that is counted in steps, not timed by a clock: who shares a processor with others makes
// fewer slices of it in a second, and that is seen. `steps` steps, each of which needs the result of
// the one before (xorshift64: Marsaglia, "Xorshift RNGs", 2003), so that no processor does two at a
// time. Requires: `value` is not 0; nor is the result then.
//
// Never inlined: every caller runs the same instructions.
std::uint64_t compute(std::uint64_t steps, std::uint64_t value) noexcept;

// How many steps of compute() take so long, at least one. By the fastest of many short runs: what
// interrupts the others (an interrupt, another process, a host that takes the processor away) can
// only make a run longer. Takes some tens of milliseconds of the calling thread.
std::uint64_t steps_in(coro::Duration duration);

// What flow number `flow` computes from; never 0.
constexpr std::uint64_t first_value(std::size_t flow) {
  return flow + 1;
}

// Runs the flows in this process. Throws std::system_error if the system does not allow so many
// threads, std::runtime_error if starting them takes 10 s longer than all that was to come.
SwitchOutcome run_switch(const SwitchPlan& plan);

struct SwitchOptions {
  std::vector<FlowModel> models = {FlowModel::coroutine};
  std::vector<std::size_t> workers = {1};
  std::vector<std::size_t> flows = {256};
  coro::Duration work = std::chrono::microseconds(1);  // of an operation
  coro::Duration warm_up = std::chrono::seconds(1);
  coro::Duration duration = std::chrono::seconds(5);  // measured, of a round
};

// Which of the figures of a cell is which.
enum class SwitchFigure : std::uint8_t {
  operations_per_second,
  operations,
  seconds,
  cpu_seconds,
  cpu_ns_per_operation,
  start_ms,
  wall_seconds,
};

// "flows: 256, operations/s: 968k, operations: 4840000, measured: 5 s, CPU: 5.00 s, …"
std::string switch_line(std::size_t flows, const std::vector<double>& figures);

// The figures as they stand in a round. Throws std::runtime_error if there was no operation.
std::vector<double> switch_figures(const SwitchOutcome& outcome);

// What the figures come to, a sentence each: more workers against fewer, what is kept of the peak
// at the most flows, coroutines against threads, where threads stop. Of the cells of
// `experiment`, whose factors are flows and workers.
std::vector<std::string> switch_findings(const Experiment& experiment);

// Calibrates the work.
Study switch_study(const SwitchOptions& options);

}  // namespace drover::lab
