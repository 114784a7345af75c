"""Ctrl-C, and servers that go away before and during each command."""

import json
import signal

import harness
from harness import FAILURE, INTERRUPTED, SUCCESS

LONG_RUN = ["tpcc", "run", "--pace", "50", "--warmup", "0", "--duration", "1h"]


class Interrupts(harness.ServerTestCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.load(1)

    def begin_run(self, *arguments):
        command = self.server.begin(*LONG_RUN, *arguments)
        self.addCleanup(command.process.kill)
        command.wait_for("10 terminals up")
        before = self.server.number("SELECT sum(d_next_o_id) FROM district")
        harness.wait_until(
            lambda: self.server.number("SELECT sum(d_next_o_id) FROM district") > before,
            "New-Orders")
        return command

    def test_once(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                path = self.server.folder / f"{number}.json"
                command = self.begin_run("--json", str(path))
                command.signal(number)
                self.expect(command.wait(5), INTERRUPTED)
                self.assertIn("interrupted", command.err)
                self.assertIn("tpmC", command.out)
                document = json.loads(path.read_text(encoding="utf-8"))
                self.assertTrue(document["interrupted"])
                self.assertGreater(document["summary"]["new_orders"], 0)
                self.assertLess(document["summary"]["measured_seconds"], 60)
                self.expect_consistent(self.server)

    def test_without_delays(self):
        command = self.begin_run("--no-delays", "--threads", "2", "--connections", "8")
        command.signal(signal.SIGINT)
        self.expect(command.wait(5), INTERRUPTED)
        self.assertIn("tpmC", command.out)
        self.expect_consistent(self.server)

    def test_twice(self):
        # A lock that nobody releases holds the orderly end up.
        with self.locked("district"):
            command = self.server.begin(*LONG_RUN)
            self.addCleanup(command.process.kill)
            command.wait_for("10 terminals up")
            harness.wait_until(
                lambda: self.server.number("SELECT count(*) FROM pg_locks WHERE NOT granted"),
                "a transaction that waits")
            command.signal(signal.SIGINT)
            command.wait_for("once more")
            command.signal(signal.SIGINT)
            self.expect(command.wait(2), INTERRUPTED)

    def test_in_the_warmup(self):
        command = self.server.begin("tpcc", "run", "--pace", "50", "--warmup", "1h")
        command.wait_for("10 terminals up")
        command.signal(signal.SIGINT)
        self.expect(command.wait(5), INTERRUPTED)

    def test_check(self):
        with self.locked("order_line"):
            command = self.server.begin("tpcc", "check")
            harness.wait_until(
                lambda: self.server.number("SELECT count(*) FROM pg_locks WHERE NOT granted"),
                "a condition that waits")
            command.signal(signal.SIGINT)
            self.expect(command.wait(5), INTERRUPTED)
            self.assertIn("interrupted", command.err)

    def test_init_and_clean(self):
        # In a schema of their own, lest they drop what the others need.
        self.server.load(1, schema="waits")
        with self.locked("waits.warehouse"):
            for arguments in (["init", "--force"], ["clean"]):
                command = self.server.begin("tpcc", *arguments, "--schema", "waits")
                harness.wait_until(
                    lambda: self.server.number("SELECT count(*) FROM pg_locks WHERE NOT granted"),
                    "a DROP TABLE that waits")
                command.signal(signal.SIGINT)
                self.expect(command.wait(5), INTERRUPTED)
        self.expect_consistent(self.server, "--schema", "waits")

    def locked(self, table):
        return Locked(self.server, table)


class Locked:
    """Holds the table locked, by a session that sleeps, until left."""

    def __init__(self, server, table):
        self.server = server
        self.table = table

    def __enter__(self):
        self.session = self.server.begin(
            "pg", "psql", "--", "-X", "-q", "-1", "-c",
            f"LOCK TABLE {self.table} IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(3600)")
        harness.wait_until(self._held, "the lock")

    def _held(self):
        return self.server.number("SELECT count(*) FROM pg_stat_activity "
                                  "WHERE wait_event = 'PgSleep'") > 0

    def __exit__(self, *_):
        self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        "WHERE wait_event = 'PgSleep'")
        self.session.wait(10)


class LostServer(harness.TestCase):

    def setUp(self):
        self.server = harness.Server()
        self.addCleanup(self.server.remove)
        self.server.start()
        self.server.load(1)
        # Named, so that the commands do not start it again.
        self.db = self.server.conninfo

    def begin_run(self, path):
        command = harness.start_drover(*LONG_RUN, "--db", self.db, "--json", path)
        self.addCleanup(command.process.kill)
        command.wait_for(r"0:0[2-9] measure|0:[1-9]\d measure", 20)
        return command

    def test_stopped_before_each_command(self):
        self.expect(self.server.drover("pg", "stop"), SUCCESS)
        for command in (["init"], ["import", "-w", "1"], ["run", "--duration", "1s"], ["check"],
                        ["clean"]):
            with self.subTest(command=command):
                self.expect_error(harness.drover("tpcc", *command, "--db", self.db), FAILURE,
                                  "server")

    def test_lost_during_a_run(self):
        for name, end in (("stopped", self.server.stop_at_once), ("killed", self.server.crash)):
            with self.subTest(end=name):
                path = self.server.folder / f"{name}.json"
                command = self.begin_run(path)
                end()
                self.expect_error(command.wait(20), FAILURE, "server|connection",
                                  within_s=60)
                self.assertIn("tpmC", command.out)
                document = json.loads(path.read_text(encoding="utf-8"))
                self.assertGreater(document["summary"]["new_orders"], 0)
                self.server.start()
                self.expect_consistent(self.server)

    def test_lost_during_a_check(self):
        # A lock keeps the check from ending before we come.
        with Locked(self.server, "order_line"):
            command = harness.start_drover("tpcc", "check", "--db", self.db)
            harness.wait_until(
                lambda: self.server.number("SELECT count(*) FROM pg_locks WHERE NOT granted"),
                "a condition that waits")
            self.server.stop_at_once()
            self.expect_error(command.wait(20), FAILURE, "server|connection")
            self.assertNotRegex(command.out, "All .* hold")
            self.server.start()
        self.expect_consistent(self.server)

    def test_sessions_ended_by_the_administrator(self):
        # The server is well: the run goes on over new connections.
        path = self.server.folder / "ended.json"
        command = self.begin_run(path)
        ended = self.server.number(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'")
        self.assertGreater(ended, 0)
        before = self.server.number("SELECT sum(d_next_o_id) FROM district")
        harness.wait_until(
            lambda: self.server.number("SELECT sum(d_next_o_id) FROM district") > before + 5,
            "New-Orders after it")
        command.signal(signal.SIGINT)
        self.expect(command.wait(5), INTERRUPTED)
        self.expect_consistent(self.server)


if __name__ == "__main__":
    harness.main()
