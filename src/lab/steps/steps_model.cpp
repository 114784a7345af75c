#include "lab/steps/steps_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "coro/clock.h"
#include "lab/steps/steps_flow.h"
#include "measure/process.h"
#include "steps/nitro_steps.h"

namespace drover::lab {
namespace {

// NitroSteps with the limits that these tests need: a loop with what comes after it, and a round's
// step with its two; the loop needs a frame.
using TunedNitroSteps =
    steps::NitroSteps<steps::MaxSteps<5>, steps::MaxTimeouts<0>, steps::MaxCancels<0>,
                      steps::MaxExtended<1>, steps::MaxStackAllocs<0>, steps::MaxParallel<0>>;

// In the order of StepsModel.
constexpr std::array<void (*)(const StepsPlan&, StepsTally&), names<StepsModel>.size()> runs = {
    run_coroutine_steps,
    run_step_flows<steps::AsyncSteps>,
    run_step_flows<TunedNitroSteps>,
    run_step_flows<steps::NitroSteps<>>,
    run_fiber_steps,
    run_fiber_steps,
};

}  // namespace

std::string_view why_missing([[maybe_unused]] StepsModel model) {
#ifdef DROVER_NO_BOOST_FIBER
  if (runs[index_of(model)] == run_fiber_steps) return DROVER_NO_BOOST_FIBER;
#endif
  return {};
}

StepsPlan StepsPlan::of(StepsModel model, StepsTest test, std::size_t flows, std::size_t wave,
                        std::uint64_t waits) {
  switch (test) {
    case StepsTest::simple:
      break;
    case StepsTest::parallel:
      return {model, test, flows, std::min(wave, flows), flows};
    case StepsTest::waits:
      return {model, test, wave, wave, waits};
  }
  return {model, test, flows, 1, 0};
}

std::vector<Wave> StepsPlan::waves() const {
  switch (test) {
    case StepsTest::simple:
      return {};
    case StepsTest::waits:
      return {{flows, waits}};
    case StepsTest::parallel:
      break;
  }
  std::vector<Wave> waves(flows / at_once, Wave{at_once, at_once});
  if (const std::size_t rest = flows % at_once; rest > 0) waves.push_back({rest, rest});
  return waves;
}

void check(const StepsPlan& plan, const StepsTally& tally) {
  if (tally.flows == plan.flows && tally.waits == plan.waits && tally.waiting == 0) return;
  throw std::logic_error(
      fmt::format("{} of {} flows ended, after {} of {} waits; {} flows still wait", tally.flows,
                  plan.flows, tally.waits, plan.waits, tally.waiting));
}

StepsOutcome run_steps(const StepsPlan& plan) {
  if (!why_missing(plan.model).empty()) {
    throw std::runtime_error(std::string(why_missing(plan.model)));
  }
  const coro::Clock& clock = coro::SteadyClock::instance();
  StepsOutcome outcome;
  const measure::ProcessUsage before = measure::read_process_usage();
  const coro::Instant begun = clock.now();
  runs[index_of(plan.model)](plan, outcome.tally);
  outcome.seconds = std::chrono::duration<double>(clock.now() - begun).count();
  const measure::ProcessUsage after = measure::read_process_usage();
  check(plan, outcome.tally);
  outcome.cpu_seconds = after.cpu_seconds - before.cpu_seconds;
  outcome.peak_bytes = static_cast<double>(after.peak_rss_bytes);
  outcome.peak_growth_bytes = outcome.peak_bytes - static_cast<double>(before.rss_bytes);
  return outcome;
}

}  // namespace drover::lab
