// Compares the wheel with a sorted map, for random timers from microseconds to days.
#include "coro/timer_wheel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <vector>

namespace drover::coro {
namespace {

using namespace std::chrono_literals;

constexpr Duration tick = 8192ns;

struct Timer final : TimerNode {
  void on_timer() noexcept override {
    fired_at = *now;
    ++fired;
  }
  const Instant* now = nullptr;
  Instant fired_at{};
  int fired = 0;
};

class Wheel : public testing::Test {
 protected:
  Instant now = Instant{} + 12'345'678'901ns;
  TimerWheel wheel{now};
};

TEST_F(Wheel, AnEmptyOneHasNoNextExpiry) {
  EXPECT_FALSE(wheel.next_expiry());
  wheel.expire(now + 100h);
  EXPECT_EQ(wheel.size(), 0U);
}

TEST_F(Wheel, FollowingNextExpiryFiresEachTimerInTimeAndOnce) {
  std::mt19937_64 random(1);
  std::vector<std::unique_ptr<Timer>> timers;
  for (int i = 0; i < 20'000; ++i) {
    const int bits = static_cast<int>(random() % 48);  // up to 3 days
    const Duration delay(static_cast<std::int64_t>(random() & ((1ULL << bits) - 1)));
    timers.push_back(std::make_unique<Timer>());
    timers.back()->now = &now;
    wheel.add(*timers.back(), now + delay);
  }
  Instant last = now;
  while (const auto next = wheel.next_expiry()) {
    ASSERT_GE(*next, last);
    now = last = *next;
    wheel.expire(now);
  }
  EXPECT_EQ(wheel.size(), 0U);
  for (const auto& timer : timers) {
    ASSERT_EQ(timer->fired, 1);
    ASSERT_GE(timer->fired_at, timer->deadline());
    ASSERT_LE(timer->fired_at, timer->deadline() + 2 * tick);
  }
}

TEST_F(Wheel, WithAddingRemovingAndJumpsItAgreesWithASortedList) {
  std::mt19937_64 random(2);
  std::vector<std::unique_ptr<Timer>> timers;
  for (int round = 0; round < 20'000; ++round) {
    switch (random() % 4) {
      case 0:
      case 1: {
        timers.push_back(std::make_unique<Timer>());
        timers.back()->now = &now;
        const int bits = static_cast<int>(random() % 40);
        wheel.add(*timers.back(),
                  now + Duration(static_cast<std::int64_t>(random() & ((1ULL << bits) - 1))));
        break;
      }
      case 2: {
        if (timers.empty()) break;
        Timer& victim = *timers[random() % timers.size()];
        if (victim.fired == 0 && victim.armed()) {
          wheel.remove(victim);
          victim.fired = -1;
        }
        break;
      }
      default: {
        const int bits = static_cast<int>(random() % 36);
        now += Duration(static_cast<std::int64_t>(random() & ((1ULL << bits) - 1)));
        wheel.expire(now);
        for (const auto& timer : timers) {
          if (timer->fired == -1) continue;
          if (timer->fired == 0) ASSERT_GT(timer->deadline() + 2 * tick, now);
          if (timer->fired == 1) ASSERT_GE(timer->fired_at, timer->deadline());
          ASSERT_LE(timer->fired, 1);
        }
        std::erase_if(timers, [](const auto& timer) { return timer->fired != 0; });
      }
    }
    const auto armed = std::count_if(timers.begin(), timers.end(),
                                     [](const auto& timer) { return timer->armed(); });
    ASSERT_EQ(wheel.size(), static_cast<std::size_t>(armed));
  }
  for (const auto& timer : timers) wheel.remove(*timer);
}

TEST_F(Wheel, RemovingTwiceOrAfterFiringIsHarmless) {
  Timer timer;
  timer.now = &now;
  wheel.add(timer, now + 1ms);
  wheel.remove(timer);
  wheel.remove(timer);
  EXPECT_EQ(wheel.size(), 0U);
  wheel.add(timer, now + 1ms);
  now += 2ms;
  wheel.expire(now);
  wheel.remove(timer);
  EXPECT_EQ(timer.fired, 1);
}

TEST_F(Wheel, TheUndatedCountFromTheirDating) {
  Timer timer;
  Timer removed;
  timer.now = removed.now = &now;
  wheel.add(timer, 1ms);
  wheel.add(removed, 1ms);
  EXPECT_TRUE(timer.armed());
  EXPECT_EQ(wheel.size(), 2U);
  wheel.remove(removed);
  EXPECT_TRUE(wheel.has_undated());
  now += 5ms;
  wheel.date(now);
  EXPECT_FALSE(wheel.has_undated());
  EXPECT_EQ(wheel.size(), 1U);
  EXPECT_EQ(timer.deadline(), now + 1ms);
  wheel.expire(now + 999us);
  EXPECT_EQ(timer.fired, 0);
  now += 1ms + tick;
  wheel.expire(now);
  EXPECT_EQ(timer.fired, 1);
  EXPECT_EQ(removed.fired, 0);
}

TEST_F(Wheel, AnUndatedTimerOfNoTimeFiresAfterItsDating) {
  Timer timer;
  timer.now = &now;
  wheel.add(timer, 0ns);
  wheel.date(now);
  now += 2 * tick;
  wheel.expire(now);
  EXPECT_EQ(timer.fired, 1);
}

TEST_F(Wheel, WhatIsOverdueFiresAtOnce) {
  Timer timer;
  timer.now = &now;
  wheel.add(timer, now - 1h);
  now += 2 * tick;
  wheel.expire(now);
  EXPECT_EQ(timer.fired, 1);
}

// Includes the first and the last instant.
TEST_F(Wheel, NoDeadlineIsTooFarAway) {
  const std::vector<Instant> deadlines = {
      now + std::chrono::years(72), now + std::chrono::years(74), now + std::chrono::years(200),
      Instant::max() - 1h,          Instant::max() - 1ns,         Instant::max()};
  std::vector<std::unique_ptr<Timer>> timers;
  for (const Instant deadline : deadlines) {
    timers.push_back(std::make_unique<Timer>());
    timers.back()->now = &now;
    wheel.add(*timers.back(), deadline);
  }
  while (const auto next = wheel.next_expiry()) {
    ASSERT_GE(*next, now);
    now = *next;
    wheel.expire(now);
  }
  for (std::size_t i = 0; i < timers.size(); ++i) {
    EXPECT_EQ(timers[i]->fired, 1);
    EXPECT_GE(timers[i]->fired_at, deadlines[i]);
    EXPECT_LE(timers[i]->fired_at - deadlines[i], 2 * tick);
  }
}

TEST_F(Wheel, AtTheEndOfTimeEverythingIsDue) {
  now = Instant::max();
  wheel.expire(now);
  for (int round = 0; round < 3; ++round) {
    Timer timer;
    timer.now = &now;
    wheel.add(timer, now);
    EXPECT_EQ(wheel.next_expiry(), now);
    wheel.expire(now);
    EXPECT_EQ(timer.fired, 1);
  }
}

TEST(WheelBeforeTheEpoch, FiresInTimeAsWell) {
  Instant now = Instant::min();
  TimerWheel wheel(now);
  for (const Duration delay : {Duration(1ms), Duration(1h), Duration::max()}) {
    Timer timer;
    timer.now = &now;
    const Instant deadline = now + delay;
    wheel.add(timer, deadline);
    while (const auto next = wheel.next_expiry()) wheel.expire(now = *next);
    EXPECT_GE(timer.fired_at, deadline);
    EXPECT_LE(timer.fired_at - deadline, 2 * tick);
  }
}

TEST_F(Wheel, AnUndatedTimerOfAnyLengthIsDatedWithoutOverflow) {
  Timer timer;
  timer.now = &now;
  wheel.add(timer, Duration::max());
  wheel.date(now);
  EXPECT_EQ(timer.deadline(), Instant::max());
  wheel.expire(now + 1h);
  EXPECT_EQ(timer.fired, 0);
  wheel.remove(timer);
}

}  // namespace
}  // namespace drover::coro
