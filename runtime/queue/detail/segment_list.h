// SegmentList: the list of segments of which ArrayQueue, BatchQueue and TicketQueue consist. Pushes
// work on the last segment, pops on the first. A drained first segment is unlinked, retired and
// used again.
//
// After M. Michael and M. Scott, "Simple, Fast, and Practical Non-Blocking and Blocking Concurrent
// Queue Algorithms" (1996), with segments as nodes.
//
// Thread safety: all operations except the constructor and the destructor from any thread.
// Lock-free except for the allocator.
// Invariants: there is always at least one segment. `last_` is reachable from `first_`: a thread
// that unlinks the first segment has made sure that `last_` has left it.
//
// Why a retired segment is unreachable: remove_first() makes sure by a compare-and-swap on `last_`
// (whatever its result) that `last_` has left the segment, and then moves `first_` by another. Both
// are sequentially consistent, as the reclamation schemes require. Neither end returns to the
// segment: `next` never changes once set, and the segment is used again only when no guard protects
// it, hence after each compare-and-swap that expects its address.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>

#include "queue/detail/reclamation.h"

namespace drover::queue {

// A limited stock of nodes, so that a queue in a steady state does not call the allocator. The node
// that was put last is taken first, because it is the warmest. Its content stays as it was.
//
// Thread safety: take() and put() from any thread. No thread waits: a thread that finds the lock
// taken uses the allocator instead, so the queues stay lock-free except for the allocator.
template <class Node>
class SpareNodes {
 public:
  explicit SpareNodes(std::size_t count_max) noexcept : count_max_(count_max) {}
  SpareNodes(const SpareNodes&) = delete;
  SpareNodes& operator=(const SpareNodes&) = delete;
  ~SpareNodes() {
    while (Node* node = take()) delete node;
  }

  // Returns null if there is none, or if another thread has the lock.
  Node* take() noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || first_ == nullptr) return nullptr;
    Retired* node = first_;
    first_ = node->next_retired;
    --count_;
    return static_cast<Node*>(node);
  }

  // Keeps the node or deletes it.
  void put(Node& node) noexcept {
    {
      const std::unique_lock lock(mutex_, std::try_to_lock);
      if (lock && count_ < count_max_) {
        node.next_retired = first_;
        first_ = &node;
        ++count_;
        return;
      }
    }
    delete &node;
  }

 private:
  const std::size_t count_max_;
  std::mutex mutex_;
  Retired* first_ = nullptr;
  std::size_t count_ = 0;
};

// Base of a segment.
template <class Segment>
struct LinkedSegment : Retired {
  std::atomic<Segment*> next{nullptr};  // set once
};

struct SegmentListLimits {
  std::size_t spare_max;  // drained segments kept for reuse
  std::size_t scan_at;    // retired segments at which the reclamation scans
};

// `Segment` is default-constructible and derives from LinkedSegment<Segment>. Its reset() restores
// the state of a new segment, including `next`.
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
  void follow_last(Guard& guard) noexcept { guard.follow(last_); }

  // Calls `push(segment)` on the last segment, or on a new one, until it returns true. `push`
  // returns false if the segment has no room. Requires: `last` comes from guard_last().
  template <class Push>
  void push(Guard& last, Push push) {
    while (!push(*last) && !append_new(*last, push)) follow_last(last);
  }

  // Returns a segment that no other thread sees.
  Segment& make() {
    Segment* segment = spares_.take();
    if (segment == nullptr) return *new Segment;
    segment->reset();
    return *segment;
  }

  // Links `fresh` behind `last`. Returns false if `last` has a successor already. Requires: `last`
  // is guarded. The release publishes the content of `fresh` to each thread that loads `next`.
  bool append(Segment& last, Segment& fresh) noexcept {
    Segment* next = nullptr;
    const bool linked = last.next.compare_exchange_strong(next, &fresh, std::memory_order_release,
                                                          std::memory_order_relaxed);
    if (linked) move_last(last, fresh);
    return linked;
  }

  // Moves the list's end if `last` has a successor. Requires: `last` is guarded.
  bool help_append(Segment& last) noexcept {
    Segment* next = last.next.load(std::memory_order_acquire);
    if (next == nullptr) return false;
    move_last(last, *next);
    return true;
  }

  // Unlinks the segment that `guard` protects, unless another thread does, and lets the guard
  // follow. Returns false if the segment has no successor. Requires: it is drained, and
  // guard_first() led to it.
  bool remove_first(Guard& guard) noexcept {
    Segment& drained = *guard;
    Segment* next = drained.next.load(std::memory_order_acquire);
    if (next == nullptr) return false;
    move_last(drained, *next);
    Segment* expected = &drained;
    const bool removed = first_.compare_exchange_strong(expected, next, std::memory_order_seq_cst);
    guard.follow(first_);  // before the scan, which would find it protected by this guard
    if (removed) reclamation_.retire(drained);
    return true;
  }

  std::size_t garbage() const noexcept { return reclamation_.garbage(); }

 private:
  // Links a new segment after a first push into it. Returns false if another thread has linked one.
  template <class Push>
  bool append_new(Segment& full, Push push) {
    if (help_append(full)) return false;
    Segment& fresh = make();
    push(fresh);
    if (append(full, fresh)) return true;
    spares_.put(fresh);
    help_append(full);
    return false;
  }

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
  // Written by threads that retire or make a segment. `spares_` outlives `reclamation_`, whose
  // destructor puts segments into `spares_`.
  alignas(cache_line_bytes) SpareNodes<Segment> spares_;
  Reclamation reclamation_;
};

}  // namespace drover::queue
