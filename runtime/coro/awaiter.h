// Base classes for new primitives: Awaiter, for every operation that waits and can be cancelled,
// and Waiter, for operations that wait in a WaiterQueue, a FIFO whose nodes are the awaiters.
//
// An operation puts itself into a queue (a timer wheel, a semaphore's waiters). Either complete()
// or a cancellation, never both, makes its task ready on the worker.
#pragma once

#include <coroutine>
#include <cstddef>

#include "coro/cancellation.h"
#include "coro/detail/intrusive.h"
#include "coro/task.h"
#include "coro/worker.h"

namespace drover::coro {

class Awaiter : public CancelNode {
 public:
  bool await_ready() const noexcept { return false; }
  void await_resume() const { throw_if_cancelled(); }

 protected:
  ~Awaiter() = default;

  // For await_suspend(). Returns false if the source is cancelled already: then the operation must
  // not enqueue itself.
  template <DroverPromise Promise>
  bool suspend(std::coroutine_handle<Promise> awaiting) noexcept {
    handle_ = awaiting;
    CancelSource* source = awaiting.promise().source;
    cancelled_ = source->cancelled();
    if (!cancelled_) source->add(*this);
    return !cancelled_;
  }

  // Resumes the task in the worker's next turn, because the operation has happened.
  void complete() noexcept {
    unlink();
    Worker::current().ready(handle_);
  }

  // Completes an operation that happened without a wait. Returns what await_suspend() must return:
  // true if the task is suspended all the same, because it has used up its Worker::await_budget.
  bool complete_at_once() noexcept {
    unlink();
    return !detail::may_continue() && detail::queue_behind(handle_);
  }

  bool cancelled() const noexcept { return cancelled_; }

  void throw_if_cancelled() const {
    if (cancelled_) throw Cancelled{};
  }

 private:
  // Removes the operation from the queue in which it waits.
  virtual void abandon() noexcept = 0;

  void on_cancel() noexcept final {
    cancelled_ = true;
    abandon();
    Worker::current().ready(handle_);
  }

  std::coroutine_handle<> handle_;
  bool cancelled_ = false;
};

class WaiterQueue;

class Waiter : public Awaiter, ListNode<Waiter> {
 protected:
  ~Waiter() = default;

  // Waits in `queue`, unless `happens()`, called once, returns true because the operation has
  // happened. Returns what await_suspend() must return.
  template <DroverPromise Promise, class Happens>
  bool wait_unless(std::coroutine_handle<Promise> awaiting, WaiterQueue& queue, Happens happens);

  void abandon() noexcept override;

 private:
  friend class WaiterQueue;
  friend class IntrusiveList<Waiter>;

  WaiterQueue* queue_ = nullptr;
};

class WaiterQueue {
 public:
  bool empty() const noexcept { return waiters_.empty(); }
  std::size_t size() const noexcept { return size_; }

  // Returns the waiter that has waited longest, or null.
  Waiter* first() const noexcept { return waiters_.first(); }

  void push(Waiter& waiter) noexcept {
    waiter.queue_ = this;
    waiters_.push_back(waiter);
    ++size_;
  }

  void remove(Waiter& waiter) noexcept {
    waiters_.remove(waiter);
    --size_;
  }

  // Completes the waiter that has waited longest. Returns false if there is none.
  bool wake_first() noexcept {
    Waiter* waiter = first();
    if (waiter == nullptr) return false;
    remove(*waiter);
    waiter->complete();
    return true;
  }

  void wake_all() noexcept {
    while (wake_first()) {
    }
  }

 private:
  IntrusiveList<Waiter> waiters_;
  std::size_t size_ = 0;
};

template <DroverPromise Promise, class Happens>
bool Waiter::wait_unless(std::coroutine_handle<Promise> awaiting, WaiterQueue& queue,
                         Happens happens) {
  if (!suspend(awaiting)) return false;
  if (happens()) return complete_at_once();
  queue.push(*this);
  return true;
}

inline void Waiter::abandon() noexcept {
  queue_->remove(*this);
}

}  // namespace drover::coro
