// Flows and other threads, for both engines.
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "coro/promise.h"
#include "steps/flow_fixture_test.h"

namespace drover::steps {
namespace {

using namespace std::chrono_literals;

template <class FlowType>
class Threads : public testing::Test {
 protected:
  void finish(Flow& flow) {
    worker.run_until([&flow] { return flow.outcome() != Outcome::running; });
  }

  coro::Worker worker;
};
TYPED_TEST_SUITE(Threads, BothEngines);

TYPED_TEST(Threads, AForeignSuccessAndErrorEndAWaitingStep) {
  TypeParam flow(this->worker);
  std::vector<std::jthread> threads;
  std::string got;
  flow.add([&threads](Steps& steps) {
    threads.emplace_back([event = steps.external_event()] { event.success(1, "one"); });
  });
  flow.add([&](Steps& steps, int number, std::string name) {
    got = std::to_string(number) + name;
    threads.emplace_back([event = steps.external_event()] { event.error("Foreign", "info"); });
  });
  flow.execute();
  this->finish(flow);
  EXPECT_EQ(got, "1one");
  EXPECT_EQ(flow.error_code(), "Foreign");
  EXPECT_EQ(flow.state().error_info(), "info");
}

TYPED_TEST(Threads, AnEventThatComesTooLateIsDropped) {
  std::optional<ExternalEvent> event;
  {
    TypeParam flow(this->worker);
    int ended = 0;
    flow.add([&event](Steps& steps) {
      event = steps.external_event();
      const ExternalEvent same = steps.external_event();
      same.success();
      event->success();
      event->error("Late");
    });
    flow.add([&](Steps&) {
      ++ended;
      event->success();
    });
    flow.add([](Steps& steps) { steps.wait_external(); });
    flow.execute();
    this->worker.run_until([&ended] { return ended > 0; });
    EXPECT_EQ(flow.outcome(), Outcome::running);
    event->error("Late");
    EXPECT_EQ(flow.outcome(), Outcome::running);
  }
  event->success();
  std::jthread([copy = *event] { copy.success(1); }).join();
}

TYPED_TEST(Threads, ManyThreadsRaceToEndEachStep) {
  TypeParam flow(this->worker);
  constexpr int threads = 4;
  constexpr int rounds = 300;
  std::vector<std::unique_ptr<ExternalEvent>> events(rounds);
  std::atomic<int> published{0};
  std::vector<std::jthread> posters;
  for (int t = 0; t < threads; ++t) {
    posters.emplace_back([&] {
      for (int round = 1; round <= rounds; ++round) {
        for (int seen = published.load(); seen < round; seen = published.load()) {
          published.wait(seen);
        }
        events[static_cast<std::size_t>(round - 1)]->success(round);
      }
    });
  }
  int sum = 0;
  flow.repeat(rounds, [&](Steps& steps, std::size_t i) {
    steps.add([&, i](Steps& inner) {
      events[i] = std::make_unique<ExternalEvent>(inner.external_event());
      published.store(static_cast<int>(i) + 1);
      published.notify_all();
    });
    steps.add([&sum](Steps&, int round) { sum += round; });
  });
  flow.execute();
  this->finish(flow);
  EXPECT_EQ(sum, rounds * (rounds + 1) / 2);
}

TYPED_TEST(Threads, AnInfiniteLoopIsCancelledFromItsThreadAndAnother) {
  TypeParam flow(this->worker);
  std::atomic<int> count{0};
  flow.loop([&count](Steps&) { count.fetch_add(1); });
  flow.execute();
  this->worker.post([&flow] { flow.cancel(); });
  this->finish(flow);
  EXPECT_EQ(flow.outcome(), Outcome::cancelled);

  flow.loop([&count](Steps&) { count.fetch_add(1); });
  flow.execute();
  count = 0;
  int after_cancel = 0;
  std::jthread other([&] {
    while (count.load() < 1000) std::this_thread::yield();
    flow.cancel();
    after_cancel = count.load();
  });
  this->finish(flow);
  other.join();
  EXPECT_EQ(flow.outcome(), Outcome::cancelled);
  EXPECT_EQ(count.load(), after_cancel);
}

TYPED_TEST(Threads, ACancelFromAnotherThreadWaitsForTheAwaitedTask) {
  struct Witness {
    explicit Witness(std::atomic<int>& s) : stage(s) { stage = 1; }
    ~Witness() { stage = 2; }
    Witness(const Witness&) = delete;
    std::atomic<int>& stage;
  };
  std::atomic<int> stage{0};
  auto work = [&stage]() -> coro::Task<void> {
    const Witness witness(stage);
    co_await coro::sleep_for(1h);
  };
  TypeParam flow(this->worker);
  flow.await(work());
  flow.execute();
  int seen = 0;
  std::atomic<bool> returned{false};
  std::jthread other([&] {
    while (stage.load() == 0) std::this_thread::yield();
    flow.cancel();
    seen = stage.load();
    returned = true;
    this->worker.post([] {});
  });
  this->worker.run_until([&returned] { return returned.load(); });
  other.join();
  EXPECT_EQ(seen, 2);
}

TYPED_TEST(Threads, FiftyThreadsPostFlows) {
  constexpr int threads = 50;
  std::vector<std::unique_ptr<TypeParam>> flows;
  int done = 0;
  for (int i = 0; i < threads; ++i) {
    flows.push_back(std::make_unique<TypeParam>(this->worker));
    flows.back()->add([](Steps& steps) { steps.relinquish(); });
    flows.back()->add([&done](Steps&) { ++done; });
  }
  std::vector<std::jthread> posters;
  std::atomic<bool> running{false};
  this->worker.post([&running] {
    running = true;
    running.notify_all();
  });
  for (int i = 0; i < threads; ++i) {
    posters.emplace_back([&running, flow = flows[static_cast<std::size_t>(i)].get()] {
      running.wait(false);
      flow->execute();
    });
  }
  this->worker.run_until([&done] { return done == threads; });
  posters.clear();
  for (const auto& flow : flows) EXPECT_EQ(flow->outcome(), Outcome::succeeded);
}

TYPED_TEST(Threads, FlowsRunInTheOrderInWhichTheyWereExecuted) {
  std::string order;
  std::vector<std::unique_ptr<TypeParam>> flows;
  for (int i = 0; i < 5; ++i) {
    flows.push_back(std::make_unique<TypeParam>(this->worker));
    flows.back()->add([&order, i](Steps&) { order += std::to_string(i); });
    flows.back()->execute();
  }
  flows[2]->cancel();
  this->finish(*flows[4]);
  EXPECT_EQ(order, "0134");
}

// Runs a few turns of the loop, so that it ends while other threads call.
void run_shortly(coro::Worker& worker, int turns) {
  auto body = [](int n) -> coro::Task<void> {
    for (int i = 0; i < n; ++i) co_await coro::yield();
  };
  coro::block_on(worker, body(turns));
}

constexpr int stress_rounds = 300;

TYPED_TEST(Threads, ExecuteComesBackWhereverTheLoopEnds) {
  std::vector<std::unique_ptr<TypeParam>> flows;
  int done = 0;
  for (int round = 0; round < stress_rounds; ++round) {
    flows.clear();
    for (int i = 0; i < 3; ++i) {
      flows.push_back(std::make_unique<TypeParam>(this->worker));
      flows.back()->add([](Steps& steps) { steps.relinquish(); }).add([&done](Steps&) { ++done; });
    }
    {
      std::vector<std::jthread> callers;
      for (const auto& flow : flows) callers.emplace_back([&flow] { flow->execute(); });
      run_shortly(this->worker, round % 7);
      if (round % 2 == 0) run_shortly(this->worker, round % 5);
    }
    for (const auto& flow : flows) {
      ASSERT_NE(flow->outcome(), Outcome::none);
      this->finish(*flow);
    }
  }
  EXPECT_EQ(done, 3 * stress_rounds);
}

TYPED_TEST(Threads, CancelComesBackWhereverTheLoopEnds) {
  auto sleep = []() -> coro::Task<void> { co_await coro::sleep_for(1h); };
  for (int round = 0; round < stress_rounds; ++round) {
    int cancels = 0;
    TypeParam flow(this->worker);
    flow.add([&](Steps& steps) {
      steps.set_cancel([&cancels](Steps&) { ++cancels; });
      if (round % 2 == 0) {
        steps.await(sleep());
      } else {
        steps.loop([](Steps&) {});
      }
    });
    flow.execute();
    run_shortly(this->worker, 3);
    {
      std::vector<std::jthread> callers;
      for (int i = 0; i < 2; ++i) {
        callers.emplace_back([&flow] {
          flow.cancel();
          EXPECT_EQ(flow.outcome(), Outcome::cancelled);
        });
      }
      run_shortly(this->worker, round % 7);
    }
    EXPECT_EQ(cancels, 1);
  }
}

TYPED_TEST(Threads, EventsOfManyThreadsBeforeInAndAfterTheLoop) {
  constexpr int threads = 3;
  for (int round = 0; round < stress_rounds; ++round) {
    std::optional<ExternalEvent> event;
    int ended = 0;
    auto flow = std::make_unique<TypeParam>(this->worker);
    flow->add([&event](Steps& steps) { event = steps.external_event(); },
              [&ended](Steps& steps, ErrorCode code) {
                EXPECT_EQ(code, "Foreign");
                ++ended;
                steps.success();
              });
    flow->add([](Steps& steps) { steps.wait_external(); });
    flow->execute();
    this->worker.run_until([&event] { return event.has_value(); });
    std::vector<std::jthread> callers;
    for (int i = 0; i < threads; ++i) {
      callers.emplace_back([copy = *event, i] {
        copy.success(i, std::string(50, 'x'));
        copy.error("Foreign", "info");
      });
    }
    run_shortly(this->worker, round % 4);
    if (round % 3 == 0) flow.reset();
    run_shortly(this->worker, round % 3);
    callers.clear();
    run_shortly(this->worker, 3);
    if (round % 3 != 0) EXPECT_EQ(flow->outcome(), Outcome::running);
    EXPECT_LE(ended, 1);
  }
}

// A case of FutoIn's tests.
TYPED_TEST(Threads, AnotherThreadEndsAWaitingStepByItsReference) {
  std::atomic<Steps*> waiting{nullptr};
  std::string got;
  TypeParam flow(this->worker);
  flow.loop([&](Steps& steps) {
    steps.add(
        [&](Steps& inner) {
          inner.set_timeout(1h);
          waiting = &inner;
          waiting.notify_one();
        },
        [](Steps& inner, ErrorCode code) {
          if (code != "Foreign") return;
          EXPECT_EQ(inner.state().error_info(), "info");
          inner.success(-1);
        });
    steps.add([&got](Steps& inner, int value) {
      got += std::to_string(value) + " ";
      inner.success();
    });
  });
  std::jthread other([&] {
    auto next = [&waiting]() -> Steps& {
      waiting.wait(nullptr);
      return *waiting.exchange(nullptr);
    };
    next().success(1);
    next().error_no_throw("Foreign", "info");
    next()(2);
    EXPECT_THROW(next().error("Foreign", "info"), ExtError);
    for (int i = 0; i < 50; ++i) next().continue_loop_no_throw();
    next().success(3);
    EXPECT_THROW(next().break_loop(), Error);
  });
  flow.execute();
  // While the worker does not run, the thread that ends a step acts in its place.
  while (flow.outcome() == Outcome::running) run_shortly(this->worker, 2);
  EXPECT_EQ(flow.outcome(), Outcome::succeeded);
  EXPECT_EQ(got, "1 -1 2 -1 3 ");
}

// Worker with its own thread, and flows that belong to other threads.
TYPED_TEST(Threads, FlowsOfOtherThreadsThanTheLoops) {
  bool stopped = false;
  std::atomic<int> done{0};
  std::jthread loop([&] { this->worker.run_until([&stopped] { return stopped; }); });
  {
    std::vector<std::jthread> owners;
    for (int t = 0; t < 4; ++t) {
      owners.emplace_back([&, t] {
        for (int round = 0; round < stress_rounds; ++round) {
          std::atomic<bool> ended{false};
          TypeParam flow(this->worker);
          flow.add([](Steps& steps) { steps.set_timeout(1h); }, [](Steps&, ErrorCode) {});
          if ((round + t) % 2 == 0) flow.cancel();  // drops it
          flow.repeat(10, [](Steps& steps, std::size_t i) {
            if (i % 4 == 0) steps.relinquish();
          });
          flow.add([&](Steps&) {
            ++done;
            ended = true;
            ended.notify_one();
          });
          flow.execute();
          if ((round + t) % 2 == 0) {
            ended.wait(false);
          } else {
            EXPECT_THROW(flow.execute(), Error);  // it runs
          }
        }
      });
    }
  }
  this->worker.post([&stopped] { stopped = true; });
  loop.join();
  EXPECT_EQ(done.load(), 2 * stress_rounds);
}

}  // namespace
}  // namespace drover::steps
