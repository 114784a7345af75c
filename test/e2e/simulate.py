"""Runs without a database: many terminals, little memory."""

import json
import math
import os
import re
import tempfile

import harness
from harness import INTERRUPTED, SUCCESS

# Mean time between two transactions of a terminal with the mix of the deck: keying and think
# times of clause 5.2.5.7, weighted.
CYCLE_S = (10 * (18 + 12) + 10 * (3 + 12) + (2 + 10) + (2 + 5) + (2 + 5)) / 23
MIB = 1 << 20


class Simulate(harness.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="drover-e2e-")
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "result.json")

    def run_simulated(self, *arguments):
        command = harness.drover("tpcc", "run", "--warmup", "0", "--json", self.path, *arguments)
        self.expect(command, SUCCESS)
        with open(self.path, encoding="utf-8") as file:
            return command, json.load(file)

    def expect_rate(self, document, terminals, duration_s):
        # A machine that stands still at the end of the interval makes it longer.
        measured_s = document["summary"]["measured_seconds"]
        self.assertGreater(measured_s, duration_s - 0.5)
        counts = [one["ok_count"] + one["user_aborted_count"]
                  for one in document["transactions"].values()]
        expected = terminals * measured_s / CYCLE_S
        self.assertAlmostEqual(sum(counts), expected, delta=expected * 0.1)
        new_orders = document["transactions"]["NewOrder"]
        # One in a hundred rolls back by intention, give or take five standard deviations.
        rolled_back, all_count = new_orders["user_aborted_count"], new_orders["all_count"]
        self.assertAlmostEqual(rolled_back, all_count / 100,
                               delta=5 * math.sqrt(all_count / 100))

    def test_1500_warehouses(self):
        command, document = self.run_simulated("-w", 1500, "--simulate-ms", 5, "--duration", "5s")
        self.expect_rate(document, 15_000, 5)
        self.assertEqual(document["client"]["terminals"], 15_000)
        self.assertLess(document["client"]["peak_rss_bytes"], 64 * MIB)
        self.assertEqual(document["plan"]["simulate_ms"], 5)
        self.assertIsNone(document["environment"]["server"])
        median_ms = document["transactions"]["NewOrder"]["percentiles"]["50"]
        self.assertGreaterEqual(median_ms, 4.96)  # never early; the histogram is exact to 1%
        self.assertLess(median_ms, 50)

    def test_15000_warehouses(self):
        # The measured time begins with the first of them: where they come up late, on a machine
        # that stands still, the load is less, and another run may have more of the machine.
        for _ in range(10):
            command, document = self.run_simulated("-w", 15_000, "--simulate-ms", 5,
                                                   "--duration", "5s")
            up = re.search(r"150,000 terminals up after ([0-9.]+) s", command.err)
            self.assertTrue(up, str(command))
            if float(up[1]) < 1:  # 0.07 s on a machine that has nothing else to do
                break
        self.assertLess(float(up[1]), 10)
        self.assertLess(document["client"]["peak_rss_bytes"], 128 * MIB)
        self.assertLess(command.seconds, 30)
        self.expect_rate(document, 150_000, 5)

    def test_the_same_seed_is_the_same_run(self):
        # The inputs are the same; the times of the machine are not, so only a rough count is.
        paths = [f"{self.path}.{number}" for number in range(2)]
        both = [harness.start_drover("tpcc", "run", "-w", 10, "--simulate-ms", 0, "--pace", 20,
                                     "--warmup", 0, "--duration", "6s", "--seed", 4, "--json", path)
                for path in paths]
        for command in both:
            self.expect(command.wait(), SUCCESS)
        counts = []
        for path in paths:
            with open(path, encoding="utf-8") as file:
                counts.append(sum(one["all_count"]
                                  for one in json.load(file)["transactions"].values()))
        self.assertAlmostEqual(counts[0], counts[1], delta=0.05 * counts[0])

    def test_interrupted(self):
        command = harness.start_drover("tpcc", "run", "-w", 15_000, "--simulate-ms", 5,
                                       "--duration", "1h", "--warmup", 0, "--json", self.path)
        self.addCleanup(command.kill)
        command.wait_for("terminals up")
        command.signal(2)
        self.expect(command.wait(), INTERRUPTED)
        with open(self.path, encoding="utf-8") as file:
            self.assertTrue(json.load(file)["interrupted"])


if __name__ == "__main__":
    harness.main()
