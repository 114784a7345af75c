#include "workload/tpcc/schema.h"

#include <algorithm>
#include <iterator>

#include "workload/tpcc/sql_text.h"

namespace drover::tpcc {
namespace {

constexpr int64_t districts = districts_per_warehouse;

struct DescribedTable {
  std::string_view name;
  int64_t rows;  // of a warehouse
  size_t key_columns;
  std::string_view columns;
};

// Sums of money have 18 digits, which no run fills; the 12 digits of clause 1.3 last 67 minutes at
// 1,000 Payments per second and warehouse.
constexpr std::array<DescribedTable, all_tables.size()> described = {{
    {"warehouse", 1, 1,
     "w_id int, w_name varchar(10), w_street_1 varchar(20), w_street_2 varchar(20), "
     "w_city varchar(20), w_state char(2), w_zip char(9), w_tax numeric(4,4), w_ytd numeric(18,2)"},
    {"district", districts, 2,
     "d_w_id int, d_id int, d_name varchar(10), d_street_1 varchar(20), d_street_2 varchar(20), "
     "d_city varchar(20), d_state char(2), d_zip char(9), d_tax numeric(4,4), d_ytd numeric(18,2), "
     "d_next_o_id int"},
    {"customer", districts* customers_per_district, 3,
     "c_w_id int, c_d_id int, c_id int, c_first varchar(16), c_middle char(2), c_last varchar(16), "
     "c_street_1 varchar(20), c_street_2 varchar(20), c_city varchar(20), c_state char(2), "
     "c_zip char(9), c_phone char(16), c_since timestamp, c_credit char(2), "
     "c_credit_lim numeric(12,2), c_discount numeric(4,4), c_balance numeric(18,2), "
     "c_ytd_payment numeric(18,2), c_payment_cnt int, c_delivery_cnt int, c_data varchar(500)"},
    {"history", districts* customers_per_district, 0,
     "h_c_id int, h_c_d_id int, h_c_w_id int, h_d_id int, h_w_id int, h_date timestamp, "
     "h_amount numeric(6,2), h_data varchar(24)"},
    {"new_order", districts* new_orders_per_district, 3, "no_w_id int, no_d_id int, no_o_id int"},
    {"oorder", districts* orders_per_district, 3,
     "o_w_id int, o_d_id int, o_id int, o_c_id int, o_entry_d timestamp, o_carrier_id int?, "
     "o_ol_cnt int, o_all_local int"},
    {"order_line", districts* orders_per_district*(order_lines_min + order_lines_max) / 2, 4,
     "ol_w_id int, ol_d_id int, ol_o_id int, ol_number int, ol_i_id int, ol_supply_w_id int, "
     "ol_delivery_d timestamp?, ol_quantity int, ol_amount numeric(6,2), ol_dist_info char(24)"},
    {"item", items, 1,
     "i_id int, i_im_id int, i_name varchar(24), i_price numeric(5,2), i_data varchar(50)"},
    {"stock", items, 2,
     "s_w_id int, s_i_id int, s_quantity int, s_dist_01 char(24), s_dist_02 char(24), "
     "s_dist_03 char(24), s_dist_04 char(24), s_dist_05 char(24), s_dist_06 char(24), "
     "s_dist_07 char(24), s_dist_08 char(24), s_dist_09 char(24), s_dist_10 char(24), "
     "s_ytd bigint, s_order_cnt int, s_remote_cnt int, s_data varchar(50)"},
}};

struct TableColumns {
  explicit TableColumns(const DescribedTable& table) : columns(parse_columns(table.columns)) {
    std::ranges::transform(columns, std::back_inserter(names), &TableColumn::name);
  }

  std::vector<TableColumn> columns;
  std::vector<std::string_view> names;
};

const TableColumns& parsed(Table table) {
  static const std::vector<TableColumns> all(described.begin(), described.end());
  return all.at(static_cast<size_t>(table));
}

}  // namespace

std::vector<TableColumn> parse_columns(std::string_view list) {
  std::vector<TableColumn> columns;
  for (const std::string_view column : split(list, ", ")) {
    const size_t space = column.find(' ');
    std::string_view type = column.substr(space + 1);
    const bool nullable = type.ends_with('?');
    if (nullable) type.remove_suffix(1);
    columns.push_back({column.substr(0, space), type, nullable});
  }
  return columns;
}

std::string_view table_name(Table table) {
  return described[static_cast<size_t>(table)].name;
}

std::span<const TableColumn> columns_of(Table table) {
  return parsed(table).columns;
}

std::span<const std::string_view> column_names(Table table) {
  return parsed(table).names;
}

std::span<const std::string_view> key_columns(Table table) {
  return column_names(table).first(described[static_cast<size_t>(table)].key_columns);
}

int64_t rows_at_load(Table table, int32_t warehouses) {
  return described[static_cast<size_t>(table)].rows * (table == Table::Item ? 1 : warehouses);
}

}  // namespace drover::tpcc
