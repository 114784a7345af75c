// Steps, results, errors, timeouts and cancellation, for both engines.
#include <chrono>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "steps/flow_fixture_test.h"

namespace drover::steps {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

template <class FlowType>
class StepTree : public FlowTest<FlowType> {};
TYPED_TEST_SUITE(StepTree, BothEngines);

TYPED_TEST(StepTree, RunsDepthFirstInTheOrderOfAdding) {
  TypeParam flow(this->worker);
  flow.add([this](Steps& steps) {
    this->trace += "1 ";
    steps.add([this](Steps& inner) {
      this->trace += "1.1 ";
      inner.add(this->say("1.1.1")).add(this->say("1.1.2"));
    });
    steps.add(this->say("1.2"));
    this->trace += "(1) ";
  });
  flow.add(this->say("2"));
  this->run(flow);
  EXPECT_EQ(this->trace, "1 (1) 1.1 1.1.1 1.1.2 1.2 2 ");
  EXPECT_EQ(flow.outcome(), Outcome::succeeded);
}

TYPED_TEST(StepTree, HandsOnFourMixedResultsAndAMovedVector) {
  TypeParam flow(this->worker);
  std::string got;
  flow.add([](Steps& steps) { steps.success(1, "two", 3.5, true); });
  flow.add([&got](Steps& steps, int a, const std::string& b, double c, bool d) {
    got = std::to_string(a) + b + std::to_string(static_cast<int>(c * 2)) + (d ? "yes" : "no");
    std::vector<int> values{1, 2, 3};
    steps(std::move(values));
  });
  flow.add([&got](Steps& steps, std::vector<int>&& values) {
    got += std::to_string(values.size());
    steps.add(
        [](Steps& inner) { inner.add([](Steps& s) { s.success(std::make_unique<int>(9)); }); });
  });
  flow.add([&got](Steps&, std::unique_ptr<int> value) { got += std::to_string(*value); });
  this->run(flow);
  EXPECT_EQ(got, "1two7yes39");
}

TYPED_TEST(StepTree, OnlyTheInnermostStepMayBeUsed) {
  TypeParam flow(this->worker);
  EXPECT_TRUE(flow);
  flow.add([&flow](Steps& steps) {
    EXPECT_FALSE(flow);
    EXPECT_TRUE(steps);
    steps.add([&steps](Steps& inner) {
      EXPECT_FALSE(steps);
      EXPECT_TRUE(inner);
    });
  });
  this->run(flow);
  EXPECT_TRUE(flow);
}

TYPED_TEST(StepTree, StateSetBeforeIsSeenBelow) {
  TypeParam flow(this->worker);
  flow.template state<int>("answer", 42);
  flow.state()["name"] = std::string("drover");
  int got = 0;
  flow.add([&](Steps& steps) {
    steps.add([&](Steps& inner) {
      got = inner.state<int>("answer");
      EXPECT_EQ(inner.state<std::string>("name"), "drover");
      EXPECT_THROW(inner.state<int>("name"), std::bad_cast);
      EXPECT_THROW(inner.state<int>("none"), std::bad_cast);
      EXPECT_EQ(inner.state<int>("answer", 1), 42);
    });
  });
  this->run(flow);
  EXPECT_EQ(got, 42);
  EXPECT_EQ(flow.outcome(), Outcome::succeeded);
}

TYPED_TEST(StepTree, AnErrorGoesOutwardsSilentReplacedRecovered) {
  TypeParam flow(this->worker);
  flow.add(
      [this](Steps& steps) {
        steps.add(
            [this](Steps& two) {
              two.add(
                  [this](Steps& three) {
                    three.add(this->say("never"));
                    three.error("First");
                  },
                  [this](Steps&, ErrorCode code) { this->trace += std::string(code) + " "; });
              two.add(this->say("skipped"));
            },
            [this](Steps& two, ErrorCode code) {
              this->trace += std::string(code) + " ";
              two.error("Second");
            });
        steps.add(this->say("skipped"));
      },
      [this](Steps& steps, ErrorCode code) {
        this->trace += std::string(code) + " ";
        steps.success();
      });
  flow.add(this->say("after"));
  this->run(flow);
  EXPECT_EQ(this->trace, "First First Second after ");
}

TYPED_TEST(StepTree, StepsAddedInAHandlerRunAndTheirErrorPassesIt) {
  TypeParam flow(this->worker);
  flow.add(
      [this](Steps& steps) {
        steps.add([](Steps& inner) { inner.error("Inner"); },
                  [this](Steps& inner, ErrorCode) {
                    this->trace += "handler ";
                    inner.add(this->say("instead"));
                    inner.add([](Steps& again) { again.error("Again"); });
                  });
        steps.add(this->say("skipped"));
      },
      [this](Steps& steps, ErrorCode code) {
        this->trace += std::string(code) + " ";
        steps.add(this->say("recovered"));
      });
  flow.add(this->say("after"));
  this->run(flow);
  EXPECT_EQ(this->trace, "handler instead Again recovered after ");
}

TYPED_TEST(StepTree, TheTraceIsTheSameHoweverTheErrorIsRaised) {
  const std::vector<void (*)(Steps&)> ways{
      [](Steps& steps) { steps.error("Code", "info"); },
      [](Steps& steps) { steps.error_no_throw("Code", "info"); },
      [](Steps&) { throw ExtError("Code", "info"); },
      [](Steps& steps) {
        steps.state().set_error_info("info");
        throw Error("Code");
      },
  };
  std::vector<int> caught;
  for (const auto way : ways) {
    TypeParam flow(this->worker);
    int count = 0;
    this->trace.clear();
    flow.state().catch_trace = [&count](const std::exception_ptr&) { ++count; };
    auto note = [this](Steps& steps, ErrorCode code) {
      this->trace += std::string(code) + "/" + std::string(steps.state().error_info()) + " ";
    };
    flow.add([way, note](Steps& steps) { steps.add([way](Steps& s) { way(s); }, note); },
             [note](Steps& steps, ErrorCode code) {
               note(steps, code);
               steps.success();
             });
    flow.add([](Steps& steps) { EXPECT_EQ(steps.state().error_info(), ""); });
    this->run(flow);
    EXPECT_EQ(this->trace, "Code/info Code/info ");
    EXPECT_EQ(flow.state().last_exception() != nullptr, count > 0);
    caught.push_back(count);
  }
  EXPECT_THAT(caught, ElementsAre(1, 0, 1, 1));
}

TYPED_TEST(StepTree, AnUnhandledErrorIsToldAndTheFlowCanBeUsedAgain) {
  TypeParam flow(this->worker);
  std::string told;
  flow.state().unhandled_error = [&told](ErrorCode code) { told = code; };
  flow.add([](Steps&) { throw std::runtime_error("broken"); });
  flow.add(this->say("skipped"));
  this->run(flow);
  EXPECT_EQ(told, "broken");
  EXPECT_EQ(flow.outcome(), Outcome::failed);
  EXPECT_EQ(flow.error_code(), "broken");
  flow.add(this->say("again"));
  this->run(flow);
  EXPECT_EQ(this->trace, "again ");
  EXPECT_EQ(flow.outcome(), Outcome::succeeded);
}

TYPED_TEST(StepTree, AnExceptionOfAnUnknownTypeIsAnInternalError) {
  TypeParam flow(this->worker);
  flow.add([](Steps&) { throw 42; });
  this->run(flow);
  EXPECT_EQ(flow.error_code(), error_codes::internal_error);
  EXPECT_EQ(flow.state().error_info(), "an exception of an unknown type");
}

TYPED_TEST(StepTree, ATimeoutFiresNeverEarlyAndIsRecovered) {
  TypeParam flow(this->worker);
  flow.add([](Steps& steps) { steps.set_timeout(50ms); },
           [this](Steps& steps, ErrorCode code) {
             this->trace = code;
             steps.success();
           });
  flow.add(this->say("after"));
  this->run(flow);
  EXPECT_EQ(this->trace, "Timeoutafter ");
  EXPECT_GE(this->elapsed(), 50ms);
  EXPECT_LT(this->elapsed(), 51ms);
}

TYPED_TEST(StepTree, SuccessFirstDisarmsTheTimeout) {
  TypeParam flow(this->worker);
  Steps* waiting = nullptr;
  flow.add([&waiting](Steps& steps) {
    steps.set_timeout(1s);
    waiting = &steps;
  });
  flow.add(this->say("after"));
  flow.execute();
  this->turns();
  ASSERT_NE(waiting, nullptr);
  waiting->success();
  this->pass(2s);
  EXPECT_EQ(this->trace, "after ");
  EXPECT_EQ(flow.outcome(), Outcome::succeeded);
  EXPECT_EQ(this->worker.timers().size(), 0U);
}

TYPED_TEST(StepTree, ASecondTimeoutReplacesTheFirst) {
  TypeParam flow(this->worker);
  flow.add([](Steps& steps) {
    steps.set_timeout(1s);
    steps.set_timeout(3s);
  });
  this->run(flow);
  EXPECT_EQ(flow.error_code(), error_codes::timeout);
  EXPECT_GE(this->elapsed(), 3s);
}

TYPED_TEST(StepTree, ATimeoutUnwindsFromTheInnermostStep) {
  TypeParam flow(this->worker);
  flow.add(
      [this](Steps& steps) {
        steps.set_timeout(10ms);
        steps.add([this](Steps& inner) {
          inner.add(
              [this](Steps& innermost) {
                innermost.set_cancel([this](Steps&) { this->trace += "cancel "; });
              },
              [this](Steps&, ErrorCode code) { this->trace += std::string(code) + " "; });
        });
      },
      [this](Steps& steps, ErrorCode code) {
        this->trace += "outer:" + std::string(code) + " ";
        steps.success();
      });
  flow.add(this->say("after"));
  this->run(flow);
  EXPECT_EQ(this->trace, "cancel Timeout outer:Timeout after ");
}

TYPED_TEST(StepTree, AFinishedSiblingsTimerStaysSilent) {
  TypeParam flow(this->worker);
  flow.add([this](Steps& steps) {
    steps.add([this](Steps& first) {
      first.set_timeout(10ms);
      first.add(this->say("first"));
    });
    steps.add([](Steps& second) { second.set_timeout(1s); },
              [](Steps& second, ErrorCode) { second.success(); });
  });
  this->run(flow);
  EXPECT_GE(this->elapsed(), 1s);
  EXPECT_EQ(flow.outcome(), Outcome::succeeded);
}

TYPED_TEST(StepTree, ATimeoutsHandlerMayRaiseAndAdd) {
  TypeParam flow(this->worker);
  flow.add(
      [this](Steps& steps) {
        steps.add([](Steps& inner) { inner.set_timeout(1ms); },
                  [](Steps& inner, ErrorCode) { inner.error("Other"); });
        steps.add(this->say("skipped"));
      },
      [this](Steps& steps, ErrorCode code) {
        this->trace += std::string(code) + " ";
        steps.add([](Steps& inner) { inner.set_timeout(1ms); });
      });
  this->run(flow);
  EXPECT_EQ(this->trace, "Other ");
  EXPECT_EQ(flow.error_code(), error_codes::timeout);

  flow.add([](Steps& steps) { steps.set_timeout(1ms); },
           [this](Steps& steps, ErrorCode) { steps.add(this->say("added")); });
  this->run(flow);
  EXPECT_EQ(this->trace, "Other added ");
  EXPECT_EQ(flow.outcome(), Outcome::succeeded);
}

TYPED_TEST(StepTree, ObjectsOfTheStackLiveAsLongAsTheirStep) {
  struct Counted {
    explicit Counted(std::string& t, char n) : text(t), name(n) { text += name; }
    ~Counted() { text += static_cast<char>(name - 'a' + 'A'); }
    Counted(const Counted&) = delete;
    std::string& text;
    char name;
  };
  std::string text;
  {
    TypeParam flow(this->worker);
    flow.template stack<Counted>(text, 'r');
    flow.add(
        [&text](Steps& steps) {
          steps.stack<Counted>(text, 'a');
          steps.stack<Counted>(text, 'b');
          steps.add([&text](Steps& inner) {
            inner.stack<Counted>(text, 'c');
            inner.error("Wrong");
          });
        },
        [&text](Steps& steps, ErrorCode) {
          text += "|";
          steps.success();
        });
    flow.add([&text](Steps& steps) {
      text += "+";
      auto* memory = static_cast<int*>(
          steps.stack(sizeof(int), [](void* m) { EXPECT_EQ(*static_cast<int*>(m), 5); }));
      *memory = 5;
    });
    flow.repeat(2, [&text](Steps& steps, std::size_t) { steps.stack<Counted>(text, 'l'); });
    this->run(flow);
    EXPECT_EQ(flow.outcome(), Outcome::succeeded);
    EXPECT_EQ(text, "rabcC|BA+lLlL");
  }
  EXPECT_EQ(text, "rabcC|BA+lLlLR");
}

TYPED_TEST(StepTree, CancelRunsTheHandlersInsideOutEachOnce) {
  TypeParam flow(this->worker);
  auto build = [this](Flow& root) {
    root.add(
        [this](Steps& steps) {
          steps.set_cancel([this](Steps&) { this->trace += "outer "; });
          steps.add([this](Steps& inner) {
            inner.set_cancel([](Steps&) {});
            inner.set_cancel([this](Steps&) {
              this->trace += "inner ";
              throw std::runtime_error("is lost");
            });
          });
          steps.add(this->say("never"));
        },
        [this](Steps&, ErrorCode) { this->trace += "handler "; });
  };
  build(flow);
  flow.execute();
  this->turns();
  flow.cancel();
  flow.cancel();
  EXPECT_EQ(this->trace, "inner outer ");
  EXPECT_EQ(flow.outcome(), Outcome::cancelled);
  {
    TypeParam other(this->worker);
    build(other);
    other.execute();
    this->turns();
  }
  EXPECT_EQ(this->trace, "inner outer inner outer ");
}

TYPED_TEST(StepTree, AFlowThatIsQueuedCanBeDestroyed) {
  for (int i = 0; i < 200; ++i) {
    this->trace.clear();
    TypeParam flow(this->worker);
    TypeParam kept(this->worker);
    flow.add(this->say("second"));
    kept.add(this->say("first"));
    kept.execute();
    flow.execute();
    if (i % 2 == 0) {
      this->finish(kept);
      EXPECT_EQ(this->trace, "first second ");
    }
  }
  this->turns();
  EXPECT_EQ(this->trace, "");
}

TYPED_TEST(StepTree, CancelAndExecuteByAnOwnStepAreMisuse) {
  TypeParam flow(this->worker);
  flow.add([&flow](Steps&) { flow.cancel(); });
  this->run(flow);
  EXPECT_EQ(flow.error_code(), error_codes::internal_error);
  flow.add([&flow](Steps&) { flow.execute(); });
  this->run(flow);
  EXPECT_EQ(flow.error_code(), error_codes::internal_error);
}

TYPED_TEST(StepTree, ResultsOfAnotherTypeAreABadCast) {
  TypeParam flow(this->worker);
  flow.add([](Steps& steps) { steps.success(1); });
  flow.add([](Steps&, long) {},
           [this](Steps& steps, ErrorCode code) {
             this->trace = code;
             steps.success();
           });
  this->run(flow);
  EXPECT_EQ(this->trace, "std::bad_cast");
}

TYPED_TEST(StepTree, ASwallowedErrorStillFails) {
  TypeParam flow(this->worker);
  flow.add([](Steps& steps) {
    try {
      steps.error("Swallowed");
    } catch (const Error&) {
      steps.success();
    }
  });
  this->run(flow);
  EXPECT_EQ(flow.error_code(), "Swallowed");
}

TYPED_TEST(StepTree, AnotherFlowStartsAfterAHundredSteps) {
  TypeParam first(this->worker);
  TypeParam second(this->worker);
  int count = 0;
  int seen = 0;
  first.loop([&count](Steps& steps) {
    if (++count == 1000) steps.break_loop();
  });
  second.add([&](Steps&) { seen = count; });
  first.execute();
  second.execute();
  this->finish(first);
  EXPECT_EQ(seen, 99);  // the loop is a step, too
  EXPECT_EQ(count, 1000);
}

TYPED_TEST(StepTree, MisuseRaisesInternalError) {
  using Wrong = void (*)(Steps&);
  const std::vector<Wrong> wrongs{
      [](Steps& steps) {
        steps.success();
        steps.success();
      },
      [](Steps& steps) {
        steps.add([](Steps&) {});
        steps.success();
      },
      [](Steps& steps) {
        steps.success();
        steps.add([](Steps&) {});
      },
      [](Steps& steps) { steps.parallel().success(); },
      [](Steps& steps) { steps.parallel().set_timeout(1s); },
      [](Steps& steps) { steps.parallel().set_cancel([](Steps&) {}); },
      [](Steps& steps) { steps.parallel().parallel(); },
      [](Steps& steps) { steps.loop([](Steps&) {}, std::string(32, 'x')); },
      [](Steps& steps) { steps.add([&steps](Steps&) { steps.success(); }); },
      [](Steps& steps) { steps.add([&steps](Steps&) { steps.add([](Steps&) {}); }); },
  };
  for (std::size_t i = 0; i < wrongs.size(); ++i) {
    TypeParam flow(this->worker);
    flow.add([wrong = wrongs[i]](Steps& steps) {
      try {
        wrong(steps);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), error_codes::internal_error);
      }
    });
    this->run(flow);
    // The steps below have failed, even if they swallowed the exception. The last two are not
    // caught above.
    EXPECT_EQ(flow.error_code(), error_codes::internal_error) << i;
  }
  TypeParam flow(this->worker);
  EXPECT_THROW(flow.success(), Error);
  EXPECT_THROW(flow.set_timeout(1s), Error);
  EXPECT_THROW(flow.error("X"), Error);
  flow.execute();  // empty: nothing
  EXPECT_EQ(flow.outcome(), Outcome::none);
}

TYPED_TEST(StepTree, MisuseInHandlersAndFromOutside) {
  TypeParam flow(this->worker);
  Steps* waiting = nullptr;
  flow.add([](Steps& steps) { steps.error("A"); },
           [this](Steps& steps, ErrorCode) {
             steps.wait_external();  // without effect: the error goes on
             this->trace += "A ";
           });
  this->run(flow);
  EXPECT_EQ(flow.error_code(), "A");
  flow.add([](Steps& steps) { steps.error("A"); },
           [](Steps& steps, ErrorCode) { steps.external_event(); });
  this->run(flow);
  EXPECT_EQ(flow.error_code(), error_codes::internal_error);
  flow.add([&waiting](Steps& steps) {
    waiting = &steps;
    steps.wait_external();
  });
  flow.execute();
  this->turns();
  EXPECT_THROW(waiting->add([](Steps&) {}), Error);
  EXPECT_THROW(waiting->set_timeout(1s), Error);
  EXPECT_TRUE(*waiting);
  EXPECT_THROW(waiting->error("Outside"), Error);
  EXPECT_THROW(waiting->success(), Error);  // the error stands
  this->finish(flow);
  EXPECT_EQ(flow.error_code(), "Outside");
}

TYPED_TEST(StepTree, ANewInstanceIsAFreshFlowOfTheSameWorker) {
  TypeParam flow(this->worker);
  std::unique_ptr<Flow> other;
  flow.template state<int>("key", 1);
  flow.add([&other](Steps& steps) { other = steps.new_instance(); });
  this->run(flow);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(&other->worker(), &this->worker);
  EXPECT_FALSE(other->state().contains("key"));
  EXPECT_NE(dynamic_cast<TypeParam*>(other.get()), nullptr);
  other->add(this->say("other"));
  this->run(*other);
  EXPECT_EQ(this->trace, "other ");
}

TYPED_TEST(StepTree, AWaitingFlowCostsNothing) {
  TypeParam flow(this->worker);
  flow.add([](Steps& steps) { steps.wait_external(); });
  flow.execute();
  this->turns();
  const auto before = this->worker.statistics().resumptions.load();
  this->pass(1h);
  EXPECT_LE(this->worker.statistics().resumptions.load() - before, 5U);
  flow.cancel();
}

}  // namespace
}  // namespace drover::steps
