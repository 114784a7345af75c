// Pauses within a queue's operations: short spins, and hooks at which tests stop an operation.
#pragma once

namespace drover::queue {

// Returns true as soon as `done()` does, or false after 16 attempts (about a microsecond). A thread
// that has claimed a slot is only a few instructions from done, unless the kernel stopped it.
template <class Done>
bool spin_until(Done done) noexcept {
  for (int attempt = 0; attempt < 16; ++attempt) {
    if (done()) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  return false;
}

// Hooks that do nothing. A test gives a queue a class with the same functions, which run other
// operations or give up the processor, so that rare interleavings happen.
struct NoInterleaving {
  static void claimed() noexcept {}  // in a push: slots are claimed but not published
  static void looked() noexcept {}   // in a pop: the queue was read, but nothing is taken
};

}  // namespace drover::queue
