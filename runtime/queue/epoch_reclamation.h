// Epoch-based reclamation: a node is given back when all who might have seen it have left.
//
// After K. Fraser, "Practical lock-freedom" (2004). There is a global epoch. A reader publishes the
// epoch that it entered in; the epoch moves on by one only when every reader inside is in the
// present one; a node that was retired in epoch e is given back from epoch e + 2 on.
//
// Against HazardPointers: following a changed source costs no barrier, but one reader that stalls
// inside keeps everything that is retired meanwhile: garbage has no bound then. With readers that
// come and go, at most three epochs' worth waits, each of `scan_at` nodes and what is retired
// during a scan.
//
// Thread safety: Guard and retire() from any thread; the destructor when nobody is inside any more.
//
// Why it is safe: all operations named here are sequentially consistent. A reader stores its word e
// (W1) and then reads the epoch as e again (R1) before it loads a source. Say that a node was
// unlinked, then the epoch was read as x, and the reader saw the node. Then x >= e: had the remover
// read x < e, its unlinking would come before that read, before the change to e, before R1, and
// before the reader's load of the source, which would not have led to the node. And the epoch stays
// at most e + 1 while the reader is inside: whoever moves it from e + 1 has read e + 1, so it comes
// after R1 and W1, and looks at the words after that, and sees e there. The node waits for x + 2 >=
// e + 2.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "queue/detail/reclamation.h"

namespace drover::queue {

static_assert(sizeof(std::uintptr_t) == 8, "an epoch is published as a word of 64 bits");

class EpochReclamation : public Reclamation {
 public:
  using Reclamation::Reclamation;

  // Keeps every node that is reached meanwhile from being given back. A source is never null.
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
