#include "tpcc/schema.h"

#include <cassert>

namespace drover::tpcc {

namespace {

using std::string_view;

constexpr auto warehouse_columns = std::to_array<string_view>(
    {"w_id", "w_name", "w_street_1", "w_street_2", "w_city", "w_state", "w_zip", "w_tax", "w_ytd"});

constexpr auto district_columns =
    std::to_array<string_view>({"d_w_id", "d_id", "d_name", "d_street_1", "d_street_2", "d_city",
                                "d_state", "d_zip", "d_tax", "d_ytd", "d_next_o_id"});

constexpr auto customer_columns = std::to_array<string_view>(
    {"c_w_id",        "c_d_id",         "c_id",         "c_first",    "c_middle",  "c_last",
     "c_street_1",    "c_street_2",     "c_city",       "c_state",    "c_zip",     "c_phone",
     "c_since",       "c_credit",       "c_credit_lim", "c_discount", "c_balance", "c_ytd_payment",
     "c_payment_cnt", "c_delivery_cnt", "c_data"});

constexpr auto history_columns = std::to_array<string_view>(
    {"h_c_id", "h_c_d_id", "h_c_w_id", "h_d_id", "h_w_id", "h_date", "h_amount", "h_data"});

constexpr auto new_order_columns = std::to_array<string_view>({"no_w_id", "no_d_id", "no_o_id"});

constexpr auto order_columns = std::to_array<string_view>(
    {"o_w_id", "o_d_id", "o_id", "o_c_id", "o_entry_d", "o_carrier_id", "o_ol_cnt", "o_all_local"});

constexpr auto order_line_columns = std::to_array<string_view>(
    {"ol_w_id", "ol_d_id", "ol_o_id", "ol_number", "ol_i_id", "ol_supply_w_id", "ol_delivery_d",
     "ol_quantity", "ol_amount", "ol_dist_info"});

constexpr auto item_columns =
    std::to_array<string_view>({"i_id", "i_im_id", "i_name", "i_price", "i_data"});

constexpr auto stock_columns = std::to_array<string_view>(
    {"s_w_id", "s_i_id", "s_quantity", "s_dist_01", "s_dist_02", "s_dist_03", "s_dist_04",
     "s_dist_05", "s_dist_06", "s_dist_07", "s_dist_08", "s_dist_09", "s_dist_10", "s_ytd",
     "s_order_cnt", "s_remote_cnt", "s_data"});

}  // namespace

std::string_view table_name(Table table) {
  switch (table) {
    case Table::Warehouse:
      return "warehouse";
    case Table::District:
      return "district";
    case Table::Customer:
      return "customer";
    case Table::History:
      return "history";
    case Table::NewOrder:
      return "new_order";
    case Table::Order:
      return "oorder";
    case Table::OrderLine:
      return "order_line";
    case Table::Item:
      return "item";
    case Table::Stock:
      return "stock";
  }
  assert(false);
  return {};
}

std::span<const std::string_view> column_names(Table table) {
  switch (table) {
    case Table::Warehouse:
      return warehouse_columns;
    case Table::District:
      return district_columns;
    case Table::Customer:
      return customer_columns;
    case Table::History:
      return history_columns;
    case Table::NewOrder:
      return new_order_columns;
    case Table::Order:
      return order_columns;
    case Table::OrderLine:
      return order_line_columns;
    case Table::Item:
      return item_columns;
    case Table::Stock:
      return stock_columns;
  }
  assert(false);
  return {};
}

int64_t rows_at_load(Table table, int32_t warehouses) {
  const int64_t districts = int64_t{warehouses} * districts_per_warehouse;
  switch (table) {
    case Table::Warehouse:
      return warehouses;
    case Table::District:
      return districts;
    case Table::Customer:
    case Table::History:
      return districts * customers_per_district;
    case Table::NewOrder:
      return districts * new_orders_per_district;
    case Table::Order:
      return districts * orders_per_district;
    case Table::OrderLine:
      return districts * orders_per_district * (order_lines_min + order_lines_max) / 2;
    case Table::Item:
      return items;
    case Table::Stock:
      return int64_t{warehouses} * items;
  }
  assert(false);
  return 0;
}

}  // namespace drover::tpcc
