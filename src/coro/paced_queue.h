// PacedQueue: tasks that wait, first come, first served, until a rate lets them in and a place is
// free. What Throttle and Limiter are made of. For the tasks of one worker; not thread-safe.
//
// Invariants: nobody overtakes the head of the queue. A task counts, for the rate and for the
// places, from the moment it is let in: one that is cancelled before takes nothing with it, and one
// that is cancelled after has entered. One timer stands for the whole queue, armed only while
// somebody waits for the rate, so that an idle queue costs nothing.
//
// Timers fire up to a tick late, and a busy worker later. A waiting task is accounted for at the
// instant at which it was due, so lateness does not lower the rate; what a worker is late by beyond
// `lateness_made_up` is lost, so that a stall is not followed by a burst of all that it held up.
#pragma once

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <limits>

#include "coro/gcra.h"
#include "coro/rejected.h"
#include "coro/timer_wheel.h"
#include "coro/waiter_queue.h"

namespace drover::coro {

class PacedQueue final : TimerNode {
 public:
  static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
  static constexpr Duration lateness_made_up = std::chrono::milliseconds(1);

  // At most `places` tasks that have entered and not left, at most `queue_limit` that wait.
  PacedQueue(const Rate& rate, std::size_t places, std::size_t queue_limit)
      : rate_(rate), free_places_(places), queue_limit_(queue_limit) {}
  PacedQueue(const PacedQueue&) = delete;
  PacedQueue& operator=(const PacedQueue&) = delete;
  ~PacedQueue() { assert(waiters_.empty() && !armed()); }

  // The base of the awaiters: all but what the await hands back.
  class Entry : Waiter {
   public:
    explicit Entry(PacedQueue& queue) noexcept : paced_(queue) {}

    bool await_ready() const noexcept { return false; }

    template <DroverPromise Promise>
    bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
      if (!suspend(awaiting)) return false;
      if (paced_.enter_at_once()) {
        return complete_at_once();
      }
      if (paced_.waiting() >= paced_.queue_limit_) {
        rejected_by_ = paced_.queue_limit_;
        return complete_at_once();
      }
      paced_.waiters_.push(*this);
      paced_.arm();
      return true;
    }

   protected:
    ~Entry() = default;

    // To be called by await_resume(). Throws Cancelled or Rejected.
    void finish() const {
      if (rejected_by_ != unlimited) throw Rejected(rejected_by_);
      throw_if_cancelled();
    }

   private:
    void abandon() noexcept final {
      Waiter::abandon();
      paced_.disarm_if_idle();
    }

    PacedQueue& paced_;
    std::size_t rejected_by_ = unlimited;  // which limit
  };

  // One that had entered is through. Requires: places are limited.
  void leave() noexcept {
    ++free_places_;
    if (!waiters_.empty()) let_in(Duration::zero());
  }

  std::size_t free_places() const noexcept { return free_places_; }
  std::size_t waiting() const noexcept { return waiters_.size(); }

 private:
  void on_timer() noexcept override { let_in(lateness_made_up); }

  bool enter_at_once() noexcept {
    if (!waiters_.empty() || free_places_ == 0) return false;
    const Instant now = Worker::current().now();
    if (rate_.next_entry() > now) return false;
    enter(now);
    return true;
  }

  void let_in(Duration made_up) noexcept {
    const Instant now = Worker::current().now();
    while (!waiters_.empty() && free_places_ > 0) {
      const Instant due = rate_.next_entry();
      if (due > now) break;
      enter(std::max(due, instant_after(now, -made_up)));
      waiters_.wake_first();
    }
    disarm_if_idle();
    arm();
  }

  void enter(Instant instant) noexcept {
    rate_.enter(instant);
    if (free_places_ != unlimited) --free_places_;
  }

  // For the head of the queue, unless it waits for a place. An armed timer stays: it is never too
  // late, as the next entry is only ever put off.
  void arm() noexcept {
    if (armed() || waiters_.empty() || free_places_ == 0) return;
    Worker::current().timers().add(*this, rate_.next_entry());
  }

  // At once, and not when the last waiter is resumed: the queue may be gone by then, or be
  // destroyed outside of the worker's loop.
  void disarm_if_idle() noexcept {
    if (armed() && waiters_.empty()) Worker::current().timers().remove(*this);
  }

  Gcra rate_;
  std::size_t free_places_;
  std::size_t queue_limit_;
  WaiterQueue waiters_;
};

}  // namespace drover::coro
