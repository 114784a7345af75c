// The nine tables of TPC-C (clause 1.3), without SQL: names, columns, keys, indexes, cardinalities.
//
// Names follow the BenchBase family, so that data loaded by one tool can be checked and run by
// another. Thread safety: constants only.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace drover::tpcc {

enum class Table : uint8_t {
  Warehouse,
  District,
  Customer,
  History,
  NewOrder,
  Order,
  OrderLine,
  Item,
  Stock,
};

inline constexpr std::array<Table, 9> all_tables = {
    Table::Warehouse, Table::District,  Table::Customer, Table::History, Table::NewOrder,
    Table::Order,     Table::OrderLine, Table::Item,     Table::Stock};

// Cardinalities of clauses 1.2.1 and 4.3.3.1.
inline constexpr int32_t items = 100'000;
inline constexpr int32_t districts_per_warehouse = 10;
inline constexpr int32_t customers_per_district = 3'000;
inline constexpr int32_t orders_per_district = 3'000;
inline constexpr int32_t new_orders_per_district = 900;
// The lowest undelivered order of a freshly loaded district.
inline constexpr int32_t first_undelivered_order = 2'101;
inline constexpr int32_t order_lines_min = 5;
inline constexpr int32_t order_lines_max = 15;

static_assert(first_undelivered_order + new_orders_per_district - 1 == orders_per_district);

std::string_view table_name(Table table);

struct TableColumn {
  std::string_view name;
  std::string_view type;  // of PostgreSQL
  bool nullable = false;  // marked by "?" behind the type
};

// Parses "w_id int, o_carrier_id int?, …".
std::vector<TableColumn> parse_columns(std::string_view list);

// Returns the columns in the order in which the tables are created and loaded.
std::span<const TableColumn> columns_of(Table table);
std::span<const std::string_view> column_names(Table table);

// Returns the columns of the primary key, the first ones of the table; none of history.
std::span<const std::string_view> key_columns(Table table);

struct SecondaryIndex {
  std::string_view name;
  Table table;
  std::array<std::string_view, 4> columns;
};

// The indexes for a customer's last name and for a customer's newest order.
inline constexpr std::array<SecondaryIndex, 2> secondary_indexes = {
    {{"idx_customer_name", Table::Customer, {"c_w_id", "c_d_id", "c_last", "c_first"}},
     {"idx_order", Table::Order, {"o_w_id", "o_d_id", "o_c_id", "o_id"}}}};

// Returns the number of rows after a load of so many warehouses. For order lines, whose number is
// random, returns the mean.
int64_t rows_at_load(Table table, int32_t warehouses);

}  // namespace drover::tpcc
