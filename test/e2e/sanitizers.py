"""One story for builds with sanitizers: each way through the program, short; slow is no failure.

Every command fails the test when a sanitizer reports anything: see Command.wait().
"""

import signal

import harness
from harness import FAILURE, INTERRUPTED, SUCCESS

LONG_RUN = ["tpcc", "run", "--pace", "20", "--warmup", "0", "--duration", "1h"]


class Story(harness.ServerTestCase):
    """The tests of this class are steps: they build on each other, in the order of their names."""

    def drover(self, code, *arguments):
        return self.expect(self.server.drover(*arguments, seconds=300), code)

    def run_for(self, duration, *arguments):
        return self.drover(SUCCESS, "tpcc", "run", "--duration", duration, "--warmup", "1s",
                           "--json", self.server.folder / "result.json", *arguments)

    def begin_long_run(self, *arguments):
        command = self.server.begin(*LONG_RUN, *arguments)
        self.addCleanup(command.kill)
        command.wait_for("10 terminals up", 60)
        sql = "SELECT sum(d_next_o_id) FROM district"
        before = self.server.number(sql)
        harness.wait_until(lambda: self.server.number(sql) > before, "New-Orders", 60)
        return command

    def test_1_init_import_check(self):
        self.drover(SUCCESS, "tpcc", "init")
        command = self.server.begin("tpcc", "import", "-w", "1", "--threads", "2", "--seed", "1")
        self.addCleanup(command.kill)
        harness.wait_until(lambda: self.server.number(
            "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'COPY%'"), "a COPY", 60)
        command.signal(signal.SIGINT)
        self.expect(command.wait(), INTERRUPTED)
        self.drover(SUCCESS, "tpcc", "import", "-w", "1", "--threads", "2")
        self.drover(SUCCESS, "tpcc", "check", "--after-import")

    def test_2_run_with_delays(self):
        self.run_for("10s", "--pace", "20")

    def test_3_run_without_delays(self):
        self.drover(SUCCESS, "tpcc", "import", "-w", "2")
        self.run_for("5s", "--no-delays", "--threads", "2")
        self.run_for("5s", "--no-delays", "--threads", "2", "--statements", "single")
        self.drover(SUCCESS, "tpcc", "check")

    def test_4_simulated(self):
        self.run_for("3s", "-w", "200", "--simulate-ms", "5", "--threads", "2")

    def test_5_interrupted(self):
        for arguments in ([], ["--no-delays", "--threads", "2"]):
            command = self.begin_long_run("-w", "1", *arguments)
            command.signal(signal.SIGINT)
            self.expect(command.wait(60), INTERRUPTED)
            self.assertIn("tpmC", command.out)
        self.drover(SUCCESS, "tpcc", "check")

    def test_6_the_server_is_killed(self):
        # Named, so that the commands do not start it again.
        where = ["--db", self.server.conninfo]
        for arguments in ([], ["--no-delays"]):
            command = self.begin_long_run("-w", "1", "--on-db-loss", "fail", *where, *arguments)
            self.server.crash()
            self.expect_error(command.wait(120), FAILURE, "server|connection", within_s=300)
            self.expect_error(harness.drover(*LONG_RUN, *where), FAILURE, "server")
            self.server.start_again()
        self.drover(SUCCESS, "tpcc", "check")

    def test_7_errors(self):
        self.expect_error(self.server.drover("tpcc", "run", "-w", "20"), FAILURE, "-w 20")
        self.expect_error(self.server.drover("tpcc", "init"), FAILURE, "--force")
        self.expect_error(self.server.drover("tpcc", "run", "--duration", "5"), harness.USAGE,
                          "unit")

    def test_8_clean(self):
        self.drover(SUCCESS, "tpcc", "clean")


if __name__ == "__main__":
    harness.main()
