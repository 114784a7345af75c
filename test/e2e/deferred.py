"""Deferred Delivery (clause 2.7.2): answered when queued, executed beside the terminals, logged."""

import json

import harness
from harness import FAILURE, SUCCESS, USAGE


class Deferred(harness.ServerTestCase):
    WAREHOUSES_LOADED = 2

    def test_every_delivery_of_the_log_is_in_the_data(self):
        before = self.server.number("SELECT count(*) FROM new_order")
        log = self.server.folder / "deliveries.jsonl"
        path = self.server.folder / "result.json"
        self.expect(self.server.drover(
            "tpcc", "run", "--pace", "100", "--warmup", "1s", "--duration", "5s",
            "--deferred-delivery", "--delivery-log", log, "--json", path), SUCCESS)
        document = json.loads(path.read_text(encoding="utf-8"))
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        deferred = document["deferred_delivery"]
        delivery = document["transactions"]["Delivery"]
        self.assertTrue(document["plan"]["deferred_delivery"])
        self.assertGreater(deferred["queued"], 0)
        self.assertEqual(deferred["queued"], delivery["ok_count"])
        self.assertEqual(deferred["completed"], deferred["queued"])
        self.assertEqual(deferred["failed"] + deferred["unfinished"], 0)
        self.assertEqual(len(lines), document["ledger"]["deliveries"])
        for line in lines:
            self.assertIn(line["w_id"], (1, 2))
            self.assertGreaterEqual(line["completed"], line["queued"])
            self.assert_delivered(line)
        delivered = sum(len(line["orders"]) for line in lines)
        self.assertEqual(document["ledger"]["orders_delivered"], delivered)
        self.assertEqual(document["ledger_in_data"]["orders_delivered"], delivered)
        ordered = document["ledger"]["new_orders"]
        self.assertEqual(self.server.number("SELECT count(*) FROM new_order"),
                         before + ordered - delivered)
        self.expect_consistent(self.server)

    def assert_delivered(self, line):
        keys = ", ".join(f"({line['w_id']}, {d}, {o})" for d, o in line["orders"])
        self.assertEqual(
            self.server.number("SELECT count(*) FROM oorder WHERE o_carrier_id = "
                               f"{line['o_carrier_id']} AND (o_w_id, o_d_id, o_id) IN ({keys})"),
            len(line["orders"]))

    def test_a_log_that_cannot_be_made_is_said_before_the_run(self):
        self.expect_error(self.server.drover("tpcc", "run", "--deferred-delivery",
                                             "--delivery-log", "/no/such/folder/log"),
                          FAILURE, "/no/such/folder/log", "No such file")
        self.expect_error(self.server.drover("tpcc", "run", "--delivery-log", "log"), USAGE,
                          "--deferred-delivery")

    def test_a_log_on_a_full_disk_does_not_lose_the_result(self):
        path = self.server.folder / "full.json"
        command = self.server.drover(
            "tpcc", "run", "--no-delays", "--warmup", "0", "--duration", "2s",
            "--deferred-delivery", "--delivery-log", "/dev/full", "--json", path)
        self.expect_error(command, FAILURE, "/dev/full", "No space left")
        self.assertIn("tpmC", command.out)
        self.assertFalse(json.loads(path.read_text(encoding="utf-8"))["interrupted"])


if __name__ == "__main__":
    harness.main()
