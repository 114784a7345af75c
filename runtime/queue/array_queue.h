// ArrayQueue: linked arrays, whose slots pushes and pops claim one by one by fetch-and-add.
//
// It belongs to the family of A. Morrison and Y. Afek, "Fast Concurrent Queues for x86 Processors"
// (2013), and C. Yang and J. Mellor-Crummey, "A Wait-free Queue as Fast as Fetch-and-Add" (2016),
// in the simple form of P. Ramalhete's FAAArrayQueue: each slot is used once. A pop that reaches a
// slot before its push spoils the slot, and the push tries the next one. When an array is used up,
// another is linked behind it.
//
// Thread safety: all operations except the constructor and the destructor from any thread.
// Linearizable: each push and pop. A batch is a sequence of single operations under one guard,
// between which those of other threads may come.
// Empty: 0, false or a batch shorter than wanted only if the queue was empty at a moment during the
// call.
// Progress: lock-free except for the allocator. A push fails at a slot only because a pop advanced,
// and a pop spoils a slot only if a push had claimed it or a later one.
// Limits: memory, and the memory that waits for its reclamation (see garbage() and the scheme).
//
// Orderings: an item is written before its slot's state becomes `full` (release), and read after
// the state was seen as `full` (acquire). All other words are counters, whose order matters in
// is_empty() and after the claim of a pop.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "queue/detail/pause.h"
#include "queue/detail/segment_list.h"
#include "queue/hazard_pointers.h"

namespace drover::queue {

template <QueueItem Item, class Reclamation = HazardPointers, std::size_t segment_slots = 1024,
          class Interleaving = NoInterleaving>
class ArrayQueue {
 public:
  void push(Item item) { push_batch({&item, 1}); }

  void push_batch(std::span<const Item> items) {
    if (items.empty()) return;
    auto last = segments_.guard_last();
    for (const Item item : items) {
      segments_.push(last, [item](Segment& segment) { return segment.push(item); });
    }
  }

  bool try_pop(Item& item) { return try_pop_batch({&item, 1}) == 1; }

  std::size_t try_pop_batch(std::span<Item> items) {
    if (items.empty()) return 0;
    auto first = segments_.guard_first();
    std::size_t count = 0;
    while (count < items.size()) {
      const PopResult result = first->pop(items[count]);
      if (result == PopResult::popped) {
        ++count;
      } else if (result == PopResult::empty || !segments_.remove_first(first)) {
        break;
      }
    }
    return count;
  }

  // Returns the number of drained segments that were not given back yet.
  std::size_t garbage() const noexcept { return segments_.garbage(); }

 private:
  enum class PopResult : std::uint8_t { popped, empty, drained };
  enum class State : std::uint8_t { unwritten, full, taken };  // `taken` also if spoilt

  struct Slot {
    Item item;
    std::atomic<State> state{State::unwritten};
  };

  struct Segment : LinkedSegment<Segment> {
    // Returns false if no slot is left.
    bool push(Item item) noexcept {
      while (true) {
        const std::uint64_t index = pushes.fetch_add(1, std::memory_order_relaxed);
        if (index >= segment_slots) return false;
        Slot& slot = slots[index];
        slot.item = item;
        Interleaving::claimed();
        State expected = State::unwritten;
        if (slot.state.compare_exchange_strong(expected, State::full, std::memory_order_release,
                                               std::memory_order_relaxed)) {
          return true;
        }
      }
    }

    PopResult pop(Item& item) noexcept {
      while (true) {
        if (is_empty()) return PopResult::empty;
        Interleaving::looked();
        // Release: pairs with is_empty(), which so sees each push that this pop might know of.
        // Acquire: pairs with earlier claims. A thread that finds the segment drained looks for the
        // successor after that.
        const std::uint64_t index = pops.fetch_add(1, std::memory_order_acq_rel);
        if (index >= segment_slots) return PopResult::drained;
        Slot& slot = slots[index];
        // Gives a push that has claimed the slot a moment to fill it.
        spin_until([&] { return slot.state.load(std::memory_order_relaxed) != State::unwritten; });
        if (slot.state.exchange(State::taken, std::memory_order_acquire) == State::full) {
          item = slot.item;
          return PopResult::popped;
        }
      }
    }

    // Reads the number of slots that pops have claimed, then the number that pushes have claimed,
    // then the successor. The acquires keep that order, and the first pairs with the claims of
    // pops. If pops are not behind, then at the moment of the first read a pop had claimed each
    // slot that a push had claimed, and takes its item or spoils it. Without a successor, nothing
    // had been pushed behind this segment.
    bool is_empty() const noexcept {
      const std::uint64_t popped = pops.load(std::memory_order_acquire);
      const std::uint64_t pushed = pushes.load(std::memory_order_acquire);
      return popped >= pushed && this->next.load(std::memory_order_acquire) == nullptr;
    }

    void reset() noexcept {
      this->next.store(nullptr, std::memory_order_relaxed);
      pushes.store(0, std::memory_order_relaxed);
      pops.store(0, std::memory_order_relaxed);
      for (Slot& slot : slots) slot.state.store(State::unwritten, std::memory_order_relaxed);
    }

    // Both counters may exceed the number of slots.
    alignas(cache_line_bytes) std::atomic<std::uint64_t> pushes{0};
    alignas(cache_line_bytes) std::atomic<std::uint64_t> pops{0};
    alignas(cache_line_bytes) std::array<Slot, segment_slots> slots;
  };

  SegmentList<Segment, Reclamation> segments_{{.spare_max = 64, .scan_at = 1}};
};

}  // namespace drover::queue
