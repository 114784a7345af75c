// The common part of the reclamation schemes: the words by which readers protect nodes, and the
// list of retired nodes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "queue/item.h"

namespace drover::queue {

// Base of the nodes that a scheme gives back.
struct Retired {
  Retired* next_retired = nullptr;  // in the list of retired or of spare nodes
  std::uint64_t retired_at = 0;     // EpochReclamation: the epoch
};

// Words that readers borrow for an operation. A reader publishes a pointer or an epoch in its word
// before it reads, and clears the word afterwards.
//
// Threads do not register: a thread takes any free word by one compare-and-swap, which is also the
// store with a full barrier that the schemes need. A thread may hold several words. Each thread
// begins its search at a different word, so threads seldom meet.
//
// Thread safety: all operations except the destructor from any thread. borrow() is lock-free: it
// adds a block of words if all are taken. Blocks live as long as the object, so their number is the
// largest number of concurrent operations, divided by 16.
class ReaderSlots {
 public:
  using Word = std::atomic<std::uintptr_t>;
  static constexpr std::size_t block_size = 16;

  ReaderSlots() = default;
  ReaderSlots(const ReaderSlots&) = delete;
  ReaderSlots& operator=(const ReaderSlots&) = delete;
  ~ReaderSlots();

  // Takes a free word and stores `value` there, sequentially consistent. Requires: value != 0.
  Word& borrow(std::uintptr_t value) {
    const std::size_t preferred = thread_number() % block_size;
    Word& word = first_.slots[preferred].word;
    return try_take(word, value) ? word : borrow_elsewhere(preferred, value);
  }

  // Release: reads under the word's protection happen before its reuse. Pairs with the loads of
  // any() and with the next borrow().
  static void give_back(Word& word) noexcept { word.store(0, std::memory_order_release); }

  // Returns true if `test(value)` does for a word in use. The loads are sequentially consistent.
  template <class Test>
  bool any(Test test) const noexcept {
    for (const Block* block = &first_; block != nullptr;
         block = block->next.load(std::memory_order_seq_cst)) {
      for (const Slot& slot : block->slots) {
        const std::uintptr_t value = slot.word.load(std::memory_order_seq_cst);
        if (value != 0 && test(value)) return true;
      }
    }
    return false;
  }

  // Returns the number of words, for tests.
  std::size_t capacity() const noexcept;

 private:
  struct alignas(cache_line_bytes) Slot {
    Word word{0};
  };

  struct Block {
    std::array<Slot, block_size> slots;
    std::atomic<Block*> next{nullptr};
  };

  static bool try_take(Word& word, std::uintptr_t value) noexcept {
    std::uintptr_t free = 0;
    return word.load(std::memory_order_relaxed) == 0 &&
           word.compare_exchange_strong(free, value, std::memory_order_seq_cst,
                                        std::memory_order_relaxed);
  }

  // Returns a small number for each thread, in the order of their first calls.
  static std::size_t thread_number() noexcept {
    static constinit std::atomic<std::size_t> threads{0};
    static constinit thread_local std::size_t number = 0;  // 0: none yet
    if (number == 0) number = threads.fetch_add(1, std::memory_order_relaxed) + 1;
    return number;
  }

  Word& borrow_elsewhere(std::size_t preferred, std::uintptr_t value);

  Block first_;
};

// Base of the schemes: the retired nodes that were not given back yet.
class Reclamation {
 public:
  using Dispose = void (*)(void* owner, Retired& node) noexcept;

  Reclamation(const Reclamation&) = delete;
  Reclamation& operator=(const Reclamation&) = delete;

  // Calls `dispose(owner, node)` once for each retired node, on any thread. A scan begins when
  // `scan_at` nodes wait.
  Reclamation(void* owner, Dispose dispose, std::size_t scan_at) noexcept
      : owner_(owner), dispose_(dispose), scan_at_(scan_at) {}

  // Returns the number of retired nodes that were not given back yet.
  std::size_t garbage() const noexcept { return garbage_.load(std::memory_order_relaxed); }

 protected:
  // Requires: no guard exists any more.
  ~Reclamation() {
    give_back_unless([](const Retired&) { return false; });
  }

  // Stores a retired node. Returns true if it is time for a scan.
  bool keep(Retired& node) noexcept {
    const std::size_t waiting = garbage_.fetch_add(1, std::memory_order_relaxed) + 1;
    push(node);
    return waiting >= scan_at_;
  }

  // Several threads may scan at once, each the nodes that it has taken.
  template <class InUse>
  void give_back_unless(InUse in_use) noexcept {
    // Acquire: pairs with push(). No operation pops a single node, so a node that leaves and
    // returns (the ABA problem) does no harm.
    for (Retired* node = retired_.exchange(nullptr, std::memory_order_acquire); node != nullptr;) {
      Retired& candidate = *node;
      node = node->next_retired;
      if (in_use(candidate)) {
        push(candidate);
      } else {
        garbage_.fetch_sub(1, std::memory_order_relaxed);
        dispose_(owner_, candidate);
      }
    }
  }

 private:
  void push(Retired& node) noexcept {
    node.next_retired = retired_.load(std::memory_order_relaxed);
    while (!retired_.compare_exchange_weak(node.next_retired, &node, std::memory_order_release,
                                           std::memory_order_relaxed)) {
    }
  }

  void* const owner_;
  const Dispose dispose_;
  const std::size_t scan_at_;

 protected:
  ReaderSlots slots_;  // written by readers

 private:
  // Written by threads that retire.
  alignas(cache_line_bytes) std::atomic<std::size_t> garbage_{0};
  std::atomic<Retired*> retired_{nullptr};  // linked by `next_retired`
};

}  // namespace drover::queue
