// Signals between the tasks of one worker: Event, Latch and Notification. Not thread-safe.
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>

#include "coro/awaiter.h"

namespace drover::coro {

// Signal that stays set: resumes all tasks that wait for it, and later waits return at once.
class Event : Pinned {
 public:
  ~Event() { assert(waiters_.empty()); }

  class WaitAwaiter final : public Waiter {
   public:
    explicit WaitAwaiter(Event& event) noexcept : event_(event) {}
    bool await_ready() const noexcept { return event_.set_ && detail::may_continue(); }

    template <DroverPromise Promise>
    bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
      if (event_.set_) return detail::queue_behind(awaiting);
      return wait_unless(awaiting, event_.waiters_, [] { return false; });
    }

   private:
    Event& event_;
  };

  void set() noexcept {
    set_ = true;
    waiters_.wake_all();
  }

  bool is_set() const noexcept { return set_; }

  WaitAwaiter wait() noexcept { return WaitAwaiter(*this); }

 private:
  bool set_ = false;
  WaiterQueue waiters_;
};

// Event that is set when its count has come down to zero.
class Latch {
 public:
  explicit Latch(std::size_t count) noexcept : count_(count) { count_down(0); }

  // Requires: `by` is at most count().
  void count_down(std::size_t by = 1) noexcept {
    assert(by <= count_ && "counted down below zero");
    count_ -= by;
    if (count_ == 0) zero_.set();
  }

  std::size_t count() const noexcept { return count_; }

  Event::WaitAwaiter wait() noexcept { return zero_.wait(); }

 private:
  std::size_t count_;
  Event zero_;
};

// Signal to one task that it should check its condition again. notify() wakes the waiting task, or
// lets the next wait() return at once. Several notifications before a wait count as one.
class Notification : Pinned {
 public:
  ~Notification() { assert(waiters_.empty()); }

  class WaitAwaiter final : public Waiter {
   public:
    explicit WaitAwaiter(Notification& notification) noexcept : notification_(notification) {}

    template <DroverPromise Promise>
    bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
      assert(notification_.waiters_.empty() && "one waiter at a time");
      return wait_unless(awaiting, notification_.waiters_,
                         [this] { return std::exchange(notification_.notified_, false); });
    }

   private:
    Notification& notification_;
  };

  void notify() noexcept {
    if (!waiters_.wake_first()) notified_ = true;
  }

  WaitAwaiter wait() noexcept { return WaitAwaiter(*this); }

 private:
  bool notified_ = false;
  WaiterQueue waiters_;
};

}  // namespace drover::coro
