// A queue of linked blocks of 31 slots, each with its own state; the last reader of a block frees
// it.
//
// The scheme of SegQueue in crossbeam (Rust). An index counts positions; 32 of them make a lap: 31
// slots of a block and a gate. An index stands at its gate while one thread puts the next block in
// place, and everybody else waits there. A thread claims slots by a compare-and-swap on the index,
// and only who has claimed a slot of a block touches the block: so no other reclamation is needed.
// A batch claims as many slots of one block as there are.
//
// Thread safety: all but the constructor and the destructor from any thread.
// Linearizable: a push takes effect when it moves the tail's index, a pop when it moves the head's.
// A batch is as many single operations in order; those of other threads may come between.
// Empty: 0 or false only if the queue was empty at a moment during the call; a batch that is short
// says the same.
// Progress: blocking. A pop waits for a push that has claimed the slot and not yet written it, and
// everybody waits at a gate; first by a short loop, then by yielding the processor.
// Limits: 2^64 / 32 * 31 items in its life; memory.
//
// Orderings: an index is loaded before the block that goes with it (acquire), and stored after it
// (release), so the block is that of the index or of a later one; in the latter case the
// compare-and-swap of the index fails, as an index never returns. The last pusher of a block moves
// the tail, sets `next`, and writes its slot, in this order. So whoever takes the block's last slot
// finds `next` there sooner or later, and the block is not freed before; and the head, which enters
// by `next`, never passes the tail: who sees the head there sees the tail there as well.
//
// The claim of a push and the look at the tail that lets a pop say "empty" are sequentially
// consistent. Weaker ones would do for one queue. But two threads that push to a queue each and then
// look into the other's might both find it empty, and two that push to two queues in opposite order
// might each come second in its first one. On x86-64 neither costs an instruction.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "queue/detail/backoff.h"
#include "queue/detail/interleaving.h"
#include "queue/item.h"

namespace drover::queue {

template <QueueItem Item, class Interleaving = NoInterleaving>
class SegmentQueue {
 public:
  static constexpr std::size_t block_slots = 31;

  SegmentQueue() {
    auto* block = new Block;
    head_.block.store(block, std::memory_order_relaxed);
    tail_.block.store(block, std::memory_order_relaxed);
  }
  SegmentQueue(const SegmentQueue&) = delete;
  SegmentQueue& operator=(const SegmentQueue&) = delete;
  ~SegmentQueue() {
    for (Block* block = head_.block.load(std::memory_order_acquire); block != nullptr;) {
      Block* next = block->next.load(std::memory_order_acquire);
      delete block;
      block = next;
    }
  }

  void push(Item item) { push_batch(std::span<const Item>(&item, 1)); }

  void push_batch(std::span<const Item> items) {
    while (!items.empty()) items = items.subspan(push_into_block(items));
  }

  bool try_pop(Item& item) { return try_pop_batch(std::span<Item>(&item, 1)) == 1; }

  std::size_t try_pop_batch(std::span<Item> items) {
    std::size_t count = 0;
    while (count < items.size()) {
      const std::size_t taken = pop_from_block(items.subspan(count));
      if (taken == 0) break;
      count += taken;
    }
    return count;
  }

 private:
  static constexpr std::size_t lap = block_slots + 1;

  struct Slot {
    Item item;
    std::atomic<bool> written{false};
  };

  struct Block {
    std::atomic<Block*> next{nullptr};
    std::atomic<std::size_t> read{0};  // slots that their readers have left
    std::array<Slot, block_slots> slots;
  };

  struct alignas(cache_line_bytes) End {
    std::atomic<std::uint64_t> index{0};
    std::atomic<Block*> block{nullptr};

    // Goes to the next lap. Requires: the index stands at the gate, and the caller brought it
    // there.
    void enter(Block* next, std::uint64_t index_next) noexcept {
      block.store(next, std::memory_order_release);
      index.store(index_next, std::memory_order_release);
    }
  };

  std::size_t push_into_block(std::span<const Item> items) {
    std::unique_ptr<Block> fresh;
    Backoff backoff;
    while (true) {
      std::uint64_t index = tail_.index.load(std::memory_order_acquire);
      const auto offset = static_cast<std::size_t>(index % lap);
      if (offset == block_slots) {
        backoff.wait();
        continue;
      }
      const std::size_t count = std::min(items.size(), block_slots - offset);
      const bool fills = offset + count == block_slots;
      // Not at the gate, where others would wait for the allocator.
      if (fills && !fresh) fresh = std::make_unique<Block>();
      Block* block = tail_.block.load(std::memory_order_acquire);
      // Sequentially consistent: pairs with the load of the tail in pop_from_block(), see above. As
      // a read-modify-write it also continues the release sequence of enter()'s store.
      if (!tail_.index.compare_exchange_weak(index, index + count, std::memory_order_seq_cst,
                                             std::memory_order_relaxed)) {
        continue;
      }
      if (fills) {
        Block* next = fresh.release();
        Interleaving::claimed();
        tail_.enter(next, index + count + 1);
        Interleaving::claimed();
        // After the tail: so the head cannot be seen beyond it. Pairs with enter_next().
        block->next.store(next, std::memory_order_release);
      }
      for (std::size_t i = 0; i < count; ++i) {
        Slot& slot = block->slots[offset + i];
        slot.item = items[i];
        slot.written.store(true, std::memory_order_release);  // pairs with read_slots()
      }
      return count;
    }
  }

  std::size_t pop_from_block(std::span<Item> items) {
    Backoff backoff;
    while (true) {
      std::uint64_t index = head_.index.load(std::memory_order_acquire);
      const auto offset = static_cast<std::size_t>(index % lap);
      if (offset == block_slots) {
        backoff.wait();
        continue;
      }
      // After the acquire above, or the tail might seem to lie behind the head. Sequentially
      // consistent: pairs with the claim in push_into_block().
      const std::uint64_t tail = tail_.index.load(std::memory_order_seq_cst);
      if (tail == index) return 0;
      Interleaving::looked();
      const std::size_t available =
          tail / lap == index / lap ? static_cast<std::size_t>(tail - index) : block_slots - offset;
      const std::size_t count = std::min(items.size(), available);
      Block* block = head_.block.load(std::memory_order_acquire);
      // Release, for the acquire above: the next pop sees at least as much of the tail as this one.
      if (!head_.index.compare_exchange_weak(index, index + count, std::memory_order_release,
                                             std::memory_order_relaxed)) {
        continue;
      }
      if (offset + count == block_slots) enter_next(*block, index + count + 1);
      read_slots(*block, offset, items.first(count));
      return count;
    }
  }

  void enter_next(Block& block, std::uint64_t index) noexcept {
    Backoff backoff;
    Block* next = block.next.load(std::memory_order_acquire);
    while (next == nullptr) {
      backoff.wait();
      next = block.next.load(std::memory_order_acquire);
    }
    head_.enter(next, index);
  }

  void read_slots(Block& block, std::size_t offset, std::span<Item> items) noexcept {
    for (std::size_t i = 0; i < items.size(); ++i) {
      Slot& slot = block.slots[offset + i];
      Backoff backoff;
      while (!slot.written.load(std::memory_order_acquire)) backoff.wait();
      items[i] = slot.item;
    }
    // Whoever comes last sees that all others are through.
    const std::size_t read =
        block.read.fetch_add(items.size(), std::memory_order_acq_rel) + items.size();
    if (read == block_slots) delete &block;
  }

  End tail_;  // written by pushes
  End head_;  // written by pops
};

}  // namespace drover::queue
