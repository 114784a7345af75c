// Cancellation: a tree of sources, each with a list of the operations that wait under it.
//
// Every task runs under a source, inherited from the task that awaits it. To cancel a source is to
// cancel, in place, each operation that waits under it and each source below it, however deep, in
// the order in which they came, without recursion: the operation
// takes itself out of whatever it waits in and its task is resumed, where the await throws
// Cancelled. An operation that had already finished keeps its result. A later await under a
// cancelled source throws at once.
//
// All of it belongs to one worker and its thread. Nothing is allocated or counted: the nodes lie in
// the awaiters, which lie in the frames of the waiting coroutines.
#pragma once

#include <cassert>
#include "coro/detail/pinned.h"

namespace drover::coro {

class CancelSource;
class Worker;

// Thrown by an await under a cancelled source. Not a std::exception, so that handlers of errors do
// not swallow it: cancellation is no error.
struct Cancelled {};

// What can be cancelled: a waiting operation or a source further down. Intrusive, doubly linked.
class CancelNode : Pinned {
 public:
  void unlink() noexcept {
    if (next_ == nullptr) return;
    next_->previous_ = previous_;
    previous_->next_ = next_;
    next_ = previous_ = nullptr;
  }

 protected:
  ~CancelNode() { unlink(); }

 private:
  friend class CancelSource;  // which keeps the ring

  // Called once, already unlinked; must not resume anything, only queue it.
  virtual void on_cancel() noexcept = 0;

  // A source further down has itself here.
  virtual CancelSource* source_below() noexcept { return nullptr; }

  CancelNode* previous_ = nullptr;
  CancelNode* next_ = nullptr;
};

class CancelSource : Pinned {
 public:
  // A root of its own.
  explicit CancelSource(Worker& worker) noexcept : worker_(&worker), link_(*this) {}

  // Below `parent`, which must outlive it.
  explicit CancelSource(CancelSource& parent) noexcept : worker_(parent.worker_), link_(*this) {
    if (parent.cancelled_) {
      cancelled_ = true;
    } else {
      parent.add(link_);
    }
  }

  ~CancelSource() { assert(ring_.empty() && "operations still wait under this source"); }

  void cancel() noexcept {
    cancelled_ = true;
    while (!ring_.empty()) {
      CancelNode* node = ring_.next_;
      node->unlink();
      if (CancelSource* below = node->source_below()) {
        below->cancelled_ = true;
        ring_.take_over(below->ring_);  // what is below comes next
      } else {
        node->on_cancel();
      }
    }
  }

  bool cancelled() const noexcept { return cancelled_; }

  Worker& worker() const noexcept { return *worker_; }

  // Requires: not cancelled, `node` not linked.
  void add(CancelNode& node) noexcept {
    assert(!cancelled_);
    node.previous_ = ring_.previous_;
    node.next_ = &ring_;
    ring_.previous_->next_ = &node;
    ring_.previous_ = &node;
  }

 private:
  // The head of the ring of nodes.
  struct Ring final : CancelNode {
    Ring() noexcept { previous_ = next_ = this; }
    ~Ring() { previous_ = next_ = nullptr; }
    bool empty() const noexcept { return next_ == this; }
    void on_cancel() noexcept override {}

    // All nodes of another ring, before those that are here.
    void take_over(Ring& other) noexcept {
      if (other.empty()) return;
      other.previous_->next_ = next_;
      next_->previous_ = other.previous_;
      next_ = other.next_;
      next_->previous_ = this;
      other.previous_ = other.next_ = &other;
    }
  };

  // This source in the ring of its parent.
  struct Link final : CancelNode {
    explicit Link(CancelSource& s) noexcept : source(s) {}
    void on_cancel() noexcept override {}
    CancelSource* source_below() noexcept override { return &source; }
    CancelSource& source;
  };

  Worker* worker_;
  Link link_;
  Ring ring_;
  bool cancelled_ = false;
};

}  // namespace drover::coro
