"""The whole story on a private server, and what its result document says."""

import json
import math

import harness
from harness import SUCCESS

TYPES = ["NewOrder", "Payment", "OrderStatus", "Delivery", "StockLevel"]
# What the story counts in its schema.
INSERTED = "SELECT count(*) - 3000 * 10 * 2 FROM oorder"
INCREMENTED = "SELECT sum(d_next_o_id - 3001) FROM district"


class Story(harness.ServerTestCase):
    """The tests of this class are steps: they build on each other, in the order of their names."""

    def run_and_read(self, *arguments):
        path = self.server.folder / "result.json"
        command = self.expect(
            self.server.drover("tpcc", "run", "--json", path, *arguments), SUCCESS)
        self.assertIn("tpmC", command.out)
        return json.loads(path.read_text(encoding="utf-8"))

    def expect_well_formed(self, document, warehouses, duration_s):
        summary = document["summary"]
        for field in ("name", "time_seconds", "measure_start_ts", "warehouses", "new_orders",
                      "tpmc", "efficiency"):
            self.assertIn(field, summary)
        self.assertEqual(summary["name"], "Total")
        self.assertEqual(summary["warehouses"], warehouses)
        self.assertIsInstance(summary["time_seconds"], int)
        self.assertEqual(summary["time_seconds"], duration_s)
        self.assertAlmostEqual(summary["measured_seconds"], duration_s, delta=0.5)
        self.assertEqual(list(sorted(document["transactions"])), sorted(TYPES))
        for name in TYPES:
            self.expect_transaction_adds_up(name, document["transactions"][name])
        self.assertEqual(summary["new_orders"], document["transactions"]["NewOrder"]["ok_count"])
        tpmc = summary["new_orders"] * 60 / summary["measured_seconds"]
        self.assertAlmostEqual(summary["tpmc"], tpmc, delta=max(tpmc * 1e-6, 1e-6))
        self.assertFalse(document["interrupted"])
        self.expect_client(document, warehouses)

    def expect_transaction_adds_up(self, name, transaction):
        ok, failed = transaction["ok_count"], transaction["failed_count"]
        self.assertEqual(set(transaction["percentiles"]), {"50", "90", "95", "99", "99.9"})
        self.assertEqual(failed, 0, name)
        self.assertEqual(transaction["all_count"], ok + failed + transaction["user_aborted_count"])
        self.assertEqual(transaction["attempts"],
                         transaction["all_count"] + transaction["retry_count"])
        pending = transaction["pending"]
        latencies = ok + pending["answered"] + pending["unanswered"]
        self.assertEqual(transaction["histogram"]["count"], latencies)
        self.assertEqual(sum(count for _, count in transaction["histogram"]["buckets"]), latencies)
        if name != "NewOrder":
            self.assertEqual(transaction["user_aborted_count"], 0)
        ordered = [transaction["percentiles"][key] for key in ("50", "90", "95", "99", "99.9")]
        self.assertEqual(ordered, sorted(ordered))
        if ok > 0:
            self.assertGreater(ordered[0], 0)

    def expect_client(self, document, warehouses):
        client = document["client"]
        self.assertEqual(client["terminals"], warehouses * 10)
        self.assertGreaterEqual(client["threads"], 1)
        self.assertGreater(client["peak_rss_bytes"], 1 << 20)
        self.assertGreater(client["cpu_seconds"], 0)
        all_count = sum(document["transactions"][name]["all_count"] for name in TYPES)
        self.assertAlmostEqual(client["cpu_us_per_transaction"],
                               client["cpu_seconds"] * 1e6 / all_count, delta=0.1)

    def run_and_compare_with_database(self, duration_s, *arguments):
        """Runs, and holds the document against what the run has done to the tables."""
        server = self.server
        before = server.number(INSERTED)
        delivered_before = server.number("SELECT count(*) FROM oorder WHERE o_carrier_id > 0")
        history_before = server.number("SELECT count(*) FROM history")
        document = self.run_and_read("--duration", f"{duration_s}s", *arguments)
        self.expect_well_formed(document, 2, duration_s)
        counts = {name: document["transactions"][name]["ok_count"] for name in TYPES}
        inserted = server.number(INSERTED) - before
        self.assertEqual(server.number(INSERTED), server.number(INCREMENTED))
        paid = server.number("SELECT count(*) FROM history") - history_before
        delivered = (server.number("SELECT count(*) FROM oorder WHERE o_carrier_id > 0")
                     - delivered_before)
        outside = 40  # at most what the 20 terminals had in hand at both edges of the interval
        self.assertGreaterEqual(inserted, counts["NewOrder"])
        self.assertGreaterEqual(paid, counts["Payment"])
        self.assertGreaterEqual(delivered, 10 * counts["Delivery"]
                                - document["delivery_skipped_districts"] - 10)
        if document["plan"]["warmup_s"] == 0:
            self.assertLessEqual(inserted, counts["NewOrder"] + outside)
            self.assertLessEqual(paid, counts["Payment"] + outside)
        self.expect_consistent(server)
        return document

    def test_1_init_and_import(self):
        self.expect(self.server.drover("tpcc", "init", "--foreign-keys", "after-load"), SUCCESS)
        command = self.expect(self.server.drover("tpcc", "import", "-w", 2, "--seed", 7), SUCCESS)
        self.assertIn("imported 2 warehouses", command.out)
        self.assertEqual(self.server.number(
            "SELECT count(*) FROM pg_constraint WHERE contype = 'f'"), 10)
        command = self.expect_consistent(self.server, "--after-import")
        self.assertNotIn("not checked", command.out)

    def test_2_run_with_delays(self):
        document = self.run_and_compare_with_database(5, "--pace", 50, "--warmup", "1s")
        self.assertEqual(document["plan"]["pace"], 50)
        self.assertTrue(document["summary"]["efficiency_is_meaningful"])
        # 20 terminals make some 240 transactions in 5 s: the bounds are far beyond chance.
        self.assertGreater(document["summary"]["efficiency"], 40)
        self.assertLess(document["summary"]["efficiency"], 160)

    def test_3_run_without_warmup(self):
        self.run_and_compare_with_database(3, "--pace", 50, "--warmup", "0")

    def test_4_run_without_delays(self):
        document = self.run_and_compare_with_database(
            3, "--no-delays", "--warmup", "0", "--threads", 2, "--connections", 8)
        self.assertFalse(document["summary"]["efficiency_is_meaningful"])
        self.assertGreater(document["summary"]["new_orders"], 100)
        self.assertEqual(document["plan"]["threads"], 2)
        self.assertEqual(document["plan"]["connections"], 8)
        self.expect_the_mix(document)

    def expect_the_mix(self, document):
        counts = {name: document["transactions"][name]["all_count"] for name in TYPES}
        total = sum(counts.values())
        shares = {"NewOrder": 10 / 23, "Payment": 10 / 23, "OrderStatus": 1 / 23,
                  "Delivery": 1 / 23, "StockLevel": 1 / 23}
        for name, share in shares.items():
            # Decks make this much tighter than a draw; 20 decks may be open.
            slack = 5 * math.sqrt(total * share * (1 - share)) + 20
            self.assertAlmostEqual(counts[name], total * share, delta=slack, msg=str(counts))

    def test_5_run_with_single_statements(self):
        document = self.run_and_compare_with_database(
            3, "--no-delays", "--warmup", "1s", "--statements", "single")
        self.assertEqual(document["plan"]["statements"], "single")
        self.assertGreater(document["summary"]["new_orders"], 100)

    def test_6_run_on_a_part_of_the_warehouses(self):
        second = "SELECT sum(d_next_o_id) FROM district WHERE d_w_id = 2"
        before = self.server.number(second)
        document = self.run_and_read("-w", 1, "--no-delays", "--duration", "1s", "--warmup", "0")
        self.expect_well_formed(document, 1, 1)
        self.assertEqual(self.server.number(second), before)
        self.expect_consistent(self.server)

    def test_7_a_corruption_is_found(self):
        self.server.sql("UPDATE order_line SET ol_amount = ol_amount + 0.01 "
                        "WHERE ol_w_id = 2 AND ol_d_id = 3 AND ol_o_id = 5 AND ol_number = 1")
        command = self.expect(self.server.drover("tpcc", "check"), harness.FAILURE)
        self.assertRegex(command.out, r"3\.3\.2\.10 .*VIOLATED in 1 case\n")
        self.assertRegex(command.out, r"3\.3\.2\.12 .*VIOLATED in 1 case\n")

    def test_8_clean(self):
        self.expect(self.server.drover("tpcc", "clean"), SUCCESS)
        self.assertEqual(self.server.sql(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"), [])
        # Nothing to drop is no error.
        self.expect(self.server.drover("tpcc", "clean"), SUCCESS)


class Demo(harness.TestCase):

    def test_demo_on_a_server_of_its_own(self):
        server = harness.Server()
        self.addCleanup(server.remove)
        command = self.expect(
            server.drover("demo", "-w", 1, "--duration", "5s", "--no-delays-duration", "3s"),
            SUCCESS)
        self.assertIn("consistent after both runs", command.out)
        self.assertEqual(command.out.count("$ drover tpcc run"), 2)
        # It was on demand: nobody asked for it to go on.
        self.expect(server.drover("pg", "status"), harness.STOPPED)
        # It can be told again, and its last word is a command that works.
        clean = command.out.strip().rsplit("drover ", 1)[1].split()
        self.expect(server.drover(*clean), SUCCESS)


if __name__ == "__main__":
    harness.main()
