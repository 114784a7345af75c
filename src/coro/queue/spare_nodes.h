// A limited stock of nodes to use again, so that a queue in steady state does not call the
// allocator.
//
// Thread safety: take() and put() from any thread. Nobody ever waits: a thread that finds the lock
// taken goes to the allocator instead, so the queues above stay lock-free but for the allocator.
// Nodes are handed out last in, first out: the warmest first. A node in stock keeps what was in it.
#pragma once

#include <cstddef>
#include <mutex>

#include "coro/queue/retired.h"

namespace drover::queue {

// Node derives from Retired.
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

}  // namespace drover::queue
