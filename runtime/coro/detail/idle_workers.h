// IdleWorkers: knows which workers of a pool are awake, search for work or sleep, and whom to wake.
//
// At most one sleeper is woken at a time, and none while a worker searches. A worker that finds
// work as the last searcher wakes the next sleeper, so a burst of work wakes as many workers as it
// needs, one after another, and a trickle wakes one. A push that finds a searcher, or no sleeper,
// costs a fence and a load.
//
// Thread safety: wake_one() and Sleeper::wake() from any thread, the others from the worker
// concerned.
//
// Why no wake-up is lost. A push is any store that makes work visible, in any queue. It is followed
// by wake_one(), which begins with a sequentially consistent fence F1. A worker goes to sleep in
// three steps: announce_sleep() subtracts it from the count and ends with a sequentially consistent
// fence F2; it looks through *every* queue; it sleeps. If it finds work in the second step, it
// calls wake_one() itself. The fences are totally ordered.
//  - F2 before F1: the load of the count in wake_one() sees that the worker is not counted. Unless
//    a worker searches, wake_one() wakes a sleeper.
//  - F1 before F2: the look through the queues sees the push.
//  - A worker searches: a searcher stops in one of two ways. If it goes to sleep, it is a worker as
//    above, and it is subtracted from the count later than the push saw it, so F1 is before its F2.
//    If it has found work and was the last searcher, it calls wake_one(), whose fence is after F1
//    for the same reason. That wakes a sleeper, which sees the push, or finds none asleep, and each
//    worker that goes to sleep after that sees the push. If it was not the last searcher, the
//    argument applies to the last one: the changes of the count are read-modify-writes that acquire
//    and release, so its fence, too, comes later.
// The argument requires that a thread that has moved work from one queue to another calls
// wake_one() as well: a sleeper may have looked while the work was in neither queue.
//
// test/model/idle_workers.pml checks this exhaustively for small cases, with the pool's queues.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "coro/detail/intrusive.h"

namespace drover::coro {

// std::atomic_thread_fence(std::memory_order_seq_cst), for hot paths.
//
// For that fence clang emits mfence on x86, which also waits for non-temporal stores, which no C++
// program of this kind executes, and takes 25 ns on the AMD EPYC on which Drover is measured. A
// locked instruction orders all other loads and stores in the same way (Intel's manual, volume 3,
// "Locked Instructions and Memory Ordering"; AMD's, volume 2, "Memory Barriers") and takes 3 to 5
// ns.
inline void full_fence() noexcept {
#if defined(__x86_64__)
  // The memory clobber keeps the compiler from moving accesses across, as the fence would.
  asm volatile("lock; orq $0, (%%rsp)" ::: "memory", "cc");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

class IdleWorkers : Pinned {
 public:
  static constexpr std::size_t workers_max = 1024;

  // Place where one worker sleeps in the kernel.
  class Sleeper {
   public:
    // Ends the present or the next sleep(). Several calls before that count as one.
    void wake() noexcept {
      // Release: pairs with sleep(), so that the worker sees the work for which it is woken.
      if (woken_.exchange(1, std::memory_order_release) == 0) futex(FUTEX_WAKE_PRIVATE, 1);
    }

    void sleep() noexcept {
      // Acquire: pairs with wake().
      while (woken_.exchange(0, std::memory_order_acquire) == 0) futex(FUTEX_WAIT_PRIVATE, 0);
    }

   private:
    void futex(int operation, std::uint32_t value) noexcept {
      static_assert(sizeof woken_ == sizeof(std::uint32_t), "the kernel reads the word itself");
      syscall(SYS_futex, &woken_, operation, value, nullptr, nullptr, 0);
    }

    std::atomic<std::uint32_t> woken_{0};
  };

  // All workers are awake, and none searches. Throws std::invalid_argument unless there are from 1
  // to workers_max workers.
  explicit IdleWorkers(std::size_t workers)
      : workers_(static_cast<std::uint32_t>(workers)), state_(workers_ * one_awake) {
    if (workers < 1 || workers > workers_max) {
      throw std::invalid_argument("a pool has between 1 and 1024 workers");
    }
    sleepers_.reserve(workers);
  }

  // Called after a store that makes work visible. The woken worker counts as searching.
  void wake_one() noexcept {
    // F1 above: pairs with the fence in announce_sleep(), and with itself.
    full_fence();
    const std::uint32_t state = state_.load(std::memory_order_relaxed);
    if (searching(state) == 0 && awake(state) < workers_) wake_sleeper();
  }

  // Returns true if the worker may search: at most half of the workers do, so that they do not
  // hinder each other.
  bool start_search() noexcept {
    if (2 * searching(state_.load(std::memory_order_relaxed)) >= workers_) return false;
    state_.fetch_add(one_searching, std::memory_order_acq_rel);  // pairs with end_search()
    return true;
  }

  // Called by a searching worker that has found work.
  void end_search() noexcept {
    // Acquire and release: pairs with itself and with announce_sleep(), for the argument above.
    const std::uint32_t before = state_.fetch_sub(one_searching, std::memory_order_acq_rel);
    if (searching(before) == 1) wake_one();
  }

  // Subtracts the worker, and its search, from the count. The worker must then look through every
  // queue, call wake_one() if there is work, and sleep(). Returns true if no worker is awake any
  // more.
  bool announce_sleep(Sleeper& sleeper, bool was_searching) noexcept {
    std::uint32_t before = 0;
    {
      const std::lock_guard lock(mutex_);
      sleepers_.push_back(&sleeper);
      // Acquire and release: pairs with itself and with end_search().
      before = state_.fetch_sub(one_awake + (was_searching ? one_searching : 0),
                                std::memory_order_acq_rel);
    }
    assert(awake(before) >= 1 && (!was_searching || searching(before) >= 1));
    // F2 of the argument: pairs with the fence in wake_one().
    full_fence();
    return awake(before) == 1;
  }

 private:
  static constexpr std::uint32_t one_searching = 1;
  static constexpr std::uint32_t one_awake = 1U << 16;

  static constexpr std::uint32_t searching(std::uint32_t state) noexcept {
    return state % one_awake;
  }
  static constexpr std::uint32_t awake(std::uint32_t state) noexcept { return state / one_awake; }

  void wake_sleeper() noexcept {
    Sleeper* sleeper = nullptr;
    {
      const std::lock_guard lock(mutex_);
      const std::uint32_t state = state_.load(std::memory_order_relaxed);
      if (sleepers_.empty() || searching(state) != 0) return;
      sleeper = sleepers_.back();
      sleepers_.pop_back();
      // Acquire and release: pairs with announce_sleep() and end_search().
      state_.fetch_add(one_awake + one_searching, std::memory_order_acq_rel);
    }
    sleeper->wake();
  }

  const std::uint32_t workers_;

  // Written when a worker starts or ends a search, sleeps or wakes. Read by every push.
  alignas(64) std::atomic<std::uint32_t> state_;

  // The last worker to sleep is the first to wake, because its caches are the warmest.
  alignas(64) std::mutex mutex_;
  std::vector<Sleeper*> sleepers_;
};

}  // namespace drover::coro
