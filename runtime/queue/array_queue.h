// A queue of arrays whose slots are claimed by fetch-and-add, at both ends, one by one.
//
// The family of A. Morrison and Y. Afek, "Fast Concurrent Queues for x86 Processors" (2013), and C.
// Yang and J. Mellor-Crummey, "A Wait-free Queue as Fast as Fetch-and-Add" (2016), in the simple
// form of P. Ramalhete's FAAArrayQueue: each slot is used once; a pop that comes to a slot before
// its push spoils it, and the push tries the next one. When an array is used up, another is linked
// behind it.
//
// Thread safety: all but the constructor and the destructor from any thread.
// Linearizable: each push and pop. A batch is as many single operations in order, under one guard;
// those of other threads may come between.
// Empty: 0 or false only if the queue was empty at a moment during the call; a batch that is short
// says the same.
// Progress: lock-free but for the allocator: a push fails at a slot only because a pop got on, and
// a pop that spoils a slot has met a push that got on to the claim of another.
// Limits: memory; what waits for its reclamation: see garbage() and the scheme.
//
// Orderings: an item is written before its slot's state becomes `full` (release) and read after the
// state was seen so (acquire). All else is counters, read in an order that matters in is_empty()
// and after the claim of a pop.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "queue/detail/backoff.h"
#include "queue/detail/interleaving.h"
#include "queue/detail/segment_list.h"
#include "queue/hazard_pointers.h"
#include "queue/item.h"

namespace drover::queue {

template <QueueItem Item, class Reclamation = HazardPointers, std::size_t segment_slots = 1024,
          class Interleaving = NoInterleaving>
class ArrayQueue {
 public:
  void push(Item item) { push_batch(std::span<const Item>(&item, 1)); }

  void push_batch(std::span<const Item> items) {
    if (items.empty()) return;
    auto last = segments_.guard_last();
    for (const Item item : items) {
      const auto begin_with = [item](Segment& fresh) { fresh.push(item); };
      while (!last->push(item) && !segments_.append_new(*last, begin_with)) {
        segments_.follow_last(last);
      }
    }
  }

  bool try_pop(Item& item) { return try_pop_batch(std::span<Item>(&item, 1)) == 1; }

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

  // Drained segments that were not given back yet.
  std::size_t garbage() const noexcept { return segments_.garbage(); }

 private:
  enum class PopResult : std::uint8_t { popped, empty, drained };
  enum class State : std::uint8_t { unwritten, full, taken };  // taken, or spoilt

  struct Slot {
    Item item;
    std::atomic<State> state{State::unwritten};
  };

  struct Segment : LinkedSegment<Segment> {
    // False if there is no slot left.
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
        // Acquire: pairs with the claims before; whoever finds the segment drained looks for its
        // successor after that, not before.
        const std::uint64_t index = pops.fetch_add(1, std::memory_order_acq_rel);
        if (index >= segment_slots) return PopResult::drained;
        Slot& slot = slots[index];
        wait_for(slot);
        if (slot.state.exchange(State::taken, std::memory_order_acquire) == State::full) {
          item = slot.item;
          return PopResult::popped;
        }
      }
    }

    // Reads what pops have claimed, then what pushes have, then whether there is a successor (the
    // acquires keep that order, and the first one pairs with the claims of pops). If pops are not
    // behind, then at the moment of the first read each slot that a push had claimed was claimed by
    // a pop as well, which took its item or spoils it; and without a successor nothing had been
    // pushed behind this segment.
    bool is_empty() const noexcept {
      const std::uint64_t popped = pops.load(std::memory_order_acquire);
      const std::uint64_t pushed = pushes.load(std::memory_order_acquire);
      return popped >= pushed && this->next.load(std::memory_order_acquire) == nullptr;
    }

    // A push that has its slot is a few instructions from done, unless it was stopped there.
    static void wait_for(const Slot& slot) noexcept {
      for (int i = 0; i < patience; ++i) {
        if (slot.state.load(std::memory_order_relaxed) != State::unwritten) return;
        spin_hint();
      }
    }

    void reset() noexcept {
      this->next.store(nullptr, std::memory_order_relaxed);
      pushes.store(0, std::memory_order_relaxed);
      pops.store(0, std::memory_order_relaxed);
      for (Slot& slot : slots) slot.state.store(State::unwritten, std::memory_order_relaxed);
    }

    alignas(cache_line_bytes) std::atomic<std::uint64_t> pushes{0};  // may exceed the slots
    alignas(cache_line_bytes) std::atomic<std::uint64_t> pops{0};    // this too
    alignas(cache_line_bytes) std::array<Slot, segment_slots> slots;
  };

  static constexpr int patience = 16;

  SegmentList<Segment, Reclamation> segments_{{.spare_max = 64, .scan_at = 1}};
};

}  // namespace drover::queue
