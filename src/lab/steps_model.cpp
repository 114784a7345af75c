#include "lab/steps_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "coro/clock.h"
#include "measure/process.h"

namespace drover::lab {
namespace {

using Run = void (*)(const StepsPlan&, StepsTally&);

Run run_of(StepsModel model) {
  switch (model) {
    case StepsModel::coroutine:
      return run_coroutine_steps;
    case StepsModel::async_steps:
      return run_async_steps;
    case StepsModel::nitro_steps:
      return run_nitro_steps;
    case StepsModel::nitro_steps_default:
      return run_nitro_steps_default;
    case StepsModel::fiber_protected:
    case StepsModel::fiber_pooled:
      break;
  }
  return run_fiber_steps;
}

}  // namespace

std::string_view name_of(StepsModel model) {
  switch (model) {
    case StepsModel::coroutine:
      return "coroutine";
    case StepsModel::async_steps:
      return "asyncsteps";
    case StepsModel::nitro_steps:
      return "nitrosteps";
    case StepsModel::nitro_steps_default:
      return "nitrosteps-default";
    case StepsModel::fiber_protected:
      return "fiber-protected";
    case StepsModel::fiber_pooled:
      return "fiber-pooled";
  }
  return "unknown";
}

std::optional<StepsModel> steps_model(std::string_view name) {
  for (const StepsModel model : steps_models) {
    if (name_of(model) == name) return model;
  }
  return std::nullopt;
}

std::string_view why_missing([[maybe_unused]] StepsModel model) {
#ifdef DROVER_NO_BOOST_FIBER
  if (run_of(model) == run_fiber_steps) return DROVER_NO_BOOST_FIBER;
#endif
  return {};
}

std::string_view name_of(StepsTest test) {
  switch (test) {
    case StepsTest::simple:
      return "simple";
    case StepsTest::parallel:
      return "parallel";
    case StepsTest::waits:
      return "waits";
  }
  return "unknown";
}

std::optional<StepsTest> steps_test(std::string_view name) {
  for (const StepsTest test : steps_tests) {
    if (name_of(test) == name) return test;
  }
  return std::nullopt;
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
      fmt::format("{} of {} flows came to their end, after {} of {} waits; {} still wait",
                  tally.flows, plan.flows, tally.waits, plan.waits, tally.waiting));
}

StepsOutcome run_steps(const StepsPlan& plan) {
  if (!why_missing(plan.model).empty()) {
    throw std::runtime_error(std::string(why_missing(plan.model)));
  }
  const coro::Clock& clock = coro::SteadyClock::instance();
  StepsOutcome outcome;
  const measure::ProcessUsage before = measure::read_process_usage();
  const coro::Instant begun = clock.now();
  run_of(plan.model)(plan, outcome.tally);
  outcome.seconds = std::chrono::duration<double>(clock.now() - begun).count();
  const measure::ProcessUsage after = measure::read_process_usage();
  check(plan, outcome.tally);
  outcome.cpu_seconds = after.cpu_seconds - before.cpu_seconds;
  outcome.peak_bytes = static_cast<double>(after.peak_rss_bytes);
  outcome.peak_growth_bytes = outcome.peak_bytes - static_cast<double>(before.rss_bytes);
  return outcome;
}

}  // namespace drover::lab
