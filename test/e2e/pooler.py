"""Every command through a PgBouncer that lends the server's processes by the session, and by the transaction."""

import json
import signal
import subprocess
import sys

import harness
import pgbouncer
from harness import FAILURE, INTERRUPTED, SUCCESS
from pgbouncer import PgBouncer

POOL_SIZE = 6  # processes, where each transaction gets one of them
CONNECTIONS = 16
SKIPPED = 77
SAYS = {"session": "a pooler in session pooling mode is in front of the server",
        "transaction": "a pooler in transaction pooling mode is in front of the server"}


class PoolerCases:
    """What is the same in both modes; on one loaded schema."""

    SCHEMA = "pooled"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bouncer = PgBouncer(cls.server, cls.MODE, POOL_SIZE if cls.MODE == "transaction" else 2 * CONNECTIONS)
        cls.addClassCleanup(cls.bouncer.remove)
        cls.bouncer.start()
        for command in (["init", "--foreign-keys", "after-load"], ["import", "-w", 1], ["check", "--after-import"]):
            harness.expect(cls.bouncer.drover("tpcc", *command, "--schema", cls.SCHEMA), SUCCESS)

    def begin_run(self, *arguments):
        self.path = self.server.folder / "result.json"
        return self.bouncer.begin("tpcc", "run", "--schema", self.SCHEMA, "--no-delays", "--warmup", "0", "--json",
                                  self.path, "--connections", CONNECTIONS, *arguments)

    def expect_counted(self, command, code=SUCCESS):
        self.expect(command, code)
        document = json.loads(self.path.read_text(encoding="utf-8"))
        self.expect_every_count(document)
        self.assertEqual(document["environment"]["server"]["settings"]["pooling"], self.MODE)
        self.assertIn(SAYS[self.MODE], command.err)
        self.expect(self.bouncer.drover("tpcc", "check", "--schema", self.SCHEMA), SUCCESS)
        return document

    def test_both_styles_at_each_isolation(self):
        for statements, isolation in (("batched", "read-committed"), ("single", "repeatable-read"),
                                      ("batched", "serializable")):
            with self.subTest(statements=statements, isolation=isolation):
                document = self.expect_counted(self.begin_run(
                    "--duration", "1s", "--statements", statements, "--isolation", isolation, "--max-attempts",
                    1000).wait())
                self.assertEqual(sum(one["failed_count"] for one in document["transactions"].values()), 0)

    def test_the_pooler_and_the_server_are_killed(self):
        command = self.begin_run("--duration", "24h", "--server-stats")
        self.addCleanup(command.kill)
        command.wait_for("terminals up")
        self.server.wait_for_orders(self.SCHEMA)
        self.bouncer.kill()
        self.bouncer.start()
        self.server.wait_for_orders(self.SCHEMA)
        self.server.kill()
        self.server.start()
        self.server.wait_for_orders(self.SCHEMA)
        command.signal(signal.SIGINT)
        document = self.expect_counted(command.wait(), INTERRUPTED)
        self.assertGreaterEqual(document["availability"]["sessions_lost"], CONNECTIONS)
        # Transactions of the run are known by their names.
        self.assertTrue(document["server_stats"]["wait_events"], document["server_stats"])


class BySession(PoolerCases, harness.ServerTestCase):
    MODE = "session"

    def test_a_pool_that_is_too_small(self):
        bouncer = PgBouncer(self.server, "session", pool_size=2)
        self.addCleanup(bouncer.remove)
        bouncer.start()
        command = bouncer.drover("tpcc", "run", "--schema", self.SCHEMA, "--connections", 4, "--duration", "1s")
        self.expect_error(command, FAILURE, "pooler's pool may be smaller than the number of connections", "--connections", within_s=90)

    def test_a_pool_of_one(self):
        bouncer = PgBouncer(self.server, "session", pool_size=1)
        self.addCleanup(bouncer.remove)
        bouncer.start()
        command = self.expect(bouncer.drover("tpcc", "check", "--schema", self.SCHEMA, "--connections", 1), SUCCESS)
        self.assertNotIn(SAYS["transaction"], command.err)
        command = bouncer.drover("tpcc", "check", "--schema", self.SCHEMA, "--connections", 2)
        self.expect_error(command, FAILURE, "pooler's pool may be smaller than the number of connections", within_s=90)


class ByTransaction(PoolerCases, harness.ServerTestCase):
    MODE = "transaction"

    def test_a_killed_import_goes_on(self):
        self.expect(self.bouncer.drover("tpcc", "init", "--schema", "resumed"), SUCCESS)
        arguments = ["tpcc", "import", "-w", 2, "--connections", 1, "--schema", "resumed"]
        first = self.bouncer.begin(*arguments)
        self.addCleanup(first.kill)
        harness.wait_until(lambda: self.server.number("SELECT count(*) FROM resumed.warehouse") > 0, "a warehouse")
        # While it stands still it gives no sign of life.
        first.signal(signal.SIGSTOP)
        command = self.bouncer.drover(*arguments)
        self.assertRegex(command.out + command.err, "imported 2 warehouses|already loaded", str(command))
        first.signal(signal.SIGKILL)
        first.wait()
        self.expect(self.bouncer.drover("tpcc", "check", "--after-import", "--schema", "resumed"), SUCCESS)
        self.assertIn("stock", self.expect(self.bouncer.drover("tpcc", "clean", "--schema", "resumed"), SUCCESS).out)

    def test_a_pool_of_one(self):
        bouncer = PgBouncer(self.server, "transaction", pool_size=1)
        self.addCleanup(bouncer.remove)
        bouncer.start()
        self.expect(bouncer.drover("tpcc", "check", "--schema", self.SCHEMA, "--connections", 1), SUCCESS)
        command = bouncer.drover("tpcc", "check", "--schema", self.SCHEMA, "--connections", 2)
        self.expect_error(command, FAILURE, "pooler's pool may be smaller than the number of connections", within_s=90)
        script = self.server.folder / "one.sql"
        script.write_text("SELECT 1;\n", encoding="utf-8")
        command = bouncer.begin("sql", "run", "--file", script, "--operations", 5, "--warmup", 0)
        self.assertIn(SAYS["transaction"], self.expect(command.wait(), SUCCESS).err)
        # Another client keeps the process for longer than Drover waits for the second session.
        other = subprocess.Popen(["psql", "-Xq", "-d", bouncer.conninfo, "-c", "SELECT pg_sleep(3)"],
                                 stdout=subprocess.DEVNULL)
        self.addCleanup(other.wait)
        command = bouncer.drover("sql", "run", "--file", script, "--operations", 5, "--warmup", 0)
        self.assertIn(SAYS["transaction"], self.expect(command, SUCCESS).err)

    def test_ycsb(self):
        self.expect(self.bouncer.drover("ycsb", "load", "--recordcount", 1000, "--schema", "ycsb"), SUCCESS)
        path = self.server.folder / "ycsb.json"
        for workload, isolation in (("a", "read-committed"), ("e", "serializable"), ("f", "serializable")):
            with self.subTest(workload=workload):
                self.expect(self.bouncer.drover(
                    "ycsb", "run", "--workload", workload, "--isolation", isolation, "--verify", "--operations", 500,
                    "--clients", 8, "--max-attempts", 1000, "--duration", "24h", "--json", path, "--schema", "ycsb"),
                    SUCCESS)
                document = json.loads(path.read_text(encoding="utf-8"))
                for account in document["accounts"]:
                    self.assertEqual(account["counted"], account["in_data"], account)
        self.expect(self.bouncer.drover("ycsb", "check", "--schema", "ycsb"), SUCCESS)
        self.expect(self.bouncer.drover("ycsb", "clean", "--schema", "ycsb"), SUCCESS)

    def test_scripts(self):
        self.expect(self.bouncer.drover("sql", "init"), SUCCESS)
        for protocol in ("simple", "extended", "prepared"):
            self.expect(self.bouncer.drover("sql", "run", "-b", "tpcb-like", "-M", protocol, "--operations", 100,
                                            "--clients", 8, "--duration", "24h", "--max-tries", 1000), SUCCESS)
        self.assertEqual(self.server.number("SELECT count(*) FROM pgbench_history"), 300)
        self.expect(self.bouncer.drover("sql", "clean"), SUCCESS)

    def test_no_schema_for_scripts(self):
        self.server.sql("CREATE SCHEMA scripts")
        self.expect(self.bouncer.drover("sql", "init", "--schema", "scripts"), SUCCESS)
        self.expect_error(self.bouncer.drover("sql", "run", "-b", "select-only", "--schema", "scripts"), FAILURE,
                          "a search path does not last from one transaction to the next", "ALTER ROLE")
        self.expect(self.bouncer.drover("sql", "clean", "--schema", "scripts"), SUCCESS)

    def test_nothing_is_left_in_the_processes_of_others(self):
        self.expect_counted(self.begin_run("--duration", "1s").wait())
        settings = ("application_name", "search_path", "statement_timeout", "default_transaction_isolation")
        found = [self.asked_through_the_pooler(f"SHOW {name}") for name in settings]
        self.assertEqual(found, ["psql", '"$user", public', "0", "read committed"])

    def asked_through_the_pooler(self, statement):
        ended = subprocess.run(["psql", "-XqAt", "-d", self.bouncer.conninfo, "-c", statement], text=True, check=True,
                               stdout=subprocess.PIPE)
        return ended.stdout.strip()


if __name__ == "__main__":
    if pgbouncer.PROGRAM is None:
        print("skipped: there is no pgbouncer (apt install pgbouncer)")
        sys.exit(SKIPPED)
    harness.main()
