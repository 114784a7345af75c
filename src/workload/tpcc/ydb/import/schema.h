// The nine tables of TPC-C (clause 1.3) in YDB: columns, keys, partitions and indexes.
//
// Names are those of PostgreSQL's tables. Two things differ: history has a key, as every table must
// (h_c_w_id, h_c_nano_ts), and money is a Decimal(22,9), the only Decimal that every version of YDB
// allows in a table. Only columns of the key are NOT NULL.
//
// Thread safety: pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "database/ydb/value/value.h"
#include "workload/tpcc/schema.h"

namespace drover::tpcc::ydb {

inline constexpr int money_scale = 9;
// The type of money and of rates.
inline constexpr database::ydb::ScalarType money_type =
    database::ydb::ScalarType::decimal(22, money_scale);

constexpr database::ydb::Decimal money_of_cents(int64_t cents) noexcept {
  return database::ydb::decimal_of_cents(cents, money_scale);
}
constexpr database::ydb::Decimal rate_of_ten_thousandths(int32_t rate) noexcept {
  return database::ydb::decimal_of_cents(rate, money_scale - 2);
}

using database::ydb::Column;

// Returns the columns in the order in which tables are created and loaded, those of the key first.
// Their types are those of written rows: optional where TPC-C allows NULL.
std::span<const Column> columns(Table table);

// Returns CREATE TABLE IF NOT EXISTS, which may be repeated, with a name without folder.
// `warehouses`: the expected number, for the partitions.
std::string create_table(Table table, int32_t warehouses);

// Returns the first keys of all partitions except the first: values of the first key column. Small
// tables have partitions, too, because the server splits only by size, and a partition changes rows
// on one core.
std::vector<int32_t> partition_keys(Table table, int32_t warehouses);

// Returns the statements that create Drover's own tables. drover_tpcc has one row (id 1): the
// record of the import, the operations that build indexes (build_idx_order, …), and the claim.
// drover_tpcc_loaded has a row for each loaded part (import_record.h).
std::vector<std::string> create_own_tables();
std::span<const Column> loaded_columns();

}  // namespace drover::tpcc::ydb
