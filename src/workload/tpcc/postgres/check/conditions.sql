-- The statements of a check's conditions on PostgreSQL (check.h). @column@ stands for money, and a
-- name in braces for a text that several statements share.
--
-- Citus must be able to plan each statement, too. The rows of a warehouse are on one of its nodes,
-- whose part of a statement sees one snapshot. So the tables of a warehouse are joined by the
-- warehouse before anything else, in one CTE, and rows that are not of a warehouse
-- (generate_series, VALUES) come to its rows in a MATERIALIZED CTE, on the coordinator. "--: snapshots several" marks
-- a condition that compares rows of several warehouses.

--: shared due_warehouses
-- Every warehouse of the range, whether it is there or not, and ten districts in each.

due AS (SELECT w_id FROM generate_series($1::int4, $2::int4) AS w(w_id))

--: shared due_districts

due AS (SELECT w_id, d_id
        FROM generate_series($1::int4, $2::int4) AS w(w_id), generate_series(1, 10) AS d(d_id))

--: shared warehouse_key
ARRAY[w_id]::int8[] AS place, format('w_id=%s', w_id) AS key,

--: shared district_key

       ARRAY[w_id, d_id]::int8[] AS place, format('w_id=%s d_id=%s', w_id, d_id) AS key,

--: shared order_key

       ARRAY[w_id, d_id, o_id]::int8[] AS place,
       format('w_id=%s d_id=%s o_id=%s', w_id, d_id, o_id) AS key,

--: shared line_key
ARRAY[ol_w_id, ol_d_id, ol_o_id, ol_number]::int8[] AS place,
       format('w_id=%s d_id=%s o_id=%s ol_number=%s', ol_w_id, ol_d_id, ol_o_id, ol_number) AS key,

--: shared customer_key

       ARRAY[w_id, d_id, c_id]::int8[] AS place,
       format('w_id=%s d_id=%s c_id=%s', w_id, d_id, c_id) AS key,

--: shared delivered_amounts
-- What was delivered to each customer. Orders that wait for delivery have a group, too, so that
-- an order of a customer who does not exist is found before it is delivered.

l AS (SELECT ol_w_id, ol_d_id, ol_o_id,
             sum(coalesce(@ol_amount@, 'NaN')) FILTER (WHERE ol_delivery_d IS NOT NULL) AS amount
      FROM order_line WHERE ol_w_id BETWEEN $1::int4 AND $2::int4
      GROUP BY ol_w_id, ol_d_id, ol_o_id),
o AS (SELECT o_w_id AS w_id, o_d_id AS d_id, o_c_id AS c_id, sum(amount) AS amount
      FROM oorder LEFT JOIN l ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
      WHERE o_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY o_w_id, o_d_id, o_c_id)

-- The twelve of clause 3.3.2, in their order. Sums are taken over coalesce(amount, 'NaN'): sum()
-- passes over nulls, so that a null would count as zero. NaN makes the sum NaN, which is distinct
-- from every proper amount and from null.

--: condition 1
WITH {due_warehouses},
w AS (SELECT w_id, @w_ytd@ AS ytd FROM warehouse WHERE w_id BETWEEN $1::int4 AND $2::int4),
d AS (SELECT d_w_id AS w_id, sum(coalesce(@d_ytd@, 'NaN')) AS ytd
      FROM district WHERE d_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY d_w_id),
every AS MATERIALIZED (
  SELECT w_id, w.w_id IS NOT NULL AS present, w.ytd, d.ytd AS districts
  FROM w FULL JOIN d USING (w_id))
SELECT {warehouse_key}
       format('w_ytd = sum(d_ytd) = %s', coalesce(districts::text, 'no district')) AS expected,
       CASE WHEN present THEN ytd::text ELSE 'no such warehouse' END AS found
FROM due LEFT JOIN every USING (w_id)
WHERE ytd IS NULL OR ytd IS DISTINCT FROM districts

--: condition 2
WITH {due_districts},
d AS (SELECT d_w_id AS w_id, d_id, d_next_o_id - 1 AS newest
      FROM district WHERE d_w_id BETWEEN $1::int4 AND $2::int4),
o AS (SELECT o_w_id AS w_id, o_d_id AS d_id, max(o_id) AS newest
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY o_w_id, o_d_id),
n AS (SELECT no_w_id AS w_id, no_d_id AS d_id, max(no_o_id) AS newest
      FROM new_order WHERE no_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY no_w_id, no_d_id),
orders AS (
  SELECT w_id, d_id, max(newest_order) AS newest_order, max(newest_new) AS newest_new,
         bool_or(is_new) AS has_new
  FROM (SELECT w_id, d_id, newest AS newest_order, NULL AS newest_new, false AS is_new FROM o
        UNION ALL SELECT w_id, d_id, NULL, newest, true FROM n) AS either
  GROUP BY w_id, d_id),
every AS MATERIALIZED (
  SELECT w_id, d_id, newest, newest_order, newest_new, has_new
  FROM d FULL JOIN orders USING (w_id, d_id))
SELECT {district_key}
       format('d_next_o_id - 1 = %s', coalesce(newest::text, 'null or no district')) AS expected,
       format('max(o_id) = %s, max(no_o_id) = %s', coalesce(newest_order::text, 'none'),
              coalesce(newest_new::text, 'none')) AS found
FROM due FULL JOIN every USING (w_id, d_id)
WHERE newest IS NULL OR newest_order IS DISTINCT FROM newest
      OR (has_new AND newest_new IS DISTINCT FROM newest)

--: condition 3
WITH n AS (
  SELECT no_w_id AS w_id, no_d_id AS d_id, max(no_o_id) - min(no_o_id) + 1 AS due,
         count(*) AS present, count(DISTINCT no_o_id) AS different
  FROM new_order WHERE no_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY no_w_id, no_d_id)
SELECT {district_key}
       format('max(no_o_id) - min(no_o_id) + 1 = %s rows', due) AS expected,
       format('%s rows, %s different', present, different) AS found
FROM n WHERE due IS DISTINCT FROM present OR due IS DISTINCT FROM different

--: condition 4
WITH {due_districts},
o AS (SELECT o_w_id AS w_id, o_d_id AS d_id, sum(coalesce(o_ol_cnt::numeric, 'NaN')) AS lines
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY o_w_id, o_d_id),
l AS (SELECT ol_w_id AS w_id, ol_d_id AS d_id, count(*) AS lines
      FROM order_line WHERE ol_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY ol_w_id, ol_d_id),
every AS MATERIALIZED (
  SELECT w_id, d_id, o.lines AS counted, l.lines
  FROM o FULL JOIN l USING (w_id, d_id))
SELECT {district_key}
       format('sum(o_ol_cnt) = %s', coalesce(counted::text, 'no order')) AS expected,
       format('%s rows of order_line', coalesce(lines, 0)) AS found
FROM due FULL JOIN every USING (w_id, d_id)
WHERE counted IS NULL OR counted IS DISTINCT FROM lines

--: condition 5
WITH
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
WHERE o.w_id IS NULL OR (o_carrier_id IS NULL) <> (n.w_id IS NOT NULL)

--: condition 6
WITH
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
WHERE o.w_id IS NULL OR o_ol_cnt IS NULL OR o_ol_cnt <> coalesce(lines, 0)

--: condition 7
-- The clause speaks of each line of order_line: a count for each order would let one line with a
-- date hide among nine without.
WITH
o AS (SELECT o_w_id, o_d_id, o_id, o_carrier_id
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4)
SELECT {line_key}
       CASE WHEN o_id IS NULL THEN 'a row of oorder for the line'
            WHEN o_carrier_id IS NULL THEN 'ol_delivery_d null, as o_carrier_id is null'
            ELSE format('ol_delivery_d set, as o_carrier_id = %s', o_carrier_id) END AS expected,
       format('ol_delivery_d = %s', coalesce(ol_delivery_d::text, 'null')) AS found
FROM order_line LEFT JOIN o ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
WHERE ol_w_id BETWEEN $1::int4 AND $2::int4
      AND (o_id IS NULL OR (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL))

--: condition 8
WITH {due_warehouses},
w AS (SELECT w_id, @w_ytd@ AS ytd FROM warehouse WHERE w_id BETWEEN $1::int4 AND $2::int4),
h AS (SELECT h_w_id AS w_id, sum(coalesce(@h_amount@, 'NaN')) AS paid
      FROM history WHERE h_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY h_w_id),
every AS MATERIALIZED (
  SELECT w_id, w.w_id IS NOT NULL AS present, ytd, paid
  FROM w FULL JOIN h USING (w_id))
SELECT {warehouse_key}
       format('w_ytd = sum(h_amount) = %s', coalesce(paid::text, 'no history')) AS expected,
       CASE WHEN present THEN ytd::text ELSE 'no such warehouse' END AS found
FROM due LEFT JOIN every USING (w_id)
WHERE ytd IS NULL OR ytd IS DISTINCT FROM paid

--: condition 9
WITH {due_districts},
d AS (SELECT d_w_id AS w_id, d_id, @d_ytd@ AS ytd
      FROM district WHERE d_w_id BETWEEN $1::int4 AND $2::int4),
h AS (SELECT h_w_id AS w_id, h_d_id AS d_id, sum(coalesce(@h_amount@, 'NaN')) AS paid
      FROM history WHERE h_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY h_w_id, h_d_id),
every AS MATERIALIZED (
  SELECT w_id, d_id, d.w_id IS NOT NULL AS present, ytd, paid
  FROM d FULL JOIN h USING (w_id, d_id))
SELECT {district_key}
       format('d_ytd = sum(h_amount) = %s', coalesce(paid::text, 'no history')) AS expected,
       CASE WHEN present THEN ytd::text ELSE 'no such district' END AS found
FROM due FULL JOIN every USING (w_id, d_id)
WHERE ytd IS NULL OR ytd IS DISTINCT FROM paid

--: condition 10
--: snapshots several
WITH {delivered_amounts},
h AS (SELECT h_c_w_id AS w_id, h_c_d_id AS d_id, h_c_id AS c_id,
             sum(coalesce(@h_amount@, 'NaN')) AS paid
      FROM history WHERE h_c_w_id BETWEEN $1::int4 AND $2::int4
      GROUP BY h_c_w_id, h_c_d_id, h_c_id),
c AS (SELECT c_w_id AS w_id, c_d_id AS d_id, c_id, @c_balance@ AS balance
      FROM customer WHERE c_w_id BETWEEN $1::int4 AND $2::int4),
owing AS (
  SELECT w_id, d_id, c_id, c.w_id IS NOT NULL AS present, balance, amount
  FROM c FULL JOIN o USING (w_id, d_id, c_id)),
every AS (
  SELECT w_id, d_id, c_id, coalesce(present, false) AS present, balance,
         coalesce(amount, 0) AS delivered, coalesce(h.paid, 0) AS paid
  FROM owing FULL JOIN h USING (w_id, d_id, c_id))
SELECT {customer_key}
       format('c_balance = delivered %s - paid %s = %s', delivered, paid, delivered - paid)
           AS expected,
       CASE WHEN present THEN balance::text ELSE 'no such customer' END AS found
FROM every WHERE NOT present OR balance IS DISTINCT FROM delivered - paid

--: condition 11
WITH {due_districts},
o AS (SELECT o_w_id AS w_id, o_d_id AS d_id, count(*) AS orders
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY o_w_id, o_d_id),
n AS (SELECT no_w_id AS w_id, no_d_id AS d_id, count(*) AS orders
      FROM new_order WHERE no_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY no_w_id, no_d_id),
every AS MATERIALIZED (
  SELECT w_id, d_id, o.orders, n.orders AS new_orders
  FROM o FULL JOIN n USING (w_id, d_id))
SELECT {district_key}
       'count(oorder) - count(new_order) = 2100' AS expected,
       format('%s - %s', coalesce(orders, 0), coalesce(new_orders, 0)) AS found
FROM due FULL JOIN every USING (w_id, d_id)
WHERE coalesce(orders, 0) - coalesce(new_orders, 0) <> 2100

--: condition 12
WITH {delivered_amounts},
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
FROM every WHERE NOT present OR balance + ytd_payment IS DISTINCT FROM delivered

-- The conditions beyond the twelve: what the transactions of clause 2 and the cardinalities of
-- clause 1.2.1 imply for data at any moment, and the twelve do not say.

--: condition rows.outside
-- The extremes tell: with the index that begins with the warehouse they cost nothing, while a
-- search for all rows outside would read the tables from end to end.
WITH extreme AS (
{warehouse_columns})
SELECT ARRAY[place]::int8[] AS place, name AS key,
       format('1..%s, the existing warehouses', warehouses) AS expected,
       format('%s..%s%s', first, last, CASE WHEN has_null THEN ', and null' END) AS found
FROM extreme, (SELECT coalesce(max(w_id), 0) AS warehouses FROM warehouse) AS w
WHERE has_null OR first < 1 OR last > warehouses

--: condition item.rows
WITH
due AS (SELECT id, true AS due FROM generate_series(1, 100000) AS i(id)),
present AS (SELECT i_id AS id, count(*) AS copies FROM item GROUP BY i_id)
SELECT ARRAY[id]::int8[] AS place, format('i_id=%s', id) AS key,
       CASE WHEN due THEN '1 row of item' ELSE 'no such row of item' END AS expected,
       coalesce(copies, 0) AS found
FROM due FULL JOIN present USING (id)
WHERE (due AND copies = 1) IS NOT TRUE

--: condition warehouse.rows
-- Each warehouse once. The joins of the twelve would not notice a second row that is the same.
WITH
due AS (SELECT w_id FROM generate_series($1::int4, $2::int4) AS w(w_id)),
present AS (SELECT w_id, count(*) AS copies FROM warehouse
            WHERE w_id BETWEEN $1::int4 AND $2::int4 GROUP BY w_id)
SELECT {warehouse_key}
       '1 row of warehouse' AS expected, coalesce(copies, 0) AS found
FROM due LEFT JOIN present USING (w_id)
WHERE copies IS DISTINCT FROM 1

--: condition oorder.keys
-- In the order of the key each number follows on the one before it. A gap is one offender, however
-- wide: a d_next_o_id of two billions must not make two billion rows of what is missing. A district
-- that is not there is condition 2's.
WITH
d AS (SELECT d_w_id AS w_id, d_id, max(d_next_o_id) AS next
      FROM district WHERE d_w_id BETWEEN $1::int4 AND $2::int4 GROUP BY d_w_id, d_id),
o AS (SELECT o_w_id AS w_id, o_d_id AS d_id, o_id, lag(o_id) OVER district AS before,
             lead(o_id) OVER district IS NULL AS is_last
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4
      WINDOW district AS (PARTITION BY o_w_id, o_d_id ORDER BY o_id)),
offending AS MATERIALIZED (
  SELECT o.*, next FROM o JOIN d USING (w_id, d_id)
  WHERE (o_id = coalesce(before, 0) + 1 AND o_id < next AND NOT (is_last AND o_id < next - 1))
            IS NOT TRUE)
SELECT ARRAY[w_id, d_id, id]::int8[] AS place,
       format('o_w_id=%s o_d_id=%s o_id=%s', w_id, d_id, id) AS key, expected, found
FROM offending
     CROSS JOIN LATERAL (VALUES
       (o_id IS NULL OR o_id < 1 OR o_id >= next, o_id,
        format('o_id within 1..%s, as d_next_o_id = %s', next - 1, next), 'a row of oorder'),
       (o_id = before, o_id, '1 row of oorder', 'another one'),
       (greatest(before, 0) + 1 < least(o_id, next), greatest(before, 0) + 1, '1 row of oorder',
        format('none up to o_id=%s', least(o_id, next) - 1)),
       (is_last AND o_id < next - 1, greatest(o_id, 0) + 1, '1 row of oorder',
        format('none up to o_id=%s', next - 1))) AS judged(offends, id, expected, found)
WHERE offends

--: condition new_order.keys
SELECT ARRAY[no_w_id, no_d_id, no_o_id]::int8[] AS place,
       format('no_w_id=%s no_d_id=%s no_o_id=%s', no_w_id, no_d_id, no_o_id) AS key,
       CASE WHEN no_d_id IS NULL OR no_o_id IS NULL THEN 'a key without null'
            ELSE '1 row of new_order' END AS expected,
       format('%s rows', count(*)) AS found
FROM new_order WHERE no_w_id BETWEEN $1::int4 AND $2::int4
GROUP BY no_w_id, no_d_id, no_o_id
HAVING count(*) > 1 OR no_d_id IS NULL OR no_o_id IS NULL

--: condition order.lines
-- One pass over the lines for two rules. The numbers of an order's lines are kept as bits: as many
-- rows as o_ol_cnt says and all of the bits 1 to o_ol_cnt, then each number is there once.
WITH
o AS (SELECT o_w_id AS w_id, o_d_id AS d_id, o_id, o_ol_cnt::int4 AS due,
             o_all_local::int4 AS all_local
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4),
l AS (SELECT ol_w_id AS w_id, ol_d_id AS d_id, ol_o_id AS o_id, count(*) AS lines,
             bit_or(CASE WHEN ol_number BETWEEN 1 AND 62 THEN 1::int8 << ol_number::int4 END)
                 AS numbers,
             bool_and(ol_supply_w_id = ol_w_id) AS local
      FROM order_line WHERE ol_w_id BETWEEN $1::int4 AND $2::int4
      GROUP BY ol_w_id, ol_d_id, ol_o_id),
every AS (
  SELECT w_id, d_id, o_id, due, all_local, lines, numbers, local::int4 AS local,
         (lines = due
          AND numbers = CASE WHEN due BETWEEN 1 AND 61 THEN (1::int8 << (due + 1)) - 2 END)
             IS TRUE AS complete
  FROM o LEFT JOIN l USING (w_id, d_id, o_id)),
offending AS MATERIALIZED (
  SELECT * FROM every WHERE (complete AND all_local = local) IS NOT TRUE)
SELECT ARRAY[w_id, d_id, o_id, ordinal]::int8[] AS place,
       format('w_id=%s d_id=%s o_id=%s %s', w_id, d_id, o_id, name) AS key, expected, found
FROM offending
     CROSS JOIN LATERAL (VALUES
       (0, 'ol_number', complete, format('1..%s, each once', coalesce(due::text, 'o_ol_cnt')),
        format('%s rows with the numbers %s', coalesce(lines, 0),
               coalesce((SELECT string_agg(n::text, ' ' ORDER BY n) FROM generate_series(1, 62) AS n
                         WHERE (numbers & (1::int8 << n)) <> 0), 'none'))),
       (1, 'o_all_local', (all_local = local) IS TRUE,
        CASE local WHEN 1 THEN '1, as every ol_supply_w_id = o_w_id'
             ELSE '0, as not every ol_supply_w_id = o_w_id' END,
        coalesce(all_local::text, 'null'))) AS judged(ordinal, name, holds, expected, found)
WHERE NOT holds

--: condition order_line.amount
-- Orders 1 to 3,000 come from the load and have random amounts.
SELECT {line_key}
       format('ol_amount = %s x %s', coalesce(ol_quantity::text, 'null'),
              coalesce(@i_price@::text, 'null')) AS expected,
       ol_amount::text AS found
FROM order_line LEFT JOIN item ON i_id = ol_i_id
WHERE ol_w_id BETWEEN $1::int4 AND $2::int4 AND ol_o_id > 3000
      AND (@ol_amount@ = ol_quantity::numeric * @i_price@) IS NOT TRUE

--: condition order_line.dist_info
-- Lines supplied by their own warehouse are joined to its stock, which offenders leave at once. The
-- other lines, one in a hundred, come to the stock of all warehouses.
WITH
l AS NOT MATERIALIZED (
      SELECT ol_w_id, ol_d_id, ol_o_id, ol_number, ol_supply_w_id, ol_i_id,
             ol_dist_info::bpchar AS info
      FROM order_line WHERE ol_w_id BETWEEN $1::int4 AND $2::int4 AND ol_o_id > 3000),
own AS MATERIALIZED (
  SELECT l.*, {district_of_stock} AS dist
  FROM l LEFT JOIN stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id
                            AND s_w_id BETWEEN $1::int4 AND $2::int4
  WHERE ol_supply_w_id = ol_w_id AND (info = {district_of_stock}) IS NOT TRUE),
remote AS MATERIALIZED (SELECT * FROM l WHERE ol_supply_w_id IS DISTINCT FROM ol_w_id),
{remote_dist}
SELECT {line_key}
       format('s_dist_%s of s_w_id=%s s_i_id=%s: %s', lpad(ol_d_id::text, 2, '0'), ol_supply_w_id,
              ol_i_id, coalesce(dist::text, 'no such row')) AS expected,
       coalesce(info::text, 'null') AS found
FROM (SELECT * FROM own UNION ALL SELECT * FROM elsewhere) AS due
WHERE (info = dist) IS NOT TRUE

--: shared warehouse_column
  SELECT {place} AS place, '{table}.{column}' AS name, (SELECT min({column}) FROM {table}) AS first,
         (SELECT max({column}) FROM {table}) AS last,
         EXISTS (SELECT 1 FROM {table} WHERE {column} IS NULL) AS has_null

--: shared district_of_stock
(CASE ol_d_id WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03
 WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07
 WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 WHEN 10 THEN s_dist_10 END)::bpchar

--: shared remote_dist_by_row
-- The stock is looked up line by line: a join would read the stock of all warehouses for each
-- range.
elsewhere AS (
  SELECT remote.*, {district_of_stock} AS dist
  FROM remote LEFT JOIN LATERAL (SELECT * FROM stock WHERE s_w_id = ol_supply_w_id
                                 AND s_i_id = ol_i_id LIMIT 1) AS stock ON true)

--: shared remote_dist_by_join
-- Each node joins the lines to its stock, by the index: it knows how few lines it is sent.
known AS MATERIALIZED (
  SELECT DISTINCT s_w_id, s_i_id, ol_d_id, {district_of_stock} AS dist
  FROM stock JOIN remote ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id),
elsewhere AS (
  SELECT remote.*, dist
  FROM remote LEFT JOIN known ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id
                                 AND known.ol_d_id = remote.ol_d_id)

--: condition stock.counters
--: snapshots several
WITH
l AS (SELECT ol_w_id AS w_id, ol_i_id AS i_id, sum(coalesce(ol_quantity::numeric, 'NaN')) AS ytd,
             count(*) AS order_cnt
      FROM order_line WHERE ol_w_id BETWEEN $1::int4 AND $2::int4 AND ol_supply_w_id = ol_w_id
                            AND ol_o_id > 3000
      GROUP BY ol_w_id, ol_i_id),
remote AS MATERIALIZED (
  SELECT ol_supply_w_id AS w_id, ol_i_id AS i_id,
         sum(coalesce(ol_quantity::numeric, 'NaN')) AS ytd, count(*) AS order_cnt
  FROM order_line WHERE ol_supply_w_id BETWEEN $1::int4 AND $2::int4 AND ol_supply_w_id <> ol_w_id
                        AND ol_o_id > 3000
  GROUP BY ol_supply_w_id, ol_i_id),
s AS (SELECT s_w_id AS w_id, s_i_id AS i_id, s_ytd::numeric, s_order_cnt, s_remote_cnt
      FROM stock WHERE s_w_id BETWEEN $1::int4 AND $2::int4),
every AS (
  SELECT coalesce(s.w_id, l.w_id) AS w_id, coalesce(s.i_id, l.i_id) AS i_id,
         s.w_id IS NOT NULL AS present, s_ytd, s_order_cnt, s_remote_cnt,
         coalesce(l.ytd, 0) + coalesce(remote.ytd, 0) AS ytd,
         coalesce(l.order_cnt, 0) + coalesce(remote.order_cnt, 0) AS order_cnt,
         coalesce(remote.order_cnt, 0) AS remote_cnt
  FROM s FULL JOIN l ON l.w_id = s.w_id AND l.i_id = s.i_id
       LEFT JOIN remote ON remote.w_id = s.w_id AND remote.i_id = s.i_id)
SELECT ARRAY[w_id, i_id]::int8[] AS place, format('w_id=%s i_id=%s', w_id, i_id) AS key,
       format('s_ytd = %s, s_order_cnt = %s, s_remote_cnt = %s', ytd, order_cnt, remote_cnt)
           AS expected,
       CASE WHEN present
            THEN format('%s, %s, %s', coalesce(s_ytd::text, 'null'),
                        coalesce(s_order_cnt::text, 'null'),
                        coalesce(s_remote_cnt::text, 'null'))
            ELSE 'no such stock' END AS found
FROM every
WHERE (s_ytd = ytd AND s_order_cnt = order_cnt AND s_remote_cnt = remote_cnt) IS NOT TRUE

--: condition customer.payments
--: snapshots several
-- The customer's payments: one of 10.00 in the own district comes with the load (clause 4.3.3.1),
-- each Payment adds one. A row of history without its customer is condition 10's.
WITH
h AS (SELECT h_c_w_id AS w_id, h_c_d_id AS d_id, h_c_id AS c_id, count(*) AS payments,
             sum(coalesce(@h_amount@, 'NaN')) AS paid,
             count(*) FILTER (WHERE @h_amount@ = 10 AND h_w_id = h_c_w_id AND h_d_id = h_c_d_id)
                 AS first_payments
      FROM history WHERE h_c_w_id BETWEEN $1::int4 AND $2::int4
      GROUP BY h_c_w_id, h_c_d_id, h_c_id),
every AS (
  SELECT c_w_id AS w_id, c_d_id AS d_id, customer.c_id, c_payment_cnt, @c_ytd_payment@ AS ytd,
         coalesce(payments, 0) AS payments, coalesce(paid, 0) AS paid,
         coalesce(first_payments, 0) AS first_payments
  FROM customer LEFT JOIN h ON h.w_id = c_w_id AND h.d_id = c_d_id AND h.c_id = customer.c_id
  WHERE c_w_id BETWEEN $1::int4 AND $2::int4),
offending AS MATERIALIZED (
  SELECT * FROM every
  WHERE (c_payment_cnt = payments AND ytd = paid AND first_payments > 0) IS NOT TRUE)
SELECT ARRAY[w_id, d_id, c_id, ordinal]::int8[] AS place,
       format('w_id=%s d_id=%s c_id=%s %s', w_id, d_id, c_id, name) AS key, expected, found
FROM offending
     CROSS JOIN LATERAL (VALUES
       (0, 'c_payment_cnt', (c_payment_cnt = payments) IS TRUE,
        format('%s, the number of rows in history', payments), c_payment_cnt::text),
       (1, 'c_ytd_payment', (ytd = paid) IS TRUE, format('sum(h_amount) = %s', paid), ytd::text),
       (2, 'history', first_payments > 0, 'a payment of 10.00 in the own district, from the load',
        'none')) AS judged(ordinal, name, holds, expected, found)
WHERE NOT holds

--: condition customer.data
--: snapshots several
-- Clause 2.5.2.2 puts c_id, c_d_id, c_w_id, d_id, w_id and h_amount of a payment before the c_data
-- of a customer with bad credit, and leaves open what parts them: anything but letters and digits
-- does here, and so does nothing at all. The random text of the load has letters and digits only,
-- so that with others such a beginning is no chance.
WITH
c AS MATERIALIZED (
  SELECT c_w_id, c_d_id, c_id, written, left(text, 60) AS data,
         regexp_match(left(text, 200),
           '^[^0-9A-Za-z]*([0-9]+)[^0-9A-Za-z]+([0-9]+)[^0-9A-Za-z]+([0-9]+)'
           '[^0-9A-Za-z]+([0-9]+)[^0-9A-Za-z]+([0-9]+)[^0-9A-Za-z]+'
           '([0-9]+(?:[.][0-9]+)?)')::numeric[] AS n
  FROM (SELECT c_w_id, c_d_id, c_id, c_data::text AS text,
               c_credit::text = 'BC' AND c_payment_cnt > 1 AS written
        FROM customer WHERE c_w_id BETWEEN $1::int4 AND $2::int4) AS customer
  WHERE written OR left(ltrim(left(text, 20), ' |'), length(c_id::text)) = c_id::text),
paid AS MATERIALIZED (
  SELECT DISTINCT c_w_id, c_d_id, c_id, n, true AS paid
  FROM c JOIN history ON h_c_w_id = c_w_id AND h_c_d_id = c_d_id AND h_c_id = c_id
                         AND h_d_id::numeric = n[4] AND h_w_id::numeric = n[5]
                         AND @h_amount@ = round(n[6], 2)
  WHERE written AND h_c_w_id BETWEEN $1::int4 AND $2::int4),
offending AS (
  SELECT c_w_id, c_d_id, c_id, data,
         'c_id c_d_id c_w_id h_d_id h_w_id h_amount of a payment first, as c_credit = BC'
             AS expected
  FROM c LEFT JOIN paid USING (c_w_id, c_d_id, c_id, n)
  WHERE written
        AND NOT (n IS NULL AND coalesce(left(data, length(concat(c_id, c_d_id, c_w_id)))
                                       = concat(c_id, c_d_id, c_w_id), false))
        AND (paid AND n[1] = c_id AND n[2] = c_d_id AND n[3] = c_w_id) IS NOT TRUE
  UNION ALL
  SELECT c_w_id, c_d_id, c_id, data, 'the text of the load, as no payment is written there'
  FROM c WHERE NOT written AND n[1] = c_id AND n[2] = c_d_id AND n[3] = c_w_id)
SELECT ARRAY[c_w_id, c_d_id, c_id]::int8[] AS place,
       format('w_id=%s d_id=%s c_id=%s', c_w_id, c_d_id, c_id) AS key, expected,
       format('c_data = %s...', coalesce(left(data, 40), 'null')) AS found
FROM offending

--: condition customer.deliveries
-- Orders up to 2,100 were delivered by the load, which counted none of them.
WITH
o AS (SELECT o_w_id, o_d_id, o_c_id, count(*) AS delivered
      FROM oorder WHERE o_w_id BETWEEN $1::int4 AND $2::int4 AND o_id > 2100
                        AND o_carrier_id IS NOT NULL
      GROUP BY o_w_id, o_d_id, o_c_id)
SELECT ARRAY[c_w_id, c_d_id, c_id]::int8[] AS place,
       format('w_id=%s d_id=%s c_id=%s', c_w_id, c_d_id, c_id) AS key,
       format('c_delivery_cnt = %s, the orders delivered since the load', coalesce(delivered, 0))
           AS expected,
       coalesce(c_delivery_cnt::text, 'null') AS found
FROM customer LEFT JOIN o ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id
WHERE c_w_id BETWEEN $1::int4 AND $2::int4
      AND c_delivery_cnt IS DISTINCT FROM coalesce(delivered, 0)

-- Conditions that follow a pattern (catalogue.h).

--: shared in_range
{column} BETWEEN $1::int4 AND $2::int4

--: pattern rows
-- A table without districts has the constant 0 in their place, so that the joins are the same.
WITH
due AS (SELECT w_id, d_id, id, true AS due
        FROM generate_series($1::int4, $2::int4) AS w(w_id),
             generate_series({districts}) AS d(d_id), generate_series({first}, {last}) AS i(id)),
present AS (SELECT {warehouse} AS w_id, {district} AS d_id, {id} AS id, count(*) AS copies
            FROM {table} WHERE {range} GROUP BY 1, 2, 3)
SELECT ARRAY[w_id, d_id, id]::int8[] AS place,
       format('{warehouse}=%s {district_key}{id}=%s', w_id, {district_id}id) AS key,
       CASE WHEN due THEN '1 row of {table}' ELSE 'no such row of {table}' END AS expected,
       coalesce(copies, 0) AS found
FROM due FULL JOIN present USING (w_id, d_id, id)
WHERE (due AND copies = 1) IS NOT TRUE

--: pattern columns
-- VALUES stands after the CTE because Citus casts the text of a timestamp in VALUES only then.
WITH offending AS MATERIALIZED (
  SELECT * FROM {tables}
  WHERE {range} AND ({all_hold}) IS NOT TRUE)
SELECT ARRAY[{key_columns}ordinal]::int8[] AS place,
       format('{key_format}%s', {key_columns}name) AS key, expected, found
FROM offending
     CROSS JOIN LATERAL (VALUES {values}) AS judged(ordinal, name, holds, expected, found)
WHERE NOT holds

--: pattern share
WITH groups_counted AS (
  SELECT {group} AS w_id, count(*) AS total, count(*) FILTER (WHERE {property}) AS counted
  FROM {table} WHERE {range} GROUP BY 1),
judged AS (SELECT w_id, total, counted, total / 10.0 AS due, 6 * sqrt(total * 0.09) AS allowed
           FROM groups_counted)
SELECT ARRAY[w_id]::int8[] AS place, {group_key} AS key,
       format('%s of %s rows with {text}, +- %s', round(due), total, round(allowed))
           AS expected,
       counted AS found
FROM judged WHERE abs(counted - due) > allowed

--: pattern mean
WITH measured AS (
  SELECT {group} AS w_id, avg({column}::float8) AS mean,
         6 * {deviation} / sqrt(count(*)) AS allowed
  FROM {table} WHERE {range} AND {where} GROUP BY 1)
SELECT ARRAY[w_id]::int8[] AS place, {group_key} AS key,
       format('avg({column}) = %s +- %s', {middle}, round(allowed::numeric, 4)) AS expected,
       round(mean::numeric, 4) AS found
FROM measured WHERE (abs(mean - {middle}) <= allowed) IS NOT TRUE

--: shared contains
position('{text}' in {column}) > 0

--: shared equals
{column} = '{text}'

-- Predicates of columns. A char(n) is compared without the blanks at its end, which the random
-- strings never have. Digits after the point are compared as numeric, because binary floating point
-- is inexact.

--: shared must_there
{column} IS NOT NULL

--: shared must_number
{column} BETWEEN {low} AND {high}

--: shared must_flag
{column}::int BETWEEN {low} AND {high}

--: shared must_rate
{column}::numeric BETWEEN {low} AND {high}

--: shared must_money
@{column}@ BETWEEN {low} AND {high}

--: shared must_text
{column}::text = '{low}'

--: shared must_length
length({column}) BETWEEN {low} AND {high}

--: shared must_digits
{column}::text ~ '^[0-9]{{16}}$'

--: shared must_zip
{column}::text ~ '^[0-9]{{4}}11111$'

--: shared must_credit
{column}::text ~ '^(GC|BC)$'

--: shared must_hold
{low}

--: shared agree_h_w_id
w_id IS NOT NULL

--: shared agree_h_d_id
d_id IS NOT NULL

--: shared agree_h_data
CASE WHEN @h_amount@ <> 10 THEN h_data::text = w_name::text || '    ' || d_name::text
ELSE h_data IS NOT NULL END

--: shared agree_ol_supply_w_id
CASE WHEN ol_o_id > 3000 THEN ol_supply_w_id BETWEEN 1 AND (SELECT max(w_id) FROM warehouse)
ELSE ol_supply_w_id = ol_w_id END

--: shared syllables
(ARRAY['BAR','OUGHT','ABLE','PRI','PRES','ESE','ANTI','CALLY','ATION','EING'])

--: shared agree_c_last
-- Customers 1 to 1,000 have the last names of the numbers 0 to 999; a last name is made of three
-- syllables (clause 4.3.2.3).
CASE WHEN c_id BETWEEN 1 AND 1000
THEN c_last::text = {syllables}[(c_id::int - 1) / 100 + 1]
|| {syllables}[(c_id::int - 1) / 10 % 10 + 1] || {syllables}[(c_id::int - 1) % 10 + 1]
ELSE c_last::text ~ '^((BAR)|(OUGHT)|(ABLE)|(PRI)|(PRES)|(ESE)|(ANTI)|(CALLY)|(ATION)|(EING)){{3}}$'
END

--: shared tables of history.values
history LEFT JOIN warehouse ON w_id = h_w_id
LEFT JOIN district ON d_w_id = h_w_id AND d_id = h_d_id

--: shared tables of order_line.columns
order_line LEFT JOIN oorder ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
AND o_w_id BETWEEN $1::int4 AND $2::int4

-- The whole statement. All parameters occur here, because the server refuses a parameter whose type
-- it cannot infer.

--: shared offender_statement
WITH offender AS (
{body}
)
SELECT coalesce(key, 'null')::text AS key, coalesce(expected::text, 'null') AS expected,
       coalesce(found::text, 'null') AS found, count(*) OVER () AS offenders
FROM offender ORDER BY place
LIMIT CASE WHEN $1::int4 <= $2::int4 THEN $3::int4 ELSE 0 END
