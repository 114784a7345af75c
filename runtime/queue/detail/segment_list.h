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
#include <mutex>

#include "queue/detail/reclamation.h"

namespace drover::queue {

// A limited stock of nodes to use again, so that a queue in steady state does not call the
// allocator. Node derives from Retired.
//
// Thread safety: take() and put() from any thread. Nobody ever waits: a thread that finds the lock
// taken goes to the allocator instead, so the queues above stay lock-free but for the allocator.
// Nodes are handed out last in, first out: the warmest first. A node in stock keeps what was in it.
template <class Node>
class SpareNodes {
 public:
  explicit SpareNodes(std::size_t count_max) noexcept : count_max_(count_max) {}
  SpareNodes(const SpareNodes&) = delete;
  SpareNodes& operator=(const SpareNodes&) = delete;
  ~SpareNodes() {
    while (Node* node = take()) delete node;
  }

  // Null if there is none, or none to be had without waiting.
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
    if (!try_keep(node)) delete &node;
  }

 private:
  bool try_keep(Node& node) noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || count_ == count_max_) return false;
    node.next_retired = first_;
    first_ = &node;
    ++count_;
    return true;
  }

  const std::size_t count_max_;
  std::mutex mutex_;
  Retired* first_ = nullptr;
  std::size_t count_ = 0;
};

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
  void follow_last(Guard& guard) noexcept { guard.follow(last_); }

  // Links a segment of which `fill(segment)` makes the first push behind `full`; false if another
  // thread has linked one. Requires: `full` is guarded.
  template <class Fill>
  bool append_new(Segment& full, Fill fill) {
    if (help_append(full)) return false;
    Segment& fresh = make();
    fill(fresh);
    if (append(full, fresh)) return true;
    spares_.put(fresh);
    help_append(full);
    return false;
  }

  // One that nobody else sees yet.
  Segment& make() {
    Segment* segment = spares_.take();
    if (segment == nullptr) return *new Segment;
    segment->reset();
    return *segment;
  }

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
  // False if it has no successor. Requires: it is drained, and guard_first() led to it.
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
