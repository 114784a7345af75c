-- What Drover sends to Spanner (PGAdapter) (--dialect spanner).
-- Not tried against a server of it.

-- drover tpcc init

CREATE TABLE "warehouse" (
  w_id bigint NOT NULL,
  w_name varchar(10) NOT NULL,
  w_street_1 varchar(20) NOT NULL,
  w_street_2 varchar(20) NOT NULL,
  w_city varchar(20) NOT NULL,
  w_state varchar(2) NOT NULL,
  w_zip varchar(9) NOT NULL,
  w_tax numeric NOT NULL,
  w_ytd numeric NOT NULL,
  CONSTRAINT "warehouse_pkey" PRIMARY KEY (w_id)
);
CREATE TABLE "district" (
  d_w_id bigint NOT NULL,
  d_id bigint NOT NULL,
  d_name varchar(10) NOT NULL,
  d_street_1 varchar(20) NOT NULL,
  d_street_2 varchar(20) NOT NULL,
  d_city varchar(20) NOT NULL,
  d_state varchar(2) NOT NULL,
  d_zip varchar(9) NOT NULL,
  d_tax numeric NOT NULL,
  d_ytd numeric NOT NULL,
  d_next_o_id bigint NOT NULL,
  CONSTRAINT "district_pkey" PRIMARY KEY (d_w_id, d_id)
);
CREATE TABLE "customer" (
  c_w_id bigint NOT NULL,
  c_d_id bigint NOT NULL,
  c_id bigint NOT NULL,
  c_first varchar(16) NOT NULL,
  c_middle varchar(2) NOT NULL,
  c_last varchar(16) NOT NULL,
  c_street_1 varchar(20) NOT NULL,
  c_street_2 varchar(20) NOT NULL,
  c_city varchar(20) NOT NULL,
  c_state varchar(2) NOT NULL,
  c_zip varchar(9) NOT NULL,
  c_phone varchar(16) NOT NULL,
  c_since timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP,
  c_credit varchar(2) NOT NULL,
  c_credit_lim numeric NOT NULL,
  c_discount numeric NOT NULL,
  c_balance numeric NOT NULL,
  c_ytd_payment numeric NOT NULL,
  c_payment_cnt bigint NOT NULL,
  c_delivery_cnt bigint NOT NULL,
  c_data varchar(500) NOT NULL,
  CONSTRAINT "customer_pkey" PRIMARY KEY (c_w_id, c_d_id, c_id)
);
CREATE TABLE "history" (
  h_c_id bigint NOT NULL,
  h_c_d_id bigint NOT NULL,
  h_c_w_id bigint NOT NULL,
  h_d_id bigint NOT NULL,
  h_w_id bigint NOT NULL,
  h_date timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP,
  h_amount numeric NOT NULL,
  h_data varchar(24) NOT NULL,
  h_id varchar(36) NOT NULL DEFAULT spanner.generate_uuid(),
  CONSTRAINT "history_pkey" PRIMARY KEY (h_w_id, h_id)
);
CREATE TABLE "new_order" (
  no_w_id bigint NOT NULL,
  no_d_id bigint NOT NULL,
  no_o_id bigint NOT NULL,
  CONSTRAINT "new_order_pkey" PRIMARY KEY (no_w_id, no_d_id, no_o_id)
);
CREATE TABLE "oorder" (
  o_w_id bigint NOT NULL,
  o_d_id bigint NOT NULL,
  o_id bigint NOT NULL,
  o_c_id bigint NOT NULL,
  o_entry_d timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP,
  o_carrier_id bigint,
  o_ol_cnt bigint NOT NULL,
  o_all_local bigint NOT NULL,
  CONSTRAINT "oorder_pkey" PRIMARY KEY (o_w_id, o_d_id, o_id)
);
CREATE TABLE "order_line" (
  ol_w_id bigint NOT NULL,
  ol_d_id bigint NOT NULL,
  ol_o_id bigint NOT NULL,
  ol_number bigint NOT NULL,
  ol_i_id bigint NOT NULL,
  ol_supply_w_id bigint NOT NULL,
  ol_delivery_d timestamptz,
  ol_quantity bigint NOT NULL,
  ol_amount numeric NOT NULL,
  ol_dist_info varchar(24) NOT NULL,
  CONSTRAINT "order_line_pkey" PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)
);
CREATE TABLE "item" (
  i_id bigint NOT NULL,
  i_im_id bigint NOT NULL,
  i_name varchar(24) NOT NULL,
  i_price numeric NOT NULL,
  i_data varchar(50) NOT NULL,
  CONSTRAINT "item_pkey" PRIMARY KEY (i_id)
);
CREATE TABLE "stock" (
  s_w_id bigint NOT NULL,
  s_i_id bigint NOT NULL,
  s_quantity bigint NOT NULL,
  s_dist_01 varchar(24) NOT NULL,
  s_dist_02 varchar(24) NOT NULL,
  s_dist_03 varchar(24) NOT NULL,
  s_dist_04 varchar(24) NOT NULL,
  s_dist_05 varchar(24) NOT NULL,
  s_dist_06 varchar(24) NOT NULL,
  s_dist_07 varchar(24) NOT NULL,
  s_dist_08 varchar(24) NOT NULL,
  s_dist_09 varchar(24) NOT NULL,
  s_dist_10 varchar(24) NOT NULL,
  s_ytd bigint NOT NULL,
  s_order_cnt bigint NOT NULL,
  s_remote_cnt bigint NOT NULL,
  s_data varchar(50) NOT NULL,
  CONSTRAINT "stock_pkey" PRIMARY KEY (s_w_id, s_i_id)
);
CREATE TABLE "drover_tpcc" (
  id bigint NOT NULL DEFAULT 1 PRIMARY KEY,
  import_owner text,
  import_beat bigint NOT NULL DEFAULT 0,
  format_version bigint NOT NULL,
  foreign_keys text NOT NULL,
  seed numeric,
  load_time_us bigint,
  c_last bigint,
  c_id bigint,
  ol_i_id bigint,
  warehouses bigint,
  complete boolean NOT NULL DEFAULT false
);
CREATE TABLE "drover_tpcc_loaded" (w_id bigint PRIMARY KEY, rows bigint NOT NULL);
CREATE TABLE "drover_tpcc_progress" (w_id bigint, table_name varchar(20), next bigint NOT NULL, rows bigint NOT NULL, PRIMARY KEY (w_id, table_name));
INSERT INTO "drover_tpcc" (format_version, foreign_keys) VALUES (1, 'none');

-- drover tpcc import

-- No transaction writes more than 2000 rows.
COPY "warehouse" ("w_id", "w_name", "w_street_1", "w_street_2", "w_city", "w_state", "w_zip", "w_tax", "w_ytd") FROM STDIN (FORMAT binary);
COPY "district" ("d_w_id", "d_id", "d_name", "d_street_1", "d_street_2", "d_city", "d_state", "d_zip", "d_tax", "d_ytd", "d_next_o_id") FROM STDIN (FORMAT binary);
COPY "customer" ("c_w_id", "c_d_id", "c_id", "c_first", "c_middle", "c_last", "c_street_1", "c_street_2", "c_city", "c_state", "c_zip", "c_phone", "c_since", "c_credit", "c_credit_lim", "c_discount", "c_balance", "c_ytd_payment", "c_payment_cnt", "c_delivery_cnt", "c_data") FROM STDIN (FORMAT binary);
COPY "history" ("h_c_id", "h_c_d_id", "h_c_w_id", "h_d_id", "h_w_id", "h_date", "h_amount", "h_data") FROM STDIN (FORMAT binary);
COPY "new_order" ("no_w_id", "no_d_id", "no_o_id") FROM STDIN (FORMAT binary);
COPY "oorder" ("o_w_id", "o_d_id", "o_id", "o_c_id", "o_entry_d", "o_carrier_id", "o_ol_cnt", "o_all_local") FROM STDIN (FORMAT binary);
COPY "order_line" ("ol_w_id", "ol_d_id", "ol_o_id", "ol_number", "ol_i_id", "ol_supply_w_id", "ol_delivery_d", "ol_quantity", "ol_amount", "ol_dist_info") FROM STDIN (FORMAT binary);
COPY "item" ("i_id", "i_im_id", "i_name", "i_price", "i_data") FROM STDIN (FORMAT binary);
COPY "stock" ("s_w_id", "s_i_id", "s_quantity", "s_dist_01", "s_dist_02", "s_dist_03", "s_dist_04", "s_dist_05", "s_dist_06", "s_dist_07", "s_dist_08", "s_dist_09", "s_dist_10", "s_ytd", "s_order_cnt", "s_remote_cnt", "s_data") FROM STDIN (FORMAT binary);
CREATE INDEX IF NOT EXISTS "idx_customer_name" ON "customer" (c_w_id, c_d_id, c_last, c_first);
CREATE INDEX IF NOT EXISTS "idx_order" ON "oorder" (o_w_id, o_d_id, o_c_id, o_id);

-- drover tpcc run --statements batched

-- begin
BEGIN;
-- commit
COMMIT;
-- rollback
ROLLBACK;
-- no_customer
SELECT (c_discount * 10000)::bigint, c_last::text, c_credit::text FROM customer WHERE c_w_id = $1::bigint AND c_d_id = $2::bigint AND c_id = $3::bigint;
-- no_warehouse
SELECT (w_tax * 10000)::bigint FROM warehouse WHERE w_id = $1::bigint;
-- no_take_order_id
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = $1::bigint AND d_id = $2::bigint RETURNING (d_next_o_id - 1)::bigint, (d_tax * 10000)::bigint;
-- no_insert_order
INSERT INTO oorder (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local) VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bigint, current_timestamp, NULL, $5::bigint, $6::bigint);
-- no_insert_new_order
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES ($1::bigint, $2::bigint, $3::bigint);
-- no_item
SELECT (i_price * 100)::bigint, i_name::text, i_data::text FROM item WHERE i_id = $1::bigint;
-- no_stock
SELECT s_quantity::bigint, CASE $3::bigint WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 WHEN 10 THEN s_dist_10 END, s_data::text FROM stock WHERE s_w_id = $1::bigint AND s_i_id = $2::bigint FOR UPDATE;
-- no_update_stock
UPDATE stock SET s_quantity = $3::bigint, s_ytd = s_ytd + $4::bigint, s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + $5::bigint WHERE s_w_id = $1::bigint AND s_i_id = $2::bigint;
-- no_insert_line
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bigint, NULL, $7::bigint, $8::bigint * 0.01, $9::text);
-- pay_warehouse
UPDATE warehouse SET w_ytd = w_ytd + $2::bigint * 0.01 WHERE w_id = $1::bigint RETURNING w_name::text, w_street_1::text, w_street_2::text, w_city::text, w_state::text, w_zip::text;
-- pay_district
UPDATE district SET d_ytd = d_ytd + $3::bigint * 0.01 WHERE d_w_id = $1::bigint AND d_id = $2::bigint RETURNING d_name::text, d_street_1::text, d_street_2::text, d_city::text, d_state::text, d_zip::text;
-- pay_find_by_name
SELECT c_id::bigint FROM customer WHERE c_w_id = $1::bigint AND c_d_id = $2::bigint AND c_last = $3::text ORDER BY c_first, c_id;
-- pay_customer_by_id
UPDATE customer SET c_balance = c_balance - $4::bigint * 0.01, c_ytd_payment = c_ytd_payment + $4::bigint * 0.01, c_payment_cnt = c_payment_cnt + 1, c_data = CASE WHEN c_credit = 'BC' THEN left((c_id::text || ' ' || c_d_id::text || ' ' || c_w_id::text || ' ' || ($6::bigint)::text || ' ' || ($5::bigint)::text || ' ' || ($4::bigint * 0.01)::text) || '|' || c_data, 500) ELSE c_data END WHERE c_w_id = $1::bigint AND c_d_id = $2::bigint AND c_id = $3::bigint RETURNING c_id::bigint, c_first::text, c_middle::text, c_last::text, c_street_1::text, c_street_2::text, c_city::text, c_state::text, c_zip::text, c_phone::text, c_since::text, c_credit::text, (c_credit_lim * 100)::int8, (c_discount * 10000)::bigint, (c_balance * 100)::int8, left(c_data, 200);
-- pay_history_values
INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES ($3::bigint, $2::bigint, $1::bigint, $5::bigint, $4::bigint, (date_trunc('second', current_timestamp) + $7::bigint * interval '1 microsecond'), $6::bigint * 0.01, $8::text);
-- os_begin
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
-- os_customer_by_id
SELECT c_id::bigint AS c_id, c_first::text, c_middle::text, c_last::text, (c_balance * 100)::int8 AS balance FROM customer WHERE c_w_id = $1::bigint AND c_d_id = $2::bigint AND c_id = $3::bigint;
-- os_customers_by_name
SELECT c_id::bigint AS c_id, c_first::text, c_middle::text, c_last::text, (c_balance * 100)::int8 AS balance FROM customer WHERE c_w_id = $1::bigint AND c_d_id = $2::bigint AND c_last = $3::text ORDER BY c_first, c_id;
-- os_last_order
SELECT o_id::bigint, o_entry_d::text, o_carrier_id::bigint FROM oorder WHERE o_w_id = $1::bigint AND o_d_id = $2::bigint AND o_c_id = $3::bigint ORDER BY o_id DESC LIMIT 1;
-- os_lines
SELECT ol_i_id::bigint, ol_supply_w_id::bigint, ol_quantity::bigint, (ol_amount * 100)::bigint, ol_delivery_d::text FROM order_line WHERE ol_w_id = $1::bigint AND ol_d_id = $2::bigint AND ol_o_id = $3::bigint;
-- dl_oldest
SELECT no_o_id::bigint FROM new_order WHERE no_w_id = $1::bigint AND no_d_id = $2::bigint ORDER BY no_o_id LIMIT 1 FOR UPDATE;
-- dl_delete
DELETE FROM new_order WHERE no_w_id = $1::bigint AND no_d_id = $2::bigint AND no_o_id = $3::bigint;
-- dl_customer_id
SELECT o_c_id::bigint FROM oorder WHERE o_w_id = $1::bigint AND o_d_id = $2::bigint AND o_id = $3::bigint;
-- dl_carrier
UPDATE oorder SET o_carrier_id = $4::bigint WHERE o_w_id = $1::bigint AND o_d_id = $2::bigint AND o_id = $3::bigint;
-- dl_date
UPDATE order_line SET ol_delivery_d = (date_trunc('second', current_timestamp) + $4::bigint * interval '1 microsecond') WHERE ol_w_id = $1::bigint AND ol_d_id = $2::bigint AND ol_o_id = $3::bigint;
-- dl_sum
SELECT (sum(ol_amount) * 100)::int8 FROM order_line WHERE ol_w_id = $1::bigint AND ol_d_id = $2::bigint AND ol_o_id = $3::bigint;
-- dl_customer
UPDATE customer SET c_balance = c_balance + $4::int8 * 0.01, c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = $1::bigint AND c_d_id = $2::bigint AND c_id = $3::bigint;
-- sl_next_order
SELECT d_next_o_id::bigint FROM district WHERE d_w_id = $1::bigint AND d_id = $2::bigint;
-- sl_count_since
SELECT count(DISTINCT s_i_id)::bigint FROM order_line JOIN stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id WHERE ol_w_id = $1::bigint AND ol_d_id = $2::bigint AND ol_o_id >= $3::bigint - 20 AND ol_o_id < $3::bigint AND s_w_id = $1::bigint AND s_quantity < $4::bigint;

-- drover tpcc run --statements single

-- begin
BEGIN;
-- commit
COMMIT;
-- rollback
ROLLBACK;
-- no_customer
SELECT (c_discount * 10000)::bigint, c_last::text, c_credit::text FROM customer WHERE c_w_id = $1::bigint AND c_d_id = $2::bigint AND c_id = $3::bigint;
-- no_warehouse
SELECT (w_tax * 10000)::bigint FROM warehouse WHERE w_id = $1::bigint;
-- no_district
SELECT d_next_o_id::bigint, (d_tax * 10000)::bigint FROM district WHERE d_w_id = $1::bigint AND d_id = $2::bigint FOR UPDATE;
-- no_advance_district
UPDATE district SET d_next_o_id = $3::bigint + 1 WHERE d_w_id = $1::bigint AND d_id = $2::bigint;
-- no_insert_order
INSERT INTO oorder (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local) VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bigint, current_timestamp, NULL, $5::bigint, $6::bigint);
-- no_insert_new_order
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES ($1::bigint, $2::bigint, $3::bigint);
-- no_item
SELECT (i_price * 100)::bigint, i_name::text, i_data::text FROM item WHERE i_id = $1::bigint;
-- no_stock
SELECT s_quantity::bigint, CASE $3::bigint WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 WHEN 10 THEN s_dist_10 END, s_data::text FROM stock WHERE s_w_id = $1::bigint AND s_i_id = $2::bigint FOR UPDATE;
-- no_update_stock
UPDATE stock SET s_quantity = $3::bigint, s_ytd = s_ytd + $4::bigint, s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + $5::bigint WHERE s_w_id = $1::bigint AND s_i_id = $2::bigint;
-- no_insert_line
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bigint, NULL, $7::bigint, $8::bigint * 0.01, $9::text);
-- pay_warehouse
UPDATE warehouse SET w_ytd = w_ytd + $2::bigint * 0.01 WHERE w_id = $1::bigint RETURNING w_name::text, w_street_1::text, w_street_2::text, w_city::text, w_state::text, w_zip::text;
-- pay_district
UPDATE district SET d_ytd = d_ytd + $3::bigint * 0.01 WHERE d_w_id = $1::bigint AND d_id = $2::bigint RETURNING d_name::text, d_street_1::text, d_street_2::text, d_city::text, d_state::text, d_zip::text;
-- pay_find_by_name
SELECT c_id::bigint FROM customer WHERE c_w_id = $1::bigint AND c_d_id = $2::bigint AND c_last = $3::text ORDER BY c_first, c_id;
-- pay_customer_by_id
UPDATE customer SET c_balance = c_balance - $4::bigint * 0.01, c_ytd_payment = c_ytd_payment + $4::bigint * 0.01, c_payment_cnt = c_payment_cnt + 1, c_data = CASE WHEN c_credit = 'BC' THEN left((c_id::text || ' ' || c_d_id::text || ' ' || c_w_id::text || ' ' || ($6::bigint)::text || ' ' || ($5::bigint)::text || ' ' || ($4::bigint * 0.01)::text) || '|' || c_data, 500) ELSE c_data END WHERE c_w_id = $1::bigint AND c_d_id = $2::bigint AND c_id = $3::bigint RETURNING c_id::bigint, c_first::text, c_middle::text, c_last::text, c_street_1::text, c_street_2::text, c_city::text, c_state::text, c_zip::text, c_phone::text, c_since::text, c_credit::text, (c_credit_lim * 100)::int8, (c_discount * 10000)::bigint, (c_balance * 100)::int8, left(c_data, 200);
-- pay_history_values
INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES ($3::bigint, $2::bigint, $1::bigint, $5::bigint, $4::bigint, (date_trunc('second', current_timestamp) + $7::bigint * interval '1 microsecond'), $6::bigint * 0.01, $8::text);
-- os_begin
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
-- os_customer_by_id
SELECT c_id::bigint AS c_id, c_first::text, c_middle::text, c_last::text, (c_balance * 100)::int8 AS balance FROM customer WHERE c_w_id = $1::bigint AND c_d_id = $2::bigint AND c_id = $3::bigint;
-- os_customers_by_name
SELECT c_id::bigint AS c_id, c_first::text, c_middle::text, c_last::text, (c_balance * 100)::int8 AS balance FROM customer WHERE c_w_id = $1::bigint AND c_d_id = $2::bigint AND c_last = $3::text ORDER BY c_first, c_id;
-- os_last_order
SELECT o_id::bigint, o_entry_d::text, o_carrier_id::bigint FROM oorder WHERE o_w_id = $1::bigint AND o_d_id = $2::bigint AND o_c_id = $3::bigint ORDER BY o_id DESC LIMIT 1;
-- os_lines
SELECT ol_i_id::bigint, ol_supply_w_id::bigint, ol_quantity::bigint, (ol_amount * 100)::bigint, ol_delivery_d::text FROM order_line WHERE ol_w_id = $1::bigint AND ol_d_id = $2::bigint AND ol_o_id = $3::bigint;
-- dl_oldest
SELECT no_o_id::bigint FROM new_order WHERE no_w_id = $1::bigint AND no_d_id = $2::bigint ORDER BY no_o_id LIMIT 1 FOR UPDATE;
-- dl_delete
DELETE FROM new_order WHERE no_w_id = $1::bigint AND no_d_id = $2::bigint AND no_o_id = $3::bigint;
-- dl_customer_id
SELECT o_c_id::bigint FROM oorder WHERE o_w_id = $1::bigint AND o_d_id = $2::bigint AND o_id = $3::bigint;
-- dl_carrier
UPDATE oorder SET o_carrier_id = $4::bigint WHERE o_w_id = $1::bigint AND o_d_id = $2::bigint AND o_id = $3::bigint;
-- dl_date
UPDATE order_line SET ol_delivery_d = (date_trunc('second', current_timestamp) + $4::bigint * interval '1 microsecond') WHERE ol_w_id = $1::bigint AND ol_d_id = $2::bigint AND ol_o_id = $3::bigint;
-- dl_sum
SELECT (sum(ol_amount) * 100)::int8 FROM order_line WHERE ol_w_id = $1::bigint AND ol_d_id = $2::bigint AND ol_o_id = $3::bigint;
-- dl_customer
UPDATE customer SET c_balance = c_balance + $4::int8 * 0.01, c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = $1::bigint AND c_d_id = $2::bigint AND c_id = $3::bigint;
-- sl_next_order
SELECT d_next_o_id::bigint FROM district WHERE d_w_id = $1::bigint AND d_id = $2::bigint;
-- sl_count_since
SELECT count(DISTINCT s_i_id)::bigint FROM order_line JOIN stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id WHERE ol_w_id = $1::bigint AND ol_d_id = $2::bigint AND ol_o_id >= $3::bigint - 20 AND ol_o_id < $3::bigint AND s_w_id = $1::bigint AND s_quantity < $4::bigint;
