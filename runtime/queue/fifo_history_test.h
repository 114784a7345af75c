// For tests: checks that the operations of several threads on a queue are equivalent to a sequence.
//
// A history is a list of operations with the times of their call and return. It is linearizable if
// the operations can be put in an order that a FIFO queue would obey and in which no operation
// comes before one that had returned when it was called. After J. Wing and C. Gong, "Testing and
// Verifying Concurrent Objects" (1993), with the memory of failed states of G. Lowe (2017). The
// time is exponential, so histories must be short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace drover::queue {

struct HistoryOperation {
  enum class Kind : std::uint8_t { push, pop };

  int thread = 0;
  Kind kind = Kind::push;
  std::vector<std::uint64_t> items;  // in one step; of a pop: none if it said "empty"
  std::uint64_t called = 0;
  std::uint64_t returned = 0;
};

// Operations of one thread take effect in the order of the list, even if their times are equal.
class FifoHistory {
 public:
  // Requires: at most 64 operations.
  explicit FifoHistory(std::vector<HistoryOperation> operations)
      : operations_(std::move(operations)) {
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (operations_[i].kind != HistoryOperation::Kind::pop) continue;
      for (const std::uint64_t item : operations_[i].items) popped_by_.emplace(item, i);
    }
  }

  bool is_linearizable() { return search(0, {}); }

 private:
  using Content = std::deque<std::uint64_t>;

  bool search(std::uint64_t done, const Content& content) {
    if (done == all()) return true;
    if (!tried_.emplace(done, content).second) return false;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (!may_come_next(i, done)) continue;
      Content after = content;
      if (apply(operations_[i], after) && search(done | bit(i), after)) return true;
    }
    return false;
  }

  bool may_come_next(std::size_t candidate, std::uint64_t done) const {
    if ((done & bit(candidate)) != 0) return false;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (i == candidate || (done & bit(i)) != 0) continue;
      if (precedes(i, candidate)) return false;
    }
    return true;
  }

  bool apply(const HistoryOperation& operation, Content& content) const {
    if (operation.kind == HistoryOperation::Kind::push) {
      for (const std::uint64_t item : operation.items) {
        for (const std::uint64_t earlier : content) {
          if (!may_follow(earlier, item)) return false;
        }
        content.push_back(item);
      }
      return true;
    }
    if (operation.items.empty()) return content.empty();
    for (const std::uint64_t item : operation.items) {
      if (content.empty() || content.front() != item) return false;
      content.pop_front();
    }
    return true;
  }

  // Returns true if the times of the pops allow `item` to come out after `earlier`. Shortens the
  // search.
  bool may_follow(std::uint64_t earlier, std::uint64_t item) const {
    const auto pop = popped_by_.find(item);
    if (pop == popped_by_.end()) return true;
    const auto earlier_pop = popped_by_.find(earlier);
    if (earlier_pop == popped_by_.end()) return false;
    return earlier_pop->second == pop->second || !precedes(pop->second, earlier_pop->second);
  }

  bool precedes(std::size_t a, std::size_t b) const {
    return operations_[a].returned < operations_[b].called ||
           (operations_[a].thread == operations_[b].thread && a < b);
  }

  static std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << i; }
  std::uint64_t all() const {
    return operations_.size() == 64 ? ~std::uint64_t{0} : bit(operations_.size()) - 1;
  }

  const std::vector<HistoryOperation> operations_;
  std::map<std::uint64_t, std::size_t> popped_by_;  // the operation, by the item
  std::set<std::pair<std::uint64_t, Content>> tried_;
};

}  // namespace drover::queue
