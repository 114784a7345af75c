// Very long, very deep and empty flows, for both engines.
#include <string>

#include "steps/flow_fixture_test.h"

namespace drover::steps {
namespace {

using namespace std::chrono_literals;

template <class FlowType>
class Edges : public FlowTest<FlowType> {};
TYPED_TEST_SUITE(Edges, BothEngines);

TYPED_TEST(Edges, ATimeoutOfAnyLengthIsOne) {
  for (const coro::Duration duration : {coro::Duration::max(), coro::Duration(100 * 365 * 24h)}) {
    TypeParam flow(this->worker);
    Steps* waiting = nullptr;
    flow.add([&](Steps& steps) {
      steps.set_timeout(duration);
      waiting = &steps;
    });
    flow.execute();
    this->pass(24h);
    ASSERT_EQ(flow.outcome(), Outcome::running);
    waiting->success();
    this->finish(flow);
  }
  for (const coro::Duration duration : {coro::Duration::min(), coro::Duration::zero()}) {
    TypeParam flow(this->worker);
    flow.add([&](Steps& steps) { steps.set_timeout(duration); });
    this->run(flow);
    EXPECT_EQ(flow.error_code(), error_codes::timeout);
  }
  Throttle throttle(this->worker, 1, coro::Duration::max());
  TypeParam flow(this->worker);
  flow.sync(throttle, this->say("in")).sync(throttle, this->say("never"));
  flow.execute();
  this->pass(24h);
  EXPECT_EQ(this->trace, "in ");
  flow.cancel();
}

TYPED_TEST(Edges, CancellingAnIdleFlowDropsWhatWasAdded) {
  TypeParam flow(this->worker);
  flow.add(this->say("never"));
  flow.cancel();
  EXPECT_EQ(flow.outcome(), Outcome::none);
  flow.add(this->say("later"));
  this->run(flow);
  EXPECT_EQ(this->trace, "later ");
}

TYPED_TEST(Edges, DeeplyNestedStepsEndWithoutRecursion) {
  for (const bool fails : {false, true}) {
    AsyncSteps flow(this->worker);  // Nitro has no room
    int depth = 0;
    auto go_down = [&](auto& self, Steps& steps) -> void {
      if (++depth < 300'000) {
        steps.add([&self](Steps& below) { self(self, below); }, [](Steps&, ErrorCode) {});
      } else if (fails) {
        steps.error("Wrong");
      }
    };
    flow.add([&](Steps& steps) { go_down(go_down, steps); });
    this->run(flow);
    EXPECT_EQ(flow.outcome(), fails ? Outcome::failed : Outcome::succeeded);
  }
}

TYPED_TEST(Edges, DeeplyNestedParallelsEndWithoutRecursion) {
  constexpr int depth_max = 100'000;
  for (const bool fails : {false, true}) {
    AsyncSteps flow(this->worker);
    int depth = 0;
    auto go_down = [&](auto& self, Steps& steps) -> void {
      if (++depth < depth_max) {
        steps.parallel().add([&self](Steps& below) { self(self, below); });
      } else if (fails) {
        steps.error("Wrong");
      } else {
        steps.wait_external();
      }
    };
    flow.add([&](Steps& steps) { go_down(go_down, steps); });
    flow.execute();
    this->worker.run_until([&depth] { return depth == depth_max; });
    if (!fails) flow.cancel();
    this->finish(flow);
    EXPECT_EQ(flow.outcome(), fails ? Outcome::failed : Outcome::cancelled);
  }
}

TYPED_TEST(Edges, ParallelsInParallelsAreCancelledInsideOutInOrder) {
  AsyncSteps flow(this->worker);  // Nitro has no room by default
  auto add_waiting = [this](Steps& side, std::string name) {
    side.add([this, name](Steps& steps) {
      steps.set_cancel([this, name](Steps&) { this->trace += name + " "; });
    });
  };
  Steps& outer = flow.parallel();
  add_waiting(outer, "1");
  outer.add([&](Steps& steps) {
    steps.set_cancel([this](Steps&) { this->trace += "2 "; });
    Steps& inner = steps.parallel();
    add_waiting(inner, "2.1");
    inner.add([](Steps&) {});
    add_waiting(inner, "2.3");
  });
  outer.add([](Steps&) {});
  add_waiting(outer, "4");
  flow.execute();
  this->turns();
  flow.cancel();
  EXPECT_EQ(this->trace, "1 2.1 2.3 2 4 ");
}

}  // namespace
}  // namespace drover::steps
