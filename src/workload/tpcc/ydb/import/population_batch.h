// The population of one table of one warehouse as rows of BulkUpsert, in batches.
//
// Thread safety: an object belongs to one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "database/ydb/value/bulk_rows.h"
#include "workload/tpcc/import/population_rows.h"
#include "workload/tpcc/population.h"
#include "workload/tpcc/schema.h"
#include "workload/tpcc/ydb/import/schema.h"

namespace drover::tpcc::ydb {

using database::ydb::BulkRows;

// Takes the rows of PopulationRows.
class PopulationBulkRows : public BulkRows {
 public:
  static constexpr bool history_is_numbered = true;

  using BulkRows::BulkRows;

  template <class... Fields>
  PopulationBulkRows& add(const Fields&... fields) {
    (put(fields), ...);
    return *this;
  }

  template <class... Fields>
  void row(const Fields&... fields) {
    add(fields...).end_row();
  }

 private:
  using BulkRows::put;
  void put(Timestamp value) { put_timestamp(value.us); }
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
};

// Returns the number of batches of a warehouse's part of the table, or of all of Table::Item.
inline int32_t batch_count(Table table) {
  const bool small = table == Table::Warehouse || table == Table::District || table == Table::Item;
  return small ? 1 : districts_per_warehouse;
}

// Returns a batch: 10,000 rows of stock, 100,000 of item, all of warehouse and district, and those
// of a district of the other tables. Table::Item ignores `w_id`. Requires: batch <
// batch_count(table).
inline BulkRows make_batch(Table table, int32_t w_id, int32_t batch, const PopulationSeed& seed) {
  PopulationBulkRows rows(columns(table));
  PopulationRows population(table, w_id, seed);
  const int32_t size = PopulationRows::size(table) / batch_count(table);
  for (int32_t index = batch * size; index < (batch + 1) * size; ++index) {
    population.write(rows, index);
  }
  return BulkRows(std::move(rows));
}

}  // namespace drover::tpcc::ydb
