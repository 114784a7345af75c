// The initial population of clause 4.3.3.1, row by row.
//
// Each row is a pure function of seed, load time and key, so that any row can be made again, in any
// order and by any number of threads. Rows that must agree are made from one stream: oorder and
// order_line from the stream of their order.
//
// Money and rates are integers of the smallest unit. Thread safety: pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "workload/tpcc/random.h"
#include "workload/tpcc/schema.h"

namespace drover::tpcc {

struct PopulationSeed {
  uint64_t seed = 0;
  // The value of c_since, h_date, o_entry_d and ol_delivery_d in every row, in microseconds since
  // 1970-01-01 00:00. It is a parameter, so that a row that is made again is equal.
  int64_t load_time_us = 0;
};

inline constexpr std::string_view original = "ORIGINAL";
inline constexpr std::string_view customer_middle_name = "OE";

// Values that the specification gives to all rows.
inline constexpr int64_t warehouse_ytd_cents = 300'000'00;
inline constexpr int64_t district_ytd_cents = 30'000'00;
inline constexpr int64_t customer_credit_limit_cents = 50'000'00;
inline constexpr int64_t customer_balance_cents = -10'00;
inline constexpr int64_t customer_ytd_payment_cents = 10'00;
inline constexpr int32_t customer_payment_count = 1;
inline constexpr int32_t customer_delivery_count = 0;
inline constexpr int64_t history_amount_cents = 10'00;
inline constexpr int32_t order_line_quantity = 5;

struct Address {
  Text<20> street_1;
  Text<20> street_2;
  Text<20> city;
  Text<2> state;
  Text<9> zip;
};

struct WarehouseRow {
  Text<10> name;
  Address address;
  int32_t tax_ten_thousandths;
};

struct DistrictRow {
  Text<10> name;
  Address address;
  int32_t tax_ten_thousandths;
};

struct CustomerRow {
  Text<16> first;
  std::string_view last;
  Address address;
  Text<16> phone;
  std::string_view credit;
  int32_t discount_ten_thousandths;
  Text<500> data;
};

struct HistoryRow {
  Text<24> data;
};

// The values that oorder and order_line share.
struct OrderRow {
  std::optional<int32_t> carrier_id;  // none: not delivered yet
  int32_t line_count;
};

struct OrderLineRow {
  int32_t i_id;
  int64_t amount_cents;
  std::array<char, 24> dist_info;
};

struct OrderWithLines {
  OrderRow order;
  std::array<OrderLineRow, order_lines_max> lines;  // the first order.line_count are valid
};

struct ItemRow {
  int32_t im_id;
  Text<24> name;
  int64_t price_cents;
  Text<50> data;
};

struct StockRow {
  int32_t quantity;
  std::array<std::array<char, 24>, districts_per_warehouse> dist;
  Text<50> data;
};

// The functions fill in rows that the caller owns, because copying large rows costs time.
void make_warehouse(const PopulationSeed& seed, int32_t w_id, WarehouseRow& row);
void make_district(const PopulationSeed& seed, int32_t w_id, int32_t d_id, DistrictRow& row);
// `constants` must be load_constants(seed.seed), computed once for all rows.
void make_customer(const PopulationSeed& seed, const NurandConstants& constants, int32_t w_id,
                   int32_t d_id, int32_t c_id, CustomerRow& row);
void make_history(const PopulationSeed& seed, int32_t w_id, int32_t d_id, int32_t c_id,
                  HistoryRow& row);
void make_order(const PopulationSeed& seed, int32_t w_id, int32_t d_id, int32_t o_id,
                OrderRow& row);
void make_order_with_lines(const PopulationSeed& seed, int32_t w_id, int32_t d_id, int32_t o_id,
                           OrderWithLines& rows);
void make_item(const PopulationSeed& seed, int32_t i_id, ItemRow& row);
void make_stock(const PopulationSeed& seed, int32_t w_id, int32_t i_id, StockRow& row);

// The o_c_id of the orders 1 to 3000 of a district: a random permutation of its customers.
using CustomerPermutation = std::array<int32_t, customers_per_district>;
void make_customer_permutation(const PopulationSeed& seed, int32_t w_id, int32_t d_id,
                               CustomerPermutation& customers);

}  // namespace drover::tpcc
