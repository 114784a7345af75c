#include "tpcc/ydb/population_rows.h"

#include <cassert>
#include <string_view>

namespace drover::tpcc::ydb {
namespace {

constexpr int32_t stock_batch_rows = 10'000;

std::string_view view(const std::array<char, 24>& text) {
  return {text.data(), text.size()};
}

void write_address(BulkRows& rows, const Address& address) {
  rows.text(address.street_1.view());
  rows.text(address.street_2.view());
  rows.text(address.city.view());
  rows.text(address.state.view());
  rows.text(address.zip.view());
}

void write_warehouse(BulkRows& rows, const PopulationSeed& seed, int32_t w_id) {
  WarehouseRow row;
  make_warehouse(seed, w_id, row);
  rows.int32(w_id);
  rows.text(row.name.view());
  write_address(rows, row.address);
  rows.decimal(rate_of_ten_thousandths(row.tax_ten_thousandths));
  rows.decimal(money_of_cents(warehouse_ytd_cents));
  rows.end_row();
}

void write_district(BulkRows& rows, const PopulationSeed& seed, int32_t w_id, int32_t d_id) {
  DistrictRow row;
  make_district(seed, w_id, d_id, row);
  rows.int32(w_id);
  rows.int32(d_id);
  rows.text(row.name.view());
  write_address(rows, row.address);
  rows.decimal(rate_of_ten_thousandths(row.tax_ten_thousandths));
  rows.decimal(money_of_cents(district_ytd_cents));
  rows.int32(orders_per_district + 1);
  rows.end_row();
}

void write_customer(BulkRows& rows, const PopulationSeed& seed, const NurandConstants& constants,
                    int32_t w_id, int32_t d_id, int32_t c_id) {
  CustomerRow row;
  make_customer(seed, constants, w_id, d_id, c_id, row);
  rows.int32(w_id);
  rows.int32(d_id);
  rows.int32(c_id);
  rows.text(row.first.view());
  rows.text(customer_middle_name);
  rows.text(row.last);
  write_address(rows, row.address);
  rows.text(row.phone.view());
  rows.timestamp(seed.load_time_us);
  rows.text(row.credit);
  rows.decimal(money_of_cents(customer_credit_limit_cents));
  rows.decimal(rate_of_ten_thousandths(row.discount_ten_thousandths));
  rows.decimal(money_of_cents(customer_balance_cents));
  rows.decimal(money_of_cents(customer_ytd_payment_cents));
  rows.int32(customer_payment_count);
  rows.int32(customer_delivery_count);
  rows.text(row.data.view());
  rows.end_row();
}

void write_history(BulkRows& rows, const PopulationSeed& seed, int32_t w_id, int32_t d_id,
                   int32_t c_id) {
  HistoryRow row;
  make_history(seed, w_id, d_id, c_id, row);
  const int32_t place = (d_id - 1) * customers_per_district + c_id - 1;
  rows.int32(w_id);
  rows.int64(seed.load_time_us * 1000 + place);
  rows.int32(c_id);
  rows.int32(d_id);
  rows.int32(d_id);
  rows.int32(w_id);
  rows.timestamp(seed.load_time_us);
  rows.decimal(money_of_cents(history_amount_cents));
  rows.text(row.data.view());
  rows.end_row();
}

void write_order(BulkRows& rows, const PopulationSeed& seed, const CustomerPermutation& customers,
                 int32_t w_id, int32_t d_id, int32_t o_id) {
  OrderRow row;
  make_order(seed, w_id, d_id, o_id, row);
  rows.int32(w_id);
  rows.int32(d_id);
  rows.int32(o_id);
  rows.int32(customers[static_cast<size_t>(o_id - 1)]);
  rows.timestamp(seed.load_time_us);
  if (row.carrier_id) {
    rows.int32(*row.carrier_id);
  } else {
    rows.null();
  }
  rows.int32(row.line_count);
  rows.int32(1);  // o_all_local
  rows.end_row();
}

void write_order_lines(BulkRows& rows, const PopulationSeed& seed, int32_t w_id, int32_t d_id,
                       int32_t o_id) {
  OrderWithLines order;
  make_order_with_lines(seed, w_id, d_id, o_id, order);
  const bool delivered = order.order.carrier_id.has_value();
  for (int32_t number = 1; number <= order.order.line_count; ++number) {
    const OrderLineRow& line = order.lines[static_cast<size_t>(number - 1)];
    rows.int32(w_id);
    rows.int32(d_id);
    rows.int32(o_id);
    rows.int32(number);
    rows.int32(line.i_id);
    rows.int32(w_id);  // ol_supply_w_id
    if (delivered) {
      rows.timestamp(seed.load_time_us);
    } else {
      rows.null();
    }
    rows.int32(order_line_quantity);
    rows.decimal(money_of_cents(delivered ? 0 : line.amount_cents));
    rows.text(view(line.dist_info));
    rows.end_row();
  }
}

void write_item(BulkRows& rows, const PopulationSeed& seed, int32_t i_id) {
  ItemRow row;
  make_item(seed, i_id, row);
  rows.int32(i_id);
  rows.int32(row.im_id);
  rows.text(row.name.view());
  rows.decimal(money_of_cents(row.price_cents));
  rows.text(row.data.view());
  rows.end_row();
}

void write_stock(BulkRows& rows, const PopulationSeed& seed, int32_t w_id, int32_t i_id) {
  StockRow row;
  make_stock(seed, w_id, i_id, row);
  rows.int32(w_id);
  rows.int32(i_id);
  rows.int32(row.quantity);
  for (const auto& info : row.dist) rows.text(view(info));
  rows.int64(0);  // s_ytd
  rows.int32(0);  // s_order_cnt
  rows.int32(0);  // s_remote_cnt
  rows.text(row.data.view());
  rows.end_row();
}

}  // namespace

int32_t batch_count(Table table) {
  switch (table) {
    case Table::Warehouse:
    case Table::District:
    case Table::Item:
      return 1;
    case Table::Stock:
      return items / stock_batch_rows;
    case Table::Customer:
    case Table::History:
    case Table::NewOrder:
    case Table::Order:
    case Table::OrderLine:
      return districts_per_warehouse;
  }
  assert(false);
  return 0;
}

BulkRows make_batch(Table table, int32_t w_id, int32_t batch, const PopulationSeed& seed) {
  assert(batch < batch_count(table));
  BulkRows rows(columns(table));
  const int32_t d_id = batch + 1;  // where a batch is a district's
  switch (table) {
    case Table::Warehouse:
      write_warehouse(rows, seed, w_id);
      break;
    case Table::District:
      for (int32_t d = 1; d <= districts_per_warehouse; ++d) write_district(rows, seed, w_id, d);
      break;
    case Table::Customer: {
      const NurandConstants constants = load_constants(seed.seed);
      for (int32_t c_id = 1; c_id <= customers_per_district; ++c_id) {
        write_customer(rows, seed, constants, w_id, d_id, c_id);
      }
      break;
    }
    case Table::History:
      for (int32_t c_id = 1; c_id <= customers_per_district; ++c_id) {
        write_history(rows, seed, w_id, d_id, c_id);
      }
      break;
    case Table::NewOrder:
      for (int32_t o_id = first_undelivered_order; o_id <= orders_per_district; ++o_id) {
        rows.int32(w_id);
        rows.int32(d_id);
        rows.int32(o_id);
        rows.end_row();
      }
      break;
    case Table::Order: {
      CustomerPermutation customers;
      make_customer_permutation(seed, w_id, d_id, customers);
      for (int32_t o_id = 1; o_id <= orders_per_district; ++o_id) {
        write_order(rows, seed, customers, w_id, d_id, o_id);
      }
      break;
    }
    case Table::OrderLine:
      for (int32_t o_id = 1; o_id <= orders_per_district; ++o_id) {
        write_order_lines(rows, seed, w_id, d_id, o_id);
      }
      break;
    case Table::Item:
      for (int32_t i_id = 1; i_id <= items; ++i_id) write_item(rows, seed, i_id);
      break;
    case Table::Stock:
      for (int32_t i = 1; i <= stock_batch_rows; ++i) {
        write_stock(rows, seed, w_id, batch * stock_batch_rows + i);
      }
      break;
  }
  return rows;
}

}  // namespace drover::tpcc::ydb
