#include "workload/tpcc/ydb/import/schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "database/ydb/database_access.h"
#include "workload/tpcc/import/import_record.h"

namespace drover::tpcc::ydb {
namespace {

using database::ydb::partition_megabytes;
using database::ydb::Primitive;
using database::ydb::ScalarType;

// Returns the type of YQL for a type of PostgreSQL.
Primitive primitive_of(std::string_view type) {
  if (type == "int") return Primitive::int32;
  if (type == "bigint") return Primitive::int64;
  if (type == "timestamp") return Primitive::timestamp;
  if (type == "boolean") return Primitive::boolean;
  return type == "numeric(20)" ? Primitive::uint64 : Primitive::utf8;
}

std::vector<Column> columns_in_yql(std::span<const TableColumn> columns) {
  std::vector<Column> all;
  for (const auto& [name, type, nullable] : columns) {
    const bool is_money = type.starts_with("numeric") && type != "numeric(20)";
    const ScalarType its = is_money ? money_type : ScalarType(primitive_of(type));
    all.push_back({name, nullable ? its.nullable() : its});
  }
  return all;
}

// Returns CREATE TABLE with columns and key, without what follows. The statement may be repeated.
std::string definition(std::string_view name, std::span<const Column> columns, size_t key_size) {
  std::string text = fmt::format("CREATE TABLE IF NOT EXISTS {} (\n", name);
  std::string key;
  for (size_t index = 0; index < columns.size(); ++index) {
    const bool in_key = index < key_size;
    ScalarType type = columns[index].type;
    type.optional = false;  // columns are optional by default
    text +=
        fmt::format("  {} {}{},\n", columns[index].name, yql_name(type), in_key ? " NOT NULL" : "");
    if (in_key) key += fmt::format("{}{}", index == 0 ? "" : ", ", columns[index].name);
  }
  return text + fmt::format("  PRIMARY KEY ({})\n)", key);
}

// The approximate size of a warehouse's rows in tenths of a megabyte, at least 1, by Table.
constexpr std::array<int32_t, all_tables.size()> tenth_megabytes = {1,  1,   201, 24, 1,
                                                                    15, 350, 1,   450};

// A partition serves a limited load; with many warehouses each node has several partitions.
int32_t partitions_wanted(int32_t warehouses) {
  return std::max(static_cast<int32_t>(database::ydb::partitions_least), warehouses / 100);
}

}  // namespace

std::span<const Column> columns(Table table) {
  static const std::vector<std::vector<Column>> all = [] {
    std::vector<std::vector<Column>> tables;
    for (const Table one : all_tables) tables.push_back(columns_in_yql(columns_of(one)));
    tables[static_cast<size_t>(Table::History)] = columns_in_yql(
        parse_columns("h_c_w_id int, h_c_nano_ts bigint, h_c_id int, h_c_d_id int, h_d_id int, "
                      "h_w_id int, h_date timestamp, h_amount numeric(6,2), h_data varchar(24)"));
    return tables;
  }();
  return all.at(static_cast<size_t>(table));
}

std::vector<int32_t> partition_keys(Table table, int32_t warehouses) {
  const int32_t wanted = partitions_wanted(warehouses);
  const int32_t size = tenth_megabytes.at(static_cast<size_t>(table));
  const int32_t that_fit = (partition_megabytes * 10 + size - 1) / size;
  int32_t step = std::min(that_fit, (warehouses + wanted - 1) / wanted);
  int32_t last = warehouses;
  if (table == Table::Item) {
    step = std::max(100, items / wanted);
    last = items;
  }
  std::vector<int32_t> keys;
  for (int64_t key = int64_t{1} + step; key <= last; key += step) {
    keys.push_back(static_cast<int32_t>(key));
  }
  return keys;
}

std::string create_table(Table table, int32_t warehouses) {
  std::vector<std::string> keys;
  for (const int32_t key : partition_keys(table, warehouses)) keys.push_back(std::to_string(key));
  const std::size_t partitions = std::max<std::size_t>(
      static_cast<std::size_t>(partitions_wanted(warehouses)), keys.size() + 1);
  const size_t key_size = table == Table::History ? 2 : key_columns(table).size();
  return definition(table_name(table), columns(table), key_size) +
         database::ydb::partition_settings(partitions, keys) + ";";
}

std::span<const Column> loaded_columns() {
  static const std::vector<Column> loaded =
      columns_in_yql(parse_columns("w_id int, stage int, rows bigint"));
  return loaded;
}

std::vector<std::string> create_own_tables() {
  const std::vector<Column> settings = columns_in_yql(parse_columns(
      "id int, format_version int, seed numeric(20), load_time_us bigint, c_last int, c_id int, "
      "ol_i_id int, warehouses int, complete boolean, build_idx_customer_name text, "
      "build_idx_order text, import_owner text, import_beat bigint"));
  return {definition(loaded_table, loaded_columns(), 2) + ";",
          definition(settings_table, settings, 1) + ";"};
}

}  // namespace drover::tpcc::ydb
