"""Runs through a restart, ended sessions and a failover: what a run says of it, and that it goes on.

A probe of the test's own, a new session every few milliseconds, says how long the server was away.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import harness
from harness import FAILURE, INTERRUPTED, SUCCESS

AWAY_S = 5  # test/simulation has outages of every length
ORDERS = "SELECT sum(d_next_o_id - 3001) FROM district"


class Probe:
    """Notes the first failure and the first success after it."""

    def __init__(self, folder):
        self.folder = folder
        self.failed_at = None
        self.succeeded_at = None
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._done.set()
        self._thread.join(60)

    def _run(self):
        while not self._done.wait(0.005) and self.succeeded_at is None:
            try:
                with harness.Session(self.folder) as session:
                    session.sql("SELECT 1")
                if self.failed_at is not None:
                    self.succeeded_at = time.monotonic()
            except harness.SessionError:
                self.failed_at = self.failed_at or time.monotonic()

    @property
    def seconds(self):
        return self.succeeded_at - self.failed_at


class RunTestCase(harness.TestCase):

    def begin(self, server, db, *arguments):
        """A run of an hour, some way into it; and when it began, as well as can be told."""
        self.path = server.folder / "result.json"
        command = server.begin("tpcc", "run", "--db", db, "--no-delays", "--connections", "4",
                               "--warmup", "0", "--duration", "1h", "--json", self.path,
                               *arguments)
        self.addCleanup(command.kill)
        command.wait_for("terminals up", 60)
        self.began = time.monotonic()
        self.wait_for_orders(server.socket_folder)
        return command

    def wait_for_orders(self, folder):
        with harness.Session(folder) as session:
            before = session.number(ORDERS)
            harness.wait_until(lambda: session.number(ORDERS) > before + 200, "New-Orders", 60)

    def document(self):
        return json.loads(self.path.read_text(encoding="utf-8"))


class Restart(RunTestCase, harness.ServerTestCase):

    WAREHOUSES_LOADED = 2

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.db = cls.server.conninfo
        cls.folder = cls.server.socket_folder

    def setUp(self):
        self.server.start_again()

    def expect_all_adds_up(self, document, before, folder=None):
        ledger = document["ledger"]
        with harness.Session(folder or self.folder) as session:
            self.assertEqual(ledger["new_orders"], session.number(ORDERS) - before)
        self.assertEqual(document["ledger_in_data"],
                         {name: ledger[name] for name in ("new_orders", "payment_cents",
                                                          "orders_delivered")})
        for name, one in document["transactions"].items():
            self.assertEqual(one["ambiguous"]["unresolved"], 0, name)

    def test_stopped_at_once_and_started_again_later(self):
        before = self.server.number(ORDERS)
        command = self.begin(self.server, self.db)
        with Probe(self.folder) as probe:
            self.server.stop_at_once()
            time.sleep(AWAY_S)
            self.server.start()
            harness.wait_until(lambda: probe.succeeded_at, "the probe's success")
        self.wait_for_orders(self.folder)
        # A point of the time series is a whole second.
        harness.wait_until(lambda: time.monotonic() > probe.succeeded_at + 4, "points to come")
        command.signal(signal.SIGINT)
        self.expect(command.wait(60), INTERRUPTED)
        document = self.document()
        # How fast this process and the run see what happens is the machine's affair.
        # A server that has just come may refuse once more: another outage, a short one.
        outages = document["availability"]["outages"]
        outage = max(outages, key=lambda one: one["seconds"])
        self.assertGreater(probe.seconds, AWAY_S)
        self.assertAlmostEqual(outage["seconds"], probe.seconds, delta=AWAY_S / 2)
        self.assertAlmostEqual(outage["start_s"], probe.failed_at - self.began, delta=AWAY_S / 2)
        self.assertAlmostEqual(outage["end_s"], outage["start_s"] + outage["seconds"], delta=0.001)
        self.assertAlmostEqual(document["availability"]["unavailable_s"],
                               sum(one["seconds"] for one in outages), delta=0.2)
        self.assertGreater(outage["transactions_lost"], 0)
        self.assertNotEqual(outage["first_error"], "")
        self.expect_the_hole(document, outage)
        self.expect_all_adds_up(document, before)
        self.expect_consistent(self.server)

    def expect_the_hole(self, document, outage):
        """The time series has nothing within the outage, and something on both sides of it."""
        points = [(point["t"], sum(point["ok"].values())) for point in document["time_series"]]
        # A point tells of the second before it.
        within = [ok for t, ok in points if outage["start_s"] + 1.1 < t < outage["end_s"]]
        self.assertGreaterEqual(len(within), AWAY_S - 3)
        self.assertEqual(sum(within), 0, points)
        self.assertGreater(sum(ok for t, ok in points if t < outage["start_s"] + 1), 0, points)
        self.assertGreater(sum(ok for t, ok in points if t > outage["end_s"]), 0, points)

    def sessions_of_the_run(self):
        """The processes of its four connections, and not of what only looks on."""
        with harness.Session(self.folder) as session:
            rows = session.sql("SELECT pid FROM pg_stat_activity WHERE query !~ 'checkpoint' AND "
                               "backend_type = 'client backend' AND pid <> pg_backend_pid()")
        self.assertEqual(len(rows), 4)
        return [int(pid) for (pid,) in rows]

    def freeze(self, command):
        """Nothing answers from here on, and nothing fails, until the function that it returns
        is called."""
        pids = self.sessions_of_the_run()

        def thaw():
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):  # its session was ended
                    os.kill(pid, signal.SIGCONT)
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        self.addCleanup(self.server.start_again)
        self.addCleanup(thaw)
        # The lines and what is listed agree; a stall is at least a second.
        command.wait_for(r"STALL for [1-9]")
        return thaw

    def test_a_database_that_freezes_to_the_end(self):
        command = self.begin(self.server, self.db)
        self.freeze(command)
        command.signal(signal.SIGINT)
        self.expect(command.wait(), INTERRUPTED)
        document = self.document()
        (stall,) = document["availability"]["stalls"][-1:]
        self.assertIsNone(stall["end_s"])
        pending = [one["pending"] for one in document["transactions"].values()]
        terminals = document["client"]["terminals"]
        self.assertEqual(sum(one["count"] for one in pending), terminals)
        self.assertEqual(sum(one["unanswered"] for one in pending), terminals)
        for one in document["transactions"].values():
            if one["pending"]["unanswered"]:
                self.assertIn("max", one["pending"]["lower_bounds"])
        # The stall, and the time that was left to what was in flight.
        longest = max(one["max_ms"] for one in document["transactions"].values())
        self.assertGreater(longest, 6000)
        self.assertIn("stall ", command.out)
        self.assertRegex(command.out, r"BROKEN +availability: no outage")

    def test_a_database_that_freezes_for_a_while(self):
        before = self.server.number(ORDERS)
        command = self.begin(self.server, self.db)
        thaw = self.freeze(command)
        thaw()
        self.wait_for_orders(self.folder)
        command.signal(signal.SIGINT)
        self.expect(command.wait(), INTERRUPTED)
        document = self.document()
        stall = max(document["availability"]["stalls"], key=lambda one: one["seconds"] or 0)
        self.assertGreater(stall["seconds"], 1)
        self.assertEqual(document["availability"]["outages"], [])
        longest = max(one["max_ms"] for one in document["transactions"].values())
        self.assertGreater(longest, stall["seconds"] * 1000 - 100)
        self.expect_all_adds_up(document, before)

    def test_without_patience(self):
        before = self.server.number(ORDERS)
        command = self.begin(self.server, self.db, "--on-db-loss", "fail")
        self.server.stop_at_once()
        stopped = time.monotonic()
        self.expect_error(command.wait(60), FAILURE, "the run was aborted", "server", within_s=120)
        self.assertLess(time.monotonic() - stopped, 20)
        self.assertIn("tpmC", command.out)
        self.server.start()
        # What was ambiguous could be asked nowhere: the result must not claim otherwise.
        ledger = self.document()["ledger"]
        with self.server.session() as session:
            done = session.number(ORDERS) - before
        self.assertLessEqual(ledger["new_orders"], done)
        # How many they are, the table of transactions says only of those that ended within the interval.
        self.assertTrue(ledger["new_orders"] == done or not ledger["exact"], (ledger, done))
        self.expect_consistent(self.server)

    def test_all_sessions_ended(self):
        before = self.server.number(ORDERS)
        command = self.begin(self.server, self.db)
        for _ in range(5):
            with self.server.session() as session:
                ended = session.number(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                    "WHERE application_name = 'drover'")
            self.assertGreater(ended, 0)
            self.wait_for_orders(self.folder)
        command.signal(signal.SIGINT)
        self.expect(command.wait(60), INTERRUPTED)
        document = self.document()
        self.assertGreaterEqual(document["availability"]["sessions_lost"], 5)
        self.assertGreaterEqual(document["availability"]["sessions_reopened"], 5)
        self.expect_all_adds_up(document, before)
        self.expect_consistent(self.server)


class Standby:
    """A copy of a server that follows it, synchronously: it has whatever the server has promised."""

    def __init__(self, primary):
        owner = primary.data.stat()
        self.parent = pathlib.Path(tempfile.mkdtemp(prefix="drover-e2e-"))
        self.parent.chmod(0o755)
        self.data = self.parent / "data"
        self.folder = str(self.parent / "run")
        os.mkdir(self.folder, 0o700)
        os.chown(self.parent, owner.st_uid, owner.st_gid)
        os.chown(self.folder, owner.st_uid, owner.st_gid)
        self.as_owner = []
        if os.geteuid() == 0:
            self.as_owner = ["setpriv", f"--reuid={owner.st_uid}", f"--regid={owner.st_gid}",
                             "--clear-groups"]
        # Where the primary's own program is, are the others of its version.
        self.programs = pathlib.Path(f"/proc/{primary.pid}/exe").resolve().parent
        self.run("pg_basebackup", "-D", self.data, "-h", primary.socket_folder, "-U", "drover",
                 "-R", "-c", "fast", "-X", "stream")
        # Its settings lie beside the data.
        shutil.copy(primary.data.parent / "drover.conf", self.parent / "drover.conf")
        self.run("pg_ctl", "-D", self.data, "-w", "-l", self.parent / "log", "-o",
                 f"-k {self.folder} -p 5432 -c listen_addresses= -c shared_buffers=64MB", "start")
        with primary.session() as session:
            session.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
            session.sql("SELECT pg_reload_conf()")
            harness.wait_until(lambda: session.sql("SELECT 1 FROM pg_stat_replication "
                                                   "WHERE sync_state = 'sync'"), "the standby")

    def run(self, program, *arguments):
        result = subprocess.run(
            [*self.as_owner, self.programs / program, *map(str, arguments)], cwd="/",
            env=harness.clean_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, timeout=120, check=False)
        if result.returncode != 0:
            raise AssertionError(f"{program}: {result.stderr}")

    def promote(self):
        self.run("pg_ctl", "-D", self.data, "-w", "promote")

    def remove(self):
        if (self.data / "postmaster.pid").exists():
            self.run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop")
        shutil.rmtree(self.parent, ignore_errors=True)


class Failover(RunTestCase):

    def test_the_standby_takes_over(self):
        server = harness.Server(warehouses=2)
        self.addCleanup(server.remove)
        server.start("wal_level=replica", "max_wal_senders=5")
        standby = Standby(server)
        self.addCleanup(standby.remove)
        before = server.number(ORDERS)
        primary_folder = server.socket_folder
        hosts = f"{primary_folder},{standby.folder}"
        command = self.begin(server, "postgresql://drover@/drover"
                             f"?host={hosts}&target_session_attrs=read-write&connect_timeout=2")
        server.kill()
        time.sleep(1)  # nobody is there, and the standby refuses to be what is asked for
        self.assertFalse(command.ended(), str(command))
        standby.promote()
        self.wait_for_orders(standby.folder)
        command.signal(signal.SIGINT)
        self.expect(command.wait(60), INTERRUPTED)
        document = self.document()
        outages = document["availability"]["outages"]
        self.assertGreaterEqual(len(outages), 1)
        self.assertGreater(outages[0]["seconds"], 0.9)
        with harness.Session(standby.folder) as session:
            self.assertEqual(document["ledger"]["new_orders"], session.number(ORDERS) - before)
        for name, one in document["transactions"].items():
            self.assertEqual(one["ambiguous"]["unresolved"], 0, name)
        self.expect(harness.drover("tpcc", "check", "--db",
                                   f"host={standby.folder} user=drover dbname=drover"), SUCCESS)


if __name__ == "__main__":
    harness.main()
