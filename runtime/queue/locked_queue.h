// A mutex and a deque: the measure for every queue that wants to be cleverer.
//
// Thread safety: all operations from any thread. Linearizable; a batch goes in, or comes out, as
// one step. Blocking: a thread that is stopped inside stops the others. Empty: try_pop() says
// false, try_pop_batch() 0, only if the queue was empty then; a batch that is short means that
// there was no more.
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
  void push(Item item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(item);
  }

  void push_batch(std::span<const Item> items) {
    const std::lock_guard lock(mutex_);
    items_.insert(items_.end(), items.begin(), items.end());
  }

  bool try_pop(Item& item) { return try_pop_batch(std::span<Item>(&item, 1)) == 1; }

  std::size_t try_pop_batch(std::span<Item> items) {
    const std::lock_guard lock(mutex_);
    const auto count = static_cast<std::ptrdiff_t>(std::min(items.size(), items_.size()));
    std::copy(items_.begin(), items_.begin() + count, items.begin());
    items_.erase(items_.begin(), items_.begin() + count);
    return static_cast<std::size_t>(count);
  }

 private:
  std::mutex mutex_;
  std::deque<Item> items_;
};

}  // namespace drover::queue
