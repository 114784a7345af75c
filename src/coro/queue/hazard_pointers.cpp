#include "coro/queue/hazard_pointers.h"

namespace drover::queue {

HazardPointers::~HazardPointers() {
  for (Retired* node = retired_.take_all(); node != nullptr;) {
    Retired& done = *node;
    node = node->next_retired;
    dispose_(owner_, done);
  }
}

void HazardPointers::retire(Retired& node) noexcept {
  const std::size_t waiting = garbage_.fetch_add(1, std::memory_order_relaxed) + 1;
  retired_.push(node);
  if (waiting >= scan_at_) scan();
}

// Several threads may scan at once, each what it has taken.
void HazardPointers::scan() noexcept {
  for (Retired* node = retired_.take_all(); node != nullptr;) {
    Retired& candidate = *node;
    node = node->next_retired;
    const auto address = reinterpret_cast<std::uintptr_t>(&candidate);
    if (slots_.any([address](std::uintptr_t word) { return word == address; })) {
      retired_.push(candidate);
    } else {
      garbage_.fetch_sub(1, std::memory_order_relaxed);
      dispose_(owner_, candidate);
    }
  }
}

}  // namespace drover::queue
