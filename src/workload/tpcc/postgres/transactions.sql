-- The statements of the five transactions on PostgreSQL, and what is asked of the data afterwards
-- (resolve.h). Each is sent as one line. A name in braces stands for what several share.

-- New-Order

--: shared s_dist
WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04
WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08
WHEN 9 THEN s_dist_09 WHEN 10 THEN s_dist_10 END

--: statement no_customer
SELECT (c_discount * 10000)::int4, c_last::text, c_credit::text FROM customer
WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = $3::int4

--: statement no_warehouse
SELECT (w_tax * 10000)::int4 FROM warehouse WHERE w_id = $1::int4

--: statement no_take_order_id
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = $1::int4 AND d_id = $2::int4
RETURNING (d_next_o_id - 1)::int4, (d_tax * 10000)::int4

--: statement no_insert_order
INSERT INTO oorder (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
VALUES ($1::int4, $2::int4, $3::int4, $4::int4, localtimestamp, NULL, $5::int4, $6::int4)

--: statement no_insert_new_order
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES ($1::int4, $2::int4, $3::int4)

--: statement no_take_stock
-- Home warehouse, district, then an array a column of the lines. An item that does not exist has no
-- row in the result. Clause 2.4.2.2: the quantity falls by what is ordered, and rises by 91 where
-- less than 10 would be left.
UPDATE stock SET
  s_quantity = CASE WHEN s_quantity >= l.quantity + 10 THEN s_quantity - l.quantity
                    ELSE s_quantity - l.quantity + 91 END,
  s_ytd = s_ytd + l.quantity, s_order_cnt = s_order_cnt + 1,
  s_remote_cnt = s_remote_cnt + CASE WHEN l.w_id = $1::int4 THEN 0 ELSE 1 END
FROM unnest($3::int4[], $4::int4[], $5::int4[], $6::int4[]) AS l(line, i_id, w_id, quantity)
JOIN item ON item.i_id = l.i_id WHERE s_w_id = l.w_id AND s_i_id = l.i_id
RETURNING l.line, (i_price * 100)::int4, s_quantity::int4, CASE $2::int4 {s_dist}, i_name::text,
  i_data::text, s_data::text

--: statement no_insert_lines
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id,
ol_delivery_d, ol_quantity, ol_amount, ol_dist_info)
SELECT $1::int4, $2::int4, $3::int4, l.line, l.i_id, l.w_id, NULL, l.quantity, l.amount * 0.01, l.dist
FROM unnest($4::int4[], $5::int4[], $6::int4[], $7::int4[], $8::int4[], $9::text[])
AS l(line, i_id, w_id, quantity, amount, dist)

--: statement no_item
SELECT (i_price * 100)::int4, i_name::text, i_data::text FROM item WHERE i_id = $1::int4

--: statement no_stock
SELECT s_quantity::int4, CASE $3::int4 {s_dist}, s_data::text FROM stock
WHERE s_w_id = $1::int4 AND s_i_id = $2::int4 FOR UPDATE

--: statement no_update_stock
UPDATE stock SET s_quantity = $3::int4, s_ytd = s_ytd + $4::int4, s_order_cnt = s_order_cnt + 1,
  s_remote_cnt = s_remote_cnt + $5::int4
WHERE s_w_id = $1::int4 AND s_i_id = $2::int4

--: statement no_insert_line
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id,
ol_delivery_d, ol_quantity, ol_amount, ol_dist_info)
VALUES ($1::int4, $2::int4, $3::int4, $4::int4, $5::int4, $6::int4, NULL, $7::int4,
$8::int4 * 0.01, $9::text)

--: statement no_items
SELECT i_id::int4, (i_price * 100)::int4, i_data FROM item WHERE i_id = ANY($1::int4[])

--: statement no_take_stock_of_warehouse
-- $1 s_w_id, $2 1 where it is not the home warehouse, $3 items, $4 quantities; each item once. The
-- statement names one table and one warehouse: Citus then sends it to a shard without planning it
-- anew.
UPDATE stock SET
  s_quantity = s_quantity - ($4::int4[])[array_position($3::int4[], s_i_id::int4)]
    + CASE WHEN s_quantity < 10 + ($4::int4[])[array_position($3::int4[], s_i_id::int4)] THEN 91
      ELSE 0 END,
  s_ytd = s_ytd + ($4::int4[])[array_position($3::int4[], s_i_id::int4)],
  s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + $2::int4
WHERE s_w_id = $1::int4 AND s_i_id = ANY($3::int4[])
RETURNING s_i_id::int4, s_quantity::int4, {s_dist_of_district}, s_data

--: statement no_insert_lines_as_values
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id,
ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES {lines}

--: statement no_district
SELECT d_next_o_id::int4, (d_tax * 10000)::int4 FROM district
WHERE d_w_id = $1::int4 AND d_id = $2::int4 FOR UPDATE

--: statement no_advance_district
UPDATE district SET d_next_o_id = $3::int4 + 1 WHERE d_w_id = $1::int4 AND d_id = $2::int4

-- Payment

--: statement pay_warehouse
UPDATE warehouse SET w_ytd = w_ytd + $2::int4 * 0.01 WHERE w_id = $1::int4
RETURNING w_name::text, w_street_1::text, w_street_2::text, w_city::text, w_state::text,
  w_zip::text

--: statement pay_district
UPDATE district SET d_ytd = d_ytd + $3::int4 * 0.01 WHERE d_w_id = $1::int4 AND d_id = $2::int4
RETURNING d_name::text, d_street_1::text, d_street_2::text, d_city::text, d_state::text,
  d_zip::text

--: shared customer_id_by_name
-- The row of a customer chosen by last name is the one in the middle, by first name, rounded up
-- (clause 2.5.2.2): an expression of $1 = c_w_id, $2 = c_d_id, $3 = c_last. Equal first names are
-- ordered by c_id, so that the choice is the same each time.
(SELECT (array_agg(c_id ORDER BY c_first, c_id))[((count(*) + 1) / 2)::int4] FROM customer
WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_last = $3::text)

--: shared pay_customer
-- $1 c_w_id, $2 c_d_id, $3 c_id or c_last, $4 amount, $5 w_id, $6 d_id. Clause 2.5.2.2: bad credit
-- gets the payment written before what c_data holds, cut at 500 characters.
UPDATE customer SET c_balance = c_balance - $4::int4 * 0.01,
  c_ytd_payment = c_ytd_payment + $4::int4 * 0.01, c_payment_cnt = c_payment_cnt + 1,
  c_data = CASE WHEN c_credit = 'BC' THEN left(concat_ws(' ', c_id, c_d_id, c_w_id, $6::int4,
  $5::int4, $4::int4 * 0.01) || '|' || c_data, 500) ELSE c_data END
WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id =

--: shared paid_customer
RETURNING c_id::int4, c_first::text, c_middle::text, c_last::text, c_street_1::text,
  c_street_2::text, c_city::text, c_state::text, c_zip::text, c_phone::text, c_since::text,
  c_credit::text, (c_credit_lim * 100)::int8, (c_discount * 10000)::int4, (c_balance * 100)::int8,
  left(c_data, 200)

--: statement pay_customer_by_id
{pay_customer} $3::int4 {paid_customer}

--: statement pay_customer_with_data
-- $5: the payment as text, which bad credit gets.
UPDATE customer SET c_balance = c_balance - $4::int4 * 0.01,
  c_ytd_payment = c_ytd_payment + $4::int4 * 0.01, c_payment_cnt = c_payment_cnt + 1,
  c_data = CASE WHEN c_credit = 'BC' THEN left($5::text || c_data, 500) ELSE c_data END
WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = $3::int4
RETURNING c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
  c_since, c_credit, c_credit_lim, c_discount, c_balance, left(c_data, 200)

--: statement pay_customer_by_name
{pay_customer} {customer_id_by_name} {paid_customer}

--: shared history_of_payment
-- Behind the customer's id. $1 c_w_id, $2 c_d_id, $3 c_id or c_last, $4 w_id, $5 d_id, $6 amount,
-- $7 mark. h_data: w_name, four spaces, d_name. A row that is missing in customer, warehouse or
-- district becomes a NULL, which history does not take: so a pipeline that has updated nothing there
-- is not committed either.
$2::int4, $1::int4, $5::int4, $4::int4,
(date_trunc('second', localtimestamp) + $7::int4 * interval '1 microsecond'), $6::int4 * 0.01,
(SELECT w_name FROM warehouse WHERE w_id = $4::int4) || '    ' ||
(SELECT d_name FROM district WHERE d_w_id = $4::int4 AND d_id = $5::int4))

--: statement pay_history_by_id
INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
VALUES ((SELECT c_id FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4
AND c_id = $3::int4), {history_of_payment}

--: statement pay_history_by_name
INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
VALUES ({customer_id_by_name}, {history_of_payment}

--: statement pay_history_values
-- $3 c_id; $8 h_data.
INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
VALUES ($3::int4, $2::int4, $1::int4, $5::int4, $4::int4,
(date_trunc('second', localtimestamp) + $7::int4 * interval '1 microsecond'), $6::int4 * 0.01,
$8::text)

--: statement pay_find_by_name
SELECT c_id::int4 FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4
AND c_last = $3::text ORDER BY c_first, c_id

--: statement pay_get_customer
SELECT c_first::text, c_middle::text, c_last::text, c_street_1::text, c_street_2::text,
  c_city::text, c_state::text, c_zip::text, c_phone::text, c_since::text, c_credit::text,
  (c_credit_lim * 100)::int8, (c_discount * 10000)::int4, (c_balance * 100)::int8
FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = $3::int4 FOR UPDATE

-- Order-Status

--: shared customer_columns
c_id::int4 AS c_id, c_first::text, c_middle::text, c_last::text, (c_balance * 100)::int8 AS balance

--: shared line_columns
ol_i_id::int4, ol_supply_w_id::int4, ol_quantity::int4, (ol_amount * 100)::int4,
ol_delivery_d::text

--: shared newest_order_of_c
o AS (SELECT o_id, o_entry_d, o_carrier_id FROM oorder WHERE o_w_id = $1::int4
AND o_d_id = $2::int4 AND o_c_id = (SELECT c_id FROM c) ORDER BY o_id DESC LIMIT 1)
SELECT c.*, o_id::int4, o_entry_d::text, o_carrier_id::int4,

--: shared with_lines_of_o
FROM c LEFT JOIN o ON true LEFT JOIN order_line ON ol_w_id = $1::int4
AND ol_d_id = $2::int4 AND ol_o_id = o.o_id

--: statement os_by_id
-- $1 c_w_id, $2 c_d_id, $3 c_id; by name, $3 is c_last.
WITH c AS (SELECT {customer_columns} FROM customer
WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = $3::int4),
{newest_order_of_c} {line_columns} {with_lines_of_o}

--: statement os_by_name
WITH c AS (SELECT {customer_columns} FROM customer
WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = {customer_id_by_name}),
{newest_order_of_c} {line_columns} {with_lines_of_o}

--: statement os_begin
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY

--: statement os_customer_by_id
SELECT {customer_columns} FROM customer
WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = $3::int4

--: statement os_customers_by_name
SELECT {customer_columns} FROM customer
WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_last = $3::text ORDER BY c_first, c_id

--: statement os_last_order
SELECT o_id::int4, o_entry_d::text, o_carrier_id::int4 FROM oorder
WHERE o_w_id = $1::int4 AND o_d_id = $2::int4 AND o_c_id = $3::int4 ORDER BY o_id DESC LIMIT 1

--: statement os_lines
SELECT {line_columns} FROM order_line
WHERE ol_w_id = $1::int4 AND ol_d_id = $2::int4 AND ol_o_id = $3::int4

-- Delivery

--: statement dl_deliver
-- $1 w_id, $2 carrier, $3 mark. A row for each district in which an order was delivered, and one of
-- nulls where there was none at all. The division fails, and with it the whole of the statement,
-- where an order has no row in oorder or its customer is not there.
WITH oldest AS (SELECT d.id AS d_id, n.no_o_id FROM generate_series(1, 10) AS d(id)
CROSS JOIN LATERAL (SELECT no_o_id FROM new_order WHERE no_w_id = $1::int4
AND no_d_id = d.id ORDER BY no_o_id LIMIT 1 FOR UPDATE) AS n),
taken AS (DELETE FROM new_order USING oldest WHERE no_w_id = $1::int4
AND no_d_id = oldest.d_id AND new_order.no_o_id = oldest.no_o_id
RETURNING no_d_id, new_order.no_o_id),
orders AS (UPDATE oorder SET o_carrier_id = $2::int4 FROM taken WHERE o_w_id = $1::int4
AND o_d_id = no_d_id AND o_id = no_o_id RETURNING o_d_id, o_id, o_c_id),
lines AS (UPDATE order_line SET ol_delivery_d =
(date_trunc('second', localtimestamp) + $3::int4 * interval '1 microsecond') FROM taken
WHERE ol_w_id = $1::int4 AND ol_d_id = no_d_id AND ol_o_id = no_o_id
RETURNING ol_d_id, ol_amount),
totals AS (SELECT o_d_id, o_id, o_c_id, (SELECT sum(ol_amount) FROM lines
WHERE ol_d_id = o_d_id) AS amount FROM orders),
paid AS (UPDATE customer SET c_balance = c_balance + amount, c_delivery_cnt = c_delivery_cnt + 1
FROM totals WHERE c_w_id = $1::int4 AND c_d_id = o_d_id AND c_id = o_c_id
RETURNING 1),
counts AS (SELECT (SELECT count(*) FROM taken)::int4 AS taken,
(SELECT count(*) FROM paid)::int4 AS paid)
SELECT counts.taken / (counts.taken = paid)::int4, no_d_id::int4, no_o_id::int4
FROM counts LEFT JOIN taken ON true

--: statement dl_oldest
SELECT no_o_id::int4 FROM new_order WHERE no_w_id = $1::int4 AND no_d_id = $2::int4
ORDER BY no_o_id LIMIT 1 FOR UPDATE

--: statement dl_delete
DELETE FROM new_order WHERE no_w_id = $1::int4 AND no_d_id = $2::int4 AND no_o_id = $3::int4

--: statement dl_customer_id
SELECT o_c_id::int4 FROM oorder WHERE o_w_id = $1::int4 AND o_d_id = $2::int4 AND o_id = $3::int4

--: statement dl_carrier
UPDATE oorder SET o_carrier_id = $4::int4
WHERE o_w_id = $1::int4 AND o_d_id = $2::int4 AND o_id = $3::int4

--: statement dl_date
UPDATE order_line SET ol_delivery_d =
(date_trunc('second', localtimestamp) + $4::int4 * interval '1 microsecond')
WHERE ol_w_id = $1::int4 AND ol_d_id = $2::int4 AND ol_o_id = $3::int4

--: statement dl_sum
SELECT (sum(ol_amount) * 100)::int8 FROM order_line
WHERE ol_w_id = $1::int4 AND ol_d_id = $2::int4 AND ol_o_id = $3::int4

--: statement dl_customer
UPDATE customer SET c_balance = c_balance + $4::int8 * 0.01, c_delivery_cnt = c_delivery_cnt + 1
WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = $3::int4

-- Stock-Level

--: statement sl_count
-- The bounds are subselects and not a join: their range is then expected to be narrow, and the plan
-- goes from the few lines to their stock instead of reading all of it. Where there is no district
-- there is no row.
WITH following AS (SELECT d_next_o_id FROM district WHERE d_w_id = $1::int4 AND d_id = $2::int4)
SELECT (SELECT count(DISTINCT s_i_id)::int4 FROM order_line JOIN stock ON s_w_id = ol_w_id
AND s_i_id = ol_i_id WHERE ol_w_id = $1::int4 AND ol_d_id = $2::int4
AND ol_o_id >= (SELECT d_next_o_id - 20 FROM following)
AND ol_o_id < (SELECT d_next_o_id FROM following)
AND s_w_id = $1::int4 AND s_quantity < $3::int4) FROM following

--: statement sl_next_order
SELECT d_next_o_id::int4 FROM district WHERE d_w_id = $1::int4 AND d_id = $2::int4

--: statement sl_count_since
SELECT count(DISTINCT s_i_id)::int4 FROM order_line JOIN stock ON s_w_id = ol_w_id
AND s_i_id = ol_i_id WHERE ol_w_id = $1::int4 AND ol_d_id = $2::int4
AND ol_o_id >= $3::int4 - 20 AND ol_o_id < $3::int4 AND s_w_id = $1::int4 AND s_quantity < $4::int4

-- What became of commits that were never answered.

--: statement keeps_marks
-- The marks are microseconds: a table that stores whole seconds, as another tool may have made it,
-- has lost them.
SELECT coalesce(bool_and(format_type(atttypid, atttypmod) IN
('timestamp without time zone', 'timestamp with time zone')), false) FROM pg_attribute
WHERE (attrelid = to_regclass('history') AND attname = 'h_date')
OR (attrelid = to_regclass('order_line') AND attname = 'ol_delivery_d')

--: statement find_new_orders
-- How many lines each order of the warehouse $1 has, and how many of them are its own.
SELECT n, count(ol_number), count(line)
FROM unnest($2::int4[], $3::int4[], $4::int4[]) AS o(n, d_id, o_id)
LEFT JOIN order_line ON ol_w_id = $1::int4 AND ol_d_id = d_id AND ol_o_id = o_id
LEFT JOIN unnest($5::int4[], $6::int4[], $7::int4[], $8::int4[], $9::int4[])
AS l(whose, line, i_id, s_w_id, quantity) ON whose = n AND ol_number = line AND ol_i_id = i_id
AND ol_supply_w_id = s_w_id AND ol_quantity = quantity
GROUP BY n

--: statement find_payments
-- History has no index: one pass for all of them. Each shard of Citus answers with the few rows that
-- have a mark of theirs. A customer named by last name (c_id 0) is known well enough by the rest.
SELECT n, count(h_amount) FROM unnest($1::int4[], $2::int4[], $3::int4[], $4::int4[], $5::int4[],
$6::int4[], $7::int4[], $8::int4[]) AS p(n, w_id, d_id, c_w_id, c_d_id, c_id, cents, mark)
LEFT JOIN (SELECT h_w_id, h_d_id, h_c_w_id, h_c_d_id, h_c_id, h_amount,
extract(microseconds FROM h_date)::int8 % 1000000 AS h_mark FROM history
WHERE h_w_id = ANY ($2::int4[]) AND h_date >= $9::text::timestamp - interval '1 hour'
AND extract(microseconds FROM h_date)::int8 % 1000000 = ANY ($8::int4[])) AS written
ON h_w_id = w_id AND h_d_id = d_id AND h_c_w_id = c_w_id AND h_c_d_id = c_d_id
AND (c_id = 0 OR h_c_id = c_id) AND h_amount = cents * 0.01 AND h_mark = mark
GROUP BY n

--: statement find_deliveries
-- Lines have no index by their date: one pass over a warehouse for all of its Deliveries.
WITH lines AS (SELECT ol_d_id, o_carrier_id,
extract(microseconds FROM ol_delivery_d)::int8 % 1000000 AS microseconds
FROM order_line JOIN oorder ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
WHERE ol_w_id = $1::int4 AND ol_delivery_d >= $5::text::timestamp - interval '1 hour')
SELECT n, count(DISTINCT ol_d_id) FROM unnest($2::int4[], $3::int4[], $4::int4[])
AS d(n, carrier_id, mark) LEFT JOIN lines ON o_carrier_id = carrier_id AND microseconds = mark
GROUP BY n
