// Flow: the root of a tree of steps on a worker, and the common part of AsyncSteps and NitroSteps.
//
// Calls and threads:
//   - An idle flow belongs to its user, on any thread, to add steps and set its state. From
//     execute() until its end it belongs to its worker's thread.
//   - execute(), cancel(), outcome() and the destructor: any thread, at any time, also concurrently
//     (the destructor last). The same holds for success() and the errors of a waiting step (see
//     steps/steps.h).
//   - promise(), stop(): a task of the worker.
//   - All other calls while the flow runs: the worker's thread, or, while the worker does not run
//     and none of the calls above is in progress, any one thread.
// On the worker's thread these calls take effect at once, on another one by coro::Worker::call():
// between two resumptions of the loop, or on the calling thread while no thread runs the loop. So
// no call is lost or waits for ever when the loop ends, and it has taken effect when it returns:
// the flow is running, or cancelled. Cancel handlers and destructors of results may thus run on the
// calling thread.
//
// The worker must outlive the flow and its calls. A step must not destroy or cancel its own flow:
// it raises an error, or posts the call to the worker.
//
// When a flow stops waiting for a task, it cancels the task and *stands* until the task has ended:
// no step and no handler of it runs, and its end is not reported. So a task may refer to objects of
// the flow, and of the code that awaits promise() or stop(). Only a flow that is destroyed on its
// worker's thread cannot wait: its tasks end in the worker's next turns, and the objects to which
// they refer must live until then. Await stop() before. A flow that is destroyed on a thread
// without a worker waits for the tasks, and runs the worker until then if no thread does.
//
// Invariant: the flow's driver is in the worker's ready queue exactly when a strand is ready, none
// runs, and the flow does not stand. A waiting flow costs nothing.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>

#include "coro/detail/frame_pool.h"
#include "coro/detail/intrusive.h"
#include "coro/worker.h"
#include "steps/detail/attachment.h"
#include "steps/detail/cell_buffer.h"
#include "steps/detail/strand.h"
#include "steps/steps.h"

namespace drover::steps {

template <class T>
class FlowAwaiter;

enum class Outcome : std::uint8_t { none, running, succeeded, failed, cancelled };

class FlowObserver {
 public:
  // Called at the end of the flow, which it must not destroy.
  virtual void flow_ended() noexcept = 0;

 protected:
  ~FlowObserver() = default;
};

namespace detail {

struct AwaitAttachment;
struct AwaitDriver;

// Cancelled task that a flow has stopped waiting for, until it has ended.
struct EndingTask : coro::ListNode<EndingTask> {
  Flow* flow = nullptr;
};

// Told when a flow no longer waits for tasks that it has cancelled.
class DrainObserver : public coro::ListNode<DrainObserver> {
 public:
  // Called once. May destroy the observer.
  virtual void drained() noexcept = 0;

 protected:
  ~DrainObserver() = default;
};

}  // namespace detail

class alignas(64) Flow : public Steps {
 public:
  virtual ~Flow();

  // Queues the steps that were added, which then run on the worker. May be called again, after
  // additions, when the flow has ended.
  void execute();

  // Stops the flow: runs cancel handlers from the innermost step outwards but no error handlers,
  // drops the steps that have not started, also of an idle flow, and cancels awaited tasks.
  // Afterwards no step of the flow runs. On another thread than the worker's, while the worker
  // runs, also waits for the tasks.
  void cancel();

  // `co_await flow.stop();` cancels the flow in a task of the worker and waits until the awaited
  // tasks have ended. A cancellation does not interrupt the wait.
  class StopAwaiter;
  [[nodiscard]] StopAwaiter stop();

  // From any thread.
  Outcome outcome() const noexcept {
    return outcome_.load(std::memory_order_acquire);  // pairs with ended()
  }

  // Returns the error code if the flow failed.
  ErrorCode error_code() const noexcept { return main_.code(); }

  // `T value = co_await flow.promise<T>();` adds a last step that takes a T, executes the flow and
  // waits for its end. Throws ExtError if the flow failed (its unhandled_error is not called), and
  // coro::BrokenPromise if another caller cancelled it. Cancelling the awaiting task cancels the
  // flow.
  template <class T = void>
  FlowAwaiter<T> promise();

  virtual std::unique_ptr<Flow> make_new() const = 0;

 protected:
  // Memory comes from the buffer or, without limits, from the pool when the buffer is full. With
  // limits, `state_memory` is for the State.
  template <std::size_t size>
  Flow(coro::Worker& worker, CellMemory<size>& memory, const Limits* limits = nullptr,
       void* state_memory = nullptr, std::uint16_t burst = 100) noexcept
      : Steps(main_, detail::root_ops),
        buffer_(memory),
        worker_(&worker),
        left_(limits != nullptr ? limits->counts : no_limits),
        burst_size_(burst),
        main_(*this, *this, nullptr),
        driver_(drive(*this).handle),
        limits_(limits),
        state_memory_(state_memory) {}

 private:
  friend class Steps;
  friend class Strand;
  friend class SyncHold;
  friend struct detail::AwaitAttachment;
  friend struct detail::AwaitDriver;
  friend struct detail::ParallelFrame;
  template <class T>
  friend class FlowAwaiter;

  class Reservation;

  static constexpr std::size_t driver_size = 48;

  // Coroutine that the worker resumes to run the flow. Its frame lies in the flow.
  struct Driver {
    struct promise_type {
      static void* operator new(std::size_t size, Flow& flow) {
        if (size <= driver_size) return flow.driver_memory_;
        return coro::FramePool::allocate(size);  // in a build without optimisation
      }
      static void operator delete(void* block, std::size_t size) noexcept {
        if (size > driver_size) coro::FramePool::release(block, size);
      }
      Driver get_return_object() noexcept {
        return {std::coroutine_handle<promise_type>::from_promise(*this)};
      }
      std::suspend_always initial_suspend() const noexcept { return {}; }
      std::suspend_always final_suspend() const noexcept { return {}; }
      void return_void() const noexcept {}
      [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
  };

  static Driver drive(Flow& flow);

  void* allocate(Slot slot, std::size_t size) {
    std::uint16_t& left = left_[static_cast<std::size_t>(slot)];
    if (left > 0) {
      if (void* block = buffer_.allocate(size)) {
        --left;
        return block;
      }
    }
    return allocate_elsewhere(slot, size);
  }
  void release(Slot slot, void* block, std::size_t size) noexcept {
    if (buffer_.release(block, size)) {
      ++left_[static_cast<std::size_t>(slot)];
    } else {
      coro::FramePool::release(block, size);
    }
  }
  void* allocate_elsewhere(Slot slot, std::size_t size);

  State& shared_state();
  bool cancel_from_elsewhere();
  void cancel_here();
  void cancel_now() noexcept;
  void cancel_soon() noexcept;
  void schedule(Strand& strand);
  void unschedule(Strand& strand) noexcept;
  void queue_driver();
  void run_next() noexcept;
  void ended(Outcome outcome) noexcept;
  void tell_end() noexcept;

  // Returns true while the flow waits for tasks that it has cancelled.
  bool is_draining() const noexcept { return !ending_.empty(); }
  void task_ends(detail::EndingTask& task) noexcept;
  void task_ended(detail::EndingTask& task) noexcept;
  void await_drained(detail::DrainObserver& observer) noexcept;
  void drained() noexcept;
  void tear_down() noexcept;

  // In the order of use, so that waking a flow touches few cache lines.
  CellBuffer buffer_;
  coro::Worker* worker_;
  coro::IntrusiveList<Strand> ready_;
  Strand* running_ = nullptr;
  SlotCounts left_;  // further objects allowed, by kind
  std::uint16_t burst_size_;
  bool driver_queued_ = false;
  bool cancel_requested_ = false;
  bool end_untold_ = false;
  std::atomic<Outcome> outcome_{Outcome::none};
  std::size_t driver_position_ = 0;  // in the worker's ready queue
  coro::IntrusiveList<detail::EndingTask> ending_;
  Strand main_;
  std::coroutine_handle<> driver_;
  alignas(16) std::byte driver_memory_[driver_size];
  FlowObserver* observer_ = nullptr;
  State* state_ = nullptr;
  const Limits* limits_;
  void* state_memory_;
  coro::IntrusiveList<detail::DrainObserver> drain_observers_;
};

class [[nodiscard]] Flow::StopAwaiter final : detail::DrainObserver, coro::Pinned {
 public:
  explicit StopAwaiter(Flow& flow) noexcept : flow_(flow) {}

  bool await_ready() const {
    flow_.cancel();
    return !flow_.is_draining();
  }
  void await_suspend(std::coroutine_handle<> awaiting) noexcept {
    awaiting_ = awaiting;
    flow_.await_drained(*this);
  }
  void await_resume() const noexcept {}

 private:
  void drained() noexcept override { worker_.ready(awaiting_); }

  Flow& flow_;
  coro::Worker& worker_ = flow_.worker();
  std::coroutine_handle<> awaiting_;
};

inline Flow::StopAwaiter Flow::stop() {
  return StopAwaiter(*this);
}

}  // namespace drover::steps
