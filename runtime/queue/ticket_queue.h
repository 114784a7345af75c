// TicketQueue: pushes a whole batch with one fetch-and-add, and pops a whole batch with one
// compare-and-swap.
//
// A segment is an array of slots and a mark for each slot. A push of n items draws a ticket: one
// fetch-and-add of n on the segment's `claimed` gives it n consecutive slots. It writes its items
// there by plain stores and publishes all of them at once by a mark on its first slot that says how
// many they are: a run. A pop looks at the position of the head and at the marks from there on,
// finds how many published items follow without a gap, and takes as many as it wants by one
// compare-and-swap on the position. A position is a slot and the number of items left of the run
// there, so several pops can share a run.
//
// A pop that comes to a slot that is claimed and not published:
//  - If nothing behind the slot is published, the queue is empty: all pushes in progress may take
//    effect later.
//  - Otherwise the pop must neither wait (the push may not be running at all) nor pass by (the
//    first items would come out after later ones, or never). After a short spin it breaks every
//    unpublished slot up to the next published one by setting its mark. The push finds its mark
//    broken when it publishes, and draws another ticket. A whole run depends on one mark, so a run
//    is never torn. A push that finds its mark broken has not returned yet, so no thread could have
//    seen another order.
//
// This is the slot protocol of array_queue.h with runs instead of slots, and with pops that claim
// only published items, so that usually nothing is spoilt.
//
// Thread safety: all operations except the constructor and the destructor from any thread.
// Linearizable: a push of up to run_max items takes effect as one step, so no other items come
// between. A longer one takes effect as several steps in order. A pop of a batch is one step.
// Empty: 0 or false only if the queue was empty at a moment during the call. A batch shorter than
// wanted does not mean that the queue was empty.
// Progress: lock-free except for the allocator, but not wait-free. A pop repeats because another
// one took items or a push was published, a push because a pop broke its mark for a later push that
// is complete.
// Limits: memory. The unused end of a segment (fewer than run_max slots) is lost if a run does not
// fit.
//
// Invariants: marks change once, from `unwritten`, until the segment is reused. The position only
// advances, over published items and broken slots. The first slots of a segment's successor are
// published before the successor is linked. No slot is claimed once a successor is linked.
//
// Why "empty" is right: the pop has read, in this order, the position p; at time t the mark of p's
// slot (unwritten); the number of claimed slots; the other marks up to there (none of a run); and
// that there is no successor. A mark that was read as unpublished was so at t, because marks change
// once. Slots claimed since were not published at t, nor was there a successor. Items before p were
// taken before t. So at t no published item was left. Items whose push ended before the call would
// have been seen.
//
// Orderings: items are written before their mark (release), and read by a thread that saw the mark
// (acquire) or a position inside the run, which was stored by a pop that had seen the mark
// (release, acquire).
//
// test/model/ticket_queue.pml checks this protocol exhaustively for small cases.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "queue/detail/pause.h"
#include "queue/detail/segment_list.h"
#include "queue/hazard_pointers.h"

namespace drover::queue {

template <QueueItem Item, class Reclamation = HazardPointers, std::size_t segment_slots = 4096,
          class Interleaving = NoInterleaving>
class TicketQueue {
 public:
  static constexpr std::size_t run_max = std::min<std::size_t>(128, segment_slots);
  static constexpr std::size_t spare_segments_default = 1024;

  // Keeps up to `spare_segments_max` drained segments for reuse: by default up to 38 MB.
  explicit TicketQueue(std::size_t spare_segments_max = spare_segments_default)
      : segments_({.spare_max = spare_segments_max, .scan_at = 1}) {}

  void push(Item item) { push_batch({&item, 1}); }

  // Throws std::bad_alloc. The runs before the one that failed are then in the queue.
  void push_batch(std::span<const Item> items) {
    if (items.empty()) return;
    auto last = segments_.guard_last();
    while (!items.empty()) {
      const auto run = items.first(std::min(items.size(), run_max));
      segments_.push(last, [run](Segment& segment) { return segment.push(run); });
      items = items.subspan(run.size());
    }
  }

  bool try_pop(Item& item) { return try_pop_batch({&item, 1}) == 1; }

  std::size_t try_pop_batch(std::span<Item> items) {
    if (items.empty()) return 0;
    auto first = segments_.guard_first();
    while (true) {
      const PopResult result = first->pop(items);
      if (result.count > 0) return result.count;
      if (!result.drained || !segments_.remove_first(first)) return 0;
    }
  }

  // Returns the number of drained segments that were not given back yet.
  std::size_t garbage() const noexcept { return segments_.garbage(); }

 private:
  // 1 to run_max: a published run of this number of items begins at the slot.
  using Mark = std::uint8_t;
  static constexpr Mark unwritten = 0;
  static constexpr Mark broken = 254;  // the slot stays without an item
  static constexpr Mark closed = 255;  // this slot and all behind it stay without items
  static_assert(run_max < broken);
  static_assert(segment_slots < (std::uint64_t{1} << 32), "a position is two halves of a word");

  static constexpr bool is_run(Mark mark) noexcept { return mark - 1U < run_max; }

  struct PopResult {
    std::size_t count = 0;
    bool drained = false;  // the segment has no items, and will get none
  };

  // Position of the head in its segment.
  struct Position {
    std::uint32_t slot = 0;
    std::uint32_t left = 0;  // items left of the run at `slot`; 0 if no pop has begun the run

    static Position unpack(std::uint64_t word) noexcept {
      return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
    }
    std::uint64_t pack() const noexcept { return std::uint64_t{left} << 32 | slot; }
  };

  struct Segment : LinkedSegment<Segment> {
    // Returns false if the run does not fit.
    bool push(std::span<const Item> run) noexcept {
      while (true) {
        const std::uint64_t slot = claimed.fetch_add(run.size(), std::memory_order_relaxed);
        if (slot + run.size() > segment_slots) {
          if (slot < segment_slots) set_mark(slot, closed);
          return false;
        }
        // Fetches the mark's cache line while the items are written. The compare-and-swap would
        // wait for these writes before it fetched the line.
        __builtin_prefetch(&marks[slot], 1);
        std::copy(run.begin(), run.end(), items.begin() + static_cast<std::ptrdiff_t>(slot));
        Interleaving::claimed();
        // The release pairs with the acquire of mark().
        if (set_mark(slot, static_cast<Mark>(run.size()))) return true;
      }
    }

    PopResult pop(std::span<Item> wanted) noexcept {
      // Acquire: pairs with the release below, so that the marks of a begun run are seen.
      std::uint64_t seen = position.load(std::memory_order_acquire);
      while (true) {
        Position end = Position::unpack(seen);
        const std::size_t count = advance(end, wanted.size(), [](auto...) {});
        Interleaving::looked();
        if (count > 0) {
          Position begin = Position::unpack(seen);
          prefetch(begin.slot, end.slot);
          if (position.compare_exchange_strong(seen, end.pack(), std::memory_order_acq_rel,
                                               std::memory_order_acquire)) {
            advance(begin, count, [&](std::size_t slot, std::size_t size, std::size_t done) {
              std::copy_n(items.data() + slot, size, wanted.data() + done);
            });
            return {.count = count};
          }
          continue;
        }
        if (end.slot == segment_slots || mark(end.slot) == closed) return {.drained = true};
        const std::optional<std::size_t> gap_end = find_gap_end(end.slot);
        if (!gap_end) return {};
        break_gap(end.slot, *gap_end);
        seen = position.load(std::memory_order_acquire);
      }
    }

    // Advances `at` over up to `count_max` published items and the broken slots between them. Calls
    // `visit(slot, size, items before)` for each stretch of items. Returns the number of items.
    template <class Visit>
    std::size_t advance(Position& at, std::size_t count_max, Visit visit) const noexcept {
      std::size_t count = 0;
      while (count < count_max) {
        if (at.left == 0) {
          if (at.slot == segment_slots) break;
          const Mark here = mark(at.slot);
          if (here == broken) {
            ++at.slot;
            continue;
          }
          if (!is_run(here)) break;
          at.left = here;
        }
        const std::size_t size = std::min<std::size_t>(at.left, count_max - count);
        visit(std::size_t{at.slot}, size, count);
        at.slot += static_cast<std::uint32_t>(size);
        at.left -= static_cast<std::uint32_t>(size);
        count += size;
      }
      return count;
    }

    // Fetches items from the cache of the thread that pushed them. The processor fetches nothing
    // behind the compare-and-swap that takes them before that is done.
    void prefetch(std::size_t begin, std::size_t end) const noexcept {
      constexpr std::size_t step = cache_line_bytes / sizeof(Item);
      for (std::size_t slot = begin; slot < end; slot += step) __builtin_prefetch(&items[slot]);
    }

    // Returns the end of the unpublished slots from `begin` on, if a slot behind them is published.
    std::optional<std::size_t> find_gap_end(std::size_t begin) const noexcept {
      const std::size_t end =
          std::min<std::uint64_t>(claimed.load(std::memory_order_relaxed), segment_slots);
      for (std::size_t slot = begin + 1; slot < end; ++slot) {
        if (is_run(mark(slot))) return slot;
      }
      if (this->next.load(std::memory_order_acquire) != nullptr) return segment_slots;
      return std::nullopt;
    }

    // Breaks slots in order, up to a slot that was published meanwhile: the slots of a run behind
    // its first may be marked only if the first is broken. Before that, gives the push a moment.
    void break_gap(std::size_t begin, std::size_t end) noexcept {
      if (spin_until([&] { return mark(begin) != unwritten; })) return;
      for (std::size_t slot = begin; slot < end; ++slot) {
        if (!set_mark(slot, broken) && mark(slot) != broken) return;
      }
    }

    Mark mark(std::size_t slot) const noexcept {
      // Only reads; std::atomic_ref of a const type needs C++26.
      return std::atomic_ref(const_cast<Mark&>(marks[slot])).load(std::memory_order_acquire);
    }

    // Returns false if the mark was set already.
    bool set_mark(std::size_t slot, Mark value) noexcept {
      Mark expected = unwritten;
      return std::atomic_ref(marks[slot])
          .compare_exchange_strong(expected, value, std::memory_order_release,
                                   std::memory_order_relaxed);
    }

    void reset() noexcept {
      this->next.store(nullptr, std::memory_order_relaxed);
      claimed.store(0, std::memory_order_relaxed);
      position.store(0, std::memory_order_relaxed);
      marks.fill(unwritten);
    }

    // Written by pushes; may exceed the number of slots.
    alignas(cache_line_bytes) std::atomic<std::uint64_t> claimed{0};
    alignas(cache_line_bytes) std::atomic<std::uint64_t> position{0};  // written by pops
    // Not std::atomic, so that reset() writes whole cache lines.
    alignas(cache_line_bytes) std::array<Mark, segment_slots> marks{};
    alignas(cache_line_bytes) std::array<Item, segment_slots> items;
  };

  SegmentList<Segment, Reclamation> segments_;
};

}  // namespace drover::queue
