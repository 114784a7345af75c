// The load of the rows that a part of a table lacks, as far as it is the same on every database:
// several tasks load pieces of rows until no row is missing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/error.h"
#include "workload/ycsb/database.h"
#include "workload/ycsb/load_record.h"

namespace drover::ycsb {

// Cuts ranges at multiples of `rows_of_piece`, so that all processes that load the same rows cut
// them alike. Stores no pieces, of which there may be more than 10^12.
class Pieces {
 public:
  Pieces() = default;
  // Requires: no range is empty, and rows_of_piece > 0.
  Pieces(std::vector<RowRange> ranges, std::uint64_t rows_of_piece)
      : ranges_(std::move(ranges)), rows_of_piece_(rows_of_piece) {}

  // Returns the number of pieces that next() has not given yet.
  std::uint64_t left() const noexcept;
  std::optional<RowRange> next() noexcept;

 private:
  std::vector<RowRange> ranges_;  // the remaining rows of each range
  std::uint64_t rows_of_piece_ = 1;
  std::size_t range_ = 0;
};

// Belongs to one worker.
class PiecewiseLoad {
 public:
  // Throws PropertyError.
  explicit PiecewiseLoad(LoadSettings settings);
  virtual ~PiecewiseLoad() = default;

  // Loads the rows. Adds to errors how far the load came.
  coro::Task<LoadProgress> load();

 protected:
  // Creates the table, loads by load_missing(), and concludes the load.
  virtual coro::Task<void> load_table() = 0;
  virtual coro::Task<LoadRecord> read_record() = 0;
  // Loads the pieces that next_piece() gives. Several of these tasks run at the same time.
  virtual coro::Task<void> load_pieces() = 0;
  // Adds advice to an error.
  virtual database::Error explained(const database::Error& error) const;

  coro::Task<void> load_missing();
  void limit_pieces(std::uint64_t rows) noexcept {
    rows_of_piece_ = std::min(rows_of_piece_, rows);
  }
  std::optional<RowRange> next_piece() noexcept { return pieces_.next(); }
  // Counts rows that were sent to the server.
  void count_sent(std::uint64_t rows, std::uint64_t bytes) noexcept;
  // Takes back the count of rows that were rolled back.
  void uncount_sent(std::uint64_t rows, std::uint64_t bytes) noexcept;
  // Returns the time since the start of the load.
  coro::Duration elapsed() const;

  const LoadSettings settings_;
  const FieldLengths lengths_;
  LoadProgress progress_;

 private:
  coro::Task<void> load_until_complete();
  coro::Task<void> report_progress();
  void tell_progress();

  std::uint64_t rows_of_piece_;
  const coro::Instant start_;
  Pieces pieces_;
};

}  // namespace drover::ycsb
