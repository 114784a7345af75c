// The twelve conditions of clause 3.3.2.
#include <string>

#include "workload/tpcc/ydb/check/conditions.h"

// SUM passes over NULL, which would count as zero: IF(COUNT(*) = COUNT(x), SUM(x)) is NULL then,
// and that is never equal to an amount.

namespace drover::tpcc::ydb {

namespace {

// What was delivered to each customer. Orders that wait for delivery have a row, too, so that an
// order of a customer who does not exist is found before it is delivered.
constexpr std::string_view delivered_orders = R"($zero = Decimal("0", 35, 9);
$lines = (
    SELECT ol_w_id, ol_d_id, ol_o_id, SUM(ol_amount) AS amount,
           COUNT_IF(ol_amount IS NULL) AS nulls
    FROM order_line
    WHERE ol_w_id BETWEEN $first AND $last AND ol_delivery_d IS NOT NULL
    GROUP BY ol_w_id, ol_d_id, ol_o_id);
$delivered = (
    SELECT o.o_w_id AS w_id, o.o_d_id AS d_id, o.o_c_id AS c_id,
           COALESCE(l.amount, $zero) AS delivered, COALESCE(l.nulls, 0ul) AS nulls
    FROM (SELECT o_w_id, o_d_id, o_id, o_c_id FROM oorder
          WHERE o_w_id BETWEEN $first AND $last) AS o
    LEFT JOIN $lines AS l
    ON l.ol_w_id = o.o_w_id AND l.ol_d_id = o.o_d_id AND l.ol_o_id = o.o_id);
)";

constexpr OffenderCondition twelve[] = {
    {"1", warehouse_key, "w_ytd = sum(d_ytd) = {d_ytd:money|null, or no district}",
     "{w_ytd:money|null, or no such warehouse}",
     R"($parts = (
    SELECT w_id, CAST(NULL AS Decimal(35,9)) AS w_ytd, CAST(NULL AS Decimal(35,9)) AS d_ytd
    FROM AS_TABLE($due_warehouses)
    UNION ALL
    SELECT w_id, CAST(w_ytd AS Decimal(35,9)) AS w_ytd, CAST(NULL AS Decimal(35,9)) AS d_ytd
    FROM warehouse WHERE w_id BETWEEN $first AND $last
    UNION ALL
    SELECT d_w_id AS w_id, CAST(NULL AS Decimal(35,9)) AS w_ytd,
           IF(COUNT(*) = COUNT(d_ytd), SUM(d_ytd)) AS d_ytd
    FROM district WHERE d_w_id BETWEEN $first AND $last GROUP BY d_w_id);
$each = (SELECT w_id, MAX(w_ytd) AS w_ytd, MAX(d_ytd) AS d_ytd FROM $parts GROUP BY w_id);
$judged = (SELECT * FROM $each WHERE COALESCE(w_ytd <> d_ytd, true));)"},
    {"2", district_key, "d_next_o_id - 1 = {due|null, or no district}",
     "max(o_id) = {orders|none}, max(no_o_id) = {new_orders|none}",
     R"($parts = (
    SELECT w_id, d_id, CAST(NULL AS Int32) AS due, CAST(NULL AS Int32) AS orders,
           CAST(NULL AS Int32) AS new_orders
    FROM AS_TABLE($due_districts)
    UNION ALL
    SELECT d_w_id AS w_id, d_id, d_next_o_id - 1 AS due, CAST(NULL AS Int32) AS orders,
           CAST(NULL AS Int32) AS new_orders
    FROM district WHERE d_w_id BETWEEN $first AND $last
    UNION ALL
    SELECT o_w_id AS w_id, o_d_id AS d_id, CAST(NULL AS Int32) AS due, MAX(o_id) AS orders,
           CAST(NULL AS Int32) AS new_orders
    FROM oorder WHERE o_w_id BETWEEN $first AND $last GROUP BY o_w_id, o_d_id
    UNION ALL
    SELECT no_w_id AS w_id, no_d_id AS d_id, CAST(NULL AS Int32) AS due,
           CAST(NULL AS Int32) AS orders, MAX(no_o_id) AS new_orders
    FROM new_order WHERE no_w_id BETWEEN $first AND $last GROUP BY no_w_id, no_d_id);
$each = (
    SELECT w_id, d_id, MAX(due) AS due, MAX(orders) AS orders, MAX(new_orders) AS new_orders
    FROM $parts GROUP BY w_id, d_id);
$judged = (
    SELECT * FROM $each
    WHERE COALESCE(orders <> due, true) OR COALESCE(new_orders <> due, false));)"},
    {"3", district_key, "max(no_o_id) - min(no_o_id) + 1 = {due} rows", "{present} rows",
     R"($each = (
    SELECT no_w_id AS w_id, no_d_id AS d_id, MAX(no_o_id) - MIN(no_o_id) + 1 AS due,
           COUNT(*) AS present
    FROM new_order WHERE no_w_id BETWEEN $first AND $last GROUP BY no_w_id, no_d_id);
$judged = (SELECT * FROM $each WHERE due <> present);)"},
    {"4", district_key, "sum(o_ol_cnt) = {due|null, or no order}", "{present} rows of order_line",
     R"($parts = (
    SELECT w_id, d_id, CAST(NULL AS Int64) AS due, 0ul AS present FROM AS_TABLE($due_districts)
    UNION ALL
    SELECT o_w_id AS w_id, o_d_id AS d_id, IF(COUNT(*) = COUNT(o_ol_cnt), SUM(o_ol_cnt)) AS due,
           0ul AS present
    FROM oorder WHERE o_w_id BETWEEN $first AND $last GROUP BY o_w_id, o_d_id
    UNION ALL
    SELECT ol_w_id AS w_id, ol_d_id AS d_id, CAST(NULL AS Int64) AS due, COUNT(*) AS present
    FROM order_line WHERE ol_w_id BETWEEN $first AND $last GROUP BY ol_w_id, ol_d_id);
$each = (
    SELECT w_id, d_id, MAX(due) AS due, SUM(present) AS present FROM $parts GROUP BY w_id, d_id);
$judged = (SELECT * FROM $each WHERE COALESCE(due <> present, true));)"},
    {"5", order_key, "{due:text}", "{name:text} = {o_carrier_id}",
     R"($each = (
    SELECT COALESCE(o.o_w_id, n.no_w_id) AS w_id, COALESCE(o.o_d_id, n.no_d_id) AS d_id,
           COALESCE(o.o_id, n.no_o_id) AS o_id, o.o_carrier_id AS o_carrier_id,
           o.o_w_id IS NOT NULL AS present, n.no_w_id IS NOT NULL AS is_new
    FROM (SELECT o_w_id, o_d_id, o_id, o_carrier_id FROM oorder
          WHERE o_w_id BETWEEN $first AND $last) AS o
    FULL JOIN (SELECT no_w_id, no_d_id, no_o_id FROM new_order
               WHERE no_w_id BETWEEN $first AND $last) AS n
    ON n.no_w_id = o.o_w_id AND n.no_d_id = o.o_d_id AND n.no_o_id = o.o_id);
$judged = (
    SELECT w_id, d_id, o_id, o_carrier_id,
           CASE WHEN NOT present THEN "a row of oorder for the row of new_order"u
                WHEN is_new THEN "o_carrier_id null, as there is a row of new_order"u
                ELSE "o_carrier_id set, as there is no row of new_order"u END AS due,
           IF(present, "o_carrier_id"u, "no such order, o_carrier_id"u) AS name
    FROM $each WHERE NOT present OR (o_carrier_id IS NULL) <> is_new);)"},
    {"6", order_key, "{name:text} = {o_ol_cnt}", "{lines} rows of order_line",
     R"($each = (
    SELECT COALESCE(o.o_w_id, l.ol_w_id) AS w_id, COALESCE(o.o_d_id, l.ol_d_id) AS d_id,
           COALESCE(o.o_id, l.ol_o_id) AS o_id, o.o_ol_cnt AS o_ol_cnt,
           COALESCE(l.lines, 0ul) AS lines, o.o_w_id IS NOT NULL AS present
    FROM (SELECT o_w_id, o_d_id, o_id, o_ol_cnt FROM oorder
          WHERE o_w_id BETWEEN $first AND $last) AS o
    FULL JOIN (SELECT ol_w_id, ol_d_id, ol_o_id, COUNT(*) AS lines FROM order_line
               WHERE ol_w_id BETWEEN $first AND $last GROUP BY ol_w_id, ol_d_id, ol_o_id) AS l
    ON l.ol_w_id = o.o_w_id AND l.ol_d_id = o.o_d_id AND l.ol_o_id = o.o_id);
$judged = (
    SELECT w_id, d_id, o_id, o_ol_cnt, lines,
           IF(present, "o_ol_cnt"u, "no row of oorder for the lines, o_ol_cnt"u) AS name
    FROM $each WHERE COALESCE(o_ol_cnt <> lines, true));)"},
    // The clause speaks of each line of order_line: a count for each order would let one line with a
    // date hide among nine without.
    {"7", line_key, "{due:text}, as o_carrier_id = {o_carrier_id}",
     "ol_delivery_d = {ol_delivery_d:time}",
     R"($each = (
    SELECT l.ol_w_id AS w_id, l.ol_d_id AS d_id, l.ol_o_id AS o_id, l.ol_number AS ol_number,
           l.ol_delivery_d AS ol_delivery_d, o.o_carrier_id AS o_carrier_id,
           o.o_id IS NOT NULL AS present
    FROM (SELECT ol_w_id, ol_d_id, ol_o_id, ol_number, ol_delivery_d FROM order_line
          WHERE ol_w_id BETWEEN $first AND $last) AS l
    LEFT JOIN (SELECT o_w_id, o_d_id, o_id, o_carrier_id FROM oorder
               WHERE o_w_id BETWEEN $first AND $last) AS o
    ON o.o_w_id = l.ol_w_id AND o.o_d_id = l.ol_d_id AND o.o_id = l.ol_o_id);
$judged = (
    SELECT w_id, d_id, o_id, ol_number, ol_delivery_d, o_carrier_id,
           CASE WHEN NOT present THEN "a row of oorder for the line"u
                WHEN o_carrier_id IS NULL THEN "ol_delivery_d null"u
                ELSE "ol_delivery_d set"u END AS due
    FROM $each WHERE NOT present OR (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL));)"},
    {"8", warehouse_key, "w_ytd = sum(h_amount) = {paid:money|null, or no history}",
     "{ytd:money|null, or no such warehouse}",
     R"($parts = (
    SELECT w_id, CAST(NULL AS Decimal(35,9)) AS ytd, CAST(NULL AS Decimal(35,9)) AS paid
    FROM AS_TABLE($due_warehouses)
    UNION ALL
    SELECT w_id, CAST(w_ytd AS Decimal(35,9)) AS ytd, CAST(NULL AS Decimal(35,9)) AS paid
    FROM warehouse WHERE w_id BETWEEN $first AND $last
    UNION ALL
    SELECT h_w_id AS w_id, CAST(NULL AS Decimal(35,9)) AS ytd,
           IF(COUNT(*) = COUNT(h_amount), SUM(h_amount)) AS paid
    FROM history WHERE h_w_id BETWEEN $first AND $last GROUP BY h_w_id);
$each = (SELECT w_id, MAX(ytd) AS ytd, MAX(paid) AS paid FROM $parts GROUP BY w_id);
$judged = (SELECT * FROM $each WHERE COALESCE(ytd <> paid, true));)"},
    {"9", district_key, "d_ytd = sum(h_amount) = {paid:money|null, or no history}",
     "{ytd:money|null, or no such district}",
     R"($parts = (
    SELECT w_id, d_id, CAST(NULL AS Decimal(35,9)) AS ytd, CAST(NULL AS Decimal(35,9)) AS paid
    FROM AS_TABLE($due_districts)
    UNION ALL
    SELECT d_w_id AS w_id, d_id, CAST(d_ytd AS Decimal(35,9)) AS ytd,
           CAST(NULL AS Decimal(35,9)) AS paid
    FROM district WHERE d_w_id BETWEEN $first AND $last
    UNION ALL
    SELECT h_w_id AS w_id, h_d_id AS d_id, CAST(NULL AS Decimal(35,9)) AS ytd,
           IF(COUNT(*) = COUNT(h_amount), SUM(h_amount)) AS paid
    FROM history WHERE h_w_id BETWEEN $first AND $last GROUP BY h_w_id, h_d_id);
$each = (
    SELECT w_id, d_id, MAX(ytd) AS ytd, MAX(paid) AS paid FROM $parts GROUP BY w_id, d_id);
$judged = (SELECT * FROM $each WHERE COALESCE(ytd <> paid, true));)"},
    {"10", customer_key,
     "c_balance = delivered {delivered:money} - paid {paid:money} = "
     "{due:money|null, as an amount is}",
     "{name:text}{balance:money}",
     R"($parts = (
    SELECT c_w_id AS w_id, c_d_id AS d_id, c_id, 1 AS present,
           CAST(c_balance AS Decimal(35,9)) AS balance, $zero AS delivered, $zero AS paid,
           0ul AS nulls
    FROM customer WHERE c_w_id BETWEEN $first AND $last
    UNION ALL
    SELECT w_id, d_id, c_id, 0 AS present, CAST(NULL AS Decimal(35,9)) AS balance, delivered,
           $zero AS paid, nulls
    FROM $delivered
    UNION ALL
    SELECT h_c_w_id AS w_id, h_c_d_id AS d_id, h_c_id AS c_id, 0 AS present,
           CAST(NULL AS Decimal(35,9)) AS balance, $zero AS delivered,
           COALESCE(CAST(h_amount AS Decimal(35,9)), $zero) AS paid,
           IF(h_amount IS NULL, 1ul, 0ul) AS nulls
    FROM history WHERE h_c_w_id BETWEEN $first AND $last);
$each = (
    SELECT w_id, d_id, c_id, MAX(present) AS present, MAX(balance) AS balance,
           SUM(delivered) AS delivered, SUM(paid) AS paid, SUM(nulls) AS nulls
    FROM $parts GROUP BY w_id, d_id, c_id);
$judged = (
    SELECT w_id, d_id, c_id, balance, delivered, paid, IF(nulls = 0, delivered - paid) AS due,
           IF(present = 1, ""u, "no such customer: "u) AS name
    FROM $each WHERE nulls > 0 OR COALESCE(balance <> delivered - paid, true));)"},
    {"11", district_key, "count(oorder) - count(new_order) = 2100", "{orders} - {new_orders}",
     R"($parts = (
    SELECT w_id, d_id, 0ul AS orders, 0ul AS new_orders FROM AS_TABLE($due_districts)
    UNION ALL
    SELECT o_w_id AS w_id, o_d_id AS d_id, COUNT(*) AS orders, 0ul AS new_orders
    FROM oorder WHERE o_w_id BETWEEN $first AND $last GROUP BY o_w_id, o_d_id
    UNION ALL
    SELECT no_w_id AS w_id, no_d_id AS d_id, 0ul AS orders, COUNT(*) AS new_orders
    FROM new_order WHERE no_w_id BETWEEN $first AND $last GROUP BY no_w_id, no_d_id);
$each = (
    SELECT w_id, d_id, SUM(orders) AS orders, SUM(new_orders) AS new_orders
    FROM $parts GROUP BY w_id, d_id);
$judged = (SELECT * FROM $each WHERE orders <> new_orders + 2100ul);)"},
    {"12", customer_key, "c_balance + c_ytd_payment = delivered {due:money|null, as an amount is}",
     "{name:text}{balance:money} + {ytd_payment:money} = {total:money}",
     R"($parts = (
    SELECT c_w_id AS w_id, c_d_id AS d_id, c_id, 1 AS present,
           CAST(c_balance AS Decimal(35,9)) AS balance,
           CAST(c_ytd_payment AS Decimal(35,9)) AS ytd_payment, $zero AS delivered, 0ul AS nulls
    FROM customer WHERE c_w_id BETWEEN $first AND $last
    UNION ALL
    SELECT w_id, d_id, c_id, 0 AS present, CAST(NULL AS Decimal(35,9)) AS balance,
           CAST(NULL AS Decimal(35,9)) AS ytd_payment, delivered, nulls
    FROM $delivered);
$each = (
    SELECT w_id, d_id, c_id, MAX(present) AS present, MAX(balance) AS balance,
           MAX(ytd_payment) AS ytd_payment, SUM(delivered) AS delivered, SUM(nulls) AS nulls
    FROM $parts GROUP BY w_id, d_id, c_id);
$judged = (
    SELECT w_id, d_id, c_id, balance, ytd_payment, IF(nulls = 0, delivered) AS due,
           balance + ytd_payment AS total, IF(present = 1, ""u, "no such customer: "u) AS name
    FROM $each WHERE nulls > 0 OR COALESCE(balance + ytd_payment <> delivered, true));)"},
};

}  // namespace

std::vector<YqlCondition> consistency_conditions() {
  std::vector<YqlCondition> all;
  for (const OffenderCondition& one : twelve) {
    all.push_back(yql_condition(one));
    const bool of_deliveries = one.sql.find("$delivered") != one.sql.npos;
    if (of_deliveries) all.back().sql.insert(0, delivered_orders);
  }
  return all;
}

}  // namespace drover::tpcc::ydb
