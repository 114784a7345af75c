-- A valid population of clause 4.3.3.1 with two warehouses, made by the server itself: the data on
-- which the checks are tested before anything is corrupted. It depends on no code of the importer,
-- so that a mistake there cannot hide here. Runs in the current schema, which must be empty.

SELECT setseed(0.5);

CREATE TABLE warehouse (
    w_id int NOT NULL, w_name varchar(10), w_street_1 varchar(20), w_street_2 varchar(20),
    w_city varchar(20), w_state char(2), w_zip char(9), w_tax numeric(4,4), w_ytd numeric(12,2));
CREATE TABLE district (
    d_w_id int NOT NULL, d_id int NOT NULL, d_name varchar(10), d_street_1 varchar(20),
    d_street_2 varchar(20), d_city varchar(20), d_state char(2), d_zip char(9),
    d_tax numeric(4,4), d_ytd numeric(12,2), d_next_o_id int);
CREATE TABLE customer (
    c_w_id int NOT NULL, c_d_id int NOT NULL, c_id int NOT NULL, c_first varchar(16),
    c_middle char(2), c_last varchar(16), c_street_1 varchar(20), c_street_2 varchar(20),
    c_city varchar(20), c_state char(2), c_zip char(9), c_phone char(16), c_since timestamp,
    c_credit char(2), c_credit_lim numeric(12,2), c_discount numeric(4,4),
    c_balance numeric(12,2), c_ytd_payment numeric(12,2), c_payment_cnt int,
    c_delivery_cnt int, c_data varchar(500));
CREATE TABLE history (
    h_c_id int, h_c_d_id int, h_c_w_id int, h_d_id int, h_w_id int, h_date timestamp,
    h_amount numeric(6,2), h_data varchar(24));
CREATE TABLE new_order (no_w_id int NOT NULL, no_d_id int NOT NULL, no_o_id int NOT NULL);
CREATE TABLE oorder (
    o_w_id int NOT NULL, o_d_id int NOT NULL, o_id int NOT NULL, o_c_id int, o_carrier_id int,
    o_ol_cnt int, o_all_local int, o_entry_d timestamp);
CREATE TABLE order_line (
    ol_w_id int NOT NULL, ol_d_id int NOT NULL, ol_o_id int NOT NULL, ol_number int NOT NULL,
    ol_i_id int, ol_delivery_d timestamp, ol_amount numeric(6,2), ol_supply_w_id int,
    ol_quantity int, ol_dist_info char(24));
CREATE TABLE item (
    i_id int NOT NULL, i_name varchar(24), i_price numeric(5,2), i_data varchar(50), i_im_id int);
CREATE TABLE stock (
    s_w_id int NOT NULL, s_i_id int NOT NULL, s_quantity int, s_ytd numeric(8,0),
    s_order_cnt int, s_remote_cnt int, s_data varchar(50), s_dist_01 char(24),
    s_dist_02 char(24), s_dist_03 char(24), s_dist_04 char(24), s_dist_05 char(24),
    s_dist_06 char(24), s_dist_07 char(24), s_dist_08 char(24), s_dist_09 char(24),
    s_dist_10 char(24));

INSERT INTO warehouse
SELECT w, 'Name' || w || 'xyz', 'first street ' || w, 'second street ' || w, 'a city of ' || w,
       'CA', '123411111', 0.1000, 300000.00
FROM generate_series(1, 2) w;

INSERT INTO district
SELECT w, d, 'Dist' || d || 'xyz', 'first street ' || d, 'second street ' || d, 'a city of ' || d,
       'CA', '567811111', 0.2000, 30000.00, 3001
FROM generate_series(1, 2) w, generate_series(1, 10) d;

-- The last name of a number has one syllable a digit (clause 4.3.2.3).
INSERT INTO customer
SELECT w, d, c, 'First' || lpad(c::text, 4, '0'), 'OE',
       syllable[n / 100 + 1] || syllable[n / 10 % 10 + 1] || syllable[n % 10 + 1],
       'first street ' || c, 'second street ' || c, 'a city of ' || c, 'NY', '901211111',
       lpad(c::text, 16, '0'), now()::timestamp,
       CASE WHEN random() < 0.1 THEN 'BC' ELSE 'GC' END, 50000.00,
       (random() * 0.5)::numeric(4,4), -10.00, 10.00, 1, 0,
       repeat('c', 300 + (random() * 200)::int)
FROM generate_series(1, 2) w, generate_series(1, 10) d, generate_series(1, 3000) c,
     LATERAL (SELECT CASE WHEN c <= 1000 THEN c - 1 ELSE (random() * 999)::int END AS n) number,
     (SELECT ARRAY['BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION',
                   'EING'] AS syllable) syllables;

INSERT INTO history
SELECT c_id, c_d_id, c_w_id, c_d_id, c_w_id, now()::timestamp, 10.00, 'history of ' || c_id || 'x'
FROM customer;

-- 7 has no divisor in common with 3,000: the customers are a permutation of 1..3000.
INSERT INTO oorder
SELECT w, d, o, o * 7 % 3000 + 1,
       CASE WHEN o < 2101 THEN 1 + floor(random() * 10)::int END,
       5 + floor(random() * 11)::int, 1, now()::timestamp
FROM generate_series(1, 2) w, generate_series(1, 10) d, generate_series(1, 3000) o;

INSERT INTO new_order SELECT o_w_id, o_d_id, o_id FROM oorder WHERE o_id >= 2101;

INSERT INTO order_line
SELECT o_w_id, o_d_id, o_id, number, 1 + floor(random() * 100000)::int,
       CASE WHEN o_id < 2101 THEN o_entry_d END,
       CASE WHEN o_id < 2101 THEN 0.00
            ELSE (0.01 + floor(random() * 999999) / 100)::numeric(6,2) END,
       o_w_id, 5, 'ABCDEFGHIJKLMNOPQRSTUVWX'
FROM oorder, generate_series(1, o_ol_cnt) number;

INSERT INTO item
SELECT i, 'the item no. ' || lpad(i::text, 6, '0'),
       (1 + floor(random() * 9901) / 100)::numeric(5,2),
       CASE WHEN random() < 0.1 THEN 'data with ORIGINAL in the middle' ELSE repeat('i', 38) END,
       1 + floor(random() * 10000)::int
FROM generate_series(1, 100000) i;

INSERT INTO stock
SELECT w, i, 10 + floor(random() * 91)::int, 0, 0, 0,
       CASE WHEN random() < 0.1 THEN repeat('s', 20) || 'ORIGINAL' ELSE repeat('s', 44) END,
       x, x, x, x, x, x, x, x, x, x
FROM generate_series(1, 2) w, generate_series(1, 100000) i,
     (SELECT 'abcdefghijklmnopqrstuvwx'::char(24) AS x) info;

ALTER TABLE warehouse ADD PRIMARY KEY (w_id);
ALTER TABLE district ADD PRIMARY KEY (d_w_id, d_id);
ALTER TABLE customer ADD PRIMARY KEY (c_w_id, c_d_id, c_id);
ALTER TABLE new_order ADD PRIMARY KEY (no_w_id, no_d_id, no_o_id);
ALTER TABLE oorder ADD PRIMARY KEY (o_w_id, o_d_id, o_id);
ALTER TABLE order_line ADD PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number);
ALTER TABLE item ADD PRIMARY KEY (i_id);
ALTER TABLE stock ADD PRIMARY KEY (s_w_id, s_i_id);
ANALYZE warehouse, district, customer, history, new_order, oorder, order_line, item, stock;
