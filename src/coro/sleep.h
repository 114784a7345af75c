// Sleeping on the worker's timers. A sleep never ends early, by the clock read at the call.
#pragma once

#include "coro/awaiter.h"
#include "coro/clock.h"
#include "coro/timer_wheel.h"

namespace drover::coro {

namespace detail {

// `Report` turns "cancelled" into what the await hands back.
template <class Report>
class SleepAwaiter final : Awaiter, TimerNode {
 public:
  explicit SleepAwaiter(Instant until) noexcept : until_(until) {}

  bool await_ready() const noexcept { return false; }

  template <DroverPromise Promise>
  bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
    if (!suspend(awaiting)) return false;
    Worker::current().timers().add(*this, until_);
    return true;
  }

  auto await_resume() const { return Report{}(cancelled()); }

 private:
  void on_timer() noexcept override { complete(); }
  void abandon() noexcept override { Worker::current().timers().remove(*this); }

  Instant until_;
};

struct ThrowCancelled {
  void operator()(bool cancelled) const {
    if (cancelled) throw Cancelled{};
  }
};

struct SayWhetherSlept {
  bool operator()(bool cancelled) const noexcept { return !cancelled; }
};

using Sleep = SleepAwaiter<ThrowCancelled>;
using UncancelledSleep = SleepAwaiter<SayWhetherSlept>;

}  // namespace detail

inline detail::Sleep sleep_until(Instant instant) noexcept {
  return detail::Sleep(instant);
}

inline detail::Sleep sleep_for(Duration duration) noexcept {
  return detail::Sleep(Worker::current().now() + duration);
}

// `if (!co_await slept_until(t)) co_return;` — says false when cancelled, and throws nothing. For
// code in which very many tasks are cancelled at a time.
[[nodiscard]] inline detail::UncancelledSleep slept_until(Instant instant) noexcept {
  return detail::UncancelledSleep(instant);
}

namespace detail {

struct YieldAwaiter {
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> awaiting) const { Worker::current().ready(awaiting); }
  void await_resume() const noexcept {}
};

}  // namespace detail

// Lets every task that is ready now run before this one goes on.
inline detail::YieldAwaiter yield() noexcept {
  return {};
}

}  // namespace drover::coro
