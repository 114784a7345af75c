// `drover lab switch` as a function: what is asked for, and the experiment that comes of it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "lab/experiment.h"
#include "lab/rounds.h"
#include "lab/switch_model.h"

namespace drover::lab {

struct SwitchOptions {
  std::vector<SwitchModel> models = {SwitchModel::coroutine};
  std::vector<std::size_t> workers = {1};
  std::vector<std::size_t> flows = {256};
  coro::Duration work = std::chrono::microseconds(1);  // of an operation
  coro::Duration warm_up = std::chrono::seconds(1);
  coro::Duration duration = std::chrono::seconds(5);  // measured, of a round
  std::size_t rounds = 1;
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

// "flows: 256, operations/s: 968k, in all: 4840000, measured: 5 s, CPU: 5.00 s, …"
std::string switch_line(std::size_t flows, const std::vector<double>& figures);

// The figures as they stand in a round. Throws std::runtime_error if there was no operation.
std::vector<double> switch_figures(const SwitchOutcome& outcome);

// What the figures come to, a sentence each: more workers against fewer, what is kept of the peak
// at the most flows, coroutines against threads, where threads stop. Of the cells of
// `experiment`, whose factors are flows and workers.
std::vector<std::string> switch_findings(const Experiment& experiment);

// Calibrates the work, measures, and fills factors, figures, cells, pictures and findings of
// `experiment`. Requires: the process has no other threads.
void measure_switch(Experiment& experiment, const SwitchOptions& options,
                    const OnMeasured& on_measured, const std::function<bool()>& interrupted);

}  // namespace drover::lab
