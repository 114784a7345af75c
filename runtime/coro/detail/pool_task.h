// PoolTask: a piece of work for a StealingPool, and PoolTaskList: a FIFO of them.
//
// Intrusive: the pool links the tasks themselves and allocates nothing for them. Who spawns a task
// keeps it alive until run() is called; from then on the pool does not touch it, so that run() may
// destroy it. A task is in one pool at a time; spawned again, even from within run(), it runs
// again.
//
// Thread safety: none of its own; a list is guarded by whoever owns it.
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>
#include "coro/detail/pinned.h"

namespace drover::coro {

class PoolTask : Pinned {
 public:
  // Called once for each spawn, on a worker of the pool. What it throws is kept for the pool's
  // join().
  virtual void run() = 0;

 protected:
  ~PoolTask() = default;

 private:
  friend class PoolTaskList;

  PoolTask* next_ = nullptr;
};

class PoolTaskList {
 public:
  PoolTaskList() = default;

  // The list that release() gave up.
  explicit PoolTaskList(PoolTask* chain) noexcept : first_(chain), last_(chain) {
    if (chain == nullptr) return;
    size_ = 1;
    for (; last_->next_ != nullptr; last_ = last_->next_) ++size_;
  }

  PoolTaskList(PoolTaskList&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)),
        last_(std::exchange(other.last_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  PoolTaskList& operator=(PoolTaskList&&) = delete;
  ~PoolTaskList() { assert(empty() && "tasks were dropped"); }

  bool empty() const noexcept { return first_ == nullptr; }
  std::size_t size() const noexcept { return size_; }

  void push_back(PoolTask& task) noexcept {
    task.next_ = nullptr;
    (last_ != nullptr ? last_->next_ : first_) = &task;
    last_ = &task;
    ++size_;
  }

  // The oldest, or null.
  PoolTask* pop_front() noexcept {
    PoolTask* task = first_;
    if (task == nullptr) return nullptr;
    first_ = task->next_;
    if (first_ == nullptr) last_ = nullptr;
    --size_;
    return task;
  }

  void append(PoolTaskList&& list) noexcept {
    if (list.empty()) return;
    (last_ != nullptr ? last_->next_ : first_) = list.first_;
    last_ = list.last_;
    size_ += list.size_;
    list.forget();
  }

  // Puts `list` before what is here.
  void prepend(PoolTaskList&& list) noexcept {
    if (list.empty()) return;
    list.last_->next_ = first_;
    if (last_ == nullptr) last_ = list.last_;
    first_ = list.first_;
    size_ += list.size_;
    list.forget();
  }

  // The `count` oldest, or as many as there are.
  PoolTaskList take_front(std::size_t count) noexcept {
    PoolTaskList taken;
    if (count >= size_) {
      taken.append(std::move(*this));
      return taken;
    }
    if (count == 0) return taken;
    PoolTask* last_taken = first_;
    for (std::size_t i = 1; i < count; ++i) last_taken = last_taken->next_;
    taken.first_ = first_;
    taken.last_ = last_taken;
    taken.size_ = count;
    first_ = last_taken->next_;
    last_taken->next_ = nullptr;
    size_ -= count;
    return taken;
  }

  // The tasks as a chain that ends with null, for a container of bare pointers.
  PoolTask* release() noexcept {
    PoolTask* chain = first_;
    forget();
    return chain;
  }

 private:
  void forget() noexcept {
    first_ = last_ = nullptr;
    size_ = 0;
  }

  PoolTask* first_ = nullptr;
  PoolTask* last_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace drover::coro
