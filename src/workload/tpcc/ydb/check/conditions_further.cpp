// The conditions beyond the twelve: what the transactions of clause 2 and the cardinalities of
// clause 1.2.1 imply for data at any moment, and the twelve do not say.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "workload/tpcc/check/catalogue.h"
#include "workload/tpcc/ydb/check/conditions.h"

namespace drover::tpcc::ydb {

namespace {

// Beyond the ends of the keys: only h_w_id, which is in no key, costs a pass over its table.
YqlCondition rows_outside() {
  std::string tables;
  int place = 0;
  for (const auto& [table, column] : columns_of_warehouses) {
    const std::string null =
        column == "h_w_id" ? fmt::format(" OR {} IS NULL", column) : std::string();
    tables += fmt::format(R"({}
    SELECT {} AS place, "{}.{}"u AS name, COUNT(*) AS outside, MIN({}) AS lowest,
           MAX({}) AS highest, $newest AS newest
    FROM {} WHERE {} < 1 OR {} > $newest{})",
                          place == 0 ? "" : "\n    UNION ALL", place, table, column, column, column,
                          table, column, column, null);
    ++place;
  }
  return {condition_named("rows.outside"),
          fmt::format("$newest = (SELECT COALESCE(MAX(w_id), 0) AS newest FROM warehouse);\n"
                      "$each = ({});\n$judged = (SELECT * FROM $each WHERE outside > 0);",
                      tables),
          "place",
          "{name:text}",
          {{.expected = "1..{newest}, the warehouses that there are",
            .found = "{outside} rows of {lowest}..{highest}"}}};
}

YqlCondition all_items() {
  constexpr std::string_view sql = R"($each = (
    SELECT COUNT(*) AS present, MIN(i_id) AS lowest, MAX(i_id) AS highest FROM item);
$judged = (
    SELECT * FROM $each
    WHERE present <> 100000 OR COALESCE(lowest <> 1 OR highest <> 100000, true));)";
  return {condition_named("item.rows"),
          std::string(sql),
          "present",
          "item",
          {{.expected = "100000 rows, i_id 1..100000",
            .found = "{present} rows, {lowest|none}..{highest|none}"}}};
}

// Two judgements of each order by one pass over the lines. A number is there once: it is in the
// key.
YqlCondition lines_of_orders() {
  constexpr std::string_view sql = R"($lines = (
    SELECT ol_w_id, ol_d_id, ol_o_id, COUNT(*) AS lines, MIN(ol_number) AS lowest,
           MAX(ol_number) AS highest,
           IF(COUNT_IF(COALESCE(ol_supply_w_id <> ol_w_id, true)) = 0, 1, 0) AS local
    FROM order_line WHERE ol_w_id BETWEEN $first AND $last GROUP BY ol_w_id, ol_d_id, ol_o_id);
$judged = (
    SELECT o.o_w_id AS w_id, o.o_d_id AS d_id, o.o_id AS o_id, o.o_ol_cnt AS o_ol_cnt,
           o.o_all_local AS o_all_local, COALESCE(l.lines, 0ul) AS lines, l.lowest AS lowest,
           l.highest AS highest, l.local AS local,
           COALESCE(l.lines = o.o_ol_cnt AND l.lowest = 1 AND l.highest = o.o_ol_cnt, false)
               AS complete,
           COALESCE(l.local = o.o_all_local, false) AS says_local
    FROM (SELECT o_w_id, o_d_id, o_id, o_ol_cnt, o_all_local FROM oorder
          WHERE o_w_id BETWEEN $first AND $last) AS o
    LEFT JOIN $lines AS l
    ON l.ol_w_id = o.o_w_id AND l.ol_d_id = o.o_d_id AND l.ol_o_id = o.o_id);)";
  return {condition_named("order.lines"),
          std::string(sql),
          order_of(order_key),
          key_of(order_key),
          {{.column = "ol_number",
            .holds = "complete",
            .expected = "1..{o_ol_cnt}, as o_ol_cnt says",
            .found = "{lines} rows, {lowest|none}..{highest|none}"},
           {.column = "o_all_local",
            .holds = "says_local",
            .expected = "{local|a line}, as ol_supply_w_id says",
            .found = "{o_all_local}"}}};
}

YqlCondition dist_info_of_lines() {
  std::string dist = "CASE l.ol_d_id";
  for (int district = 1; district <= 10; ++district)
    dist += fmt::format(" WHEN {0} THEN s.s_dist_{0:02}", district);
  dist += " ELSE NULL END";
  const std::string sql = fmt::format(R"($each = (
    SELECT l.ol_w_id AS w_id, l.ol_d_id AS d_id, l.ol_o_id AS o_id, l.ol_number AS ol_number,
           l.ol_supply_w_id AS ol_supply_w_id, l.ol_i_id AS ol_i_id,
           l.ol_dist_info AS ol_dist_info, {} AS dist
    FROM (SELECT ol_w_id, ol_d_id, ol_o_id, ol_number, ol_supply_w_id, ol_i_id, ol_dist_info
          FROM order_line WHERE ol_w_id BETWEEN $first AND $last AND ol_o_id > 3000) AS l
    LEFT JOIN stock AS s ON s.s_w_id = l.ol_supply_w_id AND s.s_i_id = l.ol_i_id);
$judged = (SELECT * FROM $each WHERE COALESCE(ol_dist_info <> dist, true));)",
                                      dist);
  return yql_condition({"order_line.dist_info", line_key,
                        "s_dist of s_w_id={ol_supply_w_id} s_i_id={ol_i_id}: "
                        "{dist:text|no such row}",
                        "{ol_dist_info:text}", sql});
}

// The customer's payments: one of 10.00 in the own district comes with the load (clause 4.3.3.1),
// each Payment adds one. A row of history without its customer is condition 10's.
YqlCondition payments_of_customers() {
  constexpr std::string_view sql = R"($zero = Decimal("0", 35, 9);
$paid = (
    SELECT h_c_w_id, h_c_d_id, h_c_id, COUNT(*) AS payments,
           IF(COUNT(*) = COUNT(h_amount), SUM(h_amount)) AS paid,
           COUNT_IF(h_amount = Decimal("10", 22, 9) AND h_w_id = h_c_w_id AND h_d_id = h_c_d_id)
               AS of_load
    FROM history WHERE h_c_w_id BETWEEN $first AND $last GROUP BY h_c_w_id, h_c_d_id, h_c_id);
$each = (
    SELECT c.c_w_id AS w_id, c.c_d_id AS d_id, c.c_id AS c_id, c.c_payment_cnt AS c_payment_cnt,
           CAST(c.c_ytd_payment AS Decimal(35,9)) AS c_ytd_payment,
           COALESCE(h.payments, 0ul) AS payments, IF(h.payments IS NULL, $zero, h.paid) AS paid,
           COALESCE(h.of_load, 0ul) AS of_load
    FROM (SELECT c_w_id, c_d_id, c_id, c_payment_cnt, c_ytd_payment FROM customer
          WHERE c_w_id BETWEEN $first AND $last) AS c
    LEFT JOIN $paid AS h
    ON h.h_c_w_id = c.c_w_id AND h.h_c_d_id = c.c_d_id AND h.h_c_id = c.c_id);
$judged = (
    SELECT w_id, d_id, c_id, c_payment_cnt, c_ytd_payment, payments, paid,
           COALESCE(c_payment_cnt = payments, false) AS counted,
           COALESCE(c_ytd_payment = paid, false) AS summed, of_load > 0 AS loaded
    FROM $each);)";
  return {condition_named("customer.payments"),
          std::string(sql),
          order_of(customer_key),
          key_of(customer_key),
          {{.column = "c_payment_cnt",
            .holds = "counted",
            .expected = "{payments}, the rows of history",
            .found = "{c_payment_cnt}"},
           {.column = "c_ytd_payment",
            .holds = "summed",
            .expected = "sum(h_amount) = {paid:money}",
            .found = "{c_ytd_payment:money}"},
           {.column = "history",
            .holds = "loaded",
            .expected = "a payment of 10.00 in the own district, from the load",
            .found = "none"}}};
}

constexpr std::string_view stock_key[] = {"w_id", "i_id"};

constexpr OffenderCondition further[] = {
    {"warehouse.rows", warehouse_key, "1 row of warehouse", "none",
     R"($judged = (
    SELECT due.w_id AS w_id FROM AS_TABLE($due_warehouses) AS due
    LEFT ONLY JOIN (SELECT w_id FROM warehouse WHERE w_id BETWEEN $first AND $last) AS present
    ON present.w_id = due.w_id);)"},
    {"district.rows", district_key, "{due} rows of district", "{present}",
     R"($parts = (
    SELECT w_id, d_id, 1 AS due, 0 AS present FROM AS_TABLE($due_districts)
    UNION ALL
    SELECT d_w_id AS w_id, d_id, 0 AS due, 1 AS present FROM district
    WHERE d_w_id BETWEEN $first AND $last);
$each = (
    SELECT w_id, d_id, SUM(due) AS due, SUM(present) AS present FROM $parts GROUP BY w_id, d_id);
$judged = (SELECT * FROM $each WHERE due <> present);)"},
    // A gap is an offence of its district. A district that is not there is condition 2's.
    {"oorder.keys", district_key, "{newest} rows, o_id 1..{newest}, as d_next_o_id says",
     "{orders} rows, {lowest|none}..{highest|none}",
     R"($parts = (
    SELECT d_w_id AS w_id, d_id, d_next_o_id - 1 AS newest, 0ul AS orders,
           CAST(NULL AS Int32) AS lowest, CAST(NULL AS Int32) AS highest
    FROM district WHERE d_w_id BETWEEN $first AND $last
    UNION ALL
    SELECT o_w_id AS w_id, o_d_id AS d_id, CAST(NULL AS Int32) AS newest, COUNT(*) AS orders,
           MIN(o_id) AS lowest, MAX(o_id) AS highest
    FROM oorder WHERE o_w_id BETWEEN $first AND $last GROUP BY o_w_id, o_d_id);
$each = (
    SELECT w_id, d_id, MAX(newest) AS newest, SUM(orders) AS orders, MIN(lowest) AS lowest,
           MAX(highest) AS highest
    FROM $parts GROUP BY w_id, d_id);
$judged = (
    SELECT * FROM $each
    WHERE newest IS NOT NULL
          AND NOT COALESCE(orders = newest AND lowest = 1 AND highest = newest, false));)"},
    // Orders 1 to 3,000 come from the load and have random amounts.
    {"order_line.amount", line_key, "ol_amount = {ol_quantity} x {i_price:money|no such item}",
     "{ol_amount:money}",
     R"($each = (
    SELECT l.ol_w_id AS w_id, l.ol_d_id AS d_id, l.ol_o_id AS o_id, l.ol_number AS ol_number,
           l.ol_quantity AS ol_quantity, l.ol_amount AS ol_amount, i.i_price AS i_price
    FROM (SELECT ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_quantity, ol_amount
          FROM order_line WHERE ol_w_id BETWEEN $first AND $last AND ol_o_id > 3000) AS l
    LEFT JOIN item AS i ON i.i_id = l.ol_i_id);
$judged = (SELECT * FROM $each WHERE COALESCE(ol_amount <> i_price * ol_quantity, true));)"},
    // By the warehouse that supplied, which is in no key: each range is a pass over order_line.
    {"stock.counters", stock_key, "s_ytd = {ytd}, s_order_cnt = {orders}, s_remote_cnt = {remote}",
     "{name:text}{s_ytd}, {s_order_cnt}, {s_remote_cnt}",
     R"($parts = (
    SELECT s_w_id AS w_id, s_i_id AS i_id, s_ytd, s_order_cnt, s_remote_cnt, 1 AS present,
           0l AS ytd, 0ul AS orders, 0ul AS remote, 0ul AS nulls
    FROM stock WHERE s_w_id BETWEEN $first AND $last
    UNION ALL
    SELECT ol_supply_w_id AS w_id, ol_i_id AS i_id, CAST(NULL AS Int64) AS s_ytd,
           CAST(NULL AS Int32) AS s_order_cnt, CAST(NULL AS Int32) AS s_remote_cnt, 0 AS present,
           COALESCE(SUM(ol_quantity), 0l) AS ytd, COUNT(*) AS orders,
           COUNT_IF(ol_supply_w_id <> ol_w_id) AS remote, COUNT_IF(ol_quantity IS NULL) AS nulls
    FROM order_line WHERE ol_supply_w_id BETWEEN $first AND $last AND ol_o_id > 3000
    GROUP BY ol_supply_w_id, ol_i_id);
$each = (
    SELECT w_id, i_id, MAX(s_ytd) AS s_ytd, MAX(s_order_cnt) AS s_order_cnt,
           MAX(s_remote_cnt) AS s_remote_cnt, MAX(present) AS present, SUM(ytd) AS ytd,
           SUM(orders) AS orders, SUM(remote) AS remote, SUM(nulls) AS nulls
    FROM $parts GROUP BY w_id, i_id);
$judged = (
    SELECT w_id, i_id, s_ytd, s_order_cnt, s_remote_cnt, IF(nulls = 0, ytd) AS ytd, orders, remote,
           IF(present = 1, ""u, "no such stock: "u) AS name
    FROM $each
    WHERE nulls > 0 OR NOT COALESCE(s_ytd = ytd AND s_order_cnt = orders AND s_remote_cnt = remote,
                                    false));)"},
    // Clause 2.5.2.2 puts c_id, c_d_id and c_w_id of a payment, and more, before the c_data of a
    // customer with bad credit. Texts of the load have no blanks.
    {"customer.data", customer_key, "{due:text}", "c_data = {data:text}...",
     R"($each = (
    SELECT c_w_id AS w_id, c_d_id AS d_id, c_id, Unicode::Substring(c_data, 0ul, 40ul) AS data,
           COALESCE(c_credit = "BC"u AND c_payment_cnt > 1, false) AS paid,
           COALESCE(StartsWith(c_data, CAST(c_id AS Utf8) || " "u || CAST(c_d_id AS Utf8) || " "u
                                           || CAST(c_w_id AS Utf8) || " "u), false) AS written
    FROM customer WHERE c_w_id BETWEEN $first AND $last);
$judged = (
    SELECT w_id, d_id, c_id, data,
           IF(paid, "c_id c_d_id c_w_id of a payment first, as c_credit = BC"u,
              "the text of the load, as no payment is written there"u) AS due
    FROM $each WHERE paid <> written);)"},
    // Orders up to 2,100 were delivered by the load, which counted none of them.
    {"customer.deliveries", customer_key,
     "c_delivery_cnt = {orders}, the orders delivered since the load", "{c_delivery_cnt}",
     R"($delivered = (
    SELECT o_w_id, o_d_id, o_c_id, COUNT(*) AS orders FROM oorder
    WHERE o_w_id BETWEEN $first AND $last AND o_id > 2100 AND o_carrier_id IS NOT NULL
    GROUP BY o_w_id, o_d_id, o_c_id);
$each = (
    SELECT c.c_w_id AS w_id, c.c_d_id AS d_id, c.c_id AS c_id, c.c_delivery_cnt AS c_delivery_cnt,
           COALESCE(o.orders, 0ul) AS orders
    FROM (SELECT c_w_id, c_d_id, c_id, c_delivery_cnt FROM customer
          WHERE c_w_id BETWEEN $first AND $last) AS c
    LEFT JOIN $delivered AS o
    ON o.o_w_id = c.c_w_id AND o.o_d_id = c.c_d_id AND o.o_c_id = c.c_id);
$judged = (SELECT * FROM $each WHERE COALESCE(c_delivery_cnt <> orders, true));)"},
};

}  // namespace

std::vector<YqlCondition> further_conditions() {
  std::vector<YqlCondition> all = {rows_outside(), all_items(), lines_of_orders(),
                                   dist_info_of_lines(), payments_of_customers()};
  for (const OffenderCondition& one : further) all.push_back(yql_condition(one));
  return all;
}

}  // namespace drover::tpcc::ydb
