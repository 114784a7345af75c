#include "lab/terminals_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "lab/experiment_text.h"

namespace drover::lab {
namespace {

constexpr std::size_t index(TerminalsFigure figure) {
  return static_cast<std::size_t>(figure);
}

void describe(Experiment& experiment, const TerminalsOptions& options) {
  experiment.name = "terminals";
  experiment.question =
      "How many terminals can one thread drive, and what does each way to write them cost?";
  experiment.method = {
      "A terminal loops: a pause of 200 µs, then four asynchronous requests of 200 µs each, one "
      "after the other. A loop is a task, so a terminal makes a thousand tasks a second at most.",
      "Pauses and requests are timers of the terminal's own event loop and never end early; every "
      "64th terminal measures by the clock, from its call, how late its pauses end.",
      "Each figure comes from a process of its own. Memory is what the process grew by while the "
      "terminals ran, divided by their number; CPU time is the user's and the system's.",
      "Rounds are the outer loop: every cell is measured once before any is measured again.",
  };
  experiment.round_seconds = std::chrono::duration<double>(options.duration).count();
  experiment.factors = {{"terminals", "terminals"}, {"workers", "workers"}};
  experiment.figures = {
      {"tasks_per_second", "tasks/s", "1/s"},
      {"tasks", "tasks", ""},
      {"seconds", "time", "s"},
      {"cpu_seconds", "CPU time", "s"},
      {"tasks_per_cpu_second", "tasks/CPU s", "1/s"},
      {"cpu_percent", "CPU %", "% of a core"},
      {"bytes_per_terminal", "bytes/terminal", "bytes"},
      {"lateness_p50_us", "late p50", "µs"},
      {"lateness_p99_us", "late p99", "µs"},
  };
  experiment.pictures = {
      {"Tasks a second", Picture::Kind::curves, index(TerminalsFigure::tasks_per_second), 0, 0, "",
       true},
      {"Tasks for each second of processor time", Picture::Kind::curves,
       index(TerminalsFigure::tasks_per_cpu_second), 0, 0, "", false},
      {"How late timers are", Picture::Kind::curves, index(TerminalsFigure::lateness_p99_us), 0, 0,
       "", true},
  };
  experiment.published = {
      {"eivanov89/toys hello_coroutines, 120 threads of a machine with 128 cores",
       "2.43M tasks/s at 16,384 terminals, 2.36M at 65,536"},
      {"eivanov89/toys hello_coroutines, one thread and a timer thread that spins, same machine",
       "0.25M tasks/s at 8,192 terminals"},
  };
}

void find(Experiment& experiment) {
  const Cell* best = nullptr;
  double best_value = 0;
  for (const Cell& cell : experiment.cells) {
    const auto spread = spread_of(cell, index(TerminalsFigure::tasks_per_cpu_second));
    if (!spread || spread->median <= best_value) continue;
    best = &cell;
    best_value = spread->median;
  }
  if (best == nullptr) return;
  experiment.findings.push_back(
      fmt::format("Most tasks for a second of processor time: {} ({}, {}, {}).",
                  short_number(best_value), best->subject, counted(best->settings[0], "terminals"),
                  counted(best->settings[1], "workers")));
}

}  // namespace

std::vector<double> terminals_figures(const TerminalsOutcome& outcome) {
  if (outcome.early > 0) {
    throw std::logic_error(fmt::format("{} pauses ended before their time", outcome.early));
  }
  const auto tasks = static_cast<double>(outcome.tasks);
  return {tasks / outcome.seconds,
          tasks,
          outcome.seconds,
          outcome.cpu_seconds,
          tasks / outcome.cpu_seconds,
          100 * outcome.cpu_seconds / outcome.seconds,
          outcome.bytes_per_terminal,
          outcome.lateness_p50_us,
          outcome.lateness_p99_us};
}

std::string terminals_line(std::size_t terminals, const std::vector<double>& figures) {
  const auto figure = [&](TerminalsFigure which) { return figures.at(index(which)); };
  std::string line = fmt::format(
      "terminals: {}, RPS: {:.6g}, total tasks done: {:.0f}, duration: {:.3g} seconds, CPU: {:.2f} "
      "s, tasks/CPU s: {}, late p50 {:.0f} p99 {:.0f} µs",
      terminals, figure(TerminalsFigure::tasks_per_second), figure(TerminalsFigure::tasks),
      figure(TerminalsFigure::seconds), figure(TerminalsFigure::cpu_seconds),
      short_number(figure(TerminalsFigure::tasks_per_cpu_second)),
      figure(TerminalsFigure::lateness_p50_us), figure(TerminalsFigure::lateness_p99_us));
  const double bytes = figure(TerminalsFigure::bytes_per_terminal);
  if (std::isfinite(bytes)) line += fmt::format(", {:.0f} bytes a terminal", bytes);
  return line;
}

void measure_terminals(Experiment& experiment, const TerminalsOptions& options,
                       const OnMeasured& on_measured, const std::function<bool()>& interrupted) {
  describe(experiment, options);
  std::vector<Measurement> measurements;
  for (const TerminalModel model : options.models) {
    for (const std::size_t workers : options.workers) {
      for (const std::size_t terminals : options.terminals) {
        const TerminalsPlan plan{model, terminals, workers, options.duration};
        measurements.push_back(
            {{std::string(name_of(model)),
              {static_cast<std::int64_t>(terminals), static_cast<std::int64_t>(workers)},
              {},
              ""},
             [plan] { return terminals_figures(run_terminals(plan)); }});
      }
    }
  }
  measure_rounds(experiment, std::move(measurements), options.rounds, on_measured, interrupted);
  find(experiment);
}

}  // namespace drover::lab
