#include "lab/switch_experiment.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "lab/experiment_text.h"
#include "lab/work_calibration.h"

namespace drover::lab {
namespace {

constexpr std::size_t index(SwitchFigure figure) {
  return static_cast<std::size_t>(figure);
}

std::string work_text(coro::Duration work) {
  return work.count() % 1000 == 0 ? fmt::format("{} µs", work.count() / 1000)
                                  : fmt::format("{} ns", work.count());
}

void describe_method(Experiment& experiment, const SwitchOptions& options,
                     std::uint64_t work_steps) {
  const auto seconds = [](coro::Duration duration) {
    return std::chrono::duration<double>(duration).count();
  };
  experiment.method = {
      "A flow loops: it computes, then lets all the others run: a coroutine, a machine, a future "
      "and a flow of steps through the queue of their worker, a thread by sched_yield(). A loop is "
      "an operation.",
      fmt::format("The computing is a chain of {} dependent steps of xorshift, which takes {} here "
                  "by the fastest of 2,000 short runs before anything is measured: it is counted, "
                  "not timed by a clock, so who has less of a processor makes fewer operations.",
                  work_steps, work_text(options.work)),
      fmt::format("Each figure comes from a process of its own: all flows are started before one "
                  "of them runs, then {:g} s of warm-up, then {:g} s are measured, then the flows "
                  "are told to stop, and it ends with the last of them. CPU time is the user's and "
                  "the system's while it is measured.",
                  seconds(options.warm_up), seconds(options.duration)),
      "Flows are divided among the workers and never move. Threads have a stack of 64 KiB each and "
      "no workers: the system divides them among its processors. Starting so many is given up 10 s "
      "after all should have been over.",
      "Rounds are the outer loop: every cell is measured once before any is measured again.",
  };
}

void describe(Experiment& experiment, const SwitchOptions& options) {
  experiment.name = "switch";
  experiment.question =
      "What does it cost to let another flow run, in coroutines and in threads, and for how many?";
  experiment.round_seconds = std::chrono::duration<double>(options.duration).count();
  experiment.factors = {{"flows", "flows"}, {"workers", "workers"}};
  experiment.figures = {
      {"operations_per_second", "operations/s", "1/s"},
      {"operations", "operations", ""},
      {"seconds", "time", "s"},
      {"cpu_seconds", "CPU time", "s"},
      {"cpu_ns_per_operation", "CPU ns/operation", "ns"},
      {"start_ms", "start ms", "ms"},
      {"wall_seconds", "whole s", "s"},
  };
  experiment.pictures = {
      {"Operations a second", Picture::Kind::curves, index(SwitchFigure::operations_per_second), 0,
       0, "", false},
      {"Processor time of an operation", Picture::Kind::curves,
       index(SwitchFigure::cpu_ns_per_operation), 0, 0, "", true},
      {"From the start to the end", Picture::Kind::curves, index(SwitchFigure::wall_seconds), 0, 0,
       "", true},
  };
  experiment.published = {
      {"ydb-platform/tpcc-postgres-cpp, coroutines_vs_threads, slices of 1 µs, 256 flows, as built "
       "and run on a machine with two processors",
       "2.04M operations/s of threads, 1.41M of coroutines on one worker, 2.75M on two (an "
       "operation of it is shorter than a slice)"},
      {"the same, more threads",
       "4,096 threads need 10.4 s for what should take 2.5 s, 16,384 do not come to an end"},
  };
}

}  // namespace

std::vector<double> switch_figures(const SwitchOutcome& outcome) {
  if (outcome.operations == 0) {
    throw std::runtime_error(
        fmt::format("no operation came to an end in {:.3g} s: measure longer", outcome.seconds));
  }
  const auto operations = static_cast<double>(outcome.operations);
  return {operations / outcome.seconds,
          operations,
          outcome.seconds,
          outcome.cpu_seconds,
          1e9 * outcome.cpu_seconds / operations,
          1e3 * outcome.start_seconds,
          outcome.wall_seconds};
}

std::string switch_line(std::size_t flows, const std::vector<double>& figures) {
  const auto figure = [&](SwitchFigure which) { return figures.at(index(which)); };
  return fmt::format(
      "flows: {}, operations/s: {}, in all: {:.0f}, measured: {:.3g} s, CPU: {:.2f} s, CPU "
      "ns/operation: {}, start: {:.3g} ms, whole: {:.3g} s",
      flows, short_number(figure(SwitchFigure::operations_per_second)),
      figure(SwitchFigure::operations), figure(SwitchFigure::seconds),
      figure(SwitchFigure::cpu_seconds), short_number(figure(SwitchFigure::cpu_ns_per_operation)),
      figure(SwitchFigure::start_ms), figure(SwitchFigure::wall_seconds));
}

void measure_switch(Experiment& experiment, const SwitchOptions& options,
                    const OnMeasured& on_measured, const std::function<bool()>& interrupted) {
  describe(experiment, options);
  const std::uint64_t work_steps = steps_in(options.work);
  describe_method(experiment, options, work_steps);
  std::vector<Measurement> measurements;
  const auto add = [&](SwitchModel model, std::size_t flows, std::size_t workers,
                       std::int64_t workers_setting) {
    const SwitchPlan plan{model, flows, workers, work_steps, options.warm_up, options.duration};
    measurements.push_back(
        {{std::string(name_of(model)), {static_cast<std::int64_t>(flows), workers_setting}, {}, ""},
         [plan] { return switch_figures(run_switch(plan)); }});
  };
  for (const SwitchModel model : options.models) {
    if (model == SwitchModel::thread) {
      for (const std::size_t flows : options.flows) add(model, flows, 0, no_setting);
      continue;
    }
    for (const std::size_t workers : options.workers) {
      for (const std::size_t flows : options.flows) {
        add(model, flows, workers, static_cast<std::int64_t>(workers));
      }
    }
  }
  measure_rounds(experiment, std::move(measurements), options.rounds, on_measured, interrupted);
  experiment.findings.push_back(
      fmt::format("{} = {} steps of computing.", work_text(options.work), work_steps));
  for (std::string& finding : switch_findings(experiment)) {
    experiment.findings.push_back(std::move(finding));
  }
}

}  // namespace drover::lab
