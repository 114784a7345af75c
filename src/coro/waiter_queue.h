// The FIFO of tasks that wait at a primitive; the nodes lie in the awaiters.
#pragma once

#include <cstddef>

#include "coro/awaiter.h"

namespace drover::coro {

class WaiterQueue;

class Waiter : public Awaiter {
 protected:
  ~Waiter() = default;

  void abandon() noexcept override;

 private:
  friend class WaiterQueue;

  WaiterQueue* queue_ = nullptr;
  Waiter* before_ = nullptr;
  Waiter* behind_ = nullptr;
};

class WaiterQueue {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  std::size_t size() const noexcept { return size_; }

  // The longest waiter, or null.
  Waiter* first() const noexcept { return first_; }

  void push(Waiter& waiter) noexcept {
    waiter.queue_ = this;
    waiter.before_ = last_;
    waiter.behind_ = nullptr;
    (last_ != nullptr ? last_->behind_ : first_) = &waiter;
    last_ = &waiter;
    ++size_;
  }

  void remove(Waiter& waiter) noexcept {
    (waiter.before_ != nullptr ? waiter.before_->behind_ : first_) = waiter.behind_;
    (waiter.behind_ != nullptr ? waiter.behind_->before_ : last_) = waiter.before_;
    --size_;
  }

  // Completes the longest waiter; false if there is none.
  bool wake_first() noexcept {
    if (first_ == nullptr) return false;
    Waiter& waiter = *first_;
    remove(waiter);
    waiter.complete();
    return true;
  }

 private:
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
  std::size_t size_ = 0;
};

inline void Waiter::abandon() noexcept {
  queue_->remove(*this);
}

}  // namespace drover::coro
