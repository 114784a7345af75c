// InsertSequence: numbers the rows that a run inserts, and tells how many of them can be read.
//
// All workers of a process share one object. A sequence for each worker would need no
// synchronisation, but `latest` would then read the newest rows of each worker and not of the
// table, which divides the load on the hottest row by the number of workers. Processes on several
// hosts do not know each other's inserts. Each has its own stripe (`first` is its index, the stride
// the number of processes), so that no two insert the same row.
//
// A number is settled when its row is in the table or its insert was given up; settling happens in
// any order. Rows are readable when all numbers before them are settled. Rows whose inserts were
// given up are never read, because the database may rightly have them or not. An insert that is not
// settled holds back all later rows. When outstanding_max numbers lie between it and the newest
// settled one, it is given up.
//
// Thread safety: any thread, any function. next() is one relaxed addition, because only the number
// itself must be unique. Settling takes a mutex, about 20,000 times a second for 50 ns, and so does
// number() after an insert was given up.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <mutex>
#include <vector>

namespace drover::ycsb {

// The empty places of a sequence, and the position of its n-th full place. Memory is per gap and
// does not depend on the gap's length. One owner at a time.
class MissingPlaces {
 public:
  // Adds the empty places [begin, end). Requires: they are above all places that were added before.
  void add(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t full = begin - count();
    if (gaps_.empty() || gaps_.back().full_before != full) gaps_.push_back({full, count()});
    gaps_.back().empty += end - begin;
  }

  // Returns the number of empty places.
  std::uint64_t count() const noexcept { return gaps_.empty() ? 0 : gaps_.back().empty; }

  // Returns the position of the full place number `index`.
  std::uint64_t place_of(std::uint64_t index) const {
    const auto behind = std::ranges::upper_bound(gaps_, index, {}, &Gap::full_before);
    return behind == gaps_.begin() ? index : index + std::prev(behind)->empty;
  }

 private:
  struct Gap {
    std::uint64_t full_before = 0;  // full places before the gap
    std::uint64_t empty = 0;        // empty places up to the end of the gap
  };

  std::vector<Gap> gaps_;
};

class InsertSequence {
 public:
  static constexpr std::size_t outstanding_max_default = std::size_t{1} << 22;  // 4 MiB
  // The number of given-up inserts that are remembered, in at most 16 MiB. A read of a row whose
  // insert was given up after these finds nothing.
  static constexpr std::size_t missing_max = std::size_t{1} << 20;

  // Throws std::invalid_argument if stride or outstanding_max is 0.
  explicit InsertSequence(std::uint64_t first, std::uint64_t stride = 1,
                          std::size_t outstanding_max = outstanding_max_default);

  // Returns the number of the next row to insert.
  std::uint64_t next() noexcept {
    return number_at(next_index_.fetch_add(1, std::memory_order_relaxed));
  }

  // Settles a number of next(), once: its row is in the table, or the insert was given up.
  void acknowledge(std::uint64_t number) { settle(number, State::inserted); }
  void abandon(std::uint64_t number) { settle(number, State::abandoned); }

  // Returns the number of readable rows. Never falls.
  [[nodiscard]] std::uint64_t existing() const noexcept {
    return existing_.load(std::memory_order_acquire);
  }
  // Returns the number of given-up inserts before or between these rows.
  [[nodiscard]] std::uint64_t missing() const noexcept {
    return missing_count_.load(std::memory_order_relaxed);
  }

  // Returns the number of the readable row at an index, from 0. It does not change. Requires: the
  // calling thread has seen existing() above the index.
  [[nodiscard]] std::uint64_t number(std::uint64_t index) const {
    return number_at(missing() == 0 ? index : place_of(index));
  }

 private:
  enum class State : std::uint8_t { outstanding, inserted, abandoned };

  std::uint64_t number_at(std::uint64_t place) const noexcept { return first_ + place * stride_; }
  std::uint64_t place_of(std::uint64_t index) const;
  void settle(std::uint64_t number, State state);

  const std::uint64_t first_;
  const std::uint64_t stride_;
  const std::size_t outstanding_max_;

  // On separate cache lines: the first is written, and the second read, by every operation.
  alignas(64) std::atomic<std::uint64_t> next_index_ = 0;
  // Written under the mutex. The release store pairs with existing(): a thread that sees a row also
  // sees the number of missing rows before it.
  alignas(64) std::atomic<std::uint64_t> existing_ = 0;
  std::atomic<std::uint64_t> missing_count_ = 0;

  alignas(64) mutable std::mutex mutex_;  // guards the members below
  std::uint64_t settled_ = 0;             // all places below are settled
  std::deque<State> window_;              // begins with the place settled_
  MissingPlaces missing_;
};

}  // namespace drover::ycsb
