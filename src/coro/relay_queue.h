// RelayQueue: a lock-free FIFO of pointers for many producers and many consumers, with a fixed
// number of places.
//
// The algorithm is the one of Michael and Scott ("Simple, fast, and practical non-blocking and
// blocking concurrent queue algorithms", 1996) in its original form: nodes come from a free list
// and are never given back to the heap while the queue lives, and every link carries a count of its
// changes. So no reclamation scheme is needed: a node that a stalled thread still looks at stays a
// node, and its compare-and-swap fails on the count. A link is a 32-bit index and a 32-bit count in
// one 64-bit word.
//
// Thread safety: everything is for any thread. Linearizable. What is reachable from a pushed
// pointer is visible to whoever pops it.
//
// Why it is correct:
//  1. `head_` and `tail_` move along one chain of nodes, and only forward; the last node is the one
//     whose `next` has no index. A push takes effect when it sets that `next`, a pop when it moves
//     `head_`. `tail_` may lag by a node; whoever finds it so moves it on before anything else.
//  2. Who follows an index has the node's fields: a node's `next` is reset, and its item set,
//     before the release that links it; links are read with acquire, and a thread that moves
//     `tail_` or `head_` on has acquired the link before it releases the new value.
//  3. A pop may read the item of a node that was taken and used again since. The item is atomic, so
//     that this is no race, and the move of `head_` then fails on the count, as `head_` has moved.
//  4. pop() says empty only of a head that was the head still after its `next` had been read: a
//     `next` that was reset for another use is read with acquire, and so the move of `head_` that
//     came before that is seen.
//  5. Counts come round after 2^32 changes of one word. To be fooled, a thread would have to stall
//     over an exact multiple of that.
#pragma once

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace drover::coro {

template <class T>
class RelayQueue {
 public:
  static constexpr std::size_t capacity_max = std::size_t{1} << 30;

  // Requires: 1 <= capacity <= capacity_max, or throws std::invalid_argument.
  explicit RelayQueue(std::size_t capacity)
      : nodes_(capacity >= 1 && capacity <= capacity_max
                   ? capacity + 1  // the head is a node without an item
                   : throw std::invalid_argument("a relay queue's capacity")) {
    constexpr std::uint64_t first = pack({.index = 0, .count = 0});
    head_.store(first, std::memory_order_relaxed);
    tail_.store(first, std::memory_order_relaxed);
    for (std::uint32_t i = 1; i < nodes_.size(); ++i) {
      nodes_[i].next_free.store(i + 1 < nodes_.size() ? i + 1 : none, std::memory_order_relaxed);
    }
    free_.store(pack({.index = 1, .count = 0}), std::memory_order_relaxed);
  }
  RelayQueue(const RelayQueue&) = delete;
  RelayQueue& operator=(const RelayQueue&) = delete;
  ~RelayQueue() { assert(empty() && "items were dropped"); }

  // False if every place is taken. Requires: not null.
  bool try_push(T* item) noexcept {
    assert(item != nullptr);
    const std::uint32_t index = take_free();
    if (index == none) return false;
    nodes_[index].item.store(item, std::memory_order_relaxed);
    const Link before = unpack(nodes_[index].next.load(std::memory_order_relaxed));
    // Release: pairs with empty() and try_pop(), see 4.
    nodes_[index].next.store(pack({.index = none, .count = before.count + 1}),
                             std::memory_order_release);
    append(index);
    return true;
  }

  // The oldest item, or null if there was none.
  T* try_pop() noexcept {
    for (;;) {
      // Acquire: these pair with the releases that moved them, see 2.
      std::uint64_t head_word = head_.load(std::memory_order_acquire);
      const std::uint64_t tail_word = tail_.load(std::memory_order_acquire);
      const Link head = unpack(head_word);
      // Acquire: pairs with append(), which linked the node, and with try_push(), see 4.
      const std::uint64_t next_word = nodes_[head.index].next.load(std::memory_order_acquire);
      const Link next = unpack(next_word);
      if (head_word != head_.load(std::memory_order_acquire)) continue;
      if (next.index == none) return nullptr;
      if (head.index == unpack(tail_word).index) {
        move_tail(tail_word, next.index);
        continue;
      }
      T* item = nodes_[next.index].item.load(std::memory_order_relaxed);
      // Release: pairs with the acquire of head_ above.
      if (head_.compare_exchange_weak(head_word,
                                      pack({.index = next.index, .count = head.count + 1}),
                                      std::memory_order_acq_rel, std::memory_order_relaxed)) {
        give_free(head.index);
        return item;
      }
    }
  }

  // Whether there was nothing at some moment of the call. An item that was pushed before the last
  // sequentially consistent fence of the calling thread is not overlooked, unless it was taken.
  bool empty() const noexcept {
    for (;;) {
      // Acquire: as in try_pop().
      const std::uint64_t head_word = head_.load(std::memory_order_acquire);
      const Link next =
          unpack(nodes_[unpack(head_word).index].next.load(std::memory_order_acquire));
      if (head_word == head_.load(std::memory_order_acquire)) return next.index == none;
    }
  }

  // Whether the next push is likely to be refused.
  bool full() const noexcept { return unpack(free_.load(std::memory_order_relaxed)).index == none; }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  struct Link {
    std::uint32_t index;
    std::uint32_t count;
  };

  struct Node {
    std::atomic<std::uint64_t> next{pack({.index = none, .count = 0})};
    std::atomic<T*> item{nullptr};
    std::atomic<std::uint32_t> next_free{none};
  };

  static constexpr std::uint64_t pack(Link link) noexcept {
    return std::uint64_t{link.count} << 32 | link.index;
  }
  static constexpr Link unpack(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
  }

  void append(std::uint32_t index) noexcept {
    for (;;) {
      // Acquire: both as in try_pop().
      std::uint64_t tail_word = tail_.load(std::memory_order_acquire);
      const Link tail = unpack(tail_word);
      std::uint64_t next_word = nodes_[tail.index].next.load(std::memory_order_acquire);
      const Link next = unpack(next_word);
      if (tail_word != tail_.load(std::memory_order_acquire)) continue;
      if (next.index != none) {
        move_tail(tail_word, next.index);
        continue;
      }
      // Release: pairs with the acquire of whoever follows the link.
      if (nodes_[tail.index].next.compare_exchange_weak(
              next_word, pack({.index = index, .count = next.count + 1}), std::memory_order_release,
              std::memory_order_relaxed)) {
        move_tail(tail_word, index);
        return;
      }
    }
  }

  // Fails when another thread has done it.
  void move_tail(std::uint64_t tail_word, std::uint32_t index) noexcept {
    const std::uint32_t count = unpack(tail_word).count + 1;
    // Release: pairs with the acquire of tail_ in append() and try_pop().
    tail_.compare_exchange_strong(tail_word, pack({.index = index, .count = count}),
                                  std::memory_order_release, std::memory_order_relaxed);
  }

  // The free list is a stack after Treiber, its top counted for the same reason.
  std::uint32_t take_free() noexcept {
    // Acquire, here and on failure: pairs with give_free(), which has set next_free.
    std::uint64_t seen = free_.load(std::memory_order_acquire);
    for (;;) {
      const Link top = unpack(seen);
      if (top.index == none) return none;
      const std::uint32_t below = nodes_[top.index].next_free.load(std::memory_order_relaxed);
      if (free_.compare_exchange_weak(seen, pack({.index = below, .count = top.count + 1}),
                                      std::memory_order_acquire, std::memory_order_acquire)) {
        return top.index;
      }
    }
  }

  void give_free(std::uint32_t index) noexcept {
    std::uint64_t seen = free_.load(std::memory_order_relaxed);
    for (;;) {
      const Link top = unpack(seen);
      nodes_[index].next_free.store(top.index, std::memory_order_relaxed);
      // Release: pairs with take_free(). It also puts the move of head_ that freed the node before
      // the node's next use.
      if (free_.compare_exchange_weak(seen, pack({.index = index, .count = top.count + 1}),
                                      std::memory_order_release, std::memory_order_relaxed)) {
        return;
      }
    }
  }

  std::vector<Node> nodes_;

  // Written by consumers.
  alignas(64) std::atomic<std::uint64_t> head_;

  // Written by producers, and by consumers that find it behind.
  alignas(64) std::atomic<std::uint64_t> tail_;

  // Written by both.
  alignas(64) std::atomic<std::uint64_t> free_;
};

}  // namespace drover::coro
