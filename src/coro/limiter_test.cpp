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
  EXPECT_LE(clock.now(), Instant{} + 3s + 6 * tick);
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
    EXPECT_LE(entered_at[i], static_cast<int>(i) * Duration(100ms) + 2 * tick);
  }
}

// The place is free at 50 ms, the rate at 100; then the rate at 200 ms, the place at 400.
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
  EXPECT_LE(entered_at[1], 100ms + 2 * tick);
  EXPECT_GE(entered_at[2], 400ms);
  EXPECT_LE(entered_at[2], 400ms + 4 * tick);
  // The rate has not been saved up while there was no place.
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
  EXPECT_LE(entered_at[1], 100ms + 2 * tick);
}

// The place has been handed over, but the task has not run yet when it is cancelled.
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
    // Any six span an interval, but for what late timers are made up for.
    ASSERT_GE(entered_at[i] - entered_at[i - 5], Duration(1ms) - 2 * tick);
  }
}

TEST_F(LimiterTest, RefusesToLetNobodyIn) {
  const Limiter::Options no_place{.concurrent = 0, .rate = ten_a_second};
  EXPECT_THROW(Limiter{no_place}, std::invalid_argument);
  const Limiter::Options no_rate{.concurrent = 1, .rate = {.entries = 0}};
  EXPECT_THROW(Limiter{no_rate}, std::invalid_argument);
}

// leave() lets in the one for whom the timer was armed: nothing may be left of that.
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

}  // namespace
}  // namespace drover::coro
