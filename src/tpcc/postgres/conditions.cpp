#include "tpcc/postgres/conditions.h"

#include <fmt/format.h>

#include <string>

// Sums are taken over coalesce(amount, 'NaN'): sum() passes over nulls, so that a null would count
// as zero. NaN makes the sum NaN, which is distinct from every proper amount and from null.

namespace drover::tpcc::postgres {

namespace {

// Every warehouse of the range, whether it is there or not, and ten districts in each.
constexpr std::string_view due_warehouses = R"(
due AS (SELECT w_id FROM generate_series($1::int4, $2::int4) AS w(w_id)))";
constexpr std::string_view due_districts = R"(
due AS (SELECT w_id, d_id
        FROM generate_series($1::int4, $2::int4) AS w(w_id), generate_series(1, 10) AS d(d_id)))";

constexpr std::string_view district_key = R"(
       ARRAY[w_id, d_id]::int8[] AS place, format('w_id=%s d_id=%s', w_id, d_id) AS key,)";
constexpr std::string_view order_key = R"(
       ARRAY[w_id, d_id, o_id]::int8[] AS place,
       format('w_id=%s d_id=%s o_id=%s', w_id, d_id, o_id) AS key,)";
constexpr std::string_view customer_key = R"(
       ARRAY[w_id, d_id, c_id]::int8[] AS place,
       format('w_id=%s d_id=%s c_id=%s', w_id, d_id, c_id) AS key,)";

std::string condition_1() {
  return fmt::format(R"(WITH {},
w AS (SELECT w_id, @w_ytd@ AS ytd FROM warehouse WHERE w_id BETWEEN $1::int4 AND $2::int4),
d AS (SELECT d_w_id AS w_id, sum(coalesce(@d_ytd@, 'NaN')) AS ytd
      FROM district WHERE d_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY d_w_id)
SELECT ARRAY[w_id]::int8[] AS place, format('w_id=%s', w_id) AS key,
       format('w_ytd = sum(d_ytd) = %s', coalesce(d.ytd::text, 'no district')) AS expected,
       CASE WHEN w.w_id IS NULL THEN 'no such warehouse' ELSE w.ytd::text END AS found
FROM due LEFT JOIN w USING (w_id) LEFT JOIN d USING (w_id)
WHERE w.ytd IS NULL OR w.ytd IS DISTINCT FROM d.ytd)",
                     due_warehouses);
}

std::string condition_2() {
  return fmt::format(R"(WITH {},
d AS (SELECT d_w_id AS w_id, d_id, d_next_o_id - 1 AS newest
      FROM district WHERE d_w_id BETWEEN $1::int4 AND $2::int4),
o AS (SELECT o_w_id AS w_id, o_d_id AS d_id, max(o_id) AS newest
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY o_w_id, o_d_id),
n AS (SELECT no_w_id AS w_id, no_d_id AS d_id, max(no_o_id) AS newest
      FROM new_order WHERE no_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY no_w_id, no_d_id)
SELECT {}
       format('d_next_o_id - 1 = %s', coalesce(d.newest::text, 'null or no district')) AS expected,
       format('max(o_id) = %s, max(no_o_id) = %s', coalesce(o.newest::text, 'none'),
              coalesce(n.newest::text, 'none')) AS found
FROM due FULL JOIN d USING (w_id, d_id) FULL JOIN o USING (w_id, d_id)
     FULL JOIN n USING (w_id, d_id)
WHERE d.newest IS NULL OR o.newest IS DISTINCT FROM d.newest
      OR (n.w_id IS NOT NULL AND n.newest IS DISTINCT FROM d.newest))",
                     due_districts, district_key);
}

std::string condition_3() {
  return fmt::format(R"(WITH n AS (
  SELECT no_w_id AS w_id, no_d_id AS d_id, max(no_o_id) - min(no_o_id) + 1 AS due,
         count(*) AS present, count(DISTINCT no_o_id) AS different
  FROM new_order WHERE no_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY no_w_id, no_d_id)
SELECT {}
       format('max(no_o_id) - min(no_o_id) + 1 = %s rows', due) AS expected,
       format('%s rows, %s of them different', present, different) AS found
FROM n WHERE due IS DISTINCT FROM present OR due IS DISTINCT FROM different)",
                     district_key);
}

std::string condition_4() {
  return fmt::format(R"(WITH {},
o AS (SELECT o_w_id AS w_id, o_d_id AS d_id, sum(coalesce(o_ol_cnt::numeric, 'NaN')) AS lines
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY o_w_id, o_d_id),
l AS (SELECT ol_w_id AS w_id, ol_d_id AS d_id, count(*) AS lines
      FROM order_line WHERE ol_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY ol_w_id, ol_d_id)
SELECT {}
       format('sum(o_ol_cnt) = %s', coalesce(o.lines::text, 'no order')) AS expected,
       format('%s rows of order_line', coalesce(l.lines, 0)) AS found
FROM due FULL JOIN o USING (w_id, d_id) FULL JOIN l USING (w_id, d_id)
WHERE o.lines IS NULL OR o.lines IS DISTINCT FROM l.lines)",
                     due_districts, district_key);
}

std::string condition_5() {
  return fmt::format(R"(WITH
o AS (SELECT o_w_id AS w_id, o_d_id AS d_id, o_id, o_carrier_id
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4),
n AS (SELECT no_w_id AS w_id, no_d_id AS d_id, no_o_id AS o_id
      FROM new_order WHERE no_w_id BETWEEN $1::int4 AND $2::int4)
SELECT {}
       CASE WHEN o.w_id IS NULL THEN 'a row of oorder for the row of new_order'
            WHEN n.w_id IS NULL THEN 'o_carrier_id set, as there is no row of new_order'
            ELSE 'o_carrier_id null, as there is a row of new_order' END AS expected,
       CASE WHEN o.w_id IS NULL THEN 'none'
            ELSE format('o_carrier_id = %s', coalesce(o_carrier_id::text, 'null')) END AS found
FROM o FULL JOIN n USING (w_id, d_id, o_id)
WHERE o.w_id IS NULL OR (o_carrier_id IS NULL) <> (n.w_id IS NOT NULL))",
                     order_key);
}

std::string condition_6() {
  return fmt::format(R"(WITH
o AS (SELECT o_w_id AS w_id, o_d_id AS d_id, o_id, o_ol_cnt
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4),
l AS (SELECT ol_w_id AS w_id, ol_d_id AS d_id, ol_o_id AS o_id, count(*) AS lines
      FROM order_line WHERE ol_w_id BETWEEN $1::int4 AND $2::int4
      GROUP BY ol_w_id, ol_d_id, ol_o_id)
SELECT {}
       CASE WHEN o.w_id IS NULL THEN 'a row of oorder for the lines'
            ELSE format('o_ol_cnt = %s', coalesce(o_ol_cnt::text, 'null')) END AS expected,
       format('%s rows of order_line', coalesce(lines, 0)) AS found
FROM o FULL JOIN l USING (w_id, d_id, o_id)
WHERE o.w_id IS NULL OR o_ol_cnt IS NULL OR o_ol_cnt <> coalesce(lines, 0))",
                     order_key);
}

// The clause speaks of each line of order_line: a count for each order would let one line with a
// date hide among nine without.
std::string condition_7() {
  return R"(WITH
o AS (SELECT o_w_id, o_d_id, o_id, o_carrier_id
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4)
SELECT ARRAY[ol_w_id, ol_d_id, ol_o_id, ol_number]::int8[] AS place,
       format('w_id=%s d_id=%s o_id=%s ol_number=%s', ol_w_id, ol_d_id, ol_o_id, ol_number) AS key,
       CASE WHEN o_id IS NULL THEN 'a row of oorder for the line'
            WHEN o_carrier_id IS NULL THEN 'ol_delivery_d null, as o_carrier_id is null'
            ELSE format('ol_delivery_d set, as o_carrier_id = %s', o_carrier_id) END AS expected,
       format('ol_delivery_d = %s', coalesce(ol_delivery_d::text, 'null')) AS found
FROM order_line LEFT JOIN o ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
WHERE ol_w_id BETWEEN $1::int4 AND $2::int4
      AND (o_id IS NULL OR (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL)))";
}

std::string condition_8() {
  return fmt::format(R"(WITH {},
w AS (SELECT w_id, @w_ytd@ AS ytd FROM warehouse WHERE w_id BETWEEN $1::int4 AND $2::int4),
h AS (SELECT h_w_id AS w_id, sum(coalesce(@h_amount@, 'NaN')) AS paid
      FROM history WHERE h_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY h_w_id)
SELECT ARRAY[w_id]::int8[] AS place, format('w_id=%s', w_id) AS key,
       format('w_ytd = sum(h_amount) = %s', coalesce(h.paid::text, 'no history')) AS expected,
       CASE WHEN w.w_id IS NULL THEN 'no such warehouse' ELSE w.ytd::text END AS found
FROM due LEFT JOIN w USING (w_id) LEFT JOIN h USING (w_id)
WHERE w.ytd IS NULL OR w.ytd IS DISTINCT FROM h.paid)",
                     due_warehouses);
}

std::string condition_9() {
  return fmt::format(R"(WITH {},
d AS (SELECT d_w_id AS w_id, d_id, @d_ytd@ AS ytd
      FROM district WHERE d_w_id BETWEEN $1::int4 AND $2::int4),
h AS (SELECT h_w_id AS w_id, h_d_id AS d_id, sum(coalesce(@h_amount@, 'NaN')) AS paid
      FROM history WHERE h_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY h_w_id, h_d_id)
SELECT {}
       format('d_ytd = sum(h_amount) = %s', coalesce(h.paid::text, 'no history')) AS expected,
       CASE WHEN d.w_id IS NULL THEN 'no such district' ELSE d.ytd::text END AS found
FROM due FULL JOIN d USING (w_id, d_id) FULL JOIN h USING (w_id, d_id)
WHERE d.ytd IS NULL OR d.ytd IS DISTINCT FROM h.paid)",
                     due_districts, district_key);
}

// What was delivered to each customer. Orders that wait for delivery have a group, too, so that
// an order of a customer who does not exist is found before it is delivered.
constexpr std::string_view delivered_amounts = R"(
l AS (SELECT ol_w_id, ol_d_id, ol_o_id,
             sum(coalesce(@ol_amount@, 'NaN')) FILTER (WHERE ol_delivery_d IS NOT NULL) AS amount
      FROM order_line WHERE ol_w_id BETWEEN $1::int4 AND $2::int4
      GROUP BY ol_w_id, ol_d_id, ol_o_id),
o AS (SELECT o_w_id AS w_id, o_d_id AS d_id, o_c_id AS c_id, sum(amount) AS amount
      FROM oorder LEFT JOIN l ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
      WHERE o_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY o_w_id, o_d_id, o_c_id))";

std::string condition_10() {
  return fmt::format(R"(WITH {},
h AS (SELECT h_c_w_id AS w_id, h_c_d_id AS d_id, h_c_id AS c_id,
             sum(coalesce(@h_amount@, 'NaN')) AS paid
      FROM history WHERE h_c_w_id BETWEEN $1::int4 AND $2::int4
      GROUP BY h_c_w_id, h_c_d_id, h_c_id),
c AS (SELECT c_w_id AS w_id, c_d_id AS d_id, c_id, @c_balance@ AS balance
      FROM customer WHERE c_w_id BETWEEN $1::int4 AND $2::int4),
every AS (
  SELECT w_id, d_id, c_id, c.w_id IS NOT NULL AS present, balance,
         coalesce(o.amount, 0) AS delivered, coalesce(h.paid, 0) AS paid
  FROM c FULL JOIN o USING (w_id, d_id, c_id) FULL JOIN h USING (w_id, d_id, c_id))
SELECT {}
       format('c_balance = delivered %s - paid %s = %s', delivered, paid, delivered - paid)
           AS expected,
       CASE WHEN present THEN balance::text ELSE 'no such customer' END AS found
FROM every WHERE NOT present OR balance IS DISTINCT FROM delivered - paid)",
                     delivered_amounts, customer_key);
}

std::string condition_12() {
  return fmt::format(R"(WITH {},
c AS (SELECT c_w_id AS w_id, c_d_id AS d_id, c_id, @c_balance@ AS balance,
             @c_ytd_payment@ AS ytd_payment
      FROM customer WHERE c_w_id BETWEEN $1::int4 AND $2::int4),
every AS (
  SELECT w_id, d_id, c_id, c.w_id IS NOT NULL AS present, balance, ytd_payment,
         coalesce(o.amount, 0) AS delivered
  FROM c FULL JOIN o USING (w_id, d_id, c_id))
SELECT {}
       format('c_balance + c_ytd_payment = delivered %s', delivered) AS expected,
       CASE WHEN present
            THEN format('%s + %s = %s', coalesce(balance::text, 'null'),
                        coalesce(ytd_payment::text, 'null'),
                        coalesce((balance + ytd_payment)::text, 'null'))
            ELSE 'no such customer' END AS found
FROM every WHERE NOT present OR balance + ytd_payment IS DISTINCT FROM delivered)",
                     delivered_amounts, customer_key);
}

std::string condition_11() {
  return fmt::format(R"(WITH {},
o AS (SELECT o_w_id AS w_id, o_d_id AS d_id, count(*) AS orders
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY o_w_id, o_d_id),
n AS (SELECT no_w_id AS w_id, no_d_id AS d_id, count(*) AS orders
      FROM new_order WHERE no_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY no_w_id, no_d_id)
SELECT {}
       'count(oorder) - count(new_order) = 2100' AS expected,
       format('%s - %s', coalesce(o.orders, 0), coalesce(n.orders, 0)) AS found
FROM due FULL JOIN o USING (w_id, d_id) FULL JOIN n USING (w_id, d_id)
WHERE coalesce(o.orders, 0) - coalesce(n.orders, 0) <> 2100)",
                     due_districts, district_key);
}

Condition numbered(int number, std::string_view clause, std::string_view title, Span span,
                   const std::string& body, Money money) {
  return {number, std::to_string(number),         clause, std::string(title),
          span,   offender_statement(body, money)};
}

}  // namespace

std::vector<Condition> consistency_conditions(Money money) {
  constexpr auto range = Span::range;
  constexpr auto wide = Span::wide_range;
  return {
      numbered(1, "3.3.2.1", "w_ytd = sum(d_ytd)", range, condition_1(), money),
      numbered(2, "3.3.2.2", "d_next_o_id - 1 = max(o_id) = max(no_o_id)", range, condition_2(),
               money),
      numbered(3, "3.3.2.3", "new_order has no gap", range, condition_3(), money),
      numbered(4, "3.3.2.4", "sum(o_ol_cnt) = rows of order_line", range, condition_4(), money),
      numbered(5, "3.3.2.5", "o_carrier_id is null exactly with a new_order", range, condition_5(),
               money),
      numbered(6, "3.3.2.6", "o_ol_cnt = lines of the order", range, condition_6(), money),
      numbered(7, "3.3.2.7", "ol_delivery_d is null exactly with o_carrier_id", range,
               condition_7(), money),
      numbered(8, "3.3.2.8", "w_ytd = sum(h_amount)", wide, condition_8(), money),
      numbered(9, "3.3.2.9", "d_ytd = sum(h_amount)", wide, condition_9(), money),
      numbered(10, "3.3.2.10", "c_balance = delivered - paid", wide, condition_10(), money),
      numbered(12, "3.3.2.12", "c_balance + c_ytd_payment = delivered", range, condition_12(),
               money),
  };
}

Condition freshly_loaded_condition(Money money) {
  return numbered(11, "3.3.2.11", "count(oorder) - count(new_order) = 2100", Span::range,
                  condition_11(), money);
}

}  // namespace drover::tpcc::postgres
