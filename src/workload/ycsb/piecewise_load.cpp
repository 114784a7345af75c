#include "workload/ycsb/piecewise_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "text/plain_text.h"

namespace drover::ycsb {

using coro::Task;

namespace {

constexpr std::uint64_t piece_bytes = 16 << 20;

}  // namespace

PiecewiseLoad::PiecewiseLoad(LoadSettings settings, std::uint64_t rows_of_piece,
                             LoadObserver& observer)
    : settings_(std::move(settings)),
      observer_(observer),
      lengths_(settings_.properties),
      rows_of_piece_(rows_of_piece > 0
                         ? rows_of_piece
                         : ycsb::rows_of_piece(settings_.properties, lengths_, piece_bytes)),
      start_(coro::Worker::current().now()) {}

void PiecewiseLoad::count_sent(std::uint64_t rows, std::uint64_t bytes) {
  progress_.rows += rows;
  progress_.bytes += bytes;
}

void PiecewiseLoad::count_left(std::uint64_t rows, std::uint64_t bytes) {
  progress_.rows -= rows;
  progress_.bytes -= bytes;
}

Task<void> PiecewiseLoad::load_at_once() {
  const std::uint64_t tasks = std::clamp<std::uint64_t>(settings_.connections, 1, pieces_.left());
  auto body = [&](coro::Scope& scope) -> Task<void> {
    for (std::uint64_t i = 0; i < tasks; ++i) scope.start(load_pieces());
    co_return;
  };
  co_await coro::with_scope(body);
}

// Of what others were loading, they may have failed to load something.
Task<void> PiecewiseLoad::load_until_nothing_is_missing() {
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
    co_await load_at_once();
  }
}

Task<void> PiecewiseLoad::load_missing() {
  auto body = [&](coro::Scope& scope) -> Task<void> {
    scope.start(report_progress());
    co_await load_until_nothing_is_missing();
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
  progress_.elapsed = coro::Worker::current().now() - start_;
  observer_.on_loading(progress_);
}

database::Error PiecewiseLoad::explained(const database::Error& error) const {
  if (progress_.rows_total == 0) return error;
  return {error.error_class(), error.sqlstate(),
          fmt::format(
              "{} The load had sent {} of {} rows. To continue from there, repeat the same command",
              text::sentence(error.what()), progress_.rows, progress_.rows_total)};
}

}  // namespace drover::ycsb
