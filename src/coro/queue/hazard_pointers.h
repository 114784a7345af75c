// Hazard pointers: a node is given back when no thread says that it is reading it.
//
// After M. Michael, "Hazard Pointers: Safe Memory Reclamation for Lock-Free Objects" (2004). A
// reader publishes the address and then looks whether the source still points there; whoever has
// unlinked a node looks through the published addresses before it gives the node back.
//
// Why not Debian's liburcu, which is good at this: its fastest flavour (QSBR) needs every thread of
// the program to register and to announce its quiet moments, which a library cannot ask of the
// threads of others; the flavours without that (memb, mb) need the registration still, and their
// grace periods wait, on the reclaiming side, for all readers and, in memb, for a membarrier system
// call. Their price is right for data that is read a million times between two changes. A queue
// retires a segment every few thousand items on whatever thread happens to drain it, must not wait
// there, and wants the memory back at once, still warm. A reader here pays one compare-and-swap on
// a cache line that is nearly always its own, for a whole batch. And a stalled reader holds up one
// node with this scheme, everything with the epochs of liburcu.
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

#include "coro/queue/reader_slots.h"
#include "coro/queue/retired.h"

namespace drover::queue {

class HazardPointers {
 public:
  using Dispose = void (*)(void* owner, Retired& node) noexcept;

  // `dispose(owner, node)` is called once for each retired node, on any thread.
  HazardPointers(void* owner, Dispose dispose, std::size_t scan_at) noexcept
      : owner_(owner), dispose_(dispose), scan_at_(scan_at) {}
  HazardPointers(const HazardPointers&) = delete;
  HazardPointers& operator=(const HazardPointers&) = delete;
  ~HazardPointers();

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

  // How many retired nodes were not given back yet.
  std::size_t garbage() const noexcept { return garbage_.load(std::memory_order_relaxed); }

 private:
  void scan() noexcept;

  void* const owner_;
  const Dispose dispose_;
  const std::size_t scan_at_;
  ReaderSlots slots_;                                              // written by readers
  alignas(cache_line_bytes) std::atomic<std::size_t> garbage_{0};  // these by those who retire
  RetiredList retired_;
};

}  // namespace drover::queue
