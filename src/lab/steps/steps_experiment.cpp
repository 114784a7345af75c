#include "lab/steps/steps_experiment.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/median_interval.h"

namespace drover::lab {
namespace {

void describe(Experiment& experiment) {
  experiment.name = "steps";
  experiment.question =
      "What does a flow cost, and what does a wait for an event cost, if a flow is a coroutine, a "
      "tree of steps or a fiber?";
  experiment.method = {
      "simple: flows are made and run one after the other; a flow has nothing to do.",
      "parallel: flows live in waves; each waits once for an event from outside of it.",
      "waits: the flows of one wave wait for an event again and again.",
      "An event is triggered by the driver, for each flow by itself, when all flows of the wave "
      "wait. Every flow and every wait is counted at its end, and a test in which one is missing "
      "has no figures.",
      "Hz is waits a second in the test waits, else flows a second. It includes making the flows "
      "and destroying them.",
      "Each figure comes from a process of its own with one thread. Memory is the most that was "
      "resident, less what was before the test; peak is without the difference.",
      "A coroutine is a task of a scope and waits at a notification. The event of steps is "
      "success() of the waiting step, after which comes another step. A fiber runs at once when "
      "it is made, has a stack of the default size and waits at a condition variable without a "
      "mutex.",
      "Rounds are the outer loop: every cell is measured once before any is measured again.",
  };
  experiment.factors = {{"flows", "flows"}, {"at_once", "at once"}, {"waits", "waits"}};
  experiment.figures = {
      {"operations_per_second", "Hz", "Hz"},
      {"operations_per_cpu_second", "Hz of CPU time", "Hz"},
      {"seconds", "time", "s"},
      {"cpu_seconds", "CPU time", "s"},
      {"peak_growth_bytes", "memory", "bytes"},
      {"peak_bytes", "peak", "bytes"},
  };
  const auto published = [&experiment](const char* what, const char* figures) {
    experiment.published.push_back(
        {fmt::format("{}, on a virtual machine with 2 CPUs, 2026", what), figures});
  };
  // Measured again by us, of the code that was published.
  published("FutoIn AsyncSteps 1.6.0", "8.40M, 1.31M and 4.73M Hz; 144 MB at its peak");
  published("FutoIn NitroSteps 1.6.0", "9.44M, 0.84M and 6.13M Hz; 119 MB at its peak");
  published("Boost.Fiber, protected stacks", "0.133M, 0.085M and 1.11M Hz; 248 MB at its peak");
  published("Boost.Fiber, pooled stacks", "4.36M, 0.327M and 1.10M Hz; 378 MB at its peak");
  published("Tokio, current_thread", "4.00M, 3.60M and 11.58M Hz; 16 MB at its peak");
  published("Go with one P", "3.04M, 0.49M and 1.22M Hz; 115 MB at its peak");
}

const Cell* cell_of(const Experiment& experiment, StepsModel model, StepsTest test) {
  const std::string subject = subject_of(model, test);
  const auto cell = std::ranges::find(experiment.cells, subject, &Cell::subject);
  return cell != experiment.cells.end() && !cell->rounds.empty() ? &*cell : nullptr;
}

const Cell* faster_fiber(const Experiment& experiment, StepsTest test) {
  return highest(experiment, index_of(StepsFigure::operations_per_second),
                 [test](const Cell& cell) {
                   return cell.subject == subject_of(StepsModel::fiber_protected, test) ||
                          cell.subject == subject_of(StepsModel::fiber_pooled, test);
                 });
}

// Round by round, so that what drifts on the machine is in both.
void compare(const Cell* above, const Cell* below, std::vector<std::string>& findings) {
  if (above == nullptr || below == nullptr) return;
  const std::size_t hz = index_of(StepsFigure::operations_per_second);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(above->rounds.size(), below->rounds.size()); ++i) {
    ratios.push_back(above->rounds[i].at(hz) / below->rounds[i].at(hz));
  }
  if (ratios.empty()) return;
  findings.push_back(fmt::format("{} : {} = {}.", above->subject, below->subject,
                                 interval_text(median_interval(ratios))));
}

void say_memory(const Experiment& experiment, StepsModel model,
                std::vector<std::string>& findings) {
  double most = 0;
  for (const StepsTest test : all_of<StepsTest>()) {
    const Cell* cell = cell_of(experiment, model, test);
    if (cell == nullptr) continue;
    if (const auto spread = spread_of(*cell, index_of(StepsFigure::peak_bytes))) {
      most = std::max(most, spread->median);
    }
  }
  if (most == 0) return;
  findings.push_back(
      fmt::format("{}: {:.1f} MB at its peak in any of its tests.", name_of(model), most / 1e6));
}

}  // namespace

std::string subject_of(StepsModel model, StepsTest test) {
  return fmt::format("{} {}", name_of(model), name_of(test));
}

std::string steps_line(const std::vector<double>& figures) {
  const auto figure = [&](StepsFigure which) { return figures.at(index_of(which)); };
  return fmt::format("{} Hz, time: {:.3g} s, CPU: {:.3g} s, memory: {:.1f} MB, peak: {:.1f} MB",
                     short_number(figure(StepsFigure::operations_per_second)),
                     figure(StepsFigure::seconds), figure(StepsFigure::cpu_seconds),
                     figure(StepsFigure::peak_growth_bytes) / 1e6,
                     figure(StepsFigure::peak_bytes) / 1e6);
}

std::vector<double> steps_figures(const StepsPlan& plan, const StepsOutcome& outcome) {
  const auto operations = static_cast<double>(plan.operations());
  return {operations / outcome.seconds, operations / outcome.cpu_seconds, outcome.seconds,
          outcome.cpu_seconds,          outcome.peak_growth_bytes,        outcome.peak_bytes};
}

std::vector<std::string> steps_findings(const Experiment& experiment) {
  std::vector<std::string> findings;
  for (const StepsTest test : all_of<StepsTest>()) {
    compare(cell_of(experiment, StepsModel::coroutine, test), faster_fiber(experiment, test),
            findings);
  }
  for (const StepsTest test : all_of<StepsTest>()) {
    compare(cell_of(experiment, StepsModel::nitro_steps, test),
            cell_of(experiment, StepsModel::async_steps, test), findings);
  }
  for (const StepsModel model : all_of<StepsModel>()) say_memory(experiment, model, findings);
  return findings;
}

Study steps_study(const StepsOptions& options) {
  Study study;
  describe(study.experiment);
  for (const StepsTest test : options.tests) {
    for (const StepsModel model : options.models) {
      const StepsPlan plan = StepsPlan::of(model, test, options.flows, options.wave, options.waits);
      study.measurements.push_back({{.subject = subject_of(model, test),
                                     .settings = {static_cast<std::int64_t>(plan.flows),
                                                  static_cast<std::int64_t>(plan.at_once),
                                                  static_cast<std::int64_t>(plan.waits)},
                                     .note = std::string(why_missing(model))},
                                    [plan] { return steps_figures(plan, run_steps(plan)); }});
    }
  }
  study.conclude = [](Experiment& experiment) { experiment.findings = steps_findings(experiment); };
  return study;
}

}  // namespace drover::lab
