#include "tpcc/postgres/population_copy.h"

#include <cassert>

namespace drover::tpcc::postgres {

namespace {

// 1970-01-01 to 2000-01-01: 30 years, 7 of them leap years.
constexpr int64_t postgres_epoch_us = (30 * 365 + 7) * int64_t{86'400} * 1'000'000;

// The place of a row within its warehouse's part of a table by districts.
struct DistrictPlace {
  int32_t d_id;
  int32_t row;  // from 1 within the district
};

DistrictPlace place_of(int32_t index, int32_t rows_per_district) {
  return {index / rows_per_district + 1, index % rows_per_district + 1};
}

void write_address(CopyBinaryWriter& writer, const Address& address) {
  writer.text(address.street_1.view());
  writer.text(address.street_2.view());
  writer.text(address.city.view());
  writer.text(address.state.view());
  writer.text(address.zip.view());
}

constexpr size_t address_size_max =
    3 * text_field_size(20) + text_field_size(2) + text_field_size(9);

// What rows have in common. Building a numeric costs more than copying it.
struct ConstantFields {
  CopyField load_time;
  CopyField null = make_null_field();
  CopyField warehouse_ytd = make_numeric_field(warehouse_ytd_cents, 2);
  CopyField district_ytd = make_numeric_field(district_ytd_cents, 2);
  CopyField customer_credit_limit = make_numeric_field(customer_credit_limit_cents, 2);
  CopyField customer_balance = make_numeric_field(customer_balance_cents, 2);
  CopyField customer_ytd_payment = make_numeric_field(customer_ytd_payment_cents, 2);
  CopyField history_amount = make_numeric_field(history_amount_cents, 2);
  CopyField amount_zero = make_numeric_field(0, 2);
};

// The indexes that a part goes through; an index is a row, or for OrderLine an order.
int32_t index_count(Table table) {
  switch (table) {
    case Table::Warehouse:
      return 1;
    case Table::District:
      return districts_per_warehouse;
    case Table::Customer:
    case Table::History:
      return districts_per_warehouse * customers_per_district;
    case Table::NewOrder:
      return districts_per_warehouse * new_orders_per_district;
    case Table::Order:
    case Table::OrderLine:
      return districts_per_warehouse * orders_per_district;
    case Table::Item:
    case Table::Stock:
      return items;
  }
  assert(false);
  return 0;
}

}  // namespace

struct TableCopy::State {
  State(Table table_, int32_t w_id_, const PopulationSeed& seed_)
      : table(table_), w_id(w_id_), seed(seed_), constants(load_constants(seed_.seed)) {
    fields.load_time = make_timestamp_field(seed_.load_time_us - postgres_epoch_us);
  }

  // Each writes the rows of one index and returns how many they are.
  int32_t write_warehouse(CopyBinaryWriter& writer, int32_t index) const;
  int32_t write_district(CopyBinaryWriter& writer, int32_t index) const;
  int32_t write_customer(CopyBinaryWriter& writer, int32_t index) const;
  int32_t write_history(CopyBinaryWriter& writer, int32_t index) const;
  int32_t write_new_order(CopyBinaryWriter& writer, int32_t index) const;
  int32_t write_order(CopyBinaryWriter& writer, int32_t index);
  int32_t write_order_lines(CopyBinaryWriter& writer, int32_t index) const;
  int32_t write_item(CopyBinaryWriter& writer, int32_t index) const;
  int32_t write_stock(CopyBinaryWriter& writer, int32_t index) const;

  template <auto write_rows>
  bool fill(CopyBuffer& out, size_t target_bytes);

  Table table;
  int32_t w_id;
  PopulationSeed seed;
  NurandConstants constants;
  ConstantFields fields;
  int32_t next_index = 0;
  int64_t rows_written = 0;
  CustomerPermutation customers{};  // of the district whose orders are being written
};

int32_t TableCopy::State::write_warehouse(CopyBinaryWriter& writer, int32_t) const {
  WarehouseRow row;
  make_warehouse(seed, w_id, row);
  writer.begin_row(
      9, int_field_size + text_field_size(10) + address_size_max + 2 * numeric_field_size_max);
  writer.int4(w_id);
  writer.text(row.name.view());
  write_address(writer, row.address);
  writer.numeric(row.tax_ten_thousandths, 4);
  writer.field(fields.warehouse_ytd);
  return 1;
}

int32_t TableCopy::State::write_district(CopyBinaryWriter& writer, int32_t index) const {
  const int32_t d_id = index + 1;
  DistrictRow row;
  make_district(seed, w_id, d_id, row);
  writer.begin_row(
      11, 3 * int_field_size + text_field_size(10) + address_size_max + 2 * numeric_field_size_max);
  writer.int4(w_id);
  writer.int4(d_id);
  writer.text(row.name.view());
  write_address(writer, row.address);
  writer.numeric(row.tax_ten_thousandths, 4);
  writer.field(fields.district_ytd);
  writer.int4(orders_per_district + 1);
  return 1;
}

int32_t TableCopy::State::write_customer(CopyBinaryWriter& writer, int32_t index) const {
  const auto [d_id, c_id] = place_of(index, customers_per_district);
  CustomerRow row;
  make_customer(seed, constants, w_id, d_id, c_id, row);
  writer.begin_row(21, 5 * int_field_size + 4 * text_field_size(16) + 2 * text_field_size(2) +
                           address_size_max + timestamp_field_size + 4 * numeric_field_size_max +
                           text_field_size(500));
  writer.int4(w_id);
  writer.int4(d_id);
  writer.int4(c_id);
  writer.text(row.first.view());
  writer.text(customer_middle_name);
  writer.text(row.last);
  write_address(writer, row.address);
  writer.text(row.phone.view());
  writer.field(fields.load_time);
  writer.text(row.credit);
  writer.field(fields.customer_credit_limit);
  writer.numeric(row.discount_ten_thousandths, 4);
  writer.field(fields.customer_balance);
  writer.field(fields.customer_ytd_payment);
  writer.int4(customer_payment_count);
  writer.int4(customer_delivery_count);
  writer.text(row.data.view());
  return 1;
}

int32_t TableCopy::State::write_history(CopyBinaryWriter& writer, int32_t index) const {
  const auto [d_id, c_id] = place_of(index, customers_per_district);
  HistoryRow row;
  make_history(seed, w_id, d_id, c_id, row);
  writer.begin_row(
      8, 5 * int_field_size + timestamp_field_size + numeric_field_size_max + text_field_size(24));
  writer.int4(c_id);
  writer.int4(d_id);
  writer.int4(w_id);
  writer.int4(d_id);
  writer.int4(w_id);
  writer.field(fields.load_time);
  writer.field(fields.history_amount);
  writer.text(row.data.view());
  return 1;
}

int32_t TableCopy::State::write_new_order(CopyBinaryWriter& writer, int32_t index) const {
  const auto [d_id, number] = place_of(index, new_orders_per_district);
  writer.begin_row(3, 3 * int_field_size);
  writer.int4(w_id);
  writer.int4(d_id);
  writer.int4(first_undelivered_order + number - 1);
  return 1;
}

int32_t TableCopy::State::write_order(CopyBinaryWriter& writer, int32_t index) {
  const auto [d_id, o_id] = place_of(index, orders_per_district);
  if (o_id == 1) make_customer_permutation(seed, w_id, d_id, customers);
  OrderRow row;
  make_order(seed, w_id, d_id, o_id, row);
  writer.begin_row(8, 7 * int_field_size + timestamp_field_size);
  writer.int4(w_id);
  writer.int4(d_id);
  writer.int4(o_id);
  writer.int4(customers[static_cast<size_t>(o_id - 1)]);
  writer.field(fields.load_time);
  if (row.carrier_id) {
    writer.int4(*row.carrier_id);
  } else {
    writer.null();
  }
  writer.int4(row.line_count);
  writer.int4(1);  // o_all_local
  return 1;
}

int32_t TableCopy::State::write_order_lines(CopyBinaryWriter& writer, int32_t index) const {
  const auto [d_id, o_id] = place_of(index, orders_per_district);
  OrderWithLines rows;
  make_order_with_lines(seed, w_id, d_id, o_id, rows);
  const bool delivered = rows.order.carrier_id.has_value();
  const CopyField& delivery_time = delivered ? fields.load_time : fields.null;
  for (int32_t number = 1; number <= rows.order.line_count; ++number) {
    const OrderLineRow& line = rows.lines[static_cast<size_t>(number - 1)];
    writer.begin_row(10, 7 * int_field_size + timestamp_field_size + numeric_field_size_max +
                             text_field_size(24));
    writer.int4(w_id);
    writer.int4(d_id);
    writer.int4(o_id);
    writer.int4(number);
    writer.int4(line.i_id);
    writer.int4(w_id);  // ol_supply_w_id
    writer.field(delivery_time);
    writer.int4(order_line_quantity);
    if (delivered) {
      writer.field(fields.amount_zero);
    } else {
      writer.numeric(line.amount_cents, 2);
    }
    writer.text(line.dist_info);
  }
  return rows.order.line_count;
}

int32_t TableCopy::State::write_item(CopyBinaryWriter& writer, int32_t index) const {
  const int32_t i_id = index + 1;
  ItemRow row;
  make_item(seed, i_id, row);
  writer.begin_row(
      5, 2 * int_field_size + text_field_size(24) + numeric_field_size_max + text_field_size(50));
  writer.int4(i_id);
  writer.int4(row.im_id);
  writer.text(row.name.view());
  writer.numeric(row.price_cents, 2);
  writer.text(row.data.view());
  return 1;
}

int32_t TableCopy::State::write_stock(CopyBinaryWriter& writer, int32_t index) const {
  const int32_t i_id = index + 1;
  StockRow row;
  make_stock(seed, w_id, i_id, row);
  writer.begin_row(
      17, 5 * int_field_size + 10 * text_field_size(24) + int8_field_size + text_field_size(50));
  writer.int4(w_id);
  writer.int4(i_id);
  writer.int4(row.quantity);
  for (const auto& info : row.dist) writer.text(info);
  writer.int8(0);  // s_ytd
  writer.int4(0);  // s_order_cnt
  writer.int4(0);  // s_remote_cnt
  writer.text(row.data.view());
  return 1;
}

template <auto write_rows>
bool TableCopy::State::fill(CopyBuffer& out, size_t target_bytes) {
  const int32_t end = index_count(table);
  const size_t size_wanted = out.size() + target_bytes;
  CopyBinaryWriter writer(out);
  while (next_index < end && out.size() < size_wanted) {
    rows_written += (this->*write_rows)(writer, next_index);
    ++next_index;
    writer.flush();
  }
  return next_index < end;
}

TableCopy::TableCopy(Table table, int32_t w_id, const PopulationSeed& seed)
    : state_(std::make_unique<State>(table, w_id, seed)) {}
TableCopy::TableCopy(TableCopy&&) noexcept = default;
TableCopy& TableCopy::operator=(TableCopy&&) noexcept = default;
TableCopy::~TableCopy() = default;

bool TableCopy::fill(CopyBuffer& out, size_t target_bytes) {
  State& state = *state_;
  switch (state.table) {
    case Table::Warehouse:
      return state.fill<&State::write_warehouse>(out, target_bytes);
    case Table::District:
      return state.fill<&State::write_district>(out, target_bytes);
    case Table::Customer:
      return state.fill<&State::write_customer>(out, target_bytes);
    case Table::History:
      return state.fill<&State::write_history>(out, target_bytes);
    case Table::NewOrder:
      return state.fill<&State::write_new_order>(out, target_bytes);
    case Table::Order:
      return state.fill<&State::write_order>(out, target_bytes);
    case Table::OrderLine:
      return state.fill<&State::write_order_lines>(out, target_bytes);
    case Table::Item:
      return state.fill<&State::write_item>(out, target_bytes);
    case Table::Stock:
      return state.fill<&State::write_stock>(out, target_bytes);
  }
  assert(false);
  return false;
}

int64_t TableCopy::rows_written() const {
  return state_->rows_written;
}

void append_copy_header(CopyBuffer& out) {
  CopyBinaryWriter(out).header();
}

void append_copy_trailer(CopyBuffer& out) {
  CopyBinaryWriter(out).trailer();
}

}  // namespace drover::tpcc::postgres
