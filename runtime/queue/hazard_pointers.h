// HazardPointers: a reclamation scheme that gives a node back when no thread is reading it.
//
// After M. Michael, "Hazard Pointers: Safe Memory Reclamation for Lock-Free Objects" (2004). A
// reader publishes the node's address and then checks that the source still points to the node. The
// thread that unlinked a node searches the published addresses before it gives the node back.
//
// Debian's liburcu is no alternative: all of its flavours require that every thread registers,
// which a library cannot ask of its user's threads, and its grace periods wait for all readers. A
// queue retires a segment every few thousand items on the thread that happens to drain it, must not
// wait there, and needs the memory again while it is in the cache. A reader of this scheme pays one
// compare-and-swap per batch on a cache line that is nearly always its own.
//
// Thread safety: Guard and retire() from any thread; the destructor when no guard exists any more.
// Garbage: a scan begins when `scan_at` retired nodes wait, and gives back all nodes that no thread
// reads. So at most scan_at + the number of guards wait, and the nodes that a thread stopped in the
// middle of a scan has taken.
//
// Why it is safe: the reader stores its word (W1) and then loads the source (R1). The remover
// changes the source (W2) and then loads the words (R2). All four are sequentially consistent. A
// reader that continues has read the old source in R1, so R1 comes before W2 in the single order,
// hence W1 before R2, and the scan sees the word, or one that was stored after the guard was given
// back. If another thread changed the source than the one that retires the node, then the latter
// must have seen the change by a sequentially consistent operation (SegmentList does).
#pragma once

#include <atomic>
#include <cstdint>

#include "queue/detail/reclamation.h"

namespace drover::queue {

class HazardPointers : public Reclamation {
 public:
  using Reclamation::Reclamation;

  // Protects one node. `Node` derives from Retired. A source is never null.
  template <class Node>
  class Guard {
   public:
    Guard(HazardPointers& domain, const std::atomic<Node*>& source)
        : node_(source.load(std::memory_order_seq_cst)), word_(domain.slots_.borrow(word(node_))) {
      follow(source);
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() { ReaderSlots::give_back(word_); }

    // Protects the node that `source` points to now, instead of the previous node. The pairs of
    // these loads and stores are in retire().
    void follow(const std::atomic<Node*>& source) noexcept {
      for (Node* now = source.load(std::memory_order_seq_cst); now != node_;
           now = source.load(std::memory_order_seq_cst)) {
        node_ = now;
        word_.store(word(now), std::memory_order_seq_cst);
      }
    }

    Node& operator*() const noexcept { return *node_; }
    Node* operator->() const noexcept { return node_; }

   private:
    static std::uintptr_t word(const Retired* node) noexcept {
      return reinterpret_cast<std::uintptr_t>(node);
    }

    Node* node_;
    ReaderSlots::Word& word_;
  };

  // Requires: no source leads to the node any more, and the caller knows that from sequentially
  // consistent operations.
  void retire(Retired& node) noexcept;
};

}  // namespace drover::queue
