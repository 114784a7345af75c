// Flows and other threads, for both engines.
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "coro/promise.h"
#include "steps/flow_fixture.h"

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

// Case 7.
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

// Case 21.
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

// Case 28, as far as the worker is the tool: it has no handles of its own to cancel.
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

}  // namespace
}  // namespace drover::steps
