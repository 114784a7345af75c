#include "coro/detail/idle_workers.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cassert>
#include <stdexcept>

namespace drover::coro {
namespace {

// The kernel is given the address of the word itself.
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futex_wake(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

std::uint32_t checked_count(std::size_t workers) {
  if (workers < 1 || workers > IdleWorkers::workers_max) {
    throw std::invalid_argument("a pool has between 1 and 1024 workers");
  }
  return static_cast<std::uint32_t>(workers);
}

}  // namespace

void IdleWorkers::Sleeper::wake() noexcept {
  // Release: pairs with sleep(), so that the woken sees what it was woken for.
  if (woken_.exchange(1, std::memory_order_release) == 0) futex_wake(woken_);
}

void IdleWorkers::Sleeper::sleep() noexcept {
  // Acquire: pairs with wake().
  while (woken_.exchange(0, std::memory_order_acquire) == 0) futex_wait(woken_, 0);
}

IdleWorkers::IdleWorkers(std::size_t workers)
    : workers_(checked_count(workers)), state_(workers_ * one_awake) {
  sleepers_.reserve(workers);
}

bool IdleWorkers::announce_sleep(Sleeper& sleeper, bool was_searching) noexcept {
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

void IdleWorkers::wake_sleeper() noexcept {
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

}  // namespace drover::coro
