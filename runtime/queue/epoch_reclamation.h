// EpochReclamation: a reclamation scheme that gives a node back when all readers that might have
// seen it have left.
//
// After K. Fraser, "Practical lock-freedom" (2004). There is a global epoch. A reader publishes the
// epoch in which it entered. The epoch advances by one only when every reader inside is in the
// current epoch. A node that was retired in epoch e is given back from epoch e + 2 on.
//
// Compared with HazardPointers: following a changed source needs no barrier, but a single reader
// that stalls inside keeps all nodes that are retired meanwhile, without a bound. While readers
// come and go, at most the nodes of three epochs wait: for each, `scan_at` nodes and those retired
// during a scan.
//
// Thread safety: Guard and retire() from any thread; the destructor when no guard exists any more.
//
// Why it is safe: all operations named here are sequentially consistent. A reader stores its word e
// (W1), then reads the epoch as e again (R1), then loads a source. Assume that a node was unlinked,
// that then the epoch was read as x, and that the reader saw the node. Then x >= e: if the remover
// had read x < e, its unlinking would come before that read, before the change to e, before R1, and
// before the reader's load of the source, which would not have led to the node. The epoch stays at
// most e + 1 while the reader is inside: a thread that advances it from e + 1 has read e + 1, so it
// comes after R1 and W1, looks at the words after that, and sees e. The node waits for x + 2 >= e +
// 2.
#pragma once

#include <atomic>
#include <cstdint>

#include "queue/detail/reclamation.h"

namespace drover::queue {

static_assert(sizeof(std::uintptr_t) == 8, "an epoch is published as a word of 64 bits");

class EpochReclamation : public Reclamation {
 public:
  using Reclamation::Reclamation;

  // Protects every node that is reached during its life. A source is never null.
  template <class Node>
  class Guard {
   public:
    Guard(EpochReclamation& domain, const std::atomic<Node*>& source)
        : word_(domain.enter()), node_(source.load(std::memory_order_seq_cst)) {}
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() { ReaderSlots::give_back(word_); }

    void follow(const std::atomic<Node*>& source) noexcept {
      node_ = source.load(std::memory_order_seq_cst);
    }

    Node& operator*() const noexcept { return *node_; }
    Node* operator->() const noexcept { return node_; }

   private:
    ReaderSlots::Word& word_;
    Node* node_;
  };

  // Requires: no source leads to the node any more, and the caller knows that from sequentially
  // consistent operations.
  void retire(Retired& node) noexcept;

 private:
  ReaderSlots::Word& enter();
  void advance() noexcept;

  alignas(cache_line_bytes) std::atomic<std::uint64_t> epoch_{1};  // 0 would be a free word
};

}  // namespace drover::queue
