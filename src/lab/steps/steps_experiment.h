// `drover lab steps`: what a flow costs. Three tests, and the ways to write a flow.
//
//   simple    flows are made and run one after the other; a flow has nothing to do
//   parallel  flows live in waves; each waits once for an event from outside of it
//   waits     one wave, whose flows wait again and again
//
// An event is triggered by the driver, for each flow by itself, when all flows of the wave wait.
// The same tests are written once for each model, in steps_MODEL.cpp, to be read side by side.
//
// The tests are those of the benchmarks of futoin/core-cpp-ri-asyncsteps, so that the figures that
// were published of them stand for the same work.
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
  nitro_steps_default,  // with the limits that one gets without saying
  fiber_protected,      // Boost.Fiber, stacks with a guard page
  fiber_pooled,         // Boost.Fiber, stacks from a pool without one
};

template <>
inline constexpr auto names<StepsModel> =
    std::to_array<std::string_view>({"coroutine", "asyncsteps", "nitrosteps", "nitrosteps-default",
                                     "fiber-protected", "fiber-pooled"});

// Why this build cannot run the model, and what to do; empty if it can.
std::string_view why_missing(StepsModel model);

enum class StepsTest : std::uint8_t { simple, parallel, waits };

template <>
inline constexpr auto names<StepsTest> =
    std::to_array<std::string_view>({"simple", "parallel", "waits"});

// Flows that live at the same time and wait so many times in all, as evenly as it goes: where it
// does not, the first ones once more.
struct Wave {
  std::size_t flows = 0;
  std::uint64_t waits = 0;

  std::uint64_t waits_of(std::size_t flow) const {
    return waits / flows + (flow < waits % flows ? 1 : 0);
  }
  std::uint64_t rounds() const { return waits_of(0); }

  // How many flows wait in this round: they are the first ones.
  std::size_t waiting_in(std::uint64_t round) const {
    return round < waits / flows ? flows : waits % flows;
  }
};

struct StepsPlan {
  StepsModel model = StepsModel::coroutine;
  StepsTest test = StepsTest::simple;
  std::size_t flows = 1;    // in all, 1 at least
  std::size_t at_once = 1;  // flows that live at the same time at most, 1 at least
  std::uint64_t waits = 0;  // in all

  // What the test makes of these sizes: `wave` is for parallel and waits, `waits` for waits alone.
  static StepsPlan of(StepsModel model, StepsTest test, std::size_t flows, std::size_t wave,
                      std::uint64_t waits);

  // Only the tests with waits have them; `simple` has none.
  std::vector<Wave> waves() const;

  // What the test's speed is counted in: waits of the test waits, else flows.
  std::uint64_t operations() const { return test == StepsTest::waits ? waits : flows; }
};

// What flows say of themselves. For one thread.
struct StepsTally {
  std::uint64_t flows = 0;  // that came to their end
  std::uint64_t waits = 0;  // that an event ended
  std::size_t waiting = 0;  // flows that wait now

  bool operator==(const StepsTally&) const = default;
};

struct StepsOutcome {
  StepsTally tally;
  double seconds = 0;
  double cpu_seconds = 0;        // the user's and the system's
  double peak_growth_bytes = 0;  // the most that was resident, less what was before the test
  double peak_bytes = 0;         // the most that was resident
};

// Runs the test in this process, on this thread. Throws std::runtime_error if this build has no
// such model, std::bad_alloc or std::system_error if the system gives no memory for so many
// stacks. Call it in a process of its own: the peak is that of its life.
StepsOutcome run_steps(const StepsPlan& plan);

// Throws std::logic_error unless every flow came to its end and waited as often as planned.
void check(const StepsPlan& plan, const StepsTally& tally);

// The tests of a model, each in the source of that name; those of the trees are in steps_flow.h.
void run_coroutine_steps(const StepsPlan& plan, StepsTally& tally);
void run_fiber_steps(const StepsPlan& plan, StepsTally& tally);

struct StepsOptions {
  std::vector<StepsModel> models = {StepsModel::coroutine};
  std::vector<StepsTest> tests = {StepsTest::simple, StepsTest::parallel, StepsTest::waits};
  std::size_t flows = 1'000'000;     // of simple and parallel
  std::size_t wave = 30'000;         // of parallel and waits
  std::uint64_t waits = 10'000'000;  // of waits
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

// A model that this build does not have is a cell with a note.
Study steps_study(const StepsOptions& options);

}  // namespace drover::lab
