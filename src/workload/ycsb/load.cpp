#include "workload/ycsb/load.h"

#include <fmt/format.h>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "text/plain_text.h"

namespace drover::ycsb {

using coro::Task;
using database::Error;

std::uint64_t Pieces::left() const noexcept {
  std::uint64_t pieces = 0;
  for (std::size_t i = range_; i < ranges_.size(); ++i) {
    pieces += (ranges_[i].end - 1) / rows_of_piece_ - ranges_[i].begin / rows_of_piece_ + 1;
  }
  return pieces;
}

std::optional<RowRange> Pieces::next() noexcept {
  if (range_ == ranges_.size()) return std::nullopt;
  RowRange& range = ranges_[range_];
  const std::uint64_t cut = (range.begin / rows_of_piece_ + 1) * rows_of_piece_;
  const RowRange piece = {.begin = range.begin, .end = std::min(cut, range.end)};
  range.begin = piece.end;
  if (range.rows() == 0) ++range_;
  return piece;
}

namespace {

// Returns the number of rows of a usual piece.
std::uint64_t usual_rows_of_piece(const Properties& properties, const FieldLengths& lengths) {
  constexpr std::uint64_t piece_bytes = 16 << 20;
  constexpr std::uint64_t piece_rows_max = 100'000;
  const std::uint64_t row =
      32 + static_cast<std::uint64_t>(properties.field_count) * (lengths.length_max() + 1);
  return std::clamp<std::uint64_t>(piece_bytes / row, 1, piece_rows_max);
}

}  // namespace

PiecewiseLoad::PiecewiseLoad(LoadSettings settings)
    : settings_(std::move(settings)),
      lengths_(settings_.properties),
      rows_of_piece_(settings_.rows_of_piece > 0
                         ? settings_.rows_of_piece
                         : usual_rows_of_piece(settings_.properties, lengths_)),
      start_(coro::Worker::current().now()) {}

Task<LoadProgress> PiecewiseLoad::load() {
  try {
    co_await load_table();
  } catch (const Error& error) {
    throw explained(error);
  }
  co_return progress_;
}

void PiecewiseLoad::count_sent(std::uint64_t rows, std::uint64_t bytes) noexcept {
  progress_.rows += rows;
  progress_.bytes += bytes;
}

void PiecewiseLoad::uncount_sent(std::uint64_t rows, std::uint64_t bytes) noexcept {
  progress_.rows -= rows;
  progress_.bytes -= bytes;
}

// Repeats, because other loads may have failed at pieces that this load left to them.
Task<void> PiecewiseLoad::load_until_complete() {
  const RowRange part = part_of(settings_.properties, settings_.share);
  for (bool first = true;; first = false) {
    const LoadRecord record = co_await read_record();
    std::vector<RowRange> missing = missing_ranges(part, record.loaded);
    if (first) {
      for (const RowRange& range : missing) progress_.rows_total += range.rows();
      progress_.rows_there = part.rows() - progress_.rows_total;
      tell_progress();
    }
    if (missing.empty()) co_return;
    pieces_ = Pieces(std::move(missing), rows_of_piece_);
    auto body = [&](coro::Scope& scope) -> Task<void> {
      const auto tasks = std::clamp<std::uint64_t>(settings_.connections, 1, pieces_.left());
      for (std::uint64_t i = 0; i < tasks; ++i) scope.start(load_pieces());
      co_return;
    };
    co_await coro::with_scope(body);
  }
}

Task<void> PiecewiseLoad::load_missing() {
  auto body = [&](coro::Scope& scope) -> Task<void> {
    scope.start(report_progress());
    co_await load_until_complete();
    scope.cancel();
  };
  co_await coro::with_scope(body);
  tell_progress();
}

Task<void> PiecewiseLoad::report_progress() {
  for (;;) {
    co_await coro::sleep_for(settings_.progress_interval);
    tell_progress();
  }
}

void PiecewiseLoad::tell_progress() {
  progress_.elapsed = elapsed();
  if (settings_.on_progress) settings_.on_progress(progress_);
}

coro::Duration PiecewiseLoad::elapsed() const {
  return coro::Worker::current().now() - start_;
}

Error PiecewiseLoad::explained(const Error& error) const {
  if (progress_.rows_total == 0) return error;
  return {error.error_class(), error.sqlstate(),
          fmt::format(
              "{} The load had sent {} of {} rows. To continue from there, repeat the same command",
              text::sentence(error.what()), progress_.rows, progress_.rows_total)};
}

}  // namespace drover::ycsb
