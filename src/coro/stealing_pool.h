// StealingPool: threads for work that computes, beside the event loops (coro::Worker).
//
// Each worker has a slot for the task that it spawned last, a ring of 256, and steals half of
// another's ring when it has nothing left. A ring that is full moves half of itself to the global
// list, under a mutex; tasks that other threads spawn go there at once. A worker takes its next
// task from: its slot (three times running at most, so that two tasks that spawn each other do not
// shut out the rest), its ring, the relay, the global list, the others' rings, the others' slots.
// Every 61st time it looks at the relay and at the global list first, so that a task that spawns
// itself for ever does not starve them. The slot can be stolen, other than in most schedulers of
// the kind: a task that computes for long must not hold the only child that it has spawned.
//
// The relay is optional. When the global list has passed `relay_minimum` + 256, its 256 oldest are
// unlinked under the lock and then put into a lock-free queue, in batches of 64, so that workers
// find them without the lock. If its 1,024 places are taken, the tasks stay in the global list.
//
// Thread safety: spawn(), run() and the statistics are for any thread; making, joining and
// destroying the pool for one at a time, and not from its own tasks.
//
// Invariants: a spawned task runs exactly once. An idle worker sleeps in the kernel after one
// bounded search; no wake-up is lost (idle_workers.h says why). A spawn wakes somebody only if
// nobody is looking for work.
//
// Limits: 1,024 workers. The queues are unbounded; the memory of spawned functions stays at its
// high-water mark until the pool dies (block_depot.h).
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "coro/block_depot.h"
#include "coro/idle_workers.h"
#include "coro/pool_call.h"
#include "coro/pool_task.h"
#include "coro/relay_queue.h"

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

class StealingPool {
 public:
  struct Options {
    std::size_t workers = 0;  // 0: one for each CPU
    bool relay = false;
    std::size_t relay_minimum = 0;  // 0: 256 for two workers, 512 for four, 1,024 for more
  };

  // Throws std::invalid_argument for more than 1,024 workers, std::system_error if a thread cannot
  // be started.
  explicit StealingPool(const Options& options);
  StealingPool(const StealingPool&) = delete;
  StealingPool& operator=(const StealingPool&) = delete;

  // As join(), but drops the error.
  ~StealingPool();

  // Runs `task` soon. See pool_task.h for who keeps it alive. Throws std::logic_error if the pool
  // has been joined: nobody would run it.
  void spawn(PoolTask& task);

  // Runs `function()` soon, once, on a worker; destroys it there. Allocates a block of the pool's
  // own for it if it has at most 48 bytes, and then moving it must not throw. Throws
  // std::bad_alloc, what moving a larger one throws, and std::logic_error as above.
  template <class F>
    requires std::invocable<F&> && (!std::derived_from<F, PoolTask>)
  void spawn(F function);

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

  template <class F>
  class SpawnedTask;

  void* allocate_block();
  void release_unspawned_block(void* block) noexcept;
  // On a worker.
  static void release_block(void* block) noexcept;

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
  void push_foreign(PoolTask& task);
  void push_global(PoolTaskList tasks, std::unique_lock<std::mutex> lock) noexcept;
  void push_relay(PoolTaskList tasks) noexcept;
  void keep_error(PoolWorker& self) noexcept;
  bool close() noexcept;
  void finish() noexcept;
  void join_threads() noexcept;

  // Constant while there are workers.
  BlockDepot depot_;  // the first to be made and the last to go
  std::vector<std::unique_ptr<PoolWorker>> workers_;
  std::size_t relay_threshold_ = 0;
  std::unique_ptr<RelayQueue<PoolTask>> relay_;  // of batches, linked; null without the relay

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

  // For threads that are not of the pool.
  alignas(64) std::mutex foreign_mutex_;
  BlockDepot::Cache foreign_blocks_{depot_};

  std::mutex error_mutex_;
  std::exception_ptr first_error_;
};

// A function with its own memory.
template <class F>
class StealingPool::SpawnedTask final : public PoolTask {
 public:
  static constexpr bool fits_block() noexcept {
    return sizeof(SpawnedTask) <= BlockDepot::block_bytes &&
           alignof(SpawnedTask) <= BlockDepot::block_bytes;
  }

  explicit SpawnedTask(F&& function) : function_(std::move(function)) {}

  void run() override {
    const Destroy destroy{this};
    function_();
  }

  // In place of run(), if it was refused.
  void discard(StealingPool& pool) noexcept {
    if constexpr (fits_block()) {
      this->~SpawnedTask();
      pool.release_unspawned_block(this);
    } else {
      delete this;
    }
  }

 private:
  // Also when the function throws.
  struct Destroy {
    SpawnedTask* task;
    ~Destroy() {
      if constexpr (fits_block()) {
        task->~SpawnedTask();
        release_block(task);
      } else {
        delete task;
      }
    }
  };

  F function_;
};

template <class F>
  requires std::invocable<F&> && (!std::derived_from<F, PoolTask>)
void StealingPool::spawn(F function) {
  using Spawned = SpawnedTask<F>;
  Spawned* task = nullptr;
  if constexpr (Spawned::fits_block()) {
    static_assert(std::is_nothrow_move_constructible_v<F>, "the block would be lost");
    task = new (allocate_block()) Spawned(std::move(function));
  } else {
    task = new Spawned(std::move(function));
  }
  try {
    spawn(static_cast<PoolTask&>(*task));
  } catch (...) {
    task->discard(*this);
    throw;
  }
}

}  // namespace drover::coro
