// The nine tables of TPC-C (clause 1.3) in YDB: columns, keys, partitions and indexes.
//
// Names are those of PostgreSQL's tables. Two things differ: history has a key, as every table must
// (h_c_w_id, h_c_nano_ts), and money is a Decimal(22,9), the one Decimal that every version of YDB
// takes in a table. Only columns of the key are NOT NULL.
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

// As a row has them that is written: optional where TPC-C knows NULL. In the order in which tables
// are made and loaded; the columns of the key come first.
std::span<const Column> columns(Table table);

struct Index {
  std::string_view name;
  Table table;
  std::span<const std::string_view> columns;
};

// customer by last name, and oorder by customer. The statements name them: VIEW idx_order.
std::span<const Index> secondary_indexes();

// CREATE TABLE IF NOT EXISTS, so that it may be sent again; the name has no folder. `warehouses`:
// that are expected, for the partitions.
std::string create_table(Table table, int32_t warehouses);

// Where the partitions of the table begin, but for the first: values of the first column of the
// key. Small tables have them, too: the server splits by size alone, and a partition changes rows
// on one core.
std::vector<int32_t> partition_keys(Table table, int32_t warehouses);

// Our own tables. drover_tpcc has one row (id 1): from what the population comes, and the
// operations that build indexes (build_idx_order, …), for as long as they do, and which import is
// at work (import_claim.h). drover_tpcc_loaded has a row for each part that is loaded (catalog.h).
std::vector<std::string> create_own_tables();
std::span<const Column> loaded_columns();

}  // namespace drover::tpcc::ydb
