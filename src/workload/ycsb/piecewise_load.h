// A load of what of a part is not there yet, whatever the database: in pieces, by several tasks at a time, until nothing
// is missing.
//
// Belongs to one worker.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/error.h"
#include "workload/ycsb/database.h"
#include "workload/ycsb/load_record.h"
#include "workload/ycsb/properties/field_lengths.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb {

class PiecewiseLoad {
 public:
  // `rows_of_piece`: 0: as many as are some MiB. The observer must outlive it. Throws PropertyError.
  PiecewiseLoad(LoadSettings settings, std::uint64_t rows_of_piece, LoadObserver& observer);
  virtual ~PiecewiseLoad() = default;

 protected:
  const Properties& properties() const noexcept { return settings_.properties; }
  const FieldLengths& lengths() const noexcept { return lengths_; }

  virtual coro::Task<LoadRecord> read_record() = 0;
  // The pieces are to have no more rows than these.
  void limit_pieces(std::uint64_t rows) noexcept {
    rows_of_piece_ = std::min(rows_of_piece_, rows);
  }

  // Loads one piece after the other, of those that next_piece() gives. Several do so at the same time.
  virtual coro::Task<void> load_pieces() = 0;

  std::optional<RowRange> next_piece() noexcept { return pieces_.next(); }
  // Rows that were handed to the server; and those of them that were left to another load after all.
  void count_sent(std::uint64_t rows, std::uint64_t bytes);
  void count_left(std::uint64_t rows, std::uint64_t bytes);

  // Tells the observer meanwhile.
  coro::Task<void> load_missing();
  const LoadProgress& progress() const noexcept { return progress_; }
  // Says how far the load came.
  database::Error explained(const database::Error& error) const;

 private:
  coro::Task<void> load_until_nothing_is_missing();
  coro::Task<void> load_at_once();
  coro::Task<void> report_progress();
  void tell_progress();

  const LoadSettings settings_;
  LoadObserver& observer_;
  const FieldLengths lengths_;
  std::uint64_t rows_of_piece_;
  const coro::Instant start_;
  LoadProgress progress_;
  Pieces pieces_;
};

}  // namespace drover::ycsb
