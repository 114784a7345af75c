"""One story on YDB for builds with sanitizers: each way through the client, short; slow is fine.

The database is the server that speaks YDB's protocol (test/ydb_server), two nodes of it. Every
command fails the test when a sanitizer reports anything: see Command.wait().
"""

import signal
import sys
import unittest

import harness
import ydb_nodes
from harness import FAILURE, INTERRUPTED, SUCCESS

# What ends requests, sessions and streams in the middle, all of it at once.
FAULTS = ["overloaded", "unavailable", "aborted", "bad_session", "transport_before",
          "transport_after", "stream_cut", "late_error", "undetermined_lost", "close_hint",
          "session_shutdown", "attach_cut"]
RUN = ["tpcc", "run", "--no-delays", "--connections", "6", "--warmup", "0", "--max-attempts", "100"]


class Story(harness.TestCase):
    """The tests of this class are steps: they build on each other, in the order of their names."""

    @classmethod
    def setUpClass(cls):
        cls.postgres = harness.Server()
        cls.addClassCleanup(cls.postgres.remove)
        cls.postgres.start()
        cls.server = ydb_nodes.YdbServer(cls.postgres.conninfo, nodes=2)
        cls.server.start()
        cls.addClassCleanup(cls.server.stop)
        # By its name, so that gRPC's resolver has something to do.
        cls.url = ydb_nodes.url_of(cls.server).replace("127.0.0.1", "localhost")

    def begin(self, *arguments):
        command = harness.start_drover(*arguments, DROVER_DB=self.url)
        self.addCleanup(command.kill)
        return command

    def drover(self, code, *arguments):
        return self.expect(self.begin(*arguments).wait(500), code)

    def run_through(self, **faults):
        """They begin when the terminals do, and end when the run has ended."""
        command = self.begin(*RUN, "--duration", "5s")
        command.wait_for("terminals up", 60)
        self.server.faults(**faults)
        self.expect(command.wait(300), SUCCESS)
        self.server.faults()
        self.assertIn("tpmC", command.out)

    def test_1_init_import(self):
        self.drover(SUCCESS, "tpcc", "init", "-w", "1")
        self.drover(SUCCESS, "tpcc", "import", "-w", "1", "--seed", "1", "--connections", "4")

    def test_2_run(self):
        self.run_through()

    def test_3_run_through_faults(self):
        self.run_through(**{name: {"probability": 0.02} for name in FAULTS})
        self.assertTrue(self.server.state()["faults_given"])

    def test_4_a_node_goes_away_and_comes_back(self):
        command = self.begin(*RUN, "--duration", "6s")
        command.wait_for("terminals up", 60)
        self.server.action("node_down", node=2)
        self.server.action("node_up", node=2)
        self.expect(command.wait(300), SUCCESS)

    def test_5_interrupted(self):
        command = self.begin(*RUN, "--duration", "1h")
        command.wait_for("terminals up", 60)
        before = self.server.state()["transactions"]["committed"]
        harness.wait_until(lambda: self.server.state()["transactions"]["committed"] > before,
                           "a commit", 60)
        command.signal(signal.SIGINT)
        self.expect(command.wait(120), INTERRUPTED)

    def test_6_all_nodes_are_gone(self):
        command = self.begin(*RUN, "--duration", "1h", "--on-db-loss", "fail")
        command.wait_for("terminals up", 60)
        for node in (1, 2):
            self.server.action("node_down", node=node)
        self.expect_error(command.wait(200), FAILURE, within_s=300)
        for node in (1, 2):
            self.server.action("node_up", node=node)

    def test_7_check_clean(self):
        self.drover(SUCCESS, "tpcc", "check")
        self.drover(SUCCESS, "tpcc", "clean")


if __name__ == "__main__":
    try:
        ydb_nodes.make_venv()
    except unittest.SkipTest as reason:
        print(reason)
        sys.exit(ydb_nodes.SKIPPED)
    harness.main()
