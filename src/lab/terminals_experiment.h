// `drover lab terminals` as a function: what is asked for, and the experiment that comes of it.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "lab/experiment.h"
#include "lab/rounds.h"
#include "lab/terminal_model.h"

namespace drover::lab {

struct TerminalsOptions {
  std::vector<TerminalModel> models = {TerminalModel::coroutine};
  std::vector<std::size_t> workers = {1};
  std::vector<std::size_t> terminals = {10};
  coro::Duration duration = std::chrono::seconds(10);  // of a round
  std::size_t rounds = 1;
};

// Which of the figures of a cell is which.
enum class TerminalsFigure : std::uint8_t {
  tasks_per_second,
  tasks,
  seconds,
  cpu_seconds,
  tasks_per_cpu_second,
  cpu_percent,
  bytes_per_terminal,
  lateness_p50_us,
  lateness_p99_us,
};

// "terminals: 1024, RPS: 923134, total tasks done: 4615668, duration: 5 seconds, …"
std::string terminals_line(std::size_t terminals, const std::vector<double>& figures);

// The figures as they stand in a round. Throws std::logic_error if a pause ended before its time.
std::vector<double> terminals_figures(const TerminalsOutcome& outcome);

// Fills factors, figures, cells, pictures and findings of `experiment`.
void measure_terminals(Experiment& experiment, const TerminalsOptions& options,
                       const OnMeasured& on_measured, const std::function<bool()>& interrupted);

}  // namespace drover::lab
