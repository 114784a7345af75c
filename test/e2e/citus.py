"""Drover on Citus: a coordinator and two workers."""

import contextlib
import functools
import json
import pathlib
import re
import signal
import unittest

import any_version
import citus_cluster
import harness
import pgbouncer
from harness import FAILURE, INTERRUPTED, SUCCESS


@functools.cache
def shared_cluster():
    """The cluster of all classes. The tables of TPC-C stay there from Commands to TpccCheck; each class removes the other
    tables that it makes."""
    cluster = citus_cluster.CitusCluster()
    unittest.addModuleCleanup(cluster.remove)
    cluster.start()
    return cluster


def load_unless_loaded(cluster):
    """Loads two warehouses for a class that is executed alone."""
    if not cluster.coordinator.sql("SELECT 1 FROM pg_class WHERE relname = 'warehouse'"):
        cluster.coordinator.load(2)


# All conditions that a check after an import and a check after runs judge.
CONDITIONS_OF_FRESH_DATA = {"holds": 58, "violated": 0, "not_judged": 0, "not_checked": 0}
CONDITIONS_OF_USED_DATA = {"holds": 34, "violated": 0, "not_judged": 0, "not_checked": 24}


class CitusTestCase(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = shared_cluster()
        cls.coordinator = cls.cluster.coordinator

    def run_and_read(self, *arguments, node=None):
        path = self.coordinator.folder / "result.json"
        self.expect((node or self.coordinator).drover(*arguments, "--json", path), SUCCESS)
        return json.loads(path.read_text(encoding="utf-8"))

    def expect_no_refused_statement(self, document):
        for name, counted in document["transactions"].items():
            self.assertNotIn("0A000", counted["errors_by_sqlstate"], name)

    def expect_no_tables(self):
        for node in self.cluster.nodes:
            self.assertEqual(node.number("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace "
                                         "AND relkind = 'r'"), 0)


class Commands(any_version.AnyVersion):
    """Each command through the coordinator. Each worker has one of the two warehouses, so that transactions commit in two
    phases as well."""

    OF_INIT = ()
    # Citus has no serializable transactions of several shards.
    ISOLATIONS = ("read-committed", "repeatable-read")

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
    def start_shared_server(cls):
        cls.server = shared_cluster().coordinator

    def expect_consistent(self, server, *arguments):
        """Checks as a role that may do nothing but read and write the tables."""
        return super().expect_consistent(server, *self.as_bench(), *arguments)

    def as_bench(self):
        return "--db", self.server.conninfo.replace("user=drover", "user=bench")

    def test_2_init_and_import(self):
        command = self.expect(self.server.drover("tpcc", "init", *self.OF_INIT), SUCCESS)
        self.assertRegex(command.out, r"\. drover tpcc import adds indexes\n")
        self.expect(self.server.drover("tpcc", "import", "-w", 2), SUCCESS)
        self.assertEqual(shared_cluster().workers_of_warehouses(2), 2)
        path = self.server.folder / "check.json"
        super().expect_consistent(self.server, "--after-import", "--json", path)
        document = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(document["counts"], CONDITIONS_OF_FRESH_DATA)
        self.server.sql("CREATE ROLE bench LOGIN")
        self.server.sql("GRANT ALL ON ALL TABLES IN SCHEMA public TO bench")

    def expect_sums(self):
        for one, other in self.SUMS:
            self.assertEqual(self.server.sql(one), self.server.sql(other), f"{one}; {other}")

    def test_3_runs_of_both_styles(self):
        super().test_3_runs_of_both_styles()
        self.expect_sums()

    @unittest.skipIf(pgbouncer.PROGRAM is None, "there is no pgbouncer")
    def test_3a_behind_pgbouncer(self):
        path = self.server.folder / "result.json"
        for mode in ("transaction", "session"):
            bouncer = pgbouncer.PgBouncer(self.server, mode)
            self.addCleanup(bouncer.remove)
            bouncer.start()
            for style in ("batched", "single"):
                with self.subTest(mode=mode, style=style):
                    self.expect(bouncer.drover("tpcc", "run", "--no-delays", "--duration", "1s", "--warmup", 0,
                                               "--connections", 8, "--statements", style, "--max-attempts", 1000,
                                               "--json", path), SUCCESS)
                    document = json.loads(path.read_text(encoding="utf-8"))
                    self.expect_every_count(document)
                    self.assertLessEqual({state for one in document["transactions"].values()
                                          for state in one["errors_by_sqlstate"]}, {"40001", "40P01"})
        self.expect_sums()

    def test_3b_as_a_role_without_privileges(self):
        run = ("tpcc", "run", "--no-delays", "--duration", "1s", "--warmup", 0, "--connections", 4, *self.as_bench())
        command = self.expect(self.server.drover(*run), SUCCESS)
        self.assertIn("note: this role may not call recover_prepared_transactions()", command.err)
        self.server.sql("REVOKE EXECUTE ON FUNCTION run_command_on_all_nodes FROM PUBLIC")
        for arguments in (run, ("tpcc", "check", *self.as_bench())):
            self.expect_error(self.server.drover(*arguments), FAILURE, "may not call run_command_on_all_nodes")
        self.server.sql("GRANT EXECUTE ON FUNCTION run_command_on_all_nodes TO PUBLIC")

    def test_7_clean(self):
        for workload in ("ycsb", "sql"):
            self.expect(self.server.drover(workload, "clean"), SUCCESS)


class Nodes(CitusTestCase):
    """Connections to all nodes. The tests of this class are steps: they build on each other, in the order of their
    names. Each worker has one of the two warehouses."""

    OWN_TABLES = ("drover_tpcc", "drover_tpcc_loaded", "drover_ycsb", "drover_ycsb_loaded")
    RUN = ("tpcc", "run", "--no-delays", "--warmup", "0", "--connections", 6)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        load_unless_loaded(cls.cluster)

    def run_through(self, conninfo, *arguments):
        path = self.coordinator.folder / "result.json"
        command = self.cluster.drover(*self.RUN, "--db", conninfo, *arguments, "--json", path)
        self.expect(command, SUCCESS)
        return command, json.loads(path.read_text(encoding="utf-8"))

    def test_1_load_of_ycsb(self):
        self.expect(self.coordinator.drover("ycsb", "load", "--recordcount", 100), SUCCESS)

    def test_2_every_node_has_the_records(self):
        for node in self.cluster.nodes:
            for table in self.OWN_TABLES:
                self.assertGreater(node.number(f"SELECT count(*) FROM {table}"), 0, table)
        self.expect_error(self.coordinator.drover("tpcc", "import", "-w", 2), FAILURE, "already loaded")

    def test_3_a_worker_does_not_load(self):
        worker = self.cluster.workers[0]
        for arguments in (("tpcc", "init", "--force"), ("tpcc", "import", "-w", 3), ("tpcc", "clean"),
                          ("ycsb", "load", "--recordcount", 200), ("ycsb", "clean"),
                          ("sql", "init"), ("sql", "clean")):
            command = worker.drover(*arguments)
            self.expect_error(command, FAILURE, f"Connect to the coordinator {self.coordinator.socket_folder}")
            self.assertNotIn("--force", command.err)

    def test_4_a_run_through_a_worker_knows_the_record(self):
        command, document = self.run_through(self.cluster.workers[0].conninfo, "--duration", "1s")
        self.assertNotRegex(command.err, "C-Load")
        self.expect_every_count(document)
        settings = document["environment"]["server"]["settings"]
        shards = self.coordinator.sql("SELECT count(*) FROM citus_shards WHERE table_name = 'warehouse'::regclass")
        self.assertEqual((settings["nodes"], settings["shards"]), ("2", shards[0][0]))

    def test_4a_settings_of_sessions(self):
        runs = ((*self.RUN, "--duration", "1s"),
                ("ycsb", "run", "--workload", "c", "--operations", 20, "--clients", 2))
        for node, has_shards in ((self.coordinator, False), (self.cluster.workers[0], True)):
            logged = ("--db", f"{node.conninfo} options='-c log_statement=all'")
            log = pathlib.Path(node.status()["log"])
            for arguments in runs:
                with self.subTest(workload=arguments[0], has_shards=has_shards):
                    before = log.stat().st_size
                    self.expect(node.drover(*arguments, *logged), SUCCESS)
                    sent = re.findall(rb"statement: SET ((?:citus.enable_binary_protocol|plan_cache_mode) = \w+)",
                                      log.read_bytes()[before:])
                    expected = {b"citus.enable_binary_protocol = off"}
                    if has_shards:
                        expected.add(b"plan_cache_mode = force_custom_plan")
                    self.assertEqual(set(sent), expected)

    def test_4b_plans_of_scripts(self):
        script = self.coordinator.folder / "plans.sql"
        worker = self.cluster.workers[0]
        for node, option, mode, expected in (
                (self.coordinator, "", "prepared", "auto"), (worker, "", "prepared", "force_custom_plan"),
                (worker, "", "extended", "auto"),
                (worker, " options='-c plan_cache_mode=auto'", "prepared", "auto"),
                (worker, " options='-c plan_cache_mode=force_generic_plan'", "prepared", "force_generic_plan")):
            with self.subTest(has_shards=node is worker, option=option, mode=mode):
                script.write_text(f"SELECT 1 / (current_setting('plan_cache_mode') = '{expected}')::int4;\n",
                                  encoding="utf-8")
                document = self.run_and_read("sql", "run", "--file", script, "-M", mode, "--operations", 4, "--clients", 2,
                                             "--db", node.conninfo + option)
                self.assertEqual([one["ok_count"] for one in document["transactions"].values()], [4])

    def test_5_affinity_to_the_node_of_the_warehouse(self):
        _, document = self.run_through(self.cluster.conninfo, "--balance", "--affinity", "--duration", "1s")
        self.expect_every_count(document)
        self.assertTrue(document["plan"]["affinity"])
        self.assertEqual([host["connections"] for host in document["hosts"]], [0, 3, 3])
        self.assertEqual([host["ok_count"] > 0 for host in document["hosts"]], [False, True, True])
        _, document = self.run_through(self.cluster.conninfo, "--balance", "--affinity", "-w", 1, "--duration", "1s")
        shard = "get_shard_id_for_distribution_column('warehouse', 1)"
        place = self.coordinator.sql(f"SELECT nodename || ':' || nodeport FROM citus_shards WHERE shardid = {shard}")[0][0]
        self.assertEqual([host["name"] for host in document["hosts"] if host["ok_count"] > 0], [place])

    def test_6_a_node_that_is_not_named(self):
        hosts = [node.socket_folder for node in self.cluster.nodes[:2]]
        conninfo = f"host={hosts[0]},{hosts[1]} port=5432,5432 dbname=drover user=drover"
        command, document = self.run_through(conninfo, "--balance", "--affinity", "--duration", "1s")
        self.assertRegex(command.err, "1 of 2 warehouses are on .*, and no host of --db is that "
                                      "node")
        self.assertFalse(document["plan"]["affinity"])
        self.assertEqual([host["connections"] for host in document["hosts"]], [3, 3])

    def test_7_two_client_hosts(self):
        _, document = self.run_through(self.cluster.conninfo, "--balance", "--affinity", "--duration", "1s",
                                       "--hosts", "localhost,localhost")
        self.expect_every_count(document)
        self.assertEqual({host["name"] for host in document["hosts"] if host["ok_count"] > 0},
                         {f"{worker.socket_folder}:5432" for worker in self.cluster.workers})

    def wait_for_a_look(self):
        """Waits until --server-stats has begun and ended a look at the sessions."""
        last = ("SELECT coalesce(max(query_start)::text, '') FROM pg_stat_activity "
                "WHERE query LIKE '%citus_stat_activity%' AND pid <> pg_backend_pid()")
        for _ in range(2):
            before = self.coordinator.sql(last)
            harness.wait_until(lambda before=before: self.coordinator.sql(last) != before, "a look")

    def test_8_wait_events_name_the_worker(self):
        lock = 8
        script = self.coordinator.folder / "lock.sql"
        script.write_text("\\set w_id 1 + :client_id\n"
                          f"SELECT pg_advisory_xact_lock({lock}) FROM warehouse WHERE w_id = :w_id;\n", encoding="utf-8")
        path = self.coordinator.folder / "result.json"
        with contextlib.ExitStack() as locked:
            for worker in self.cluster.workers:
                locked.enter_context(worker.session()).sql(f"SELECT pg_advisory_lock({lock})")
            run = self.coordinator.begin("sql", "run", "--file", script, "--clients", 2, "--warmup", 0, "--duration", "1h",
                                         "--server-stats", "--json", path)
            self.addCleanup(run.kill)
            for worker in self.cluster.workers:
                harness.wait_until(lambda worker=worker: worker.number(
                    "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory'") == 1, "a client at each worker")
            self.wait_for_a_look()
        run.signal(signal.SIGINT)
        self.expect(run.wait(20), INTERRUPTED)
        document = json.loads(path.read_text(encoding="utf-8"))
        events = {event["name"] for event in document["server_stats"]["wait_events"]}
        self.assertLessEqual({f"Lock:advisory at {worker.socket_folder}:5432" for worker in self.cluster.workers}, events)
        # The sessions at the coordinator wait for the workers.
        self.assertNotIn("Client:ClientRead at coordinator", events)

    def test_9_a_record_of_an_older_version(self):
        worker = self.cluster.workers[0]
        for table in self.OWN_TABLES:
            self.coordinator.sql(f"SELECT undistribute_table('{table}')")
        command, _ = self.run_through(self.coordinator.conninfo, "--duration", "1s")
        self.assertNotRegex(command.err, "C-Load")
        command, _ = self.run_through(worker.conninfo, "--duration", "1s")
        self.assertRegex(command.err, f"Connect to the coordinator {self.coordinator.socket_folder}")
        advice = re.search(r"SELECT create_reference_table\(\S+drover_tpcc\"'\)", command.err)
        self.assertTrue(advice, command.err)
        self.coordinator.sql(advice[0])
        command, _ = self.run_through(worker.conninfo, "--duration", "1s")
        self.assertNotRegex(command.err, "C-Load")
        self.expect(self.coordinator.drover("ycsb", "load", "--recordcount", 200), SUCCESS)
        self.assertEqual(worker.number("SELECT sum(rows) FROM drover_ycsb_loaded"), 200)
        self.expect(self.coordinator.drover("ycsb", "clean"), SUCCESS)


class Scripts(CitusTestCase):
    """The tests of this class are steps: they build on each other, in the order of their names."""

    def test_1_init(self):
        self.expect(self.coordinator.drover("sql", "init", "--scale", 1), SUCCESS)
        columns = self.coordinator.sql(
            "SELECT logicalrelid, column_to_column_name(logicalrelid, partkey) FROM pg_dist_partition "
            "WHERE logicalrelid::text LIKE 'pgbench%' ORDER BY logicalrelid::text")
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


# What is spoilt, and the offender that each of these conditions must name.
CORRUPTIONS = (
    ("UPDATE district SET d_ytd = d_ytd + 0.01 WHERE d_w_id = 1 AND d_id = 1",
     {"1": "w_id=1", "9": "w_id=1 d_id=1"}),
    ("UPDATE warehouse SET w_ytd = w_ytd + 0.01 WHERE w_id = 2", {"1": "w_id=2", "8": "w_id=2"}),
    ("UPDATE district SET d_next_o_id = d_next_o_id + 5 WHERE d_w_id = 1 AND d_id = 2",
     {"2": "w_id=1 d_id=2", "oorder.keys": "o_w_id=1 o_d_id=2 o_id=3"}),
    ("DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 3 AND no_o_id = 2999",
     {"3": "w_id=1 d_id=3", "5": "w_id=1 d_id=3 o_id=2999"}),
    ("DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 4 AND ol_o_id = 5 AND ol_number = 1",
     {"4": "w_id=1 d_id=4", "6": "w_id=1 d_id=4 o_id=5", "order.lines": "w_id=1 d_id=4 o_id=5 ol_number"}),
    ("UPDATE order_line SET ol_delivery_d = NULL WHERE ol_w_id = 1 AND ol_d_id = 4 AND ol_o_id = 6 AND ol_number = 1",
     {"7": "w_id=1 d_id=4 o_id=6 ol_number=1"}),
    ("UPDATE order_line SET ol_quantity = 11 WHERE ol_w_id = 1 AND ol_d_id = 4 AND ol_o_id = 7 AND ol_number = 1",
     {"order_line.values": "ol_w_id=1 ol_d_id=4 ol_o_id=7 ol_number=1 ol_quantity"}),
    ("UPDATE customer SET c_balance = c_balance + 0.01 WHERE c_w_id = 1 AND c_d_id = 5 AND c_id = 1",
     {"10": "w_id=1 d_id=5 c_id=1", "12": "w_id=1 d_id=5 c_id=1"}),
    ("UPDATE customer SET c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = 1 AND c_d_id = 5 AND c_id = 2",
     {"customer.payments": "w_id=1 d_id=5 c_id=2 c_payment_cnt"}),
    ("UPDATE customer SET c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = 1 AND c_d_id = 5 AND c_id = 3",
     {"customer.deliveries": "w_id=1 d_id=5 c_id=3"}),
    ("UPDATE customer SET c_credit = 'XX' WHERE c_w_id = 1 AND c_d_id = 5 AND c_id = 4",
     {"customer.values": "c_w_id=1 c_d_id=5 c_id=4 c_credit"}),
    ("UPDATE customer SET c_credit = 'GC', c_data = '6 5 1 5 1 10.00 ' WHERE c_w_id = 1 AND c_d_id = 5 AND c_id = 6",
     {"customer.data": "w_id=1 d_id=5 c_id=6"}),
    ("UPDATE customer SET c_credit = 'BC', c_data = '7 5 1 5 1 10.01 ', c_payment_cnt = 2 "
     "WHERE c_w_id = 1 AND c_d_id = 5 AND c_id = 7", {"customer.data": "w_id=1 d_id=5 c_id=7"}),
    ("DELETE FROM customer WHERE c_w_id = 2 AND c_d_id = 10 AND c_id = 3000",
     {"customer.rows": "c_w_id=2 c_d_id=10 c_id=3000", "10": "w_id=2 d_id=10 c_id=3000"}),
    ("INSERT INTO district VALUES (2, 11, 'name', 's', 's', 'c', 'st', '111111111', 0.1, 0, 3001)",
     {"district.rows": "d_w_id=2 d_id=11"}),
    ("DELETE FROM stock WHERE s_w_id = 2 AND s_i_id = 100000", {"stock.rows": "s_w_id=2 s_i_id=100000"}),
    ("UPDATE stock SET s_quantity = 9 WHERE s_w_id = 1 AND s_i_id = 1", {"stock.values": "s_w_id=1 s_i_id=1 s_quantity"}),
    ("UPDATE stock SET s_ytd = s_ytd + 1 WHERE s_w_id = 1 AND s_i_id = 2", {"stock.counters": "w_id=1 i_id=2"}),
    ("UPDATE stock SET s_remote_cnt = s_remote_cnt + 1 WHERE s_w_id = 1 AND s_i_id = 3",
     {"stock.counters": "w_id=1 i_id=3"}),
    ("INSERT INTO new_order VALUES (3, 1, 1)", {"rows.outside": "new_order.no_w_id"}),
    ("UPDATE oorder SET o_carrier_id = 11 WHERE o_w_id = 1 AND o_d_id = 6 AND o_id = 1",
     {"oorder.values": "o_w_id=1 o_d_id=6 o_id=1 o_carrier_id"}),
    ("UPDATE oorder SET o_all_local = 0 WHERE o_w_id = 1 AND o_d_id = 6 AND o_id = 2",
     {"order.lines": "w_id=1 d_id=6 o_id=2 o_all_local"}),
    ("UPDATE item SET i_price = 0.50 WHERE i_id = 1", {"item.values": "i_id=1 i_price"}),
    ("DELETE FROM item WHERE i_id = 100000", {"item.rows": "i_id=100000"}),
    ("UPDATE warehouse SET w_tax = 0.3 WHERE w_id = 2", {"warehouse.values": "w_id=2 w_tax"}),
    ("UPDATE district SET d_tax = 0.3 WHERE d_w_id = 1 AND d_id = 7", {"district.values": "d_w_id=1 d_id=7 d_tax"}),
    ("UPDATE history SET h_data = 'spoilt', h_amount = 0.5 WHERE h_w_id = 1 AND h_c_w_id = 1 AND h_c_d_id = 1 AND h_c_id = 1",
     {"history.values": "h_c_w_id=1 h_c_d_id=1 h_c_id=1 h_amount"}))

# Rows that a run has written are spoilt where they are found: the first line that another warehouse has supplied, and the
# first of its own.
OF_LINES = (
    ("ol_dist_info = 'x'", "ol_supply_w_id <> ol_w_id", "order_line.dist_info"),
    ("ol_dist_info = 'x'", "ol_supply_w_id = ol_w_id", "order_line.dist_info"),
    ("ol_amount = ol_amount + 0.01", "ol_supply_w_id = ol_w_id", "order_line.amount"))


class TpccCheck(CitusTestCase):
    """The tests of this class are steps: they build on each other, in the order of their names."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        load_unless_loaded(cls.cluster)

    SEVERAL_WAREHOUSES = {"10", "stock.counters", "customer.payments", "customer.data"}

    def check(self, code, *arguments):
        path = self.coordinator.folder / "check.json"
        command = self.expect(self.coordinator.drover("tpcc", "check", "--json", path, *arguments), code)
        document = json.loads(path.read_text(encoding="utf-8"))
        return command, document, {one["name"]: one for one in document["conditions"]}

    def names_of(self, document, status):
        return {one["name"] for one in document["conditions"] if one["status"] == status}

    def test_1_beside_a_load(self):
        run = self.coordinator.begin("tpcc", "run", "--pace", 100, "--connections", 4, "--duration", "1h", "--warmup", 0)
        self.addCleanup(run.kill)
        orders = "SELECT sum(d_next_o_id) FROM district"
        self.coordinator.wait_for_orders(count=10)
        before = self.coordinator.number(orders)
        command, document, _ = self.check(FAILURE)
        self.assertGreater(self.coordinator.number(orders), before)
        self.assertEqual(self.names_of(document, "violated"), set())
        self.assertEqual(self.names_of(document, "not_judged"), self.SEVERAL_WAREHOUSES)
        self.assertIn("cannot share a snapshot", document["snapshot"]["refusal"])
        self.assertIn("NOT JUDGED\n       other sessions wrote during the check", command.out)
        run.signal(signal.SIGINT)
        self.expect(run.wait(20), INTERRUPTED)

    def test_2_prepared_transactions(self):
        def prepare(gid):
            session.sql("BEGIN")
            session.sql("SELECT txid_current()")
            session.sql(f"PREPARE TRANSACTION '{gid}'")

        with self.cluster.workers[0].session() as session:
            # One of the coordinator's group, whose session is gone.
            prepare("citus_0_4194304_999999999_1")
            _, document, _ = self.check(SUCCESS)
            self.assertEqual(document["counts"], CONDITIONS_OF_USED_DATA)
            # One of another group, which no node recovers.
            prepare("citus_99_1_1_1")
            try:
                command, document, _ = self.check(FAILURE)
            finally:
                session.sql("ROLLBACK PREPARED 'citus_99_1_1_1'")
        self.assertEqual(self.names_of(document, "not_judged"), self.SEVERAL_WAREHOUSES)
        self.assertIn("prepared transactions waited for their recovery", command.out)

    def spoil_lines(self):
        """Returns pairs of a condition and the offender that it must name."""
        for change, which, condition in OF_LINES:
            place, = self.coordinator.sql(
                "SELECT ol_w_id, ol_d_id, ol_o_id, ol_number FROM order_line "
                f"WHERE ol_o_id > 3000 AND ol_i_id BETWEEN 2 AND 99999 AND {which} ORDER BY 1, 2, 3, 4 LIMIT 1")
            where = "ol_w_id = {} AND ol_d_id = {} AND ol_o_id = {} AND ol_number = {}".format(*place)
            self.coordinator.sql(f"UPDATE order_line SET {change} WHERE {where}")
            yield condition, "w_id={} d_id={} o_id={} ol_number={}".format(*place)

    def test_3_corruptions(self):
        expected = list(self.spoil_lines())
        for sql, offenders in CORRUPTIONS:
            self.coordinator.sql(sql)
            expected += offenders.items()
        _, document, conditions = self.check(FAILURE, "-w", 3, "--after-import")
        self.assertEqual(document["counts"]["not_judged"], 0)
        for name, key in [*expected, ("warehouse.rows", "w_id=3")]:
            with self.subTest(condition=name, key=key):
                self.assertEqual(conditions[name]["status"], "violated", conditions[name]["error"])
                found = [offender["key"] for offender in conditions[name]["first_offenders"]]
                self.assertTrue(any(one.startswith(key) for one in found), found)

    def test_4_clean(self):
        self.expect(self.coordinator.drover("tpcc", "clean"), SUCCESS)
        self.expect_no_tables()


class Ycsb(CitusTestCase):
    """The tests of this class are steps: they build on each other, in the order of their names."""

    def test_1_load(self):
        self.expect(self.coordinator.drover("ycsb", "load", "--recordcount", 500), SUCCESS)
        placed = self.coordinator.number(
            "SELECT count(DISTINCT nodename) FROM citus_shards WHERE table_name = 'usertable'::regclass")
        self.assertEqual(placed, 2)

    def test_2_scans(self):
        document = self.run_and_read("ycsb", "run", "--recordcount", 500, "--workload", "e", "--operations", 500)
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
        self.assertIn("the table is correct", checked.out)

    def test_4_clean(self):
        self.expect(self.coordinator.drover("ycsb", "clean"), SUCCESS)
        self.assertEqual(self.coordinator.number("SELECT count(*) FROM pg_dist_partition"), 0)


if __name__ == "__main__":
    citus_cluster.main()
