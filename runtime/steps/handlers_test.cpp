// Error handlers that neither raise nor recover, for both engines.
#include <string>

#include "steps/flow_fixture_test.h"

namespace drover::steps {
namespace {

using namespace std::chrono_literals;

template <class FlowType>
class Handlers : public FlowTest<FlowType> {
 protected:
  // Runs a step with this body and handler inside a step whose handler records the code.
  template <class Body, class Handler>
  void run_step(Body body, Handler handler) {
    FlowType flow(this->worker);
    flow.add([&](Steps& steps) { steps.add(body, handler); },
             [this](Steps& steps, ErrorCode code) {
               this->trace += "outer:" + std::string(code) + " ";
               steps.success();
             });
    this->run(flow);
    EXPECT_EQ(flow.outcome(), Outcome::succeeded);
    EXPECT_EQ(this->worker.timers().size(), 0U);
  }
};
TYPED_TEST_SUITE(Handlers, BothEngines);

void fail(Steps& steps) {
  steps.error("Wrong");
}

void wait(Steps& steps) {
  steps.wait_external();
}

TYPED_TEST(Handlers, ATimeoutInAHandlerCoversTheStepsThatItAdds) {
  this->run_step(fail, [this](Steps& steps, ErrorCode) {
    steps.set_timeout(3s);
    steps.set_timeout(2s);  // replaces
    steps.add(
        [this](Steps& inner) { inner.set_cancel([this](Steps&) { this->trace += "cancel "; }); });
  });
  EXPECT_EQ(this->trace, "cancel outer:Timeout ");
  EXPECT_GE(this->elapsed(), 2s);
  EXPECT_LT(this->elapsed(), 3s);
}

TYPED_TEST(Handlers, ATimeoutsHandlerMaySetAnother) {
  this->run_step([](Steps& steps) { steps.set_timeout(1s); },
                 [](Steps& steps, ErrorCode) {
                   steps.set_timeout(1s);
                   steps.add(wait);
                 });
  EXPECT_EQ(this->trace, "outer:Timeout ");
  EXPECT_GE(this->elapsed(), 2s);
}

TYPED_TEST(Handlers, ATimeoutInAHandlerEndsWithTheStep) {
  this->run_step(fail, [](Steps& steps, ErrorCode) {
    steps.set_timeout(1s);
    steps.success();
  });
  EXPECT_EQ(this->trace, "");
  this->run_step(fail, [](Steps& steps, ErrorCode) {
    steps.set_timeout(1s);
    steps.add([](Steps&) {});
  });
  EXPECT_EQ(this->trace, "");
  this->run_step(fail, [](Steps& steps, ErrorCode) { steps.set_timeout(1s); });
  EXPECT_EQ(this->trace, "outer:Wrong ");
  this->run_step(fail, [](Steps& steps, ErrorCode) {
    steps.set_timeout(1s);
    steps.error("Other");
  });
  EXPECT_EQ(this->trace, "outer:Wrong outer:Other ");
  EXPECT_EQ(this->elapsed(), 0s);
}

TYPED_TEST(Handlers, AHandlerOfALoopsStepAndOfAParallelMaySetATimeout) {
  auto again = [this](Steps& steps, ErrorCode code) {
    this->trace += std::string(code) + " ";
    steps.set_timeout(1s);
    steps.add(wait, [](Steps& inner, ErrorCode) { inner.success(); });
  };
  TypeParam flow(this->worker);
  flow.repeat(2, [&again](Steps& steps, std::size_t) { steps.add(fail, again); });
  flow.parallel(again).add(fail);
  this->run(flow);
  EXPECT_EQ(flow.outcome(), Outcome::succeeded);
  EXPECT_EQ(this->trace, "Wrong Wrong Wrong ");
  EXPECT_GE(this->elapsed(), 3s);
}

TYPED_TEST(Handlers, ACancelHandlerOfAHandlerIsForTheStepsThatItAdds) {
  auto note = [this](Steps&) { this->trace += "cancel "; };
  this->run_step(fail, [&note](Steps& steps, ErrorCode) {
    steps.set_cancel(note);
    steps.add([](Steps& inner) { inner.error("Again"); });
  });
  EXPECT_EQ(this->trace, "cancel outer:Again ");
  this->run_step(fail, [&note](Steps& steps, ErrorCode) { steps.set_cancel(note); });
  EXPECT_EQ(this->trace, "cancel outer:Again outer:Wrong ");  // it waits for nothing

  this->trace.clear();
  TypeParam flow(this->worker);
  flow.add(fail, [&note](Steps& steps, ErrorCode) {
    steps.set_cancel(note);
    steps.add(wait);
  });
  flow.execute();
  this->turns();
  flow.cancel();
  EXPECT_EQ(this->trace, "cancel ");
}

}  // namespace
}  // namespace drover::steps
