"""Limits of the machine and of the server: descriptors, disks, clocks, connection slots."""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest

import harness
from harness import FAILURE, INTERRUPTED, SUCCESS, USAGE

JUMPING_CLOCK = os.environ.get("JUMPING_CLOCK", "")


class Descriptors(harness.ServerTestCase):

    WAREHOUSES_LOADED = 1

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.db = cls.server.conninfo

    def test_too_few_for_the_connections(self):
        for command in (["run", "--duration", "1s", "--connections", "64"],
                        ["run", "--duration", "1s", "--connections", "64", "--threads", "4"],
                        ["check", "--connections", "64"]):
            with self.subTest(command=command):
                path = self.server.folder / "descriptors.json"
                more = ["--json", path] if command[0] == "run" else []
                result = harness.start_limited(resource.RLIMIT_NOFILE, 24, "tpcc", *command, *more,
                                               "--db", self.db).wait(60)
                self.assertIn(result.code, (FAILURE, USAGE), str(result))
                self.expect_error(result, result.code, "64 connections on", "may open only 24",
                                  "open files", "ulimit -n")
                self.assertEqual(list(self.server.folder.glob("descriptors.json*")), [])
        self.expect_consistent(self.server)

    def test_the_hard_limit_counts(self):
        # Drover raises the soft limit itself.
        result = harness.start_limited(
            resource.RLIMIT_NOFILE, (24, 200), "tpcc", "run", "--db", self.db, "--duration", "1s",
            "--warmup", "0", "--no-delays", "--connections", "40").wait(60)
        self.expect(result, SUCCESS)

    def test_a_full_standard_output(self):
        commands = (["check"], ["init", "--schema", "more"], ["import", "-w", "1", "--schema",
                                                             "more"],
                    ["check", "--json", "-", "--schema", "more"], ["clean", "--schema", "more"],
                    ["clean", "--schema", "more"])
        for place, reason in (("/dev/full", "No space left"), (None, "Bad file descriptor")):
            for command in commands:
                with self.subTest(command=command, place=place):
                    done = harness.start_writing_to(place, "tpcc", *command, "--db", self.db)
                    self.expect_error(done.wait(60), FAILURE, "cannot write .* standard output",
                                      reason)
        # They have done their work.
        self.assertEqual(self.server.number(
            "SELECT count(*) FROM pg_tables WHERE schemaname = 'more'"), 0)

    def test_a_file_that_may_not_grow(self):
        path = self.server.folder / "check.json"
        result = harness.start_limited(resource.RLIMIT_FSIZE, 4096, "tpcc", "check", "--db", self.db,
                                       "--json", path).wait(60)
        self.expect_error(result, FAILURE, re.escape(str(path)), "File too large", "ulimit -f")
        self.assertIn("conditions checked hold", result.out)
        self.assertEqual(list(self.server.folder.glob("check.json*")), [])

    def test_hardly_any(self):
        # Each number of them runs out somewhere else: nowhere does it crash or hang.
        for count in range(4, 14):
            with self.subTest(descriptors=count):
                result = harness.start_limited(
                    resource.RLIMIT_NOFILE, count, "tpcc", "run", "--db", self.db, "--duration",
                    "1s", "--warmup", "0", "--no-delays", "--connections", "1").wait(60)
                self.assertIn(result.code, (SUCCESS, FAILURE, 127), str(result))
                if result.code == FAILURE:
                    self.assertRegex(result.err, "Too many open files|open files", str(result))


class Columns(harness.ServerTestCase):
    """Columns whose types, of older versions or other tools, are too narrow for a long run."""

    WAREHOUSES_LOADED = 1

    def test_a_run_that_fills_a_column_says_so_before_and_after(self):
        self.server.sql("ALTER TABLE warehouse ALTER w_ytd TYPE numeric(12,2); "
                        "UPDATE warehouse SET w_ytd = 9999999999.99")
        path = self.server.folder / "full.json"
        command = self.server.drover("tpcc", "run", "--no-delays", "--terminals", 4, "--warmup", 0,
                                     "--duration", "2s", "--json", path, "--ui", "quiet")
        self.expect(command, SUCCESS)
        self.assertRegex(command.err, r"warning: the column warehouse.w_ytd has the type numeric\(12,2\), "
                         r"whose values must be below 10000000000, .* ALTER TABLE warehouse ALTER COLUMN w_ytd TYPE")
        # Each Payment would exceed the limit of the column.
        self.assertRegex(re.sub(r"\s+", " ", command.out), r"SQLSTATE .*numeric field overflow .*22003")
        payment = json.loads(path.read_text(encoding="utf-8"))["transactions"]["Payment"]
        self.assertEqual(payment["ok_count"], 0)
        self.assertIn("numeric field overflow", payment["error_messages"]["22003"])


class Process(harness.TestCase):
    """What ulimit takes from the process: each is said in a sentence."""

    RUN = ["tpcc", "run", "--simulate-ms", "1", "--warmup", "0", "--duration", "1s"]

    def test_a_result_that_may_not_grow(self):
        with tempfile.TemporaryDirectory(prefix="drover-e2e-") as folder:
            path = pathlib.Path(folder) / "result.json"
            for before in (None, "the result of an earlier run"):
                if before:
                    path.write_text(before, encoding="utf-8")
                result = harness.start_limited(resource.RLIMIT_FSIZE, 4096, *self.RUN, "-w", "1",
                                               "--json", path).wait(60)
                self.expect_error(result, FAILURE, re.escape(str(path)), "File too large",
                                  "ulimit -f")
                self.assertIn("tpmC", result.out)
                left = [(one.name, one.read_text(encoding="utf-8")) for one in
                        pathlib.Path(folder).iterdir()]
                self.assertEqual(left, [("result.json", before)] if before else [])

    def test_many_terminals_can_be_stopped(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            command = harness.start_drover(*self.RUN[:-1], "1h", "-w", "50000")
            self.addCleanup(command.kill)
            command.wait_for("terminals (come )?up")
            command.signal(number)
            self.expect(command.wait(), INTERRUPTED)
            self.assertIn("interrupted", command.out)

    def test_a_small_stack(self):
        for kib in (64, 128):
            with self.subTest(kib=kib):
                result = harness.start_limited(resource.RLIMIT_STACK, kib * 1024, *self.RUN, "-w",
                                               "4", "--threads", "4").wait(60)
                self.expect_error(result, FAILURE, f"limited to {kib} KiB", "ulimit -s")
        # Drover raises the soft limit itself.
        result = harness.start_limited(resource.RLIMIT_STACK, (65536, 8 << 20), *self.RUN, "-w",
                                       "4", "--threads", "4").wait(60)
        self.expect(result, SUCCESS)

    def test_memory_for_the_terminals(self):
        result = harness.start_limited(resource.RLIMIT_AS, 600 << 20, *self.RUN, "-w",
                                       "1000000").wait(60)
        self.expect_error(result, FAILURE, "10000000 terminals need", "GiB of memory")

    def test_memory_for_the_threads(self):
        result = harness.start_limited(resource.RLIMIT_AS, 600 << 20, *self.RUN, "-w", "1000",
                                       "--threads", "1000").wait(60)
        self.expect_error(result, FAILURE, "stacks of 1000 threads need", "GiB of address space",
                          "ulimit -v")

    def test_memory_that_runs_out(self):
        with tempfile.TemporaryDirectory(prefix="drover-e2e-") as folder:
            path = pathlib.Path(folder) / "long.json"
            with open(path, "wb") as file:
                file.truncate(250 << 20)
            result = harness.start_limited(resource.RLIMIT_AS, 240 << 20, "report", path).wait(60)
        self.expect_error(result, FAILURE, "out of memory", "240 MiB", "ulimit -v")


class FullDisk(harness.TestCase):

    SIMULATED = ["tpcc", "run", "-w", "1", "--simulate-ms", "1", "--pace", "100", "--warmup", "0"]

    def test_the_result_does_not_fit(self):
        if os.geteuid() != 0:
            self.skipTest("only root may mount a small disk")
        folder = pathlib.Path(tempfile.mkdtemp(prefix="drover-e2e-"))
        self.addCleanup(folder.rmdir)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder],
                                 stderr=subprocess.PIPE, text=True, check=False)
        if mounted.returncode != 0:
            self.skipTest(f"no disk may be mounted here: {mounted.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", folder], check=True)
        earlier = folder / "result.json"
        earlier.write_text("the result of an earlier run", encoding="utf-8")
        command = harness.start_drover(*self.SIMULATED, "--duration", "2s", "--json", earlier)
        self.addCleanup(command.kill)
        command.wait_for("terminals up")
        self.fill(folder / "of somebody else")
        self.expect_error(command.wait(30), FAILURE, re.escape(str(earlier)), "[Nn]o space")
        self.assertIn("tpmC", command.out)
        self.assertEqual(earlier.read_text(encoding="utf-8"), "the result of an earlier run")
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["of somebody else", "result.json"])
        # A disk that is full before the run is noticed before the run.
        command = harness.drover(*self.SIMULATED, "--duration", "1h", "--json", folder / "next.json")
        self.expect_error(command, FAILURE, re.escape(str(folder / "next.json")), "[Nn]o space")
        self.assertNotIn("terminals up", command.err)

    @staticmethod
    def fill(path):
        with open(path, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(512))
            except OSError:
                pass

    def test_a_device_that_is_full(self):
        command = harness.drover(*self.SIMULATED, "--duration", "1s", "--json", "/dev/full")
        self.expect_error(command, FAILURE, "/dev/full")
        self.assertTrue(pathlib.Path("/dev/full").is_char_device())

    def test_a_full_standard_output(self):
        with open("/dev/full", "wb", buffering=0) as full:
            process = subprocess.run(
                [harness.DROVER, *self.SIMULATED, "--duration", "1s"], stdout=full,
                stderr=subprocess.PIPE, text=True, env=harness.clean_environment(), timeout=60,
                check=False)
        self.assertEqual(process.returncode, FAILURE, process.stderr)
        self.assertRegex(process.stderr, "(?m)^drover: error: .*(No space|standard output)")


class Clocks(harness.TestCase):

    @unittest.skipUnless(os.path.exists(JUMPING_CLOCK),
                         "JUMPING_CLOCK does not name the library with a clock that jumps")
    def test_the_time_of_day_jumps(self):
        with tempfile.TemporaryDirectory(prefix="drover-e2e-") as folder:
            path = pathlib.Path(folder) / "result.json"
            command = harness.drover(
                "tpcc", "run", "--simulate-ms", "2", "-w", "10", "--pace", "20", "--duration", "3s",
                "--warmup", "0", "--json", path, LD_PRELOAD=JUMPING_CLOCK)
            self.expect(command, SUCCESS)
            self.assertNotIn("LD_PRELOAD", command.err)
            document = json.loads(path.read_text(encoding="utf-8"))
        self.assertGreaterEqual(command.seconds, 3)
        self.assertLess(command.seconds, 30)
        self.assertAlmostEqual(document["summary"]["measured_seconds"], 3, delta=0.5)
        # A hundred terminals without waits for a database: some 270 of a cycle of 1.1 s.
        counts = [one["all_count"] for one in document["transactions"].values()]
        self.assertGreater(sum(counts), 100)
        self.assertLess(sum(counts), 1000)
        times = [point["t"] for point in document["time_series"]]
        self.assertEqual(times, sorted(times))
        self.assertLess(times[-1], 30)
        for one in document["transactions"].values():
            if one["ok_count"]:
                self.assertLess(one["percentiles"]["50"], 1000)

    def test_the_shim_jumps(self):
        # Otherwise the test above proves nothing.
        if not os.path.exists(JUMPING_CLOCK):
            self.skipTest("JUMPING_CLOCK does not name the library with a clock that jumps")
        seconds = [int(subprocess.run(["date", "+%s"], env={"LD_PRELOAD": JUMPING_CLOCK},
                                      stdout=subprocess.PIPE, check=True).stdout)]
        seconds.append(int(subprocess.run(["date", "+%s"], stdout=subprocess.PIPE,
                                          check=True).stdout))
        self.assertAlmostEqual(abs(seconds[0] - seconds[1]), 3600, delta=60)


class Slots(harness.TestCase):

    SLOTS = 20

    def test_others_take_all_of_them(self):
        server = harness.Server(warehouses=1)
        self.addCleanup(server.remove)
        server.start(f"max_connections={self.SLOTS}")
        path = server.folder / "slots.json"
        command = server.begin("tpcc", "run", "--db", server.conninfo, "--no-delays",
                               "--connections", "8", "--warmup", "0", "--duration", "1h",
                               "--json", path)
        self.addCleanup(command.kill)
        command.wait_for("terminals up")
        with server.session() as admin:
            # Stopped meanwhile: it would take a slot that is free before we can.
            command.signal(signal.SIGSTOP)
            try:
                others = self.take_all(server, admin)
            finally:
                command.signal(signal.SIGCONT)
            self.assertFalse(command.ended(), "it gave up")
            command.wait_for("outage: ")
            began = time.monotonic()
            paid = admin.number("SELECT count(*) FROM history")
            harness.wait_until(lambda: time.monotonic() > began + 2, "two seconds of outage")
            self.assertEqual(admin.number("SELECT count(*) FROM history"), paid)
            self.assertFalse(command.ended(), str(command))
            seen = len(command.err)
            for session in others:
                session.close()
            orders = "SELECT sum(d_next_o_id) FROM district"
            before = admin.number(orders)
            harness.wait_until(lambda: admin.number(orders) > before + 50, "New-Orders", 60)
            # A transaction on each of them: what the server lists may still be on its way in.
            harness.wait_until(lambda: " 8 in flight" in command.err[seen:], "all sessions at work")
        command.signal(signal.SIGINT)
        self.expect(command.wait(30), INTERRUPTED)
        self.expect_consistent(server)
        availability = json.loads(path.read_text(encoding="utf-8"))["availability"]
        self.assertGreaterEqual(len(availability["outages"]), 1)
        self.assertGreater(max(one["seconds"] for one in availability["outages"]), 1.8)
        self.assertGreaterEqual(availability["sessions_lost"], 8)
        self.assertGreaterEqual(availability["sessions_reopened"], 8)

    @staticmethod
    def sessions(admin):
        """Those of the run."""
        return admin.number("SELECT count(*) FROM pg_stat_activity "
                            "WHERE application_name = 'drover'")

    def take_all(self, server, admin):
        """Ends the sessions of the run and takes their slots."""
        others = []
        admin.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                  "WHERE application_name = 'drover'")

        def taken():
            try:
                session = server.session()
                others.append(session)
                self.addCleanup(session.close)
            except harness.SessionError as error:
                self.assertIn("too many clients", str(error))
            return len(others) == self.SLOTS - 1
        harness.wait_until(taken, "all slots are taken")
        self.assertEqual(self.sessions(admin), 0)
        return others


if __name__ == "__main__":
    harness.main()
