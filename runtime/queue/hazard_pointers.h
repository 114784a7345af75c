// Hazard pointers: a node is given back when no thread says that it is reading it.
//
// After M. Michael, "Hazard Pointers: Safe Memory Reclamation for Lock-Free Objects" (2004). A
// reader publishes the address and then looks whether the source still points there; whoever has
// unlinked a node looks through the published addresses before it gives the node back.
//
// Why not Debian's liburcu: all of its flavours need every thread to register, which a library cannot
// ask of the threads of others, and its grace periods wait for all readers. A queue retires a segment
// every few thousand items on whatever thread happens to drain it, must not wait there, and wants the
// memory back at once, still warm. A reader here pays one compare-and-swap a batch, on a cache line
// that is nearly always its own, and one that stalls holds up one node.
//
// Thread safety: Guard and retire() from any thread; the destructor when nobody is inside any more.
// Garbage: a retired node is either being read or is given back by the next scan. Scans begin when
// `scan_at` nodes wait, so at most scan_at + the number of guards in existence wait, and besides
// what a thread that was stopped in the middle of a scan has taken to itself.
//
// Why it is safe: the reader stores its word (W1) and then loads the source (R1); the remover
// changes the source (W2) and then loads the words (R2); all four are sequentially consistent. A
// reader that goes on has read the old source in R1, so R1 comes before W2 in the single order,
// hence W1 before R2, and the scan sees the word, or one that was stored after the guard was given
// back. The source may have been changed by another thread than the one that retires: then that one
// must have seen the change by a sequentially consistent operation (SegmentList does).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "queue/detail/reclamation.h"

namespace drover::queue {

class HazardPointers : public Reclamation {
 public:
  using Reclamation::Reclamation;

  // Keeps one node from being given back. Node derives from Retired; a source is never null.
  template <class Node>
  class Guard {
   public:
    Guard(HazardPointers& domain, const std::atomic<Node*>& source)
        : node_(source.load(std::memory_order_seq_cst)), word_(domain.slots_.borrow(word(node_))) {
      settle(source);
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() { ReaderSlots::give_back(word_); }

    // Protects what `source` points to now, and no longer what it pointed to before.
    void follow(const std::atomic<Node*>& source) noexcept { settle(source); }

    Node& operator*() const noexcept { return *node_; }
    Node* operator->() const noexcept { return node_; }

   private:
    static std::uintptr_t word(const Retired* node) noexcept {
      return reinterpret_cast<std::uintptr_t>(node);
    }

    // The pairs of these are in retire(): see above.
    void settle(const std::atomic<Node*>& source) noexcept {
      for (Node* now = source.load(std::memory_order_seq_cst); now != node_;
           now = source.load(std::memory_order_seq_cst)) {
        node_ = now;
        word_.store(word(now), std::memory_order_seq_cst);
      }
    }

    Node* node_;
    ReaderSlots::Word& word_;
  };

  // Requires: no source leads to the node any more, and the caller knows that from sequentially
  // consistent operations.
  void retire(Retired& node) noexcept;
};

}  // namespace drover::queue
