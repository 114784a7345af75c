#include "coro/queue/reader_slots.h"

namespace drover::queue {

ReaderSlots::~ReaderSlots() {
  Block* block = first_.next.load(std::memory_order_acquire);
  while (block != nullptr) {
    Block* next = block->next.load(std::memory_order_acquire);
    delete block;
    block = next;
  }
}

ReaderSlots::Word& ReaderSlots::borrow_elsewhere(std::size_t preferred, std::uintptr_t value) {
  Block* block = &first_;
  while (true) {
    for (std::size_t i = 0; i < block_size; ++i) {
      Word& word = block->slots[(preferred + i) % block_size].word;
      if (try_take(word, value)) return word;
    }
    // A scan that must see the word must see its block first. The link is made before the word is
    // taken, both are sequentially consistent, and so are the loads of any(): what holds for the
    // word in the argument of the reclamation scheme holds for the link as well.
    Block* next = block->next.load(std::memory_order_seq_cst);
    if (next == nullptr) {
      auto* fresh = new Block;
      if (block->next.compare_exchange_strong(next, fresh, std::memory_order_seq_cst)) {
        next = fresh;
      } else {
        delete fresh;
      }
    }
    block = next;
  }
}

std::size_t ReaderSlots::capacity() const noexcept {
  std::size_t result = 0;
  for (const Block* block = &first_; block != nullptr;
       block = block->next.load(std::memory_order_acquire)) {
    result += block_size;
  }
  return result;
}

}  // namespace drover::queue
