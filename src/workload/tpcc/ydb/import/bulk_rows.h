// Rows for BulkUpsert, as the bytes of the List<Struct<…>> that the request has (Ydb.TypedValue).
//
//   BulkRows rows(columns(Table::NewOrder));
//   rows.add(w_id, d_id, o_id).end_row();
//   co_await access.bulk_upsert("new_order", std::move(rows));
//
// They are written as they go over the wire: an import spends its time here, and a message of
// protobuf for each value of each row would cost several times as much.
//
// Thread safety: an object belongs to one thread at a time.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "database/ydb/value/value.h"
#include "workload/tpcc/import/population_rows.h"
#include "workload/tpcc/population.h"
#include "workload/tpcc/schema.h"
#include "workload/tpcc/ydb/import/schema.h"

namespace drover::tpcc::ydb {

class BulkRows {
 public:
  static constexpr bool history_is_numbered = true;

  // `columns` must outlive it.
  explicit BulkRows(std::span<const Column> columns);

  // The next fields of a row, in the order of the columns. Requires: of the column's type, without
  // a value where it is optional; a row has at most row_bytes_max.
  template <class... Fields>
  BulkRows& add(const Fields&... fields) {
    (put(fields), ...);
    return *this;
  }

  void end_row();

  // A whole row, the fields of which are those of PopulationRows.
  template <class... Fields>
  void row(const Fields&... fields) {
    add(fields...).end_row();
  }

  int64_t rows() const noexcept { return rows_; }
  int64_t bytes() const noexcept { return static_cast<int64_t>(items_.size()); }

  // The whole Ydb.TypedValue.
  std::string encoded() const;

 private:
  static constexpr size_t row_bytes_max = 2048;

  void put(std::same_as<bool> auto value) { put_bool(value); }
  void put(int32_t value);
  void put(int64_t value);
  void put(uint64_t value);
  void put(Timestamp value);
  void put(std::string_view value);
  void put(database::ydb::Decimal value);
  void put(Cents money) { put(money_of_cents(money.count)); }
  void put(TenThousandths rate) { put(rate_of_ten_thousandths(rate.count)); }
  void put(const Address& address) {
    add(address.street_1, address.street_2, address.city, address.state, address.zip);
  }
  template <size_t size>
  void put(const std::array<char, size>& text) {
    put(std::string_view(text.data(), size));
  }
  template <size_t size, size_t count>
  void put(const std::array<std::array<char, size>, count>& texts) {
    for (const auto& text : texts) put(text);
  }
  template <class Field>
  void put(const std::optional<Field>& value) {
    value ? put(*value) : put_null();
  }

  void put_bool(bool value);
  void put_null();
  template <class Number>
  void put_number(database::ydb::Primitive primitive, uint8_t key, Number value);
  void begin_field(database::ydb::Primitive primitive, size_t value_bytes);
  void put_byte(uint8_t byte) { row_[row_size_++] = static_cast<char>(byte); }
  void put_length(size_t length);
  void put_bytes(const void* bytes, size_t size);

  std::span<const Column> columns_;
  size_t column_ = 0;  // of the next field
  int64_t rows_ = 0;
  std::array<char, row_bytes_max> row_;
  size_t row_size_ = 0;
  std::string items_;  // of the list
};

// The population of one table of one warehouse as such rows, a batch at a time.

// How many batches a warehouse's part of the table has; the whole of Table::Item.
int32_t batch_count(Table table);

// A batch has 10,000 rows of stock, 100,000 of item, all of warehouse and district, and those of a
// district of the others.
// `w_id` is of no meaning to Table::Item. Requires: batch < batch_count(table).
BulkRows make_batch(Table table, int32_t w_id, int32_t batch, const PopulationSeed& seed);

}  // namespace drover::tpcc::ydb
