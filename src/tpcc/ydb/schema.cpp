#include "tpcc/ydb/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "tpcc/import_record.h"

namespace drover::tpcc::ydb {
namespace {

using database::ydb::Primitive;
using database::ydb::ScalarType;

constexpr ScalarType int32 = Primitive::int32;
constexpr ScalarType int64 = Primitive::int64;
constexpr ScalarType uint64 = Primitive::uint64;
constexpr ScalarType utf8 = Primitive::utf8;
constexpr ScalarType timestamp = Primitive::timestamp;
constexpr ScalarType boolean = Primitive::boolean;

constexpr std::array<Column, 9> warehouse = {{{"w_id", int32},
                                              {"w_name", utf8},
                                              {"w_street_1", utf8},
                                              {"w_street_2", utf8},
                                              {"w_city", utf8},
                                              {"w_state", utf8},
                                              {"w_zip", utf8},
                                              {"w_tax", money_type},
                                              {"w_ytd", money_type}}};
constexpr std::array<Column, 11> district = {{{"d_w_id", int32},
                                              {"d_id", int32},
                                              {"d_name", utf8},
                                              {"d_street_1", utf8},
                                              {"d_street_2", utf8},
                                              {"d_city", utf8},
                                              {"d_state", utf8},
                                              {"d_zip", utf8},
                                              {"d_tax", money_type},
                                              {"d_ytd", money_type},
                                              {"d_next_o_id", int32}}};
constexpr std::array<Column, 21> customer = {
    {{"c_w_id", int32},          {"c_d_id", int32},         {"c_id", int32},
     {"c_first", utf8},          {"c_middle", utf8},        {"c_last", utf8},
     {"c_street_1", utf8},       {"c_street_2", utf8},      {"c_city", utf8},
     {"c_state", utf8},          {"c_zip", utf8},           {"c_phone", utf8},
     {"c_since", timestamp},     {"c_credit", utf8},        {"c_credit_lim", money_type},
     {"c_discount", money_type}, {"c_balance", money_type}, {"c_ytd_payment", money_type},
     {"c_payment_cnt", int32},   {"c_delivery_cnt", int32}, {"c_data", utf8}}};
constexpr std::array<Column, 9> history = {{{"h_c_w_id", int32},
                                            {"h_c_nano_ts", int64},
                                            {"h_c_id", int32},
                                            {"h_c_d_id", int32},
                                            {"h_d_id", int32},
                                            {"h_w_id", int32},
                                            {"h_date", timestamp},
                                            {"h_amount", money_type},
                                            {"h_data", utf8}}};
constexpr std::array<Column, 3> new_order = {
    {{"no_w_id", int32}, {"no_d_id", int32}, {"no_o_id", int32}}};
constexpr std::array<Column, 8> order = {{{"o_w_id", int32},
                                          {"o_d_id", int32},
                                          {"o_id", int32},
                                          {"o_c_id", int32},
                                          {"o_entry_d", timestamp},
                                          {"o_carrier_id", int32.nullable()},
                                          {"o_ol_cnt", int32},
                                          {"o_all_local", int32}}};
constexpr std::array<Column, 10> order_line = {{{"ol_w_id", int32},
                                                {"ol_d_id", int32},
                                                {"ol_o_id", int32},
                                                {"ol_number", int32},
                                                {"ol_i_id", int32},
                                                {"ol_supply_w_id", int32},
                                                {"ol_delivery_d", timestamp.nullable()},
                                                {"ol_quantity", int32},
                                                {"ol_amount", money_type},
                                                {"ol_dist_info", utf8}}};
constexpr std::array<Column, 5> item = {{{"i_id", int32},
                                         {"i_im_id", int32},
                                         {"i_name", utf8},
                                         {"i_price", money_type},
                                         {"i_data", utf8}}};
constexpr std::array<Column, 17> stock = {{{"s_w_id", int32},
                                           {"s_i_id", int32},
                                           {"s_quantity", int32},
                                           {"s_dist_01", utf8},
                                           {"s_dist_02", utf8},
                                           {"s_dist_03", utf8},
                                           {"s_dist_04", utf8},
                                           {"s_dist_05", utf8},
                                           {"s_dist_06", utf8},
                                           {"s_dist_07", utf8},
                                           {"s_dist_08", utf8},
                                           {"s_dist_09", utf8},
                                           {"s_dist_10", utf8},
                                           {"s_ytd", int64},
                                           {"s_order_cnt", int32},
                                           {"s_remote_cnt", int32},
                                           {"s_data", utf8}}};

constexpr std::array<Column, 13> settings = {{{"id", int32},
                                              {"format_version", int32},
                                              {"seed", uint64},
                                              {"load_time_us", int64},
                                              {"c_last", int32},
                                              {"c_id", int32},
                                              {"ol_i_id", int32},
                                              {"warehouses", int32},
                                              {"complete", boolean},
                                              {"build_idx_customer_name", utf8},
                                              {"build_idx_order", utf8},
                                              {"import_owner", utf8},
                                              {"import_beat", int64}}};
constexpr std::array<Column, 3> loaded = {{{"w_id", int32}, {"stage", int32}, {"rows", int64}}};

std::string type_name(ScalarType type) {
  switch (type.primitive) {
    case Primitive::int32:
      return "Int32";
    case Primitive::int64:
      return "Int64";
    case Primitive::uint64:
      return "Uint64";
    case Primitive::utf8:
      return "Utf8";
    case Primitive::timestamp:
      return "Timestamp";
    case Primitive::boolean:
      return "Bool";
    case Primitive::decimal:
      return fmt::format("Decimal({},{})", type.precision, type.scale);
    default:
      assert(false && "no column has this type");
      return {};
  }
}

// CREATE TABLE with columns and key, without what follows; may be sent again.
std::string definition(std::string_view name, std::span<const Column> columns, size_t key_size) {
  std::string text = fmt::format("CREATE TABLE IF NOT EXISTS {} (\n", name);
  std::string key;
  for (size_t index = 0; index < columns.size(); ++index) {
    const bool in_key = index < key_size;
    text += fmt::format("  {} {}{},\n", columns[index].name, type_name(columns[index].type),
                        in_key ? " NOT NULL" : "");
    if (in_key) key += fmt::format("{}{}", index == 0 ? "" : ", ", columns[index].name);
  }
  return text + fmt::format("  PRIMARY KEY ({})\n)", key);
}

// About what a warehouse's rows take, in tenths of a megabyte; where that is little, the least.
int32_t tenth_megabytes(Table table) {
  switch (table) {
    case Table::Stock:
      return 450;
    case Table::OrderLine:
      return 350;
    case Table::Customer:
      return 201;
    case Table::History:
      return 24;
    case Table::Order:
      return 15;
    default:
      return 1;
  }
}

constexpr int32_t partition_megabytes = 2000;

// A partition serves only so much; with many there are several for each node.
int32_t partitions_wanted(int32_t warehouses) {
  return std::max(50, warehouses / 100);
}

}  // namespace

std::span<const Column> columns(Table table) {
  switch (table) {
    case Table::Warehouse:
      return warehouse;
    case Table::District:
      return district;
    case Table::Customer:
      return customer;
    case Table::History:
      return history;
    case Table::NewOrder:
      return new_order;
    case Table::Order:
      return order;
    case Table::OrderLine:
      return order_line;
    case Table::Item:
      return item;
    case Table::Stock:
      return stock;
  }
  assert(false);
  return {};
}

size_t key_columns(Table table) {
  switch (table) {
    case Table::Warehouse:
    case Table::Item:
      return 1;
    case Table::District:
    case Table::History:
    case Table::Stock:
      return 2;
    case Table::Customer:
    case Table::NewOrder:
    case Table::Order:
      return 3;
    case Table::OrderLine:
      return 4;
  }
  assert(false);
  return 0;
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
  const int32_t size = tenth_megabytes(table);
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
  const std::vector<int32_t> keys = partition_keys(table, warehouses);
  const auto partitions =
      std::max(partitions_wanted(warehouses), static_cast<int32_t>(keys.size()) + 1);
  std::string with = fmt::format(
      " WITH (\n"
      "  AUTO_PARTITIONING_BY_LOAD = DISABLED,\n"
      "  AUTO_PARTITIONING_PARTITION_SIZE_MB = {},\n"
      "  AUTO_PARTITIONING_MIN_PARTITIONS_COUNT = {},\n"
      "  AUTO_PARTITIONING_MAX_PARTITIONS_COUNT = {}",
      partition_megabytes, partitions, 2 * partitions);
  if (!keys.empty()) with += fmt::format(",\n  PARTITION_AT_KEYS = ({})", fmt::join(keys, ", "));
  return definition(table_name(table), columns(table), key_columns(table)) + with + "\n)";
}

std::span<const Column> settings_columns() {
  return settings;
}

std::span<const Column> loaded_columns() {
  return loaded;
}

std::string create_settings_table() {
  return definition(settings_table, settings, 1);
}

std::string create_loaded_table() {
  return definition(loaded_table, loaded, 2);
}

}  // namespace drover::tpcc::ydb
