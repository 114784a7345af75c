// Sleeps on the worker's timers, and yield(). A sleep never ends early.
//
// sleep_for() does not read the clock: its time begins when the worker next reads it, at most
// Worker::undated_budget resumptions later. sleep_until() is exact. A sleep beyond the clock's
// range ends at its last instant, 292 years after the epoch.
#pragma once

#include "coro/awaiter.h"
#include "coro/clock.h"
#include "coro/timer_wheel.h"

namespace drover::coro {

namespace detail {

// Sleeps until an instant or for a duration. The await throws Cancelled, or, unless `throws`,
// returns false if it was cancelled.
template <class Until, bool throws>
class SleepAwaiter final : public Awaiter, TimerNode {
 public:
  explicit SleepAwaiter(Until until) noexcept : until_(until) {}

  template <DroverPromise Promise>
  bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
    if (!suspend(awaiting)) return false;
    Worker::current().timers().add(*this, until_);
    return true;
  }

  auto await_resume() const noexcept(!throws) {
    if constexpr (throws) {
      throw_if_cancelled();
    } else {
      return !cancelled();
    }
  }

 private:
  void on_timer() noexcept override { complete(); }
  void abandon() noexcept override { Worker::current().timers().remove(*this); }

  Until until_;
};

struct YieldAwaiter {
  bool await_ready() const noexcept { return false; }

  template <DroverPromise Promise>
  bool await_suspend(std::coroutine_handle<Promise> awaiting) {
    cancelled = awaiting.promise().source->cancelled();
    if (!cancelled) Worker::current().ready(awaiting);
    return !cancelled;
  }

  void await_resume() const {
    if (cancelled) throw Cancelled{};
  }

  bool cancelled = false;
};

}  // namespace detail

inline detail::SleepAwaiter<Instant, true> sleep_until(Instant instant) noexcept {
  return detail::SleepAwaiter<Instant, true>(instant);
}

template <class Count, class Unit>
detail::SleepAwaiter<Duration, true> sleep_for(
    std::chrono::duration<Count, Unit> duration) noexcept {
  return detail::SleepAwaiter<Duration, true>(saturated(duration));
}

// `if (!co_await slept_until(t)) co_return;` returns false if it is cancelled, and throws nothing.
// For code of which very many tasks are cancelled at a time.
[[nodiscard]] inline detail::SleepAwaiter<Instant, false> slept_until(Instant instant) noexcept {
  return detail::SleepAwaiter<Instant, false>(instant);
}

// Lets all tasks that are ready now run first. Throws Cancelled under a cancelled source, so a loop
// that only computes and yields can be cancelled.
inline detail::YieldAwaiter yield() noexcept {
  return {};
}

}  // namespace drover::coro
