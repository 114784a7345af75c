// InsertSequence: the numbers of the rows that a run inserts, and how many of them there are already.
//
// One object for all workers of a process. With a sequence for each worker there would be nothing to share, but `latest`
// would then read the newest rows of each worker in place of the newest of the table: the load on the hottest row would
// be divided by the number of workers, which is no property of the workload. Processes on several hosts do not know of
// each other's inserts: each has a stripe of its own (first + index, and the number of processes as its stride), so that
// no two insert the same row.
//
// Numbers are settled in any order: a row is in the table, or its insert was given up. Rows may be read once all
// before them are settled. One that was given up, or may be there or not, is none of them: a database from which it
// could be read, or could not, has done nothing wrong. An insert that is never settled would hold back all behind it:
// when outstanding_max numbers lie between it and the newest that is settled, it is given up.
//
// Thread safety: any thread, any function. Handing out is one relaxed addition, for only the number itself must be
// unique. To settle takes a mutex, twenty thousand times a second or so, for some 50 ns, and so does number() once an
// insert was given up.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

#include "workload/ycsb/clients/missing_places.h"

namespace drover::ycsb {

class InsertSequence {
 public:
  static constexpr std::size_t outstanding_max_default = std::size_t{1} << 22;  // 4 MiB then
  // The number of given-up inserts that are remembered, in at most 16 MiB. A read of a row whose
  // insert was given up after these finds nothing.
  static constexpr std::size_t missing_max = std::size_t{1} << 20;

  // Throws std::invalid_argument if stride or outstanding_max is 0.
  explicit InsertSequence(std::uint64_t first, std::uint64_t stride = 1,
                          std::size_t outstanding_max = outstanding_max_default);

  // The number of the next row to insert.
  std::uint64_t next() noexcept {
    return number_at(next_index_.fetch_add(1, std::memory_order_relaxed));
  }

  // Of a number that next() gave out, once: its row is in the table; or it is not known to be, and will not be tried
  // again.
  void acknowledge(std::uint64_t number);
  void abandon(std::uint64_t number);

  // So many rows may be read. Never falls.
  [[nodiscard]] std::uint64_t existing() const noexcept {
    return existing_.load(std::memory_order_acquire);
  }
  // How many numbers between and before these were given up.
  [[nodiscard]] std::uint64_t missing() const noexcept {
    return missing_count_.load(std::memory_order_relaxed);
  }

  // The number of the row at an index, from 0, which does not change any more. Requires: the calling thread has seen
  // existing() above the index.
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

  // On lines of their own, for each is written at its own time and the second is read before every operation.
  alignas(64) std::atomic<std::uint64_t> next_index_ = 0;
  // Both written under the mutex. existing_ is stored with release, and pairs with existing(): whoever sees a row sees
  // how many are missing before it.
  alignas(64) std::atomic<std::uint64_t> existing_ = 0;
  std::atomic<std::uint64_t> missing_count_ = 0;

  alignas(64) mutable std::mutex mutex_;  // the rest is below it
  std::uint64_t settled_ = 0;             // places: rows and missing ones
  std::deque<State> window_;              // from the place settled_
  MissingPlaces missing_;
};

}  // namespace drover::ycsb
