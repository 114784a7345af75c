// The list of segments that ArrayQueue, BatchQueue and TicketQueue are made of: pushes work on the
// last segment, pops on the first one, a drained first one is unlinked, retired and used again.
//
// After M. Michael and M. Scott, "Simple, Fast, and Practical Non-Blocking and Blocking Concurrent
// Queue Algorithms" (1996), with segments for its nodes.
//
// Thread safety: all but the constructor and the destructor from any thread; lock-free but for the
// allocator.
// Invariants: there is always at least one segment; `last_` is reachable from `first_`, never
// behind it: whoever unlinks the first segment has seen to it that `last_` has left it.
//
// Why a retired segment is unreachable: remove_first() makes sure by a compare-and-swap on `last_`
// (whatever its result) that `last_` has left the segment, and then moves `first_` by another. Both
// are sequentially consistent, as the reclamation schemes ask. Neither end returns to it: `next`
// never changes once set, and the segment is used again only when no guard protects it, hence after
// each compare-and-swap that still has its address as the expected value.
#pragma once

#include <atomic>
#include <cstddef>

#include "coro/queue/item.h"
#include "coro/queue/retired.h"
#include "coro/queue/spare_nodes.h"

namespace drover::queue {

// What a segment derives from.
template <class Segment>
struct LinkedSegment : Retired {
  std::atomic<Segment*> next{nullptr};  // set once
};

struct SegmentListLimits {
  std::size_t spare_max;  // drained segments kept for use again
  std::size_t scan_at;    // retired segments that make the reclamation look
};

// Segment is default-constructible, derives from LinkedSegment<Segment>, and reset() makes one that
// was used as good as new, `next` included.
template <class Segment, class Reclamation>
class SegmentList {
 public:
  using Guard = typename Reclamation::template Guard<Segment>;

  explicit SegmentList(SegmentListLimits limits)
      : spares_(limits.spare_max), reclamation_(this, &dispose, limits.scan_at) {
    auto* segment = new Segment;
    first_.store(segment, std::memory_order_relaxed);
    last_.store(segment, std::memory_order_relaxed);
  }
  SegmentList(const SegmentList&) = delete;
  SegmentList& operator=(const SegmentList&) = delete;
  ~SegmentList() {
    for (Segment* segment = first_.load(std::memory_order_acquire); segment != nullptr;) {
      Segment* next = segment->next.load(std::memory_order_acquire);
      delete segment;
      segment = next;
    }
  }

  Guard guard_first() { return Guard(reclamation_, first_); }
  Guard guard_last() { return Guard(reclamation_, last_); }
  void follow_first(Guard& guard) noexcept { guard.follow(first_); }
  void follow_last(Guard& guard) noexcept { guard.follow(last_); }

  // One that nobody else sees yet.
  Segment& make() {
    Segment* segment = spares_.take();
    if (segment == nullptr) return *new Segment;
    segment->reset();
    return *segment;
  }

  // Gives back what make() gave and append() did not take.
  void unmake(Segment& segment) noexcept { spares_.put(segment); }

  // Links `fresh` behind `last`; false if `last` has a successor already. Requires: `last` is
  // guarded. The release publishes what was written into `fresh`; its pair is whoever loads `next`.
  bool append(Segment& last, Segment& fresh) noexcept {
    Segment* next = nullptr;
    const bool linked = last.next.compare_exchange_strong(next, &fresh, std::memory_order_release,
                                                          std::memory_order_relaxed);
    if (linked) move_last(last, fresh);
    return linked;
  }

  // Moves the end on if `last` has a successor. Requires: `last` is guarded.
  bool help_append(Segment& last) noexcept {
    Segment* next = last.next.load(std::memory_order_acquire);
    if (next == nullptr) return false;
    move_last(last, *next);
    return true;
  }

  // Unlinks the segment that `guard` protects, unless somebody else does, and has the guard follow.
  // False if it has no successor. Requires: it is drained, and guard_first() or follow_first() led
  // to it.
  bool remove_first(Guard& guard) noexcept {
    Segment& drained = *guard;
    Segment* next = drained.next.load(std::memory_order_acquire);
    if (next == nullptr) return false;
    move_last(drained, *next);
    Segment* expected = &drained;
    const bool removed = first_.compare_exchange_strong(expected, next, std::memory_order_seq_cst);
    guard.follow(first_);  // before the scan, which would find it protected by us
    if (removed) reclamation_.retire(drained);
    return true;
  }

  std::size_t garbage() const noexcept { return reclamation_.garbage(); }

 private:
  void move_last(Segment& from, Segment& to) noexcept {
    Segment* expected = &from;
    last_.compare_exchange_strong(expected, &to, std::memory_order_seq_cst);
  }

  static void dispose(void* list, Retired& segment) noexcept {
    static_cast<SegmentList*>(list)->spares_.put(static_cast<Segment&>(segment));
  }

  // Seldom written.
  alignas(cache_line_bytes) std::atomic<Segment*> first_{nullptr};
  std::atomic<Segment*> last_{nullptr};
  // By whoever retires or makes. The stock outlives the scheme, which fills it when it dies.
  alignas(cache_line_bytes) SpareNodes<Segment> spares_;
  Reclamation reclamation_;
};

}  // namespace drover::queue
