"""Drover on Citus: a coordinator and two workers."""

import json

import citus_cluster
import harness
from harness import SUCCESS


class CitusTestCase(harness.TestCase):
    """Tests that share one cluster, started for them."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = citus_cluster.CitusCluster()
        cls.addClassCleanup(cls.cluster.remove)
        cls.cluster.start()
        cls.coordinator = cls.cluster.coordinator

    def run_and_read(self, *arguments):
        path = self.coordinator.folder / "result.json"
        self.expect(self.coordinator.drover(*arguments, "--json", path), SUCCESS)
        return json.loads(path.read_text(encoding="utf-8"))

    def expect_no_refused_statement(self, document):
        for name, counted in document["transactions"].items():
            self.assertNotIn("0A000", counted["errors_by_sqlstate"], name)


class Commands(CitusTestCase):
    """The tests of this class are steps: they build on each other, in the order of their names."""

    def test_1_init_and_import(self):
        self.expect(self.coordinator.drover("tpcc", "init"), SUCCESS)
        self.expect(self.coordinator.drover("tpcc", "import", "-w", 4), SUCCESS)
        placed = self.coordinator.number("SELECT count(DISTINCT nodename) FROM citus_shards WHERE table_name = 'stock'::regclass")
        self.assertEqual(placed, 2)

    def test_2_a_run(self):
        document = self.run_and_read("tpcc", "run", "-w", 4, "--no-delays", "--duration", "3s", "--warmup", "0")
        self.expect_every_count(document)
        self.expect_no_refused_statement(document)


class Ycsb(CitusTestCase):
    """The tests of this class are steps: they build on each other, in the order of their names."""

    def test_1_load(self):
        self.expect(self.coordinator.drover("ycsb", "load", "--recordcount", 500), SUCCESS)
        placed = self.coordinator.number(
            "SELECT count(DISTINCT nodename) FROM citus_shards WHERE table_name = 'usertable'::regclass")
        self.assertEqual(placed, 2)

    def test_2_scans(self):
        document = self.run_and_read("ycsb", "run", "--recordcount", 500, "--workload", "e",
                                     "--duration", "2s", "--warmup", "0")
        self.assertGreater(document["transactions"]["SCAN"]["ok_count"], 0)
        self.expect_no_refused_statement(document)


if __name__ == "__main__":
    citus_cluster.main()
