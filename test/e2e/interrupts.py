"""Ctrl-C, and servers that go away before and during each command."""

import json
import os
import signal

import harness
from harness import FAILURE, INTERRUPTED, SUCCESS

# By its own word a run takes five seconds to drain and five to look up what is in doubt.
ENDS_WITHIN_S = 60
LONG_RUN = ["tpcc", "run", "--pace", "50", "--warmup", "0", "--duration", "1h"]


class Locked:
    """Holds what the statement locks, by a session that sleeps, until left."""

    def __init__(self, server, statement):
        self.server = server
        self.statement = statement

    def __enter__(self):
        self.session = self.server.begin(
            "pg", "psql", "--", "-X", "-q", "-1", "-o", "/dev/null", "-c",
            f"{self.statement}; SELECT pg_sleep(3600)")
        harness.wait_until(self._held, "the lock")
        return self

    def _held(self):
        return self.server.number("SELECT count(*) FROM pg_stat_activity "
                                  "WHERE wait_event = 'PgSleep'") > 0

    def wait_for_somebody(self):
        """Until some statement waits for what is held."""
        harness.wait_until(
            lambda: self.server.number("SELECT count(*) FROM pg_locks WHERE NOT granted"),
            "a statement that waits for the lock")

    def __exit__(self, *_):
        if self.server.drover("pg", "status").code == SUCCESS:
            self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                            "WHERE wait_event = 'PgSleep'")
        self.session.wait(10)


def lock_of(table):
    return f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"


class RunTestCase(harness.TestCase):

    def begin_long_run(self, *arguments):
        """A run of an hour that has made some New-Orders."""
        before = self.new_orders()
        command = self.server.begin(*LONG_RUN, *arguments)
        self.addCleanup(command.kill)
        command.wait_for("10 terminals up")
        self.wait_for_new_orders(before)
        return command

    def new_orders(self):
        return self.server.number("SELECT sum(d_next_o_id) FROM district")

    def wait_for_new_orders(self, before):
        harness.wait_until(lambda: self.new_orders() > before + 5, "New-Orders")


class Interrupts(RunTestCase, harness.ServerTestCase):

    WAREHOUSES_LOADED = 1

    def test_once(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                path = self.server.folder / f"{number}.json"
                command = self.begin_long_run("--json", str(path))
                command.signal(number)
                self.expect(command.wait(ENDS_WITHIN_S), INTERRUPTED)
                self.assertIn("interrupted", command.err)
                self.assertIn("tpmC", command.out)
                document = json.loads(path.read_text(encoding="utf-8"))
                self.assertTrue(document["interrupted"])
                self.expect_series_adds_up(document)
                self.assertGreater(document["summary"]["new_orders"], 0)
                self.assertLess(document["summary"]["measured_seconds"], 60)
                self.expect_consistent(self.server)

    def test_without_delays(self):
        command = self.begin_long_run("--no-delays", "--threads", "2", "--connections", "8")
        command.signal(signal.SIGINT)
        self.expect(command.wait(ENDS_WITHIN_S), INTERRUPTED)
        self.assertIn("tpmC", command.out)
        self.expect_consistent(self.server)

    def test_twice(self):
        # A row that nobody releases holds the orderly end up.
        with Locked(self.server, "SELECT * FROM district FOR UPDATE") as lock:
            command = self.server.begin(*LONG_RUN)
            self.addCleanup(command.kill)
            command.wait_for("10 terminals up")
            lock.wait_for_somebody()
            command.signal(signal.SIGINT)
            command.wait_for("Interrupt again to end it at once")
            # For a moment a second one counts as the same request.
            harness.wait_until(lambda: command.ended() or command.signal(signal.SIGINT), "the end")
            self.expect(command.wait(ENDS_WITHIN_S), INTERRUPTED)
        self.expect_consistent(self.server)

    def test_the_same_signal_to_process_and_group(self):
        # As timeout(1) sends it: the run ends in an orderly way all the same.
        path = self.server.folder / "twice.json"
        command = self.begin_long_run("--json", str(path))
        command.signal(signal.SIGINT)
        command.wait_for("Interrupt again to end it at once")
        command.signal(signal.SIGINT)
        self.expect(command.wait(ENDS_WITHIN_S), INTERRUPTED)
        self.assertIn("tpmC", command.out)
        self.assertTrue(json.loads(path.read_text(encoding="utf-8"))["interrupted"])

    def test_before_the_terminals_start(self):
        with Locked(self.server, lock_of("district")) as lock:
            command = self.server.begin(*LONG_RUN)
            self.addCleanup(command.kill)
            lock.wait_for_somebody()
            command.signal(signal.SIGINT)
            self.expect(command.wait(ENDS_WITHIN_S), INTERRUPTED)

    def test_in_the_warmup(self):
        command = self.server.begin("tpcc", "run", "--pace", "50", "--warmup", "1h")
        command.wait_for("10 terminals up")
        command.signal(signal.SIGINT)
        self.expect(command.wait(ENDS_WITHIN_S), INTERRUPTED)

    def test_check(self):
        with Locked(self.server, lock_of("order_line")) as lock:
            command = self.server.begin("tpcc", "check")
            lock.wait_for_somebody()
            command.signal(signal.SIGINT)
            self.expect(command.wait(ENDS_WITHIN_S), INTERRUPTED)
            self.assertIn("interrupted", command.err)
            # The server stops executing the statement.
            self.wait_until_idle()

    def test_init_and_clean(self):
        # In a schema of their own, lest they drop what the others need.
        self.expect(self.server.drover("tpcc", "init", "--schema", "waits"), SUCCESS)
        for arguments in (["init", "--force"], ["clean"]):
            with self.subTest(command=arguments):
                with Locked(self.server, lock_of("waits.warehouse")) as lock:
                    command = self.server.begin("tpcc", *arguments, "--schema", "waits")
                    lock.wait_for_somebody()
                    command.signal(signal.SIGINT)
                    self.expect(command.wait(ENDS_WITHIN_S), INTERRUPTED)
                # It is one transaction, and the server was told to give it up.
                self.assertEqual(self.server.number(
                    "SELECT count(*) FROM pg_class WHERE relkind = 'r' "
                    "AND relnamespace = 'waits'::regnamespace"), 11)

    def test_clean_of_the_other_workloads(self):
        self.expect(self.server.drover("ycsb", "load", "--recordcount", "10"), SUCCESS)
        self.expect(self.server.drover("sql", "init"), SUCCESS)
        for arguments, table in ((["ycsb", "clean"], "usertable"),
                                 (["sql", "clean"], "pgbench_tellers"),
                                 (["sql", "init", "--force"], "pgbench_branches")):
            with self.subTest(command=arguments):
                with Locked(self.server, lock_of(table)) as lock:
                    command = self.server.begin(*arguments)
                    lock.wait_for_somebody()
                    command.wait_for(r"waiting for a lock that is held by session \d+ \(.*psql")
                    command.signal(signal.SIGINT)
                    self.expect(command.wait(ENDS_WITHIN_S), INTERRUPTED)
                    self.wait_until_idle()
                self.assertGreater(self.server.number(f"SELECT count(*) FROM {table}"), 0)

    def test_import_on_a_server_that_stands_still(self):
        self.expect(self.server.drover("tpcc", "init", "--schema", "still"), SUCCESS)
        command = self.server.begin("tpcc", "import", "-w", "50", "--schema", "still", "--ui",
                                    "plain")
        self.addCleanup(command.kill)
        command.wait_for("rows/s")
        pid = self.server.pid
        stopped = [pid, *harness.children(pid)]
        for one in stopped:
            os.kill(one, signal.SIGSTOP)
        try:
            command.signal(signal.SIGINT)
            # The command ends while the server still stands still.
            self.expect(command.wait(ENDS_WITHIN_S), INTERRUPTED)
        finally:
            for one in stopped:
                os.kill(one, signal.SIGCONT)

    def wait_until_idle(self):
        """Waits until no session of drover executes a statement."""
        harness.wait_until(lambda: self.server.number(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'drover' "
            "AND state <> 'idle'") == 0, "the end of the statements")


class LostServer(RunTestCase, harness.ServerTestCase):

    WAREHOUSES_LOADED = 1

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Named, so that the commands do not start it again.
        cls.db = cls.server.conninfo

    def setUp(self):
        self.server.start_again()

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
                command = self.begin_long_run("--db", self.db, "--json", path, "--on-db-loss",
                                              "fail")
                end()
                self.expect_error(command.wait(60), FAILURE, "server|connection", within_s=120)
                self.assertIn("tpmC", command.out)
                document = json.loads(path.read_text(encoding="utf-8"))
                self.assertGreater(document["summary"]["new_orders"], 0)
                self.expect_series_adds_up(document)
                self.server.start_again()
                self.expect_consistent(self.server)

    def test_lost_during_a_check(self):
        # A lock keeps the check from ending before we come.
        with Locked(self.server, lock_of("order_line")) as lock:
            command = harness.start_drover("tpcc", "check", "--db", self.db)
            self.addCleanup(command.kill)
            lock.wait_for_somebody()
            self.server.stop_at_once()
            self.expect_error(command.wait(20), FAILURE, "server|connection")
            self.assertNotRegex(command.out, "All .* hold")
        self.server.start_again()
        self.expect_consistent(self.server)


if __name__ == "__main__":
    harness.main()
