// Where threads say what they are reading: words that are borrowed for the length of an operation.
//
// Both reclamation schemes need each reader to publish a word (a pointer or an epoch) before it
// reads and to clear it afterwards. The usual way registers each thread, which costs a thread-local
// look-up, a destructor at its end, and an answer to the question what happens when the queue dies
// first. Here a thread takes any free word with one compare-and-swap, which is at the same time the
// store with a full barrier that the schemes need anyway. Threads come and go unseen, and one
// thread may hold several words. A thread begins its search at a place of its own, so that two
// threads seldom meet.
//
// Thread safety: all but the destructor from any thread. borrow() is lock-free: it adds a block of
// words when all are taken; blocks live as long as the object, so their number is that of the most
// operations that were ever under way at once, divided by 16.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "coro/queue/item.h"

namespace drover::queue {

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

}  // namespace drover::queue
