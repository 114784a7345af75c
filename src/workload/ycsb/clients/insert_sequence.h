// InsertSequence: the numbers of the rows that a run inserts, and how many of them there are already.
//
// One object for all workers of a process. With a sequence for each worker there would be nothing to share, but `latest`
// would then read the newest rows of each worker in place of the newest of the table: the load on the hottest row would
// be divided by the number of workers, which is no property of the workload. Processes on several hosts do not know of
// each other's inserts: each has a stripe of its own (first + index, and the number of processes as its stride), so that
// no two insert the same row.
//
// Numbers are settled in any order: a row is in the table, or its insert was given up. Rows may be read once all
// before them are settled. One that was given up is missing for ever: a read of it finds nothing, which whoever counts
// must expect. An insert that is never settled would hold back all behind it: when outstanding_max numbers lie
// between it and the newest that is settled, it is passed over.
//
// Thread safety: any thread, any function. Handing out is one relaxed addition, for only the number itself must be
// unique. To settle takes a mutex, twenty thousand times a second or so, for some 50 ns. existing() is a relaxed
// load: who sees a count reads nothing in memory by it, but rows in the database; their inserts were answered before
// the count was stored, and so before it was seen.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

namespace drover::ycsb {

class InsertSequence {
 public:
  static constexpr std::size_t outstanding_max_default = std::size_t{1} << 22;  // 4 MiB then

  // Throws std::invalid_argument if stride or outstanding_max is 0.
  explicit InsertSequence(std::uint64_t first, std::uint64_t stride = 1,
                          std::size_t outstanding_max = outstanding_max_default);

  // The number of the next row to insert.
  std::uint64_t next() noexcept {
    return number(next_index_.fetch_add(1, std::memory_order_relaxed));
  }

  // Of a number that next() gave out, once: its row is in the table; or it is not known to be, and will not be tried
  // again.
  void acknowledge(std::uint64_t number);
  void abandon(std::uint64_t number);

  // So many of the first numbers are settled. Never falls.
  [[nodiscard]] std::uint64_t existing() const noexcept {
    return existing_.load(std::memory_order_relaxed);
  }
  // How many of these were given up or passed over.
  [[nodiscard]] std::uint64_t missing() const;

  // The number at an index, from 0.
  [[nodiscard]] std::uint64_t number(std::uint64_t index) const noexcept {
    return first_ + index * stride_;
  }

 private:
  enum class State : std::uint8_t { outstanding, inserted, abandoned };

  void settle(std::uint64_t number, State state);

  const std::uint64_t first_;
  const std::uint64_t stride_;
  const std::size_t outstanding_max_;

  // On lines of their own, for each is written at its own time and the second is read before every operation.
  alignas(64) std::atomic<std::uint64_t> next_index_ = 0;
  alignas(64) std::atomic<std::uint64_t> existing_ = 0;  // written under the mutex

  alignas(64) mutable std::mutex mutex_;  // the rest is below it
  std::deque<State> window_;              // from the index existing_
  std::uint64_t missing_ = 0;
};

}  // namespace drover::ycsb
