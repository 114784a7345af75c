"""Drover on Citus: a coordinator and two workers."""

import json

import any_version
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


class Commands(any_version.AnyVersion):
    """Each command through the coordinator."""

    OF_INIT = ()
    # Citus has no serializable transactions of several shards.
    ISOLATIONS = ("read-committed", "repeatable-read")

    @classmethod
    def start_shared_server(cls):
        cls.cluster = citus_cluster.CitusCluster()
        cls.addClassCleanup(cls.cluster.remove)
        cls.cluster.start()
        cls.server = cls.cluster.coordinator

    def test_2_init_and_import(self):
        super().test_2_init_and_import()
        placed = self.server.number("SELECT count(DISTINCT nodename) FROM citus_shards WHERE table_name = 'stock'::regclass")
        self.assertEqual(placed, 2)


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
