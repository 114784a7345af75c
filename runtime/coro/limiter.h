// Rate limits: Throttle limits how many tasks enter per period, Limiter also how many are inside at
// a time, to protect a service. First come, first served, with a limit on the waiting tasks. For
// the tasks of one worker; not thread-safe.
//
//   const Rate rate{.entries = 100, .period = 1s, .burst = 10};
//   Throttle throttle(rate);
//   co_await throttle.enter();
//
//   const Limiter::Options options{.concurrent = 4, .rate = {.entries = 100}, .queue_limit = 1000};
//   Limiter limiter(options);
//   const auto place = co_await limiter.enter();
//
// Entries are evenly spaced, and up to `burst` may follow at once after a pause. A task that is
// cancelled while it waits does not count as an entry.
#pragma once

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "coro/awaiter.h"
#include "coro/clock.h"
#include "coro/semaphore.h"
#include "coro/timer_wheel.h"

namespace drover::coro {

// `entries` per `period`, of which up to `burst` at once after a pause.
struct Rate {
  std::int64_t entries = 1;
  Duration period = std::chrono::seconds(1);
  std::int64_t burst = 1;
};

// The generic cell rate algorithm (ITU-T I.371) as a leaky bucket: computes when the next entry is
// allowed. Its state is two numbers for any rate, and it uses no timer. Not thread-safe.
//
// Exact: the level is counted in units of 1 / entries of a nanosecond, so 3 entries per second are
// 3,000,000 in a million seconds. In any time t at most burst + t * entries / period entries
// conform.
class Gcra {
 public:
  // Throws std::invalid_argument unless all numbers are positive, burst * period is under 146 years
  // and entries under 2^61.
  explicit Gcra(const Rate& rate)
      : entries_(rate.entries), period_(rate.period.count()), burst_level_(checked_level(rate)) {}

  // Returns the earliest instant at which the next entry conforms. An instant in the past means
  // now.
  Instant next_entry() const noexcept {
    const std::int64_t excess = level_ - burst_level_;
    if (excess <= 0) return measured_at_;
    const bool inexact = excess % entries_ != 0;
    return instant_after(measured_at_,
                         Duration(excess / entries_ + static_cast<std::int64_t>(inexact)));
  }

  // Requires: not before next_entry().
  void enter(Instant instant) noexcept {
    drain_until(instant);
    level_ += period_;
  }

 private:
  // Returns the level up to which another entry conforms.
  static std::int64_t checked_level(const Rate& rate) {
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    if (rate.entries <= 0 || rate.period <= Duration::zero() || rate.burst <= 0) {
      throw std::invalid_argument("a rate has at least one entry, one ns and a burst of one");
    }
    const std::int64_t period = rate.period.count();
    if (rate.entries > largest / 4 || rate.burst > largest / 2 / period) {
      throw std::invalid_argument("a rate has under 2^61 entries, burst * period under 146 years");
    }
    return (rate.burst - 1) * period;
  }

  void drain_until(Instant instant) noexcept {
    const std::int64_t elapsed = (instant - measured_at_).count();
    if (elapsed <= 0) return;
    measured_at_ = instant;
    // An entry that waited comes at the first whole nanosecond at or after its time. Its lateness
    // of less than a nanosecond is kept as a level below zero, so that the rate is not too low.
    const bool idle = level_ <= 0 || elapsed > level_ / entries_ + 1;
    level_ = idle ? 0 : level_ - elapsed * entries_;
  }

  std::int64_t entries_;      // drained per nanosecond
  std::int64_t period_;       // added by an entry
  std::int64_t burst_level_;  // up to which another entry conforms
  std::int64_t level_ = 0;    // at measured_at_
  Instant measured_at_{};
};

// Thrown by an await instead of waiting, if the limit of waiting tasks is reached. The rejected
// task has taken no place and does not count as an entry.
class Rejected : public std::runtime_error {
 public:
  explicit Rejected(std::size_t queue_limit)
      : std::runtime_error("rejected: " + std::to_string(queue_limit) +
                           " tasks may wait here, and do") {}
};

namespace detail {

// Tasks that wait until the rate admits them and a place is free.
//
// Invariants: no task overtakes the head of the queue, which waits for both and takes neither
// before it has both. A task has entered when it is admitted, even if it is cancelled before it is
// resumed. One timer serves the whole queue, armed only while a task waits for the rate, so that an
// idle queue costs nothing.
//
// Timers fire up to a tick late, and later on a busy worker. A waiting task enters at the instant
// at which it was due, so lateness does not lower the rate. Lateness beyond `lateness_made_up` is
// lost, so that no burst follows a stall.
class PacedQueue final : TimerNode {
 public:
  static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
  static constexpr Duration lateness_made_up = std::chrono::milliseconds(1);

  // At most `places` tasks have entered and not left, and at most `queue_limit` tasks wait.
  PacedQueue(const Rate& rate, std::size_t places, std::size_t queue_limit)
      : rate_(rate), free_places_(places), queue_limit_(queue_limit) {}
  ~PacedQueue() { assert(waiters_.empty() && !armed()); }

  class EntryAwaiter : public Waiter {
   public:
    explicit EntryAwaiter(PacedQueue& queue) noexcept : paced_(queue) {}

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

    void await_resume() const {
      if (rejected_by_ != unlimited) throw Rejected(rejected_by_);
      throw_if_cancelled();
    }

   protected:
    ~EntryAwaiter() = default;

    PacedQueue& paced_;  // may be destroyed when a rejected task is resumed

   private:
    void abandon() noexcept final {
      Waiter::abandon();
      paced_.disarm_if_idle();
    }

    std::size_t rejected_by_ = unlimited;  // the limit
  };

  // Ends the stay of a task that has entered. Requires: places are limited.
  void release() noexcept {
    ++free_places_;
    if (!waiters_.empty()) admit(Duration::zero());
  }

  std::size_t free_places() const noexcept { return free_places_; }
  std::size_t waiting() const noexcept { return waiters_.size(); }

 private:
  void on_timer() noexcept override { admit(lateness_made_up); }

  bool enter_at_once() noexcept {
    if (!waiters_.empty() || free_places_ == 0) return false;
    const Instant now = Worker::current().now();
    if (rate_.next_entry() > now) return false;
    enter(now);
    return true;
  }

  void admit(Duration made_up) noexcept {
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

  // Arms the timer for the head of the queue, unless that waits for a place. An armed timer stays:
  // it is never too late, because the next entry is only ever postponed.
  void arm() noexcept {
    if (armed() || waiters_.empty() || free_places_ == 0) return;
    Worker::current().timers().add(*this, rate_.next_entry());
  }

  // Called at once, and not when the last waiter is resumed: then the queue may be destroyed, even
  // outside of the worker's loop.
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

  // Throws std::invalid_argument for a rate that Gcra refuses.
  explicit Throttle(const Rate& rate, std::size_t queue_limit = unlimited)
      : queue_(rate, unlimited, queue_limit) {}

  class EnterAwaiter final : public detail::PacedQueue::EntryAwaiter {
   public:
    using EntryAwaiter::EntryAwaiter;
  };

  // Waits for the rate. The await throws Rejected if `queue_limit` tasks wait already.
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

  // Throws std::invalid_argument if `concurrent` is 0 or unlimited, or Gcra refuses the rate.
  explicit Limiter(const Options& options)
      : queue_(options.rate, checked_places(options), options.queue_limit) {}

  // A task's place inside, which must not outlive the limiter.
  using Place = detail::Permit<detail::PacedQueue>;

  class EnterAwaiter final : public detail::PacedQueue::EntryAwaiter {
   public:
    using EntryAwaiter::EntryAwaiter;
    Place await_resume() const {
      EntryAwaiter::await_resume();
      return Place(paced_);
    }
  };

  // Waits for the rate and a place. The await throws Rejected if `queue_limit` tasks wait already.
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
