// WorkerSeat: at most one thread at a time is the worker's: the one inside run_until(), or one that
// acts in its place while there is none. From any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace drover::coro {

class WorkerSeat {
 public:
  bool taken() const noexcept {
    return is_taken(word_.load(std::memory_order_acquire));  // pairs with leave()
  }

  bool try_take() noexcept {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    return !is_taken(seen) && take_from(seen);
  }

  // Waits until it is free.
  void take() noexcept {
    wait_or_take([] { return false; });
  }

  // By who has it.
  void leave() noexcept { change(1); }

  // By who has it: wakes those who wait, to ask again whether it is done.
  void tell() noexcept { change(2); }

  // Waits until `done()` says true, or until the seat is free and this thread has taken it: then
  // false. `done` reads what was written before a tell() or leave().
  template <class Done>
  bool wait_or_take(Done done) noexcept {
    for (;;) {
      // Acquire: pairs with change(). Before done() is asked, so that a change that comes after the
      // answer is not slept over.
      std::uint32_t seen = word_.load(std::memory_order_acquire);
      if (done()) return true;
      if (is_taken(seen)) {
        word_.wait(seen, std::memory_order_relaxed);
      } else if (take_from(seen)) {
        return false;
      }
    }
  }

 private:
  static bool is_taken(std::uint32_t word) noexcept { return (word & 1) != 0; }

  // Acquire: pairs with change(). Whoever takes the seat sees what was done in it before.
  bool take_from(std::uint32_t& seen) noexcept {
    return word_.compare_exchange_strong(seen, seen + 1, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }

  void change(std::uint32_t by) noexcept {
    word_.fetch_add(by, std::memory_order_release);  // pairs with wait_or_take() and taken()
    word_.notify_all();
  }

  std::atomic<std::uint32_t> word_{0};  // odd: taken; never the same twice, but for an overflow
};

}  // namespace drover::coro
