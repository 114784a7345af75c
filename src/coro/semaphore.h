// Semaphore: a number of permits, handed out first come, first served. A released permit goes to
// the longest waiter itself, so nobody barges in. For the tasks of one worker; not thread-safe.
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>

#include "coro/awaiter.h"
#include "coro/waiter_queue.h"

namespace drover::coro {

class Semaphore {
 public:
  explicit Semaphore(std::size_t permits) noexcept : available_(permits) {}
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;
  ~Semaphore() { assert(waiters_.empty()); }

  // Gives its permit back when it is destroyed.
  class [[nodiscard]] Permit {
   public:
    explicit Permit(Semaphore& semaphore) noexcept : semaphore_(&semaphore) {}
    Permit(Permit&& other) noexcept : semaphore_(std::exchange(other.semaphore_, nullptr)) {}
    Permit& operator=(Permit&&) = delete;
    ~Permit() {
      if (semaphore_ != nullptr) semaphore_->release();
    }

   private:
    Semaphore* semaphore_;
  };

  class AcquireAwaiter final : Waiter {
   public:
    explicit AcquireAwaiter(Semaphore& semaphore) noexcept : semaphore_(semaphore) {}

    bool await_ready() noexcept { return false; }

    template <DroverPromise Promise>
    bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
      if (!suspend(awaiting)) return false;
      if (semaphore_.available_ > 0) {
        --semaphore_.available_;
        return complete_at_once();
      }
      semaphore_.waiters_.push(*this);
      return true;
    }

    Permit await_resume() const {
      throw_if_cancelled();
      return Permit(semaphore_);
    }

   private:
    Semaphore& semaphore_;
  };

  AcquireAwaiter acquire() noexcept { return AcquireAwaiter(*this); }

  std::size_t available() const noexcept { return available_; }
  std::size_t waiting() const noexcept { return waiters_.size(); }

 private:
  void release() noexcept {
    if (!waiters_.wake_first()) ++available_;
  }

  std::size_t available_;
  WaiterQueue waiters_;
};

}  // namespace drover::coro
