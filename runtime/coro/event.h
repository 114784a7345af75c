// Something has happened: Event, Latch and Notification. For the tasks of one worker; not
// thread-safe.
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>

#include "coro/awaiter.h"
#include "coro/detail/pinned.h"

namespace drover::coro {

// Once set, everyone who waits, and everyone who comes later, goes on.
class Event : Pinned {
 public:
  ~Event() { assert(waiters_.empty()); }

  class WaitAwaiter final : Waiter {
   public:
    explicit WaitAwaiter(Event& event) noexcept : event_(event) {}
    bool await_ready() const noexcept { return event_.set_ && detail::may_go_on(); }

    template <DroverPromise Promise>
    bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
      if (event_.set_) return detail::queue_behind(awaiting);
      return wait_unless(awaiting, event_.waiters_, [] { return false; });
    }

    void await_resume() const { throw_if_cancelled(); }

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

// Lets everyone through once it has been counted down to zero, and from then on.
class Latch {
 public:
  explicit Latch(std::size_t count) noexcept : count_(count) {
    if (count_ == 0) zero_.set();
  }

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

// Says that there is something to look at. notify() wakes the one who waits, or lets the next wait()
// go on at once; several before a wait are as one.
class Notification : Pinned {
 public:
  ~Notification() { assert(waiters_.empty()); }

  class WaitAwaiter final : Waiter {
   public:
    explicit WaitAwaiter(Notification& notification) noexcept : notification_(notification) {}
    bool await_ready() const noexcept { return false; }

    template <DroverPromise Promise>
    bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
      assert(notification_.waiters_.empty() && "one waiter at a time");
      return wait_unless(awaiting, notification_.waiters_,
                         [this] { return std::exchange(notification_.notified_, false); });
    }

    void await_resume() const { throw_if_cancelled(); }

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
