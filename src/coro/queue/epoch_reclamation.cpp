#include "coro/queue/epoch_reclamation.h"

namespace drover::queue {

EpochReclamation::~EpochReclamation() {
  for (Retired* node = retired_.take_all(); node != nullptr;) {
    Retired& done = *node;
    node = node->next_retired;
    dispose_(owner_, done);
  }
}

ReaderSlots::Word& EpochReclamation::enter() {
  std::uint64_t epoch = epoch_.load(std::memory_order_seq_cst);
  ReaderSlots::Word& word = slots_.borrow(epoch);
  // An epoch that was left behind between the load and the store would protect nothing.
  for (std::uint64_t now = epoch_.load(std::memory_order_seq_cst); now != epoch;
       now = epoch_.load(std::memory_order_seq_cst)) {
    epoch = now;
    word.store(epoch, std::memory_order_seq_cst);
  }
  return word;
}

void EpochReclamation::retire(Retired& node) noexcept {
  node.retired_at = epoch_.load(std::memory_order_seq_cst);
  const std::size_t waiting = garbage_.fetch_add(1, std::memory_order_relaxed) + 1;
  retired_.push(node);
  if (waiting < scan_at_) return;
  advance();
  collect();
}

void EpochReclamation::advance() noexcept {
  std::uint64_t epoch = epoch_.load(std::memory_order_seq_cst);
  if (slots_.any([epoch](std::uintptr_t word) { return word != epoch; })) return;
  // Another thread may have done it since: one step is enough.
  epoch_.compare_exchange_strong(epoch, epoch + 1, std::memory_order_seq_cst);
}

// What the readers did happens before what is done here: through their words to whoever moved the
// epoch on, and through the epoch to us.
void EpochReclamation::collect() noexcept {
  const std::uint64_t now = epoch_.load(std::memory_order_seq_cst);
  for (Retired* node = retired_.take_all(); node != nullptr;) {
    Retired& candidate = *node;
    node = node->next_retired;
    if (candidate.retired_at + 2 > now) {
      retired_.push(candidate);
    } else {
      garbage_.fetch_sub(1, std::memory_order_relaxed);
      dispose_(owner_, candidate);
    }
  }
}

}  // namespace drover::queue
