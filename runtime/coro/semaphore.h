// Semaphore and Mutex: limit how many tasks continue at a time, first come, first served. A
// returned permit goes directly to the longest waiter. For the tasks of one worker; not
// thread-safe.
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>

#include "coro/awaiter.h"

namespace drover::coro {

namespace detail {

// Movable permit of an `Owner`. Its destructor returns the permit.
template <class Owner>
class [[nodiscard]] Permit {
 public:
  explicit Permit(Owner& owner) noexcept : owner_(&owner) {}
  Permit(Permit&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)) {}
  Permit& operator=(Permit&&) = delete;
  ~Permit() {
    if (owner_ != nullptr) owner_->release();
  }

 private:
  Owner* owner_;
};

}  // namespace detail

class Semaphore : Pinned {
 public:
  using Permit = detail::Permit<Semaphore>;

  explicit Semaphore(std::size_t permits) noexcept : available_(permits) {}
  ~Semaphore() { assert(waiters_.empty()); }

  class AcquireAwaiter final : public Waiter {
   public:
    explicit AcquireAwaiter(Semaphore& semaphore) noexcept : semaphore_(semaphore) {}

    template <DroverPromise Promise>
    bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
      return wait_unless(awaiting, semaphore_.waiters_, [this] {
        if (semaphore_.available_ == 0) return false;
        --semaphore_.available_;
        return true;
      });
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
  friend Permit;

  void release() noexcept {
    if (!waiters_.wake_first()) ++available_;
  }

  std::size_t available_;
  WaiterQueue waiters_;
};

// Admits one task at a time, which keeps the mutex across its awaits:
//
//   const auto lock = co_await mutex.lock();  // until the end of the block
//
// The tasks of a worker are never interrupted between two awaits, so data that is read and written
// there needs no mutex. Not recursive: a task that locks twice waits for itself.
class Mutex {
 public:
  // Movable lock, also to another task. Its destructor unlocks the mutex.
  using Lock = Semaphore::Permit;

  Semaphore::AcquireAwaiter lock() noexcept { return semaphore_.acquire(); }

  bool locked() const noexcept { return semaphore_.available() == 0; }
  std::size_t waiting() const noexcept { return semaphore_.waiting(); }

 private:
  Semaphore semaphore_{1};
};

}  // namespace drover::coro
