// Flow: the root of a tree of steps, on a worker. What AsyncSteps and NitroSteps have in common.
//
// A flow belongs to one worker. execute() and cancel() may be called from any thread, and then wait
// until the worker has done it; everything else, the destructor included, only on the worker's
// thread, or while the worker does not run. The worker must outlive the flow. A flow must not be
// destroyed or cancelled by one of its own steps: raise an error, or post it to the worker.
//
// Invariant: the flow's driver is in the worker's ready queue exactly when a strand is ready and
// none runs; a flow that waits costs nothing.
#pragma once

#include <bit>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "coro/frame_pool.h"
#include "coro/worker.h"
#include "steps/steps.h"
#include "steps/storage.h"
#include "steps/strand.h"

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

// Blocks in the flow itself, for its first steps: so that a small flow lies together.
struct NearBlocks {
  static constexpr std::size_t size = 80;
  static constexpr std::size_t count = 4;
  alignas(16) std::byte bytes[size * count];  // NOLINT(*-member-init): written before it is read
};

class alignas(64) Flow : public Steps {
 public:
  virtual ~Flow();

  // Queues the steps that were added; they run on the worker. Nothing if there are none. May be
  // called again, after additions, when the flow has ended.
  void execute();

  // Stops: cancel handlers run from the innermost step outwards, error handlers do not, what was
  // not started is dropped. Afterwards nothing of the flow runs. Nothing if the flow is idle.
  void cancel();

  Outcome outcome() const noexcept { return outcome_; }

  // Of a flow that failed: the code that nobody recovered from.
  ErrorCode error_code() const noexcept { return main_.code(); }

  // `T value = co_await flow.promise<T>();` adds a last step that takes a T, executes, waits for
  // the end. Throws ExtError if the flow failed (its unhandled_error is not called),
  // coro::BrokenPromise if it was cancelled by someone else. Cancelling the awaiting task cancels
  // the flow.
  template <class T = void>
  FlowAwaiter<T> promise();

  virtual std::unique_ptr<Flow> make_new() const = 0;

 protected:
  static constexpr std::uint32_t default_burst = 100;

  // Memory comes from `storage`; without one from `near_blocks`, and then from the pool.
  Flow(coro::Worker& worker, Storage* storage, NearBlocks* near_blocks, std::uint32_t burst);

 private:
  friend class Steps;
  friend class Strand;
  friend class SyncHold;
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
    if (near_free_ != 0 && size <= NearBlocks::size) {
      const int index = std::countr_zero(near_free_);
      near_free_ = static_cast<std::uint8_t>(near_free_ & (near_free_ - 1));
      return near_->bytes + static_cast<std::size_t>(index) * NearBlocks::size;
    }
    if (storage_ == nullptr) return coro::FramePool::allocate(size);
    return allocate_limited(slot, size);
  }
  void release(Slot slot, void* block, std::size_t size) noexcept {
    if (storage_ != nullptr) {
      storage_->release(slot, block);
      return;
    }
    const std::size_t offset =
        reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(near_->bytes);
    if (offset < sizeof near_->bytes) {
      near_free_ = static_cast<std::uint8_t>(near_free_ | 1U << offset / NearBlocks::size);
    } else {
      coro::FramePool::release(block, size);
    }
  }
  void* allocate_limited(Slot slot, std::size_t size);

  State& shared_state();
  bool at_home() const noexcept;
  template <class Function>
  void run_at_home(Function function);
  void start();
  void cancel_now() noexcept;
  void cancel_soon() noexcept;
  void schedule(Strand& strand);
  void unschedule(Strand& strand) noexcept;
  void queue_driver();
  void run_next() noexcept;
  void ended(Outcome outcome) noexcept;

  // In the order of use: a flow that is woken up touches few lines of the cache.
  coro::Worker* worker_;
  NearBlocks* near_;  // null with a storage
  Strand* first_ready_ = nullptr;
  Strand* last_ready_ = nullptr;
  Strand* running_ = nullptr;
  std::coroutine_handle<> driver_;
  std::size_t driver_position_ = 0;  // in the worker's ready queue
  std::uint32_t burst_size_;
  std::uint8_t near_free_;  // a bit a block
  bool driver_queued_ = false;
  bool cancel_requested_ = false;
  Outcome outcome_ = Outcome::none;
  Strand main_;
  FlowObserver* observer_ = nullptr;
  alignas(64) std::byte driver_memory_[driver_size];
  Storage* storage_;  // null: no limits
  State* state_ = nullptr;
};

}  // namespace drover::steps
