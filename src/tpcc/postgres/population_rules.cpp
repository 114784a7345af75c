#include "tpcc/postgres/population_rules.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "tpcc/postgres/row_rules.h"

namespace drover::tpcc::postgres {

namespace {

// Clause 4.3.2.3: a last name is made of three of these.
constexpr std::string_view any_last_name =
    "^((BAR)|(OUGHT)|(ABLE)|(PRI)|(PRES)|(ESE)|(ANTI)|(CALLY)|(ATION)|(EING)){3}$";

// Customers 1 to 1,000 have the last names of the numbers 0 to 999.
std::string last_name_of_first_thousand() {
  constexpr std::string_view syllables =
      "(ARRAY['BAR','OUGHT','ABLE','PRI','PRES','ESE','ANTI','CALLY','ATION','EING'])";
  return fmt::format(
      "c_last::text = {0}[(c_id::int - 1) / 100 + 1] || {0}[(c_id::int - 1) / 10 % 10 + 1] || "
      "{0}[(c_id::int - 1) % 10 + 1]",
      syllables);
}

constexpr std::string_view zip_pattern = "^[0-9]{4}11111$";

void append_address(std::vector<Domain>& domains, const std::string& prefix) {
  for (const char* column : {"street_1", "street_2", "city"})
    domains.push_back(string_length(prefix + column, 10, 20));
  domains.push_back(string_length(prefix + "state", 2, 2));
  domains.push_back(text_matches(prefix + "zip", zip_pattern, "4 digits and 11111"));
}

std::string item_columns() {
  constexpr std::string_view key[] = {"i_id"};
  const std::vector<Domain> domains = {
      number_between("i_im_id", "1", "10000"),
      string_length("i_name", 14, 24),
      money_between("i_price", "1.00", "100.00"),
      string_length("i_data", 26, 50),
  };
  return domain_offenders({.from = "item", .key = key, .where = "true", .domains = domains});
}

std::string warehouse_columns() {
  constexpr std::string_view key[] = {"w_id"};
  std::vector<Domain> domains = {
      string_length("w_name", 6, 10),
      fraction_between("w_tax", "0", "0.2"),
      money_is("w_ytd", "300000.00"),
  };
  append_address(domains, "w_");
  return domain_offenders({.from = "warehouse",
                           .key = key,
                           .where = "w_id BETWEEN $1::int4 AND $2::int4",
                           .domains = domains});
}

std::string district_columns() {
  constexpr std::string_view key[] = {"d_w_id", "d_id"};
  std::vector<Domain> domains = {
      string_length("d_name", 6, 10),
      fraction_between("d_tax", "0", "0.2"),
      money_is("d_ytd", "30000.00"),
      number_is("d_next_o_id", "3001"),
  };
  append_address(domains, "d_");
  return domain_offenders({.from = "district",
                           .key = key,
                           .where = "d_w_id BETWEEN $1::int4 AND $2::int4",
                           .domains = domains});
}

std::string stock_columns() {
  constexpr std::string_view key[] = {"s_w_id", "s_i_id"};
  std::vector<Domain> domains = {
      number_between("s_quantity", "10", "100"),
      number_is("s_ytd", "0"),
      number_is("s_order_cnt", "0"),
      number_is("s_remote_cnt", "0"),
      string_length("s_data", 26, 50),
  };
  for (int district = 1; district <= 10; ++district)
    domains.push_back(string_length(fmt::format("s_dist_{:02}", district), 24, 24));
  return domain_offenders({.from = "stock",
                           .key = key,
                           .where = "s_w_id BETWEEN $1::int4 AND $2::int4",
                           .domains = domains});
}

std::string customer_columns() {
  constexpr std::string_view key[] = {"c_w_id", "c_d_id", "c_id"};
  std::vector<Domain> domains = {
      string_length("c_first", 8, 16),
      text_is("c_middle", "OE"),
      {"c_last",
       fmt::format("CASE WHEN c_id BETWEEN 1 AND 1000 THEN {} ELSE c_last::text ~ '{}' END",
                   last_name_of_first_thousand(), any_last_name),
       "the name of number c_id - 1 where c_id <= 1000, else one of the 1,000 names"},
      text_matches("c_phone", "^[0-9]{16}$", "16 digits"),
      not_null("c_since"),
      text_matches("c_credit", "^(GC|BC)$", "GC or BC"),
      money_is("c_credit_lim", "50000.00"),
      fraction_between("c_discount", "0", "0.5"),
      money_is("c_balance", "-10.00"),
      money_is("c_ytd_payment", "10.00"),
      number_is("c_payment_cnt", "1"),
      number_is("c_delivery_cnt", "0"),
      string_length("c_data", 300, 500),
  };
  append_address(domains, "c_");
  return domain_offenders({.from = "customer",
                           .key = key,
                           .where = "c_w_id BETWEEN $1::int4 AND $2::int4",
                           .domains = domains});
}

std::string history_columns() {
  constexpr std::string_view key[] = {"h_c_w_id", "h_c_d_id", "h_c_id"};
  const std::vector<Domain> domains = {
      {"h_w_id", "h_w_id = h_c_w_id", "h_c_w_id"},
      {"h_d_id", "h_d_id = h_c_d_id", "h_c_d_id"},
      not_null("h_date"),
      money_is("h_amount", "10.00"),
      string_length("h_data", 12, 24),
  };
  return domain_offenders({.from = "history",
                           .key = key,
                           .where = "h_c_w_id BETWEEN $1::int4 AND $2::int4",
                           .domains = domains});
}

std::string oorder_columns() {
  constexpr std::string_view key[] = {"o_w_id", "o_d_id", "o_id"};
  const std::vector<Domain> domains = {
      not_null("o_entry_d"),
      {"o_carrier_id",
       "CASE WHEN o_id < 2101 THEN o_carrier_id BETWEEN 1 AND 10 ELSE o_carrier_id IS NULL END",
       "1..10 where o_id < 2101, else null"},
      number_between("o_ol_cnt", "5", "15"),
      // Some tools have a boolean here.
      {"o_all_local", "o_all_local::int = 1", "1"},
  };
  return domain_offenders({.from = "oorder",
                           .key = key,
                           .where = "o_w_id BETWEEN $1::int4 AND $2::int4",
                           .domains = domains});
}

std::string order_line_columns() {
  constexpr std::string_view key[] = {"ol_w_id", "ol_d_id", "ol_o_id", "ol_number"};
  const std::vector<Domain> domains = {
      {"ol_number", "ol_number BETWEEN 1 AND o_ol_cnt", "1..o_ol_cnt of its order"},
      number_between("ol_i_id", "1", "100000"),
      {"ol_supply_w_id", "ol_supply_w_id = ol_w_id", "ol_w_id"},
      {"ol_delivery_d",
       "CASE WHEN ol_o_id < 2101 THEN ol_delivery_d = o_entry_d ELSE ol_delivery_d IS NULL END",
       "o_entry_d of its order where ol_o_id < 2101, else null"},
      number_is("ol_quantity", "5"),
      {"ol_amount",
       "CASE WHEN ol_o_id < 2101 THEN @ol_amount@ = 0 ELSE @ol_amount@ BETWEEN 0.01 AND 9999.99 "
       "END",
       "0.00 where ol_o_id < 2101, else 0.01..9999.99"},
      string_length("ol_dist_info", 24, 24),
  };
  return domain_offenders(
      {.from = "order_line LEFT JOIN oorder ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND "
               "o_id = ol_o_id AND o_w_id BETWEEN $1::int4 AND $2::int4",
       .key = key,
       .where = "ol_w_id BETWEEN $1::int4 AND $2::int4",
       .domains = domains});
}

// Collects the rules of the catalogue; all of them come from clause 4.3.3.1.
class Rules {
 public:
  explicit Rules(Money money) : money_(money) {}

  void add(std::string name, std::string title, Span span, const std::string& body) {
    rules_.push_back({.number = 0,
                      .name = std::move(name),
                      .clause = "4.3.3.1",
                      .title = std::move(title),
                      .span = span,
                      .sql = offender_statement(body, money_)});
  }

  std::vector<Condition> take() { return std::move(rules_); }

 private:
  Money money_;
  std::vector<Condition> rules_;
};

void add_rows(Rules& rules) {
  rules.add("oorder.rows", "3,000 orders a district, 1 to 3,000", Span::range,
            exact_rows({.table = "oorder",
                        .warehouse = "o_w_id",
                        .district = "o_d_id",
                        .id = "o_id",
                        .last = 3000}));
  rules.add("oorder.customers", "o_c_id is a permutation of 1 to 3,000", Span::range,
            exact_rows({.table = "oorder",
                        .warehouse = "o_w_id",
                        .district = "o_d_id",
                        .id = "o_c_id",
                        .last = 3000}));
  rules.add("new_order.rows", "the last 900 orders are new: 2,101 to 3,000", Span::range,
            exact_rows({.table = "new_order",
                        .warehouse = "no_w_id",
                        .district = "no_d_id",
                        .id = "no_o_id",
                        .first = 2101,
                        .last = 3000}));
  rules.add("history.rows", "one row of history a customer", Span::wide_range,
            exact_rows({.table = "history",
                        .warehouse = "h_c_w_id",
                        .district = "h_c_d_id",
                        .id = "h_c_id",
                        .last = 3000}));
}

void add_columns(Rules& rules) {
  rules.add("item.columns", "columns of item", Span::once, item_columns());
  rules.add("warehouse.columns", "columns of warehouse", Span::range, warehouse_columns());
  rules.add("district.columns", "columns of district", Span::range, district_columns());
  rules.add("stock.columns", "columns of stock", Span::range, stock_columns());
  rules.add("customer.columns", "columns of customer", Span::range, customer_columns());
  rules.add("history.columns", "columns of history", Span::wide_range, history_columns());
  rules.add("oorder.columns", "columns of oorder", Span::range, oorder_columns());
  rules.add("order_line.columns", "columns of order_line, as its order says", Span::range,
            order_line_columns());
}

// A mean tells a column that is random over its whole domain from one that only stays inside it.
void add_means(Rules& rules) {
  struct Mean {
    Span span;
    Uniform uniform;
  };
  const Mean means[] = {
      {Span::once, {"item", "", "i_im_id", "true", 1, 10000, 1}},
      {Span::once, {"item", "", "i_price", "true", 1, 100, 0.01}},
      {Span::range, {"stock", "s_w_id", "s_quantity", "true", 10, 100, 1}},
      {Span::range, {"customer", "c_w_id", "c_discount", "true", 0, 0.5, 0.0001}},
      {Span::range, {"oorder", "o_w_id", "o_carrier_id", "o_id < 2101", 1, 10, 1}},
      {Span::range, {"oorder", "o_w_id", "o_ol_cnt", "true", 5, 15, 1}},
      {Span::range, {"order_line", "ol_w_id", "ol_i_id", "true", 1, 100000, 1}},
      {Span::range, {"order_line", "ol_w_id", "ol_amount", "ol_o_id >= 2101", 0.01, 9999.99, 0.01}},
  };
  for (const auto& [span, uniform] : means)
    rules.add(fmt::format("{}.mean", uniform.column),
              fmt::format("{} is uniform: its mean", uniform.column), span, uniform_mean(uniform));
}

void add_shares(Rules& rules) {
  rules.add("item.original", "10% of i_data with ORIGINAL", Span::once,
            tenth_share({.table = "item",
                         .warehouse = "",
                         .title = "ORIGINAL",
                         .property = "position('ORIGINAL' in i_data) > 0"}));
  rules.add("stock.original", "10% of s_data with ORIGINAL", Span::range,
            tenth_share({.table = "stock",
                         .warehouse = "s_w_id",
                         .title = "ORIGINAL",
                         .property = "position('ORIGINAL' in s_data) > 0"}));
  rules.add("customer.credit", "10% of c_credit BC", Span::range,
            tenth_share({.table = "customer",
                         .warehouse = "c_w_id",
                         .title = "BC",
                         .property = "c_credit = 'BC'"}));
}

}  // namespace

std::vector<Condition> population_rules(Money money) {
  Rules rules(money);
  add_rows(rules);
  add_columns(rules);
  add_shares(rules);
  add_means(rules);
  return rules.take();
}

}  // namespace drover::tpcc::postgres
