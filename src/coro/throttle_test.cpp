#include "coro/throttle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "coro/block_on.h"
#include "coro/deadline.h"
#include "coro/sleep.h"

namespace drover::coro {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr Duration tick = 8192ns;
constexpr Rate ten_a_second{.entries = 10, .period = 1s, .burst = 1};

class ThrottleTest : public testing::Test {
 protected:
  Task<void> enter(Throttle& throttle, int number) {
    co_await throttle.enter();
    order.push_back(number);
    entered_at.push_back(Worker::current().now() - Instant{});
  }

  VirtualClock clock;
  Worker worker{clock};
  std::vector<int> order;
  std::vector<Duration> entered_at;
};

TEST_F(ThrottleTest, LetsInAtTheRateInTheOrderOfAsking) {
  Throttle throttle(ten_a_second);
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 5; ++i) scope.start(enter(throttle, i));
    co_await yield();
    EXPECT_EQ(throttle.waiting(), 4U);
  };
  block_on(worker, with_scope(body));
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4));
  for (std::size_t i = 0; i < entered_at.size(); ++i) {
    const Duration due = static_cast<int>(i) * Duration(100ms);
    EXPECT_GE(entered_at[i], due);
    EXPECT_LE(entered_at[i], due + 2 * tick);
  }
}

// The interval is 3 1/3 µs, less than a timer's tick: neither roundings nor late timers add up.
TEST_F(ThrottleTest, AHundredThousandWaitersKeepTheRateExactly) {
  const Rate rate{.entries = 300'000, .period = 1s, .burst = 1};
  Throttle throttle(rate);
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i <= 100'000; ++i) scope.start(enter(throttle, i));
    co_return;
  };
  block_on(worker, with_scope(body));
  ASSERT_EQ(entered_at.size(), 100'001U);
  for (std::size_t i = 0; i < entered_at.size(); ++i) {
    const Duration due(static_cast<std::int64_t>(i) * 10'000 / 3);
    ASSERT_GE(entered_at[i], due);
    ASSERT_LE(entered_at[i], due + 2 * tick);
  }
}

TEST_F(ThrottleTest, ABurstComesAtOnce) {
  const Rate rate{.entries = 10, .period = 1s, .burst = 3};
  Throttle throttle(rate);
  auto body = [&](Scope& scope) -> Task<void> {
    co_await sleep_for(1h);  // saves up no more than the burst
    for (int i = 0; i < 4; ++i) scope.start(enter(throttle, i));
  };
  block_on(worker, with_scope(body));
  ASSERT_EQ(entered_at.size(), 4U);
  EXPECT_EQ(entered_at[2], entered_at[0]);
  EXPECT_GE(entered_at[3], entered_at[0] + 100ms);
  EXPECT_LE(entered_at[3], entered_at[0] + 100ms + 2 * tick);
}

TEST_F(ThrottleTest, ACancelledWaiterGivesItsPlaceToTheNext) {
  Throttle throttle(ten_a_second);
  auto impatient = [&]() -> Task<void> {
    EXPECT_THROW(co_await with_deadline(Worker::current().now() + 50ms, enter(throttle, 1)),
                 DeadlineExceeded);
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(enter(throttle, 0));
    scope.start(impatient());
    scope.start(enter(throttle, 2));
    co_return;
  };
  block_on(worker, with_scope(body));
  EXPECT_THAT(order, ElementsAre(0, 2));
  EXPECT_LE(entered_at[1], 100ms + 2 * tick);  // and not 200 ms
}

TEST_F(ThrottleTest, AQueueThatWasCancelledLeavesNoTimerBehind) {
  Throttle throttle(ten_a_second);
  auto patient = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 100; ++i) scope.start(enter(throttle, i));
    co_await yield();
    EXPECT_EQ(Worker::current().timers().size(), 1U);  // one for all of them
    scope.cancel();
  };
  auto body = [&]() -> Task<void> {
    co_await with_scope(patient);
    EXPECT_EQ(throttle.waiting(), 0U);
    EXPECT_EQ(Worker::current().timers().size(), 0U);
    co_await enter(throttle, 100);
  };
  block_on(worker, body());
  EXPECT_THAT(order, ElementsAre(0, 100));
  EXPECT_LE(clock.now(), Instant{} + 100ms + 2 * tick);
}

// The canceller's timer is older: it fires first in the same tick, and cancels when the other has
// been let in as well, but not yet run.
TEST_F(ThrottleTest, AWaiterThatIsCancelledAfterItEnteredHasEntered) {
  Throttle throttle(ten_a_second);
  auto canceller = [&](Scope& scope) -> Task<void> {
    co_await sleep_until(Instant{} + 100ms);
    order.push_back(-1);
    scope.cancel();
  };
  auto doomed = [&](Scope& scope) -> Task<void> {
    scope.start(canceller(scope));
    scope.start(enter(throttle, 1));
    co_return;
  };
  auto body = [&]() -> Task<void> {
    co_await enter(throttle, 0);
    co_await with_scope(doomed);
    co_await enter(throttle, 2);
  };
  block_on(worker, body());
  EXPECT_THAT(order, ElementsAre(0, -1, 1, 2));
  EXPECT_GE(entered_at[2], 200ms);
}

TEST_F(ThrottleTest, AFullQueueRejectsWithATypedError) {
  Throttle throttle(ten_a_second, 2);
  std::string message;
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 3; ++i) scope.start(enter(throttle, i));
    co_await yield();
    EXPECT_EQ(throttle.waiting(), 2U);
    try {
      co_await throttle.enter();
    } catch (const Rejected& rejected) {
      message = rejected.what();
    }
  };
  block_on(worker, with_scope(body));
  EXPECT_EQ(message, "rejected: 2 tasks may wait here, and do");
  EXPECT_THAT(order, ElementsAre(0, 1, 2));  // who was rejected has not taken anything
  EXPECT_LE(clock.now(), Instant{} + 200ms + 2 * tick);
}

TEST_F(ThrottleTest, WithoutAQueueOneEntersAtOnceOrNotAtAll) {
  Throttle throttle(ten_a_second, 0);
  auto body = [&]() -> Task<void> {
    co_await throttle.enter();
    EXPECT_THROW(co_await throttle.enter(), Rejected);
    co_await sleep_for(100ms);
    co_await throttle.enter();
  };
  block_on(worker, body());
  EXPECT_LE(clock.now(), Instant{} + 100ms + 2 * tick);
}

TEST_F(ThrottleTest, ACancelledTaskDoesNotEnter) {
  Throttle throttle(ten_a_second);
  auto cancelled = [&](Scope& scope) -> Task<void> {
    scope.cancel();
    EXPECT_THROW(co_await throttle.enter(), Cancelled);
  };
  auto body = [&]() -> Task<void> {
    co_await with_scope(cancelled);
    co_await enter(throttle, 1);
  };
  block_on(worker, body());
  EXPECT_THAT(entered_at, ElementsAre(Duration(0)));
}

// The first one's time has come, but its timer has not fired yet when another asks.
TEST_F(ThrottleTest, NobodyBargesInBeforeALateTimer) {
  Throttle throttle(ten_a_second);
  auto body = [&](Scope& scope) -> Task<void> {
    co_await throttle.enter();
    scope.start(enter(throttle, 1));
    co_await yield();
    clock.advance_to(clock.now() + 150ms);
    co_await enter(throttle, 2);
  };
  block_on(worker, with_scope(body));
  EXPECT_THAT(order, ElementsAre(1, 2));
}

// A worker that was busy for ten seconds makes up for a millisecond, not for a hundred entries.
TEST_F(ThrottleTest, AStallIsNotFollowedByABurst) {
  Throttle throttle(ten_a_second);
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 10; ++i) scope.start(enter(throttle, i));
    co_await yield();
    clock.advance_to(clock.now() + 10s);
  };
  block_on(worker, with_scope(body));
  ASSERT_EQ(entered_at.size(), 10U);
  EXPECT_GE(entered_at[1], 10s);
  for (std::size_t i = 2; i < 10; ++i) EXPECT_GE(entered_at[i] - entered_at[i - 1], 99ms);
}

TEST_F(ThrottleTest, RefusesARateOfNothing) {
  const Rate nothing{.entries = 0};
  EXPECT_THROW(Throttle{nothing}, std::invalid_argument);
}

}  // namespace
}  // namespace drover::coro
