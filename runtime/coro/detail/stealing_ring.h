// StealingRing: a bounded FIFO with one owner, from which any thread may steal half.
//
// The scheme is that of the run queue in Tokio's multi-thread scheduler, which follows Go's. Unlike
// the deque of Chase and Lev ("Dynamic circular work-stealing deque", 2005) it hands out the oldest
// item first, and lets a thief take half of all items by one compare-and-swap.
//
// The indexes only increase, modulo 2^32. `head_` packs two of them, so that they change together:
//
//     steal <= real <= tail            slots [real, tail) hold items that may be taken,
//                                      slots [steal, real) belong to a thief that is copying them
//
// Except during a theft, steal == real. There is one thief at a time: only a thief moves `real`
// away from `steal`, and other thieves see that the two differ and give up.
//
// Thread safety: try_push(), pop(), take_half() and the target of steal_half() are for the owner's
// thread. steal_half() from this ring and worth_stealing() are for any thread.
//
// Why it is correct:
//  1. An item is handed out once. A thread takes items by a compare-and-swap that moves `real` over
//     them, from the very value that it had read.
//  2. A thief reads written slots. The owner stores `tail_` with release after the slot. The thief
//     reads it with acquire before it claims the slot.
//  3. A slot is not overwritten while a thief reads it. The thief keeps `steal` back while it
//     copies, and try_push() counts from `steal`. The thief advances `steal` with release after its
//     reads, and try_push() reads `head_` with acquire before it writes. A later pop() of the owner
//     is a read-modify-write and so continues the thief's release sequence.
//  4. A thief never computes a negative count. It reads `head_` with acquire, and every change of
//     `head_` is a release by a thread that had seen a tail at or beyond it. So the tail that the
//     thief reads afterwards is at or beyond that head.
//  5. If a head that a thief has read recurred while the thief stalls, it would be taken for
//     unchanged. That takes an exact multiple of 2^32 items within one stall, which lasts minutes
//     at least.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include "coro/detail/intrusive.h"

namespace drover::coro {

template <class T, std::uint32_t ring_capacity = 256>
class StealingRing : Pinned {
 public:
  static constexpr std::uint32_t capacity = ring_capacity;
  static_assert(std::has_single_bit(capacity) && capacity >= 2);

  // Tests choose `first_index` so that the indexes overflow.
  explicit StealingRing(std::uint32_t first_index = 0) noexcept
      : head_(pack({first_index, first_index})), tail_(first_index) {}

  // Returns false if there is no room.
  bool try_push(T* item) noexcept {
    const std::uint32_t tail = tail_.load(std::memory_order_relaxed);
    // Acquire: pairs with end_theft(), so that the thief's reads of the slots come first.
    const Head head = unpack(head_.load(std::memory_order_acquire));
    if (tail - head.steal >= capacity) return false;
    slot(tail) = item;
    // Release: pairs with steal_half(), which reads the slot.
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

  // Returns the oldest item, or null.
  T* pop() noexcept {
    const std::uint32_t tail = tail_.load(std::memory_order_relaxed);
    std::uint64_t seen = head_.load(std::memory_order_relaxed);
    for (;;) {
      const Head head = unpack(seen);
      if (head.real == tail) return nullptr;
      // Release: pairs with the acquire of steal_half(), which must not see a tail before this.
      if (head_.compare_exchange_weak(seen, pack(advanced(head, 1)), std::memory_order_release,
                                      std::memory_order_relaxed)) {
        return slot(head.real);
      }
    }
  }

  // Moves the older half of the items to `out` and returns their number. Returns 0 if a thief is at
  // work or there are fewer than two items.
  std::size_t take_half(std::span<T*, capacity / 2> out) noexcept {
    const std::uint32_t tail = tail_.load(std::memory_order_relaxed);
    std::uint64_t seen = head_.load(std::memory_order_relaxed);
    const Head head = unpack(seen);
    if (head.steal != head.real) return 0;
    const std::uint32_t count = (tail - head.real) / 2;
    // Release: as in pop(). The slots do not change, because only the owner writes them.
    if (!head_.compare_exchange_strong(seen, pack(advanced(head, count)), std::memory_order_release,
                                       std::memory_order_relaxed)) {
      return 0;
    }
    for (std::uint32_t i = 0; i < count; ++i) out[i] = slot(head.real + i);
    return count;
  }

  // Takes the older half, rounded up. Returns its oldest item, and moves the others to `target`,
  // whose owner is the calling thread. Returns null if there is no item or another thief is at
  // work.
  T* steal_half(StealingRing& target) noexcept {
    const std::uint32_t target_tail = target.tail_.load(std::memory_order_relaxed);
    const std::uint32_t room = target.room();
    // Acquire: pairs with every change of head_, so that the tail read below is not behind it.
    std::uint64_t seen = head_.load(std::memory_order_acquire);
    Head head{};
    std::uint32_t count = 0;
    for (;;) {
      head = unpack(seen);
      if (head.steal != head.real) return nullptr;
      // Acquire: pairs with try_push(), which wrote the slots.
      const std::uint32_t tail = tail_.load(std::memory_order_acquire);
      const std::uint32_t available = tail - head.real;
      count = std::min(available - available / 2, room + 1);
      if (count == 0) return nullptr;
      // Release: as in pop().
      if (head_.compare_exchange_weak(seen, pack({head.steal, head.real + count}),
                                      std::memory_order_acq_rel, std::memory_order_acquire)) {
        break;
      }
    }
    assert(count <= capacity / 2 && "a stale head is not exchanged");
    T* oldest = slot(head.real);
    for (std::uint32_t i = 1; i < count; ++i) {
      target.slot(target_tail + i - 1) = slot(head.real + i);
    }
    end_theft();
    // Release: pairs with a thief of the target.
    target.tail_.store(target_tail + count - 1, std::memory_order_release);
    return oldest;
  }

  // Returns true if steal_half() is likely to find an item. Does not overlook an item that was
  // pushed before the calling thread's last sequentially consistent fence, unless it was taken or a
  // thief is at work.
  bool worth_stealing() const noexcept {
    const Head head = unpack(head_.load(std::memory_order_relaxed));
    return head.real != tail_.load(std::memory_order_relaxed) && head.steal == head.real;
  }

 private:
  struct Head {
    std::uint32_t steal;
    std::uint32_t real;
  };

  static constexpr std::uint64_t pack(Head head) noexcept {
    return std::uint64_t{head.steal} << 32 | head.real;
  }
  static constexpr Head unpack(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word)};
  }

  // Returns the head after the owner has taken `count` items. A thief at work keeps its slots.
  static constexpr Head advanced(Head head, std::uint32_t count) noexcept {
    const std::uint32_t real = head.real + count;
    return {head.steal == head.real ? real : head.steal, real};
  }

  T*& slot(std::uint32_t index) noexcept { return slots_[index % capacity]; }

  // Returns how many items fit. For the owner.
  std::uint32_t room() const noexcept {
    // Acquire: as in try_push().
    const Head head = unpack(head_.load(std::memory_order_acquire));
    return capacity - (tail_.load(std::memory_order_relaxed) - head.steal);
  }

  void end_theft() noexcept {
    std::uint64_t seen = head_.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint32_t real = unpack(seen).real;  // the owner may have popped meanwhile
      // Release: pairs with try_push() and room(), so that the reads come before the owner's
      // writes.
      if (head_.compare_exchange_weak(seen, pack({real, real}), std::memory_order_release,
                                      std::memory_order_relaxed)) {
        return;
      }
    }
  }

  // Written by the owner and by thieves.
  alignas(64) std::atomic<std::uint64_t> head_;

  // Written by the owner only. A slot is written before the tail passes it.
  alignas(64) std::atomic<std::uint32_t> tail_;
  std::array<T*, capacity> slots_;
};

}  // namespace drover::coro
