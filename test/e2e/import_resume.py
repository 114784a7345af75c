"""An import that was stopped, by whatever, goes on where it was."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

import harness
from harness import FAILURE, INTERRUPTED, SUCCESS, expect

WAREHOUSES = 3
SEED = 11
RESUMED = rf"skipping (\d+) of {WAREHOUSES} warehouses"


class Resume(harness.ServerTestCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.load(WAREHOUSES, schema="whole", seed=SEED)
        cls.whole = cls.server.content("whole")
        expect(cls.server.drover("tpcc", "check", "--after-import", "--schema", "whole"), SUCCESS)

    def begin(self, schema):
        self.expect(self.server.drover("tpcc", "init", "--schema", schema), SUCCESS)
        return self.begin_import(schema)

    def begin_import(self, schema):
        # One session: the warehouses come one after another.
        return self.server.begin("tpcc", "import", "-w", WAREHOUSES, "--seed", SEED,
                                 "--connections", 1, "--schema", schema)

    def loaded(self, schema):
        return self.server.number(f"SELECT count(*) FROM {schema}.warehouse")

    def after_the_first_warehouse(self, schema):
        harness.wait_until(lambda: self.loaded(schema) > 0, "the first warehouse")

    def expect_resumed(self, schema, skipped_min=1):
        """Resumes, and holds every row against those of an import in one go."""
        self.expect_error(self.server.drover("tpcc", "run", "--schema", schema), FAILURE,
                          "import is not complete", "drover tpcc import")
        command = self.expect(self.begin_import(schema).wait(), SUCCESS)
        match = re.search(RESUMED, command.err)
        self.assertTrue(match or skipped_min == 0, str(command))
        if match:
            self.assertGreaterEqual(int(match[1]), skipped_min)
        self.assertIn(f"imported {WAREHOUSES} warehouses", command.out)
        self.assertEqual(self.server.content(schema), self.whole)
        self.assertEqual(self.keys(schema), self.keys("whole"))
        self.expect(self.server.drover("tpcc", "clean", "--schema", schema), SUCCESS)

    def keys(self, schema):
        return self.server.sql(
            "SELECT c.relname, indisprimary, indisvalid FROM pg_index JOIN pg_class AS c "
            f"ON c.oid = indexrelid WHERE c.relnamespace = '{schema}'::regnamespace ORDER BY 1")

    def test_the_client_is_killed(self):
        command = self.begin("client_killed")
        self.after_the_first_warehouse("client_killed")
        command.signal(signal.SIGKILL)
        command.wait()
        self.assertLess(self.loaded("client_killed"), WAREHOUSES)
        self.expect_resumed("client_killed")

    def test_the_client_is_killed_while_it_makes_indexes(self):
        command = self.begin("index_killed")
        command.wait_for(r"\d+/\d+ (primary key|index)")
        command.signal(signal.SIGKILL)
        command.wait()
        self.expect_resumed("index_killed", skipped_min=WAREHOUSES)

    def test_interrupted(self):
        command = self.begin("interrupted")
        self.after_the_first_warehouse("interrupted")
        command.signal(signal.SIGINT)
        self.expect(command.wait(60), INTERRUPTED)
        self.assertIn("To continue from here, repeat the same command", command.err)
        self.expect_resumed("interrupted")

    def test_the_server_is_killed(self):
        command = self.begin("server_killed")
        self.after_the_first_warehouse("server_killed")
        self.server.crash()
        self.expect_error(command.wait(30), FAILURE, "connection|server")
        self.server.start()
        self.expect_resumed("server_killed")

    def test_the_client_stands_still(self):
        """Its kernel answers, so that the server sees nothing of it."""
        first = self.begin("stopped")
        self.addCleanup(first.kill)
        self.after_the_first_warehouse("stopped")
        first.signal(signal.SIGSTOP)
        self.assertLess(self.loaded("stopped"), WAREHOUSES)
        second = self.expect(self.begin_import("stopped").wait(), SUCCESS)
        self.assertIn("terminated 2 sessions of an earlier import that no longer responded", second.err)
        first.signal(signal.SIGCONT)
        self.expect_error(first.wait(), FAILURE, "To continue from there, repeat the same command", within_s=120)
        self.assertEqual(self.server.content("stopped"), self.whole)
        self.assertEqual(self.keys("stopped"), self.keys("whole"))

    def test_resumed_with_another_seed(self):
        command = self.begin("other_seed")
        self.after_the_first_warehouse("other_seed")
        command.signal(signal.SIGKILL)
        command.wait()
        other = self.server.drover("tpcc", "import", "-w", WAREHOUSES, "--seed", SEED + 1,
                                   "--schema", "other_seed")
        self.expect_error(other, FAILURE, f"seed {SEED}")

    def test_two_at_a_time(self):
        first = self.begin("twice")
        second = self.begin_import("twice")
        codes = sorted([first.wait().code, second.wait().code])
        # One waits for the other, and then finds nothing to do; if that takes long it says so.
        self.assertEqual(codes, [SUCCESS, FAILURE], f"{first}\n{second}")
        self.assertRegex(first.err + second.err, "already loaded|another import is running")
        self.assertEqual(self.server.content("twice"), self.whole)


class DiskFull(harness.TestCase):

    WAREHOUSES = 2  # more than the disk has room for

    def setUp(self):
        self.mount = tempfile.mkdtemp(prefix="drover-e2e-disk-")
        self.addCleanup(os.rmdir, self.mount)
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=200m,mode=0755", "tmpfs", self.mount],
            check=False, capture_output=True, text=True)
        if mounted.returncode != 0:
            reason = mounted.stderr.strip()
            print(f"no small disk to fill: {reason}")
            raise unittest.SkipTest(f"mount: {reason}")
        self.addCleanup(subprocess.run, ["umount", "-l", self.mount], check=True)
        self.server = harness.Server(self.mount)
        self.addCleanup(self.server.remove)

    def expect_full_and_then_resumed(self, *words):
        server = self.server
        self.expect(server.drover("tpcc", "init"), SUCCESS)
        arguments = ["tpcc", "import", "-w", self.WAREHOUSES, "--seed", SEED]
        self.expect_error(server.drover(*arguments), FAILURE, *words, within_s=60)
        subprocess.run(["mount", "-o", "remount,size=3g", self.mount], check=True)
        server.start_again()  # one that could not write its log may have ended
        harness.wait_until(lambda: server.drover("pg", "psql", "--", "-c", "").code == SUCCESS,
                           "the end of its recovery")
        command = self.expect(server.drover(*arguments), SUCCESS)
        self.assertIn(f"imported {self.WAREHOUSES} warehouses", command.out)
        self.expect_consistent(server, "--after-import")

    def test_no_space_for_rows(self):
        # The write-ahead log is elsewhere, lest it take the space before the rows do.
        self.server.start()
        data = self.server.data
        self.expect(self.server.drover("pg", "stop"), SUCCESS)
        elsewhere = tempfile.mkdtemp(prefix="drover-e2e-log-")
        self.addCleanup(shutil.rmtree, elsewhere)
        os.chmod(elsewhere, 0o755)
        subprocess.run(["mv", data / "pg_wal", elsewhere], check=True)
        os.symlink(os.path.join(elsewhere, "pg_wal"), data / "pg_wal")
        self.server.start()
        self.expect_full_and_then_resumed("(?i)no space left on device|disk space")

    def test_no_space_for_the_log(self):
        # Then the server ends in a panic, which only one of its sessions gets to know.
        self.server.start("max_wal_size=1GB")
        self.expect_full_and_then_resumed("No space left on device|server closed the connection"
                                          "|terminat|recovery")


if __name__ == "__main__":
    harness.main()
