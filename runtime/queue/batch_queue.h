// A list of batches: every push links a node that holds all of its items; pops share a node out.
//
// The list of Michael and Scott (see segment_list.h) with up to 64 items to a node, the simplest
// queue that moves a batch by a constant number of atomic operations. A pop claims items of the
// first node by a compare-and-swap on the count of those taken, and takes no more than that node
// has.
//
// Thread safety: all but the constructor and the destructor from any thread.
// Linearizable: a batch of up to 64 items goes in as one step (the link of its node), a longer one
// as several; a batch comes out as one step.
// Empty: 0 or false only if the queue was empty at a moment during the call; a batch that is short
// says nothing.
// Progress: lock-free but for the allocator.
// Limits: memory. Every node comes from the allocator and goes back to it, but for a few.
//
// Orderings: a node's items and size are written before it is linked (release in append(), acquire
// where `next` or an end of the list is loaded) and never change while anybody may see them. How
// many are taken is read before `next` (acquire), and a claim (release) hands on what it had seen:
// else a node might be found drained, and the last one by a look at `next` from before that.
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

  void push(Item item) { push_batch(std::span<const Item>(&item, 1)); }

  void push_batch(std::span<const Item> items) {
    while (!items.empty()) {
      const auto part = items.first(std::min(items.size(), node_items_max));
      push_node(part);
      items = items.subspan(part.size());
    }
  }

  bool try_pop(Item& item) { return try_pop_batch(std::span<Item>(&item, 1)) == 1; }

  std::size_t try_pop_batch(std::span<Item> items) {
    if (items.empty()) return 0;
    auto first = nodes_.guard_first();
    while (true) {
      const std::size_t count = first->take(items);
      if (count > 0) return count;
      if (!nodes_.remove_first(first)) return 0;
    }
  }

  // Drained nodes that were not given back yet: at most 32 and one for each operation under way.
  std::size_t garbage() const noexcept { return nodes_.garbage(); }

 private:
  struct Node : LinkedSegment<Node> {
    // Zero if there is nothing left.
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

  using Nodes = SegmentList<Node, Reclamation>;

  void push_node(std::span<const Item> items) {
    Node& node = make_node(items);
    auto last = nodes_.guard_last();
    while (nodes_.help_append(*last) || !nodes_.append(*last, node)) nodes_.follow_last(last);
  }

  Node& make_node(std::span<const Item> items) {
    Node& node = nodes_.make();
    std::copy(items.begin(), items.end(), node.items.begin());
    node.size = items.size();
    return node;
  }

  Nodes nodes_{{.spare_max = 32, .scan_at = 32}};
};

}  // namespace drover::queue
