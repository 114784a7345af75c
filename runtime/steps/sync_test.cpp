// Mutex, Throttle and Limiter, for both engines.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "steps/flow_fixture_test.h"

namespace drover::steps {
namespace {

using namespace std::chrono_literals;

template <class FlowType>
class Sync : public FlowTest<FlowType> {
 protected:
  using Flows = std::vector<std::unique_ptr<Flow>>;

  // Runs `count` flows through a section that takes `duration`, or one turn.
  Flows make(int count, SyncPrimitive& primitive, coro::Duration duration = {}) {
    Flows flows;
    for (int i = 0; i < count; ++i) {
      flows.push_back(std::make_unique<FlowType>(this->worker));
      flows.back()->sync(primitive, [this, i, duration](Steps& steps) {
        ++inside;
        most_inside = std::max(most_inside, inside);
        this->trace += std::to_string(i) + " ";
        if (duration == coro::Duration{}) {
          steps.relinquish();
        } else {
          steps.add([duration](Steps& s) { s.set_timeout(duration); },
                    [](Steps& s, ErrorCode) { s.success(); });
        }
        steps.add([this](Steps&) { --inside; });
      });
    }
    for (const auto& flow : flows) flow->execute();
    return flows;
  }

  int inside = 0;
  int most_inside = 0;
};
TYPED_TEST_SUITE(Sync, BothEngines);

TYPED_TEST(Sync, AMutexAdmitsSoManyInOrder) {
  for (const int max : {1, 2}) {
    this->trace.clear();
    this->most_inside = 0;
    Mutex mutex(static_cast<std::size_t>(max));
    const auto flows = this->make(5, mutex);
    this->turns(100);
    EXPECT_EQ(this->trace, "0 1 2 3 4 ");
    EXPECT_EQ(this->most_inside, max);
    EXPECT_EQ(this->inside, 0);
  }
}

TYPED_TEST(Sync, AMutexIsReentrantAndHandsResultsThrough) {
  TypeParam flow(this->worker);
  Mutex mutex;
  int got = 0;
  flow.add([](Steps& steps) { steps.success(1, std::string("x")); });
  flow.sync(mutex, [&mutex](Steps& steps, int a, std::string) {
    steps.sync(mutex, [a](Steps& inner) { inner.success(a + 1); });
    steps.add([](Steps& s, int b) { s.success(b + 1); });
  });
  flow.add([&got](Steps&, int c) { got = c; });
  this->run(flow);
  EXPECT_EQ(got, 3);
}

TYPED_TEST(Sync, AFullQueueRejectsToTheHandlersAround) {
  Mutex mutex(1, 1);
  const auto flows = this->make(2, mutex, 1s);
  TypeParam flow(this->worker);
  flow.add(
      [&mutex, this](Steps& steps) {
        steps.sync(
            mutex, [this](Steps&) { this->trace += "never "; },
            [this](Steps& s, ErrorCode) {
              this->trace += "own ";
              s.success();
            });
      },
      [this](Steps& steps, ErrorCode code) {
        this->trace += std::string(code) + "/" + std::string(steps.state().error_info()) + " ";
        steps.success();
      });
  this->run(flow);
  EXPECT_EQ(this->trace, "0 DefenseRejected/Mutex queue limit ");
  EXPECT_EQ(mutex.waiting(), 1U);
  for (const auto& other : flows) other->cancel();
  EXPECT_EQ(mutex.waiting(), 0U);
}

TYPED_TEST(Sync, AChildOfAParallelInheritsNothing) {
  TypeParam flow(this->worker);
  Mutex mutex;
  flow.add(
      [&mutex, this](Steps& steps) {
        steps.set_timeout(1s);
        steps.sync(mutex, [&mutex, this](Steps& section) {
          section.parallel().sync(mutex, [this](Steps&) { this->trace += "never "; });
        });
      },
      [](Steps& steps, ErrorCode) { steps.success(); });
  flow.sync(mutex, this->say("free"));
  this->run(flow);
  EXPECT_EQ(this->trace, "free ");
}

TYPED_TEST(Sync, ACancelledWaiterIsSkippedAndAnErrorUnlocks) {
  Mutex mutex;
  const auto flows = this->make(3, mutex, 1s);
  this->turns();
  flows[1]->cancel();
  EXPECT_EQ(mutex.waiting(), 1U);
  this->pass(3s);
  EXPECT_EQ(this->trace, "0 2 ");
  TypeParam flow(this->worker);
  flow.sync(
      mutex, [](Steps& steps) { steps.error("Wrong"); },
      [this](Steps&, ErrorCode) { this->trace += "section "; });
  this->run(flow);
  EXPECT_EQ(flow.error_code(), "Wrong");
  flow.sync(mutex, this->say("free"));
  this->run(flow);
  EXPECT_EQ(this->trace, "0 2 section free ");
}

TYPED_TEST(Sync, ACancelledHolderHandsOver) {
  Mutex mutex;
  const auto flows = this->make(2, mutex, 1h);
  this->turns();
  flows[0]->cancel();
  this->turns();
  EXPECT_EQ(this->trace, "0 1 ");
  flows[1]->cancel();
}

TYPED_TEST(Sync, AnotherWorkersPrimitiveIsMisuse) {
  Mutex mutex;
  TypeParam flow(this->worker);
  flow.sync(mutex, [](Steps&) {});
  this->run(flow);
  coro::VirtualClock other_clock;
  coro::Worker other_worker(other_clock);
  TypeParam other(other_worker);
  other.sync(mutex, [](Steps&) {});
  other.execute();
  other_worker.run_until([&other] { return other.outcome() != Outcome::running; });
  EXPECT_EQ(other.error_code(), error_codes::internal_error);
}

TYPED_TEST(Sync, AThrottleAdmitsSoManyAPeriodWithoutDrift) {
  Throttle throttle(this->worker, 2, 100ms);
  std::vector<std::int64_t> entered_ms;
  std::vector<std::unique_ptr<TypeParam>> flows;
  for (int i = 0; i < 7; ++i) {
    flows.push_back(std::make_unique<TypeParam>(this->worker));
    flows.back()->add([i](Steps& steps) { steps.success(i); });
    flows.back()->sync(throttle, [&, i](Steps&, int argument) {
      EXPECT_EQ(argument, i);
      entered_ms.push_back(this->elapsed() / 1ms);
    });
    flows.back()->execute();
  }
  this->pass(1s);
  EXPECT_THAT(entered_ms, testing::ElementsAre(0, 0, 100, 100, 200, 200, 300));
  EXPECT_FALSE(throttle.ticking());
  TypeParam late(this->worker);
  late.sync(throttle, this->say("late"));
  this->run(late);
  EXPECT_EQ(this->trace, "late ");
  EXPECT_TRUE(throttle.ticking());
}

TYPED_TEST(Sync, AThrottleCountsNestedEntriesAndGivesNoneBack) {
  Throttle throttle(this->worker, 1, 1s, 0);
  TypeParam flow(this->worker);
  flow.sync(throttle, [&throttle, this](Steps& steps) {
    steps.sync(throttle, [this](Steps&) { this->trace += "never "; });
  });
  this->run(flow);
  EXPECT_EQ(flow.error_code(), error_codes::defense_rejected);
  EXPECT_EQ(flow.state().error_info(), "Throttle queue limit");
  throttle.reset();
  flow.sync(throttle, this->say("in"));
  this->run(flow);
  EXPECT_EQ(this->trace, "in ");
}

TYPED_TEST(Sync, AWaiterLeavesTheThrottlesQueue) {
  Throttle throttle(this->worker, 1, 1s);
  const auto flows = this->make(3, throttle);
  this->turns();
  EXPECT_EQ(throttle.waiting(), 2U);
  flows[1]->cancel();
  this->pass(5s);
  EXPECT_EQ(this->trace, "0 2 ");
}

TYPED_TEST(Sync, ALimiterBoundsBoth) {
  Limiter limiter(
      this->worker,
      {.concurrent = 2, .max_queue = unlimited, .rate = 3, .period = 1s, .burst = unlimited});
  const auto flows = this->make(6, limiter, 10ms);
  this->pass(500ms);
  EXPECT_EQ(this->trace, "0 1 2 ");
  this->pass(1s);
  EXPECT_EQ(this->trace, "0 1 2 3 4 5 ");
  EXPECT_EQ(this->most_inside, 2);
}

TYPED_TEST(Sync, ALimiterRejectsAtEitherQueue) {
  auto reason = [this](LimiterOptions options) {
    Limiter limiter(this->worker, options);
    const auto flows = this->make(1, limiter, 1h);
    this->turns();
    TypeParam flow(this->worker);
    flow.sync(limiter, [](Steps&) {});
    this->run(flow);
    EXPECT_EQ(flow.error_code(), error_codes::defense_rejected);
    return std::string(flow.state().error_info());
  };
  EXPECT_EQ(reason({}), "Mutex queue limit");
  EXPECT_EQ(reason({.concurrent = 2}), "Throttle queue limit");
}

TYPED_TEST(Sync, ALimiterRejectsAWaiterThatComesToTheThrottle) {
  Limiter limiter(this->worker, {.max_queue = 2, .rate = 1, .period = 1h});
  const auto flows = this->make(3, limiter);
  this->turns(50);
  EXPECT_EQ(flows[0]->outcome(), Outcome::succeeded);
  for (int i : {1, 2}) {
    EXPECT_EQ(flows[static_cast<std::size_t>(i)]->error_code(), error_codes::defense_rejected);
  }
  EXPECT_EQ(flows[1]->state().error_info(), "Throttle queue limit");
}

TYPED_TEST(Sync, ALimiterIsReentrantButCountsTheRate) {
  Limiter limiter(this->worker, {.concurrent = 1, .rate = 2, .period = 1s, .burst = 1});
  TypeParam flow(this->worker);
  flow.sync(limiter, [&limiter, this](Steps& steps) {
    steps.sync(limiter, [this](Steps&) { this->trace += "2 "; });
    steps.sync(limiter, [this](Steps&) { this->trace += "3 "; });
  });
  this->run(flow);
  EXPECT_EQ(this->trace, "2 3 ");
  EXPECT_GE(this->elapsed(), 1s);
  EXPECT_LT(this->elapsed(), 2s);
}

TYPED_TEST(Sync, AThousandLoopingFlowsPassALimiter) {
  Limiter limiter(
      this->worker,
      {.concurrent = 10, .max_queue = unlimited, .rate = 100, .period = 10ms, .burst = unlimited});
  int entered = 0;
  int most = 0;
  int now = 0;
  std::vector<std::unique_ptr<TypeParam>> flows;
  for (int i = 0; i < 1000; ++i) {
    flows.push_back(std::make_unique<TypeParam>(this->worker));
    flows.back()->repeat(3, [&](Steps& steps, std::size_t) {
      steps.sync(limiter, [&](Steps& section) {
        ++entered;
        most = std::max(most, ++now);
        section.relinquish().add([&now](Steps&) { --now; });
      });
    });
    flows.back()->execute();
  }
  this->pass(1s);
  EXPECT_EQ(entered, 3000);
  EXPECT_EQ(most, 10);
  EXPECT_GE(this->elapsed(), 290ms);
}

}  // namespace
}  // namespace drover::steps
