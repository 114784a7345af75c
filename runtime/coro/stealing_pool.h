// StealingPool: threads for long computations, beside the event loops (coro::Worker).
//
// Each worker has a slot for the task that it spawned last, and a ring of 256 tasks. A worker
// without work steals half of another worker's ring. A full ring moves half of its tasks to the
// global list, under a mutex, to which the tasks of other threads go at once. A worker takes its
// next task from: its slot (at most three times in a row, so that two tasks that spawn each other
// do not starve the others), its ring, the relay, the global list, the other workers' rings, the
// other workers' slots (because a long task must not hold the only task that it has spawned). Every
// 61st time it begins with the relay and the global list, so that a task that spawns itself for
// ever does not starve them.
//
// The relay is optional. When the global list exceeds `relay_minimum` + 256 tasks, the 256 oldest
// are unlinked under the lock and then put into a lock-free queue, in batches of 64, so that
// workers find them without the lock. If its 1,024 places are taken, they stay in the global list.
//
// Thread safety: spawn(), run() and the statistics from any thread. One thread at a time, and not a
// task of the pool, may make, join or destroy the pool.
//
// Invariants: a spawned task runs exactly once. An idle worker sleeps in the kernel after one
// bounded search, and no wake-up is lost (see idle_workers.h). A spawn wakes a worker only if none
// searches.
//
// Limits: 1,024 workers. The queues are unbounded. Spawned functions lie in blocks of the
// FramePool, as coroutines do.
#pragma once

#include <atomic>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "coro/cancellation.h"
#include "coro/detail/frame_pool.h"
#include "coro/detail/intrusive.h"
#include "coro/task.h"
#include "coro/worker.h"

namespace drover::coro {

class StealingPool;

// Work for a StealingPool, which links the tasks themselves and allocates nothing for them. The
// spawning thread keeps the task alive until run() is called. After that the pool does not access
// the task, so run() may destroy it or spawn it again. A task is in one pool at a time.
class PoolTask : Pinned {
 public:
  // Called once for each spawn, on a worker of the pool. The pool keeps the first exception for
  // join().
  virtual void run() = 0;

 protected:
  ~PoolTask() = default;

 private:
  friend class PoolTaskList;

  PoolTask* next_ = nullptr;
};

// Written by one worker, read by any thread.
struct alignas(64) PoolWorkerStatistics {
  std::atomic<std::uint64_t> executed{0};       // tasks, counted when they begin
  std::atomic<std::uint64_t> failed{0};         // tasks that an exception ended
  std::atomic<std::uint64_t> steals{0};         // thefts by this worker, of any size
  std::atomic<std::uint64_t> overflowed{0};     // tasks moved from the ring to the global list
  std::atomic<std::uint64_t> relay_batches{0};  // batches taken from the relay
  std::atomic<std::uint64_t> sleeps{0};
};

namespace detail {

class PoolCallBase : PoolTask, Posted, CancelNode {
 public:
  bool await_ready() const noexcept { return false; }

  template <DroverPromise Promise>
  bool await_suspend(std::coroutine_handle<Promise> awaiting) {
    CancelSource* source = awaiting.promise().source;
    if (source->cancelled()) {
      on_cancel();
      return false;
    }
    source->add(*this);
    awaiting_ = awaiting;
    home_ = &source->worker();
    submit();
    return true;
  }

 protected:
  explicit PoolCallBase(StealingPool& pool) noexcept : pool_(pool) {}
  ~PoolCallBase() = default;

  // Throws Cancelled or the function's exception, if any.
  void check_outcome() {
    if (cancelled_.load(std::memory_order_relaxed)) throw Cancelled{};
    if (error_) std::rethrow_exception(std::move(error_));
  }

 private:
  virtual void invoke() = 0;

  void submit();
  void run() noexcept final;
  void deliver() noexcept final;
  void drop() noexcept final {}
  void on_cancel() noexcept final { cancelled_.store(true, std::memory_order_relaxed); }

  StealingPool& pool_;
  Worker* home_ = nullptr;
  std::coroutine_handle<> awaiting_;
  std::exception_ptr error_;            // written by the pool before it posts to `home_`
  std::atomic<bool> cancelled_{false};  // written by the home worker; a hint to the pool
};

}  // namespace detail

// Awaiter of a function that runs on a pool. The call itself is spawned on the pool and then posted
// to the home worker, so it allocates nothing.
//
// While the function is in the pool, the virtual time of its home worker stands still, so that
// later timers do not fire before the function has ended.
//
// Cancellation: a function that has begun cannot be interrupted, and may refer to the frame that
// awaits it. So a cancelled await waits until the function has ended, drops its outcome and throws
// Cancelled. A function whose turn has not come is not called. An await whose outcome had already
// arrived keeps it.
template <class F>
class [[nodiscard]] PoolCall final : public detail::PoolCallBase {
 public:
  using Result = std::invoke_result_t<F&>;
  static_assert(!std::is_reference_v<Result>, "a result crosses threads by value");

  PoolCall(StealingPool& pool, F function) : PoolCallBase(pool), function_(std::move(function)) {}

  Result await_resume() {
    check_outcome();
    if constexpr (!std::is_void_v<Result>) return std::move(*result_);
  }

 private:
  void invoke() override {
    if constexpr (std::is_void_v<Result>) {
      function_();
    } else {
      result_.emplace(function_());
    }
  }

  F function_;
  std::optional<std::conditional_t<std::is_void_v<Result>, std::monostate, Result>> result_;
};

class StealingPool : Pinned {
 public:
  struct Options {
    std::size_t workers = 0;  // 0: one per CPU
    bool relay = false;
    std::size_t relay_minimum = 0;  // 0: 256 for two workers, 512 for four, 1,024 for more
  };

  // Throws std::invalid_argument for more than 1,024 workers, and std::system_error if a thread
  // cannot be started.
  explicit StealingPool(const Options& options);

  // Joins the pool and drops its error.
  ~StealingPool();

  // Runs `task` soon. Throws std::logic_error if the pool has been joined.
  void spawn(PoolTask& task);

  // Runs `function()` soon, once, on a worker, and destroys it there. Throws std::bad_alloc, what
  // moving the function throws, and std::logic_error if the pool has been joined.
  template <class F>
    requires std::invocable<F&> && (!std::derived_from<F, PoolTask>)
  void spawn(F function) {
    auto task = std::make_unique<SpawnedTask<F>>(std::move(function));
    spawn(static_cast<PoolTask&>(*task));
    task.release();  // run() destroys it
  }

  // `T result = co_await pool.run(function);` from a task of a Worker, which must outlive the pool.
  // The await throws std::logic_error if the pool has been joined.
  template <class F>
    requires std::invocable<F&>
  PoolCall<F> run(F function) {
    return PoolCall<F>(*this, std::move(function));
  }

  // Waits until every task has run, including the tasks that tasks spawn meanwhile, and ends the
  // threads. Throws the first exception of a task, once. Requires: every spawn() from outside has
  // returned, and none follows. Does not return while a task spawns itself for ever.
  void join();

  std::size_t workers() const noexcept;

  // Requires: worker < workers().
  const PoolWorkerStatistics& statistics(std::size_t worker) const noexcept;

  // Returns how often a thread waited for the lock of the global list.
  std::uint64_t global_lock_waits() const noexcept;

 private:
  class Scheduler;

  // Function in memory of the FramePool.
  template <class F>
  struct SpawnedTask final : PoolTask {
    static_assert(alignof(F) <= alignof(std::max_align_t), "an over-aligned function has no room");

    explicit SpawnedTask(F&& f) : function(std::move(f)) {}

    void run() override {
      const std::unique_ptr<SpawnedTask> self(this);  // also if the function throws
      function();
    }

    static void* operator new(std::size_t size) { return FramePool::allocate(size); }
    static void operator delete(void* block, std::size_t size) noexcept {
      FramePool::release(block, size);
    }

    F function;
  };

  const std::unique_ptr<Scheduler> scheduler_;
};

}  // namespace drover::coro
