// Coroutines and flows awaiting each other, for both engines.
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "coro/deadline.h"
#include "coro/promise.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "steps/flow_fixture_test.h"

namespace drover::steps {
namespace {

using namespace std::chrono_literals;
using coro::Task;

template <class FlowType>
class Await : public FlowTest<FlowType> {
 protected:
  template <class T>
  T run_task(Task<T> task) {
    return coro::block_on(this->worker, std::move(task));
  }
};
TYPED_TEST_SUITE(Await, BothEngines);

TYPED_TEST(Await, APromiseGivesNothingAValueOrAnError) {
  auto body = [this]() -> Task<std::string> {
    TypeParam flow(this->worker);
    co_await flow.promise();
    flow.add([](Steps& steps) { steps.success(7); });
    const int value = co_await flow.template promise<int>();
    flow.add([](Steps& steps) { steps.error("Wrong", "why"); });
    try {
      co_await flow.promise();
    } catch (const ExtError& error) {
      co_return std::to_string(value) + std::string(error.code()) + std::string(error.info());
    }
    co_return "no error";
  };
  EXPECT_EQ(this->run_task(body()), "7Wrongwhy");
}

TYPED_TEST(Await, APromiseOfAnotherTypeFails) {
  auto body = [this]() -> Task<void> {
    TypeParam flow(this->worker);
    flow.add([](Steps& steps) { steps.success(7L); });
    EXPECT_THROW(co_await flow.template promise<int>(), Error);
    flow.add([](Steps& steps) { steps.wait_external(); });
    flow.execute();
    EXPECT_THROW(co_await flow.promise(), Error);  // it runs already
    flow.cancel();
  };
  this->run_task(body());
}

TYPED_TEST(Await, APromiseBreaksWhenTheFlowIsCancelledOrDestroyed) {
  auto flow = std::make_unique<TypeParam>(this->worker);
  auto other = std::make_unique<TypeParam>(this->worker);
  int broken = 0;
  auto wait = [&broken](Flow& f) -> Task<void> {
    f.add([](Steps& steps) { steps.wait_external(); });
    try {
      co_await f.promise();
    } catch (const coro::BrokenPromise&) {
      ++broken;
    }
  };
  auto body = [&](coro::Scope& scope) -> Task<void> {
    scope.start(wait(*flow));
    scope.start(wait(*other));
    co_await coro::sleep_for(1s);
    flow->cancel();
    other.reset();
  };
  this->run_task(coro::with_scope(body));
  EXPECT_EQ(broken, 2);
}

TYPED_TEST(Await, CancellingTheAwaitingTaskCancelsTheFlow) {
  TypeParam flow(this->worker);
  flow.add(
      [this](Steps& steps) { steps.set_cancel([this](Steps&) { this->trace += "cancelled "; }); });
  auto wait = [](Flow& f) -> Task<void> { co_await f.promise(); };
  auto body = [&]() -> Task<void> {
    EXPECT_THROW(co_await coro::with_deadline(this->worker.now() + 1s, wait(flow)),
                 coro::DeadlineExceeded);
  };
  this->run_task(body());
  EXPECT_EQ(this->trace, "cancelled ");
  EXPECT_EQ(flow.outcome(), Outcome::cancelled);
}

TYPED_TEST(Await, AStepMayCancelTheTaskThatAwaitsItsFlow) {
  TypeParam flow(this->worker);
  coro::Scope* around = nullptr;
  flow.loop([&](Steps& steps) {
    this->trace += "x";
    if (this->trace.size() == 3) around->cancel();
    steps.add([](Steps&) {});
  });
  auto wait = [](Flow& f) -> Task<void> { co_await f.promise(); };
  auto body = [&](coro::Scope& scope) -> Task<void> {
    around = &scope;
    scope.start(wait(flow));
    co_return;
  };
  this->run_task(coro::with_scope(body));
  EXPECT_EQ(flow.outcome(), Outcome::cancelled);
  EXPECT_EQ(this->trace, "xxx");
}

Task<int> later(int value) {
  co_await coro::sleep_for(1s);
  co_return value;
}

Task<void> at_once() {
  co_return;
}

Task<int> wrong() {
  co_await coro::sleep_for(1s);
  throw std::runtime_error("wrong");
}

TYPED_TEST(Await, AFlowAwaitsTasks) {
  TypeParam flow(this->worker);
  int got = 0;
  flow.await(at_once());
  flow.await(later(5));
  flow.add([&got, this](Steps& steps, int value) {
    got = value;
    steps.await(wrong(), [this](Steps& s, ErrorCode code) {
      this->trace += code;
      s.success(6);
    });
  });
  flow.add([&got](Steps&, int value) { got = got * 10 + value; });
  flow.await(wrong());
  this->run(flow);
  EXPECT_EQ(got, 56);
  EXPECT_EQ(this->trace, "wrong");
  EXPECT_EQ(flow.error_code(), "wrong");
  EXPECT_NE(flow.state().last_exception(), nullptr);
}

TYPED_TEST(Await, AFlowAwaitsAFuture) {
  TypeParam flow(this->worker);
  int got = 0;
  auto body = [&]() -> Task<void> {
    auto [promise, future] = coro::make_promise<int>();
    auto [dropped, broken] = coro::make_promise<int>();
    flow.await(std::move(future));
    flow.add([&got](Steps&, int value) { got = value; });
    flow.await(std::move(broken), [this](Steps& steps, ErrorCode) {
      this->trace += "broken";
      steps.success();
    });
    flow.execute();
    co_await coro::sleep_for(1s);
    promise.set_value(3);
    {
      const coro::Promise<int> gone = std::move(dropped);
    }
    co_await coro::sleep_for(1s);
  };
  this->run_task(body());
  EXPECT_EQ(got, 3);
  EXPECT_EQ(this->trace, "broken");
  EXPECT_EQ(flow.outcome(), Outcome::succeeded);
}

struct Witness {
  explicit Witness(std::string& t) : trace(t) {}
  ~Witness() { trace += "ended "; }
  Witness(const Witness&) = delete;
  std::string& trace;
};

Task<void> long_work(std::string& trace) {
  const Witness witness(trace);
  trace += "begun ";
  co_await coro::sleep_for(1h);
  trace += "done ";
}

// Task whose end takes several turns of the worker: first its children end, then the task.
Task<void> long_work_below(std::string& trace) {
  const Witness witness(trace);
  auto body = [&trace](coro::Scope& scope) -> Task<void> {
    scope.start(long_work(trace));
    co_return;
  };
  co_await coro::with_scope(body);
}

TYPED_TEST(Await, StopWaitsForTheEndOfTheTask) {
  TypeParam flow(this->worker);
  auto body = [&]() -> Task<void> {
    co_await flow.stop();  // nothing runs
    flow.await(long_work_below(this->trace));
    flow.execute();
    co_await coro::sleep_for(1s);
    co_await flow.stop();
    this->trace += "stopped ";
    co_await flow.stop();
  };
  this->run_task(body());
  EXPECT_EQ(this->trace, "begun ended ended stopped ");
  EXPECT_EQ(flow.outcome(), Outcome::cancelled);
}

TYPED_TEST(Await, AfterACancellationNothingRunsUntilTheTaskHasEnded) {
  TypeParam flow(this->worker);
  flow.await(long_work_below(this->trace));
  flow.execute();
  auto body = [&]() -> Task<void> {
    co_await coro::sleep_for(1s);
    flow.cancel();
    EXPECT_EQ(flow.outcome(), Outcome::cancelled);
    flow.add(this->say("again"));
    flow.execute();
    co_await coro::sleep_for(1ms);
  };
  this->run_task(body());
  EXPECT_EQ(this->trace, "begun ended ended again ");
  EXPECT_EQ(flow.outcome(), Outcome::succeeded);
}

TYPED_TEST(Await, WhoAwaitsTheFlowIsResumedAfterTheEndOfItsTask) {
  auto wait = [this]() -> Task<void> {
    TypeParam flow(this->worker);
    flow.await(long_work_below(this->trace));
    try {
      co_await flow.promise();
    } catch (const coro::Cancelled&) {
      this->trace += "cancelled ";
      throw;
    }
  };
  auto body = [&]() -> Task<void> {
    EXPECT_THROW(co_await coro::with_deadline(this->worker.now() + 1s, wait()),
                 coro::DeadlineExceeded);
  };
  this->run_task(body());
  EXPECT_EQ(this->trace, "begun ended ended cancelled ");
}

TYPED_TEST(Await, AParallelsHandlerRunsAfterTheEndOfTheOthersTasks) {
  TypeParam flow(this->worker);
  Steps& side = flow.parallel([this](Steps& steps, ErrorCode code) {
    this->trace += code;
    steps.success();
  });
  side.await(long_work_below(this->trace));
  side.add([](Steps& steps) { steps.set_timeout(1s); });
  this->run(flow);
  EXPECT_EQ(this->trace, "begun ended ended Timeout");
}

TYPED_TEST(Await, AFlowThatDiesWhileItsWorkerRunsLetsTheTaskGo) {
  auto flow = std::make_unique<TypeParam>(this->worker);
  flow->await(long_work_below(this->trace));
  flow->execute();
  auto body = [&]() -> Task<void> {
    co_await coro::sleep_for(1s);
    flow.reset();
    this->trace += "gone ";
    co_await coro::sleep_for(1ms);
  };
  this->run_task(body());
  EXPECT_EQ(this->trace, "begun gone ended ended ");
}

TYPED_TEST(Await, AFlowThatDiesWhileTheWorkerStandsLetsItRunUntilTheTaskHasEnded) {
  {
    TypeParam flow(this->worker);
    flow.await(long_work(this->trace));
    flow.await(long_work(this->trace));  // never begun
    flow.execute();
    this->turns();
  }
  EXPECT_EQ(this->trace, "begun ended ");
}

TYPED_TEST(Await, ATimeoutsHandlerRunsAfterTheEndOfTheTask) {
  TypeParam flow(this->worker);
  flow.add(
      [this](Steps& steps) {
        steps.set_timeout(1s);
        steps.await(long_work(this->trace));
      },
      [this](Steps& steps, ErrorCode code) {
        this->trace += std::string(code) + " ";
        steps.add([](Steps& s) { s.set_timeout(1ms); }, [](Steps& s, ErrorCode) { s.success(); });
      });
  this->run(flow);
  EXPECT_EQ(this->trace, "begun ended Timeout ");
  EXPECT_LT(this->elapsed(), 2s);
}

TYPED_TEST(Await, ParallelChildrenAwaitSideBySide) {
  TypeParam flow(this->worker);
  Steps& side = flow.parallel();
  for (int i = 0; i < 3; ++i) side.await(later(i));
  this->run(flow);
  EXPECT_GE(this->elapsed(), 1s);
  EXPECT_LT(this->elapsed(), 1100ms);
}

}  // namespace
}  // namespace drover::steps
