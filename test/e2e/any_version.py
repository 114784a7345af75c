"""Each command on a server of whatever version on_version.py has chosen; without it, of the one that is installed."""

import json
import pathlib
import signal

import harness
from harness import FAILURE, INTERRUPTED, SUCCESS

class AnyVersion(harness.ServerTestCase):
    """The tests of this class are steps: they build on each other, in the order of their names."""

    OF_INIT = ("--foreign-keys", "after-load")
    ISOLATIONS = ("read-committed", "repeatable-read", "serializable")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (text,) = cls.server.sql("SHOW server_version")[0]
        cls.version = text.split()[0]

    def run_and_read(self, *arguments):
        self.path = self.server.folder / "result.json"
        self.expect(self.begin_run(*arguments).wait(), SUCCESS)
        return self.read_result()

    def begin_run(self, *arguments):
        self.path = self.server.folder / "result.json"
        return self.server.begin("tpcc", "run", "--json", self.path, "--no-delays", "--warmup", "0", *arguments)

    def read_result(self):
        document = json.loads(self.path.read_text(encoding="utf-8"))
        self.assertEqual(document["environment"]["server"]["version"].split()[0], self.version)
        return document

    def test_1_the_server_is_what_was_asked_for(self):
        if harness.PG_BINDIR:
            self.assertEqual(pathlib.Path(harness.PG_BINDIR).parent.name, self.version)
        status = self.server.status()
        self.assertIn(self.version, status["version"])

    def test_2_init_and_import(self):
        self.expect(self.server.drover("tpcc", "init", *self.OF_INIT), SUCCESS)
        self.expect(self.server.drover("tpcc", "import", "-w", 2), SUCCESS)
        self.expect_consistent(self.server, "--after-import")

    def test_3_runs_of_both_styles(self):
        for statements in ("batched", "single"):
            for isolation in self.ISOLATIONS:
                with self.subTest(statements=statements, isolation=isolation):
                    document = self.run_and_read("--duration", "1s", "--statements", statements, "--isolation", isolation,
                                                 "--max-attempts", 1000)
                    self.expect_every_count(document)
                    self.assertEqual(sum(one["failed_count"] for one in document["transactions"].values()), 0)
        self.expect_consistent(self.server)

    def test_4_the_server_is_killed_in_a_run(self):
        command = self.begin_run("--duration", "24h")
        self.addCleanup(command.kill)
        command.wait_for("terminals up")
        self.server.wait_for_orders()
        self.server.kill()
        self.server.start()
        self.server.wait_for_orders()
        command.signal(signal.SIGINT)
        self.expect(command.wait(), INTERRUPTED)
        document = self.read_result()
        self.expect_every_count(document)
        self.assertGreaterEqual(document["availability"]["sessions_lost"], 1)
        self.expect_consistent(self.server)

    def test_5_a_search(self):
        command = self.server.drover("tpcc", "search", "--find", "terminals", "--low", 1, "--start", 1, "--high", 2,
                                     "--probe", "1s", "--confirm", "1s", "--warmup", "0",
                                     "--out", self.server.folder / "search")
        # Whatever this machine comes to.
        self.assertIn(command.code, (SUCCESS, FAILURE), str(command))
        self.assertIn("answer: ", command.out, str(command))

    def test_6_the_other_workloads(self):
        for words in (["ycsb", "load", "--recordcount", 1000],
                      ["ycsb", "run", "--workload", "a", "--operations", 1000, "--duration", "24h"],
                      ["ycsb", "run", "--workload", "f", "--operations", 1000, "--duration", "24h"],
                      ["ycsb", "check"],
                      ["sql", "init"],
                      ["sql", "run", "-b", "tpcb-like", "--operations", 100, "--duration", "24h"],
                      ["sql", "run", "-b", "tpcb-like", "-M", "simple", "--operations", 100, "--duration", "24h"]):
            self.expect(self.server.drover(*words), SUCCESS)
        self.assertEqual(self.server.number("SELECT count(*) FROM pgbench_history"), 200)

    def test_7_clean(self):
        for benchmark in ("tpcc", "ycsb", "sql"):
            self.expect(self.server.drover(benchmark, "clean"), SUCCESS)
        self.assertEqual(self.server.sql(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind <> 'v'"), [])


if __name__ == "__main__":
    harness.main()
