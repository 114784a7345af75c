// SegmentQueue: linked blocks of 31 slots, each with its own state. The last reader of a block
// deletes it.
//
// The scheme is that of SegQueue in crossbeam (Rust). An index counts positions. 32 positions make
// a lap: the 31 slots of a block, and a gate. While one thread links the next block, the index
// stands at the gate, and all other threads wait. A thread claims slots by a compare-and-swap on
// the index. Only threads that have claimed a slot of a block access the block, so no reclamation
// scheme is needed. A batch claims as many slots of one block as possible.
//
// Thread safety: all operations except the constructor and the destructor from any thread.
// Linearizable: a push takes effect when it moves the tail's index, a pop when it moves the head's.
// A batch is a sequence of single operations, between which those of other threads may come.
// Empty: 0, false or a batch shorter than wanted only if the queue was empty at a moment during the
// call.
// Progress: blocking. A pop waits for a push that has claimed the slot and not yet written it, and
// all threads wait at a gate. After a short spin the thread sleeps in the kernel.
// Limits: memory, and about 1.8e19 items during the queue's life.
//
// Orderings: an index is loaded before its block (acquire) and stored after it (release), so the
// loaded block is that of the index or of a later one. If it is a later one, the compare-and-swap
// of the index fails, because an index never returns to a value. The push that claims a block's
// last slot moves the tail, sets `next`, and writes its slot, in this order. A pop that takes this
// slot therefore finds `next` eventually, and the block is not deleted before. The head enters a
// block through `next`, so it never passes the tail: a thread that sees the head there also sees
// the tail there.
//
// The claim of a push, and the load of the tail by which a pop reports "empty", are sequentially
// consistent. Acquire and release would suffice for one queue. But two threads that each push to a
// queue and then look into the other's queue might both find it empty, and two threads that push to
// two queues in opposite order might each come second in its first queue. On x86-64 sequential
// consistency costs no further instruction here.
//
// No wake-up is lost: a pop that sleeps has changed its slot from `unwritten` to `awaited`, and the
// push exchanges the slot's state, so it either prevents that change or sees it and notifies.
// Changes of an index at its gate and of `next` always notify.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "queue/detail/pause.h"
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
      const std::unique_ptr<Block> last(block);
      block = block->next.load(std::memory_order_acquire);
    }
  }

  void push(Item item) { push_batch({&item, 1}); }

  void push_batch(std::span<const Item> items) {
    while (!items.empty()) items = items.subspan(push_into_block(items));
  }

  bool try_pop(Item& item) { return try_pop_batch({&item, 1}) == 1; }

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

  enum class State : std::uint8_t { unwritten, awaited, written };

  struct Slot {
    Item item;
    std::atomic<State> state{State::unwritten};

    void write(Item value) noexcept {
      item = value;
      // Release: pairs with read().
      if (state.exchange(State::written, std::memory_order_release) == State::awaited) {
        state.notify_one();
      }
    }

    Item read() noexcept {
      const auto is_written = [this] {
        return state.load(std::memory_order_acquire) == State::written;
      };
      State seen = State::unwritten;
      if (!spin_until(is_written) &&
          state.compare_exchange_strong(seen, State::awaited, std::memory_order_relaxed,
                                        std::memory_order_acquire)) {
        state.wait(State::awaited, std::memory_order_acquire);
      }
      return item;
    }
  };

  struct Block {
    std::atomic<Block*> next{nullptr};
    std::atomic<std::size_t> read{0};  // slots that their readers have left
    std::array<Slot, block_slots> slots;
  };

  struct alignas(cache_line_bytes) End {
    std::atomic<std::uint64_t> index{0};
    std::atomic<Block*> block{nullptr};

    // Goes to the next lap. Requires: the caller has moved the index to the gate.
    void enter(Block* next, std::uint64_t index_next) noexcept {
      block.store(next, std::memory_order_release);
      index.store(index_next, std::memory_order_release);
      index.notify_all();
    }

    void wait_at_gate(std::uint64_t gate) const noexcept {
      const auto is_open = [&] { return index.load(std::memory_order_relaxed) != gate; };
      if (!spin_until(is_open)) index.wait(gate, std::memory_order_relaxed);
    }
  };

  std::size_t push_into_block(std::span<const Item> items) {
    std::unique_ptr<Block> fresh;
    while (true) {
      std::uint64_t index = tail_.index.load(std::memory_order_acquire);
      const auto offset = static_cast<std::size_t>(index % lap);
      if (offset == block_slots) {
        tail_.wait_at_gate(index);
        continue;
      }
      const std::size_t count = std::min(items.size(), block_slots - offset);
      const bool fills = offset + count == block_slots;
      // Allocates before the claim, so that no thread at the gate waits for the allocator.
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
        // After the tail, so that no thread sees the head beyond the tail. Pairs with enter_next().
        block->next.store(next, std::memory_order_release);
        block->next.notify_one();
      }
      for (std::size_t i = 0; i < count; ++i) block->slots[offset + i].write(items[i]);
      return count;
    }
  }

  std::size_t pop_from_block(std::span<Item> items) {
    while (true) {
      std::uint64_t index = head_.index.load(std::memory_order_acquire);
      const auto offset = static_cast<std::size_t>(index % lap);
      if (offset == block_slots) {
        head_.wait_at_gate(index);
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
      // Release: pairs with the acquire above. The next pop sees at least as much of the tail.
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
    const auto is_linked = [&] { return block.next.load(std::memory_order_relaxed) != nullptr; };
    if (!spin_until(is_linked)) block.next.wait(nullptr, std::memory_order_relaxed);
    head_.enter(block.next.load(std::memory_order_acquire), index);
  }

  void read_slots(Block& block, std::size_t offset, std::span<Item> items) noexcept {
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = block.slots[offset + i].read();
    // Acquire and release: the last reader deletes the block after the reads of all readers.
    const std::size_t read =
        block.read.fetch_add(items.size(), std::memory_order_acq_rel) + items.size();
    if (read == block_slots) delete &block;
  }

  End tail_;  // written by pushes
  End head_;  // written by pops
};

}  // namespace drover::queue
