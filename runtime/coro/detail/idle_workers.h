// IdleWorkers: who of a pool's workers is awake, who looks for work, who sleeps; and whom to wake.
//
// At most one sleeper is woken at a time, and none while somebody is searching: a worker that finds
// work as the last searcher wakes the next one, so that a burst of work wakes as many as it needs,
// one after another, and a trickle wakes one. A push that finds somebody searching, or nobody
// asleep, costs a fence and a load.
//
// Thread safety: wake_one() and wake_all() are for any thread, the others for the worker concerned.
//
// Why no wake-up is lost. Let a push be any store that makes work visible, in whichever queue, and
// let it be followed by wake_one(), which begins with a sequentially consistent fence F1. A worker
// goes to sleep in three steps: announce_sleep() takes it off the count and ends with such a fence
// F2; it looks through *every* queue; it sleeps. Finding work in the second step, it calls
// wake_one() itself. The fences are totally ordered.
//  - F2 before F1: the load of the count in wake_one() sees that the worker is off it. Unless
//    somebody searches, it wakes a sleeper.
//  - F1 before F2: the look through the queues sees the push.
//  - Somebody searches: a searcher stops in one of two ways. If it goes to sleep, it is a worker as
//    above, and its count is taken off later than the push saw it: F1 is before its F2. If it has
//    found work and was the last to search, it calls wake_one(), whose fence is after F1 for the
//    same reason; that wakes a sleeper, who sees the push, or finds none asleep, and whoever goes
//    to sleep after that sees the push. If it was not the last, the last one is meant; the changes
//    of the count are read-modify-writes that acquire and release, so its fence, too, comes later.
// For this, who moves work from one queue to another must call wake_one() as well, when it has
// done so: a sleeper may have looked while the work was in neither.
//
// test/model/idle_workers.pml checks this exhaustively for small cases, with the pool's queues.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>
#include "coro/detail/pinned.h"

namespace drover::coro {

// std::atomic_thread_fence(std::memory_order_seq_cst), for paths on which its price shows.
//
// For that fence clang emits mfence on x86, which also waits for what no C++ program of this kind
// does (non-temporal stores) and takes 25 ns on the AMD EPYC on which Drover is measured. A locked
// instruction orders all other loads and stores just as well (Intel's manual, volume 3, "Locked
// Instructions and Memory Ordering"; AMD's, volume 2, "Memory Barriers") and takes 3 to 5 ns.
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

  // Where a worker sleeps, in the kernel.
  class Sleeper {
   public:
    // Lets the next sleep(), or the present one, end. Several before that are as one.
    void wake() noexcept;

    void sleep() noexcept;

   private:
    std::atomic<std::uint32_t> woken_{0};
  };

  // All are awake, none searches. Requires: 1 <= workers <= workers_max.
  explicit IdleWorkers(std::size_t workers);

  // After work was made visible. The woken worker counts as searching.
  void wake_one() noexcept {
    // F1 above: pairs with the fence in announce_sleep(), and with itself.
    full_fence();
    const std::uint32_t state = state_.load(std::memory_order_relaxed);
    if (searching(state) == 0 && awake(state) < workers_) wake_sleeper();
  }

  // Whether the worker may search: half of the workers at most do, since more would only be in each
  // other's way.
  bool start_search() noexcept {
    if (2 * searching(state_.load(std::memory_order_relaxed)) >= workers_) return false;
    state_.fetch_add(one_searching, std::memory_order_acq_rel);  // pairs with end_search()
    return true;
  }

  // The searching worker has found work.
  void end_search() noexcept {
    // Acquire and release: pairs with itself and with announce_sleep(), for the argument above.
    const std::uint32_t before = state_.fetch_sub(one_searching, std::memory_order_acq_rel);
    if (searching(before) == 1) wake_one();
  }

  // Takes the worker, and its search, off the count. It must then look through every queue, call
  // wake_one() if there is work, and sleep(). Says whether no worker is awake any more.
  bool announce_sleep(Sleeper& sleeper, bool was_searching) noexcept;

 private:
  static constexpr std::uint32_t one_searching = 1;
  static constexpr std::uint32_t one_awake = 1U << 16;

  static constexpr std::uint32_t searching(std::uint32_t state) noexcept {
    return state % one_awake;
  }
  static constexpr std::uint32_t awake(std::uint32_t state) noexcept { return state / one_awake; }

  void wake_sleeper() noexcept;

  const std::uint32_t workers_;

  // Written when a worker starts or ends a search, sleeps or wakes; read by every push.
  alignas(64) std::atomic<std::uint32_t> state_;

  // The sleepers, the last to sleep being the first to wake: its caches are the warmest. As many as
  // the state says.
  alignas(64) std::mutex mutex_;
  std::vector<Sleeper*> sleepers_;
};

}  // namespace drover::coro
