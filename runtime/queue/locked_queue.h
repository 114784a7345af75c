// LockedQueue: a mutex and a deque, the reference for the lock-free queues.
//
// Thread safety: all operations from any thread.
// Linearizable: a batch is pushed or popped as one step. Blocking: a thread that is stopped inside
// stops all other threads.
// Empty: try_pop() returns false, and try_pop_batch() fewer items than wanted, only if the queue
// was empty then.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <mutex>
#include <span>

#include "queue/item.h"

namespace drover::queue {

template <QueueItem Item>
class LockedQueue {
 public:
  void push(Item item) { push_batch({&item, 1}); }

  void push_batch(std::span<const Item> items) {
    const std::lock_guard lock(mutex_);
    items_.insert(items_.end(), items.begin(), items.end());
  }

  bool try_pop(Item& item) { return try_pop_batch({&item, 1}) == 1; }

  std::size_t try_pop_batch(std::span<Item> items) {
    const std::lock_guard lock(mutex_);
    const auto count = static_cast<std::ptrdiff_t>(std::min(items.size(), items_.size()));
    std::copy_n(items_.begin(), count, items.begin());
    items_.erase(items_.begin(), items_.begin() + count);
    return static_cast<std::size_t>(count);
  }

 private:
  std::mutex mutex_;
  std::deque<Item> items_;
};

}  // namespace drover::queue
