// Rows for BulkUpsert, as the bytes of the List<Struct<…>> that the request has (Ydb.TypedValue).
//
//   BulkRows rows(columns(Table::NewOrder));
//   rows.int32(w_id);
//   rows.int32(d_id);
//   rows.int32(o_id);
//   rows.end_row();
//   co_await bulk_upsert(client, path, std::move(rows));
//
// They are written as they go over the wire: an import spends its time here, and a message of
// protobuf for each value of each row would cost several times as much.
//
// Thread safety: an object belongs to one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "database/ydb/cell.h"
#include "tpcc/ydb/schema.h"

namespace drover::tpcc::ydb {

class BulkRows {
 public:
  // `columns` must outlive it.
  explicit BulkRows(std::span<const Column> columns);

  // The fields of a row in the order of the columns. Requires: of the column's type; a row has at
  // most row_bytes_max.
  void boolean(bool value);
  void int32(int32_t value);
  void int64(int64_t value);
  void uint64(uint64_t value);
  void timestamp(int64_t microseconds);
  void text(std::string_view value);
  void decimal(database::ydb::Decimal value);
  void null();
  void end_row();

  int64_t rows() const noexcept { return rows_; }
  int64_t bytes() const noexcept { return static_cast<int64_t>(items_.size()); }

  // The whole Ydb.TypedValue.
  std::string encoded() const;

 private:
  static constexpr size_t row_bytes_max = 2048;

  void begin_field(database::ydb::Primitive primitive, size_t value_bytes);
  void put_byte(uint8_t byte);
  void put_length(size_t length);
  void put_fixed32(uint32_t value);
  void put_fixed64(uint64_t value);

  std::span<const Column> columns_;
  size_t column_ = 0;  // of the next field
  int64_t rows_ = 0;
  std::array<char, row_bytes_max> row_;
  size_t row_size_ = 0;
  std::string items_;  // of the list
};

}  // namespace drover::tpcc::ydb
