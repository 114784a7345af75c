#include "workload/tpcc/schema.h"

#include <vector>

namespace drover::tpcc {

namespace {

using std::string_view;

constexpr int64_t districts = districts_per_warehouse;

struct Described {
  string_view name;
  int64_t rows;  // of a warehouse
  std::vector<string_view> columns;
};

// By Table.
const Described& described(Table table) {
  static const std::array<Described, all_tables.size()> all = {{
      {"warehouse",
       1,
       {"w_id", "w_name", "w_street_1", "w_street_2", "w_city", "w_state", "w_zip", "w_tax",
        "w_ytd"}},
      {"district",
       districts,
       {"d_w_id", "d_id", "d_name", "d_street_1", "d_street_2", "d_city", "d_state", "d_zip",
        "d_tax", "d_ytd", "d_next_o_id"}},
      {"customer",
       districts * customers_per_district,
       {"c_w_id",     "c_d_id",     "c_id",          "c_first",       "c_middle",
        "c_last",     "c_street_1", "c_street_2",    "c_city",        "c_state",
        "c_zip",      "c_phone",    "c_since",       "c_credit",      "c_credit_lim",
        "c_discount", "c_balance",  "c_ytd_payment", "c_payment_cnt", "c_delivery_cnt",
        "c_data"}},
      {"history",
       districts * customers_per_district,
       {"h_c_id", "h_c_d_id", "h_c_w_id", "h_d_id", "h_w_id", "h_date", "h_amount", "h_data"}},
      {"new_order", districts * new_orders_per_district, {"no_w_id", "no_d_id", "no_o_id"}},
      {"oorder",
       districts * orders_per_district,
       {"o_w_id", "o_d_id", "o_id", "o_c_id", "o_entry_d", "o_carrier_id", "o_ol_cnt",
        "o_all_local"}},
      {"order_line",
       districts * orders_per_district * (order_lines_min + order_lines_max) / 2,
       {"ol_w_id", "ol_d_id", "ol_o_id", "ol_number", "ol_i_id", "ol_supply_w_id", "ol_delivery_d",
        "ol_quantity", "ol_amount", "ol_dist_info"}},
      {"item", items, {"i_id", "i_im_id", "i_name", "i_price", "i_data"}},
      {"stock",
       items,
       {"s_w_id", "s_i_id", "s_quantity", "s_dist_01", "s_dist_02", "s_dist_03", "s_dist_04",
        "s_dist_05", "s_dist_06", "s_dist_07", "s_dist_08", "s_dist_09", "s_dist_10", "s_ytd",
        "s_order_cnt", "s_remote_cnt", "s_data"}},
  }};
  return all.at(static_cast<size_t>(table));
}

}  // namespace

std::string_view table_name(Table table) {
  return described(table).name;
}

std::span<const std::string_view> column_names(Table table) {
  return described(table).columns;
}

int64_t rows_at_load(Table table, int32_t warehouses) {
  return described(table).rows * (table == Table::Item ? 1 : warehouses);
}

}  // namespace drover::tpcc
