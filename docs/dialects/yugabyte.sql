-- What Drover sends to YugabyteDB (--dialect yugabyte).
-- Support: experimental and not tested against a server.

-- drover tpcc init

CREATE TABLE "warehouse" (
  w_id int NOT NULL,
  w_name varchar(10) NOT NULL,
  w_street_1 varchar(20) NOT NULL,
  w_street_2 varchar(20) NOT NULL,
  w_city varchar(20) NOT NULL,
  w_state char(2) NOT NULL,
  w_zip char(9) NOT NULL,
  w_tax numeric(4,4) NOT NULL,
  w_ytd numeric(18,2) NOT NULL,
  CONSTRAINT "warehouse_pkey" PRIMARY KEY (w_id HASH)
);
CREATE TABLE "district" (
  d_w_id int NOT NULL,
  d_id int NOT NULL,
  d_name varchar(10) NOT NULL,
  d_street_1 varchar(20) NOT NULL,
  d_street_2 varchar(20) NOT NULL,
  d_city varchar(20) NOT NULL,
  d_state char(2) NOT NULL,
  d_zip char(9) NOT NULL,
  d_tax numeric(4,4) NOT NULL,
  d_ytd numeric(18,2) NOT NULL,
  d_next_o_id int NOT NULL,
  CONSTRAINT "district_pkey" PRIMARY KEY ((d_w_id, d_id) HASH)
);
CREATE TABLE "customer" (
  c_w_id int NOT NULL,
  c_d_id int NOT NULL,
  c_id int NOT NULL,
  c_first varchar(16) NOT NULL,
  c_middle char(2) NOT NULL,
  c_last varchar(16) NOT NULL,
  c_street_1 varchar(20) NOT NULL,
  c_street_2 varchar(20) NOT NULL,
  c_city varchar(20) NOT NULL,
  c_state char(2) NOT NULL,
  c_zip char(9) NOT NULL,
  c_phone char(16) NOT NULL,
  c_since timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  c_credit char(2) NOT NULL,
  c_credit_lim numeric(12,2) NOT NULL,
  c_discount numeric(4,4) NOT NULL,
  c_balance numeric(18,2) NOT NULL,
  c_ytd_payment numeric(18,2) NOT NULL,
  c_payment_cnt int NOT NULL,
  c_delivery_cnt int NOT NULL,
  c_data varchar(500) NOT NULL,
  CONSTRAINT "customer_pkey" PRIMARY KEY ((c_w_id, c_d_id) HASH, c_id ASC)
);
CREATE TABLE "history" (
  h_c_id int NOT NULL,
  h_c_d_id int NOT NULL,
  h_c_w_id int NOT NULL,
  h_d_id int NOT NULL,
  h_w_id int NOT NULL,
  h_date timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  h_amount numeric(6,2) NOT NULL,
  h_data varchar(24) NOT NULL
);
CREATE TABLE "new_order" (
  no_w_id int NOT NULL,
  no_d_id int NOT NULL,
  no_o_id int NOT NULL,
  CONSTRAINT "new_order_pkey" PRIMARY KEY ((no_w_id, no_d_id) HASH, no_o_id ASC)
);
CREATE TABLE "oorder" (
  o_w_id int NOT NULL,
  o_d_id int NOT NULL,
  o_id int NOT NULL,
  o_c_id int NOT NULL,
  o_entry_d timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  o_carrier_id int,
  o_ol_cnt int NOT NULL,
  o_all_local int NOT NULL,
  CONSTRAINT "oorder_pkey" PRIMARY KEY ((o_w_id, o_d_id) HASH, o_id ASC)
);
CREATE TABLE "order_line" (
  ol_w_id int NOT NULL,
  ol_d_id int NOT NULL,
  ol_o_id int NOT NULL,
  ol_number int NOT NULL,
  ol_i_id int NOT NULL,
  ol_supply_w_id int NOT NULL,
  ol_delivery_d timestamp,
  ol_quantity int NOT NULL,
  ol_amount numeric(6,2) NOT NULL,
  ol_dist_info char(24) NOT NULL,
  CONSTRAINT "order_line_pkey" PRIMARY KEY ((ol_w_id, ol_d_id) HASH, ol_o_id ASC, ol_number ASC)
);
CREATE TABLE "item" (
  i_id int NOT NULL,
  i_im_id int NOT NULL,
  i_name varchar(24) NOT NULL,
  i_price numeric(5,2) NOT NULL,
  i_data varchar(50) NOT NULL,
  CONSTRAINT "item_pkey" PRIMARY KEY (i_id HASH)
);
CREATE TABLE "stock" (
  s_w_id int NOT NULL,
  s_i_id int NOT NULL,
  s_quantity int NOT NULL,
  s_dist_01 char(24) NOT NULL,
  s_dist_02 char(24) NOT NULL,
  s_dist_03 char(24) NOT NULL,
  s_dist_04 char(24) NOT NULL,
  s_dist_05 char(24) NOT NULL,
  s_dist_06 char(24) NOT NULL,
  s_dist_07 char(24) NOT NULL,
  s_dist_08 char(24) NOT NULL,
  s_dist_09 char(24) NOT NULL,
  s_dist_10 char(24) NOT NULL,
  s_ytd bigint NOT NULL,
  s_order_cnt int NOT NULL,
  s_remote_cnt int NOT NULL,
  s_data varchar(50) NOT NULL,
  CONSTRAINT "stock_pkey" PRIMARY KEY (s_w_id HASH, s_i_id ASC)
);
CREATE TABLE "drover_tpcc" (
  id int NOT NULL DEFAULT 1 PRIMARY KEY,
  import_owner text,
  import_beat bigint NOT NULL DEFAULT 0,
  format_version int NOT NULL,
  foreign_keys text NOT NULL,
  seed numeric(20),
  load_time_us bigint,
  c_last int,
  c_id int,
  ol_i_id int,
  warehouses int,
  complete boolean NOT NULL DEFAULT false
);
CREATE TABLE "drover_tpcc_loaded" (w_id int PRIMARY KEY, rows bigint NOT NULL);
CREATE TABLE "drover_tpcc_progress" (w_id int, table_name varchar(20), next int NOT NULL, rows bigint NOT NULL, PRIMARY KEY (w_id, table_name));
INSERT INTO "drover_tpcc" (format_version, foreign_keys) VALUES (1, 'none');

-- drover tpcc init --partitions 2

CREATE TABLE "warehouse" (
  w_id int NOT NULL,
  w_name varchar(10) NOT NULL,
  w_street_1 varchar(20) NOT NULL,
  w_street_2 varchar(20) NOT NULL,
  w_city varchar(20) NOT NULL,
  w_state char(2) NOT NULL,
  w_zip char(9) NOT NULL,
  w_tax numeric(4,4) NOT NULL,
  w_ytd numeric(18,2) NOT NULL,
  CONSTRAINT "warehouse_pkey" PRIMARY KEY (w_id HASH)
) SPLIT INTO 2 TABLETS;
CREATE TABLE "district" (
  d_w_id int NOT NULL,
  d_id int NOT NULL,
  d_name varchar(10) NOT NULL,
  d_street_1 varchar(20) NOT NULL,
  d_street_2 varchar(20) NOT NULL,
  d_city varchar(20) NOT NULL,
  d_state char(2) NOT NULL,
  d_zip char(9) NOT NULL,
  d_tax numeric(4,4) NOT NULL,
  d_ytd numeric(18,2) NOT NULL,
  d_next_o_id int NOT NULL,
  CONSTRAINT "district_pkey" PRIMARY KEY ((d_w_id, d_id) HASH)
) SPLIT INTO 2 TABLETS;
CREATE TABLE "customer" (
  c_w_id int NOT NULL,
  c_d_id int NOT NULL,
  c_id int NOT NULL,
  c_first varchar(16) NOT NULL,
  c_middle char(2) NOT NULL,
  c_last varchar(16) NOT NULL,
  c_street_1 varchar(20) NOT NULL,
  c_street_2 varchar(20) NOT NULL,
  c_city varchar(20) NOT NULL,
  c_state char(2) NOT NULL,
  c_zip char(9) NOT NULL,
  c_phone char(16) NOT NULL,
  c_since timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  c_credit char(2) NOT NULL,
  c_credit_lim numeric(12,2) NOT NULL,
  c_discount numeric(4,4) NOT NULL,
  c_balance numeric(18,2) NOT NULL,
  c_ytd_payment numeric(18,2) NOT NULL,
  c_payment_cnt int NOT NULL,
  c_delivery_cnt int NOT NULL,
  c_data varchar(500) NOT NULL,
  CONSTRAINT "customer_pkey" PRIMARY KEY ((c_w_id, c_d_id) HASH, c_id ASC)
) SPLIT INTO 2 TABLETS;
CREATE TABLE "history" (
  h_c_id int NOT NULL,
  h_c_d_id int NOT NULL,
  h_c_w_id int NOT NULL,
  h_d_id int NOT NULL,
  h_w_id int NOT NULL,
  h_date timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  h_amount numeric(6,2) NOT NULL,
  h_data varchar(24) NOT NULL
) SPLIT INTO 2 TABLETS;
CREATE TABLE "new_order" (
  no_w_id int NOT NULL,
  no_d_id int NOT NULL,
  no_o_id int NOT NULL,
  CONSTRAINT "new_order_pkey" PRIMARY KEY ((no_w_id, no_d_id) HASH, no_o_id ASC)
) SPLIT INTO 2 TABLETS;
CREATE TABLE "oorder" (
  o_w_id int NOT NULL,
  o_d_id int NOT NULL,
  o_id int NOT NULL,
  o_c_id int NOT NULL,
  o_entry_d timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  o_carrier_id int,
  o_ol_cnt int NOT NULL,
  o_all_local int NOT NULL,
  CONSTRAINT "oorder_pkey" PRIMARY KEY ((o_w_id, o_d_id) HASH, o_id ASC)
) SPLIT INTO 2 TABLETS;
CREATE TABLE "order_line" (
  ol_w_id int NOT NULL,
  ol_d_id int NOT NULL,
  ol_o_id int NOT NULL,
  ol_number int NOT NULL,
  ol_i_id int NOT NULL,
  ol_supply_w_id int NOT NULL,
  ol_delivery_d timestamp,
  ol_quantity int NOT NULL,
  ol_amount numeric(6,2) NOT NULL,
  ol_dist_info char(24) NOT NULL,
  CONSTRAINT "order_line_pkey" PRIMARY KEY ((ol_w_id, ol_d_id) HASH, ol_o_id ASC, ol_number ASC)
) SPLIT INTO 2 TABLETS;
CREATE TABLE "item" (
  i_id int NOT NULL,
  i_im_id int NOT NULL,
  i_name varchar(24) NOT NULL,
  i_price numeric(5,2) NOT NULL,
  i_data varchar(50) NOT NULL,
  CONSTRAINT "item_pkey" PRIMARY KEY (i_id HASH)
);
CREATE TABLE "stock" (
  s_w_id int NOT NULL,
  s_i_id int NOT NULL,
  s_quantity int NOT NULL,
  s_dist_01 char(24) NOT NULL,
  s_dist_02 char(24) NOT NULL,
  s_dist_03 char(24) NOT NULL,
  s_dist_04 char(24) NOT NULL,
  s_dist_05 char(24) NOT NULL,
  s_dist_06 char(24) NOT NULL,
  s_dist_07 char(24) NOT NULL,
  s_dist_08 char(24) NOT NULL,
  s_dist_09 char(24) NOT NULL,
  s_dist_10 char(24) NOT NULL,
  s_ytd bigint NOT NULL,
  s_order_cnt int NOT NULL,
  s_remote_cnt int NOT NULL,
  s_data varchar(50) NOT NULL,
  CONSTRAINT "stock_pkey" PRIMARY KEY (s_w_id HASH, s_i_id ASC)
) SPLIT INTO 2 TABLETS;
CREATE TABLE "drover_tpcc" (
  id int NOT NULL DEFAULT 1 PRIMARY KEY,
  import_owner text,
  import_beat bigint NOT NULL DEFAULT 0,
  format_version int NOT NULL,
  foreign_keys text NOT NULL,
  seed numeric(20),
  load_time_us bigint,
  c_last int,
  c_id int,
  ol_i_id int,
  warehouses int,
  complete boolean NOT NULL DEFAULT false
);
CREATE TABLE "drover_tpcc_loaded" (w_id int PRIMARY KEY, rows bigint NOT NULL);
CREATE TABLE "drover_tpcc_progress" (w_id int, table_name varchar(20), next int NOT NULL, rows bigint NOT NULL, PRIMARY KEY (w_id, table_name));
INSERT INTO "drover_tpcc" (format_version, foreign_keys) VALUES (1, 'none');

-- drover tpcc import

SET yb_default_copy_from_rows_per_transaction = 0;
-- No transaction writes more than 20000 rows.
COPY "warehouse" ("w_id", "w_name", "w_street_1", "w_street_2", "w_city", "w_state", "w_zip", "w_tax", "w_ytd") FROM STDIN (FORMAT binary);
COPY "district" ("d_w_id", "d_id", "d_name", "d_street_1", "d_street_2", "d_city", "d_state", "d_zip", "d_tax", "d_ytd", "d_next_o_id") FROM STDIN (FORMAT binary);
COPY "customer" ("c_w_id", "c_d_id", "c_id", "c_first", "c_middle", "c_last", "c_street_1", "c_street_2", "c_city", "c_state", "c_zip", "c_phone", "c_since", "c_credit", "c_credit_lim", "c_discount", "c_balance", "c_ytd_payment", "c_payment_cnt", "c_delivery_cnt", "c_data") FROM STDIN (FORMAT binary);
COPY "history" ("h_c_id", "h_c_d_id", "h_c_w_id", "h_d_id", "h_w_id", "h_date", "h_amount", "h_data") FROM STDIN (FORMAT binary);
COPY "new_order" ("no_w_id", "no_d_id", "no_o_id") FROM STDIN (FORMAT binary);
COPY "oorder" ("o_w_id", "o_d_id", "o_id", "o_c_id", "o_entry_d", "o_carrier_id", "o_ol_cnt", "o_all_local") FROM STDIN (FORMAT binary);
COPY "order_line" ("ol_w_id", "ol_d_id", "ol_o_id", "ol_number", "ol_i_id", "ol_supply_w_id", "ol_delivery_d", "ol_quantity", "ol_amount", "ol_dist_info") FROM STDIN (FORMAT binary);
COPY "item" ("i_id", "i_im_id", "i_name", "i_price", "i_data") FROM STDIN (FORMAT binary);
COPY "stock" ("s_w_id", "s_i_id", "s_quantity", "s_dist_01", "s_dist_02", "s_dist_03", "s_dist_04", "s_dist_05", "s_dist_06", "s_dist_07", "s_dist_08", "s_dist_09", "s_dist_10", "s_ytd", "s_order_cnt", "s_remote_cnt", "s_data") FROM STDIN (FORMAT binary);
CREATE INDEX "idx_customer_name" ON "customer" ((c_w_id, c_d_id) HASH, c_last ASC, c_first ASC);
CREATE INDEX "idx_order" ON "oorder" ((o_w_id, o_d_id) HASH, o_c_id ASC, o_id DESC);
-- with --foreign-keys after-load
ALTER TABLE "district" ADD CONSTRAINT "district_warehouse_fkey" FOREIGN KEY (d_w_id) REFERENCES "warehouse" (w_id);
-- with --foreign-keys after-load
ALTER TABLE "customer" ADD CONSTRAINT "customer_district_fkey" FOREIGN KEY (c_w_id, c_d_id) REFERENCES "district" (d_w_id, d_id);
-- with --foreign-keys after-load
ALTER TABLE "history" ADD CONSTRAINT "history_customer_fkey" FOREIGN KEY (h_c_w_id, h_c_d_id, h_c_id) REFERENCES "customer" (c_w_id, c_d_id, c_id);
-- with --foreign-keys after-load
ALTER TABLE "history" ADD CONSTRAINT "history_district_fkey" FOREIGN KEY (h_w_id, h_d_id) REFERENCES "district" (d_w_id, d_id);
-- with --foreign-keys after-load
ALTER TABLE "new_order" ADD CONSTRAINT "new_order_oorder_fkey" FOREIGN KEY (no_w_id, no_d_id, no_o_id) REFERENCES "oorder" (o_w_id, o_d_id, o_id);
-- with --foreign-keys after-load
ALTER TABLE "oorder" ADD CONSTRAINT "oorder_customer_fkey" FOREIGN KEY (o_w_id, o_d_id, o_c_id) REFERENCES "customer" (c_w_id, c_d_id, c_id);
-- with --foreign-keys after-load
ALTER TABLE "order_line" ADD CONSTRAINT "order_line_oorder_fkey" FOREIGN KEY (ol_w_id, ol_d_id, ol_o_id) REFERENCES "oorder" (o_w_id, o_d_id, o_id);
-- with --foreign-keys after-load
ALTER TABLE "order_line" ADD CONSTRAINT "order_line_stock_fkey" FOREIGN KEY (ol_supply_w_id, ol_i_id) REFERENCES "stock" (s_w_id, s_i_id);
-- with --foreign-keys after-load
ALTER TABLE "stock" ADD CONSTRAINT "stock_warehouse_fkey" FOREIGN KEY (s_w_id) REFERENCES "warehouse" (w_id);
-- with --foreign-keys after-load
ALTER TABLE "stock" ADD CONSTRAINT "stock_item_fkey" FOREIGN KEY (s_i_id) REFERENCES "item" (i_id);

-- drover tpcc run --statements batched

-- begin
BEGIN;
-- commit
COMMIT;
-- rollback
ROLLBACK;
-- no_customer
SELECT (c_discount * 10000)::int4, c_last::text, c_credit::text FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = $3::int4;
-- no_warehouse
SELECT (w_tax * 10000)::int4 FROM warehouse WHERE w_id = $1::int4;
-- no_take_order_id
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = $1::int4 AND d_id = $2::int4 RETURNING (d_next_o_id - 1)::int4, (d_tax * 10000)::int4;
-- no_insert_order
INSERT INTO oorder (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local) VALUES ($1::int4, $2::int4, $3::int4, $4::int4, localtimestamp, NULL, $5::int4, $6::int4);
-- no_insert_new_order
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES ($1::int4, $2::int4, $3::int4);
-- no_take_stock
UPDATE stock SET s_quantity = CASE WHEN s_quantity >= l.quantity + 10 THEN s_quantity - l.quantity ELSE s_quantity - l.quantity + 91 END, s_ytd = s_ytd + l.quantity, s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + CASE WHEN l.w_id = $1::int4 THEN 0 ELSE 1 END FROM unnest($3::int4[], $4::int4[], $5::int4[], $6::int4[]) AS l(line, i_id, w_id, quantity) JOIN item ON item.i_id = l.i_id WHERE s_w_id = l.w_id AND s_i_id = l.i_id RETURNING l.line, (i_price * 100)::int4, s_quantity::int4, CASE $2::int4 WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 WHEN 10 THEN s_dist_10 END, i_name::text, i_data::text, s_data::text;
-- no_insert_lines
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) SELECT $1::int4, $2::int4, $3::int4, l.line, l.i_id, l.w_id, NULL, l.quantity, l.amount * 0.01, l.dist FROM unnest($4::int4[], $5::int4[], $6::int4[], $7::int4[], $8::int4[], $9::text[]) AS l(line, i_id, w_id, quantity, amount, dist);
-- pay_warehouse
UPDATE warehouse SET w_ytd = w_ytd + $2::int4 * 0.01 WHERE w_id = $1::int4 RETURNING w_name::text, w_street_1::text, w_street_2::text, w_city::text, w_state::text, w_zip::text;
-- pay_district
UPDATE district SET d_ytd = d_ytd + $3::int4 * 0.01 WHERE d_w_id = $1::int4 AND d_id = $2::int4 RETURNING d_name::text, d_street_1::text, d_street_2::text, d_city::text, d_state::text, d_zip::text;
-- pay_customer_by_id
UPDATE customer SET c_balance = c_balance - $4::int4 * 0.01, c_ytd_payment = c_ytd_payment + $4::int4 * 0.01, c_payment_cnt = c_payment_cnt + 1, c_data = CASE WHEN c_credit = 'BC' THEN left(concat_ws(' ', c_id, c_d_id, c_w_id, $6::int4, $5::int4, $4::int4 * 0.01) || '|' || c_data, 500) ELSE c_data END WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = $3::int4 RETURNING c_id::int4, c_first::text, c_middle::text, c_last::text, c_street_1::text, c_street_2::text, c_city::text, c_state::text, c_zip::text, c_phone::text, c_since::text, c_credit::text, (c_credit_lim * 100)::int8, (c_discount * 10000)::int4, (c_balance * 100)::int8, left(c_data, 200);
-- pay_customer_by_name
UPDATE customer SET c_balance = c_balance - $4::int4 * 0.01, c_ytd_payment = c_ytd_payment + $4::int4 * 0.01, c_payment_cnt = c_payment_cnt + 1, c_data = CASE WHEN c_credit = 'BC' THEN left(concat_ws(' ', c_id, c_d_id, c_w_id, $6::int4, $5::int4, $4::int4 * 0.01) || '|' || c_data, 500) ELSE c_data END WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = (SELECT (array_agg(c_id ORDER BY c_first, c_id))[((count(*) + 1) / 2)::int4] FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_last = $3::text) RETURNING c_id::int4, c_first::text, c_middle::text, c_last::text, c_street_1::text, c_street_2::text, c_city::text, c_state::text, c_zip::text, c_phone::text, c_since::text, c_credit::text, (c_credit_lim * 100)::int8, (c_discount * 10000)::int4, (c_balance * 100)::int8, left(c_data, 200);
-- pay_history_by_id
INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES ((SELECT c_id FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = $3::int4), $2::int4, $1::int4, $5::int4, $4::int4, (date_trunc('second', localtimestamp) + $7::int4 * interval '1 microsecond'), $6::int4 * 0.01, (SELECT w_name FROM warehouse WHERE w_id = $4::int4) || '    ' || (SELECT d_name FROM district WHERE d_w_id = $4::int4 AND d_id = $5::int4));
-- pay_history_by_name
INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES ((SELECT (array_agg(c_id ORDER BY c_first, c_id))[((count(*) + 1) / 2)::int4] FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_last = $3::text), $2::int4, $1::int4, $5::int4, $4::int4, (date_trunc('second', localtimestamp) + $7::int4 * interval '1 microsecond'), $6::int4 * 0.01, (SELECT w_name FROM warehouse WHERE w_id = $4::int4) || '    ' || (SELECT d_name FROM district WHERE d_w_id = $4::int4 AND d_id = $5::int4));
-- os_by_id
WITH c AS (SELECT c_id::int4 AS c_id, c_first::text, c_middle::text, c_last::text, (c_balance * 100)::int8 AS balance FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = $3::int4), o AS (SELECT o_id, o_entry_d, o_carrier_id FROM oorder WHERE o_w_id = $1::int4 AND o_d_id = $2::int4 AND o_c_id = (SELECT c_id FROM c) ORDER BY o_id DESC LIMIT 1) SELECT c.*, o_id::int4, o_entry_d::text, o_carrier_id::int4, ol_i_id::int4, ol_supply_w_id::int4, ol_quantity::int4, (ol_amount * 100)::int4, ol_delivery_d::text FROM c LEFT JOIN o ON true LEFT JOIN order_line ON ol_w_id = $1::int4 AND ol_d_id = $2::int4 AND ol_o_id = o.o_id;
-- os_by_name
WITH c AS (SELECT c_id::int4 AS c_id, c_first::text, c_middle::text, c_last::text, (c_balance * 100)::int8 AS balance FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = (SELECT (array_agg(c_id ORDER BY c_first, c_id))[((count(*) + 1) / 2)::int4] FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_last = $3::text)), o AS (SELECT o_id, o_entry_d, o_carrier_id FROM oorder WHERE o_w_id = $1::int4 AND o_d_id = $2::int4 AND o_c_id = (SELECT c_id FROM c) ORDER BY o_id DESC LIMIT 1) SELECT c.*, o_id::int4, o_entry_d::text, o_carrier_id::int4, ol_i_id::int4, ol_supply_w_id::int4, ol_quantity::int4, (ol_amount * 100)::int4, ol_delivery_d::text FROM c LEFT JOIN o ON true LEFT JOIN order_line ON ol_w_id = $1::int4 AND ol_d_id = $2::int4 AND ol_o_id = o.o_id;
-- dl_deliver
WITH oldest AS (SELECT d.id AS d_id, n.no_o_id FROM generate_series(1, 10) AS d(id) CROSS JOIN LATERAL (SELECT no_o_id FROM new_order WHERE no_w_id = $1::int4 AND no_d_id = d.id ORDER BY no_o_id LIMIT 1 FOR UPDATE) AS n), taken AS (DELETE FROM new_order USING oldest WHERE no_w_id = $1::int4 AND no_d_id = oldest.d_id AND new_order.no_o_id = oldest.no_o_id RETURNING no_d_id, new_order.no_o_id), orders AS (UPDATE oorder SET o_carrier_id = $2::int4 FROM taken WHERE o_w_id = $1::int4 AND o_d_id = no_d_id AND o_id = no_o_id RETURNING o_d_id, o_id, o_c_id), lines AS (UPDATE order_line SET ol_delivery_d = (date_trunc('second', localtimestamp) + $3::int4 * interval '1 microsecond') FROM taken WHERE ol_w_id = $1::int4 AND ol_d_id = no_d_id AND ol_o_id = no_o_id RETURNING ol_d_id, ol_amount), totals AS (SELECT o_d_id, o_id, o_c_id, (SELECT sum(ol_amount) FROM lines WHERE ol_d_id = o_d_id) AS amount FROM orders), paid AS (UPDATE customer SET c_balance = c_balance + amount, c_delivery_cnt = c_delivery_cnt + 1 FROM totals WHERE c_w_id = $1::int4 AND c_d_id = o_d_id AND c_id = o_c_id RETURNING 1), counts AS (SELECT (SELECT count(*) FROM taken)::int4 AS taken, (SELECT count(*) FROM paid)::int4 AS paid) SELECT counts.taken / (counts.taken = paid)::int4, no_d_id::int4, no_o_id::int4 FROM counts LEFT JOIN taken ON true;
-- sl_count
WITH following AS (SELECT d_next_o_id FROM district WHERE d_w_id = $1::int4 AND d_id = $2::int4) SELECT (SELECT count(DISTINCT s_i_id)::int4 FROM order_line JOIN stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id WHERE ol_w_id = $1::int4 AND ol_d_id = $2::int4 AND ol_o_id >= (SELECT d_next_o_id - 20 FROM following) AND ol_o_id < (SELECT d_next_o_id FROM following) AND s_w_id = $1::int4 AND s_quantity < $3::int4) FROM following;

-- drover tpcc run --statements single

-- begin
BEGIN;
-- commit
COMMIT;
-- rollback
ROLLBACK;
-- no_customer
SELECT (c_discount * 10000)::int4, c_last::text, c_credit::text FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = $3::int4;
-- no_warehouse
SELECT (w_tax * 10000)::int4 FROM warehouse WHERE w_id = $1::int4;
-- no_district
SELECT d_next_o_id::int4, (d_tax * 10000)::int4 FROM district WHERE d_w_id = $1::int4 AND d_id = $2::int4 FOR UPDATE;
-- no_advance_district
UPDATE district SET d_next_o_id = $3::int4 + 1 WHERE d_w_id = $1::int4 AND d_id = $2::int4;
-- no_insert_order
INSERT INTO oorder (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local) VALUES ($1::int4, $2::int4, $3::int4, $4::int4, localtimestamp, NULL, $5::int4, $6::int4);
-- no_insert_new_order
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES ($1::int4, $2::int4, $3::int4);
-- no_item
SELECT (i_price * 100)::int4, i_name::text, i_data::text FROM item WHERE i_id = $1::int4;
-- no_stock
SELECT s_quantity::int4, CASE $3::int4 WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 WHEN 10 THEN s_dist_10 END, s_data::text FROM stock WHERE s_w_id = $1::int4 AND s_i_id = $2::int4 FOR UPDATE;
-- no_update_stock
UPDATE stock SET s_quantity = $3::int4, s_ytd = s_ytd + $4::int4, s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + $5::int4 WHERE s_w_id = $1::int4 AND s_i_id = $2::int4;
-- no_insert_line
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES ($1::int4, $2::int4, $3::int4, $4::int4, $5::int4, $6::int4, NULL, $7::int4, $8::int4 * 0.01, $9::text);
-- pay_warehouse
UPDATE warehouse SET w_ytd = w_ytd + $2::int4 * 0.01 WHERE w_id = $1::int4 RETURNING w_name::text, w_street_1::text, w_street_2::text, w_city::text, w_state::text, w_zip::text;
-- pay_district
UPDATE district SET d_ytd = d_ytd + $3::int4 * 0.01 WHERE d_w_id = $1::int4 AND d_id = $2::int4 RETURNING d_name::text, d_street_1::text, d_street_2::text, d_city::text, d_state::text, d_zip::text;
-- pay_find_by_name
SELECT c_id::int4 FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_last = $3::text ORDER BY c_first, c_id;
-- pay_get_customer
SELECT c_first::text, c_middle::text, c_last::text, c_street_1::text, c_street_2::text, c_city::text, c_state::text, c_zip::text, c_phone::text, c_since::text, c_credit::text, (c_credit_lim * 100)::int8, (c_discount * 10000)::int4, (c_balance * 100)::int8 FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = $3::int4 FOR UPDATE;
-- pay_customer_by_id
UPDATE customer SET c_balance = c_balance - $4::int4 * 0.01, c_ytd_payment = c_ytd_payment + $4::int4 * 0.01, c_payment_cnt = c_payment_cnt + 1, c_data = CASE WHEN c_credit = 'BC' THEN left(concat_ws(' ', c_id, c_d_id, c_w_id, $6::int4, $5::int4, $4::int4 * 0.01) || '|' || c_data, 500) ELSE c_data END WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = $3::int4 RETURNING c_id::int4, c_first::text, c_middle::text, c_last::text, c_street_1::text, c_street_2::text, c_city::text, c_state::text, c_zip::text, c_phone::text, c_since::text, c_credit::text, (c_credit_lim * 100)::int8, (c_discount * 10000)::int4, (c_balance * 100)::int8, left(c_data, 200);
-- pay_history_by_id
INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES ((SELECT c_id FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = $3::int4), $2::int4, $1::int4, $5::int4, $4::int4, (date_trunc('second', localtimestamp) + $7::int4 * interval '1 microsecond'), $6::int4 * 0.01, (SELECT w_name FROM warehouse WHERE w_id = $4::int4) || '    ' || (SELECT d_name FROM district WHERE d_w_id = $4::int4 AND d_id = $5::int4));
-- os_begin
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
-- os_customer_by_id
SELECT c_id::int4 AS c_id, c_first::text, c_middle::text, c_last::text, (c_balance * 100)::int8 AS balance FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = $3::int4;
-- os_customers_by_name
SELECT c_id::int4 AS c_id, c_first::text, c_middle::text, c_last::text, (c_balance * 100)::int8 AS balance FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_last = $3::text ORDER BY c_first, c_id;
-- os_last_order
SELECT o_id::int4, o_entry_d::text, o_carrier_id::int4 FROM oorder WHERE o_w_id = $1::int4 AND o_d_id = $2::int4 AND o_c_id = $3::int4 ORDER BY o_id DESC LIMIT 1;
-- os_lines
SELECT ol_i_id::int4, ol_supply_w_id::int4, ol_quantity::int4, (ol_amount * 100)::int4, ol_delivery_d::text FROM order_line WHERE ol_w_id = $1::int4 AND ol_d_id = $2::int4 AND ol_o_id = $3::int4;
-- dl_oldest
SELECT no_o_id::int4 FROM new_order WHERE no_w_id = $1::int4 AND no_d_id = $2::int4 ORDER BY no_o_id LIMIT 1 FOR UPDATE;
-- dl_delete
DELETE FROM new_order WHERE no_w_id = $1::int4 AND no_d_id = $2::int4 AND no_o_id = $3::int4;
-- dl_customer_id
SELECT o_c_id::int4 FROM oorder WHERE o_w_id = $1::int4 AND o_d_id = $2::int4 AND o_id = $3::int4;
-- dl_carrier
UPDATE oorder SET o_carrier_id = $4::int4 WHERE o_w_id = $1::int4 AND o_d_id = $2::int4 AND o_id = $3::int4;
-- dl_date
UPDATE order_line SET ol_delivery_d = (date_trunc('second', localtimestamp) + $4::int4 * interval '1 microsecond') WHERE ol_w_id = $1::int4 AND ol_d_id = $2::int4 AND ol_o_id = $3::int4;
-- dl_sum
SELECT (sum(ol_amount) * 100)::int8 FROM order_line WHERE ol_w_id = $1::int4 AND ol_d_id = $2::int4 AND ol_o_id = $3::int4;
-- dl_customer
UPDATE customer SET c_balance = c_balance + $4::int8 * 0.01, c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = $3::int4;
-- sl_next_order
SELECT d_next_o_id::int4 FROM district WHERE d_w_id = $1::int4 AND d_id = $2::int4;
-- sl_count_since
SELECT count(DISTINCT s_i_id)::int4 FROM order_line JOIN stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id WHERE ol_w_id = $1::int4 AND ol_d_id = $2::int4 AND ol_o_id >= $3::int4 - 20 AND ol_o_id < $3::int4 AND s_w_id = $1::int4 AND s_quantity < $4::int4;
