// Results that pass to later steps, for both engines.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "steps/flow_fixture_test.h"

namespace drover::steps {
namespace {

using namespace std::chrono_literals;

template <class FlowType>
class Results : public FlowTest<FlowType> {
 protected:
  // Runs a step that gives `values`, the steps that `between` adds, and a step that takes an int.
  // Returns that int, or the code of the error.
  template <class Between>
  std::string passed_through(Between between) {
    FlowType flow(this->worker);
    std::string got = "nothing";
    flow.add([](Steps& steps) { steps.success(7); });
    between(flow);
    flow.add([&got](Steps&, int value) { got = std::to_string(value); },
             [&got](Steps& steps, ErrorCode code) {
               got = code;
               steps.success();
             });
    this->run(flow);
    EXPECT_EQ(flow.outcome(), Outcome::succeeded) << flow.error_code();
    return got;
  }
};
TYPED_TEST_SUITE(Results, BothEngines);

void ignore_error(Steps& steps, ErrorCode) {
  steps.success();
}

TYPED_TEST(Results, PassThroughStepsThatTakeAndGiveNone) {
  EXPECT_EQ(this->passed_through([](Flow& flow) { flow.add([](Steps&) {}).add([](Steps&) {}); }),
            "7");
  EXPECT_EQ(this->passed_through([](Flow& flow) {
    flow.add([](Steps& steps) {
      steps.add([](Steps& inner) { inner.add([](Steps& s) { s.success(); }); });
      steps.relinquish();
    });
  }),
            "7");
  EXPECT_EQ(this->passed_through([](Flow& flow) {
    flow.add([](Steps& steps) { steps.set_timeout(1ms); }, ignore_error);
  }),
            "7");
}

TYPED_TEST(Results, PassThroughStepsThatTakeThem) {
  EXPECT_EQ(this->passed_through([](Flow& flow) {
    flow.add([](Steps&, int value) { EXPECT_EQ(value, 7); });
    flow.add([](Steps&, const int& value) { EXPECT_EQ(value, 7); });
  }),
            "7");
}

TYPED_TEST(Results, PassThroughLoops) {
  auto nothing = [](Steps&, auto...) {};
  EXPECT_EQ(this->passed_through([](Flow& flow) {
    flow.repeat(3, [](Steps&, std::size_t) {});
    flow.repeat(0, [](Steps&, std::size_t) {});
  }),
            "7");
  EXPECT_EQ(this->passed_through([&nothing](Flow& flow) {
    flow.for_each(std::vector<int>{1, 2}, nothing).for_each(std::vector<int>(), nothing);
  }),
            "7");
  EXPECT_EQ(this->passed_through([](Flow& flow) {
    flow.loop([](Steps& steps) { steps.break_loop(); });
    flow.loop([count = 0](Steps& steps) mutable {
      if (++count == 3) steps.break_loop_no_throw();
      if (count < 3) steps.continue_loop_no_throw();
    });
  }),
            "7");
}

TYPED_TEST(Results, PassIntoAndOutOfIterations) {
  EXPECT_EQ(this->passed_through([](Flow& flow) {
    flow.repeat(3, [](Steps& steps, std::size_t) {
      steps.add([](Steps& inner, int value) { inner.success(value + 1); });
    });
  }),
            "10");
  EXPECT_EQ(this->passed_through([](Flow& flow) {
    flow.loop([](Steps& steps) {
      steps.add([](Steps& inner) { inner.success(20); });
      steps.add([](Steps& inner) { inner.break_loop(); });
    });
  }),
            "20");
  EXPECT_EQ(this->passed_through([](Flow& flow) {
    flow.for_each(std::vector<int>{1, 2},
                  [](Steps& steps, std::size_t, int value) { steps.success(value); });
  }),
            "2");
}

TYPED_TEST(Results, PassThroughWhatWaits) {
  auto nothing = []() -> coro::Task<void> { co_await coro::yield(); };
  auto five = []() -> coro::Task<int> { co_return 5; };
  EXPECT_EQ(this->passed_through([&](Flow& flow) { flow.await(nothing()); }), "7");
  EXPECT_EQ(this->passed_through([&](Flow& flow) { flow.await(five()).await(nothing()); }), "5");
  Mutex mutex;
  EXPECT_EQ(this->passed_through([&](Flow& flow) {
    flow.sync(mutex, [](Steps&) {});
    flow.sync(mutex, [](Steps& steps, int value) { steps.success(value + 1); });
  }),
            "8");
}

TYPED_TEST(Results, AParallelPassesThemAndItsChildrenHaveTheirOwn) {
  EXPECT_EQ(this->passed_through([](Flow& flow) {
    Steps& side = flow.parallel();
    side.add([](Steps& steps) {
      steps.add([](Steps& inner) { inner.success(1); });
      steps.add([](Steps& inner) { inner.relinquish(); });
      steps.add([](Steps&, int value) { EXPECT_EQ(value, 1); });
    });
    side.add([](Steps&, int) {},
             [](Steps& steps, ErrorCode code) {
               EXPECT_EQ(code, "std::bad_cast");
               steps.success(2);
             });
  }),
            "7");
}

TYPED_TEST(Results, PassAnErrorThatIsRecoveredUnlessTheHandlerGivesOthers) {
  auto fail = [](Steps& steps) { steps.error("Wrong"); };
  EXPECT_EQ(this->passed_through([&](Flow& flow) { flow.add(fail, ignore_error); }), "7");
  EXPECT_EQ(this->passed_through([&](Flow& flow) {
    flow.add(fail, [](Steps& steps, ErrorCode) { steps.success(8); });
  }),
            "8");
  EXPECT_EQ(this->passed_through([&](Flow& flow) {
    flow.add(fail, [](Steps& steps, ErrorCode) {
      steps.add([](Steps& inner, int value) { inner.success(value + 2); });
    });
  }),
            "9");
}

TYPED_TEST(Results, OthersReplaceAllOfThem) {
  EXPECT_EQ(this->passed_through([](Flow& flow) {
    flow.add([](Steps& steps) { steps.success(std::string("text")); });
  }),
            "std::bad_cast");
  EXPECT_EQ(this->passed_through([](Flow& flow) {
    flow.add([](Steps& steps) { steps.success(1, 2); });
    flow.add([](Steps& steps) { steps.success(3); });
    flow.add([](Steps&, int, int) {}, ignore_error);
  }),
            "3");
}

TYPED_TEST(Results, AreRefusedWholeOrMovedWhole) {
  TypeParam flow(this->worker);
  flow.add([](Steps& steps) { steps.success(std::string(100, 'x'), 1); });
  flow.add([](Steps&, std::string, long) {}, ignore_error);
  flow.add([this](Steps&, const std::string& text) { this->trace += std::to_string(text.size()); });
  flow.add([this](Steps&, std::string text) { this->trace += " " + std::to_string(text.size()); });
  flow.add([this](Steps&, std::string text, int i) {
    this->trace += " " + std::to_string(text.size()) + " " + std::to_string(i);
  });
  this->run(flow);
  EXPECT_EQ(flow.outcome(), Outcome::succeeded);
  EXPECT_EQ(this->trace, "100 100 0 1");  // taken by value: moved out
}

TYPED_TEST(Results, ABodyMayGiveNewOnesWhileItUsesTheOld) {
  TypeParam flow(this->worker);
  flow.add([](Steps& steps) { steps.success(std::string(100, 'a'), 1); });
  flow.add([this](Steps& steps, const std::string& text, int&& number) {
    steps.success(text + "b", number + 1);
    this->trace += text.back();
  });
  flow.add([this](Steps& steps, std::string& text, int number) {
    text += "c";
    this->trace += std::to_string(number);
    steps.success();
  });
  flow.add(
      [this](Steps& steps, const std::string& text) {
        this->trace += text.substr(99);
        steps.error("Wrong");
      },
      ignore_error);
  flow.add([this](Steps&, const std::string& text) { this->trace += text.substr(99); });
  this->run(flow);
  EXPECT_EQ(this->trace, "a2abcabc");
}

TYPED_TEST(Results, EndWithTheFlow) {
  TypeParam flow(this->worker);
  std::weak_ptr<int> seen;
  auto give = [&seen](Steps& steps) {
    auto value = std::make_shared<int>(1);
    seen = value;
    steps.success(std::move(value));
  };
  flow.add(give);
  flow.add([](Steps&, const std::shared_ptr<int>&) {});
  flow.add([&seen](Steps&) { EXPECT_FALSE(seen.expired()); });
  this->run(flow);
  EXPECT_TRUE(seen.expired());

  flow.add(give).add([](Steps& steps) { steps.error("Wrong"); });
  this->run(flow);
  EXPECT_TRUE(seen.expired());

  flow.add(give).add([](Steps& steps) { steps.wait_external(); });
  flow.execute();
  this->turns();
  EXPECT_FALSE(seen.expired());
  flow.cancel();
  EXPECT_TRUE(seen.expired());

  flow.add([](Steps&, const std::shared_ptr<int>&) {});
  this->run(flow);
  EXPECT_EQ(flow.error_code(), "std::bad_cast");
}

TYPED_TEST(Results, SuccessStepIsAStep) {
  TypeParam flow(this->worker);
  flow.success_step(1);
  flow.add(
      [this](Steps& steps, int value) {
        this->trace += std::to_string(value);
        steps.success_step(2);  // as a library does, that knows nothing of what follows
        steps.add([this](Steps& inner, int given) {
          this->trace += std::to_string(given);
          inner.error("Wrong");
        });
      },
      [](Steps& steps, ErrorCode) { steps.success_step(3); });
  flow.add([this](Steps&, int value) { this->trace += std::to_string(value); });
  this->run(flow);
  EXPECT_EQ(this->trace, "123");
}

}  // namespace
}  // namespace drover::steps
