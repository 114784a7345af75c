"""Every command through a pgpool-II with a primary and a standby, which may know nothing, go away, or take over."""

import json
import signal
import subprocess
import sys

import harness
import pgpool_cluster
from harness import FAILURE, INTERRUPTED, SUCCESS
from pgpool_cluster import PgpoolCluster

CONNECTIONS = 8
SKIPPED = 77


class PgpoolCase(harness.TestCase):
    """One cluster for the cases of a class, with a warehouse."""

    SETTINGS = {}
    SCHEMA = "balanced"

    @classmethod
    def setUpClass(cls):
        cls.cluster = PgpoolCluster(**cls.SETTINGS)
        cls.addClassCleanup(cls.cluster.remove)
        cls.cluster.start()
        cls.load()

    @classmethod
    def load(cls):
        for command in (["init", "--foreign-keys", "after-load"], ["import", "-w", 1], ["check", "--after-import"]):
            harness.expect(cls.cluster.drover("tpcc", *command, "--schema", cls.SCHEMA), SUCCESS)

    @property
    def result_path(self):
        return self.cluster.folder / "result.json"

    def result(self):
        return json.loads(self.result_path.read_text(encoding="utf-8"))

    def begin_run(self, *arguments, connections=CONNECTIONS):
        arguments = (*arguments, "--connections", connections)
        command = self.cluster.begin("tpcc", "run", "--schema", self.SCHEMA, "--no-delays", "--warmup", "0", "--json",
                                     self.result_path, *arguments)
        self.addCleanup(command.kill)
        return command

    def expect_counted(self, command, code=SUCCESS):
        self.expect(command, code)
        document = self.result()
        self.expect_every_count(document)
        self.assertEqual(document["environment"]["server"]["settings"]["pooling"], "pgpool")
        self.assertIn("note: pgpool-II is in front of the server", command.err)
        self.expect(self.cluster.drover("tpcc", "check", "--schema", self.SCHEMA), SUCCESS)
        return document

    def wait_for_orders(self):
        self.cluster.server.wait_for_orders(self.SCHEMA)

    def psql(self, statement):
        ended = subprocess.run(["psql", "-XqAt", "-F", "|", "-d", self.cluster.conninfo, "-c", statement], text=True,
                               check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return [line.split("|") for line in ended.stdout.splitlines()]


class AStandbyThatKnowsNothing(PgpoolCase):
    """All that pgpool balances goes to a standby that does not even have the tables."""

    SETTINGS = {"backend_weight0": 0}

    @classmethod
    def load(cls):
        with cls.cluster.standby() as standby:
            standby.sql("SELECT pg_wal_replay_pause()")
            harness.wait_until(lambda: standby.sql("SELECT pg_get_wal_replay_pause_state()") == [("paused",)],
                               "a standby that stands still")
        super().load()

    def test_it_would_be_asked(self):
        self.cluster.server.sql("CREATE TABLE unknown (a int)")
        ended = subprocess.run(["psql", "-X", "-d", self.cluster.conninfo, "-c", "SELECT * FROM unknown"], text=True,
                               check=False, stderr=subprocess.PIPE)
        self.assertIn("does not exist", ended.stderr)

    def test_both_styles_at_each_isolation(self):
        for statements, isolation in (("batched", "read-committed"), ("single", "repeatable-read"),
                                      ("batched", "serializable")):
            with self.subTest(statements=statements, isolation=isolation):
                document = self.expect_counted(self.begin_run(
                    "--duration", "1s", "--statements", statements, "--isolation", isolation, "--max-attempts", 1000,
                    "--server-stats").wait())
                if isolation != "serializable":  # there pgpool ends the session of a COMMIT that the server refuses
                    self.assertEqual(sum(one["failed_count"] for one in document["transactions"].values()), 0)

    def test_a_commit_that_is_refused_is_no_success(self):
        """pgpool itself hides it of a statement without a COMMIT."""
        where = ["--schema", "refused"]
        self.expect(self.cluster.drover("ycsb", "load", "--recordcount", 100, *where), SUCCESS)
        self.cluster.server.sql(
            "CREATE FUNCTION refused.refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'refused'; END$$; "
            "CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON refused.usertable DEFERRABLE INITIALLY DEFERRED "
            "FOR EACH ROW EXECUTE FUNCTION refused.refuse()")
        self.expect(self.cluster.drover(
            "ycsb", "run", "--workload", "a", "-p", "readproportion=0", "-p", "updateproportion=1", "--recordcount",
            100, "--clients", 2, "--duration", "1s", "--warmup", 0, "--json", self.result_path, *where), SUCCESS)
        updates = self.result()["transactions"]["UPDATE"]
        self.assertEqual(updates["ok_count"], 0)
        self.assertGreater(updates["failed_count"], 0)

    def test_search(self):
        self.expect(self.cluster.drover("ycsb", "load", "--recordcount", 1000, "--schema", "searched"), SUCCESS)
        command = self.cluster.drover(
            "ycsb", "search", "--schema", "searched", "--out", self.cluster.folder / "search", "--workload", "b",
            "--find", "clients", "--fail-if", "throughput > 1000000000", "--high", 2, "--probe", "1s", "--confirm",
            "1s", "--warmup", "0")
        self.assertIn(command.code, (SUCCESS, FAILURE), str(command))
        record = json.loads((self.cluster.folder / "search" / "search.json").read_text(encoding="utf-8"))
        self.assertTrue(record["runs"])

    def test_ycsb(self):
        self.expect(self.cluster.drover("ycsb", "load", "--recordcount", 1000, "--schema", "ycsb"), SUCCESS)
        # What has been inserted is read at once, of a table that only the primary knows.
        for workload, isolation in (("a", "read-committed"), ("d", "read-committed"), ("e", "repeatable-read"),
                                    ("f", "serializable")):
            with self.subTest(workload=workload):
                self.expect(self.cluster.drover(
                    "ycsb", "run", "--workload", workload, "--isolation", isolation, "--verify", "--operations", 500,
                    "--clients", 8, "--max-attempts", 1000, "--duration", "24h", "--json", self.result_path,
                    "--schema", "ycsb"), SUCCESS)
                for account in self.result()["accounts"]:
                    self.assertEqual(account["counted"], account["in_data"], account)
        checked = self.expect(self.cluster.drover("ycsb", "check", "--schema", "ycsb"), SUCCESS)
        self.assertIn("the check did not use one snapshot: pgpool-II", checked.out)
        self.expect(self.cluster.drover("ycsb", "clean", "--schema", "ycsb"), SUCCESS)

    def test_a_killed_import_goes_on(self):
        self.expect(self.cluster.drover("tpcc", "init", "--schema", "resumed"), SUCCESS)
        arguments = ["tpcc", "import", "-w", 2, "--connections", 1, "--schema", "resumed"]
        first = self.cluster.begin(*arguments)
        self.addCleanup(first.kill)
        harness.wait_until(lambda: self.cluster.server.number("SELECT count(*) FROM resumed.warehouse") > 0,
                           "a warehouse")
        # It has the right to import, however long it stands still: pgpool-II would take the end of its sessions for that
        # of the server.
        first.signal(signal.SIGSTOP)
        if not first.ended():
            self.expect_error(self.cluster.drover(*arguments), FAILURE, "another import is running", within_s=60)
        first.signal(signal.SIGKILL)
        first.wait()
        command = self.cluster.drover(*arguments)
        self.assertRegex(command.out + command.err, "imported 2 warehouses|already loaded", str(command))
        self.expect(self.cluster.drover("tpcc", "check", "--after-import", "--schema", "resumed"), SUCCESS)
        self.assertIn("stock", self.expect(self.cluster.drover("tpcc", "clean", "--schema", "resumed"), SUCCESS).out)


class AStandbyThatFollows(PgpoolCase):
    SETTINGS = {"backend_weight0": 0, "num_init_children": 2 * CONNECTIONS}

    def selects_of_the_standby(self):
        return int(self.psql("SHOW pool_nodes")[1][8])

    def test_scripts_go_where_pgpool_sends_them(self):
        self.expect(self.cluster.drover("sql", "init"), SUCCESS)
        with self.cluster.standby() as standby:
            harness.wait_until(lambda: standby.number("SELECT count(*) FROM pg_class WHERE relname = "
                                                      "'pgbench_accounts_pkey'") == 1, "the keys on the standby")
        for protocol in ("simple", "extended", "prepared"):
            self.expect(self.cluster.drover("sql", "run", "-b", "tpcb-like", "-M", protocol, "--operations", 100,
                                            "--clients", 8, "--duration", "24h", "--max-tries", 1000), SUCCESS)
        self.assertEqual(self.cluster.server.number("SELECT count(*) FROM pgbench_history"), 300)
        before = self.selects_of_the_standby()
        self.expect(self.cluster.drover("sql", "run", "-b", "select-only", "--operations", 100, "--duration", "24h"),
                    SUCCESS)
        self.assertGreaterEqual(self.selects_of_the_standby(), before + 100)
        self.expect(self.cluster.drover("sql", "clean"), SUCCESS)

    def test_without_load_balancing(self):
        self.cluster.settings["load_balance_mode"] = "off"
        self.cluster.kill_pgpool()
        self.cluster.start_pgpool()
        self.expect_counted(self.begin_run("--duration", "1s").wait())
        del self.cluster.settings["load_balance_mode"]
        self.cluster.kill_pgpool()
        self.cluster.start_pgpool()

    def test_nothing_is_left_in_the_sessions_of_others(self):
        self.expect_counted(self.begin_run("--duration", "1s").wait())
        settings = ("application_name", "search_path", "statement_timeout", "default_transaction_isolation")
        found = [self.psql(f"SHOW {name}")[0][0] for name in settings]
        self.assertEqual(found, ["psql", '"$user", public', "0", "read committed"])

    def test_more_connections_than_processes(self):
        command = self.begin_run("--duration", "1s", connections=2 * CONNECTIONS + 1).wait()
        self.expect_error(command, FAILURE, "num_init_children", "--connections", within_s=90)


class WhatGoesAway(PgpoolCase):

    def begin_endless_run(self):
        command = self.begin_run("--duration", "24h")
        command.wait_for("terminals up")
        self.wait_for_orders()
        return command

    def expect_to_go_on(self, command):
        self.wait_for_orders()
        command.signal(signal.SIGINT)
        return self.expect_counted(command.wait(), INTERRUPTED)

    def start_pgpool_again(self):
        """It strikes off a node that has gone, until somebody has it look again."""
        self.cluster.kill_pgpool()
        self.cluster.start_pgpool()

    def test_pgpool(self):
        command = self.begin_endless_run()
        self.start_pgpool_again()
        document = self.expect_to_go_on(command)
        self.assertGreaterEqual(document["availability"]["sessions_lost"], CONNECTIONS)

    def test_the_standby(self):
        command = self.begin_endless_run()
        self.cluster.kill_standby()
        self.expect_to_go_on(command)
        self.cluster.start_standby()
        self.start_pgpool_again()

    def test_the_primary(self):
        command = self.begin_endless_run()
        self.cluster.server.kill()
        self.cluster.start_primary()
        self.start_pgpool_again()
        document = self.expect_to_go_on(command)
        self.assertGreaterEqual(document["availability"]["sessions_lost"], CONNECTIONS)

    def test_sessions_left_behind_are_ended(self):
        command = self.begin_endless_run()
        with self.cluster.server.session() as locker:
            # Writes wait, and go on waiting when their client has gone; what is read does not.
            locker.sql(f"BEGIN; LOCK TABLE {self.SCHEMA}.history IN SHARE ROW EXCLUSIVE MODE")
            left = [name for (name,) in self._waiting()]
            command.signal(signal.SIGINT)
            self.expect_counted(command.wait(), INTERRUPTED)
            self.assertEqual(self.cluster.server.sql("SELECT application_name FROM pg_stat_activity "
                                                     f"WHERE application_name = '{left[0]}'"), [])
        self.assertEqual([node[3] for node in self.psql("SHOW pool_nodes")], ["up", "up"])

    def _waiting(self):
        with self.cluster.server.session() as session:
            return harness.wait_until(lambda: session.sql(
                "SELECT application_name FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name "
                "LIKE 'drover %'"), "a session of the run that waits")

    def test_without_a_primary(self):
        self.cluster.server.kill()
        harness.wait_until(self._serves_the_standby_alone, "a pgpool with a standby only")
        for arguments in (["tpcc", "check"], ["tpcc", "run"], ["ycsb", "check"], ["sql", "init"]):
            with self.subTest(arguments=arguments):
                self.expect_error(self.cluster.drover(*arguments), FAILURE, "pgpool-II has no primary at present",
                                  "pcp_attach_node")
        self.cluster.start_primary()
        self.start_pgpool_again()

    def _serves_the_standby_alone(self):
        try:
            return self.psql("SELECT pg_is_in_recovery()") == [["t"]]
        except subprocess.CalledProcessError:
            return False

    def test_a_pgpool_that_replicates(self):
        self.cluster.settings["backend_clustering_mode"] = "native_replication"
        self.start_pgpool_again()
        self.expect_error(self.cluster.drover("tpcc", "check"), FAILURE, "backend_clustering_mode = native_replication")
        del self.cluster.settings["backend_clustering_mode"]
        self.start_pgpool_again()


class AStandbyThatTakesOver(PgpoolCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # What is acknowledged is on both.
        with cls.cluster.server.session() as session:
            session.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
            session.sql("SELECT pg_reload_conf()")
            harness.wait_until(lambda: session.number(
                "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == 1, "a synchronous standby")
        cls.cluster.settings["failover_command"] = cls.cluster.promotion
        cls.cluster.kill_pgpool()
        cls.cluster.start_pgpool()

    def test_a_run_goes_on_with_it(self):
        command = self.begin_run("--duration", "24h")
        command.wait_for("terminals up")
        self.wait_for_orders()
        self.cluster.server.kill()
        harness.wait_until(lambda: self._orders() is not None, "a new primary")
        before = self._orders()
        harness.wait_until(lambda: self._orders() >= before + 50, "orders on the new primary")
        command.signal(signal.SIGINT)
        self.expect_counted(command.wait(), INTERRUPTED)

    def _orders(self):
        with self.cluster.standby() as session:
            promoted = session.sql("SELECT NOT pg_is_in_recovery()") == [("t",)]
            return session.number(f"SELECT sum(d_next_o_id) FROM {self.SCHEMA}.district") if promoted else None


if __name__ == "__main__":
    if pgpool_cluster.PROGRAM is None:
        print("skipped: there is no pgpool (apt install pgpool2)")
        sys.exit(SKIPPED)
    harness.main()
