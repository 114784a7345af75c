// The tests of `drover lab steps` for trees of steps: AsyncSteps, whose memory comes from the pool
// of the thread, or NitroSteps with any limits, whose memory is in the flow. A flow waits in a step
// that success() ends, and another step follows.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <vector>

#include "coro/block_on.h"
#include "coro/sleep.h"
#include "lab/steps/steps_experiment.h"
#include "steps/async_steps.h"

namespace drover::lab {

template <class FlowType>
class StepsFlows {
 public:
  explicit StepsFlows(StepsTally& tally) : tally_(tally) {}

  coro::Task<void> run(const StepsPlan& plan) {
    if (plan.test == StepsTest::simple) {
      co_await run_one_by_one(plan.flows);
      co_return;
    }
    flows_ = Slots(plan.at_once);
    for (const Wave& wave : plan.waves()) {
      co_await run_wave(wave, plan.test == StepsTest::waits);
    }
  }

 private:
  using Steps = steps::Steps;
  using Slots = std::vector<std::optional<FlowType>>;  // each wave uses the same slots

  coro::Task<void> run_one_by_one(std::size_t flows) {
    for (std::size_t i = 0; i < flows; ++i) {
      FlowType flow(coro::Worker::current());
      flow.add([this](Steps&) { ++tally_.flows; });
      flow.execute();
      co_await coro::yield();
    }
  }

  coro::Task<void> run_wave(const Wave& wave, bool in_a_loop) {
    waiting_.assign(wave.flows, nullptr);
    const std::uint64_t ended = tally_.flows + wave.flows;
    for (std::size_t i = 0; i < wave.flows; ++i) {
      FlowType& flow = flows_[i].emplace(coro::Worker::current());
      if (in_a_loop) {
        add_waits(flow, i, wave.waits_of(i));
      } else {
        add_wait(flow, i);
      }
      flow.add([this](Steps&) { ++tally_.flows; });
      flow.execute();
    }
    for (std::uint64_t round = 0; round < wave.rounds(); ++round) {
      const std::size_t waiting = wave.waiting_in(round);
      while (tally_.waiting < waiting) co_await let_them_run(wave);
      tally_.waiting = 0;
      for (std::size_t i = 0; i < waiting; ++i) waiting_[i]->success();
    }
    while (tally_.flows < ended) co_await let_them_run(wave);
    co_await coro::yield();  // lets the last flow end
    for (std::size_t i = 0; i < wave.flows; ++i) flows_[i].reset();
  }

  // Lets all flows run once. Throws std::logic_error if this does not change the tally, because
  // then nothing will.
  coro::Task<void> let_them_run(const Wave& wave) {
    const StepsTally before = tally_;
    co_await coro::yield();
    if (tally_ != before) co_return;
    for (std::size_t i = 0; i < wave.flows; ++i) {
      if (flows_[i]->outcome() != steps::Outcome::failed) continue;
      throw std::logic_error(fmt::format("flow {} failed: {}", i, flows_[i]->error_code()));
    }
    throw std::logic_error("some flows stopped before their end");
  }

  void add_waits(FlowType& flow, std::size_t number, std::uint64_t waits) {
    flow.repeat(waits, [this, number](Steps& wait, std::size_t) { add_wait(wait, number); });
  }

  void add_wait(Steps& parent, std::size_t number) {
    parent.add([this, number](Steps& step) {
      step.wait_external();
      waiting_[number] = &step;
      ++tally_.waiting;
    });
    parent.add([this](Steps&) { ++tally_.waits; });
  }

  StepsTally& tally_;
  Slots flows_;
  std::vector<Steps*> waiting_;  // the waiting step of each flow
};

template <class FlowType>
void run_step_flows(const StepsPlan& plan, StepsTally& tally) {
  coro::Worker worker;
  StepsFlows<FlowType> flows(tally);
  coro::block_on(worker, flows.run(plan));
}

}  // namespace drover::lab
