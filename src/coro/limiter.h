// Limiter: protects a service: so many tasks at once and so many a period, first come, first
// served, and only so many waiting. For the tasks of one worker; not thread-safe.
//
//   const Limiter::Options options{.concurrent = 4, .rate = {.entries = 100}, .queue_limit = 1000};
//   Limiter limiter(options);
//   const auto place = co_await limiter.enter();
//
// The head of the queue waits for both, a place and the rate, and takes neither before it has both.
// A task that is cancelled while it waits takes nothing with it. When `queue_limit` tasks wait,
// enter() throws Rejected.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <utility>

#include "coro/paced_queue.h"

namespace drover::coro {

class Limiter {
 public:
  static constexpr std::size_t unlimited = PacedQueue::unlimited;

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
    explicit Place(PacedQueue& queue) noexcept : queue_(&queue) {}
    Place(Place&& other) noexcept : queue_(std::exchange(other.queue_, nullptr)) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (queue_ != nullptr) queue_->leave();
    }

   private:
    PacedQueue* queue_;
  };

  class EnterAwaiter final : public PacedQueue::Entry {
   public:
    explicit EnterAwaiter(PacedQueue& queue) noexcept : Entry(queue), queue_(queue) {}
    Place await_resume() const {
      finish();
      return Place(queue_);
    }

   private:
    PacedQueue& queue_;
  };

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

  PacedQueue queue_;
};

}  // namespace drover::coro
