// How a thread waits for another one that is in the middle of a few instructions.
//
// Not shared: each wait has its own Backoff. It is polite for a moment and then yields the
// processor at each step, because on a machine with few of them the awaited thread may need ours.
#pragma once

#include <thread>

namespace drover::queue {

// Tells the processor that this is a loop of waiting.
inline void spin_hint() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

class Backoff {
 public:
  void wait() noexcept {
    if (steps_ < spins_max) {
      ++steps_;
      spin_hint();
    } else {
      std::this_thread::yield();
    }
  }

 private:
  static constexpr unsigned spins_max = 32;

  unsigned steps_ = 0;
};

}  // namespace drover::queue
