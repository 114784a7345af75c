#include "tpcc/ydb/conditions_values.h"

#include <fmt/format.h>

#include <initializer_list>
#include <string_view>
#include <utility>

#include "tpcc/ydb/conditions_rules.h"

namespace drover::tpcc::ydb {

namespace {

constexpr std::string_view address[] = {"street_1", "street_2", "city", "state", "zip"};

void append(std::vector<Domain>& domains, std::vector<Domain> more) {
  for (Domain& domain : more) domains.push_back(std::move(domain));
}

YqlCondition item_values() {
  constexpr std::string_view key[] = {"i_id"};
  constexpr std::string_view texts[] = {"name", "data"};
  DomainSet set{.from = "item", .key = key, .where = "true", .domains = {}};
  set.domains = {amount_between("i_price", "1.00", "100.00")};
  append(set.domains, not_nulls("i_", texts));
  return domain_condition(rule_named("item.values", "4.3.3.1", "columns of item", Span::once), set);
}

YqlCondition warehouse_values() {
  constexpr std::string_view key[] = {"w_id"};
  constexpr std::string_view others[] = {"name", "ytd"};
  DomainSet set{.from = "warehouse", .key = key, .where = in_range("w_id"), .domains = {}};
  set.domains = {amount_between("w_tax", "0", "0.2")};
  append(set.domains, not_nulls("w_", others));
  append(set.domains, not_nulls("w_", address));
  return domain_condition(rule_named("warehouse.values", "4.3.3.1", "columns of warehouse"), set);
}

YqlCondition district_values() {
  constexpr std::string_view key[] = {"d_w_id", "d_id"};
  constexpr std::string_view others[] = {"name", "ytd"};
  DomainSet set{.from = "district", .key = key, .where = in_range("d_w_id"), .domains = {}};
  set.domains = {amount_between("d_tax", "0", "0.2"),
                 {"d_next_o_id", "d_next_o_id >= 3001", "3001 or more"}};
  append(set.domains, not_nulls("d_", others));
  append(set.domains, not_nulls("d_", address));
  return domain_condition(rule_named("district.values", "4.3.3.1", "columns of district"), set);
}

// New-Order takes 1 to 10 pieces. It leaves at least 10, or fewer than 10 and adds 91: what began
// in [10..100] stays there.
YqlCondition stock_values() {
  constexpr std::string_view key[] = {"s_w_id", "s_i_id"};
  constexpr std::string_view others[] = {"ytd", "order_cnt", "remote_cnt", "data"};
  DomainSet set{.from = "stock", .key = key, .where = in_range("s_w_id"), .domains = {}};
  set.domains = {number_between("s_quantity", 10, 100)};
  append(set.domains, not_nulls("s_", others));
  for (int district = 1; district <= 10; ++district)
    set.domains.push_back(not_null(fmt::format("s_dist_{:02}", district)));
  return domain_condition(
      rule_named("stock.values", "2.4.2.2", "columns of stock, s_quantity 10 to 100"), set);
}

YqlCondition customer_values() {
  constexpr std::string_view key[] = {"c_w_id", "c_d_id", "c_id"};
  constexpr std::string_view others[] = {"first",        "middle",  "last",        "phone",
                                         "since",        "balance", "ytd_payment", "payment_cnt",
                                         "delivery_cnt", "data"};
  DomainSet set{.from = "customer", .key = key, .where = in_range("c_w_id"), .domains = {}};
  set.domains = {{"c_credit", "c_credit = \"GC\"u OR c_credit = \"BC\"u", "GC or BC"},
                 amount_is("c_credit_lim", "50000.00"),
                 amount_between("c_discount", "0", "0.5")};
  append(set.domains, not_nulls("c_", others));
  append(set.domains, not_nulls("c_", address));
  return domain_condition(rule_named("customer.values", "4.3.3.1", "columns of customer"), set);
}

// A row of the load has 10.00 and a random text, and so may a payment of 10.00: the text is judged
// where it can be told to be a payment's.
YqlCondition history_values() {
  constexpr std::string_view key[] = {"h_c_w_id", "h_c_d_id", "h_c_id", "h_c_nano_ts"};
  DomainSet set{.from = "$history", .key = key, .where = "true", .domains = {}};
  set.before = fmt::format(R"($history = (
    SELECT h.h_c_w_id AS h_c_w_id, h.h_c_d_id AS h_c_d_id, h.h_c_id AS h_c_id,
           h.h_c_nano_ts AS h_c_nano_ts, h.h_w_id AS h_w_id, h.h_d_id AS h_d_id,
           h.h_date AS h_date, h.h_amount AS h_amount, h.h_data AS h_data, d.d_name AS d_name,
           w.w_name AS w_name, d.d_id IS NOT NULL AS has_district,
           w.w_id IS NOT NULL AS has_warehouse
    FROM (SELECT h_c_w_id, h_c_d_id, h_c_id, h_c_nano_ts, h_w_id, h_d_id, h_date, h_amount, h_data
          FROM history WHERE {}) AS h
    LEFT JOIN (SELECT w_id, w_name FROM warehouse) AS w ON w.w_id = h.h_w_id
    LEFT JOIN (SELECT d_w_id, d_id, d_name FROM district) AS d
    ON d.d_w_id = h.h_w_id AND d.d_id = h.h_d_id);
)",
                           in_range("h_c_w_id"));
  set.domains = {
      {"h_w_id", "has_warehouse", "a warehouse that is there"},
      {"h_d_id", "has_district", "a district that is there"},
      not_null("h_date"),
      amount_between("h_amount", "1.00", "5000.00"),
      {"h_data",
       fmt::format("IF(h_amount = {}, h_data IS NOT NULL, h_data = w_name || \"    \"u || d_name)",
                   amount("10.00")),
       "w_name, 4 spaces and d_name where h_amount <> 10.00"},
  };
  return domain_condition(
      rule_named("history.values", "2.5.2.2", "columns of history, district and text"), set);
}

YqlCondition oorder_values() {
  constexpr std::string_view key[] = {"o_w_id", "o_d_id", "o_id"};
  DomainSet set{.from = "oorder", .key = key, .where = in_range("o_w_id"), .domains = {}};
  set.domains = {
      number_between("o_c_id", 1, 3000),
      not_null("o_entry_d"),
      {"o_carrier_id", "o_carrier_id IS NULL OR o_carrier_id BETWEEN 1 AND 10", "null or 1..10"},
      number_between("o_ol_cnt", 5, 15),
      {"o_all_local", "o_all_local = 0 OR o_all_local = 1", "0 or 1"},
  };
  return domain_condition(rule_named("oorder.values", "2.4.1", "columns of oorder"), set);
}

// Lines of orders up to 3,000 are the load's and stay as they came, save for their delivery. That
// item and stock have a row for each of these numbers is what item.rows and stock.rows say.
YqlCondition order_line_values() {
  constexpr std::string_view key[] = {"ol_w_id", "ol_d_id", "ol_o_id", "ol_number"};
  DomainSet set{.from = "order_line", .key = key, .where = in_range("ol_w_id"), .domains = {}};
  set.before = "$newest = (SELECT MAX(w_id) FROM warehouse);\n";
  set.domains = {
      number_between("ol_i_id", 1, 100000),
      {"ol_supply_w_id",
       "IF(ol_o_id > 3000, ol_supply_w_id BETWEEN 1 AND $newest, ol_supply_w_id = ol_w_id)",
       "a warehouse that is there; ol_w_id where ol_o_id <= 3000"},
      {"ol_quantity", "IF(ol_o_id > 3000, ol_quantity BETWEEN 1 AND 10, ol_quantity = 5)",
       "1..10; 5 where ol_o_id <= 3000"},
      {"ol_amount",
       fmt::format("CASE WHEN ol_o_id > 3000 THEN ol_amount IS NOT NULL WHEN ol_o_id > 2100 THEN "
                   "ol_amount BETWEEN {} AND {} ELSE ol_amount = {} END",
                   amount("0.01"), amount("9999.99"), amount("0")),
       "not null; 0.01..9999.99 where ol_o_id <= 3000; 0.00 where ol_o_id <= 2100"},
      not_null("ol_dist_info"),
  };
  return domain_condition(rule_named("order_line.values", "2.4.1.5", "columns of order_line"), set);
}

}  // namespace

std::vector<YqlCondition> value_conditions() {
  std::vector<YqlCondition> all;
  all.push_back(item_values());
  all.push_back(warehouse_values());
  all.push_back(district_values());
  all.push_back(stock_values());
  all.push_back(customer_values());
  all.push_back(history_values());
  all.push_back(oorder_values());
  all.push_back(order_line_values());
  return all;
}

}  // namespace drover::tpcc::ydb
