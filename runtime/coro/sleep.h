// Sleeping on the worker's timers. A sleep never ends early, by the clock read at the call.
//
// sleep_for() reads no clock: its time begins with the worker's next look at it, at most
// Worker::undated_budget resumptions later. Where that matters, sleep until an instant. What is too
// long for the clock sleeps until its last instant, 292 years after the epoch.
#pragma once

#include "coro/awaiter.h"
#include "coro/clock.h"
#include "coro/timer_wheel.h"

namespace drover::coro {

namespace detail {

inline void arm(TimerWheel& timers, TimerNode& node, Instant until) noexcept {
  timers.add(node, until);
}
inline void arm(TimerWheel& timers, TimerNode& node, Duration duration) noexcept {
  timers.add_undated(node, duration);
}

// `Until` is an instant or a duration; `Report` turns "cancelled" into what the await hands back.
template <class Until, class Report>
class SleepAwaiter final : Awaiter, TimerNode {
 public:
  explicit SleepAwaiter(Until until) noexcept : until_(until) {}

  bool await_ready() const noexcept { return false; }

  template <DroverPromise Promise>
  bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
    if (!suspend(awaiting)) return false;
    arm(Worker::current().timers(), *this, until_);
    return true;
  }

  auto await_resume() const { return Report{}(cancelled()); }

 private:
  void on_timer() noexcept override { complete(); }
  void abandon() noexcept override { Worker::current().timers().remove(*this); }

  Until until_;
};

struct ThrowCancelled {
  void operator()(bool cancelled) const {
    if (cancelled) throw Cancelled{};
  }
};

struct SayWhetherSlept {
  bool operator()(bool cancelled) const noexcept { return !cancelled; }
};

using SleepUntil = SleepAwaiter<Instant, ThrowCancelled>;
using SleepFor = SleepAwaiter<Duration, ThrowCancelled>;
using UncancelledSleep = SleepAwaiter<Instant, SayWhetherSlept>;

}  // namespace detail

inline detail::SleepUntil sleep_until(Instant instant) noexcept {
  return detail::SleepUntil(instant);
}

template <class Count, class Unit>
detail::SleepFor sleep_for(std::chrono::duration<Count, Unit> duration) noexcept {
  return detail::SleepFor(saturated(duration));
}

// `if (!co_await slept_until(t)) co_return;` — says false when cancelled, and throws nothing. For
// code in which very many tasks are cancelled at a time.
[[nodiscard]] inline detail::UncancelledSleep slept_until(Instant instant) noexcept {
  return detail::UncancelledSleep(instant);
}

namespace detail {

struct YieldAwaiter {
  bool await_ready() const noexcept { return false; }

  template <DroverPromise Promise>
  bool await_suspend(std::coroutine_handle<Promise> awaiting) {
    cancelled = awaiting.promise().source->cancelled();
    if (cancelled) return false;
    Worker::current().ready(awaiting);
    return true;
  }

  void await_resume() const {
    if (cancelled) throw Cancelled{};
  }

  bool cancelled = false;
};

}  // namespace detail

// Lets every task that is ready now run before this one goes on. Throws Cancelled under a cancelled
// source, so a loop that only computes and yields can be cancelled.
inline detail::YieldAwaiter yield() noexcept {
  return {};
}

}  // namespace drover::coro
