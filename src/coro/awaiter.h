// Awaiter: the base of every operation that waits and can be cancelled.
//
// An operation puts itself into a queue (a timer, a semaphore's waiters, …) and is resumed through
// its worker's ready queue, either by complete() or by a cancellation, never both.
#pragma once

#include <coroutine>

#include "coro/cancellation.h"
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

}  // namespace drover::coro
