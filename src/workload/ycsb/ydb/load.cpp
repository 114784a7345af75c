// The load by BulkUpsert, in pieces, with as many requests at a time as there are connections. A
// piece is recorded in drover_ycsb_loaded after all of its rows are stored. The next load writes
// the rows of an unrecorded piece again, with the same values.
//
// BulkUpsert overwrites existing rows. Unless the table is new, a load therefore reads the existing
// rows of a piece first, and refuses to overwrite rows that no load has written. Two loads of the
// same rows at the same time both do the work, and a run must wait for both.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "database/error.h"
#include "database/ydb/call/channel.h"
#include "text/plain_text.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/load.h"
#include "workload/ycsb/preparation.h"
#include "workload/ycsb/values.h"
#include "workload/ycsb/ydb/database_on_ydb.h"

namespace drover::ycsb::ydb {
namespace {

using coro::Task;
using database::ydb::BulkRows;
using database::ydb::Column;
using database::ydb::DatabaseAccess;
using database::ydb::Primitive;
using database::ydb::QueryResult;
using database::ydb::ResultSetView;
using database::ydb::YdbDatabase;

constexpr std::int64_t bulk_bytes = 1 << 20;  // of a BulkUpsert without its last row

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
  if (bytes <= database::ydb::message_bytes_most - 2 * bulk_bytes) return;
  throw PropertyError(fmt::format(
      "a row of {} fields with up to {} characters has up to {} bytes, and YDB accepts messages of "
      "at most {} bytes. Use fewer fields (fieldcount) or shorter fields (fieldlength)",
      properties.field_count, text::grouped(lengths.length_max()), text::grouped(bytes),
      text::grouped(database::ydb::message_bytes_most)));
}

class YdbLoad final : public PiecewiseLoad {
 public:
  YdbLoad(YdbDatabase database, LoadSettings settings)
      : PiecewiseLoad(std::move(settings)),
        database_(std::move(database)),
        table_(table_of(settings_.properties)),
        columns_{{key_column, Primitive::utf8}} {
    require_rows_of_messages(settings_.properties, lengths_);
    for (const std::string& field : table_.plain_fields) {
      columns_.push_back({field, Primitive::utf8});
    }
  }

 private:
  Task<void> load_table() override;
  Task<LoadRecord> read_record() override;
  Task<void> load_pieces() override;
  Task<void> load_piece(RowRange piece);
  Task<void> record_piece(RowRange piece);
  Task<void> require_only_loaded(RowRange piece);
  bool is_loaded_row(const ResultSetView& rows, std::size_t row);
  std::string_view loaded_value(FieldPlace place);
  void add_row(BulkRows& rows, std::uint64_t number);

  const YdbDatabase database_;
  const Table table_;
  std::vector<Column> columns_;  // views of table_
  bool is_new_ = false;          // this load has created the table
  DatabaseAccess* access_ = nullptr;
  std::string value_;
};

Task<LoadRecord> YdbLoad::read_record() {
  database::ydb::YdbAdminSession session(*access_);
  co_return co_await read_load_record(session, table_);
}

// Returns the value that a load writes. Valid until the next call.
std::string_view YdbLoad::loaded_value(FieldPlace place) {
  value_.resize(lengths_.length(place, load_stamp));
  write_value(value_, place, {.version = 0, .stamp = load_stamp});
  return value_;
}

void YdbLoad::add_row(BulkRows& rows, std::uint64_t number) {
  const std::uint64_t shown = shown_number(number, settings_.properties.insert_order);
  rows.add(KeyName(number, settings_.properties).view());
  for (std::uint32_t field = 0; field < table_.fields.size(); ++field) {
    rows.add(loaded_value({.key = shown, .field = field}));
  }
  rows.end_row();
}

Task<void> YdbLoad::load_piece(RowRange piece) {
  if (!is_new_) co_await require_only_loaded(piece);
  for (std::uint64_t number = piece.begin; number < piece.end;) {
    BulkRows rows(columns_, bulk_row_bytes(settings_.properties, lengths_));
    for (; number < piece.end && rows.bytes() < bulk_bytes; ++number) add_row(rows, number);
    const auto count = static_cast<std::uint64_t>(rows.rows());
    const auto bytes = static_cast<std::uint64_t>(rows.bytes());
    co_await access_->bulk_upsert(table_.plain_name, std::move(rows));
    count_sent(count, bytes);
  }
  co_await record_piece(piece);
}

Task<void> YdbLoad::record_piece(RowRange piece) {
  constexpr std::array<Column, 3> columns = {{{"table_name", Primitive::utf8},
                                              {"first_row", Primitive::uint64},
                                              {"row_count", Primitive::uint64}}};
  BulkRows row(columns, BulkRows::row_bytes_usual + table_.plain_name.size());
  row.add(std::string_view(table_.plain_name), piece.begin, piece.rows()).end_row();
  co_await access_->bulk_upsert(loaded_table, std::move(row));
}

bool YdbLoad::is_loaded_row(const ResultSetView& rows, std::size_t row) {
  const auto shown = number_shown_by(rows.at(row, key_column).text());
  if (!shown) return false;
  for (std::uint32_t field = 0; field < table_.fields.size(); ++field) {
    const std::string_view found = text_of(rows.at(row, table_.plain_fields[field]));
    if (found != loaded_value({.key = *shown, .field = field})) return false;
  }
  return true;
}

// Throws Error if a row of the piece has values of a run, which the load would overwrite.
Task<void> YdbLoad::require_only_loaded(RowRange piece) {
  const std::string columns = fmt::format("{}, {}", key_column, table_.all_fields);
  for (std::uint64_t begin = piece.begin; begin < piece.end; begin += rows_of_window) {
    const std::uint64_t count = std::min(rows_of_window, piece.end - begin);
    const QueryResult found = co_await find_rows(*access_, table_, columns,
                                                 keys_of_rows(settings_.properties, begin, count));
    for (std::size_t row = 0; row < found.set(0).rows(); ++row) {
      if (is_loaded_row(found.set(0), row)) continue;
      throw database::Error(
          database::ErrorClass::statement, "",
          fmt::format("the row {} of this part is already in the table {}, with values that no "
                      "load has written, so a run has inserted or updated it. Load another part "
                      "(insertstart, insertcount), or drop the table with 'drover ycsb clean'",
                      found.set(0).at(row, key_column).text(), table_.plain_name));
    }
  }
}

Task<void> YdbLoad::load_pieces() {
  while (const auto piece = next_piece()) co_await load_piece(*piece);
}

Task<void> YdbLoad::load_table() {
  auto body = [this](DatabaseAccess& access) -> Task<void> {
    access_ = &access;
    is_new_ = co_await begin_load(access, table_, settings_.properties);
    co_await load_missing();
  };
  co_await DatabaseAccess::use(database_, body);
}

}  // namespace

Task<LoadProgress> load(YdbDatabase database, LoadSettings settings) {
  YdbLoad work(std::move(database), std::move(settings));
  co_return co_await work.load();
}

}  // namespace drover::ycsb::ydb
