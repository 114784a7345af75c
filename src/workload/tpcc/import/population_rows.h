// The rows of the population for the nine tables of every database: columns, their order and their
// values. A Writer turns rows into the database's format:
//
//   writer.row(field, …)           a field is an int32_t, an int64_t, a text (also an array of
//                                  them), an Address, Cents, TenThousandths, a Timestamp, or an
//                                  optional one of these
//   Writer::history_is_numbered    whether history has a key: h_c_w_id and a number, which is the
//                                  load time in nanoseconds and the customer's place within the
//                                  warehouse on top of it, which stays below 30 microseconds
//
// Thread safety: an object belongs to one thread; several objects may be used at the same time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "workload/tpcc/population.h"

namespace drover::tpcc {

// Money and rates, exact.
struct Cents {
  int64_t count;
};
struct TenThousandths {
  int32_t count;
};

// Microseconds since 1970-01-01 00:00.
struct Timestamp {
  int64_t us;
};

// The rows of one warehouse in a table, or all rows of Table::Item, which ignores `w_id`.
class PopulationRows {
 public:
  PopulationRows(Table table, int32_t w_id, const PopulationSeed& seed)
      : table_(table), w_id_(w_id), seed_(seed), constants_(load_constants(seed.seed)) {}

  // Returns the number of indexes to write, from 0 on. An index is a row, or for OrderLine the
  // lines of an order.
  static int32_t size(Table table) {
    const Table counted = table == Table::OrderLine ? Table::Order : table;
    return static_cast<int32_t>(rows_at_load(counted, 1));
  }

  // Writes the rows of an index and returns their number. The orders of a district must be written
  // from its first one on.
  template <class Writer>
  int32_t write(Writer& writer, int32_t index) {
    const int32_t d_id = index / per_district_ + 1;
    const int32_t number = index % per_district_ + 1;  // within the district
    switch (table_) {
      case Table::Warehouse:
        write_warehouse(writer);
        break;
      case Table::District:
        write_district(writer, index + 1);
        break;
      case Table::Customer:
        write_customer(writer, d_id, number);
        break;
      case Table::History:
        write_history(writer, index, d_id, number);
        break;
      case Table::NewOrder:
        writer.row(w_id_, d_id, first_undelivered_order + number - 1);
        break;
      case Table::Order:
        write_order(writer, d_id, number);
        break;
      case Table::OrderLine:
        return write_order_lines(writer, d_id, number);
      case Table::Item:
        write_item(writer, index + 1);
        break;
      case Table::Stock:
        write_stock(writer, index + 1);
        break;
    }
    return 1;
  }

 private:
  template <class Writer>
  void write_warehouse(Writer& writer) {
    WarehouseRow row;
    make_warehouse(seed_, w_id_, row);
    writer.row(w_id_, row.name, row.address, TenThousandths{row.tax_ten_thousandths},
               Cents{warehouse_ytd_cents});
  }

  template <class Writer>
  void write_district(Writer& writer, int32_t d_id) {
    DistrictRow row;
    make_district(seed_, w_id_, d_id, row);
    writer.row(w_id_, d_id, row.name, row.address, TenThousandths{row.tax_ten_thousandths},
               Cents{district_ytd_cents}, orders_per_district + 1);
  }

  template <class Writer>
  void write_customer(Writer& writer, int32_t d_id, int32_t c_id) {
    CustomerRow row;
    make_customer(seed_, constants_, w_id_, d_id, c_id, row);
    writer.row(w_id_, d_id, c_id, row.first, customer_middle_name, row.last, row.address, row.phone,
               load_time_, row.credit, Cents{customer_credit_limit_cents},
               TenThousandths{row.discount_ten_thousandths}, Cents{customer_balance_cents},
               Cents{customer_ytd_payment_cents}, customer_payment_count, customer_delivery_count,
               row.data);
  }

  template <class Writer>
  void write_history(Writer& writer, int32_t index, int32_t d_id, int32_t c_id) {
    HistoryRow row;
    make_history(seed_, w_id_, d_id, c_id, row);
    constexpr Cents amount{history_amount_cents};
    if constexpr (Writer::history_is_numbered) {
      const int64_t number = load_time_.us * 1000 + index;
      writer.row(w_id_, number, c_id, d_id, d_id, w_id_, load_time_, amount, row.data);
    } else {
      writer.row(c_id, d_id, w_id_, d_id, w_id_, load_time_, amount, row.data);
    }
  }

  template <class Writer>
  void write_order(Writer& writer, int32_t d_id, int32_t o_id) {
    constexpr int32_t all_local = 1;
    if (!customers_) customers_ = std::make_unique<CustomerPermutation>();
    if (o_id == 1) make_customer_permutation(seed_, w_id_, d_id, *customers_);
    OrderRow row;
    make_order(seed_, w_id_, d_id, o_id, row);
    writer.row(w_id_, d_id, o_id, (*customers_)[static_cast<size_t>(o_id - 1)], load_time_,
               row.carrier_id, row.line_count, all_local);
  }

  template <class Writer>
  int32_t write_order_lines(Writer& writer, int32_t d_id, int32_t o_id) {
    OrderWithLines rows;
    make_order_with_lines(seed_, w_id_, d_id, o_id, rows);
    std::optional<Timestamp> delivered;
    if (rows.order.carrier_id) delivered = load_time_;
    for (int32_t number = 1; number <= rows.order.line_count; ++number) {
      const OrderLineRow& line = rows.lines[static_cast<size_t>(number - 1)];
      const int32_t supply_w_id = w_id_;
      writer.row(w_id_, d_id, o_id, number, line.i_id, supply_w_id, delivered, order_line_quantity,
                 Cents{line.amount_cents}, line.dist_info);
    }
    return rows.order.line_count;
  }

  template <class Writer>
  void write_item(Writer& writer, int32_t i_id) {
    ItemRow row;
    make_item(seed_, i_id, row);
    writer.row(i_id, row.im_id, row.name, Cents{row.price_cents}, row.data);
  }

  template <class Writer>
  void write_stock(Writer& writer, int32_t i_id) {
    constexpr int64_t ytd = 0;
    constexpr int32_t order_cnt = 0;
    constexpr int32_t remote_cnt = 0;
    StockRow row;
    make_stock(seed_, w_id_, i_id, row);
    writer.row(w_id_, i_id, row.quantity, row.dist, ytd, order_cnt, remote_cnt, row.data);
  }

  Table table_;
  int32_t w_id_;
  PopulationSeed seed_;
  NurandConstants constants_;
  Timestamp load_time_{seed_.load_time_us};
  int32_t per_district_ = std::max(1, size(table_) / districts_per_warehouse);
  std::unique_ptr<CustomerPermutation> customers_;  // of the district whose orders are written
};

}  // namespace drover::tpcc
