// full_fence(): std::atomic_thread_fence(std::memory_order_seq_cst), for paths on which its price
// shows.
//
// For that fence clang emits mfence on x86, which also waits for what no C++ program of this kind
// does (non-temporal stores) and takes 25 ns on the AMD EPYC on which Drover is measured. A locked
// instruction orders all other loads and stores just as well (Intel's manual, volume 3, "Locked
// Instructions and Memory Ordering"; AMD's, volume 2, "Memory Barriers") and takes 3 to 5 ns; the
// one here, on the stack, is what GCC and the Linux kernel use for the purpose. Elsewhere it is the
// standard's fence.
//
// Thread safety: any thread.
#pragma once

#include <atomic>

namespace drover::coro {

inline void full_fence() noexcept {
#if defined(__x86_64__)
  // The memory clobber keeps the compiler from moving accesses across, as the fence would.
  asm volatile("lock; orq $0, (%%rsp)" ::: "memory", "cc");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace drover::coro
