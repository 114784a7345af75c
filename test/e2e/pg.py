"""The private server: started, found, stopped, and never twice over the same data."""

import signal

import harness
from harness import FAILURE, STOPPED, SUCCESS, USAGE


class PrivateServer(harness.TestCase):

    def setUp(self):
        self.server = harness.Server()
        self.addCleanup(self.server.remove)

    def postmasters(self):
        """Of this server's data, as the system knows them. A session just begun looks like its
        postmaster, whose child it is, until it has taken its title."""
        data = str(self.server.root)
        found = harness.processes(lambda arguments: len(arguments) > 2 and arguments[1] == "-D"
                                  and arguments[2].startswith(data))
        return sorted(pid for pid in found if harness.parent(pid) not in found)

    def pg(self, *arguments):
        return self.server.drover("pg", *arguments)

    def expect_state(self, state, code):
        command = self.expect(self.pg("status"), code)
        self.assertRegex(command.out, rf"(?m)^state +{state}")
        return command

    def test_start_and_stop(self):
        self.expect_state("stopped", STOPPED)
        self.assertFalse(self.server.root.exists(), "a look makes nothing")
        self.expect(self.pg("stop"), SUCCESS)
        command = self.expect(self.pg("start"), SUCCESS)
        self.assertIn("connection", command.out)
        self.assertEqual(self.postmasters(), [self.server.pid])
        self.expect_state("running", SUCCESS)

        # Started twice: it is the same one.
        pid = self.server.pid
        self.expect(self.pg("start"), SUCCESS)
        self.assertEqual(self.server.pid, pid)
        self.expect_error(self.pg("start", "--set", "fsync=off"), FAILURE, "already running")

        # No TCP, and nobody else's socket.
        self.assertEqual(self.server.sql("SHOW listen_addresses"), [])
        self.assertEqual(self.server.sql("SHOW unix_socket_permissions"), [("0700",)])

        # It is the user's: a command leaves it running.
        self.expect(self.server.drover("tpcc", "clean"), SUCCESS)
        self.expect_state("running", SUCCESS)
        self.expect(self.pg("stop"), SUCCESS)
        self.expect_state("stopped", STOPPED)
        self.assertEqual(self.postmasters(), [])
        self.expect(self.pg("stop"), SUCCESS)

    def test_the_data_folder_of_the_command_line(self):
        root = self.server.folder / "another place"
        where = ["--data-dir", str(root)]
        self.addCleanup(self.pg, "stop", *where)
        self.expect(self.pg("status", *where), STOPPED)
        self.expect(self.pg("start", *where), SUCCESS)
        self.expect(self.pg("status", *where), SUCCESS)
        self.expect(self.pg("status"), STOPPED)
        command = self.expect(self.pg("psql", *where, "--", "-Atc", "SELECT 6 * 7"), SUCCESS)
        self.assertEqual(command.out, "42\n")
        self.expect(self.pg("stop", *where), SUCCESS)

    def test_psql(self):
        self.expect(self.pg("start"), SUCCESS)
        command = self.expect(self.pg("psql", "--", "-Atc", "SELECT 6 * 7"), SUCCESS)
        self.assertEqual(command.out, "42\n")
        self.assertEqual(self.pg("psql", "--", "-c", "SELECT nonsense").code, 1)
        self.assertEqual(self.pg("psql", "--", "-d", "nowhere", "-c", "SELECT 1").code, 2)

    def test_a_wrong_setting(self):
        self.expect_error(self.pg("start", "--set", "shared_buffers=many"), FAILURE,
                          "shared_buffers")
        self.expect_error(self.pg("start", "--set", "nonsense"), USAGE, "nonsense")
        # It was for that start only.
        self.expect(self.pg("start"), SUCCESS)

    def test_killed(self):
        self.server.start()
        self.server.sql("CREATE TABLE kept AS SELECT 1 AS x")
        for _ in range(2):
            self.server.crash()
            self.expect_state("stopped", STOPPED)
            self.server.start()
            self.assertEqual(len(self.postmasters()), 1)
            self.assertEqual(self.server.number("SELECT x FROM kept"), 1)

    def test_on_demand(self):
        self.expect(self.server.drover("tpcc", "init"), SUCCESS)
        self.expect_state("stopped", STOPPED)
        self.expect_error(self.server.drover("tpcc", "run"), FAILURE, "drover tpcc import")
        self.expect_state("stopped", STOPPED)
        self.expect(self.server.drover("tpcc", "import", "-w", 1), SUCCESS)
        self.expect(self.server.drover("tpcc", "check"), SUCCESS)
        self.expect_state("stopped", STOPPED)

    def test_two_commands_share_one_on_demand(self):
        self.server.load(1)
        self.expect_state("stopped", STOPPED)
        runs = [self.server.begin("tpcc", "run", "--pace", "50", "--warmup", "0", "--duration",
                                  f"{duration}s") for duration in (2, 4)]
        for run in runs:
            self.addCleanup(run.kill)
            run.wait_for("terminals up")
        self.assertEqual(len(self.postmasters()), 1)
        for run in runs:
            self.expect(run.wait(), SUCCESS)
        self.expect_state("stopped", STOPPED)
        self.expect(self.server.drover("tpcc", "check"), SUCCESS)

    def test_left_by_a_killed_run(self):
        self.server.load(1)
        run = self.server.begin("tpcc", "run", "--pace", "50", "--duration", "1h")
        self.addCleanup(run.kill)
        run.wait_for("terminals up")
        pid = self.server.pid
        run.signal(signal.SIGKILL)
        run.wait()
        self.expect_state("running", SUCCESS)
        self.assertEqual(self.server.pid, pid)
        # The next command uses that server, and ends it as its own.
        self.expect(self.server.drover("tpcc", "check"), SUCCESS)
        self.expect_state("stopped", STOPPED)

    def test_left_on_demand_and_then_wanted(self):
        self.server.load(1)
        run = self.server.begin("tpcc", "run", "--pace", "50", "--duration", "1h")
        self.addCleanup(run.kill)
        run.wait_for("terminals up")
        pid = self.server.pid
        self.expect(self.pg("start"), SUCCESS)  # from now on the user's own
        self.assertEqual(self.server.pid, pid)
        run.signal(signal.SIGINT)
        self.expect(run.wait(), harness.INTERRUPTED)
        self.expect_state("running", SUCCESS)

    def test_two_starts_at_once(self):
        starts = [self.server.begin("pg", "start") for _ in range(3)]
        for start in starts:
            self.expect(start.wait(), SUCCESS)
        self.assertEqual(self.postmasters(), [self.server.pid])

    def test_a_folder_that_cannot_be_made(self):
        self.expect_error(harness.drover("pg", "start", "--data-dir", "/dev/null/x"), FAILURE,
                          "/dev/null/x")


if __name__ == "__main__":
    harness.main()
