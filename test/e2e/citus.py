"""Drover on Citus: a coordinator and two workers."""

import json
import unittest

import any_version
import citus_cluster
import harness
import pgbouncer
from harness import SUCCESS


class CitusTestCase(harness.TestCase):
    """Tests that share one cluster, started for them."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = citus_cluster.CitusCluster()
        cls.addClassCleanup(cls.cluster.remove)
        cls.cluster.start()
        cls.coordinator = cls.cluster.coordinator

    def run_and_read(self, *arguments, node=None):
        path = self.coordinator.folder / "result.json"
        self.expect((node or self.coordinator).drover(*arguments, "--json", path), SUCCESS)
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


class Transactions(CitusTestCase):
    """TPC-C's transactions on two warehouses, one on each worker, so that they commit in two phases as well."""

    # Sums that the transactions keep equal.
    SUMS = (
        ("SELECT sum(w_ytd) FROM warehouse", "SELECT sum(d_ytd) FROM district"),
        ("SELECT sum(w_ytd) FROM warehouse", "SELECT sum(h_amount) FROM history"),
        ("SELECT sum(d_next_o_id - 1) FROM district", "SELECT count(*) FROM oorder"),
        ("SELECT sum(o_ol_cnt) FROM oorder", "SELECT count(*) FROM order_line"),
        ("SELECT count(*) FROM oorder WHERE o_carrier_id IS NULL", "SELECT count(*) FROM new_order"),
        ("SELECT sum(s_ytd) FROM stock", "SELECT sum(ol_quantity) FROM order_line WHERE ol_o_id > 3000"),
        ("SELECT sum(s_order_cnt) FROM stock", "SELECT count(*) FROM order_line WHERE ol_o_id > 3000"),
        ("SELECT sum(s_remote_cnt) FROM stock",
         "SELECT count(*) FROM order_line WHERE ol_o_id > 3000 AND ol_w_id <> ol_supply_w_id"),
        ("SELECT sum(c_balance + c_ytd_payment) FROM customer",
         "SELECT sum(ol_amount) FROM order_line WHERE ol_delivery_d IS NOT NULL"),
    )

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for command in (["init"], ["import", "-w", 2]):
            harness.expect(cls.coordinator.drover("tpcc", *command), SUCCESS)
        placed = cls.coordinator.number(
            "SELECT count(DISTINCT nodename) FROM citus_shards JOIN generate_series(1, 2) AS w "
            "ON shardid = get_shard_id_for_distribution_column('stock', w)")
        if placed != 2:
            raise AssertionError("both warehouses are on one worker")

    def run_mix(self, drover, style, isolation):
        path = self.coordinator.folder / "mix.json"
        self.expect(drover("tpcc", "run", "--no-delays", "--duration", "1s", "--warmup", 0, "--connections", 8,
                           "--statements", style, "--isolation", isolation, "--max-attempts", 1000, "--json", path),
                    SUCCESS)
        document = json.loads(path.read_text(encoding="utf-8"))
        self.expect_every_count(document)
        self.assertEqual(sum(one["failed_count"] for one in document["transactions"].values()), 0)
        self.assertLessEqual({state for one in document["transactions"].values()
                              for state in one["errors_by_sqlstate"]}, {"40001", "40P01"})
        for one, other in self.SUMS:
            self.assertEqual(self.coordinator.sql(one), self.coordinator.sql(other), f"{one}; {other}")

    def test_each_style_and_isolation(self):
        for style in ("batched", "single"):
            for isolation in ("read-committed", "repeatable-read"):
                with self.subTest(style=style, isolation=isolation):
                    self.run_mix(self.coordinator.drover, style, isolation)

    @unittest.skipIf(pgbouncer.PROGRAM is None, "there is no pgbouncer")
    def test_behind_pgbouncer(self):
        for mode in ("transaction", "session"):
            bouncer = pgbouncer.PgBouncer(self.coordinator, mode)
            self.addCleanup(bouncer.remove)
            bouncer.start()
            for style in ("batched", "single"):
                with self.subTest(mode=mode, style=style):
                    self.run_mix(bouncer.drover, style, "read-committed")


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

    def test_3_through_a_worker(self):
        worker = self.cluster.workers[0]
        for workload in "ad":
            document = self.run_and_read("ycsb", "run", "--workload", workload, "--operations", 200, "--clients", 2,
                                         node=worker)
            self.expect_no_refused_statement(document)
            self.assertNotEqual(document["accounts"], [])
            for account in document["accounts"]:
                self.assertEqual(account["counted"], account["in_data"], account)
        checked = self.expect(worker.drover("ycsb", "check"), SUCCESS)
        self.assertIn("the table holds", checked.out)

    def test_4_clean(self):
        self.expect(self.coordinator.drover("ycsb", "clean"), SUCCESS)
        self.assertEqual(self.coordinator.number("SELECT count(*) FROM pg_dist_partition"), 0)


class Scripts(CitusTestCase):
    """The tests of this class are steps: they build on each other, in the order of their names."""

    def test_1_init(self):
        self.expect(self.coordinator.drover("sql", "init", "--scale", 1), SUCCESS)
        columns = self.coordinator.sql(
            "SELECT logicalrelid, column_to_column_name(logicalrelid, partkey) FROM pg_dist_partition ORDER BY logicalrelid::text")
        self.assertEqual(columns, [("pgbench_accounts", "aid"), ("pgbench_branches", "bid"), ("pgbench_history", "aid"),
                                   ("pgbench_tellers", "tid")])

    def test_2_built_in_scripts(self):
        for node in (self.coordinator, self.cluster.workers[0]):
            for script in ("tpcb-like", "simple-update", "select-only"):
                document = self.run_and_read("sql", "run", "--builtin", script, "--operations", 100, "--clients", 2,
                                             node=node)
                self.assertEqual(document["transactions"][script]["ok_count"], 100, document["transactions"])
        # simple-update changes accounts and history only.
        ((accounts, branches, tellers, delta, rows),) = self.coordinator.sql(
            "SELECT (SELECT sum(abalance) FROM pgbench_accounts), (SELECT sum(bbalance) FROM pgbench_branches), "
            "(SELECT sum(tbalance) FROM pgbench_tellers), (SELECT sum(delta) FROM pgbench_history), "
            "(SELECT count(*) FROM pgbench_history)")
        self.assertEqual((accounts, branches, rows), (delta, tellers, "400"))

    def test_3_clean(self):
        self.expect(self.coordinator.drover("sql", "clean"), SUCCESS)


class UnknownCommits(harness.TestCase):
    """Commits whose connection between nodes is cut, and nodes that are killed: what became of each commit is compared
    with sums that psql reads."""

    COMMIT = rb"^Q....COMMIT\0"
    COMMIT_PREPARED = rb"^Q....COMMIT PREPARED '"
    PREPARE = rb"^Q....PREPARE TRANSACTION '"

    @classmethod
    def setUpClass(cls):
        cls.cluster = citus_cluster.CitusCluster(proxied=True)
        cls.addClassCleanup(cls.cluster.remove)
        # Nothing but Drover recovers prepared transactions, and no look-up may read a table whole.
        cls.cluster.start("citus.recover_2pc_interval=-1", "citus.max_intermediate_result_size=64kB")
        cls.coordinator = cls.cluster.coordinator
        cls.coordinator.load(4)

    def sums(self):
        """Orders, cents paid and undelivered orders."""
        (row,) = self.coordinator.sql(
            "SELECT (SELECT sum(d_next_o_id) FROM district), (SELECT (sum(w_ytd) * 100)::int8 FROM warehouse), "
            "(SELECT count(*) FROM new_order)")
        return [int(value) for value in row]

    def run_with(self, fault, seconds=3):
        """The result of a run into which the fault falls. Its ledger is what psql says."""
        before = self.sums()
        path = self.coordinator.folder / "result.json"
        run = self.coordinator.begin("tpcc", "run", "-w", 4, "--no-delays", "--connections", 8, "--duration", f"{seconds}s",
                                     "--warmup", 0, "--json", path)
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

    def run_with_cuts(self, pattern, answered):
        """How many commits were unknown, and how many of them happened."""
        def fault():
            for proxy in self.cluster.proxies:
                proxy.cut_at(pattern, answered, 8)
        document = self.run_with(fault)
        self.assertGreater(sum(proxy.cuts for proxy in self.cluster.proxies), 0)
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

    def test_what_could_not_be_prepared_did_not_happen(self):
        for answered in (False, True):
            with self.subTest(answered=answered):
                _, happened = self.run_with_cuts(self.PREPARE, answered)
                self.assertEqual(happened, 0)

    def test_what_was_prepared_everywhere_is_recovered_before_it_is_looked_for(self):
        for answered in (False, True):
            with self.subTest(answered=answered):
                unknown, _ = self.run_with_cuts(self.COMMIT_PREPARED, answered)
                self.assertEqual(unknown, 0)

    def test_nodes_that_are_killed_lose_nothing(self):
        for node in (self.coordinator, self.cluster.workers[0]):
            def fault(node=node):
                node.kill()
                node.start()
            with self.subTest(node=self.cluster.nodes.index(node)):
                document = self.run_with(fault, seconds=8)
                self.assertEqual(self.unknown(document, "unresolved"), 0)


if __name__ == "__main__":
    citus_cluster.main()
