// Fixture of the step engines' tests: a worker on virtual time, both engines, a trace.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "coro/block_on.h"
#include "coro/clock.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "steps/async_steps.h"
#include "steps/nitro_steps.h"

namespace drover::steps {

template <class FlowType>
class FlowTest : public testing::Test {
 protected:
  // Runs the worker until the flow has ended.
  void run(Flow& flow) {
    flow.execute();
    finish(flow);
  }

  void finish(Flow& flow) {
    worker.run_until([&flow] { return flow.outcome() != Outcome::running; });
  }

  // Runs what is ready, without a lapse of virtual time.
  void turns(int count = 20) {
    auto body = [](int n) -> coro::Task<void> {
      for (int i = 0; i < n; ++i) co_await coro::yield();
    };
    coro::block_on(worker, body(count));
  }

  // Advances virtual time.
  void pass(coro::Duration duration) {
    auto body = [](coro::Duration d) -> coro::Task<void> { co_await coro::sleep_for(d); };
    coro::block_on(worker, body(duration));
  }

  coro::Duration elapsed() const { return clock.now() - coro::Instant{}; }

  // Returns a body that adds `name` to the trace.
  auto say(std::string name) {
    return [this, text = std::move(name)](Steps&) { trace += text + " "; };
  }

  coro::VirtualClock clock;
  coro::Worker worker{clock};
  std::string trace;
};

using BothEngines = testing::Types<AsyncSteps, NitroSteps<>>;

}  // namespace drover::steps
