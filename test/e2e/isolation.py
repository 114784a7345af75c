"""Each isolation level, without delays, on 64 connections: the same data in the end.

At repeatable read and serializable the server refuses what it cannot put in order (40001); the same
inputs are tried again until they get through. After each run all conditions hold, and the tables
agree with what was counted. DROVER_ISOLATION_SECONDS is the length of a run: 60 to be thorough.
"""

import json
import os

import harness
from harness import SUCCESS, USAGE

SECONDS = os.environ.get("DROVER_ISOLATION_SECONDS", "2")


class Isolation(harness.ServerTestCase):
    WAREHOUSES_LOADED = 2

    def run_at(self, level, style):
        path = self.server.folder / "result.json"
        self.expect(self.server.drover(
            "tpcc", "run", "--no-delays", "--connections", "64", "--isolation", level,
            "--statements", style, "--max-attempts", "200", "--warmup", "0",
            "--duration", SECONDS + "s", "--json", path, seconds=60 + float(SECONDS)), SUCCESS)
        return json.loads(path.read_text(encoding="utf-8"))

    def expect_sound(self, level):
        """Returns how often the server has refused the batched statements."""
        return [self.refusals_at(level, style) for style in ("batched", "single")][0]

    def refusals_at(self, level, style):
        document = self.run_at(level.replace(" ", "-"), style)
        self.assertEqual(document["plan"]["isolation"], level)
        ledger, in_data = document["ledger"], document["ledger_in_data"]
        self.assertGreater(ledger["new_orders"], 0)
        self.assertEqual(ledger["new_orders"], in_data["new_orders"])
        self.assertEqual(ledger["payment_cents"], in_data["payment_cents"])
        self.assertEqual(ledger["orders_delivered"], in_data["orders_delivered"])
        for name, transaction in document["transactions"].items():
            self.assertEqual(transaction["failed_count"], 0, name)
            refused = transaction["errors_by_sqlstate"]
            self.assertLessEqual(set(refused), {"40001", "40P01"}, name)
            self.assertEqual(sum(refused.values()), transaction["retry_count"], name)
        self.expect_consistent(self.server)
        return sum(t["retry_count"] for t in document["transactions"].values())

    def test_read_committed(self):
        self.assertEqual(self.expect_sound("read committed"), 0)

    def test_repeatable_read(self):
        self.assertGreater(self.expect_sound("repeatable read"), 0)

    def test_serializable(self):
        self.assertGreater(self.expect_sound("serializable"), 0)

    def test_says_what_it_knows(self):
        self.expect_error(self.server.drover("tpcc", "run", "--isolation", "dirty"), USAGE,
                          "--isolation dirty", "read-committed", "serializable")


if __name__ == "__main__":
    harness.main()
