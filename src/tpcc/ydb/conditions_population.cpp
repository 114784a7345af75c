// The rules of clause 4.3.3.1 for a freshly loaded database: which rows there are, which values
// each column may take, how rows of different tables agree, and the shares and means of what is
// chosen at random.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "tpcc/ydb/conditions.h"
#include "tpcc/ydb/conditions_rules.h"

namespace drover::tpcc::ydb {

namespace {

Condition rule_of_load(std::string name, std::string title, Span span = Span::range) {
  return rule_named(std::move(name), "4.3.3.1", std::move(title), span);
}

void append_address(std::vector<Domain>& domains, const std::string& prefix) {
  for (const char* column : {"street_1", "street_2", "city"})
    domains.push_back(text_length(prefix + column, 10, 20));
  domains.push_back(text_length(prefix + "state", 2, 2));
  domains.push_back({prefix + "zip",
                     fmt::format("{0}zip LIKE \"____11111\"u AND CAST({0}zip AS Uint32) IS NOT "
                                 "NULL",
                                 prefix),
                     "4 digits and 11111"});
}

YqlCondition item_columns() {
  constexpr std::string_view key[] = {"i_id"};
  DomainSet set{.from = "item", .key = key, .where = "true", .domains = {}};
  set.domains = {number_between("i_im_id", 1, 10000), text_length("i_name", 14, 24),
                 amount_between("i_price", "1.00", "100.00"), text_length("i_data", 26, 50)};
  return domain_condition(rule_of_load("item.columns", "columns of item", Span::once), set);
}

YqlCondition warehouse_columns() {
  constexpr std::string_view key[] = {"w_id"};
  DomainSet set{.from = "warehouse", .key = key, .where = in_range("w_id"), .domains = {}};
  set.domains = {text_length("w_name", 6, 10), amount_between("w_tax", "0", "0.2"),
                 amount_is("w_ytd", "300000.00")};
  append_address(set.domains, "w_");
  return domain_condition(rule_of_load("warehouse.columns", "columns of warehouse"), set);
}

YqlCondition district_columns() {
  constexpr std::string_view key[] = {"d_w_id", "d_id"};
  DomainSet set{.from = "district", .key = key, .where = in_range("d_w_id"), .domains = {}};
  set.domains = {text_length("d_name", 6, 10), amount_between("d_tax", "0", "0.2"),
                 amount_is("d_ytd", "30000.00"), number_is("d_next_o_id", 3001)};
  append_address(set.domains, "d_");
  return domain_condition(rule_of_load("district.columns", "columns of district"), set);
}

YqlCondition stock_columns() {
  constexpr std::string_view key[] = {"s_w_id", "s_i_id"};
  DomainSet set{.from = "stock", .key = key, .where = in_range("s_w_id"), .domains = {}};
  set.domains = {number_between("s_quantity", 10, 100), number_is("s_ytd", 0),
                 number_is("s_order_cnt", 0), number_is("s_remote_cnt", 0),
                 text_length("s_data", 26, 50)};
  for (int district = 1; district <= 10; ++district)
    set.domains.push_back(text_length(fmt::format("s_dist_{:02}", district), 24, 24));
  return domain_condition(rule_of_load("stock.columns", "columns of stock"), set);
}

// Customers 1 to 1,000 have the last names of the numbers 0 to 999 (clause 4.3.2.3).
YqlCondition customer_columns() {
  constexpr std::string_view key[] = {"c_w_id", "c_d_id", "c_id"};
  DomainSet set{.from = "$customers", .key = key, .where = "true", .domains = {}};
  set.before = fmt::format(R"($customers = (
    SELECT c.c_w_id AS c_w_id, c.c_d_id AS c_d_id, c.c_id AS c_id, c.c_first AS c_first,
           c.c_middle AS c_middle, c.c_last AS c_last, c.c_street_1 AS c_street_1,
           c.c_street_2 AS c_street_2, c.c_city AS c_city, c.c_state AS c_state, c.c_zip AS c_zip,
           c.c_phone AS c_phone, c.c_since AS c_since, c.c_credit AS c_credit,
           c.c_credit_lim AS c_credit_lim, c.c_discount AS c_discount, c.c_balance AS c_balance,
           c.c_ytd_payment AS c_ytd_payment, c.c_payment_cnt AS c_payment_cnt,
           c.c_delivery_cnt AS c_delivery_cnt, c.c_data AS c_data, n.id AS name_id
    FROM (SELECT * FROM customer WHERE {}) AS c
    LEFT JOIN AS_TABLE($family_names) AS n ON n.name = c.c_last);
)",
                           in_range("c_w_id"));
  set.domains = {
      text_length("c_first", 8, 16),
      text_is("c_middle", "OE"),
      {"c_last", "IF(c_id > 1000, name_id IS NOT NULL, name_id = c_id)",
       "the name of number c_id - 1 where c_id <= 1000, else one of the 1,000 names"},
      {"c_phone", "Unicode::GetLength(c_phone) = 16ul AND CAST(c_phone AS Uint64) IS NOT NULL",
       "16 digits"},
      not_null("c_since"),
      {"c_credit", "c_credit = \"GC\"u OR c_credit = \"BC\"u", "GC or BC"},
      amount_is("c_credit_lim", "50000.00"),
      amount_between("c_discount", "0", "0.5"),
      amount_is("c_balance", "-10.00"),
      amount_is("c_ytd_payment", "10.00"),
      number_is("c_payment_cnt", 1),
      number_is("c_delivery_cnt", 0),
      text_length("c_data", 300, 500),
  };
  append_address(set.domains, "c_");
  return domain_condition(rule_of_load("customer.columns", "columns of customer"), set);
}

YqlCondition history_columns() {
  constexpr std::string_view key[] = {"h_c_w_id", "h_c_d_id", "h_c_id", "h_c_nano_ts"};
  DomainSet set{.from = "history", .key = key, .where = in_range("h_c_w_id"), .domains = {}};
  set.domains = {{"h_w_id", "h_w_id = h_c_w_id", "h_c_w_id"},
                 {"h_d_id", "h_d_id = h_c_d_id", "h_c_d_id"},
                 not_null("h_date"),
                 amount_is("h_amount", "10.00"),
                 text_length("h_data", 12, 24)};
  return domain_condition(rule_of_load("history.columns", "columns of history"), set);
}

YqlCondition oorder_columns() {
  constexpr std::string_view key[] = {"o_w_id", "o_d_id", "o_id"};
  DomainSet set{.from = "oorder", .key = key, .where = in_range("o_w_id"), .domains = {}};
  set.domains = {
      not_null("o_entry_d"),
      {"o_carrier_id", "IF(o_id < 2101, o_carrier_id BETWEEN 1 AND 10, o_carrier_id IS NULL)",
       "1..10 where o_id < 2101, else null"},
      number_between("o_ol_cnt", 5, 15),
      number_is("o_all_local", 1)};
  return domain_condition(rule_of_load("oorder.columns", "columns of oorder"), set);
}

// As its order says: ol_number and ol_delivery_d.
YqlCondition order_line_columns() {
  constexpr std::string_view key[] = {"ol_w_id", "ol_d_id", "ol_o_id", "ol_number"};
  DomainSet set{.from = "$lines", .key = key, .where = "true", .domains = {}};
  set.before = fmt::format(R"($lines = (
    SELECT l.ol_w_id AS ol_w_id, l.ol_d_id AS ol_d_id, l.ol_o_id AS ol_o_id,
           l.ol_number AS ol_number, l.ol_i_id AS ol_i_id, l.ol_supply_w_id AS ol_supply_w_id,
           l.ol_delivery_d AS ol_delivery_d, l.ol_quantity AS ol_quantity,
           l.ol_amount AS ol_amount, l.ol_dist_info AS ol_dist_info, o.o_ol_cnt AS o_ol_cnt,
           o.o_entry_d AS o_entry_d
    FROM (SELECT * FROM order_line WHERE {}) AS l
    LEFT JOIN (SELECT o_w_id, o_d_id, o_id, o_ol_cnt, o_entry_d FROM oorder WHERE {}) AS o
    ON o.o_w_id = l.ol_w_id AND o.o_d_id = l.ol_d_id AND o.o_id = l.ol_o_id);
)",
                           in_range("ol_w_id"), in_range("o_w_id"));
  set.domains = {
      {"ol_number", "ol_number BETWEEN 1 AND o_ol_cnt", "1..o_ol_cnt of its order"},
      number_between("ol_i_id", 1, 100000),
      {"ol_supply_w_id", "ol_supply_w_id = ol_w_id", "ol_w_id"},
      {"ol_delivery_d", "IF(ol_o_id < 2101, ol_delivery_d = o_entry_d, ol_delivery_d IS NULL)",
       "o_entry_d of its order where ol_o_id < 2101, else null"},
      number_is("ol_quantity", 5),
      {"ol_amount",
       fmt::format("IF(ol_o_id < 2101, ol_amount = {}, ol_amount BETWEEN {} AND {})", amount("0"),
                   amount("0.01"), amount("9999.99")),
       "0.00 where ol_o_id < 2101, else 0.01..9999.99"},
      text_length("ol_dist_info", 24, 24),
  };
  return domain_condition(
      rule_of_load("order_line.columns", "columns of order_line, as its order says"), set);
}

void add_rows(std::vector<YqlCondition>& all) {
  RowSet orders{
      .table = "oorder", .warehouse = "o_w_id", .district = "o_d_id", .id = "o_id", .last = 3000};
  all.push_back(
      row_condition(rule_of_load("oorder.rows", "3,000 orders a district, 1 to 3,000"), orders));
  orders.id = "o_c_id";
  orders.repeats = true;
  all.push_back(row_condition(
      rule_of_load("oorder.customers", "o_c_id is a permutation of 1 to 3,000"), orders));
  all.push_back(
      row_condition(rule_of_load("new_order.rows", "the last 900 orders are new: 2,101 to 3,000"),
                    {.table = "new_order",
                     .warehouse = "no_w_id",
                     .district = "no_d_id",
                     .id = "no_o_id",
                     .first = 2101,
                     .last = 3000}));
  all.push_back(row_condition(rule_of_load("history.rows", "one row of history a customer"),
                              {.table = "history",
                               .warehouse = "h_c_w_id",
                               .district = "h_c_d_id",
                               .id = "h_c_id",
                               .last = 3000,
                               .repeats = true}));
}

void add_columns(std::vector<YqlCondition>& all) {
  all.push_back(item_columns());
  all.push_back(warehouse_columns());
  all.push_back(district_columns());
  all.push_back(stock_columns());
  all.push_back(customer_columns());
  all.push_back(history_columns());
  all.push_back(oorder_columns());
  all.push_back(order_line_columns());
}

void add_shares(std::vector<YqlCondition>& all) {
  constexpr std::string_view of_items = "i_data LIKE \"%ORIGINAL%\"u";
  constexpr std::string_view of_stock = "s_data LIKE \"%ORIGINAL%\"u";
  all.push_back(share_condition(
      rule_of_load("item.original", "10% of i_data with ORIGINAL", Span::once),
      {.table = "item", .warehouse = "", .title = "ORIGINAL", .property = of_items}));
  all.push_back(share_condition(
      rule_of_load("stock.original", "10% of s_data with ORIGINAL"),
      {.table = "stock", .warehouse = "s_w_id", .title = "ORIGINAL", .property = of_stock}));
  all.push_back(share_condition(rule_of_load("customer.credit", "10% of c_credit BC"),
                                {.table = "customer",
                                 .warehouse = "c_w_id",
                                 .title = "BC",
                                 .property = "c_credit = \"BC\"u"}));
}

// A mean tells a column that is random over its whole domain from one that only stays inside it.
void add_means(std::vector<YqlCondition>& all) {
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
  for (const Uniform& uniform : means) {
    all.push_back(
        mean_condition(rule_of_load(fmt::format("{}.mean", uniform.column),
                                    fmt::format("{} is uniform: its mean", uniform.column),
                                    uniform.warehouse.empty() ? Span::once : Span::range),
                       uniform));
  }
}

}  // namespace

std::vector<YqlCondition> population_rules() {
  std::vector<YqlCondition> all;
  add_rows(all);
  add_columns(all);
  add_shares(all);
  add_means(all);
  return all;
}

}  // namespace drover::tpcc::ydb
