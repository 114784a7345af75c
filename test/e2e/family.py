"""Databases loaded by other tools of the BenchBase family, and their statements on ours.

The tables are made by statements of this file as those tools make them: columns in another order,
counters that are numeric, money that is floating, keys before the rows, a redundant index; and
there is no table of ours.
"""

import re

import harness
from harness import FAILURE, SUCCESS

TABLES_OF_ANOTHER_TOOL = """
CREATE SCHEMA family;
SET search_path = family;
CREATE TABLE warehouse (
  w_id int NOT NULL, w_ytd decimal(12,2) NOT NULL, w_tax decimal(4,4) NOT NULL,
  w_name varchar(10) NOT NULL, w_street_1 varchar(20) NOT NULL, w_street_2 varchar(20) NOT NULL,
  w_city varchar(20) NOT NULL, w_state char(2) NOT NULL, w_zip char(9) NOT NULL,
  PRIMARY KEY (w_id));
CREATE TABLE item (
  i_id int NOT NULL, i_name varchar(24) NOT NULL, i_price decimal(5,2) NOT NULL,
  i_data varchar(50) NOT NULL, i_im_id int NOT NULL,
  PRIMARY KEY (i_id));
CREATE TABLE stock (
  s_w_id int NOT NULL, s_i_id int NOT NULL, s_quantity int NOT NULL,
  s_ytd decimal(8,2) NOT NULL, s_order_cnt int NOT NULL, s_remote_cnt int NOT NULL,
  s_data varchar(50) NOT NULL,
  s_dist_01 char(24) NOT NULL, s_dist_02 char(24) NOT NULL, s_dist_03 char(24) NOT NULL,
  s_dist_04 char(24) NOT NULL, s_dist_05 char(24) NOT NULL, s_dist_06 char(24) NOT NULL,
  s_dist_07 char(24) NOT NULL, s_dist_08 char(24) NOT NULL, s_dist_09 char(24) NOT NULL,
  s_dist_10 char(24) NOT NULL,
  PRIMARY KEY (s_w_id, s_i_id));
CREATE TABLE district (
  d_w_id int NOT NULL REFERENCES warehouse (w_id) ON DELETE CASCADE, d_id int NOT NULL,
  d_ytd decimal(12,2) NOT NULL, d_tax decimal(4,4) NOT NULL, d_next_o_id int NOT NULL,
  d_name varchar(10) NOT NULL, d_street_1 varchar(20) NOT NULL, d_street_2 varchar(20) NOT NULL,
  d_city varchar(20) NOT NULL, d_state char(2) NOT NULL, d_zip char(9) NOT NULL,
  PRIMARY KEY (d_w_id, d_id));
CREATE TABLE customer (
  c_w_id int NOT NULL, c_d_id int NOT NULL, c_id int NOT NULL, c_discount decimal(4,4) NOT NULL,
  c_credit char(2) NOT NULL, c_last varchar(16) NOT NULL, c_first varchar(16) NOT NULL,
  c_credit_lim decimal(12,2) NOT NULL, c_balance decimal(12,2) NOT NULL,
  c_ytd_payment float NOT NULL, c_payment_cnt int NOT NULL, c_delivery_cnt int NOT NULL,
  c_street_1 varchar(20) NOT NULL, c_street_2 varchar(20) NOT NULL, c_city varchar(20) NOT NULL,
  c_state char(2) NOT NULL, c_zip char(9) NOT NULL, c_phone char(16) NOT NULL,
  c_since timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP, c_middle char(2) NOT NULL,
  c_data varchar(500) NOT NULL,
  FOREIGN KEY (c_w_id, c_d_id) REFERENCES district (d_w_id, d_id) ON DELETE CASCADE,
  PRIMARY KEY (c_w_id, c_d_id, c_id));
CREATE TABLE history (
  h_c_id int NOT NULL, h_c_d_id int NOT NULL, h_c_w_id int NOT NULL, h_d_id int NOT NULL,
  h_w_id int NOT NULL, h_date timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  h_amount decimal(6,2) NOT NULL, h_data varchar(24) NOT NULL);
CREATE TABLE oorder (
  o_w_id int NOT NULL, o_d_id int NOT NULL, o_id int NOT NULL, o_c_id int NOT NULL,
  o_carrier_id int DEFAULT NULL, o_ol_cnt decimal(2,0) NOT NULL,
  o_all_local decimal(1,0) NOT NULL, o_entry_d timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (o_w_id, o_d_id, o_id), UNIQUE (o_w_id, o_d_id, o_c_id, o_id));
CREATE TABLE new_order (
  no_w_id int NOT NULL, no_d_id int NOT NULL, no_o_id int NOT NULL,
  PRIMARY KEY (no_w_id, no_d_id, no_o_id));
CREATE TABLE order_line (
  ol_w_id int NOT NULL, ol_d_id int NOT NULL, ol_o_id int NOT NULL, ol_number int NOT NULL,
  ol_i_id int NOT NULL, ol_delivery_d timestamp NULL DEFAULT NULL,
  ol_amount decimal(6,2) NOT NULL, ol_supply_w_id int NOT NULL,
  ol_quantity decimal(2,0) NOT NULL, ol_dist_info char(24) NOT NULL,
  PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number));
CREATE INDEX family_customer_name ON customer (c_w_id, c_d_id, c_last, c_first);
"""

RUN = ["tpcc", "run", "--no-delays", "--warmup", "0", "--duration", "2s"]


def columns_of(table):
    return [line.split()[0] for line in re.findall(
        rf"CREATE TABLE {table} \((.*?)\);", TABLES_OF_ANOTHER_TOOL, re.S)[0].split(",")
        if re.match(r"\s*[a-z]+_\w+ ", line)]


class TablesOfAnotherTool(harness.ServerTestCase):
    """The tests of this class are steps: they build on each other, in the order of their names."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.load(1, schema="ours")
        cls.server.sql(TABLES_OF_ANOTHER_TOOL)
        for table in ("warehouse", "item", "stock", "district", "customer", "history", "oorder",
                      "new_order", "order_line"):
            columns = ", ".join(columns_of(table))
            cls.server.sql(f"INSERT INTO family.{table} ({columns}) "
                           f"SELECT {columns} FROM ours.{table}")
        # As those tools do it, in our tables as well: the time of the load, everywhere.
        cls.server.sql("UPDATE family.order_line SET ol_delivery_d = now() + interval '1 s' "
                       "WHERE ol_delivery_d IS NOT NULL")
        # Letters one short, and no digits or capitals.
        cls.server.sql("UPDATE family.item SET i_data = 'short' WHERE i_id <= 10")
        cls.server.sql("ANALYZE")

    def in_family(self, *arguments):
        return self.server.drover(*arguments, "--schema", "family")

    def test_1_check(self):
        self.expect(self.in_family("tpcc", "check"), SUCCESS)

    def test_2_deviations_are_reported(self):
        command = self.expect(self.in_family("tpcc", "check", "--after-import"), FAILURE)
        self.assertRegex(command.out, r"loaded values in order_line, fitting its order +VIOLATED")
        self.assertRegex(command.out, r"loaded values in item +VIOLATED in 10 cases\n")
        self.assertNotIn("ERROR", command.out)
        for number in range(1, 13):
            self.assertRegex(command.out, rf"(?m)^ *{number}  3\.3\.2\.{number} .* OK$")

    def test_3_run(self):
        for style in ("batched", "single"):
            with self.subTest(statements=style):
                before = self.server.number("SELECT count(*) FROM family.oorder")
                command = self.expect(self.in_family(*RUN, "--statements", style), SUCCESS)
                self.assertIn("another tool loaded these tables", command.err)
                self.assertGreater(self.server.number("SELECT count(*) FROM family.oorder"),
                                   before + 50)
                failed = re.search(r"(?m)^all +\d+ +\d+ +(\d+)", command.out)
                self.assertEqual(failed[1], "0", str(command))
                self.expect(self.in_family("tpcc", "check"), SUCCESS)

    def test_4_the_other_commands(self):
        # Rows of another tool are not ours to add to, nor to drop without being told.
        before = self.server.number("SELECT count(*) FROM family.oorder")
        self.expect_error(self.in_family("tpcc", "import", "-w", 2), FAILURE, "family|init")
        self.expect_error(self.in_family("tpcc", "init"), FAILURE, "--force")
        self.assertEqual(self.server.number("SELECT count(*) FROM family.oorder"), before)

    def test_5_a_missing_column(self):
        self.server.sql("ALTER TABLE family.stock DROP COLUMN s_remote_cnt CASCADE")
        command = self.in_family(*RUN)
        self.expect_error(command, FAILURE, "s_remote_cnt")
        command = self.expect(self.in_family("tpcc", "check"), FAILURE)
        self.assertIn("s_remote_cnt", command.out + command.err)

    def test_6_clean(self):
        self.expect(self.in_family("tpcc", "clean"), SUCCESS)
        self.assertEqual(self.server.number(
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'family'::regnamespace"), 0)


# A New-Order of five lines, a Payment, an Order-Status, a Delivery and a Stock-Level in the manner
# of those tools: a statement a row, columns by name, and as few of them as they write.
STATEMENTS_OF_ANOTHER_TOOL = """
SELECT c_discount, c_last, c_credit FROM customer WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 7;
SELECT w_tax FROM warehouse WHERE w_id = 1;
SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = 1 AND d_id = 1 FOR UPDATE;
INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (3001, 1, 1);
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 1 AND d_id = 1;
INSERT INTO oorder (o_id, o_d_id, o_w_id, o_c_id, o_ol_cnt, o_all_local)
  VALUES (3001, 1, 1, 7, 5, 1);
SELECT i_price, i_name, i_data FROM item WHERE i_id BETWEEN 17 AND 21;
SELECT s_quantity, s_data, s_dist_01 FROM stock WHERE s_i_id = 17 AND s_w_id = 1 FOR UPDATE;
INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id,
    ol_quantity, ol_amount, ol_dist_info)
  SELECT 3001, 1, 1, i_id - 16, i_id, 1, 5, 5 * i_price, s_dist_01
  FROM item JOIN stock ON s_i_id = i_id AND s_w_id = 1 WHERE i_id BETWEEN 17 AND 21;
UPDATE stock SET s_quantity = s_quantity - 5 + CASE WHEN s_quantity < 15 THEN 91 ELSE 0 END,
    s_ytd = s_ytd + 5, s_order_cnt = s_order_cnt + 1,
    s_remote_cnt = s_remote_cnt + 0 WHERE s_i_id BETWEEN 17 AND 21 AND s_w_id = 1;

UPDATE warehouse SET w_ytd = w_ytd + 10.5 WHERE w_id = 1;
UPDATE district SET d_ytd = d_ytd + 10.5 WHERE d_w_id = 1 AND d_id = 1;
SELECT c_first, c_id, c_data FROM customer WHERE c_w_id = 1 AND c_d_id = 1
  AND c_last = 'BARBARBAR' ORDER BY c_first;
UPDATE customer SET c_balance = c_balance - 10.5, c_ytd_payment = c_ytd_payment + 10.5,
    c_payment_cnt = c_payment_cnt + 1, c_data = CASE c_credit WHEN 'BC'
      THEN left('7 1 1 1 1 10.5 | ' || c_data, 500) ELSE c_data END
  WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 7;
INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data)
  SELECT 1, 1, 7, 1, 1, now(), 10.5, w_name || '    ' || d_name
  FROM warehouse, district WHERE w_id = 1 AND d_w_id = 1 AND d_id = 1;

SELECT o_id, o_carrier_id, o_entry_d FROM oorder WHERE o_w_id = 1 AND o_d_id = 1 AND o_c_id = 7
  ORDER BY o_id DESC LIMIT 1;

SELECT no_o_id FROM new_order WHERE no_d_id = 1 AND no_w_id = 1 ORDER BY no_o_id LIMIT 1;
DELETE FROM new_order WHERE no_o_id = 2101 AND no_d_id = 1 AND no_w_id = 1;
UPDATE oorder SET o_carrier_id = 3 WHERE o_id = 2101 AND o_d_id = 1 AND o_w_id = 1;
UPDATE order_line SET ol_delivery_d = now() WHERE ol_o_id = 2101 AND ol_d_id = 1 AND ol_w_id = 1;
UPDATE customer SET c_delivery_cnt = c_delivery_cnt + 1, c_balance = c_balance + (
    SELECT sum(ol_amount) FROM order_line WHERE ol_o_id = 2101 AND ol_d_id = 1 AND ol_w_id = 1)
  WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = (
    SELECT o_c_id FROM oorder WHERE o_id = 2101 AND o_d_id = 1 AND o_w_id = 1);

SELECT count(DISTINCT s_i_id) FROM order_line, stock WHERE ol_w_id = 1 AND ol_d_id = 1
  AND ol_o_id < 3002 AND ol_o_id >= 2982 AND s_w_id = 1 AND s_i_id = ol_i_id AND s_quantity < 15;
"""


class StatementsOfAnotherTool(harness.ServerTestCase):

    WAREHOUSES_LOADED = 1

    def test_they_work_on_our_tables(self):
        self.server.sql(STATEMENTS_OF_ANOTHER_TOOL)
        self.assertEqual(self.server.number("SELECT d_next_o_id FROM district WHERE d_id = 1"),
                         3002)
        self.expect_consistent(self.server)
        # And we go on where they were.
        self.expect(self.server.drover(*RUN), SUCCESS)
        self.expect_consistent(self.server)


if __name__ == "__main__":
    harness.main()
