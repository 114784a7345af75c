// BatchQueue: a list of nodes with up to 64 items each. A push links a node with all of its items,
// and pops share a node's items.
//
// It is the list of Michael and Scott (see segment_list.h) and moves a batch by a constant number
// of atomic operations. A pop claims items of the first node by a compare-and-swap on the number of
// items taken, and takes no more than that node has.
//
// Thread safety: all operations except the constructor and the destructor from any thread.
// Linearizable: a batch of up to 64 items is pushed as one step (the link of its node), a longer
// one as several steps. A batch is popped as one step.
// Empty: 0 or false only if the queue was empty at a moment during the call. A batch shorter than
// wanted does not mean that the queue was empty.
// Progress: lock-free except for the allocator.
// Limits: memory. Nodes come from the allocator and return to it, except for up to 32 spare nodes.
//
// Orderings: a node's items and size are written before it is linked (release in append(), acquire
// where `next` or an end of the list is loaded), and do not change while another thread may see
// them. The number of items taken is read before `next` (acquire), and a claim (release) passes on
// what its thread had seen. Otherwise a pop might find a node drained, and then take it for the
// last one by an older value of `next`.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <span>

#include "queue/detail/segment_list.h"
#include "queue/hazard_pointers.h"

namespace drover::queue {

template <QueueItem Item, class Reclamation = HazardPointers>
class BatchQueue {
 public:
  static constexpr std::size_t node_items_max = 64;

  void push(Item item) { push_batch({&item, 1}); }

  void push_batch(std::span<const Item> items) {
    while (!items.empty()) {
      const auto part = items.first(std::min(items.size(), node_items_max));
      Node& node = nodes_.make();
      std::ranges::copy(part, node.items.begin());
      node.size = part.size();
      auto last = nodes_.guard_last();
      while (nodes_.help_append(*last) || !nodes_.append(*last, node)) nodes_.follow_last(last);
      items = items.subspan(part.size());
    }
  }

  bool try_pop(Item& item) { return try_pop_batch({&item, 1}) == 1; }

  std::size_t try_pop_batch(std::span<Item> items) {
    if (items.empty()) return 0;
    auto first = nodes_.guard_first();
    while (true) {
      const std::size_t count = first->take(items);
      if (count > 0) return count;
      if (!nodes_.remove_first(first)) return 0;
    }
  }

  // Returns the number of drained nodes that were not given back yet: at most 32, and one for each
  // operation in progress.
  std::size_t garbage() const noexcept { return nodes_.garbage(); }

 private:
  struct Node : LinkedSegment<Node> {
    // Returns 0 if nothing is left.
    std::size_t take(std::span<Item> wanted) noexcept {
      // Acquire, here and on failure: pairs with the claims, and comes before remove_first().
      std::size_t begin = taken.load(std::memory_order_acquire);
      while (begin < size) {
        const std::size_t count = std::min(wanted.size(), size - begin);
        if (taken.compare_exchange_weak(begin, begin + count, std::memory_order_release,
                                        std::memory_order_acquire)) {
          std::copy_n(items.data() + begin, count, wanted.data());
          return count;
        }
      }
      return 0;
    }

    void reset() noexcept {
      this->next.store(nullptr, std::memory_order_relaxed);
      taken.store(0, std::memory_order_relaxed);
    }

    std::atomic<std::size_t> taken{0};
    std::size_t size = 0;
    std::array<Item, node_items_max> items;
  };

  SegmentList<Node, Reclamation> nodes_{{.spare_max = 32, .scan_at = 32}};
};

}  // namespace drover::queue
