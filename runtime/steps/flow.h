// Flow: the root of a tree of steps, on a worker. What AsyncSteps and NitroSteps have in common.
//
// Who may call what, and from which thread:
//   - An idle flow belongs to whoever has it, on any thread: to add steps, to set its state. From
//     execute() until it has ended it belongs to its worker's thread.
//   - execute(), cancel(), outcome() and the destructor: any thread, any time, several at once
//     (the destructor last). So success() and the errors of a step that waits: see steps/steps.h.
//   - promise(), stop(): a task of the worker.
//   - All else while the flow runs: the worker's thread, or, while the worker does not run and none
//     of the calls above is under way, any one thread.
// On the worker's thread these calls act at once, on another one by coro::Worker::call(): between two
// resumptions of the loop, or on the caller's thread while nobody runs the loop. So no call is lost or
// waits for ever when the loop ends, and what it did stands when it returns: the flow is running, or
// cancelled. Cancel handlers and destructors of results may thus run on the caller's thread.
//
// The worker must outlive the flow and its calls. A flow must not be destroyed or cancelled by one
// of its own steps: raise an error, or post it to the worker.
//
// A task that the flow awaited and waits for no more is cancelled. Until it has ended the flow
// stands: no step and no handler of it runs, and its end is not told. So what a task refers to may
// belong to the flow, and to whoever awaits promise() or stop(). Only a flow that is destroyed
// on its worker's thread cannot wait: it lets such tasks go, and they end in the worker's next
// rounds, which whatever they refer to has to outlast. Await stop() before. Destroyed on a thread
// without a worker it waits for them, and while the worker does not run it lets it run until then.
//
// Invariant: the flow's driver is in the worker's ready queue exactly when a strand is ready, none
// runs, and the flow does not stand; a flow that waits costs nothing.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>

#include "coro/detail/frame_pool.h"
#include "coro/detail/intrusive_list.h"
#include "coro/detail/pinned.h"
#include "coro/worker.h"
#include "steps/detail/attachment.h"
#include "steps/detail/cell_buffer.h"
#include "steps/detail/strand.h"
#include "steps/steps.h"

namespace drover::steps {

template <class T>
class FlowAwaiter;

enum class Outcome : std::uint8_t { none, running, succeeded, failed, cancelled };

// Told of the end of a flow.
class FlowObserver {
 public:
  // Must neither throw nor destroy the flow.
  virtual void flow_ended() noexcept = 0;

 protected:
  ~FlowObserver() = default;
};

namespace detail {

// A task that a flow waits for no more, until it has ended.
struct EndingTask : coro::ListNode<EndingTask> {
  Flow* flow = nullptr;
};

// Told, once, that no task of the flow is ending any more.
class StandObserver : public coro::ListNode<StandObserver> {
 public:
  virtual void stand_ended() noexcept = 0;

 protected:
  ~StandObserver() = default;
};

}  // namespace detail

class alignas(64) Flow : public Steps {
 public:
  virtual ~Flow();

  // Queues the steps that were added; they run on the worker. Nothing if there are none. May be
  // called again, after additions, when the flow has ended.
  void execute();

  // Stops: cancel handlers run from the innermost step outwards, error handlers do not, what was
  // not started is dropped, of an idle flow, too, and awaited tasks are cancelled. Afterwards no
  // step of the flow runs. On another thread than the worker's, and while the worker runs, this
  // waits for the tasks, too.
  void cancel();

  // `co_await flow.stop();` the same for a task of the worker: waits until the tasks have ended,
  // too. Is itself not interrupted by a cancellation.
  class StopAwaiter;
  [[nodiscard]] StopAwaiter stop();

  // From any thread.
  Outcome outcome() const noexcept {
    return outcome_.load(std::memory_order_acquire);  // pairs with ended()
  }

  // The code that nobody recovered from, if the flow failed.
  ErrorCode error_code() const noexcept { return main_.code(); }

  // `T value = co_await flow.promise<T>();` adds a last step that takes a T, executes, waits for
  // the end. Throws ExtError if the flow failed (its unhandled_error is not called),
  // coro::BrokenPromise if it was cancelled by someone else. Cancelling the awaiting task cancels
  // the flow.
  template <class T = void>
  FlowAwaiter<T> promise();

  virtual std::unique_ptr<Flow> make_new() const = 0;

 protected:
  // All memory comes from the buffer; without limits, what it has no room for from the pool. With
  // limits `state_memory` is for the State.
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
  friend struct detail::AwaitPromiseBase;
  friend struct detail::ParallelFrame;
  friend struct StepAccess;
  template <class T>
  friend class FlowAwaiter;

  static constexpr std::size_t driver_size = 48;

  // The coroutine that the worker resumes to let the flow run. Its frame lies in the flow.
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

  // Whether it waits for tasks that it has cancelled.
  bool stands() const noexcept { return !ending_.empty(); }
  void task_ends(detail::EndingTask& task) noexcept;
  void task_ended(detail::EndingTask& task) noexcept;
  void await_stand(detail::StandObserver& observer) noexcept;
  void stand_ended() noexcept;
  void tear_down() noexcept;

  // In the order of use: a flow that is woken up touches few lines of the cache.
  CellBuffer buffer_;
  coro::Worker* worker_;
  coro::IntrusiveList<Strand> ready_;
  Strand* running_ = nullptr;
  SlotCounts left_;  // of each kind, how many more are allowed
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
  coro::IntrusiveList<detail::StandObserver> stand_observers_;
};

// Awaited by a task of the flow's worker, once and at once.
class [[nodiscard]] Flow::StopAwaiter final : detail::StandObserver, coro::Pinned {
 public:
  explicit StopAwaiter(Flow& flow) noexcept : flow_(flow) {}

  bool await_ready() const {
    flow_.cancel();
    return !flow_.stands();
  }
  void await_suspend(std::coroutine_handle<> awaiting) noexcept {
    awaiting_ = awaiting;
    flow_.await_stand(*this);
  }
  void await_resume() const noexcept {}

 private:
  void stand_ended() noexcept override { worker_.ready(awaiting_); }

  Flow& flow_;
  coro::Worker& worker_ = flow_.worker();
  std::coroutine_handle<> awaiting_;
};

inline Flow::StopAwaiter Flow::stop() {
  return StopAwaiter(*this);
}

}  // namespace drover::steps
