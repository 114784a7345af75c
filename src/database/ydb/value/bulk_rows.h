// BulkRows: the rows of a BulkUpsert, encoded as a List<Struct<…>> (Ydb.TypedValue).
//
//   BulkRows rows(columns);
//   rows.add(w_id, d_id, o_id).end_row();
//   co_await access.bulk_upsert("new_order", std::move(rows));
//
// The rows are written in the wire format, because messages of protobuf for each value would cost
// an import several times as much. Thread safety: an object belongs to one thread at a time.
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

  // `columns` must outlive the object. `row_bytes_max` limits the size of an encoded row, where
  // each field needs up to 16 bytes more than its value.
  explicit BulkRows(std::span<const Column> columns, std::size_t row_bytes_max = row_bytes_usual);

  // Adds the next fields of a row, in the order of the columns. Requires: the columns' types; only
  // an optional column may get an empty std::optional.
  template <class... Fields>
  BulkRows& add(const Fields&... fields) {
    (put(fields), ...);
    return *this;
  }

  void end_row();

  int64_t rows() const noexcept { return rows_; }
  int64_t bytes() const noexcept { return static_cast<int64_t>(items_.size()); }

  // Returns the Ydb.TypedValue.
  std::string encoded() const;

 protected:
  void put(std::same_as<bool> auto value) {
    put_number(Primitive::boolean, value_bool, static_cast<uint8_t>(value));
  }
  void put(int32_t value) { put_number(Primitive::int32, value_int32, value); }
  void put(int64_t value) { put_number(Primitive::int64, value_int64, value); }
  void put(uint64_t value) { put_number(Primitive::uint64, value_uint64, value); }
  void put(std::string_view value);
  void put(Decimal value);
  template <class Field>
  void put(const std::optional<Field>& value) {
    value ? put(*value) : put_null();
  }
  void put_timestamp(int64_t us) { put_number(Primitive::timestamp, value_uint64, us); }
  void put_null();

 private:
  // Keys of fields: the number times 8, plus the format of the value (0 varint, 1 eight bytes, 2
  // length and bytes, 5 four bytes). See protobuf.dev/programming-guides/encoding.
  static constexpr uint8_t value_bool = 1 * 8 + 0;
  static constexpr uint8_t value_int32 = 2 * 8 + 5;
  static constexpr uint8_t value_int64 = 4 * 8 + 1;
  static constexpr uint8_t value_uint64 = 5 * 8 + 1;

  template <class Number>
  void put_number(Primitive primitive, uint8_t key, Number value) {
    begin_field(primitive, 1 + sizeof(value));
    put_byte(key);
    put_bytes(&value, sizeof(value));
  }
  void begin_field(Primitive primitive, size_t value_bytes);
  void put_byte(uint8_t byte) { row_[row_size_++] = static_cast<char>(byte); }
  void put_length(size_t length);
  void put_bytes(const void* bytes, size_t size);

  std::span<const Column> columns_;
  size_t column_ = 0;  // of the next field
  int64_t rows_ = 0;
  std::string row_;  // of the largest size of a row
  size_t row_size_ = 0;
  std::string items_;  // the rows
};

}  // namespace drover::database::ydb
