// sleep_for() and yield(). runtime_test.cpp tests the other guarantees of sleeps.
#include "coro/sleep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "coro/block_on.h"

namespace drover::coro {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

// Clock that advances by a microsecond at each reading.
class TickingClock final : public Clock {
 public:
  Instant now() const noexcept override { return now_ += 1us; }
  bool is_virtual() const noexcept override { return true; }
  void advance_to(Instant instant) noexcept override { now_ = std::max(now_, instant); }

 private:
  mutable Instant now_{};
};

TEST(SleepFor, IsNeverEarlyByTheClockReadAtTheCall) {
  TickingClock clock;
  Worker worker(clock);
  int slept = 0;
  auto task = [&](Duration duration) -> Task<void> {
    for (int i = 0; i < 100; ++i) {
      const Instant called = clock.now();
      co_await sleep_for(duration);
      EXPECT_GE(clock.now(), called + duration);
      ++slept;
    }
  };
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 300; ++i) scope.start(task(i * 1us));
    co_return;
  };
  block_on(worker, with_scope(body));
  EXPECT_EQ(slept, 300 * 100);
}

TEST(SleepFor, IsCancelledBeforeItsTimeHasBegun) {
  VirtualClock clock;
  Worker worker(clock);
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start([]() -> Task<void> { co_await sleep_for(1h); }());
    co_await yield();
    scope.cancel();
    co_return;
  };
  block_on(worker, with_scope(body));
  EXPECT_EQ(worker.timers().size(), 0U);
  EXPECT_EQ(clock.now(), Instant{});
}

class YieldTest : public testing::Test {
 protected:
  VirtualClock clock;
  Worker worker{clock};
};

TEST_F(YieldTest, LetsAllThatAreReadyRunFirst) {
  std::vector<int> order;
  auto task = [&](int number) -> Task<void> {
    for (int round = 0; round < 2; ++round) {
      order.push_back(number);
      co_await yield();
    }
  };
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 1; i <= 3; ++i) scope.start(task(i));
    co_return;
  };
  block_on(worker, with_scope(body));
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 1, 2, 3));
}

TEST_F(YieldTest, ALoopThatOnlyYieldsCanBeCancelled) {
  int rounds = 0;
  auto endless = [&]() -> Task<void> {
    for (;;) {
      if (++rounds == 1'000'000) co_return;  // not cancelled
      co_await yield();
    }
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(endless());
    for (int i = 0; i < 10; ++i) co_await yield();
    scope.cancel();
  };
  block_on(worker, with_scope(body));
  EXPECT_GE(rounds, 9);
  EXPECT_LE(rounds, 12);
}

TEST(SleepFor, OfAnyLengthIsNotEarly) {
  constexpr Duration ten_years = std::chrono::years(10);
  VirtualClock clock(Instant{} + ten_years);
  Worker worker(clock);
  auto sleeper = [&](auto duration, Instant least) -> Task<void> {
    co_await sleep_for(duration);
    EXPECT_GE(clock.now(), least);
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(sleeper(std::chrono::years(100), Instant{} + std::chrono::years(110)));
    scope.start(sleeper(Duration::max(), Instant::max()));
    scope.start(sleeper(std::chrono::years(1000), Instant::max()));
    scope.start(sleeper(std::chrono::hours::max(), Instant::max()));
    scope.start(sleeper(std::chrono::hours::min(), Instant{} + ten_years));
    co_return;
  };
  block_on(worker, with_scope(body));
  EXPECT_EQ(clock.now(), Instant::max());
  block_on(worker, sleeper(1h, Instant::max()));  // there is no later
}

}  // namespace
}  // namespace drover::coro
