#include "queue/epoch_reclamation.h"
#include "queue/hazard_pointers.h"

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
    // A scan that must see the word must see its block first. The block is linked before the word
    // is taken, and both operations and the loads of any() are sequentially consistent. So the
    // scheme's argument for the word holds for the link as well.
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

void HazardPointers::retire(Retired& node) noexcept {
  if (!keep(node)) return;
  give_back_unless([this](const Retired& candidate) {
    const auto address = reinterpret_cast<std::uintptr_t>(&candidate);
    return slots_.any([address](std::uintptr_t word) { return word == address; });
  });
}

ReaderSlots::Word& EpochReclamation::enter() {
  std::uint64_t epoch = epoch_.load(std::memory_order_seq_cst);
  ReaderSlots::Word& word = slots_.borrow(epoch);
  // An epoch that ended between the load and the store would protect nothing.
  for (std::uint64_t now = epoch_.load(std::memory_order_seq_cst); now != epoch;
       now = epoch_.load(std::memory_order_seq_cst)) {
    epoch = now;
    word.store(epoch, std::memory_order_seq_cst);
  }
  return word;
}

// Reads happen before the disposal: through the readers' words to the thread that advanced the
// epoch, and through the epoch to this thread.
void EpochReclamation::retire(Retired& node) noexcept {
  node.retired_at = epoch_.load(std::memory_order_seq_cst);
  if (!keep(node)) return;
  advance();
  const std::uint64_t now = epoch_.load(std::memory_order_seq_cst);
  give_back_unless([now](const Retired& candidate) { return candidate.retired_at + 2 > now; });
}

void EpochReclamation::advance() noexcept {
  std::uint64_t epoch = epoch_.load(std::memory_order_seq_cst);
  if (slots_.any([epoch](std::uintptr_t word) { return word != epoch; })) return;
  // If another thread has advanced the epoch meanwhile, that suffices.
  epoch_.compare_exchange_strong(epoch, epoch + 1, std::memory_order_seq_cst);
}

}  // namespace drover::queue
