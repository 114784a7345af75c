// Loops and parallels, for both engines.
#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "steps/flow_fixture_test.h"

namespace drover::steps {
namespace {

using namespace std::chrono_literals;

template <class FlowType>
class Loops : public FlowTest<FlowType> {};
TYPED_TEST_SUITE(Loops, BothEngines);

TYPED_TEST(Loops, RepeatRunsInOrder) {
  TypeParam flow(this->worker);
  std::vector<std::size_t> seen;
  std::vector<std::size_t> expected;
  for (std::size_t i = 0; i < 100; ++i) expected.push_back(i);
  flow.repeat(100, [&seen](Steps& steps, std::size_t i) {
    steps.add([&seen, i](Steps&) { seen.push_back(i); });
  });
  flow.add(this->say("after"));
  this->run(flow);
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(this->trace, "after ");
}

TYPED_TEST(Loops, RepeatOfNoneAndAnEmptyContainerJustEnd) {
  TypeParam flow(this->worker);
  flow.repeat(0, [this](Steps&, std::size_t) { this->trace += "never "; });
  flow.for_each(std::vector<int>{}, [this](Steps&, std::size_t, int) { this->trace += "never "; });
  flow.add(this->say("after"));
  this->run(flow);
  EXPECT_EQ(this->trace, "after ");
}

TYPED_TEST(Loops, BreakAndContinueAcrossThreeLoops) {
  TypeParam flow(this->worker);
  auto body = [this](const char* what, auto act) {
    return [this, what, act](Steps& outer, std::size_t i) {
      this->trace += "o" + std::to_string(i);
      outer.repeat(
          2,
          [this, what, act](Steps& middle, std::size_t j) {
            this->trace += "m" + std::to_string(j);
            middle.loop([this, what, act](Steps& inner) {
              this->trace += what;
              act(inner);
            });
          },
          "middle");
    };
  };
  auto run_with = [&](const char* what, auto act) {
    this->trace.clear();
    flow.repeat(2, body(what, act), "outer");
    this->run(flow);
    return this->trace;
  };
  EXPECT_EQ(run_with("b", [](Steps& s) { s.break_loop(); }), "o0m0bm1bo1m0bm1b");
  EXPECT_EQ(run_with("B", [](Steps& s) { s.break_loop("middle"); }), "o0m0Bo1m0B");
  EXPECT_EQ(run_with("O", [](Steps& s) { s.break_loop_no_throw("outer"); }), "o0m0O");
  EXPECT_EQ(run_with("C", [](Steps& s) { s.continue_loop("middle"); }), "o0m0Cm1Co1m0Cm1C");
  EXPECT_EQ(run_with("D", [](Steps& s) { s.continue_loop_no_throw("outer"); }), "o0m0Do1m0D");
  EXPECT_EQ(flow.outcome(), Outcome::succeeded);
  EXPECT_EQ(run_with("U", [](Steps& s) { s.break_loop("unknown"); }), "o0m0U");
  EXPECT_EQ(flow.outcome(), Outcome::failed);
  EXPECT_EQ(flow.error_code(), error_codes::loop_break);
  EXPECT_EQ(flow.state().error_info(), "unknown");
}

TYPED_TEST(Loops, ContinueOfTheInnermostGoesOnWithIt) {
  TypeParam flow(this->worker);
  int count = 0;
  flow.loop([&](Steps& steps) {
    if (++count == 3) steps.break_loop();
    steps.continue_loop();
  });
  flow.add([](Steps& steps) { steps.break_loop(); });
  this->run(flow);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(flow.error_code(), error_codes::loop_break);
}

TYPED_TEST(Loops, HandlersBetweenSeeABreakAndMaySwallowIt) {
  TypeParam flow(this->worker);
  int count = 0;
  flow.loop(
      [&](Steps& steps) {
        ++count;
        steps.add([](Steps& inner) { inner.break_loop("all"); },
                  [this, &count](Steps& inner, ErrorCode code) {
                    this->trace += std::string(code) + " ";
                    if (count == 1) inner.success();
                  });
      },
      "all");
  this->run(flow);
  EXPECT_EQ(this->trace, "LoopBreak LoopBreak ");
  EXPECT_EQ(count, 2);
}

TYPED_TEST(Loops, AnErrorInNestedLoopsRunsTheOuterCancel) {
  TypeParam flow(this->worker);
  flow.add(
      [this](Steps& steps) {
        steps.set_cancel([this](Steps&) { this->trace += "cancel "; });
        steps.loop([](Steps& outer) {
          outer.repeat(3, [](Steps& inner, std::size_t i) {
            if (i == 1) inner.error("Wrong");
          });
        });
      },
      [this](Steps& steps, ErrorCode code) {
        this->trace += std::string(code) + " ";
        steps.success();
      });
  this->run(flow);
  EXPECT_EQ(this->trace, "cancel Wrong ");
}

TYPED_TEST(Loops, AnIterationsTimerEndsWithIt) {
  TypeParam flow(this->worker);
  int cancelled = 0;
  flow.repeat(3, [&cancelled](Steps& steps, std::size_t i) {
    steps.set_cancel([&cancelled](Steps&) { ++cancelled; });
    steps.set_timeout(i == 1 ? 1ms : 1h);
    steps.success();
  });
  flow.add([](Steps& steps) { steps.set_timeout(10ms); },
           [](Steps& steps, ErrorCode) { steps.success(); });
  this->run(flow);
  EXPECT_EQ(cancelled, 0);
  EXPECT_EQ(flow.outcome(), Outcome::succeeded);
}

TYPED_TEST(Loops, ForEachOverContainersOfAllKinds) {
  TypeParam flow(this->worker);
  std::vector<int> numbers{1, 2, 3};
  const std::list<std::string> words{"a", "b"};
  std::map<std::string, int> ages{{"x", 1}, {"y", 2}};
  auto number = [this](Steps&, std::size_t i, int& value) {
    this->trace += std::to_string(i) + ":" + std::to_string(value) + " ";
    value *= 10;
  };
  flow.for_each(std::ref(numbers), number);
  flow.for_each(std::move(numbers), number);
  flow.for_each(std::cref(words), [this](Steps&, std::size_t i, const std::string& word) {
    this->trace += std::to_string(i) + word + " ";
  });
  this->run(flow);
  flow.for_each(ages, [this](Steps&, const std::string& key, int& age) {
    this->trace += key + std::to_string(age++) + " ";
  });
  flow.for_each(std::ref(ages), [](Steps&, const std::string&, int& age) { age += 100; });
  this->run(flow);
  EXPECT_EQ(flow.outcome(), Outcome::succeeded);
  // The lent container is empty, because adding the second loop moved it there.
  EXPECT_EQ(this->trace, "0:1 1:2 2:3 0a 1b x1 y2 ");
  EXPECT_EQ(ages["y"], 102);
}

TYPED_TEST(Loops, ForEachLendsValuesThatChange) {
  TypeParam flow(this->worker);
  std::vector<int> numbers{1, 2, 3};
  flow.for_each(std::ref(numbers), [](Steps& steps, std::size_t, int& value) {
    steps.relinquish().add([&value](Steps&) { value *= 10; });
  });
  this->run(flow);
  EXPECT_THAT(numbers, testing::ElementsAre(10, 20, 30));
}

template <class FlowType>
class Parallel : public FlowTest<FlowType> {};
TYPED_TEST_SUITE(Parallel, BothEngines);

TYPED_TEST(Parallel, ThreeChildrenInterleaveExactly) {
  TypeParam flow(this->worker);
  auto build = [this](Steps& steps) {
    Steps& side = steps.parallel();
    side.add([this](Steps& s) {
      this->trace += "a1";
      s.relinquish().add(this->say("a2"));
    });
    side.repeat(2, [this](Steps& s, std::size_t i) {
      this->trace += "b" + std::to_string(i);
      s.relinquish();
    });
    side.add([this](Steps& s) {
      this->trace += "c1";
      s.relinquish().relinquish().add(this->say("c2"));
    });
  };
  build(flow);
  flow.add(this->say("end"));
  this->run(flow);
  const std::string expected = "a1b0c1a2 b1c2 end ";
  EXPECT_EQ(this->trace, expected);
  this->trace.clear();
  flow.add([build](Steps& steps) { build(steps); });
  flow.add(this->say("end"));
  this->run(flow);
  EXPECT_EQ(this->trace, expected);
}

TYPED_TEST(Parallel, TheFirstErrorCancelsTheRestAndIsRecovered) {
  TypeParam flow(this->worker);
  int unhandled = 0;
  flow.state().unhandled_error = [&unhandled](ErrorCode) { ++unhandled; };
  Steps& side = flow.parallel([this](Steps& steps, ErrorCode code) {
    this->trace += std::string(code) + "/" + std::string(steps.state().error_info()) + " ";
    steps.success(5);
  });
  side.add(
      [this](Steps& steps) { steps.set_cancel([this](Steps&) { this->trace += "cancelled "; }); },
      [this](Steps&, ErrorCode) { this->trace += "never "; });
  side.add([](Steps& steps) { steps.relinquish().add([](Steps& s) { s.error("Bad", "why"); }); });
  side.loop([](Steps&) {});
  flow.add([this](Steps&, int value) { this->trace += std::to_string(value); });
  this->run(flow);
  EXPECT_EQ(this->trace, "cancelled Bad/why 5");
  EXPECT_EQ(unhandled, 0);
}

TYPED_TEST(Parallel, AChildRecoversByItself) {
  TypeParam flow(this->worker);
  Steps& side = flow.parallel([this](Steps&, ErrorCode) { this->trace += "never "; });
  side.add([](Steps& steps) { steps.error("Bad"); },
           [](Steps& steps, ErrorCode) { steps.success(); });
  side.add(this->say("other"));
  flow.add(this->say("end"));
  this->run(flow);
  EXPECT_EQ(this->trace, "other end ");
}

TYPED_TEST(Parallel, AnEmptyOneEndsAndAHandlerMayAdd) {
  TypeParam flow(this->worker);
  flow.parallel();
  flow.parallel([this](Steps& steps, ErrorCode) { steps.add(this->say("added")); })
      .add([](Steps& steps) { steps.error("Bad"); });
  flow.add(this->say("end"));
  this->run(flow);
  EXPECT_EQ(this->trace, "added end ");
}

TYPED_TEST(Parallel, ATimeoutAroundCancelsTheChildrenFirst) {
  TypeParam flow(this->worker);
  flow.add(
      [this](Steps& steps) {
        steps.set_timeout(1s);
        steps.set_cancel([this](Steps&) { this->trace += "outer "; });
        Steps& side = steps.parallel();
        side.add([this](Steps& s) { s.set_cancel([this](Steps&) { this->trace += "child "; }); });
        side.add([](Steps& s) { s.wait_external(); });
      },
      [this](Steps& steps, ErrorCode code) {
        this->trace += std::string(code);
        steps.success();
      });
  this->run(flow);
  EXPECT_EQ(this->trace, "child outer Timeout");
}

TYPED_TEST(Parallel, CanBeUsedAgainInALoopAndLeftByABreak) {
  TypeParam flow(this->worker);
  int count = 0;
  flow.loop([&](Steps& steps) {
    Steps& side = steps.parallel();
    side.add([&count](Steps&) { ++count; });
    side.add([&count](Steps& s) {
      s.relinquish();
      s.add([&count](Steps& inner) {
        if (++count >= 20) inner.break_loop();
      });
    });
  });
  flow.add(this->say("end"));
  this->run(flow);
  EXPECT_EQ(count, 20);
  EXPECT_EQ(this->trace, "end ");
}

TYPED_TEST(Parallel, TheFlowIsCancelledWithItsChildren) {
  TypeParam flow(this->worker);
  Steps& side = flow.parallel();
  for (int i = 0; i < 3; ++i) {
    side.add([this, i](Steps& s) {
      s.set_cancel([this, i](Steps&) { this->trace += std::to_string(i); });
    });
  }
  flow.execute();
  this->turns();
  flow.cancel();
  EXPECT_EQ(this->trace, "012");
  TypeParam never_run(this->worker);
  never_run.parallel().add(this->say("never"));
}

}  // namespace
}  // namespace drover::steps
