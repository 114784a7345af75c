// StealingPool: threads for work that computes, beside the event loops (coro::Worker).
//
// Each worker has a slot for the task that it spawned last, a ring of 256, and steals half of
// another's ring when it has nothing left. A full ring moves half of itself to the global list, under
// a mutex; tasks that other threads spawn go there at once. A worker takes its next task from: its
// slot (three times running at most, so that two tasks that spawn each other do not shut out the
// rest), its ring, the relay, the global list, the others' rings, the others' slots (a task that
// computes for long must not hold the only child that it has spawned). Every 61st time it begins with
// the relay and the global list, so that a task that spawns itself for ever does not starve them.
//
// The relay is optional. When the global list has passed `relay_minimum` + 256, its 256 oldest are
// unlinked under the lock and then put into a lock-free queue, in batches of 64, so that workers
// find them without the lock. If its 1,024 places are taken, they stay in the global list.
//
// Thread safety: spawn(), run() and the statistics are for any thread; making, joining and
// destroying the pool for one at a time, and not from its own tasks.
//
// Invariants: a spawned task runs exactly once. An idle worker sleeps in the kernel after one
// bounded search; no wake-up is lost (idle_workers.h says why). A spawn wakes somebody only if
// nobody is looking for work.
//
// Limits: 1,024 workers. The queues are unbounded. Spawned functions lie in blocks of the FramePool,
// as coroutines do.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "coro/detail/frame_pool.h"
#include "coro/detail/idle_workers.h"
#include "coro/detail/pinned.h"
#include "coro/detail/pool_call.h"
#include "coro/detail/pool_task.h"

namespace drover::coro {

// Written by one worker, read by anyone.
struct alignas(64) PoolWorkerStatistics {
  std::atomic<std::uint64_t> executed{0};       // tasks, counted when they begin
  std::atomic<std::uint64_t> failed{0};         // of these: ended by an exception
  std::atomic<std::uint64_t> steals{0};         // thefts by this worker, of whatever size
  std::atomic<std::uint64_t> overflowed{0};     // tasks moved from the ring to the global list
  std::atomic<std::uint64_t> relay_batches{0};  // taken from the relay
  std::atomic<std::uint64_t> sleeps{0};
};

class StealingPool : Pinned {
 public:
  struct Options {
    std::size_t workers = 0;  // 0: one for each CPU
    bool relay = false;
    std::size_t relay_minimum = 0;  // 0: 256 for two workers, 512 for four, 1,024 for more
  };

  // Throws std::invalid_argument for more than 1,024 workers, std::system_error if a thread cannot
  // be started.
  explicit StealingPool(const Options& options);

  // As join(), but drops the error.
  ~StealingPool();

  // Runs `task` soon. See pool_task.h for who keeps it alive. Throws std::logic_error if the pool
  // has been joined: nobody would run it.
  void spawn(PoolTask& task);

  // Runs `function()` soon, once, on a worker; destroys it there. Throws std::bad_alloc, what moving
  // the function throws, and std::logic_error as above.
  template <class F>
    requires std::invocable<F&> && (!std::derived_from<F, PoolTask>)
  void spawn(F function) {
    auto task = std::make_unique<SpawnedTask<F>>(std::move(function));
    spawn(static_cast<PoolTask&>(*task));
    task.release();  // run() destroys it
  }

  // `T result = co_await pool.run(function);` from a task of a Worker. See pool_call.h, also for
  // cancellation.
  template <class F>
    requires std::invocable<F&>
  PoolCall<F> run(F function) {
    return PoolCall<F>(*this, std::move(function));
  }

  // Waits until every task has run, those included that tasks spawn meanwhile, and ends the
  // threads. Throws the first exception that came out of a task, once. Requires: every spawn() from
  // outside has returned, and there are none after. Does not return while a task spawns itself for
  // ever.
  void join();

  std::size_t workers() const noexcept { return workers_.size(); }

  // Requires: worker < workers().
  const PoolWorkerStatistics& statistics(std::size_t worker) const noexcept;

  // How often a thread found the global list's lock taken, and waited for it.
  std::uint64_t global_lock_waits() const noexcept {
    return global_lock_waits_.load(std::memory_order_relaxed);
  }

 private:
  struct PoolWorker;
  class Relay;

  // A function with its own memory.
  template <class F>
  struct SpawnedTask final : PoolTask {
    static_assert(alignof(F) <= alignof(std::max_align_t), "an over-aligned function has no room");

    explicit SpawnedTask(F&& f) : function(std::move(f)) {}

    void run() override {
      const std::unique_ptr<SpawnedTask> self(this);  // also when the function throws
      function();
    }

    static void* operator new(std::size_t size) { return FramePool::allocate(size); }
    static void operator delete(void* block, std::size_t size) noexcept {
      FramePool::release(block, size);
    }

    F function;
  };

  PoolWorker* calling_worker() const noexcept;
  void run_worker(PoolWorker& self) noexcept;
  void execute(PoolWorker& self, PoolTask& task) noexcept;
  PoolTask* next_task(PoolWorker& self) noexcept;
  PoolTask* take_slot(PoolWorker& self) noexcept;
  PoolTask* take_relayed(PoolWorker& self) noexcept;
  PoolTask* take_global(PoolWorker& self, std::size_t most) noexcept;
  PoolTask* search(PoolWorker& self) noexcept;
  bool sleep_until_woken(PoolWorker& self) noexcept;
  bool work_is_queued() const noexcept;
  void push_local(PoolWorker& self, PoolTask& task) noexcept;
  void push_local(PoolWorker& self, PoolTaskList& tasks) noexcept;
  std::unique_lock<std::mutex> lock_global() noexcept;
  void push_global(PoolTaskList tasks, std::unique_lock<std::mutex> lock) noexcept;
  void push_relay(PoolTaskList tasks) noexcept;
  void finish() noexcept;
  void join_threads() noexcept;

  // Constant while there are workers.
  std::vector<std::unique_ptr<PoolWorker>> workers_;
  std::size_t relay_threshold_ = 0;
  std::unique_ptr<Relay> relay_;  // null without the relay

  IdleWorkers idle_;

  // Written by join() and by the last worker to sleep after that.
  std::atomic<bool> stopping_{false};
  std::atomic<bool> finished_{false};

  // Written under the mutex; the size and the waits are read without it.
  alignas(64) std::mutex global_mutex_;
  PoolTaskList global_;
  bool closed_ = false;  // nobody will look at the list any more
  std::atomic<std::size_t> global_size_{0};
  std::atomic<std::uint64_t> global_lock_waits_{0};

  std::mutex error_mutex_;
  std::exception_ptr first_error_;
};

}  // namespace drover::coro
