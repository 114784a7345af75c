// The twelve conditions of clause 3.3.2, in their order.
#include "workload/tpcc/postgres/check/conditions.h"

// Sums are taken over coalesce(amount, 'NaN'): sum() passes over nulls, so that a null would count
// as zero. NaN makes the sum NaN, which is distinct from every proper amount and from null.

namespace drover::tpcc::postgres {
namespace {

constexpr Body bodies[] = {
    {"1", R"(WITH {due_warehouses},
w AS (SELECT w_id, @w_ytd@ AS ytd FROM warehouse WHERE w_id BETWEEN $1::int4 AND $2::int4),
d AS (SELECT d_w_id AS w_id, sum(coalesce(@d_ytd@, 'NaN')) AS ytd
      FROM district WHERE d_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY d_w_id)
SELECT {warehouse_key}
       format('w_ytd = sum(d_ytd) = %s', coalesce(d.ytd::text, 'no district')) AS expected,
       CASE WHEN w.w_id IS NULL THEN 'no such warehouse' ELSE w.ytd::text END AS found
FROM due LEFT JOIN w USING (w_id) LEFT JOIN d USING (w_id)
WHERE w.ytd IS NULL OR w.ytd IS DISTINCT FROM d.ytd)"},
    {"2", R"(WITH {due_districts},
d AS (SELECT d_w_id AS w_id, d_id, d_next_o_id - 1 AS newest
      FROM district WHERE d_w_id BETWEEN $1::int4 AND $2::int4),
o AS (SELECT o_w_id AS w_id, o_d_id AS d_id, max(o_id) AS newest
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY o_w_id, o_d_id),
n AS (SELECT no_w_id AS w_id, no_d_id AS d_id, max(no_o_id) AS newest
      FROM new_order WHERE no_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY no_w_id, no_d_id)
SELECT {district_key}
       format('d_next_o_id - 1 = %s', coalesce(d.newest::text, 'null or no district')) AS expected,
       format('max(o_id) = %s, max(no_o_id) = %s', coalesce(o.newest::text, 'none'),
              coalesce(n.newest::text, 'none')) AS found
FROM due FULL JOIN d USING (w_id, d_id) FULL JOIN o USING (w_id, d_id)
     FULL JOIN n USING (w_id, d_id)
WHERE d.newest IS NULL OR o.newest IS DISTINCT FROM d.newest
      OR (n.w_id IS NOT NULL AND n.newest IS DISTINCT FROM d.newest))"},
    {"3", R"(WITH n AS (
  SELECT no_w_id AS w_id, no_d_id AS d_id, max(no_o_id) - min(no_o_id) + 1 AS due,
         count(*) AS present, count(DISTINCT no_o_id) AS different
  FROM new_order WHERE no_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY no_w_id, no_d_id)
SELECT {district_key}
       format('max(no_o_id) - min(no_o_id) + 1 = %s rows', due) AS expected,
       format('%s rows, %s of them different', present, different) AS found
FROM n WHERE due IS DISTINCT FROM present OR due IS DISTINCT FROM different)"},
    {"4", R"(WITH {due_districts},
o AS (SELECT o_w_id AS w_id, o_d_id AS d_id, sum(coalesce(o_ol_cnt::numeric, 'NaN')) AS lines
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY o_w_id, o_d_id),
l AS (SELECT ol_w_id AS w_id, ol_d_id AS d_id, count(*) AS lines
      FROM order_line WHERE ol_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY ol_w_id, ol_d_id)
SELECT {district_key}
       format('sum(o_ol_cnt) = %s', coalesce(o.lines::text, 'no order')) AS expected,
       format('%s rows of order_line', coalesce(l.lines, 0)) AS found
FROM due FULL JOIN o USING (w_id, d_id) FULL JOIN l USING (w_id, d_id)
WHERE o.lines IS NULL OR o.lines IS DISTINCT FROM l.lines)"},
    {"5", R"(WITH
o AS (SELECT o_w_id AS w_id, o_d_id AS d_id, o_id, o_carrier_id
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4),
n AS (SELECT no_w_id AS w_id, no_d_id AS d_id, no_o_id AS o_id
      FROM new_order WHERE no_w_id BETWEEN $1::int4 AND $2::int4)
SELECT {order_key}
       CASE WHEN o.w_id IS NULL THEN 'a row of oorder for the row of new_order'
            WHEN n.w_id IS NULL THEN 'o_carrier_id set, as there is no row of new_order'
            ELSE 'o_carrier_id null, as there is a row of new_order' END AS expected,
       CASE WHEN o.w_id IS NULL THEN 'none'
            ELSE format('o_carrier_id = %s', coalesce(o_carrier_id::text, 'null')) END AS found
FROM o FULL JOIN n USING (w_id, d_id, o_id)
WHERE o.w_id IS NULL OR (o_carrier_id IS NULL) <> (n.w_id IS NOT NULL))"},
    {"6", R"(WITH
o AS (SELECT o_w_id AS w_id, o_d_id AS d_id, o_id, o_ol_cnt
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4),
l AS (SELECT ol_w_id AS w_id, ol_d_id AS d_id, ol_o_id AS o_id, count(*) AS lines
      FROM order_line WHERE ol_w_id BETWEEN $1::int4 AND $2::int4
      GROUP BY ol_w_id, ol_d_id, ol_o_id)
SELECT {order_key}
       CASE WHEN o.w_id IS NULL THEN 'a row of oorder for the lines'
            ELSE format('o_ol_cnt = %s', coalesce(o_ol_cnt::text, 'null')) END AS expected,
       format('%s rows of order_line', coalesce(lines, 0)) AS found
FROM o FULL JOIN l USING (w_id, d_id, o_id)
WHERE o.w_id IS NULL OR o_ol_cnt IS NULL OR o_ol_cnt <> coalesce(lines, 0))"},
    // The clause speaks of each line of order_line: a count for each order would let one line with a
    // date hide among nine without.
    {"7", R"(WITH
o AS (SELECT o_w_id, o_d_id, o_id, o_carrier_id
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4)
SELECT {line_key}
       CASE WHEN o_id IS NULL THEN 'a row of oorder for the line'
            WHEN o_carrier_id IS NULL THEN 'ol_delivery_d null, as o_carrier_id is null'
            ELSE format('ol_delivery_d set, as o_carrier_id = %s', o_carrier_id) END AS expected,
       format('ol_delivery_d = %s', coalesce(ol_delivery_d::text, 'null')) AS found
FROM order_line LEFT JOIN o ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
WHERE ol_w_id BETWEEN $1::int4 AND $2::int4
      AND (o_id IS NULL OR (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL)))"},
    {"8", R"(WITH {due_warehouses},
w AS (SELECT w_id, @w_ytd@ AS ytd FROM warehouse WHERE w_id BETWEEN $1::int4 AND $2::int4),
h AS (SELECT h_w_id AS w_id, sum(coalesce(@h_amount@, 'NaN')) AS paid
      FROM history WHERE h_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY h_w_id)
SELECT {warehouse_key}
       format('w_ytd = sum(h_amount) = %s', coalesce(h.paid::text, 'no history')) AS expected,
       CASE WHEN w.w_id IS NULL THEN 'no such warehouse' ELSE w.ytd::text END AS found
FROM due LEFT JOIN w USING (w_id) LEFT JOIN h USING (w_id)
WHERE w.ytd IS NULL OR w.ytd IS DISTINCT FROM h.paid)"},
    {"9", R"(WITH {due_districts},
d AS (SELECT d_w_id AS w_id, d_id, @d_ytd@ AS ytd
      FROM district WHERE d_w_id BETWEEN $1::int4 AND $2::int4),
h AS (SELECT h_w_id AS w_id, h_d_id AS d_id, sum(coalesce(@h_amount@, 'NaN')) AS paid
      FROM history WHERE h_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY h_w_id, h_d_id)
SELECT {district_key}
       format('d_ytd = sum(h_amount) = %s', coalesce(h.paid::text, 'no history')) AS expected,
       CASE WHEN d.w_id IS NULL THEN 'no such district' ELSE d.ytd::text END AS found
FROM due FULL JOIN d USING (w_id, d_id) FULL JOIN h USING (w_id, d_id)
WHERE d.ytd IS NULL OR d.ytd IS DISTINCT FROM h.paid)"},
    {"10", R"(WITH {delivered_amounts},
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
SELECT {customer_key}
       format('c_balance = delivered %s - paid %s = %s', delivered, paid, delivered - paid)
           AS expected,
       CASE WHEN present THEN balance::text ELSE 'no such customer' END AS found
FROM every WHERE NOT present OR balance IS DISTINCT FROM delivered - paid)"},
    {"11", R"(WITH {due_districts},
o AS (SELECT o_w_id AS w_id, o_d_id AS d_id, count(*) AS orders
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY o_w_id, o_d_id),
n AS (SELECT no_w_id AS w_id, no_d_id AS d_id, count(*) AS orders
      FROM new_order WHERE no_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY no_w_id, no_d_id)
SELECT {district_key}
       'count(oorder) - count(new_order) = 2100' AS expected,
       format('%s - %s', coalesce(o.orders, 0), coalesce(n.orders, 0)) AS found
FROM due FULL JOIN o USING (w_id, d_id) FULL JOIN n USING (w_id, d_id)
WHERE coalesce(o.orders, 0) - coalesce(n.orders, 0) <> 2100)"},
    {"12", R"(WITH {delivered_amounts},
c AS (SELECT c_w_id AS w_id, c_d_id AS d_id, c_id, @c_balance@ AS balance,
             @c_ytd_payment@ AS ytd_payment
      FROM customer WHERE c_w_id BETWEEN $1::int4 AND $2::int4),
every AS (
  SELECT w_id, d_id, c_id, c.w_id IS NOT NULL AS present, balance, ytd_payment,
         coalesce(o.amount, 0) AS delivered
  FROM c FULL JOIN o USING (w_id, d_id, c_id))
SELECT {customer_key}
       format('c_balance + c_ytd_payment = delivered %s', delivered) AS expected,
       CASE WHEN present
            THEN format('%s + %s = %s', coalesce(balance::text, 'null'),
                        coalesce(ytd_payment::text, 'null'),
                        coalesce((balance + ytd_payment)::text, 'null'))
            ELSE 'no such customer' END AS found
FROM every WHERE NOT present OR balance + ytd_payment IS DISTINCT FROM delivered)"},
};

}  // namespace

std::span<const Body> consistency_bodies() {
  return bodies;
}

}  // namespace drover::tpcc::postgres
