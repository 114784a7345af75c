"""Citus whose nodes are killed, and whose connections between nodes are cut."""

import json

import citus_cluster
import harness
from harness import FAILURE, SUCCESS


class UnknownCommits(harness.TestCase):
    """Commits whose connection between nodes is cut, and nodes that are killed: what became of each commit is compared
    with sums that psql reads."""

    COMMIT = rb"^Q....COMMIT\0"
    COMMIT_PREPARED = rb"^Q....COMMIT PREPARED '"
    PREPARE = rb"^Q....PREPARE TRANSACTION '"
    SESSIONS_OF_RUN = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'drover%'"

    @classmethod
    def setUpClass(cls):
        cls.cluster = citus_cluster.CitusCluster(proxied=True)
        cls.addClassCleanup(cls.cluster.remove)
        # Nothing but Drover recovers prepared transactions, and no look-up may read a table whole.
        cls.cluster.start("citus.recover_2pc_interval=-1", "citus.max_intermediate_result_size=64kB")
        cls.coordinator = cls.cluster.coordinator
        cls.coordinator.load(2)
        assert cls.cluster.workers_of_warehouses(2) == 2

    def sums(self):
        """Orders, cents paid and undelivered orders."""
        (row,) = self.coordinator.sql(
            "SELECT (SELECT sum(d_next_o_id) FROM district), (SELECT (sum(w_ytd) * 100)::int8 FROM warehouse), "
            "(SELECT count(*) FROM new_order)")
        return [int(value) for value in row]

    def run_with(self, fault, seconds=4):
        """Returns the result of a run during which fault() happens, and whose ledger is what psql says.

        The run ends by itself: after an interrupt, Drover reads the ledger for 5 s at most."""
        before = self.sums()
        path = self.coordinator.folder / "result.json"
        run = self.coordinator.begin("tpcc", "run", "--no-delays", "--connections", 8, "--duration",
                                     f"{seconds}s", "--warmup", 0, "--json", path)
        self.addCleanup(run.kill)
        self.coordinator.wait_for_orders(count=5)
        fault()
        self.expect(run.wait(harness.PATIENCE_S), SUCCESS)
        document = json.loads(path.read_text(encoding="utf-8"))
        orders, cents, undelivered = (new - old for new, old in zip(self.sums(), before))
        ledger = document["ledger"]
        self.assertEqual([ledger["new_orders"], ledger["payment_cents"], ledger["orders_delivered"]],
                         [orders, cents, orders - undelivered])
        self.assertTrue(ledger["exact"])
        self.expect_every_count(document)
        self.assertEqual(document["lost_commits"]["count"], 0)
        for worker in self.cluster.workers:
            self.assertEqual(worker.number("SELECT count(*) FROM pg_prepared_xacts"), 0)
        return document

    def unknown(self, document, outcome):
        return sum(counted["ambiguous"][outcome] for counted in document["transactions"].values())

    def test_warehouses_of_a_worker_that_is_stopped_are_away(self):
        worker = self.cluster.workers[1]
        shards = self.coordinator.sql(
            f"SELECT w_id, nodeport = {self.cluster.proxies[1].port} FROM warehouse "
            "JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column('warehouse', w_id) "
            "JOIN pg_dist_node USING (groupid)")
        (away,) = [int(w_id) for w_id, is_of_worker in shards if is_of_worker == "t"]

        def wait_for(count, query):
            before = self.coordinator.number(query)
            harness.wait_until(lambda: self.coordinator.number(query) >= before + count, query)

        def fault():
            worker.stop_at_once()
            # Each of the 20 terminals pauses for 0.1 s after a failure.
            wait_for(100, "SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()")
            worker.start()
            wait_for(1, f"SELECT sum(d_next_o_id) FROM district WHERE d_w_id = {away}")
        found = self.run_with(fault, seconds=20)["warehouse_availability"]
        self.assertEqual(found["away"], [away])
        self.assertGreaterEqual(found["away_s"], 0.1)
        self.assertLess(found["available_percent"], 100)

    def run_with_cuts(self, pattern, answered, at_least=8):
        """How many commits were unknown, and how many of them happened."""
        def fault():
            for proxy in self.cluster.proxies:
                proxy.cut_at(pattern, answered, 8)
            harness.wait_until(lambda: sum(proxy.cuts for proxy in self.cluster.proxies) >= at_least, "cuts")
        document = self.run_with(fault)
        for proxy in self.cluster.proxies:
            proxy.cut_at(pattern, answered, 0)
        self.assertEqual(self.unknown(document, "unresolved"), 0)
        return self.unknown(document, "count"), self.unknown(document, "committed")

    def test_a_commit_that_a_worker_has_not_heard_of_did_not_happen(self):
        unknown, happened = self.run_with_cuts(self.COMMIT, answered=False)
        self.assertGreater(unknown, 0)
        self.assertEqual(happened, 0)

    def test_a_commit_whose_answer_is_lost_happened(self):
        unknown, happened = self.run_with_cuts(self.COMMIT, answered=True)
        self.assertGreater(unknown, 0)
        self.assertEqual(happened, unknown)

    # A transaction that stays prepared keeps its locks, so that the second may never come.

    def test_what_could_not_be_prepared_did_not_happen(self):
        for answered in (False, True):
            with self.subTest(answered=answered):
                _, happened = self.run_with_cuts(self.PREPARE, answered, at_least=1)
                self.assertEqual(happened, 0)

    def test_what_was_prepared_everywhere_is_recovered_before_it_is_looked_for(self):
        for answered in (False, True):
            with self.subTest(answered=answered):
                unknown, _ = self.run_with_cuts(self.COMMIT_PREPARED, answered, at_least=1)
                self.assertEqual(unknown, 0)

    def test_nodes_that_are_killed_lose_nothing(self):
        for node in (self.coordinator, self.cluster.workers[0]):
            def fault(node=node):
                node.kill()
                node.start()
                harness.wait_until(lambda: self.coordinator.number(self.SESSIONS_OF_RUN) > 0, "new sessions")
            with self.subTest(node=self.cluster.nodes.index(node)):
                document = self.run_with(fault, seconds=12)
                self.assertEqual(self.unknown(document, "unresolved"), 0)

    def test_a_worker_that_is_cut_off_ends_what_begins(self):
        hurried = ("--db", f"{self.coordinator.conninfo} options='-c citus.node_connection_timeout=1000'")
        self.cluster.proxies[0].partition()
        self.addCleanup(self.cluster.proxies[0].heal)
        self.expect_error(self.coordinator.drover("tpcc", "run", "--duration", "1s", *hurried), FAILURE,
                          "could not establish any connections to the node 127.0.0.1:")

    def short_run(self, *arguments, fault=lambda: None):
        path = self.coordinator.folder / "result.json"
        run = self.coordinator.begin(*arguments, "--clients", 4, "--duration", "1h", "--warmup", 0, "--json", path)
        fault()
        self.expect(run.wait(harness.PATIENCE_S), SUCCESS)
        return json.loads(path.read_text(encoding="utf-8"))

    def expect_cuts(self, pattern, counter, name, *arguments):
        """What the counter gains is what was answered, and the commits that were cut after they had happened."""
        for answered in (False, True):
            with self.subTest(answered=answered):
                before = self.coordinator.number(counter)
                for proxy in self.cluster.proxies:
                    proxy.cut_at(pattern, answered, 3)
                document = self.short_run(*arguments, "--operations", 300)
                for proxy in self.cluster.proxies:
                    proxy.cut_at(pattern, answered, 0)
                counted = document["transactions"][name]
                unknown = counted["ambiguous"]
                self.assertGreater(unknown["count"], 0)
                self.assertEqual(self.coordinator.number(counter) - before,
                                 counted["ok_count"] + (unknown["count"] if answered else 0), counted)
                self.assertLessEqual(unknown["committed"], unknown["count"] if answered else 0)
                for account in document.get("accounts") or []:
                    self.assertLessEqual(account["counted"], account["in_data"], account)
                    self.assertLessEqual(account["in_data"], account["counted"] + account["unresolved"], account)

    VERSIONS = "SELECT {} FROM usertable".format(" + ".join(f"sum(left(field{i}, 10)::int8)" for i in range(10)))

    def test_ycsb(self):
        self.expect(self.coordinator.drover("ycsb", "load", "--recordcount", 500), SUCCESS)
        self.expect_cuts(rb"UPDATE", self.VERSIONS, "UPDATE", "ycsb", "run", "--workload", "a")
        before = self.coordinator.number(self.VERSIONS)

        def fault():
            harness.wait_until(lambda: self.coordinator.number(self.VERSIONS) > before, "updates")
            self.cluster.workers[0].kill()
            self.cluster.workers[0].start()
        document = self.short_run("ycsb", "run", "--workload", "a", "--operations", 5000, fault=fault)
        counted = document["transactions"]["UPDATE"]
        gained = self.coordinator.number(self.VERSIONS) - before
        sure = counted["ok_count"] + counted["ambiguous"]["committed"]
        self.assertLessEqual(sure, gained)
        self.assertLessEqual(gained, sure + counted["ambiguous"]["unresolved"])
        checked = self.expect(self.coordinator.drover("ycsb", "check"), SUCCESS)
        self.assertIn("the table is correct", checked.out)

    def test_scripts(self):
        self.expect(self.coordinator.drover("sql", "init", "--scale", 1), SUCCESS)
        self.expect_cuts(self.COMMIT, "SELECT count(*) FROM pgbench_history", "simple-update",
                         "sql", "run", "--builtin", "simple-update")


if __name__ == "__main__":
    citus_cluster.main()
