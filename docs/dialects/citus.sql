-- What Drover sends to Citus (--dialect citus).
-- Support: tried on Citus 13.2.2 with PostgreSQL 15.

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
  CONSTRAINT "warehouse_pkey" PRIMARY KEY (w_id)
);
SELECT create_distributed_table('"warehouse"', 'w_id');
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
  CONSTRAINT "district_pkey" PRIMARY KEY (d_w_id, d_id)
);
SELECT create_distributed_table('"district"', 'd_w_id', colocate_with => '"warehouse"');
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
  CONSTRAINT "customer_pkey" PRIMARY KEY (c_w_id, c_d_id, c_id)
);
SELECT create_distributed_table('"customer"', 'c_w_id', colocate_with => '"warehouse"');
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
SELECT create_distributed_table('"history"', 'h_w_id', colocate_with => '"warehouse"');
CREATE TABLE "new_order" (
  no_w_id int NOT NULL,
  no_d_id int NOT NULL,
  no_o_id int NOT NULL,
  CONSTRAINT "new_order_pkey" PRIMARY KEY (no_w_id, no_d_id, no_o_id)
);
SELECT create_distributed_table('"new_order"', 'no_w_id', colocate_with => '"warehouse"');
CREATE TABLE "oorder" (
  o_w_id int NOT NULL,
  o_d_id int NOT NULL,
  o_id int NOT NULL,
  o_c_id int NOT NULL,
  o_entry_d timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  o_carrier_id int,
  o_ol_cnt int NOT NULL,
  o_all_local int NOT NULL,
  CONSTRAINT "oorder_pkey" PRIMARY KEY (o_w_id, o_d_id, o_id)
);
SELECT create_distributed_table('"oorder"', 'o_w_id', colocate_with => '"warehouse"');
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
  CONSTRAINT "order_line_pkey" PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)
);
SELECT create_distributed_table('"order_line"', 'ol_w_id', colocate_with => '"warehouse"');
CREATE TABLE "item" (
  i_id int NOT NULL,
  i_im_id int NOT NULL,
  i_name varchar(24) NOT NULL,
  i_price numeric(5,2) NOT NULL,
  i_data varchar(50) NOT NULL,
  CONSTRAINT "item_pkey" PRIMARY KEY (i_id)
);
SELECT create_reference_table('"item"');
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
  CONSTRAINT "stock_pkey" PRIMARY KEY (s_w_id, s_i_id)
);
SELECT create_distributed_table('"stock"', 's_w_id', colocate_with => '"warehouse"');
CREATE TABLE "drover_tpcc" (
  id int NOT NULL DEFAULT 1 PRIMARY KEY,
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
SELECT create_reference_table('"drover_tpcc"');
SELECT create_reference_table('"drover_tpcc_loaded"');
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
  CONSTRAINT "warehouse_pkey" PRIMARY KEY (w_id)
);
SELECT create_distributed_table('"warehouse"', 'w_id', shard_count => 2);
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
  CONSTRAINT "district_pkey" PRIMARY KEY (d_w_id, d_id)
);
SELECT create_distributed_table('"district"', 'd_w_id', colocate_with => '"warehouse"');
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
  CONSTRAINT "customer_pkey" PRIMARY KEY (c_w_id, c_d_id, c_id)
);
SELECT create_distributed_table('"customer"', 'c_w_id', colocate_with => '"warehouse"');
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
SELECT create_distributed_table('"history"', 'h_w_id', colocate_with => '"warehouse"');
CREATE TABLE "new_order" (
  no_w_id int NOT NULL,
  no_d_id int NOT NULL,
  no_o_id int NOT NULL,
  CONSTRAINT "new_order_pkey" PRIMARY KEY (no_w_id, no_d_id, no_o_id)
);
SELECT create_distributed_table('"new_order"', 'no_w_id', colocate_with => '"warehouse"');
CREATE TABLE "oorder" (
  o_w_id int NOT NULL,
  o_d_id int NOT NULL,
  o_id int NOT NULL,
  o_c_id int NOT NULL,
  o_entry_d timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  o_carrier_id int,
  o_ol_cnt int NOT NULL,
  o_all_local int NOT NULL,
  CONSTRAINT "oorder_pkey" PRIMARY KEY (o_w_id, o_d_id, o_id)
);
SELECT create_distributed_table('"oorder"', 'o_w_id', colocate_with => '"warehouse"');
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
  CONSTRAINT "order_line_pkey" PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)
);
SELECT create_distributed_table('"order_line"', 'ol_w_id', colocate_with => '"warehouse"');
CREATE TABLE "item" (
  i_id int NOT NULL,
  i_im_id int NOT NULL,
  i_name varchar(24) NOT NULL,
  i_price numeric(5,2) NOT NULL,
  i_data varchar(50) NOT NULL,
  CONSTRAINT "item_pkey" PRIMARY KEY (i_id)
);
SELECT create_reference_table('"item"');
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
  CONSTRAINT "stock_pkey" PRIMARY KEY (s_w_id, s_i_id)
);
SELECT create_distributed_table('"stock"', 's_w_id', colocate_with => '"warehouse"');
CREATE TABLE "drover_tpcc" (
  id int NOT NULL DEFAULT 1 PRIMARY KEY,
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
SELECT create_reference_table('"drover_tpcc"');
SELECT create_reference_table('"drover_tpcc_loaded"');
INSERT INTO "drover_tpcc" (format_version, foreign_keys) VALUES (1, 'none');

-- drover tpcc import

-- A warehouse is one transaction.
COPY "warehouse" ("w_id", "w_name", "w_street_1", "w_street_2", "w_city", "w_state", "w_zip", "w_tax", "w_ytd") FROM STDIN (FORMAT binary);
COPY "district" ("d_w_id", "d_id", "d_name", "d_street_1", "d_street_2", "d_city", "d_state", "d_zip", "d_tax", "d_ytd", "d_next_o_id") FROM STDIN (FORMAT binary);
COPY "customer" ("c_w_id", "c_d_id", "c_id", "c_first", "c_middle", "c_last", "c_street_1", "c_street_2", "c_city", "c_state", "c_zip", "c_phone", "c_since", "c_credit", "c_credit_lim", "c_discount", "c_balance", "c_ytd_payment", "c_payment_cnt", "c_delivery_cnt", "c_data") FROM STDIN (FORMAT binary);
COPY "history" ("h_c_id", "h_c_d_id", "h_c_w_id", "h_d_id", "h_w_id", "h_date", "h_amount", "h_data") FROM STDIN (FORMAT binary);
COPY "new_order" ("no_w_id", "no_d_id", "no_o_id") FROM STDIN (FORMAT binary);
COPY "oorder" ("o_w_id", "o_d_id", "o_id", "o_c_id", "o_entry_d", "o_carrier_id", "o_ol_cnt", "o_all_local") FROM STDIN (FORMAT binary);
COPY "order_line" ("ol_w_id", "ol_d_id", "ol_o_id", "ol_number", "ol_i_id", "ol_supply_w_id", "ol_delivery_d", "ol_quantity", "ol_amount", "ol_dist_info") FROM STDIN (FORMAT binary);
COPY "item" ("i_id", "i_im_id", "i_name", "i_price", "i_data") FROM STDIN (FORMAT binary);
COPY "stock" ("s_w_id", "s_i_id", "s_quantity", "s_dist_01", "s_dist_02", "s_dist_03", "s_dist_04", "s_dist_05", "s_dist_06", "s_dist_07", "s_dist_08", "s_dist_09", "s_dist_10", "s_ytd", "s_order_cnt", "s_remote_cnt", "s_data") FROM STDIN (FORMAT binary);
CREATE INDEX "idx_customer_name" ON "customer" (c_w_id, c_d_id, c_last, c_first);
CREATE INDEX "idx_order" ON "oorder" (o_w_id, o_d_id, o_c_id, o_id);

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
-- no_items
SELECT i_id::int4, (i_price * 100)::int4, i_data FROM item WHERE i_id = ANY($1::int4[]);
-- no_take_stock_of_warehouse_1
UPDATE stock SET s_quantity = s_quantity - ($4::int4[])[array_position($3::int4[], s_i_id::int4)] + CASE WHEN s_quantity < 10 + ($4::int4[])[array_position($3::int4[], s_i_id::int4)] THEN 91 ELSE 0 END, s_ytd = s_ytd + ($4::int4[])[array_position($3::int4[], s_i_id::int4)], s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + $2::int4 WHERE s_w_id = $1::int4 AND s_i_id = ANY($3::int4[]) RETURNING s_i_id::int4, s_quantity::int4, s_dist_01, s_data;
-- no_take_stock_of_warehouse_2
UPDATE stock SET s_quantity = s_quantity - ($4::int4[])[array_position($3::int4[], s_i_id::int4)] + CASE WHEN s_quantity < 10 + ($4::int4[])[array_position($3::int4[], s_i_id::int4)] THEN 91 ELSE 0 END, s_ytd = s_ytd + ($4::int4[])[array_position($3::int4[], s_i_id::int4)], s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + $2::int4 WHERE s_w_id = $1::int4 AND s_i_id = ANY($3::int4[]) RETURNING s_i_id::int4, s_quantity::int4, s_dist_02, s_data;
-- no_take_stock_of_warehouse_3
UPDATE stock SET s_quantity = s_quantity - ($4::int4[])[array_position($3::int4[], s_i_id::int4)] + CASE WHEN s_quantity < 10 + ($4::int4[])[array_position($3::int4[], s_i_id::int4)] THEN 91 ELSE 0 END, s_ytd = s_ytd + ($4::int4[])[array_position($3::int4[], s_i_id::int4)], s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + $2::int4 WHERE s_w_id = $1::int4 AND s_i_id = ANY($3::int4[]) RETURNING s_i_id::int4, s_quantity::int4, s_dist_03, s_data;
-- no_take_stock_of_warehouse_4
UPDATE stock SET s_quantity = s_quantity - ($4::int4[])[array_position($3::int4[], s_i_id::int4)] + CASE WHEN s_quantity < 10 + ($4::int4[])[array_position($3::int4[], s_i_id::int4)] THEN 91 ELSE 0 END, s_ytd = s_ytd + ($4::int4[])[array_position($3::int4[], s_i_id::int4)], s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + $2::int4 WHERE s_w_id = $1::int4 AND s_i_id = ANY($3::int4[]) RETURNING s_i_id::int4, s_quantity::int4, s_dist_04, s_data;
-- no_take_stock_of_warehouse_5
UPDATE stock SET s_quantity = s_quantity - ($4::int4[])[array_position($3::int4[], s_i_id::int4)] + CASE WHEN s_quantity < 10 + ($4::int4[])[array_position($3::int4[], s_i_id::int4)] THEN 91 ELSE 0 END, s_ytd = s_ytd + ($4::int4[])[array_position($3::int4[], s_i_id::int4)], s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + $2::int4 WHERE s_w_id = $1::int4 AND s_i_id = ANY($3::int4[]) RETURNING s_i_id::int4, s_quantity::int4, s_dist_05, s_data;
-- no_take_stock_of_warehouse_6
UPDATE stock SET s_quantity = s_quantity - ($4::int4[])[array_position($3::int4[], s_i_id::int4)] + CASE WHEN s_quantity < 10 + ($4::int4[])[array_position($3::int4[], s_i_id::int4)] THEN 91 ELSE 0 END, s_ytd = s_ytd + ($4::int4[])[array_position($3::int4[], s_i_id::int4)], s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + $2::int4 WHERE s_w_id = $1::int4 AND s_i_id = ANY($3::int4[]) RETURNING s_i_id::int4, s_quantity::int4, s_dist_06, s_data;
-- no_take_stock_of_warehouse_7
UPDATE stock SET s_quantity = s_quantity - ($4::int4[])[array_position($3::int4[], s_i_id::int4)] + CASE WHEN s_quantity < 10 + ($4::int4[])[array_position($3::int4[], s_i_id::int4)] THEN 91 ELSE 0 END, s_ytd = s_ytd + ($4::int4[])[array_position($3::int4[], s_i_id::int4)], s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + $2::int4 WHERE s_w_id = $1::int4 AND s_i_id = ANY($3::int4[]) RETURNING s_i_id::int4, s_quantity::int4, s_dist_07, s_data;
-- no_take_stock_of_warehouse_8
UPDATE stock SET s_quantity = s_quantity - ($4::int4[])[array_position($3::int4[], s_i_id::int4)] + CASE WHEN s_quantity < 10 + ($4::int4[])[array_position($3::int4[], s_i_id::int4)] THEN 91 ELSE 0 END, s_ytd = s_ytd + ($4::int4[])[array_position($3::int4[], s_i_id::int4)], s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + $2::int4 WHERE s_w_id = $1::int4 AND s_i_id = ANY($3::int4[]) RETURNING s_i_id::int4, s_quantity::int4, s_dist_08, s_data;
-- no_take_stock_of_warehouse_9
UPDATE stock SET s_quantity = s_quantity - ($4::int4[])[array_position($3::int4[], s_i_id::int4)] + CASE WHEN s_quantity < 10 + ($4::int4[])[array_position($3::int4[], s_i_id::int4)] THEN 91 ELSE 0 END, s_ytd = s_ytd + ($4::int4[])[array_position($3::int4[], s_i_id::int4)], s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + $2::int4 WHERE s_w_id = $1::int4 AND s_i_id = ANY($3::int4[]) RETURNING s_i_id::int4, s_quantity::int4, s_dist_09, s_data;
-- no_take_stock_of_warehouse_10
UPDATE stock SET s_quantity = s_quantity - ($4::int4[])[array_position($3::int4[], s_i_id::int4)] + CASE WHEN s_quantity < 10 + ($4::int4[])[array_position($3::int4[], s_i_id::int4)] THEN 91 ELSE 0 END, s_ytd = s_ytd + ($4::int4[])[array_position($3::int4[], s_i_id::int4)], s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + $2::int4 WHERE s_w_id = $1::int4 AND s_i_id = ANY($3::int4[]) RETURNING s_i_id::int4, s_quantity::int4, s_dist_10, s_data;
-- no_insert_lines_as_values_1
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES ($1::int4, $2::int4, $3::int4, $4::int4, $5::int4, $6::int4, NULL, $7::int4, $8::int4 * 0.01, $9::text);
-- no_insert_lines_as_values_2
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES ($1::int4, $2::int4, $3::int4, $4::int4, $5::int4, $6::int4, NULL, $7::int4, $8::int4 * 0.01, $9::text), ($1::int4, $2::int4, $3::int4, $10::int4, $11::int4, $12::int4, NULL, $13::int4, $14::int4 * 0.01, $15::text);
-- no_insert_lines_as_values_3
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES ($1::int4, $2::int4, $3::int4, $4::int4, $5::int4, $6::int4, NULL, $7::int4, $8::int4 * 0.01, $9::text), ($1::int4, $2::int4, $3::int4, $10::int4, $11::int4, $12::int4, NULL, $13::int4, $14::int4 * 0.01, $15::text), ($1::int4, $2::int4, $3::int4, $16::int4, $17::int4, $18::int4, NULL, $19::int4, $20::int4 * 0.01, $21::text);
-- no_insert_lines_as_values_4
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES ($1::int4, $2::int4, $3::int4, $4::int4, $5::int4, $6::int4, NULL, $7::int4, $8::int4 * 0.01, $9::text), ($1::int4, $2::int4, $3::int4, $10::int4, $11::int4, $12::int4, NULL, $13::int4, $14::int4 * 0.01, $15::text), ($1::int4, $2::int4, $3::int4, $16::int4, $17::int4, $18::int4, NULL, $19::int4, $20::int4 * 0.01, $21::text), ($1::int4, $2::int4, $3::int4, $22::int4, $23::int4, $24::int4, NULL, $25::int4, $26::int4 * 0.01, $27::text);
-- no_insert_lines_as_values_5
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES ($1::int4, $2::int4, $3::int4, $4::int4, $5::int4, $6::int4, NULL, $7::int4, $8::int4 * 0.01, $9::text), ($1::int4, $2::int4, $3::int4, $10::int4, $11::int4, $12::int4, NULL, $13::int4, $14::int4 * 0.01, $15::text), ($1::int4, $2::int4, $3::int4, $16::int4, $17::int4, $18::int4, NULL, $19::int4, $20::int4 * 0.01, $21::text), ($1::int4, $2::int4, $3::int4, $22::int4, $23::int4, $24::int4, NULL, $25::int4, $26::int4 * 0.01, $27::text), ($1::int4, $2::int4, $3::int4, $28::int4, $29::int4, $30::int4, NULL, $31::int4, $32::int4 * 0.01, $33::text);
-- no_insert_lines_as_values_6
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES ($1::int4, $2::int4, $3::int4, $4::int4, $5::int4, $6::int4, NULL, $7::int4, $8::int4 * 0.01, $9::text), ($1::int4, $2::int4, $3::int4, $10::int4, $11::int4, $12::int4, NULL, $13::int4, $14::int4 * 0.01, $15::text), ($1::int4, $2::int4, $3::int4, $16::int4, $17::int4, $18::int4, NULL, $19::int4, $20::int4 * 0.01, $21::text), ($1::int4, $2::int4, $3::int4, $22::int4, $23::int4, $24::int4, NULL, $25::int4, $26::int4 * 0.01, $27::text), ($1::int4, $2::int4, $3::int4, $28::int4, $29::int4, $30::int4, NULL, $31::int4, $32::int4 * 0.01, $33::text), ($1::int4, $2::int4, $3::int4, $34::int4, $35::int4, $36::int4, NULL, $37::int4, $38::int4 * 0.01, $39::text);
-- no_insert_lines_as_values_7
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES ($1::int4, $2::int4, $3::int4, $4::int4, $5::int4, $6::int4, NULL, $7::int4, $8::int4 * 0.01, $9::text), ($1::int4, $2::int4, $3::int4, $10::int4, $11::int4, $12::int4, NULL, $13::int4, $14::int4 * 0.01, $15::text), ($1::int4, $2::int4, $3::int4, $16::int4, $17::int4, $18::int4, NULL, $19::int4, $20::int4 * 0.01, $21::text), ($1::int4, $2::int4, $3::int4, $22::int4, $23::int4, $24::int4, NULL, $25::int4, $26::int4 * 0.01, $27::text), ($1::int4, $2::int4, $3::int4, $28::int4, $29::int4, $30::int4, NULL, $31::int4, $32::int4 * 0.01, $33::text), ($1::int4, $2::int4, $3::int4, $34::int4, $35::int4, $36::int4, NULL, $37::int4, $38::int4 * 0.01, $39::text), ($1::int4, $2::int4, $3::int4, $40::int4, $41::int4, $42::int4, NULL, $43::int4, $44::int4 * 0.01, $45::text);
-- no_insert_lines_as_values_8
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES ($1::int4, $2::int4, $3::int4, $4::int4, $5::int4, $6::int4, NULL, $7::int4, $8::int4 * 0.01, $9::text), ($1::int4, $2::int4, $3::int4, $10::int4, $11::int4, $12::int4, NULL, $13::int4, $14::int4 * 0.01, $15::text), ($1::int4, $2::int4, $3::int4, $16::int4, $17::int4, $18::int4, NULL, $19::int4, $20::int4 * 0.01, $21::text), ($1::int4, $2::int4, $3::int4, $22::int4, $23::int4, $24::int4, NULL, $25::int4, $26::int4 * 0.01, $27::text), ($1::int4, $2::int4, $3::int4, $28::int4, $29::int4, $30::int4, NULL, $31::int4, $32::int4 * 0.01, $33::text), ($1::int4, $2::int4, $3::int4, $34::int4, $35::int4, $36::int4, NULL, $37::int4, $38::int4 * 0.01, $39::text), ($1::int4, $2::int4, $3::int4, $40::int4, $41::int4, $42::int4, NULL, $43::int4, $44::int4 * 0.01, $45::text), ($1::int4, $2::int4, $3::int4, $46::int4, $47::int4, $48::int4, NULL, $49::int4, $50::int4 * 0.01, $51::text);
-- no_insert_lines_as_values_9
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES ($1::int4, $2::int4, $3::int4, $4::int4, $5::int4, $6::int4, NULL, $7::int4, $8::int4 * 0.01, $9::text), ($1::int4, $2::int4, $3::int4, $10::int4, $11::int4, $12::int4, NULL, $13::int4, $14::int4 * 0.01, $15::text), ($1::int4, $2::int4, $3::int4, $16::int4, $17::int4, $18::int4, NULL, $19::int4, $20::int4 * 0.01, $21::text), ($1::int4, $2::int4, $3::int4, $22::int4, $23::int4, $24::int4, NULL, $25::int4, $26::int4 * 0.01, $27::text), ($1::int4, $2::int4, $3::int4, $28::int4, $29::int4, $30::int4, NULL, $31::int4, $32::int4 * 0.01, $33::text), ($1::int4, $2::int4, $3::int4, $34::int4, $35::int4, $36::int4, NULL, $37::int4, $38::int4 * 0.01, $39::text), ($1::int4, $2::int4, $3::int4, $40::int4, $41::int4, $42::int4, NULL, $43::int4, $44::int4 * 0.01, $45::text), ($1::int4, $2::int4, $3::int4, $46::int4, $47::int4, $48::int4, NULL, $49::int4, $50::int4 * 0.01, $51::text), ($1::int4, $2::int4, $3::int4, $52::int4, $53::int4, $54::int4, NULL, $55::int4, $56::int4 * 0.01, $57::text);
-- no_insert_lines_as_values_10
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES ($1::int4, $2::int4, $3::int4, $4::int4, $5::int4, $6::int4, NULL, $7::int4, $8::int4 * 0.01, $9::text), ($1::int4, $2::int4, $3::int4, $10::int4, $11::int4, $12::int4, NULL, $13::int4, $14::int4 * 0.01, $15::text), ($1::int4, $2::int4, $3::int4, $16::int4, $17::int4, $18::int4, NULL, $19::int4, $20::int4 * 0.01, $21::text), ($1::int4, $2::int4, $3::int4, $22::int4, $23::int4, $24::int4, NULL, $25::int4, $26::int4 * 0.01, $27::text), ($1::int4, $2::int4, $3::int4, $28::int4, $29::int4, $30::int4, NULL, $31::int4, $32::int4 * 0.01, $33::text), ($1::int4, $2::int4, $3::int4, $34::int4, $35::int4, $36::int4, NULL, $37::int4, $38::int4 * 0.01, $39::text), ($1::int4, $2::int4, $3::int4, $40::int4, $41::int4, $42::int4, NULL, $43::int4, $44::int4 * 0.01, $45::text), ($1::int4, $2::int4, $3::int4, $46::int4, $47::int4, $48::int4, NULL, $49::int4, $50::int4 * 0.01, $51::text), ($1::int4, $2::int4, $3::int4, $52::int4, $53::int4, $54::int4, NULL, $55::int4, $56::int4 * 0.01, $57::text), ($1::int4, $2::int4, $3::int4, $58::int4, $59::int4, $60::int4, NULL, $61::int4, $62::int4 * 0.01, $63::text);
-- no_insert_lines_as_values_11
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES ($1::int4, $2::int4, $3::int4, $4::int4, $5::int4, $6::int4, NULL, $7::int4, $8::int4 * 0.01, $9::text), ($1::int4, $2::int4, $3::int4, $10::int4, $11::int4, $12::int4, NULL, $13::int4, $14::int4 * 0.01, $15::text), ($1::int4, $2::int4, $3::int4, $16::int4, $17::int4, $18::int4, NULL, $19::int4, $20::int4 * 0.01, $21::text), ($1::int4, $2::int4, $3::int4, $22::int4, $23::int4, $24::int4, NULL, $25::int4, $26::int4 * 0.01, $27::text), ($1::int4, $2::int4, $3::int4, $28::int4, $29::int4, $30::int4, NULL, $31::int4, $32::int4 * 0.01, $33::text), ($1::int4, $2::int4, $3::int4, $34::int4, $35::int4, $36::int4, NULL, $37::int4, $38::int4 * 0.01, $39::text), ($1::int4, $2::int4, $3::int4, $40::int4, $41::int4, $42::int4, NULL, $43::int4, $44::int4 * 0.01, $45::text), ($1::int4, $2::int4, $3::int4, $46::int4, $47::int4, $48::int4, NULL, $49::int4, $50::int4 * 0.01, $51::text), ($1::int4, $2::int4, $3::int4, $52::int4, $53::int4, $54::int4, NULL, $55::int4, $56::int4 * 0.01, $57::text), ($1::int4, $2::int4, $3::int4, $58::int4, $59::int4, $60::int4, NULL, $61::int4, $62::int4 * 0.01, $63::text), ($1::int4, $2::int4, $3::int4, $64::int4, $65::int4, $66::int4, NULL, $67::int4, $68::int4 * 0.01, $69::text);
-- no_insert_lines_as_values_12
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES ($1::int4, $2::int4, $3::int4, $4::int4, $5::int4, $6::int4, NULL, $7::int4, $8::int4 * 0.01, $9::text), ($1::int4, $2::int4, $3::int4, $10::int4, $11::int4, $12::int4, NULL, $13::int4, $14::int4 * 0.01, $15::text), ($1::int4, $2::int4, $3::int4, $16::int4, $17::int4, $18::int4, NULL, $19::int4, $20::int4 * 0.01, $21::text), ($1::int4, $2::int4, $3::int4, $22::int4, $23::int4, $24::int4, NULL, $25::int4, $26::int4 * 0.01, $27::text), ($1::int4, $2::int4, $3::int4, $28::int4, $29::int4, $30::int4, NULL, $31::int4, $32::int4 * 0.01, $33::text), ($1::int4, $2::int4, $3::int4, $34::int4, $35::int4, $36::int4, NULL, $37::int4, $38::int4 * 0.01, $39::text), ($1::int4, $2::int4, $3::int4, $40::int4, $41::int4, $42::int4, NULL, $43::int4, $44::int4 * 0.01, $45::text), ($1::int4, $2::int4, $3::int4, $46::int4, $47::int4, $48::int4, NULL, $49::int4, $50::int4 * 0.01, $51::text), ($1::int4, $2::int4, $3::int4, $52::int4, $53::int4, $54::int4, NULL, $55::int4, $56::int4 * 0.01, $57::text), ($1::int4, $2::int4, $3::int4, $58::int4, $59::int4, $60::int4, NULL, $61::int4, $62::int4 * 0.01, $63::text), ($1::int4, $2::int4, $3::int4, $64::int4, $65::int4, $66::int4, NULL, $67::int4, $68::int4 * 0.01, $69::text), ($1::int4, $2::int4, $3::int4, $70::int4, $71::int4, $72::int4, NULL, $73::int4, $74::int4 * 0.01, $75::text);
-- no_insert_lines_as_values_13
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES ($1::int4, $2::int4, $3::int4, $4::int4, $5::int4, $6::int4, NULL, $7::int4, $8::int4 * 0.01, $9::text), ($1::int4, $2::int4, $3::int4, $10::int4, $11::int4, $12::int4, NULL, $13::int4, $14::int4 * 0.01, $15::text), ($1::int4, $2::int4, $3::int4, $16::int4, $17::int4, $18::int4, NULL, $19::int4, $20::int4 * 0.01, $21::text), ($1::int4, $2::int4, $3::int4, $22::int4, $23::int4, $24::int4, NULL, $25::int4, $26::int4 * 0.01, $27::text), ($1::int4, $2::int4, $3::int4, $28::int4, $29::int4, $30::int4, NULL, $31::int4, $32::int4 * 0.01, $33::text), ($1::int4, $2::int4, $3::int4, $34::int4, $35::int4, $36::int4, NULL, $37::int4, $38::int4 * 0.01, $39::text), ($1::int4, $2::int4, $3::int4, $40::int4, $41::int4, $42::int4, NULL, $43::int4, $44::int4 * 0.01, $45::text), ($1::int4, $2::int4, $3::int4, $46::int4, $47::int4, $48::int4, NULL, $49::int4, $50::int4 * 0.01, $51::text), ($1::int4, $2::int4, $3::int4, $52::int4, $53::int4, $54::int4, NULL, $55::int4, $56::int4 * 0.01, $57::text), ($1::int4, $2::int4, $3::int4, $58::int4, $59::int4, $60::int4, NULL, $61::int4, $62::int4 * 0.01, $63::text), ($1::int4, $2::int4, $3::int4, $64::int4, $65::int4, $66::int4, NULL, $67::int4, $68::int4 * 0.01, $69::text), ($1::int4, $2::int4, $3::int4, $70::int4, $71::int4, $72::int4, NULL, $73::int4, $74::int4 * 0.01, $75::text), ($1::int4, $2::int4, $3::int4, $76::int4, $77::int4, $78::int4, NULL, $79::int4, $80::int4 * 0.01, $81::text);
-- no_insert_lines_as_values_14
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES ($1::int4, $2::int4, $3::int4, $4::int4, $5::int4, $6::int4, NULL, $7::int4, $8::int4 * 0.01, $9::text), ($1::int4, $2::int4, $3::int4, $10::int4, $11::int4, $12::int4, NULL, $13::int4, $14::int4 * 0.01, $15::text), ($1::int4, $2::int4, $3::int4, $16::int4, $17::int4, $18::int4, NULL, $19::int4, $20::int4 * 0.01, $21::text), ($1::int4, $2::int4, $3::int4, $22::int4, $23::int4, $24::int4, NULL, $25::int4, $26::int4 * 0.01, $27::text), ($1::int4, $2::int4, $3::int4, $28::int4, $29::int4, $30::int4, NULL, $31::int4, $32::int4 * 0.01, $33::text), ($1::int4, $2::int4, $3::int4, $34::int4, $35::int4, $36::int4, NULL, $37::int4, $38::int4 * 0.01, $39::text), ($1::int4, $2::int4, $3::int4, $40::int4, $41::int4, $42::int4, NULL, $43::int4, $44::int4 * 0.01, $45::text), ($1::int4, $2::int4, $3::int4, $46::int4, $47::int4, $48::int4, NULL, $49::int4, $50::int4 * 0.01, $51::text), ($1::int4, $2::int4, $3::int4, $52::int4, $53::int4, $54::int4, NULL, $55::int4, $56::int4 * 0.01, $57::text), ($1::int4, $2::int4, $3::int4, $58::int4, $59::int4, $60::int4, NULL, $61::int4, $62::int4 * 0.01, $63::text), ($1::int4, $2::int4, $3::int4, $64::int4, $65::int4, $66::int4, NULL, $67::int4, $68::int4 * 0.01, $69::text), ($1::int4, $2::int4, $3::int4, $70::int4, $71::int4, $72::int4, NULL, $73::int4, $74::int4 * 0.01, $75::text), ($1::int4, $2::int4, $3::int4, $76::int4, $77::int4, $78::int4, NULL, $79::int4, $80::int4 * 0.01, $81::text), ($1::int4, $2::int4, $3::int4, $82::int4, $83::int4, $84::int4, NULL, $85::int4, $86::int4 * 0.01, $87::text);
-- no_insert_lines_as_values_15
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES ($1::int4, $2::int4, $3::int4, $4::int4, $5::int4, $6::int4, NULL, $7::int4, $8::int4 * 0.01, $9::text), ($1::int4, $2::int4, $3::int4, $10::int4, $11::int4, $12::int4, NULL, $13::int4, $14::int4 * 0.01, $15::text), ($1::int4, $2::int4, $3::int4, $16::int4, $17::int4, $18::int4, NULL, $19::int4, $20::int4 * 0.01, $21::text), ($1::int4, $2::int4, $3::int4, $22::int4, $23::int4, $24::int4, NULL, $25::int4, $26::int4 * 0.01, $27::text), ($1::int4, $2::int4, $3::int4, $28::int4, $29::int4, $30::int4, NULL, $31::int4, $32::int4 * 0.01, $33::text), ($1::int4, $2::int4, $3::int4, $34::int4, $35::int4, $36::int4, NULL, $37::int4, $38::int4 * 0.01, $39::text), ($1::int4, $2::int4, $3::int4, $40::int4, $41::int4, $42::int4, NULL, $43::int4, $44::int4 * 0.01, $45::text), ($1::int4, $2::int4, $3::int4, $46::int4, $47::int4, $48::int4, NULL, $49::int4, $50::int4 * 0.01, $51::text), ($1::int4, $2::int4, $3::int4, $52::int4, $53::int4, $54::int4, NULL, $55::int4, $56::int4 * 0.01, $57::text), ($1::int4, $2::int4, $3::int4, $58::int4, $59::int4, $60::int4, NULL, $61::int4, $62::int4 * 0.01, $63::text), ($1::int4, $2::int4, $3::int4, $64::int4, $65::int4, $66::int4, NULL, $67::int4, $68::int4 * 0.01, $69::text), ($1::int4, $2::int4, $3::int4, $70::int4, $71::int4, $72::int4, NULL, $73::int4, $74::int4 * 0.01, $75::text), ($1::int4, $2::int4, $3::int4, $76::int4, $77::int4, $78::int4, NULL, $79::int4, $80::int4 * 0.01, $81::text), ($1::int4, $2::int4, $3::int4, $82::int4, $83::int4, $84::int4, NULL, $85::int4, $86::int4 * 0.01, $87::text), ($1::int4, $2::int4, $3::int4, $88::int4, $89::int4, $90::int4, NULL, $91::int4, $92::int4 * 0.01, $93::text);
-- pay_warehouse
UPDATE warehouse SET w_ytd = w_ytd + $2::int4 * 0.01 WHERE w_id = $1::int4 RETURNING w_name::text, w_street_1::text, w_street_2::text, w_city::text, w_state::text, w_zip::text;
-- pay_district
UPDATE district SET d_ytd = d_ytd + $3::int4 * 0.01 WHERE d_w_id = $1::int4 AND d_id = $2::int4 RETURNING d_name::text, d_street_1::text, d_street_2::text, d_city::text, d_state::text, d_zip::text;
-- pay_find_by_name
SELECT c_id::int4 FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_last = $3::text ORDER BY c_first, c_id;
-- pay_customer_with_data
UPDATE customer SET c_balance = c_balance - $4::int4 * 0.01, c_ytd_payment = c_ytd_payment + $4::int4 * 0.01, c_payment_cnt = c_payment_cnt + 1, c_data = CASE WHEN c_credit = 'BC' THEN left($5::text || c_data, 500) ELSE c_data END WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = $3::int4 RETURNING c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance, left(c_data, 200);
-- pay_history_values
INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES ($3::int4, $2::int4, $1::int4, $5::int4, $4::int4, (date_trunc('second', localtimestamp) + $7::int4 * interval '1 microsecond'), $6::int4 * 0.01, $8::text);
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
-- pay_customer_with_data
UPDATE customer SET c_balance = c_balance - $4::int4 * 0.01, c_ytd_payment = c_ytd_payment + $4::int4 * 0.01, c_payment_cnt = c_payment_cnt + 1, c_data = CASE WHEN c_credit = 'BC' THEN left($5::text || c_data, 500) ELSE c_data END WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = $3::int4 RETURNING c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance, left(c_data, 200);
-- pay_history_values
INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES ($3::int4, $2::int4, $1::int4, $5::int4, $4::int4, (date_trunc('second', localtimestamp) + $7::int4 * interval '1 microsecond'), $6::int4 * 0.01, $8::text);
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
