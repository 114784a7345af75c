// Event: once set, everyone who waits, and everyone who comes later, goes on. For the tasks of one
// worker; not thread-safe.
#pragma once

#include <cassert>

#include "coro/waiter_queue.h"

namespace drover::coro {

class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { assert(waiters_.empty()); }

  class WaitAwaiter final : Waiter {
   public:
    explicit WaitAwaiter(Event& event) noexcept : event_(event) {}
    bool await_ready() const noexcept { return event_.set_ && detail::may_go_on(); }

    template <DroverPromise Promise>
    bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
      if (event_.set_) return detail::queue_behind(awaiting);
      if (!suspend(awaiting)) return false;
      event_.waiters_.push(*this);
      return true;
    }

    void await_resume() const { throw_if_cancelled(); }

   private:
    Event& event_;
  };

  void set() noexcept {
    set_ = true;
    while (waiters_.wake_first()) {
    }
  }

  bool is_set() const noexcept { return set_; }

  WaitAwaiter wait() noexcept { return WaitAwaiter(*this); }

 private:
  bool set_ = false;
  WaiterQueue waiters_;
};

}  // namespace drover::coro
