#include "workload/ycsb/ydb/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
#include "database/ydb/database_access.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/preparation.h"
#include "workload/ycsb/properties/field_lengths.h"
#include "workload/ycsb/values.h"
#include "workload/ycsb/ydb/load_record.h"
#include "workload/ycsb/ydb/table.h"
#include "workload/ycsb/ydb/table_rows.h"

namespace drover::ycsb::ydb {
namespace {

using coro::Task;
using database::Error;
using database::ydb::BulkRows;
using database::ydb::Column;
using database::ydb::DatabaseAccess;

constexpr std::uint64_t piece_bytes = 16 << 20;
constexpr std::int64_t bulk_bytes = 1 << 20;  // of a BulkUpsert, but for its last row

// What all tasks of a load share.
class Load {
 public:
  Load(LoadOptions options, LoadObserver& observer)
      : options_(std::move(options)),
        observer_(observer),
        table_(options_.properties),
        columns_(table_.columns()),
        lengths_(options_.properties),
        rows_of_piece_(options_.rows_of_piece > 0
                           ? options_.rows_of_piece
                           : rows_of_piece(options_.properties, lengths_, piece_bytes)),
        start_(coro::Worker::current().now()) {}

  Task<LoadProgress> run();
  Error explained(const Error& error) const;

 private:
  Task<void> load_all(DatabaseAccess& access);
  Task<void> load_missing(DatabaseAccess& access);
  Task<void> load_pieces(DatabaseAccess& access);
  Task<void> take_pieces(DatabaseAccess& access);
  Task<void> load_piece(DatabaseAccess& access, RowRange piece);
  Task<void> require_only_loaded(DatabaseAccess& access, RowRange piece) const;
  bool is_loaded_row(const ResultSetView& rows, std::size_t row) const;
  BulkRows no_rows() const;
  void add_row(BulkRows& rows, std::uint64_t number);
  Task<void> report_progress();
  void tell_progress();

  const LoadOptions options_;
  LoadObserver& observer_;
  const Table table_;
  const std::vector<Column> columns_;
  const FieldLengths lengths_;
  const std::uint64_t rows_of_piece_;
  const coro::Instant start_;
  bool is_new_ = false;  // the table is: nobody has had rows in it
  LoadProgress progress_;
  std::vector<RowRange> pieces_;
  std::size_t next_ = 0;
  std::string value_;
};

BulkRows Load::no_rows() const {
  constexpr std::size_t bytes_beside_a_field = 16;
  const std::size_t row = KeyName::size_max + bytes_beside_a_field +
                          table_.field_count() * (lengths_.length_max() + bytes_beside_a_field);
  return BulkRows(columns_, row);
}

void Load::add_row(BulkRows& rows, std::uint64_t number) {
  const KeyName key(number, options_.properties.insert_order, options_.properties.zero_padding);
  const std::uint64_t shown = shown_number(number, options_.properties.insert_order);
  rows.add(key.view());
  for (std::uint32_t field = 0; field < table_.field_count(); ++field) {
    const FieldPlace place = {.key = shown, .field = field};
    value_.resize(lengths_.length(place, load_stamp));
    write_value(value_, place, {.version = 0, .stamp = load_stamp});
    rows.add(std::string_view(value_));
  }
  rows.end_row();
}

Task<void> Load::load_piece(DatabaseAccess& access, RowRange piece) {
  if (!is_new_) co_await require_only_loaded(access, piece);
  for (std::uint64_t number = piece.begin; number < piece.end;) {
    BulkRows rows = no_rows();
    for (; number < piece.end && rows.bytes() < bulk_bytes; ++number) add_row(rows, number);
    const auto count = static_cast<std::uint64_t>(rows.rows());
    const auto bytes = static_cast<std::uint64_t>(rows.bytes());
    co_await access.bulk_upsert(table_.plain_name(), std::move(rows));
    progress_.rows += count;
    progress_.bytes += bytes;
  }
  co_await write_loaded(access, table_, piece);
}

bool Load::is_loaded_row(const ResultSetView& rows, std::size_t row) const {
  const auto shown = number_shown_by(rows.at(row, key_column).text());
  if (!shown) return false;
  std::string value;
  for (std::uint32_t field = 0; field < table_.field_count(); ++field) {
    const FieldPlace place = {.key = *shown, .field = field};
    value.resize(lengths_.length(place, load_stamp));
    write_value(value, place, {.version = 0, .stamp = load_stamp});
    if (text_of(rows.at(row, table_.plain_field(field))) != value) return false;
  }
  return true;
}

// Whoever has written them, by a run, would lose them.
Task<void> Load::require_only_loaded(DatabaseAccess& access, RowRange piece) const {
  for (std::uint64_t begin = piece.begin; begin < piece.end; begin += rows_of_window) {
    const std::uint64_t count = std::min(rows_of_window, piece.end - begin);
    const QueryResult found =
        co_await read_rows(access, table_, keys_of_rows(options_.properties, begin, count));
    for (std::size_t row = 0; row < found.set(0).rows(); ++row) {
      if (is_loaded_row(found.set(0), row)) continue;
      throw Error(database::ErrorClass::statement, "",
                  fmt::format("the row {} of this part is in the table {} already, with values "
                              "that no load has written: a run has inserted or updated it. Load "
                              "another part (insertstart, insertcount), or drop the table with "
                              "'drover ycsb clean'",
                              found.set(0).at(row, key_column).text(), table_.plain_name()));
    }
  }
}

Task<void> Load::take_pieces(DatabaseAccess& access) {
  while (next_ < pieces_.size()) {
    const RowRange piece = pieces_[next_++];
    co_await load_piece(access, piece);
  }
}

Task<void> Load::load_pieces(DatabaseAccess& access) {
  const std::size_t tasks = std::clamp<std::size_t>(options_.connections, 1, pieces_.size());
  auto body = [&](coro::Scope& scope) -> Task<void> {
    for (std::size_t i = 0; i < tasks; ++i) scope.start(take_pieces(access));
    co_return;
  };
  co_await coro::with_scope(body);
}

// Until nothing is missing: what is recorded may have been forgotten by another load that has just begun.
Task<void> Load::load_missing(DatabaseAccess& access) {
  const RowRange part = part_of(options_.properties);
  for (bool first = true;; first = false) {
    const LoadRecord record = co_await read_load_record(access, table_);
    const std::vector<RowRange> missing = missing_ranges(part, record.loaded);
    if (first) {
      for (const RowRange& range : missing) progress_.rows_total += range.rows();
      progress_.rows_there = part.rows() - progress_.rows_total;
      tell_progress();
    }
    if (missing.empty()) co_return;
    pieces_ = cut_in_pieces(missing, rows_of_piece_);
    next_ = 0;
    co_await load_pieces(access);
  }
}

Task<void> Load::load_all(DatabaseAccess& access) {
  is_new_ = co_await begin_load(access, table_, options_.properties);
  auto body = [&](coro::Scope& scope) -> Task<void> {
    scope.start(report_progress());
    co_await load_missing(access);
    scope.cancel();
  };
  co_await coro::with_scope(body);
}

Task<LoadProgress> Load::run() {
  auto body = [this](DatabaseAccess& access) -> Task<void> { co_await load_all(access); };
  co_await DatabaseAccess::use(options_.database, body);
  tell_progress();
  co_return progress_;
}

Task<void> Load::report_progress() {
  for (;;) {
    co_await coro::sleep_for(options_.progress_interval);
    tell_progress();
  }
}

void Load::tell_progress() {
  progress_.elapsed = coro::Worker::current().now() - start_;
  observer_.on_loading(progress_);
}

Error Load::explained(const Error& error) const {
  if (progress_.rows_total == 0) return error;
  return {error.error_class(), error.sqlstate(),
          fmt::format("{}; the load had sent {} of {} rows; the same command goes on from there",
                      error.what(), progress_.rows, progress_.rows_total)};
}

}  // namespace

Task<LoadProgress> load(LoadOptions options, LoadObserver& observer) {
  Load work(std::move(options), observer);
  try {
    co_return co_await work.run();
  } catch (const Error& error) {
    throw work.explained(error);
  }
}

}  // namespace drover::ycsb::ydb
