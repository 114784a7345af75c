// Cancellation: a tree of sources, each with a list of the operations that wait under it.
//
// Every task runs under a source, which it inherits from the task that awaits it. Cancelling a
// source immediately cancels each operation that waits under it, and each source below it at any
// depth, in the order in which they came and without recursion. A cancelled operation leaves its
// queue, and its task is resumed and throws Cancelled. An operation that has already finished keeps
// its result. A later await under a cancelled source throws at once.
//
// A tree belongs to one worker and its thread. Nothing is allocated or counted: the nodes are parts
// of the awaiters, which lie in the frames of the waiting coroutines.
//
// scripts/gdb_tasks.py knows the memory layout of CancelNode and CancelSource.
#pragma once

#include <cassert>

#include "coro/detail/intrusive.h"

namespace drover::coro {

class CancelSource;
class Worker;

// Thrown by an await under a cancelled source. Not a std::exception, so that handlers of errors let
// it pass.
struct Cancelled {};

// A waiting operation, or a source below another one, in the list of a source.
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

  // Called once, after unlink(). Must not resume a task, only make it ready.
  virtual void on_cancel() noexcept = 0;

  // Returns the source that this node stands for, or null for an operation.
  virtual CancelSource* source_below() noexcept { return nullptr; }

  CancelNode* previous_ = nullptr;
  CancelNode* next_ = nullptr;
};

class CancelSource : Pinned {
 public:
  // Makes the root of a tree.
  explicit CancelSource(Worker& worker) noexcept : worker_(&worker), link_(*this) {}

  // Makes a source below `parent`, which must outlive it.
  explicit CancelSource(CancelSource& parent) noexcept : worker_(parent.worker_), link_(*this) {
    cancelled_ = parent.cancelled_;
    if (!cancelled_) parent.add(link_);
  }

  ~CancelSource() { assert(ring_.empty() && "operations still wait under this source"); }

  void cancel() noexcept {
    cancelled_ = true;
    while (!ring_.empty()) {
      CancelNode* node = ring_.next_;
      node->unlink();
      if (CancelSource* below = node->source_below()) {
        below->cancelled_ = true;
        ring_.take_over(below->ring_);
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
  // Head of the ring of nodes.
  struct Ring final : CancelNode {
    Ring() noexcept { previous_ = next_ = this; }
    ~Ring() { previous_ = next_ = nullptr; }
    bool empty() const noexcept { return next_ == this; }
    void on_cancel() noexcept override {}

    // Moves all nodes of another ring to the front of this one.
    void take_over(Ring& other) noexcept {
      if (other.empty()) return;
      other.previous_->next_ = next_;
      next_->previous_ = other.previous_;
      next_ = other.next_;
      next_->previous_ = this;
      other.previous_ = other.next_ = &other;
    }
  };

  // Node of this source in the ring of its parent.
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
