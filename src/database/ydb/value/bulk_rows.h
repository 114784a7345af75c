// Rows for BulkUpsert, as the bytes of the List<Struct<…>> that the request has (Ydb.TypedValue).
//
//   BulkRows rows(columns);
//   rows.add(w_id, d_id, o_id).end_row();
//   co_await access.bulk_upsert("new_order", std::move(rows));
//
// They are written as they go over the wire: an import spends its time here, and a message of
// protobuf for each value of each row would cost several times as much.
//
// Thread safety: an object belongs to one thread at a time.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "database/ydb/value/value.h"

namespace drover::database::ydb {

class BulkRows {
 public:
  static constexpr std::size_t row_bytes_usual = 2048;

  // `columns` must outlive it. A row takes row_bytes_max at most, with 16 bytes for each of its fields.
  explicit BulkRows(std::span<const Column> columns, std::size_t row_bytes_max = row_bytes_usual);

  // The next fields of a row, in the order of the columns. Requires: of the column's type, without
  // a value where it is optional.
  template <class... Fields>
  BulkRows& add(const Fields&... fields) {
    (put(fields), ...);
    return *this;
  }

  void end_row();

  int64_t rows() const noexcept { return rows_; }
  int64_t bytes() const noexcept { return static_cast<int64_t>(items_.size()); }

  // The whole Ydb.TypedValue.
  std::string encoded() const;

 protected:
  void put(std::same_as<bool> auto value) { put_bool(value); }
  void put(int32_t value);
  void put(int64_t value);
  void put(uint64_t value);
  void put(std::string_view value);
  void put(Decimal value);
  template <class Field>
  void put(const std::optional<Field>& value) {
    value ? put(*value) : put_null();
  }
  void put_timestamp(int64_t us);
  void put_null();

 private:
  void put_bool(bool value);
  template <class Number>
  void put_number(Primitive primitive, uint8_t key, Number value);
  void begin_field(Primitive primitive, size_t value_bytes);
  void put_byte(uint8_t byte) { row_[row_size_++] = static_cast<char>(byte); }
  void put_length(size_t length);
  void put_bytes(const void* bytes, size_t size);

  std::span<const Column> columns_;
  size_t column_ = 0;  // of the next field
  int64_t rows_ = 0;
  std::string row_;  // as large as a row can be
  size_t row_size_ = 0;
  std::string items_;  // of the list
};

}  // namespace drover::database::ydb
