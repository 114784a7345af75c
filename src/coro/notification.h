// Notification: says that there is something to look at. notify() wakes the one who waits, or lets
// the next wait() go on at once; several before a wait are as one. For the tasks of one worker; not
// thread-safe.
#pragma once

#include <cassert>
#include <utility>

#include "coro/waiter_queue.h"

namespace drover::coro {

class Notification {
 public:
  Notification() = default;
  Notification(const Notification&) = delete;
  Notification& operator=(const Notification&) = delete;
  ~Notification() { assert(waiters_.empty()); }

  class WaitAwaiter final : Waiter {
   public:
    explicit WaitAwaiter(Notification& notification) noexcept : notification_(notification) {}
    bool await_ready() const noexcept { return false; }

    template <DroverPromise Promise>
    bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
      if (!suspend(awaiting)) return false;
      if (std::exchange(notification_.notified_, false)) {
        return complete_at_once();
      }
      assert(notification_.waiters_.empty() && "one waiter at a time");
      notification_.waiters_.push(*this);
      return true;
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
