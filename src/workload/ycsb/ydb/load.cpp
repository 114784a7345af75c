#include "workload/ycsb/ydb/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "database/error.h"
#include "database/ydb/call/channel.h"
#include "database/ydb/database_access.h"
#include "text/plain_text.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/piecewise_load.h"
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

constexpr std::int64_t bulk_bytes = 1 << 20;  // of a BulkUpsert, but for its last row
constexpr std::uint64_t row_bytes_most = database::ydb::message_bytes_most - 2 * bulk_bytes;

// Returns the largest number of bytes that a row takes in a BulkUpsert.
std::uint64_t bulk_row_bytes(const Properties& properties, const FieldLengths& lengths) {
  constexpr std::uint64_t bytes_beside_a_field = 16;
  return KeyName::size_max + bytes_beside_a_field +
         static_cast<std::uint64_t>(properties.field_count) *
             (lengths.length_max() + bytes_beside_a_field);
}

// Throws PropertyError if a row does not fit into a message.
void require_rows_of_messages(const Properties& properties, const FieldLengths& lengths) {
  const std::uint64_t bytes = bulk_row_bytes(properties, lengths);
  if (bytes <= row_bytes_most) return;
  throw PropertyError(fmt::format(
      "a row of {} fields with up to {} characters has up to {} bytes, and YDB accepts messages of "
      "at most {} bytes. Use fewer fields (fieldcount) or shorter fields (fieldlength)",
      properties.field_count, text::grouped(lengths.length_max()), text::grouped(bytes),
      text::grouped(database::ydb::message_bytes_most)));
}

class Load final : public PiecewiseLoad {
 public:
  Load(LoadOptions options, LoadObserver& observer)
      : PiecewiseLoad(options, options.rows_of_piece, observer),
        options_(std::move(options)),
        table_(options_.properties),
        columns_(table_.columns()) {
    require_rows_of_messages(properties(), lengths());
  }

  Task<LoadProgress> run();
  using PiecewiseLoad::explained;

 private:
  Task<LoadRecord> read_record() override { return read_load_record(*access_, table_); }
  Task<void> load_pieces() override;
  Task<void> load_piece(RowRange piece);
  Task<void> require_only_loaded(RowRange piece) const;
  bool is_loaded_row(const ResultSetView& rows, std::size_t row) const;
  BulkRows no_rows() const;
  void add_row(BulkRows& rows, std::uint64_t number);

  const LoadOptions options_;
  const Table table_;
  const std::vector<Column> columns_;
  bool is_new_ = false;  // the table is: nobody has had rows in it
  DatabaseAccess* access_ = nullptr;
  std::string value_;
};

BulkRows Load::no_rows() const {
  return BulkRows(columns_, bulk_row_bytes(properties(), lengths()));
}

void Load::add_row(BulkRows& rows, std::uint64_t number) {
  const KeyName key(number, options_.properties.insert_order, options_.properties.zero_padding);
  const std::uint64_t shown = shown_number(number, options_.properties.insert_order);
  rows.add(key.view());
  for (std::uint32_t field = 0; field < table_.field_count(); ++field) {
    const FieldPlace place = {.key = shown, .field = field};
    value_.resize(lengths().length(place, load_stamp));
    write_value(value_, place, {.version = 0, .stamp = load_stamp});
    rows.add(std::string_view(value_));
  }
  rows.end_row();
}

Task<void> Load::load_piece(RowRange piece) {
  if (!is_new_) co_await require_only_loaded(piece);
  for (std::uint64_t number = piece.begin; number < piece.end;) {
    BulkRows rows = no_rows();
    for (; number < piece.end && rows.bytes() < bulk_bytes; ++number) add_row(rows, number);
    const auto count = static_cast<std::uint64_t>(rows.rows());
    const auto bytes = static_cast<std::uint64_t>(rows.bytes());
    co_await access_->bulk_upsert(table_.plain_name(), std::move(rows));
    count_sent(count, bytes);
  }
  co_await write_loaded(*access_, table_, piece);
}

bool Load::is_loaded_row(const ResultSetView& rows, std::size_t row) const {
  const auto shown = number_shown_by(rows.at(row, key_column).text());
  if (!shown) return false;
  std::string value;
  for (std::uint32_t field = 0; field < table_.field_count(); ++field) {
    const FieldPlace place = {.key = *shown, .field = field};
    value.resize(lengths().length(place, load_stamp));
    write_value(value, place, {.version = 0, .stamp = load_stamp});
    if (text_of(rows.at(row, table_.plain_field(field))) != value) return false;
  }
  return true;
}

// Whoever has written them, by a run, would lose them.
Task<void> Load::require_only_loaded(RowRange piece) const {
  for (std::uint64_t begin = piece.begin; begin < piece.end; begin += rows_of_window) {
    const std::uint64_t count = std::min(rows_of_window, piece.end - begin);
    const QueryResult found =
        co_await read_rows(*access_, table_, keys_of_rows(options_.properties, begin, count));
    for (std::size_t row = 0; row < found.set(0).rows(); ++row) {
      if (is_loaded_row(found.set(0), row)) continue;
      throw Error(
          database::ErrorClass::statement, "",
          fmt::format("the row {} of this part is already in the table {}, with values that no "
                      "load has written, so a run has inserted or updated it. Load another part "
                      "(insertstart, insertcount), or drop the table with 'drover ycsb clean'",
                      found.set(0).at(row, key_column).text(), table_.plain_name()));
    }
  }
}

Task<void> Load::load_pieces() {
  while (const auto piece = next_piece()) co_await load_piece(*piece);
}

Task<LoadProgress> Load::run() {
  auto body = [this](DatabaseAccess& access) -> Task<void> {
    access_ = &access;
    is_new_ = co_await begin_load(access, table_, options_.properties);
    co_await load_missing();
  };
  co_await DatabaseAccess::use(options_.database, body);
  co_return progress();
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
