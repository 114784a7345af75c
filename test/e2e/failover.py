"""A cluster under Patroni fails over in the middle of a run: the run goes on, says when the database was away, and
names the commits that were lost, as psql counts them."""

import json
import pathlib
import sys
import time

import harness
import json_schema
from harness import SUCCESS, wait_until

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cluster"))

import lost_commits  # noqa: E402  (of the folder above)
import patroni_cluster  # noqa: E402

SKIPPED = 77
CONNECTIONS = 8
RUN_S = 20
PACE = 100  # some 40 transactions a second: no test of the machine


class Failover(harness.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.cluster = patroni_cluster.Cluster()
        cls.addClassCleanup(cls.cluster.remove)
        cls.cluster.start()
        where = ["--db", cls.cluster.conninfo]
        harness.expect(harness.drover("tpcc", "init", *where), SUCCESS)
        harness.expect(harness.drover("tpcc", "import", "-w", 1, *where), SUCCESS)

    def begin_run(self):
        self.before = lost_commits.totals(self.cluster.conninfo)
        self.path = self.cluster.folder / f"{self.id()}.json"
        command = harness.start_drover(
            "tpcc", "run", "--db", self.cluster.conninfo, "-w", 1, "--pace", PACE, "--connections",
            CONNECTIONS, "--warmup", "0", "--duration", f"{RUN_S}s", "--json", self.path)
        self.addCleanup(command.kill)
        command.wait_for("terminals up")
        self.wait_for_orders(command, 3 * CONNECTIONS)
        return command

    def wait_for_orders(self, command, count):
        """Until so many New-Orders more are there: all but CONNECTIONS of them have been answered."""
        def orders():
            self.assertFalse(command.ended(), str(command))
            return int(self.cluster.rows("SELECT sum(d_next_o_id) FROM district")[0][0])
        before = orders()
        wait_until(lambda: orders() >= before + count, "New-Orders")

    def end_run(self, command, fault):
        # Whose node is back before another is the primary becomes it again.
        promotion = self.cluster.promotion_after(fault)
        self.assertNotEqual(promotion.node, fault.node)
        self.cluster.repair()
        repaired = time.time()
        self.expect(command.wait(), SUCCESS)
        print(command.out, flush=True)
        return json.loads(self.path.read_text(encoding="utf-8")), repaired

    def expect_all_accounted_for(self, document):
        """By the tables, of which psql tells."""
        found, wrong = lost_commits.problems(self.cluster.conninfo, self.before, document)
        self.assertEqual(wrong, [], found)
        for name, one in document["transactions"].items():
            self.assertEqual(one["ambiguous"]["unresolved"], 0, name)
        self.expect(harness.drover("tpcc", "check", "--db", self.cluster.conninfo), SUCCESS)
        return found

    def expect_fit(self, document):
        if json_schema.jsonschema is not None:
            schema = json_schema.strict(json_schema.load_schema("result"))
            self.assertEqual(json_schema.violations(schema, document), [])

    def expect_outage(self, document, fault, repaired):
        """Of those that the run lists one lies between the fault and the time when all was well again."""
        start = document["availability"]["run_start_ts"]
        outages = [(start + one["start_s"], start + (one["end_s"] or RUN_S))
                   for one in document["availability"]["outages"]]
        print(f"{fault}: {self.cluster.promotion_after(fault)}; outages {outages}", flush=True)
        self.assertTrue(any(until > fault.at and since < repaired for since, until in outages))

    def test_a_killed_primary_whose_standbys_were_behind(self):
        command = self.begin_run()
        self.cluster.hold_replication()
        self.wait_for_orders(command, 4 * CONNECTIONS)
        fault = self.cluster.kill_primary()
        document, repaired = self.end_run(command, fault)
        found = self.expect_all_accounted_for(document)
        # Those that were there and are not, but for those that nobody had been told of.
        self.assertGreaterEqual(found["new_orders"], 3 * CONNECTIONS)
        self.expect_outage(document, fault, repaired)
        self.expect_fit(document)
        self.assertEqual({one["transaction"] for one in document["lost_commits"]["commits"]} - {"Delivery"},
                         {"NewOrder", "Payment"})
        self.assertEqual(document["audit"]["validity"], "invalid")
        self.assertRegex(command.out, r"lost +\d+ acknowledged commits are not in the data: ")

    def test_a_switchover_of_a_synchronous_cluster(self):
        self.cluster.set_synchronous(True)
        command = self.begin_run()
        fault = self.cluster.switch_over()
        document, repaired = self.end_run(command, fault)
        found = self.expect_all_accounted_for(document)
        self.assertEqual(set(found.values()), {0})
        self.expect_outage(document, fault, repaired)
        self.assertRegex(command.out, r"lost +none: every acknowledged commit is in the data\n")


if __name__ == "__main__":
    reason = patroni_cluster.what_is_missing()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    harness.main()
