// What both schemes of reclamation are made of: what a node must have to be given back, where threads
// say what they are reading, and the list of the nodes that wait.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "queue/item.h"

namespace drover::queue {

struct Retired {
  Retired* next_retired = nullptr;  // used by whichever list the node is in
  std::uint64_t retired_at = 0;     // an epoch, with EpochReclamation
};

// Words that are borrowed for the length of an operation: a reader publishes a word (a pointer or an
// epoch) before it reads, and clears it afterwards.
//
// No thread registers: it takes any free word with one compare-and-swap, which is at the same time the
// store with a full barrier that the schemes need anyway. Threads come and go unseen, and one thread
// may hold several words. It begins its search at a place of its own, so that two seldom meet.
//
// Thread safety: all but the destructor from any thread. borrow() is lock-free: it adds a block of
// words when all are taken; blocks live as long as the object, so their number is that of the most
// operations that were ever under way at once, divided by 16.
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

  // What was read under the word's protection happens before its reuse: the release pairs with the
  // loads of any() and with the next borrow().
  static void give_back(Word& word) noexcept { word.store(0, std::memory_order_release); }

  // Whether `test(value)` holds for a word in use. The loads are sequentially consistent.
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

  // For tests.
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

  // Small numbers in the order in which threads first came here.
  static std::size_t thread_number() noexcept {
    static constinit std::atomic<std::size_t> threads{0};
    static constinit thread_local std::size_t number = 0;  // 0: not yet given
    if (number == 0) number = threads.fetch_add(1, std::memory_order_relaxed) + 1;
    return number;
  }

  Word& borrow_elsewhere(std::size_t preferred, std::uintptr_t value);

  Block first_;
};

// The base of the schemes: the nodes that were retired and not given back yet.
class Reclamation {
 public:
  using Dispose = void (*)(void* owner, Retired& node) noexcept;

  Reclamation(const Reclamation&) = delete;
  Reclamation& operator=(const Reclamation&) = delete;

  // `dispose(owner, node)` is called once for each retired node, on any thread.
  Reclamation(void* owner, Dispose dispose, std::size_t scan_at) noexcept
      : owner_(owner), dispose_(dispose), scan_at_(scan_at) {}

  // How many retired nodes were not given back yet.
  std::size_t garbage() const noexcept { return garbage_.load(std::memory_order_relaxed); }

 protected:
  // When nobody is inside any more.
  ~Reclamation() {
    give_back_unless([](const Retired&) { return false; });
  }

  // Says whether so many wait that it is time to look through them.
  bool keep(Retired& node) noexcept {
    const std::size_t waiting = garbage_.fetch_add(1, std::memory_order_relaxed) + 1;
    push(node);
    return waiting >= scan_at_;
  }

  // Several threads may do this at once, each with what it has taken.
  template <class InUse>
  void give_back_unless(InUse in_use) noexcept {
    // Acquire: pairs with push(). There is no pop of a single node, so one that leaves and comes back
    // (the ABA problem) does no harm.
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
  alignas(cache_line_bytes) std::atomic<std::size_t> garbage_{0};  // these by those who retire
  std::atomic<Retired*> retired_{nullptr};                         // through `next_retired`
};

}  // namespace drover::queue
