// A task whose awaits never wait does not starve timers and other tasks.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "coro/block_on.h"
#include "coro/channel.h"
#include "coro/deadline.h"
#include "coro/event.h"
#include "coro/limiter.h"
#include "coro/scope.h"
#include "coro/semaphore.h"
#include "coro/sleep.h"

namespace drover::coro {
namespace {

using namespace std::chrono_literals;

constexpr int too_many = 1'000'000;

class Fairness : public testing::Test {
 protected:
  // The clock advances during the task, which never waits.
  bool goes_on() {
    clock.advance_to(clock.now() + 1us);
    return ++rounds < too_many;
  }

  void expect_deadline(const std::function<Task<void>()>& loop) {
    auto body = [&]() -> Task<void> {
      Task<void> task = loop();
      co_await with_deadline(clock.now() + 10ms, std::move(task));
    };
    EXPECT_THROW(block_on(worker, body()), DeadlineExceeded);
    EXPECT_LT(rounds, too_many);
  }

  VirtualClock clock;
  Worker worker{clock};
  int rounds = 0;
};

TEST_F(Fairness, OfAFreeMutex) {
  Mutex mutex;
  expect_deadline([&]() -> Task<void> {
    while (goes_on()) const auto lock = co_await mutex.lock();
  });
  EXPECT_FALSE(mutex.locked());
}

TEST_F(Fairness, OfALatchThatIsOpen) {
  Latch latch(0);
  auto other = [&]() -> Task<void> {
    co_await sleep_for(1ms);
    rounds = too_many;
  };
  auto waiter = [&]() -> Task<void> {
    while (goes_on()) co_await latch.wait();
    EXPECT_LT(clock.now(), Instant{} + 20ms);
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(other());
    scope.start(waiter());
    co_return;
  };
  block_on(worker, with_scope(body));
}

TEST_F(Fairness, OfAChannelWithRoom) {
  Channel<int> channel(1);
  int expected = 0;
  expect_deadline([&]() -> Task<void> {
    for (int i = 0; goes_on(); ++i) {
      co_await channel.send(i);
      EXPECT_EQ((co_await channel.receive()).value_or(-1), expected++);
    }
  });
}

TEST_F(Fairness, OfAClosedChannel) {
  Channel<int> channel(1);
  channel.close();
  expect_deadline([&]() -> Task<void> {
    while (goes_on()) {
      EXPECT_FALSE(co_await channel.receive());
      try {
        co_await channel.send(1);
      } catch (const ChannelClosed&) {
      }
    }
  });
}

TEST_F(Fairness, OfANotificationThatWasGiven) {
  Notification notification;
  expect_deadline([&]() -> Task<void> {
    while (goes_on()) {
      notification.notify();
      co_await notification.wait();
    }
  });
}

TEST_F(Fairness, OfALimiterThatLetsIn) {
  const Limiter::Options options{.rate = {.entries = 1'000'000, .period = 1ms}};
  Limiter limiter(options);
  expect_deadline([&]() -> Task<void> {
    while (goes_on()) const auto place = co_await limiter.enter();
  });
}

TEST_F(Fairness, OfAThrottleThatRejects) {
  const Rate rate{.entries = 1, .period = 1h};
  Throttle throttle(rate, 0);
  expect_deadline([&]() -> Task<void> {
    co_await throttle.enter();
    while (goes_on()) {
      try {
        co_await throttle.enter();
      } catch (const Rejected&) {
      }
    }
  });
}

// Awaiting a task under a cancelled source throws nothing, so that tasks can clean up, but lets
// other tasks run.
TEST_F(Fairness, OfTasksAndScopesThatDoNothing) {
  bool stop = false;
  auto nothing = []() -> Task<void> { co_return; };
  auto busy = [&]() -> Task<void> {
    Scope empty(worker);
    while (!stop && goes_on()) {
      co_await nothing();
      co_await empty.join();
    }
  };
  auto stopper = [&]() -> Task<void> {
    co_await sleep_for(10ms);
    stop = true;
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(busy());
    scope.start(stopper());
    co_return;
  };
  block_on(worker, with_scope(body));
  EXPECT_TRUE(stop);
  EXPECT_LT(rounds, too_many);
}

}  // namespace
}  // namespace drover::coro
