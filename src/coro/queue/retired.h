// What a node must have to be given back by a reclamation scheme, and the list of those that wait.
//
// RetiredList: push() and take_all() from any thread, lock-free. There is no pop of a single node,
// so a node that leaves and comes back (the ABA problem) does no harm.
#pragma once

#include <atomic>
#include <cstdint>

namespace drover::queue {

struct Retired {
  Retired* next_retired = nullptr;  // used by whichever list the node is in
  std::uint64_t retired_at = 0;     // an epoch, with EpochReclamation
};

class RetiredList {
 public:
  void push(Retired& node) noexcept {
    // The release pairs with the acquire of take_all().
    node.next_retired = first_.load(std::memory_order_relaxed);
    while (!first_.compare_exchange_weak(node.next_retired, &node, std::memory_order_release,
                                         std::memory_order_relaxed)) {
    }
  }

  // A chain through `next_retired`, the newest first; the caller's own from now on.
  Retired* take_all() noexcept { return first_.exchange(nullptr, std::memory_order_acquire); }

 private:
  std::atomic<Retired*> first_{nullptr};
};

}  // namespace drover::queue
