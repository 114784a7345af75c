#include "lab/terminals/terminals_experiment.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <thread>

#include "coro/sleep.h"
#include "measure/process.h"
#include "text/plain_text.h"

namespace drover::lab {
namespace {

using Clock = std::chrono::steady_clock;

// With fewer terminals, the memory of the event loops would distort the result.
constexpr std::size_t terminals_for_memory_least = 1'000;

void describe(Experiment& experiment, const TerminalsOptions& options) {
  experiment.name = "terminals";
  experiment.question =
      "How many terminals can one thread execute, and how much does each implementation of a "
      "terminal cost?";
  experiment.method = {
      "A terminal repeats a loop: a pause of 200 µs, then four asynchronous requests of 200 µs "
      "each, one after the other. One pass through the loop is a task, so a terminal completes at "
      "most a thousand tasks per second.",
      "Pauses and requests are timers of the terminal's own event loop and never end early. Every "
      "64th terminal reads the clock to measure its timer lag: how late its pauses end.",
      "Each measurement runs in its own process. Memory is the growth of the process while the "
      "terminals run, divided by their number. CPU time is user and system time.",
      "A round measures every cell once. The rounds follow each other, so that a drift of the "
      "machine affects all cells.",
  };
  experiment.round_seconds = coro::seconds_of(options.duration);
  experiment.factors = {{"terminals", "terminals"}, {"workers", "workers"}};
  experiment.figures = {
      {"tasks_per_second", "tasks/s", "1/s"},
      {"tasks", "tasks", ""},
      {"seconds", "time", "s"},
      {"cpu_seconds", "CPU time", "s"},
      {"tasks_per_cpu_second", "tasks/CPU s", "1/s"},
      {"cpu_percent", "CPU %", "% of a core"},
      {"bytes_per_terminal", "bytes/terminal", "bytes"},
      {"lateness_p50_us", "timer lag p50", "µs"},
      {"lateness_p99_us", "timer lag p99", "µs"},
  };
  experiment.pictures = {
      {"Tasks per second", index_of(TerminalsFigure::tasks_per_second), true},
      {"Tasks per CPU second", index_of(TerminalsFigure::tasks_per_cpu_second)},
      {"Timer lag", index_of(TerminalsFigure::lateness_p99_us), true},
  };
  experiment.published = {
      {"eivanov89/toys hello_coroutines, 120 threads on a machine with 128 cores",
       "2.43M tasks/s at 16,384 terminals, 2.36M at 65,536"},
      {"eivanov89/toys hello_coroutines, one thread and a spinning timer thread, same machine",
       "0.25M tasks/s at 8,192 terminals"},
  };
}

void add_findings(Experiment& experiment) {
  constexpr std::size_t figure = index_of(TerminalsFigure::tasks_per_cpu_second);
  const Cell* best = highest(experiment, figure, [](const Cell&) { return true; });
  if (best == nullptr) return;
  experiment.findings.push_back(fmt::format(
      "Most tasks per CPU second: {} ({}, {}, {}).", short_number(spread_of(*best, figure)->median),
      best->subject, text::counted_of_plural(best->settings[0], "terminals"),
      text::counted_of_plural(best->settings[1], "workers")));
}

}  // namespace

coro::Task<void> TerminalGroup::all_started() {
  co_await coro::sleep_until(end_);
  tasks_at_end = tally.tasks;
  stopping = true;
}

TerminalsOutcome run_terminals(const TerminalsPlan& plan) {
  const measure::ProcessUsage before = measure::read_process_usage();
  const coro::Instant begun = Clock::now();
  const coro::Instant end = begun + plan.duration;
  std::atomic<bool> threads_stop = false;
  const auto stop = [&] { threads_stop.store(true, std::memory_order_relaxed); };
  FlowGroups<TerminalGroup> groups(plan.model, plan.terminals, plan.workers, stop, end,
                                   threads_stop);
  groups.start([&plan](TerminalGroup& group) { run_group(plan.model, group); }, begun,
               plan.duration);
  std::this_thread::sleep_until(end);
  stop();  // before the time is read, because later tasks must not count
  TerminalsOutcome outcome;
  const measure::ProcessUsage after = measure::read_process_usage();  // while they still run
  outcome.seconds = coro::seconds_of(Clock::now() - begun);
  outcome.cpu_seconds = after.cpu_seconds - before.cpu_seconds;
  outcome.bytes_per_terminal = not_measured;
  if (plan.terminals >= terminals_for_memory_least && after.rss_bytes > before.rss_bytes) {
    outcome.bytes_per_terminal = static_cast<double>(after.rss_bytes - before.rss_bytes) /
                                 static_cast<double>(plan.terminals);
  }
  groups.stop();
  groups.throw_error();
  const auto lateness =
      groups.total(measure::HistogramSnapshot(), [&](auto& sum, const TerminalGroup& group) {
        outcome.tasks += group.tasks_at_end;
        outcome.early += group.tally.early;
        group.tally.lateness.add_to(sum);
      });
  outcome.lateness_p50_us = static_cast<double>(lateness.percentile_ns(50)) / 1e3;
  outcome.lateness_p99_us = static_cast<double>(lateness.percentile_ns(99)) / 1e3;
  return outcome;
}

std::vector<double> terminals_figures(const TerminalsOutcome& outcome) {
  if (outcome.early > 0) {
    throw std::logic_error(fmt::format("{} pauses ended too early", outcome.early));
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
  const auto figure = [&](TerminalsFigure which) { return figures.at(index_of(which)); };
  std::string line = fmt::format(
      "terminals: {}, tasks/s: {}, tasks: {:.0f}, duration: {:.3g} s, CPU: {:.2f} s, tasks/CPU s: "
      "{}, timer lag: p50 {:.0f} µs, p99 {:.0f} µs",
      terminals, short_number(figure(TerminalsFigure::tasks_per_second)),
      figure(TerminalsFigure::tasks), figure(TerminalsFigure::seconds),
      figure(TerminalsFigure::cpu_seconds),
      short_number(figure(TerminalsFigure::tasks_per_cpu_second)),
      figure(TerminalsFigure::lateness_p50_us), figure(TerminalsFigure::lateness_p99_us));
  const double bytes = figure(TerminalsFigure::bytes_per_terminal);
  if (std::isfinite(bytes)) line += fmt::format(", {:.0f} bytes/terminal", bytes);
  return line;
}

Study terminals_study(const TerminalsOptions& options) {
  Study study{.conclude = add_findings};
  describe(study.experiment, options);
  for (const FlowModel model : options.models) {
    for (const std::size_t workers : options.workers) {
      for (const std::size_t terminals : options.terminals) {
        const TerminalsPlan plan{model, terminals, workers, options.duration};
        study.measurements.push_back(
            {{std::string(name_of(model)),
              {static_cast<std::int64_t>(terminals), static_cast<std::int64_t>(workers)}},
             [plan] { return terminals_figures(run_terminals(plan)); }});
      }
    }
  }
  return study;
}

}  // namespace drover::lab
