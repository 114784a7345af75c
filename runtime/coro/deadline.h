// Deadlines: instants at which a task is cancelled. The earliest of nested deadlines applies.
#pragma once

#include <stdexcept>
#include <utility>

#include "coro/cancellation.h"
#include "coro/clock.h"
#include "coro/task.h"
#include "coro/timer_wheel.h"
#include "coro/worker.h"

namespace drover::coro {

class DeadlineExceeded : public std::runtime_error {
 public:
  DeadlineExceeded() : std::runtime_error("deadline exceeded") {}
};

namespace detail {

// Cancels a source at an instant, unless the timer is destroyed before.
class DeadlineTimer final : TimerNode {
 public:
  DeadlineTimer(CancelSource& source, Instant deadline) noexcept : source_(source) {
    source.worker().timers().add(*this, deadline);
  }
  ~DeadlineTimer() { source_.worker().timers().remove(*this); }

  bool fired() const noexcept { return fired_; }

 private:
  void on_timer() noexcept override {
    fired_ = true;
    source_.cancel();
  }

  CancelSource& source_;
  bool fired_ = false;
};

}  // namespace detail

// Awaits `task`. At `deadline` cancels it, waits until it has ended, and throws DeadlineExceeded.
// If the task returns a result all the same, returns that. A cancellation from outside throws
// Cancelled.
template <class T>
Task<T> with_deadline(Instant deadline, Task<T> task) {
  CancelSource& outer = co_await current_source();
  CancelSource source(outer);
  detail::DeadlineTimer timer(source, deadline);
  try {
    co_return co_await std::move(task).under(source);
  } catch (const Cancelled&) {
    if (!timer.fired() || outer.cancelled()) throw;
  }
  throw DeadlineExceeded();
}

}  // namespace drover::coro
