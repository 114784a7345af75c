// A flow as a coroutine, with all that a task has: a home, a cancellation, a scope that waits for
// it. It waits at a notification.
#include "coro/block_on.h"
#include "coro/event.h"
#include "coro/sleep.h"
#include "lab/steps/steps_experiment.h"

namespace drover::lab {
namespace {

using coro::Notification;
using coro::Scope;
using coro::Task;

Task<void> flow(StepsTally& tally) {
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

Task<void> run_one_by_one(Scope& scope, std::size_t flows, StepsTally& tally) {
  for (std::size_t i = 0; i < flows; ++i) {
    scope.start(flow(tally));
    co_await scope.join();
  }
}

Task<void> run_wave(Scope& scope, const Wave& wave, StepsTally& tally) {
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

Task<void> run(const StepsPlan& plan, StepsTally& tally) {
  Scope scope(coro::Worker::current());
  if (plan.test == StepsTest::simple) co_await run_one_by_one(scope, plan.flows, tally);
  for (const Wave& wave : plan.waves()) co_await run_wave(scope, wave, tally);
}

}  // namespace

void run_coroutine_steps(const StepsPlan& plan, StepsTally& tally) {
  coro::Worker worker;
  coro::block_on(worker, run(plan, tally));
}

}  // namespace drover::lab
