#include "workload/tpcc/check/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <stdexcept>
#include <utility>

namespace drover::tpcc {

namespace {

constexpr auto number = Must::be_a_number;
constexpr auto rate = Must::be_a_rate;
constexpr auto money = Must::be_money;

Domain between(Must must, std::string column, std::string low, std::string high) {
  std::string expected = fmt::format("{}..{}", low, high);
  return {std::move(column), must, std::move(low), std::move(high), std::move(expected)};
}

Domain is(Must must, std::string column, const std::string& value) {
  return {std::move(column), must, value, value, value};
}

Domain length_between(std::string column, int shortest, int longest) {
  return {std::move(column), Must::be_so_long, std::to_string(shortest), std::to_string(longest),
          shortest == longest ? fmt::format("{} characters", shortest)
                              : fmt::format("{} to {} characters", shortest, longest)};
}

Domain credit() {
  return {.column = "c_credit", .must = Must::be_a_credit, .expected = "GC or BC"};
}

Domain holding(std::string column, std::string predicate, std::string expected) {
  return {std::move(column), Must::hold, std::move(predicate), {}, std::move(expected)};
}

Domain agreeing(std::string column, std::string expected) {
  return {.column = std::move(column), .must = Must::agree, .expected = std::move(expected)};
}

void append_there(std::vector<Domain>& domains, std::string_view prefix,
                  std::initializer_list<std::string_view> columns) {
  for (const std::string_view column : columns)
    domains.push_back({.column = fmt::format("{}{}", prefix, column)});
}

constexpr std::initializer_list<std::string_view> address = {"street_1", "street_2", "city",
                                                             "state", "zip"};

void append_loaded_address(std::vector<Domain>& domains, const std::string& prefix) {
  for (const char* column : {"street_1", "street_2", "city"})
    domains.push_back(length_between(prefix + column, 10, 20));
  domains.push_back(length_between(prefix + "state", 2, 2));
  domains.push_back(
      {.column = prefix + "zip", .must = Must::be_a_zip, .expected = "4 digits and 11111"});
}

std::string stock_district(int district) {
  return fmt::format("s_dist_{:02}", district);
}

// The columns that identify a row are those of the key. Except for item, the first one is the
// warehouse's.
ColumnSet rows_of(std::string_view table, std::vector<std::string_view> key,
                  std::vector<Domain> domains) {
  const std::string_view warehouse = table == "item" ? "" : key.front();
  return {table, warehouse, std::move(key), std::move(domains)};
}

// The values that a column may have between transactions: the rules of clause 1.3 and of the
// population (4.3.3.1) for columns that no transaction changes, and the results of the transactions
// (clauses 2.4 and 2.5) for the others. Only o_carrier_id and ol_delivery_d may be null; conditions
// 5 and 7 concern them. Strings that no transaction compares must only exist.

ColumnSet item_values() {
  std::vector<Domain> domains = {between(money, "i_price", "1.00", "100.00")};
  append_there(domains, "i_", {"name", "data"});
  return rows_of("item", {"i_id"}, std::move(domains));
}

ColumnSet warehouse_values() {
  std::vector<Domain> domains = {between(rate, "w_tax", "0", "0.2")};
  append_there(domains, "w_", {"name", "ytd"});
  append_there(domains, "w_", address);
  return rows_of("warehouse", {"w_id"}, std::move(domains));
}

ColumnSet district_values() {
  std::vector<Domain> domains = {
      between(rate, "d_tax", "0", "0.2"),
      holding("d_next_o_id", "d_next_o_id >= 3001", "3001 or more"),
  };
  append_there(domains, "d_", {"name", "ytd"});
  append_there(domains, "d_", address);
  return rows_of("district", {"d_w_id", "d_id"}, std::move(domains));
}

// New-Order takes 1 to 10 pieces. It leaves at least 10, or adds 91 to fewer than 10: a quantity in
// [10..100] stays there.
ColumnSet stock_values() {
  std::vector<Domain> domains = {between(number, "s_quantity", "10", "100")};
  append_there(domains, "s_", {"ytd", "order_cnt", "remote_cnt", "data"});
  for (int district = 1; district <= 10; ++district)
    domains.push_back({.column = stock_district(district)});
  return rows_of("stock", {"s_w_id", "s_i_id"}, std::move(domains));
}

ColumnSet customer_values() {
  std::vector<Domain> domains = {credit(), is(money, "c_credit_lim", "50000.00"),
                                 between(rate, "c_discount", "0", "0.5")};
  append_there(domains, "c_",
               {"first", "middle", "last", "phone", "since", "balance", "ytd_payment",
                "payment_cnt", "delivery_cnt", "data"});
  append_there(domains, "c_", address);
  return rows_of("customer", {"c_w_id", "c_d_id", "c_id"}, std::move(domains));
}

// A loaded row has the amount 10.00 and a random text, and a payment may have the amount 10.00. The
// text is judged only where the amount shows that the row is a payment's.
ColumnSet history_values() {
  return rows_of("history", {"h_c_w_id", "h_c_d_id", "h_c_id"},
                 {agreeing("h_w_id", "an existing warehouse"),
                  agreeing("h_d_id", "an existing district"),
                  {.column = "h_date"},
                  between(money, "h_amount", "1.00", "5000.00"),
                  agreeing("h_data", "w_name, 4 spaces and d_name where h_amount <> 10.00")});
}

ColumnSet oorder_values() {
  return rows_of("oorder", {"o_w_id", "o_d_id", "o_id"},
                 {between(number, "o_c_id", "1", "3000"),
                  {.column = "o_entry_d"},
                  holding("o_carrier_id", "o_carrier_id IS NULL OR o_carrier_id BETWEEN 1 AND 10",
                          "null or 1..10"),
                  between(number, "o_ol_cnt", "5", "15"),
                  {"o_all_local", Must::be_a_flag, "0", "1", "0 or 1"}});
}

// Lines of orders up to 3,000 come from the load, and only their delivery changes them. The
// conditions item.rows and stock.rows require a row for each of the numbers.
ColumnSet order_line_values() {
  return rows_of(
      "order_line", {"ol_w_id", "ol_d_id", "ol_o_id", "ol_number"},
      {between(number, "ol_i_id", "1", "100000"),
       agreeing("ol_supply_w_id", "an existing warehouse; ol_w_id where ol_o_id <= 3000"),
       holding("ol_quantity",
               "CASE WHEN ol_o_id > 3000 THEN ol_quantity BETWEEN 1 AND 10 "
               "ELSE ol_quantity = 5 END",
               "1..10; 5 where ol_o_id <= 3000"),
       holding("ol_amount",
               "CASE WHEN ol_o_id > 3000 THEN ol_amount IS NOT NULL WHEN ol_o_id > 2100 THEN "
               "@ol_amount@ BETWEEN #0.01# AND #9999.99# ELSE @ol_amount@ = #0# END",
               "not null; 0.01..9999.99 where ol_o_id <= 3000; 0.00 where ol_o_id <= 2100"),
       {.column = "ol_dist_info"}});
}

// The values of all columns of a freshly loaded database.

ColumnSet item_columns() {
  return rows_of("item", {"i_id"},
                 {between(number, "i_im_id", "1", "10000"), length_between("i_name", 14, 24),
                  between(money, "i_price", "1.00", "100.00"), length_between("i_data", 26, 50)});
}

ColumnSet warehouse_columns() {
  std::vector<Domain> domains = {length_between("w_name", 6, 10),
                                 between(rate, "w_tax", "0", "0.2"),
                                 is(money, "w_ytd", "300000.00")};
  append_loaded_address(domains, "w_");
  return rows_of("warehouse", {"w_id"}, std::move(domains));
}

ColumnSet district_columns() {
  std::vector<Domain> domains = {length_between("d_name", 6, 10),
                                 between(rate, "d_tax", "0", "0.2"), is(money, "d_ytd", "30000.00"),
                                 is(number, "d_next_o_id", "3001")};
  append_loaded_address(domains, "d_");
  return rows_of("district", {"d_w_id", "d_id"}, std::move(domains));
}

ColumnSet stock_columns() {
  std::vector<Domain> domains = {between(number, "s_quantity", "10", "100"),
                                 is(number, "s_ytd", "0"), is(number, "s_order_cnt", "0"),
                                 is(number, "s_remote_cnt", "0"), length_between("s_data", 26, 50)};
  for (int district = 1; district <= 10; ++district)
    domains.push_back(length_between(stock_district(district), 24, 24));
  return rows_of("stock", {"s_w_id", "s_i_id"}, std::move(domains));
}

ColumnSet customer_columns() {
  std::vector<Domain> domains = {
      length_between("c_first", 8, 16),
      {"c_middle", Must::be_a_text, "OE", {}, "OE"},
      agreeing("c_last",
               "last name number c_id - 1 where c_id <= 1000, else one of the 1,000 names"),
      {.column = "c_phone", .must = Must::be_digits, .expected = "16 digits"},
      {.column = "c_since"},
      credit(),
      is(money, "c_credit_lim", "50000.00"),
      between(rate, "c_discount", "0", "0.5"),
      is(money, "c_balance", "-10.00"),
      is(money, "c_ytd_payment", "10.00"),
      is(number, "c_payment_cnt", "1"),
      is(number, "c_delivery_cnt", "0"),
      length_between("c_data", 300, 500),
  };
  append_loaded_address(domains, "c_");
  return rows_of("customer", {"c_w_id", "c_d_id", "c_id"}, std::move(domains));
}

ColumnSet history_columns() {
  return rows_of("history", {"h_c_w_id", "h_c_d_id", "h_c_id"},
                 {holding("h_w_id", "h_w_id = h_c_w_id", "h_c_w_id"),
                  holding("h_d_id", "h_d_id = h_c_d_id", "h_c_d_id"),
                  {.column = "h_date"},
                  is(money, "h_amount", "10.00"),
                  length_between("h_data", 12, 24)});
}

ColumnSet oorder_columns() {
  return rows_of("oorder", {"o_w_id", "o_d_id", "o_id"},
                 {{.column = "o_entry_d"},
                  holding("o_carrier_id",
                          "CASE WHEN o_id < 2101 THEN o_carrier_id BETWEEN 1 AND 10 "
                          "ELSE o_carrier_id IS NULL END",
                          "1..10 where o_id < 2101, else null"),
                  between(number, "o_ol_cnt", "5", "15"),
                  {"o_all_local", Must::be_a_flag, "1", "1", "1"}});
}

ColumnSet order_line_columns() {
  return rows_of(
      "order_line", {"ol_w_id", "ol_d_id", "ol_o_id", "ol_number"},
      {holding("ol_number", "ol_number BETWEEN 1 AND o_ol_cnt", "1..o_ol_cnt of its order"),
       between(number, "ol_i_id", "1", "100000"),
       holding("ol_supply_w_id", "ol_supply_w_id = ol_w_id", "ol_w_id"),
       holding("ol_delivery_d",
               "CASE WHEN ol_o_id < 2101 THEN ol_delivery_d = o_entry_d "
               "ELSE ol_delivery_d IS NULL END",
               "o_entry_d of its order where ol_o_id < 2101, else null"),
       is(number, "ol_quantity", "5"),
       holding("ol_amount",
               "CASE WHEN ol_o_id < 2101 THEN @ol_amount@ = #0# "
               "ELSE @ol_amount@ BETWEEN #0.01# AND #9999.99# END",
               "0.00 where ol_o_id < 2101, else 0.01..9999.99"),
       length_between("ol_dist_info", 24, 24)});
}

constexpr RowSet orders_of(std::string_view id, bool in_key) {
  return {"oorder", "o_w_id", "o_d_id", id, 1, 3000, in_key};
}

constexpr RowSet customers{"customer", "c_w_id", "c_d_id", "c_id", 1, 3000};
constexpr RowSet districts{"district", "d_w_id", "", "d_id", 1, 10};
constexpr RowSet stock{"stock", "s_w_id", "", "s_i_id", 1, 100000};
constexpr RowSet new_orders{"new_order", "no_w_id", "no_d_id", "no_o_id", 2101, 3000};
constexpr RowSet first_payments{"history", "h_c_w_id", "h_c_d_id", "h_c_id", 1, 3000, false};

constexpr auto once = Span::once;
constexpr auto range = Span::range;
constexpr auto wide = Span::wide_range;
constexpr auto by_history = Span::history_range;

std::vector<Condition> consistency_conditions() {
  return {
      {1, "1", "3.3.2.1", "w_ytd = sum(d_ytd)"},
      {2, "2", "3.3.2.2", "d_next_o_id - 1 = max(o_id) = max(no_o_id)"},
      {3, "3", "3.3.2.3", "new_order has no gap"},
      {4, "4", "3.3.2.4", "sum(o_ol_cnt) = rows of order_line"},
      {5, "5", "3.3.2.5", "o_carrier_id is null if and only if in new_order"},
      {6, "6", "3.3.2.6", "o_ol_cnt = lines of the order"},
      {7, "7", "3.3.2.7", "ol_delivery_d, o_carrier_id: both null or both set"},
      {8, "8", "3.3.2.8", "w_ytd = sum(h_amount)", wide},
      {9, "9", "3.3.2.9", "d_ytd = sum(h_amount)", wide},
      {10, "10", "3.3.2.10", "c_balance = delivered - paid", by_history},
      {11, "11", "3.3.2.11", "count(oorder) - count(new_order) = 2100", range, true},
      {12, "12", "3.3.2.12", "c_balance + c_ytd_payment = delivered"},
  };
}

std::vector<Condition> further_conditions() {
  return {
      {0, "rows.outside", "1.3", "every row belongs to an existing warehouse", once},
      {0, "item.rows", "1.2.1", "100,000 items", once},
      {0, "warehouse.rows", "1.2.1", "one row per warehouse"},
      {0, "district.rows", "1.2.1", "10 districts per warehouse", range, false, districts},
      {0, "customer.rows", "1.2.1", "3,000 customers per district", range, false, customers},
      {0, "stock.rows", "1.2.1", "100,000 rows of stock per warehouse", range, false, stock},
      {0, "oorder.keys", "2.4.2.2", "orders 1 to d_next_o_id - 1, each once"},
      {0, "new_order.keys", "1.3", "no duplicate rows in new_order"},
      {0, "item.values", "4.3.3.1", "valid values in item", once, false, item_values()},
      {0, "warehouse.values", "4.3.3.1", "valid values in warehouse", range, false,
       warehouse_values()},
      {0, "district.values", "4.3.3.1", "valid values in district", range, false,
       district_values()},
      {0, "stock.values", "2.4.2.2", "valid values in stock (s_quantity 10 to 100)", range, false,
       stock_values()},
      {0, "customer.values", "4.3.3.1", "valid values in customer", range, false,
       customer_values()},
      {0, "history.values", "2.5.2.2", "valid values in history, district and text columns",
       by_history, false, history_values()},
      {0, "oorder.values", "2.4.1", "valid values in oorder", range, false, oorder_values()},
      {0, "order_line.values", "2.4.1.5", "valid values in order_line", range, false,
       order_line_values()},
      {0, "order.lines", "2.4.2.2", "ol_number is 1 to o_ol_cnt; o_all_local fits lines"},
      {0, "order_line.amount", "2.4.2.2", "after the load: ol_amount = ol_quantity x i_price"},
      {0, "order_line.dist_info", "2.4.2.2", "after the load: ol_dist_info = s_dist of its stock"},
      {0, "stock.counters", "2.4.2.2", "after the load: stock counters = sums of order lines",
       wide},
      {0, "customer.payments", "2.5.2.2", "c_payment_cnt and c_ytd_payment fit history",
       by_history},
      {0, "customer.data", "2.5.2.2", "bad credit: c_data begins with a payment", by_history},
      {0, "customer.deliveries", "2.7.4.2", "after the load: c_delivery_cnt = delivered orders"},
  };
}

// Returns a condition that holds only for freshly loaded data, by clause 4.3.3.1.
Condition fresh(std::string name, std::string title, Span span,
                decltype(Condition::pattern) pattern) {
  return {0, std::move(name), "4.3.3.1", std::move(title), span, true, std::move(pattern)};
}

std::vector<Condition> population_rules() {
  std::vector<Condition> all = {
      fresh("oorder.rows", "3,000 orders per district, numbered 1 to 3,000", range,
            orders_of("o_id", true)),
      fresh("oorder.customers", "o_c_id is a permutation of 1 to 3,000", range,
            orders_of("o_c_id", false)),
      fresh("new_order.rows", "new_order has exactly orders 2,101 to 3,000", range, new_orders),
      fresh("history.rows", "one row of history per customer", by_history, first_payments),
      fresh("item.columns", "loaded values in item", once, item_columns()),
      fresh("warehouse.columns", "loaded values in warehouse", range, warehouse_columns()),
      fresh("district.columns", "loaded values in district", range, district_columns()),
      fresh("stock.columns", "loaded values in stock", range, stock_columns()),
      fresh("customer.columns", "loaded values in customer", range, customer_columns()),
      fresh("history.columns", "loaded values in history", by_history, history_columns()),
      fresh("oorder.columns", "loaded values in oorder", range, oorder_columns()),
      fresh("order_line.columns", "loaded values in order_line, fitting its order", range,
            order_line_columns()),
      fresh("item.original", "10% of i_data contain ORIGINAL", once,
            Share{"item", "", "i_data", "ORIGINAL"}),
      fresh("stock.original", "10% of s_data contain ORIGINAL", range,
            Share{"stock", "s_w_id", "s_data", "ORIGINAL"}),
      fresh("customer.credit", "10% of c_credit are BC", range,
            Share{"customer", "c_w_id", "c_credit", "BC", true}),
  };
  const Uniform means[] = {
      {"item", "", "i_im_id", "true", 1, 10000, 1},
      {"item", "", "i_price", "true", 1, 100, 0.01},
      {"stock", "s_w_id", "s_quantity", "true", 10, 100, 1},
      {"customer", "c_w_id", "c_discount", "true", 0, 0.5, 0.0001},
      {"oorder", "o_w_id", "o_carrier_id", "o_id < 2101", 1, 10, 1},
      {"oorder", "o_w_id", "o_ol_cnt", "true", 5, 15, 1},
      {"order_line", "ol_w_id", "ol_i_id", "true", 1, 100000, 1},
      {"order_line", "ol_w_id", "ol_amount", "ol_o_id >= 2101", 0.01, 9999.99, 0.01},
  };
  for (const Uniform& mean : means) {
    all.push_back(fresh(fmt::format("{}.mean", mean.column),
                        fmt::format("mean of {} fits a uniform distribution", mean.column),
                        mean.warehouse.empty() ? once : range, mean));
  }
  return all;
}

std::vector<Condition> whole_catalogue() {
  std::vector<Condition> all = consistency_conditions();
  for (auto part : {further_conditions(), population_rules()})
    std::move(part.begin(), part.end(), std::back_inserter(all));
  return all;
}

}  // namespace

double Uniform::variance() const noexcept {
  const double values = std::round((highest - lowest) / step) + 1;
  return step * step * (values * values - 1) / 12;
}

const std::vector<Condition>& catalogue() {
  static const std::vector<Condition> all = whole_catalogue();
  return all;
}

const Condition& condition_named(std::string_view name) {
  const auto place = std::ranges::find(catalogue(), name, &Condition::name);
  if (place == catalogue().end())
    throw std::out_of_range(fmt::format("there is no condition {}", name));
  return *place;
}

}  // namespace drover::tpcc
