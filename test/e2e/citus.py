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


if __name__ == "__main__":
    citus_cluster.main()
