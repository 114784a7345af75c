// The tests of `drover lab steps` for coroutines, and the execution of a test with any model.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "coro/block_on.h"
#include "coro/clock.h"
#include "coro/event.h"
#include "coro/sleep.h"
#include "lab/steps/steps_experiment.h"
#include "lab/steps/steps_flow.h"
#include "measure/process.h"
#include "steps/nitro_steps.h"

namespace drover::lab {
namespace {

// A flow is a task of the runtime with a worker, cancellation and a scope that waits for its end.
// It waits for a notification.

using coro::Notification;
using coro::Scope;
using coro::Task;

Task<void> short_flow(StepsTally& tally) {
  ++tally.flows;
  co_return;
}

Task<void> waiting_flow(Notification& event, std::uint64_t waits, StepsTally& tally) {
  for (std::uint64_t i = 0; i < waits; ++i) {
    ++tally.waiting;
    co_await event.wait();
    ++tally.waits;
  }
  ++tally.flows;
}

Task<void> run_coroutines(Scope& scope, std::size_t flows, StepsTally& tally) {
  for (std::size_t i = 0; i < flows; ++i) {
    scope.start(short_flow(tally));
    co_await scope.join();
  }
}

Task<void> run_coroutine_wave(Scope& scope, const Wave& wave, StepsTally& tally) {
  std::vector<Notification> events(wave.flows);
  for (std::size_t i = 0; i < wave.flows; ++i) {
    scope.start(waiting_flow(events[i], wave.waits_of(i), tally));
  }
  for (std::uint64_t round = 0; round < wave.rounds(); ++round) {
    const std::size_t waiting = wave.waiting_in(round);
    while (tally.waiting < waiting) co_await coro::yield();
    tally.waiting = 0;
    for (std::size_t i = 0; i < waiting; ++i) events[i].notify();
  }
  co_await scope.join();
}

Task<void> run_plan(const StepsPlan& plan, StepsTally& tally) {
  Scope scope(coro::Worker::current());
  if (plan.test == StepsTest::simple) co_await run_coroutines(scope, plan.flows, tally);
  for (const Wave& wave : plan.waves()) co_await run_coroutine_wave(scope, wave, tally);
}

void run_coroutine_steps(const StepsPlan& plan, StepsTally& tally) {
  coro::Worker worker;
  coro::block_on(worker, run_plan(plan, tally));
}

// NitroSteps with the limits that these tests need: five steps at a time (the loop, the step after
// it, the step of a round and its two steps), and a frame for the loop.
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
