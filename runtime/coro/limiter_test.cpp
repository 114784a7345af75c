#include "coro/limiter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
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

constexpr Duration timer_tick = 8192ns;
constexpr Rate ten_a_second{.entries = 10, .period = 1s, .burst = 1};
constexpr Rate any_rate{.entries = 1'000'000, .period = 1s, .burst = 1000};

class LimiterTest : public testing::Test {
 protected:
  Task<void> use(Limiter& limiter, int number, Duration duration) {
    const auto place = co_await limiter.enter();
    inside_max = std::max(inside_max, ++inside);
    order.push_back(number);
    entered_at.push_back(Worker::current().now() - Instant{});
    const bool slept = co_await slept_until(Worker::current().now() + duration);
    --inside;
    if (!slept) throw Cancelled{};
  }

  VirtualClock clock;
  Worker worker{clock};
  int inside = 0;
  int inside_max = 0;
  std::vector<int> order;
  std::vector<Duration> entered_at;
};

TEST_F(LimiterTest, PlacesAloneLimit) {
  const Limiter::Options options{.concurrent = 2, .rate = any_rate};
  Limiter limiter(options);
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 6; ++i) scope.start(use(limiter, i, 1s));
    co_return;
  };
  block_on(worker, with_scope(body));
  EXPECT_EQ(inside_max, 2);
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_GE(clock.now(), Instant{} + 3s);
  EXPECT_LE(clock.now(), Instant{} + 3s + 6 * timer_tick);
  EXPECT_EQ(limiter.free_places(), 2U);
}

TEST_F(LimiterTest, WaitingForAPlaceTakesNoTimer) {
  const Limiter::Options options{.concurrent = 1, .rate = any_rate};
  Limiter limiter(options);
  auto body = [&](Scope& scope) -> Task<void> {
    std::optional<Limiter::Place> place(co_await limiter.enter());
    scope.start(use(limiter, 1, 1ms));
    co_await sleep_for(1s);
    EXPECT_EQ(limiter.waiting(), 1U);
    EXPECT_EQ(Worker::current().timers().size(), 0U);
    place.reset();
  };
  block_on(worker, with_scope(body));
  EXPECT_THAT(order, ElementsAre(1));
}

TEST_F(LimiterTest, TheRateAloneLimits) {
  const Limiter::Options options{.concurrent = 100, .rate = ten_a_second};
  Limiter limiter(options);
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 5; ++i) scope.start(use(limiter, i, 1ms));
    co_return;
  };
  block_on(worker, with_scope(body));
  EXPECT_EQ(inside_max, 1);
  for (std::size_t i = 0; i < entered_at.size(); ++i) {
    EXPECT_GE(entered_at[i], static_cast<int>(i) * Duration(100ms));
    EXPECT_LE(entered_at[i], static_cast<int>(i) * Duration(100ms) + 2 * timer_tick);
  }
}

// The place is free at 50 ms and the rate admits at 100 ms, then the rate at 200 ms and the place
// at 400.
TEST_F(LimiterTest, TheHeadWaitsForBoth) {
  const Limiter::Options options{.concurrent = 1, .rate = ten_a_second};
  Limiter limiter(options);
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(use(limiter, 0, 50ms));
    scope.start(use(limiter, 1, 300ms));
    scope.start(use(limiter, 2, 1ms));
    scope.start(use(limiter, 3, 1ms));
    co_return;
  };
  block_on(worker, with_scope(body));
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
  EXPECT_GE(entered_at[1], 100ms);
  EXPECT_LE(entered_at[1], 100ms + 2 * timer_tick);
  EXPECT_GE(entered_at[2], 400ms);
  EXPECT_LE(entered_at[2], 400ms + 4 * timer_tick);
  // The rate was not saved up while no place was free.
  EXPECT_GE(entered_at[3], entered_at[2] + 100ms);
}

TEST_F(LimiterTest, AFullQueueRejectsWithATypedError) {
  const Limiter::Options options{.concurrent = 1, .rate = any_rate, .queue_limit = 1};
  Limiter limiter(options);
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(use(limiter, 0, 1s));
    scope.start(use(limiter, 1, 1s));
    co_await yield();
    EXPECT_EQ(limiter.waiting(), 1U);
    EXPECT_THROW(co_await use(limiter, 2, 1s), Rejected);
  };
  block_on(worker, with_scope(body));
  EXPECT_THAT(order, ElementsAre(0, 1));
  EXPECT_EQ(limiter.free_places(), 1U);
}

TEST_F(LimiterTest, ACancelledWaiterTakesNothing) {
  const Limiter::Options options{.concurrent = 1, .rate = ten_a_second};
  Limiter limiter(options);
  auto impatient = [&]() -> Task<void> {
    EXPECT_THROW(co_await with_deadline(Worker::current().now() + 50ms, use(limiter, 1, 1s)),
                 DeadlineExceeded);
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(use(limiter, 0, 1ms));
    scope.start(impatient());
    scope.start(use(limiter, 2, 1ms));
    co_return;
  };
  block_on(worker, with_scope(body));
  EXPECT_THAT(order, ElementsAre(0, 2));
  EXPECT_LE(entered_at[1], 100ms + 2 * timer_tick);
}

// The cancellation comes after the place was handed over, but before the task is resumed.
TEST_F(LimiterTest, AWaiterThatIsCancelledAfterItEnteredGivesThePlaceBack) {
  const Limiter::Options options{.concurrent = 1, .rate = any_rate};
  Limiter limiter(options);
  auto doomed = [&](Scope& scope) -> Task<void> {
    std::optional<Limiter::Place> place(co_await limiter.enter());
    scope.start(use(limiter, 1, 1h));
    co_await sleep_for(1s);
    place.reset();
    EXPECT_EQ(limiter.waiting(), 0U);
    EXPECT_EQ(limiter.free_places(), 0U);
    scope.cancel();
  };
  block_on(worker, with_scope(doomed));
  EXPECT_THAT(order, ElementsAre(1));
  EXPECT_EQ(limiter.free_places(), 1U);
  EXPECT_LT(clock.now(), Instant{} + 2s);
}

TEST_F(LimiterTest, AThousandTasksWithDeadlinesKeepBothLimits) {
  constexpr std::size_t places = 7;
  const Rate rate{.entries = 1000, .period = 1s, .burst = 5};
  const Limiter::Options options{.concurrent = places, .rate = rate, .queue_limit = 100};
  Limiter limiter(options);
  std::mt19937_64 random(4);
  int through = 0;
  int late = 0;
  int rejected = 0;
  auto some_time = [&random](std::uint64_t ms) {
    return Duration(static_cast<std::int64_t>(random() % (ms * 1'000'000)));
  };
  auto user = [&](int number) -> Task<void> {
    for (int round = 0; round < 5; ++round) {
      co_await sleep_for(some_time(1000));
      const Instant deadline = Worker::current().now() + some_time(400);
      try {
        co_await with_deadline(deadline, use(limiter, number, some_time(12)));
        ++through;
      } catch (const DeadlineExceeded&) {
        ++late;
      } catch (const Rejected&) {
        ++rejected;
      }
    }
  };
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 1000; ++i) scope.start(user(i));
    co_return;
  };
  block_on(worker, with_scope(body));
  EXPECT_EQ(through + late + rejected, 5000);
  EXPECT_GT(through, 1000);
  EXPECT_GT(late, 0);
  EXPECT_GT(rejected, 0);
  EXPECT_EQ(inside_max, static_cast<int>(places));
  EXPECT_EQ(limiter.free_places(), places);
  EXPECT_EQ(limiter.waiting(), 0U);
  for (std::size_t i = 5; i < entered_at.size(); ++i) {
    // Any six entries span an interval, less the lateness that is made up.
    ASSERT_GE(entered_at[i] - entered_at[i - 5], Duration(1ms) - 2 * timer_tick);
  }
}

TEST_F(LimiterTest, RefusesToLetNobodyIn) {
  const Limiter::Options no_place{.concurrent = 0, .rate = ten_a_second};
  EXPECT_THROW(Limiter{no_place}, std::invalid_argument);
  const Limiter::Options no_rate{.concurrent = 1, .rate = {.entries = 0}};
  EXPECT_THROW(Limiter{no_rate}, std::invalid_argument);
}

// Leaving admits the task for which the timer was armed, so the timer must be removed.
TEST_F(LimiterTest, IsDestroyedInTheTurnInWhichTheLastWaiterWasLetIn) {
  const Limiter::Options options{.concurrent = 2, .rate = ten_a_second};
  auto limiter = std::make_unique<Limiter>(options);
  auto enter_once = [&]() -> Task<void> { const auto place = co_await limiter->enter(); };
  auto body = [&](Scope& scope) -> Task<void> {
    std::optional<Limiter::Place> place(co_await limiter->enter());
    scope.start(enter_once());
    co_await yield();
    EXPECT_EQ(worker.timers().size(), 1U);
    clock.advance_to(clock.now() + 100ms);  // and the timer has not fired yet
    place.reset();
    EXPECT_EQ(limiter->waiting(), 0U);
    EXPECT_EQ(worker.timers().size(), 0U);
    co_await yield();
    EXPECT_EQ(limiter->free_places(), 2U);
    limiter.reset();
    co_await sleep_for(1s);
  };
  block_on(worker, with_scope(body));
}

TEST_F(LimiterTest, IsDestroyedInTheTurnInWhichTheLastWaiterWasCancelled) {
  const Limiter::Options options{.concurrent = 2, .rate = ten_a_second};
  auto limiter = std::make_unique<Limiter>(options);
  auto enter_once = [&]() -> Task<void> { const auto place = co_await limiter->enter(); };
  auto body = [&](Scope& scope) -> Task<void> {
    co_await enter_once();
    scope.start(use(*limiter, 1, 1s));
    co_await yield();
    scope.cancel();
    limiter.reset();
    EXPECT_EQ(worker.timers().size(), 0U);
  };
  block_on(worker, with_scope(body));
  EXPECT_THAT(order, ElementsAre());
}

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
    EXPECT_LE(entered_at[i], due + 2 * timer_tick);
  }
}

// The interval of 3 1/3 µs is below a timer's tick. Neither rounding nor lateness adds up.
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
    ASSERT_LE(entered_at[i], due + 2 * timer_tick);
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
  EXPECT_LE(entered_at[3], entered_at[0] + 100ms + 2 * timer_tick);
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
  EXPECT_LE(entered_at[1], 100ms + 2 * timer_tick);  // and not 200 ms
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
  EXPECT_LE(clock.now(), Instant{} + 100ms + 2 * timer_tick);
}

// The canceller's timer is older, so it fires first in the same tick. Its task cancels the second
// task after that was admitted, but before it is resumed.
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
  EXPECT_LE(clock.now(), Instant{} + 200ms + 2 * timer_tick);
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
  EXPECT_LE(clock.now(), Instant{} + 100ms + 2 * timer_tick);
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

// A second task enters when the first one is due, but before its timer has fired.
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

// A worker that was busy for ten seconds makes up for one millisecond, not for a hundred entries.
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
