// `drover lab steps`: measures the cost of a flow in three tests.
//
//   simple    flows are created and run one after the other; a flow does nothing
//   parallel  flows run in waves; each flow waits once for an event
//   waits     the flows of a single wave wait for an event repeatedly
//
// Each flow has its own event. The driver triggers the events when all flows of the wave wait. The
// tests are those of the benchmarks of futoin/core-cpp-ri-asyncsteps, so that its published figures
// are about the same work. steps_models.cpp and steps_fiber.cpp contain them for each model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiment.h"
#include "lab/rounds.h"

namespace drover::lab {

enum class StepsModel : std::uint8_t {
  coroutine,
  async_steps,
  nitro_steps,
  nitro_steps_default,  // with the default limits
  fiber_protected,      // Boost.Fiber, stacks with a guard page
  fiber_pooled,         // Boost.Fiber, stacks from a pool without one
};

template <>
inline constexpr auto names<StepsModel> =
    std::to_array<std::string_view>({"coroutine", "asyncsteps", "nitrosteps", "nitrosteps-default",
                                     "fiber-protected", "fiber-pooled"});

// Returns the reason why this build does not contain the model, and what to do; empty if it does.
std::string_view why_missing(StepsModel model);

enum class StepsTest : std::uint8_t { simple, parallel, waits };

template <>
inline constexpr auto names<StepsTest> =
    std::to_array<std::string_view>({"simple", "parallel", "waits"});

// Concurrent flows, and the sum of their waits. If the waits cannot be divided evenly, the first
// flows wait once more.
struct Wave {
  std::size_t flows = 0;
  std::uint64_t waits = 0;

  std::uint64_t waits_of(std::size_t flow) const {
    return waits / flows + (flow < waits % flows ? 1 : 0);
  }
  std::uint64_t rounds() const { return waits_of(0); }

  // Returns how many flows wait in this round: the first ones.
  std::size_t waiting_in(std::uint64_t round) const {
    return round < waits / flows ? flows : waits % flows;
  }
};

struct StepsPlan {
  StepsModel model = StepsModel::coroutine;
  StepsTest test = StepsTest::simple;
  std::size_t flows = 1;    // at least 1
  std::size_t at_once = 1;  // largest number of concurrent flows, at least 1
  std::uint64_t waits = 0;  // sum over all flows

  // Returns the plan of a test. `wave` concerns parallel and waits, `waits` concerns waits only.
  static StepsPlan of(StepsModel model, StepsTest test, std::size_t flows, std::size_t wave,
                      std::uint64_t waits);

  // Returns the waves of the test; none for `simple`.
  std::vector<Wave> waves() const;

  // Returns the number of operations: waits in the test waits, else flows.
  std::uint64_t operations() const { return test == StepsTest::waits ? waits : flows; }
};

// The counts of the flows of one thread.
struct StepsTally {
  std::uint64_t flows = 0;  // ended flows
  std::uint64_t waits = 0;  // ended waits
  std::size_t waiting = 0;  // flows that wait now

  bool operator==(const StepsTally&) const = default;
};

struct StepsOutcome {
  StepsTally tally;
  double seconds = 0;
  double cpu_seconds = 0;        // user and system time
  double peak_growth_bytes = 0;  // peak_bytes minus the resident memory before the test
  double peak_bytes = 0;         // highest resident memory
};

// Runs the test on this thread. Throws std::runtime_error if this build does not contain the model,
// std::bad_alloc or std::system_error if there is no memory for the stacks. Call it in a process of
// its own, because the peak is that of the whole process.
StepsOutcome run_steps(const StepsPlan& plan);

// Throws std::logic_error unless all planned flows ended after all planned waits.
void check(const StepsPlan& plan, const StepsTally& tally);

// Runs a test with fibers.
void run_fiber_steps(const StepsPlan& plan, StepsTally& tally);

struct StepsOptions {
  std::vector<StepsModel> models = {StepsModel::coroutine};
  std::vector<StepsTest> tests = {StepsTest::simple, StepsTest::parallel, StepsTest::waits};
  std::size_t flows = 1'000'000;     // simple and parallel
  std::size_t wave = 30'000;         // parallel and waits
  std::uint64_t waits = 10'000'000;  // waits
};

// The figures of a cell, in their order.
enum class StepsFigure : std::uint8_t {
  operations_per_second,
  operations_per_cpu_second,
  seconds,
  cpu_seconds,
  peak_growth_bytes,
  peak_bytes,
};

// Returns the subject of a cell: "coroutine waits".
std::string subject_of(StepsModel model, StepsTest test);

// Returns "1.05M Hz, time: 0.95 s, CPU: 0.95 s, memory: 18.2 MB, peak: 24.6 MB".
std::string steps_line(const std::vector<double>& figures);

// Returns the figures of a round.
std::vector<double> steps_figures(const StepsPlan& plan, const StepsOutcome& outcome);

// Returns the findings from the cells of an experiment: in each test, coroutines compared with the
// faster kind of fibers, and NitroSteps with AsyncSteps; and the peak memory of each model.
std::vector<std::string> steps_findings(const Experiment& experiment);

// Returns the study. A model that this build does not contain is a cell with a note.
Study steps_study(const StepsOptions& options);

}  // namespace drover::lab
