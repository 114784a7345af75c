#include "workload/tpcc/ydb/import/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <stdexcept>

#include "database/ydb/database_access.h"
#include "workload/tpcc/import/import.h"
#include "workload/tpcc/import/import_record.h"

namespace drover::tpcc::ydb {
namespace {

using database::ydb::partition_megabytes;
using database::ydb::Primitive;
using database::ydb::ScalarType;

ScalarType type_of(std::string_view name) {
  if (name.ends_with('?')) return type_of(name.substr(0, name.size() - 1)).nullable();
  if (name == "Money") return money_type;
  for (const Primitive type : {Primitive::int32, Primitive::int64, Primitive::uint64,
                               Primitive::utf8, Primitive::timestamp, Primitive::boolean}) {
    if (yql_name(type) == name) return type;
  }
  throw std::logic_error(fmt::format("no type {}", name));
}

// Parses a list of names, each with its type: a type of YQL, Money, or a type with "?" where TPC-C
// allows NULL.
std::vector<Column> parse_columns(std::string_view list) {
  std::vector<Column> columns;
  for (const auto& part : std::views::split(list, std::string_view(", "))) {
    const std::string_view column(part.begin(), part.end());
    const size_t space = column.find(' ');
    columns.push_back({column.substr(0, space), type_of(column.substr(space + 1))});
  }
  return columns;
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

struct Layout {
  size_t key_columns;
  // The approximate size of a warehouse's rows in tenths of a megabyte, at least 1.
  int32_t tenth_megabytes;
  std::vector<Column> columns;
};

const Layout& layout_of(Table table) {
  static const std::array<Layout, all_tables.size()> layouts = {{
      {1, 1,
       parse_columns("w_id Int32, w_name Utf8, w_street_1 Utf8, w_street_2 Utf8, "
                     "w_city Utf8, w_state Utf8, w_zip Utf8, w_tax Money, w_ytd Money")},
      {2, 1,
       parse_columns("d_w_id Int32, d_id Int32, d_name Utf8, d_street_1 Utf8, "
                     "d_street_2 Utf8, d_city Utf8, d_state Utf8, d_zip Utf8, d_tax Money, "
                     "d_ytd Money, d_next_o_id Int32")},
      {3, 201,
       parse_columns("c_w_id Int32, c_d_id Int32, c_id Int32, c_first Utf8, "
                     "c_middle Utf8, c_last Utf8, c_street_1 Utf8, c_street_2 Utf8, "
                     "c_city Utf8, c_state Utf8, c_zip Utf8, c_phone Utf8, "
                     "c_since Timestamp, c_credit Utf8, c_credit_lim Money, "
                     "c_discount Money, c_balance Money, c_ytd_payment Money, "
                     "c_payment_cnt Int32, c_delivery_cnt Int32, c_data Utf8")},
      {2, 24,
       parse_columns("h_c_w_id Int32, h_c_nano_ts Int64, h_c_id Int32, h_c_d_id Int32, "
                     "h_d_id Int32, h_w_id Int32, h_date Timestamp, h_amount Money, "
                     "h_data Utf8")},
      {3, 1, parse_columns("no_w_id Int32, no_d_id Int32, no_o_id Int32")},
      {3, 15,
       parse_columns("o_w_id Int32, o_d_id Int32, o_id Int32, o_c_id Int32, "
                     "o_entry_d Timestamp, o_carrier_id Int32?, o_ol_cnt Int32, "
                     "o_all_local Int32")},
      {4, 350,
       parse_columns("ol_w_id Int32, ol_d_id Int32, ol_o_id Int32, ol_number Int32, "
                     "ol_i_id Int32, ol_supply_w_id Int32, ol_delivery_d Timestamp?, "
                     "ol_quantity Int32, ol_amount Money, ol_dist_info Utf8")},
      {1, 1, parse_columns("i_id Int32, i_im_id Int32, i_name Utf8, i_price Money, i_data Utf8")},
      {2, 450,
       parse_columns("s_w_id Int32, s_i_id Int32, s_quantity Int32, s_dist_01 Utf8, "
                     "s_dist_02 Utf8, s_dist_03 Utf8, s_dist_04 Utf8, s_dist_05 Utf8, "
                     "s_dist_06 Utf8, s_dist_07 Utf8, s_dist_08 Utf8, s_dist_09 Utf8, "
                     "s_dist_10 Utf8, s_ytd Int64, s_order_cnt Int32, s_remote_cnt Int32, "
                     "s_data Utf8")},
  }};
  return layouts.at(static_cast<size_t>(table));
}

// A partition serves a limited load; with many warehouses each node has several partitions.
int32_t partitions_wanted(int32_t warehouses) {
  return std::max(static_cast<int32_t>(database::ydb::partitions_least), warehouses / 100);
}

}  // namespace

std::span<const Column> columns(Table table) {
  return layout_of(table).columns;
}

std::span<const Index> secondary_indexes() {
  static constexpr auto by_name =
      std::to_array<std::string_view>({"c_w_id", "c_d_id", "c_last", "c_first"});
  static constexpr auto by_customer =
      std::to_array<std::string_view>({"o_w_id", "o_d_id", "o_c_id", "o_id"});
  static constexpr std::array<Index, 2> indexes = {
      {{"idx_customer_name", Table::Customer, by_name}, {"idx_order", Table::Order, by_customer}}};
  return indexes;
}

std::vector<int32_t> partition_keys(Table table, int32_t warehouses) {
  const int32_t wanted = partitions_wanted(warehouses);
  const int32_t size = layout_of(table).tenth_megabytes;
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
  return definition(table_name(table), columns(table), layout_of(table).key_columns) +
         database::ydb::partition_settings(partitions, keys) + ";";
}

std::span<const Column> loaded_columns() {
  static const std::vector<Column> loaded = parse_columns("w_id Int32, stage Int32, rows Int64");
  return loaded;
}

std::vector<std::string> create_own_tables() {
  const std::vector<Column> settings = parse_columns(
      "id Int32, format_version Int32, seed Uint64, load_time_us Int64, c_last Int32, c_id Int32, "
      "ol_i_id Int32, warehouses Int32, complete Bool, build_idx_customer_name Utf8, "
      "build_idx_order Utf8, import_owner Utf8, import_beat Int64");
  return {definition(loaded_table, loaded_columns(), 2) + ";",
          definition(settings_table, settings, 1) + ";"};
}

}  // namespace drover::tpcc::ydb
