#include "lab/steps/steps_experiment.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/rounds.h"

namespace drover::lab {
namespace {

void describe(Experiment& experiment) {
  experiment.name = "steps";
  experiment.question =
      "How much does a flow cost, and how much does a wait for an event cost, if the flow is a "
      "coroutine, a tree of steps or a fiber?";
  experiment.method = {
      "simple: flows are created and run one after the other. A flow does nothing.",
      "parallel: flows run in waves of concurrent flows. Each flow waits once for an event.",
      "waits: the flows of a single wave wait for an event repeatedly.",
      "Each flow has its own event. The driver triggers the events when all flows of the wave "
      "wait. Every flow and every wait is counted at its end. A test with a missing flow or wait "
      "has no figures.",
      "Hz is waits per second in the test waits, and flows per second in the other tests. The "
      "time includes the creation and destruction of the flows.",
      "Each measurement runs in its own process with one thread. Peak is the highest resident "
      "memory of the process. Memory is the peak minus the resident memory before the test.",
      "A coroutine is a task of a scope and waits for a notification. A step waits until the "
      "driver calls its success(), and another step follows. A fiber starts at once when it is "
      "created, has a stack of the default size and waits on a condition variable without a "
      "mutex.",
      "A round measures every cell once. The rounds follow each other, so that a drift of the "
      "machine affects all cells.",
  };
  experiment.factors = {{"flows", "flows"}, {"at_once", "concurrent"}, {"waits", "waits"}};
  experiment.figures = {
      {"operations_per_second", "Hz", "Hz"},
      {"operations_per_cpu_second", "Hz per CPU time", "Hz"},
      {"seconds", "time", "s"},
      {"cpu_seconds", "CPU time", "s"},
      {"peak_growth_bytes", "memory", "bytes"},
      {"peak_bytes", "peak", "bytes"},
  };
  const auto published = [&experiment](const char* what, const char* figures) {
    experiment.published.push_back(
        {fmt::format("{}, on a virtual machine with 2 CPUs, 2026 (simple, parallel, waits)", what),
         figures});
  };
  // Measured for Drover with the published code.
  published("FutoIn AsyncSteps 1.6.0", "8.40M, 1.31M and 4.73M Hz, 144 MB peak memory");
  published("FutoIn NitroSteps 1.6.0", "9.44M, 0.84M and 6.13M Hz, 119 MB peak memory");
  published("Boost.Fiber, protected stacks", "0.133M, 0.085M and 1.11M Hz, 248 MB peak memory");
  published("Boost.Fiber, pooled stacks", "4.36M, 0.327M and 1.10M Hz, 378 MB peak memory");
  published("Tokio, current_thread", "4.00M, 3.60M and 11.58M Hz, 16 MB peak memory");
  published("Go with one P", "3.04M, 0.49M and 1.22M Hz, 115 MB peak memory");
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

// Adds a finding with the ratio of the rates. Divides round by round, so that a drift of the
// machine affects both rates alike.
void compare(const Cell* above, const Cell* below, std::vector<std::string>& findings) {
  if (above == nullptr || below == nullptr) return;
  const std::size_t hz = index_of(StepsFigure::operations_per_second);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(above->rounds.size(), below->rounds.size()); ++i) {
    ratios.push_back(above->rounds[i].at(hz) / below->rounds[i].at(hz));
  }
  if (ratios.empty()) return;
  findings.push_back(fmt::format("{} has {} times the rate of {}.", above->subject,
                                 interval_text(median_interval(ratios)), below->subject));
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
  findings.push_back(fmt::format("{}: {:.1f} MB peak memory, the highest of its tests.",
                                 name_of(model), most / 1e6));
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
