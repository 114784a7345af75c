// The flows of the lab's steps experiment: three tests, and the ways to write a flow.
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
#include <string_view>
#include <vector>

#include "lab/names.h"

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

}  // namespace drover::lab
