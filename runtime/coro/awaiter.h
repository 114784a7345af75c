// To write a primitive of one's own: Awaiter, the base of every operation that waits and can be
// cancelled, and Waiter, the base of those that wait in a WaiterQueue, a FIFO whose nodes lie in
// the awaiters.
//
// An operation puts itself into a queue (a timer, a semaphore's waiters, …) and is resumed through
// its worker's ready queue, either by complete() or by a cancellation, never both.
#pragma once

#include <coroutine>
#include <cstddef>

#include "coro/cancellation.h"
#include "coro/detail/intrusive_list.h"
#include "coro/task.h"
#include "coro/worker.h"

namespace drover::coro {

class Awaiter : public CancelNode {
 protected:
  ~Awaiter() = default;

  // To be called by await_suspend(): false if the source is cancelled already, and then the
  // operation must not enqueue itself.
  template <DroverPromise Promise>
  bool suspend(std::coroutine_handle<Promise> awaiting) noexcept {
    handle_ = awaiting;
    CancelSource* source = awaiting.promise().source;
    if (source->cancelled()) {
      cancelled_ = true;
      return false;
    }
    source->add(*this);
    return true;
  }

  // The operation has happened: resumes the task in the worker's next round.
  void complete() noexcept {
    unlink();
    Worker::current().ready(handle_);
  }

  // The operation has happened without a wait, so that no cancellation reaches it any more. For
  // await_suspend() to hand back: true if the task is suspended all the same, since it has had its
  // share of awaits (Worker::await_budget).
  bool complete_at_once() noexcept {
    unlink();
    return !detail::may_go_on() && detail::queue_behind(handle_);
  }

  bool cancelled() const noexcept { return cancelled_; }

  // To be called by await_resume().
  void throw_if_cancelled() const {
    if (cancelled_) throw Cancelled{};
  }

 private:
  // Takes the operation out of the queue that it waits in.
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

  // For await_suspend() to hand back: waits in `queue` unless `happens()`, asked once, says that the
  // operation has happened.
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

  // The longest waiter, or null.
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

  // Completes the longest waiter; false if there is none.
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
