// So many tasks a period: Throttle; so many at once, too: Limiter, to protect a service. First come,
// first served, and only so many wait. For the tasks of one worker; not thread-safe.
//
//   Rate rate{.entries = 100, .period = 1s, .burst = 10};
//   Throttle throttle(rate);
//   co_await throttle.enter();
//
//   const Limiter::Options options{.concurrent = 4, .rate = {.entries = 100}, .queue_limit = 1000};
//   Limiter limiter(options);
//   const auto place = co_await limiter.enter();
//
// The rate follows the generic cell rate algorithm (gcra.h): evenly spaced, with up to `burst` at
// once after a pause. A task that is cancelled while it waits takes nothing with it.
#pragma once

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "coro/awaiter.h"
#include "coro/gcra.h"
#include "coro/timer_wheel.h"

namespace drover::coro {

// Thrown by an await in place of waiting where too many wait already. What was rejected has taken no
// place and no part of a rate: to try again later is up to whoever asked.
class Rejected : public std::runtime_error {
 public:
  explicit Rejected(std::size_t queue_limit)
      : std::runtime_error("rejected: " + std::to_string(queue_limit) +
                           " tasks may wait here, and do") {}
};

namespace detail {

// Tasks that wait until a rate lets them in and a place is free.
//
// Invariants: nobody overtakes the head of the queue, which waits for both and takes neither before
// it has both. A task counts from the moment it is let in: one that is cancelled after that has
// entered. One timer stands for the whole queue, armed only while somebody waits for the rate, so
// that an idle queue costs nothing.
//
// Timers fire up to a tick late, and a busy worker later. A waiting task is accounted for at the
// instant at which it was due, so lateness does not lower the rate; what a worker is late by beyond
// `lateness_made_up` is lost, so that a stall is not followed by a burst of all that it held up.
class PacedQueue final : TimerNode {
 public:
  static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
  static constexpr Duration lateness_made_up = std::chrono::milliseconds(1);

  // At most `places` tasks that have entered and not left, at most `queue_limit` that wait.
  PacedQueue(const Rate& rate, std::size_t places, std::size_t queue_limit)
      : rate_(rate), free_places_(places), queue_limit_(queue_limit) {}
  ~PacedQueue() { assert(waiters_.empty() && !armed()); }

  // The base of the awaiters: all but what the await hands back.
  class Entry : Waiter {
   public:
    explicit Entry(PacedQueue& queue) noexcept : paced_(queue) {}

    bool await_ready() const noexcept { return false; }

    template <DroverPromise Promise>
    bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
      const bool waits = wait_unless(awaiting, paced_.waiters_, [this] {
        if (paced_.enter_at_once()) return true;
        if (paced_.waiting() < paced_.queue_limit_) return false;
        rejected_by_ = paced_.queue_limit_;
        return true;
      });
      paced_.arm();
      return waits;
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

    PacedQueue& paced_;                    // may be gone when a rejected task is resumed
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

}  // namespace detail

class Throttle {
 public:
  static constexpr std::size_t unlimited = detail::PacedQueue::unlimited;

  // Throws std::invalid_argument for a rate of nothing (see Gcra).
  explicit Throttle(const Rate& rate, std::size_t queue_limit = unlimited)
      : queue_(rate, unlimited, queue_limit) {}

  class EnterAwaiter final : public detail::PacedQueue::Entry {
   public:
    using Entry::Entry;
    void await_resume() const { finish(); }
  };

  // Throws Rejected when `queue_limit` tasks wait; with a limit of 0, whenever it would have to
  // wait.
  EnterAwaiter enter() noexcept { return EnterAwaiter(queue_); }

  std::size_t waiting() const noexcept { return queue_.waiting(); }

 private:
  detail::PacedQueue queue_;
};

class Limiter {
 public:
  static constexpr std::size_t unlimited = detail::PacedQueue::unlimited;

  struct Options {
    std::size_t concurrent = 1;
    Rate rate = {};
    std::size_t queue_limit = unlimited;
  };

  // Throws std::invalid_argument if nobody could ever enter.
  explicit Limiter(const Options& options)
      : queue_(options.rate, checked_places(options), options.queue_limit) {}

  // A task inside; leaves when it is destroyed. Must not outlive the limiter.
  class [[nodiscard]] Place {
   public:
    explicit Place(detail::PacedQueue& queue) noexcept : queue_(&queue) {}
    Place(Place&& other) noexcept : queue_(std::exchange(other.queue_, nullptr)) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (queue_ != nullptr) queue_->leave();
    }

   private:
    detail::PacedQueue* queue_;
  };

  class EnterAwaiter final : public detail::PacedQueue::Entry {
   public:
    explicit EnterAwaiter(detail::PacedQueue& queue) noexcept : Entry(queue), queue_(queue) {}
    Place await_resume() const {
      finish();
      return Place(queue_);
    }

   private:
    detail::PacedQueue& queue_;
  };

  // Throws Rejected as a Throttle's.
  EnterAwaiter enter() noexcept { return EnterAwaiter(queue_); }

  std::size_t free_places() const noexcept { return queue_.free_places(); }
  std::size_t waiting() const noexcept { return queue_.waiting(); }

 private:
  static std::size_t checked_places(const Options& options) {
    if (options.concurrent == 0 || options.concurrent == unlimited) {
      throw std::invalid_argument("a limiter has at least one place, and not without limit");
    }
    return options.concurrent;
  }

  detail::PacedQueue queue_;
};

}  // namespace drover::coro
