// `drover lab steps`: the experiment whose tests and models are in steps_model.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/experiment.h"
#include "lab/rounds.h"
#include "lab/steps/steps_model.h"

namespace drover::lab {

struct StepsOptions {
  std::vector<StepsModel> models = {StepsModel::coroutine};
  std::vector<StepsTest> tests = {StepsTest::simple, StepsTest::parallel, StepsTest::waits};
  std::size_t flows = 1'000'000;     // of simple and parallel
  std::size_t wave = 30'000;         // of parallel and waits
  std::uint64_t waits = 10'000'000;  // of waits
  std::size_t rounds = 1;
};

// Which of the figures of a cell is which.
enum class StepsFigure : std::uint8_t {
  operations_per_second,
  operations_per_cpu_second,
  seconds,
  cpu_seconds,
  peak_growth_bytes,
  peak_bytes,
};

// "coroutine waits": the subject of a cell.
std::string subject_of(StepsModel model, StepsTest test);

// "1.05M Hz, time: 0.95 s, CPU: 0.95 s, memory: 18.2 MB, peak: 24.6 MB"
std::string steps_line(const std::vector<double>& figures);

// The figures as they stand in a round.
std::vector<double> steps_figures(const StepsPlan& plan, const StepsOutcome& outcome);

// What the figures come to, a sentence each: coroutines against the better of the fibers and
// NitroSteps against AsyncSteps in each test, and the most memory that a model took. Of the cells
// of `experiment`.
std::vector<std::string> steps_findings(const Experiment& experiment);

// Fills factors, figures, cells and findings of `experiment`. A model that this build does not have
// is a cell with a note. Requires: the process has no other threads.
void measure_steps(const StepsOptions& options, Experiment& experiment,
                   const OnMeasured& on_measured, const std::function<bool()>& interrupted);

}  // namespace drover::lab
