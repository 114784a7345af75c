#include "tpcc/postgres/value_rules.h"

#include <fmt/format.h>

#include <initializer_list>
#include <vector>

#include "tpcc/postgres/row_rules.h"

namespace drover::tpcc::postgres {

namespace {

void require_values(std::vector<Domain>& domains, std::string_view prefix,
                    std::initializer_list<std::string_view> columns) {
  for (const std::string_view column : columns)
    domains.push_back(not_null(fmt::format("{}{}", prefix, column)));
}

constexpr std::initializer_list<std::string_view> address = {"street_1", "street_2", "city",
                                                             "state", "zip"};

}  // namespace

std::string item_values() {
  constexpr std::string_view key[] = {"i_id"};
  std::vector<Domain> domains = {money_between("i_price", "1.00", "100.00")};
  require_values(domains, "i_", {"name", "data"});
  return domain_offenders({.from = "item", .key = key, .where = "true", .domains = domains});
}

std::string warehouse_values() {
  constexpr std::string_view key[] = {"w_id"};
  std::vector<Domain> domains = {fraction_between("w_tax", "0", "0.2")};
  require_values(domains, "w_", {"name", "ytd"});
  require_values(domains, "w_", address);
  return domain_offenders({.from = "warehouse",
                           .key = key,
                           .where = "w_id BETWEEN $1::int4 AND $2::int4",
                           .domains = domains});
}

std::string district_values() {
  constexpr std::string_view key[] = {"d_w_id", "d_id"};
  std::vector<Domain> domains = {
      fraction_between("d_tax", "0", "0.2"),
      {"d_next_o_id", "d_next_o_id >= 3001", "3001 or more"},
  };
  require_values(domains, "d_", {"name", "ytd"});
  require_values(domains, "d_", address);
  return domain_offenders({.from = "district",
                           .key = key,
                           .where = "d_w_id BETWEEN $1::int4 AND $2::int4",
                           .domains = domains});
}

// New-Order takes 1 to 10 pieces. It leaves at least 10, or fewer than 10 and adds 91: what began
// in [10..100] stays there.
std::string stock_values() {
  constexpr std::string_view key[] = {"s_w_id", "s_i_id"};
  std::vector<Domain> domains = {number_between("s_quantity", "10", "100")};
  require_values(domains, "s_", {"ytd", "order_cnt", "remote_cnt", "data"});
  for (int district = 1; district <= 10; ++district)
    domains.push_back(not_null(fmt::format("s_dist_{:02}", district)));
  return domain_offenders({.from = "stock",
                           .key = key,
                           .where = "s_w_id BETWEEN $1::int4 AND $2::int4",
                           .domains = domains});
}

std::string customer_values() {
  constexpr std::string_view key[] = {"c_w_id", "c_d_id", "c_id"};
  std::vector<Domain> domains = {
      text_matches("c_credit", "^(GC|BC)$", "GC or BC"),
      money_is("c_credit_lim", "50000.00"),
      fraction_between("c_discount", "0", "0.5"),
  };
  require_values(domains, "c_",
                 {"first", "middle", "last", "phone", "since", "balance", "ytd_payment",
                  "payment_cnt", "delivery_cnt", "data"});
  require_values(domains, "c_", address);
  return domain_offenders({.from = "customer",
                           .key = key,
                           .where = "c_w_id BETWEEN $1::int4 AND $2::int4",
                           .domains = domains});
}

// A row of the load has 10.00 and a random text, and so may a payment of 10.00: the text is judged
// where it can be told to be a payment's.
std::string history_values() {
  constexpr std::string_view key[] = {"h_c_w_id", "h_c_d_id", "h_c_id"};
  const std::vector<Domain> domains = {
      {"h_w_id", "w_id IS NOT NULL", "a warehouse that is there"},
      {"h_d_id", "d_id IS NOT NULL", "a district that is there"},
      not_null("h_date"),
      money_between("h_amount", "1.00", "5000.00"),
      {"h_data",
       "CASE WHEN @h_amount@ <> 10 THEN h_data::text = w_name::text || '    ' || d_name::text "
       "ELSE h_data IS NOT NULL END",
       "w_name, 4 spaces and d_name where h_amount <> 10.00"},
  };
  return domain_offenders({.from = "history LEFT JOIN warehouse ON w_id = h_w_id "
                                   "LEFT JOIN district ON d_w_id = h_w_id AND d_id = h_d_id",
                           .key = key,
                           .where = "h_c_w_id BETWEEN $1::int4 AND $2::int4",
                           .domains = domains});
}

std::string oorder_values() {
  constexpr std::string_view key[] = {"o_w_id", "o_d_id", "o_id"};
  const std::vector<Domain> domains = {
      number_between("o_c_id", "1", "3000"),
      not_null("o_entry_d"),
      {"o_carrier_id", "o_carrier_id IS NULL OR o_carrier_id BETWEEN 1 AND 10", "null or 1..10"},
      number_between("o_ol_cnt", "5", "15"),
      // Some tools have a boolean here.
      {"o_all_local", "o_all_local::int IN (0, 1)", "0 or 1"},
  };
  return domain_offenders({.from = "oorder",
                           .key = key,
                           .where = "o_w_id BETWEEN $1::int4 AND $2::int4",
                           .domains = domains});
}

// Lines of orders up to 3,000 are the load's and stay as they came, save for their delivery. That
// item and stock have a row for each of these numbers is what item.rows and stock.rows say.
std::string order_line_values() {
  constexpr std::string_view key[] = {"ol_w_id", "ol_d_id", "ol_o_id", "ol_number"};
  const std::vector<Domain> domains = {
      number_between("ol_i_id", "1", "100000"),
      {"ol_supply_w_id",
       "CASE WHEN ol_o_id > 3000 THEN ol_supply_w_id BETWEEN 1 AND (SELECT max(w_id) FROM "
       "warehouse) ELSE ol_supply_w_id = ol_w_id END",
       "a warehouse that is there; ol_w_id where ol_o_id <= 3000"},
      {"ol_quantity",
       "CASE WHEN ol_o_id > 3000 THEN ol_quantity BETWEEN 1 AND 10 ELSE ol_quantity = 5 END",
       "1..10; 5 where ol_o_id <= 3000"},
      {"ol_amount",
       "CASE WHEN ol_o_id > 3000 THEN ol_amount IS NOT NULL WHEN ol_o_id > 2100 THEN @ol_amount@ "
       "BETWEEN 0.01 AND 9999.99 ELSE @ol_amount@ = 0 END",
       "not null; 0.01..9999.99 where ol_o_id <= 3000; 0.00 where ol_o_id <= 2100"},
      not_null("ol_dist_info"),
  };
  return domain_offenders({.from = "order_line",
                           .key = key,
                           .where = "ol_w_id BETWEEN $1::int4 AND $2::int4",
                           .domains = domains});
}

}  // namespace drover::tpcc::postgres
