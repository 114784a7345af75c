// Throttle: lets in so many tasks a period, first come, first served, by the generic cell rate
// algorithm (gcra.h): evenly spaced, with up to `burst` at once after a pause. For the tasks of one
// worker; not thread-safe.
//
//   Rate rate{.entries = 100, .period = 1s, .burst = 10};
//   Throttle throttle(rate);
//   co_await throttle.enter();
//
// A task that is cancelled while it waits takes nothing of the rate. With a queue limit, enter()
// throws Rejected when that many wait; with a limit of 0, whenever it would have to wait.
#pragma once

#include <cstddef>

#include "coro/paced_queue.h"

namespace drover::coro {

class Throttle {
 public:
  static constexpr std::size_t unlimited = PacedQueue::unlimited;

  // Throws std::invalid_argument for a rate of nothing (see Gcra).
  explicit Throttle(const Rate& rate, std::size_t queue_limit = unlimited)
      : queue_(rate, PacedQueue::unlimited, queue_limit) {}

  class EnterAwaiter final : public PacedQueue::Entry {
   public:
    using Entry::Entry;
    void await_resume() const { finish(); }
  };

  EnterAwaiter enter() noexcept { return EnterAwaiter(queue_); }

  std::size_t waiting() const noexcept { return queue_.waiting(); }

 private:
  PacedQueue queue_;
};

}  // namespace drover::coro
