"""Every command of Drover through the gate of each dialect: nothing that is needed is refused, and what goes wrong there
as it does on these databases is survived, with every count exact."""

import json
import pathlib
import re
import signal
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "e2e"))

import harness  # noqa: E402
from gate import Gate  # noqa: E402
from harness import FAILURE, INTERRUPTED, SUCCESS, USAGE  # noqa: E402

# What is asked or set where it is known, and done without where it is not.
WITHOUT_HARM = re.compile(r"SET \w+ = |SELECT pg_export_snapshot|SELECT FROM \S+ WHERE ctid")


class DialectCase:
    """On one server; the gate is before a database of its own."""

    NAME = ""      # of the gate
    DIALECT = ""   # of --dialect
    PRODUCT = ""   # as a result has it
    PIECES = True  # an import commits often
    STATE = "40001"
    UNKNOWN = False  # whether a COMMIT can end with an error that does not say whether it was done
    EXPERIMENTAL = "experimental and not tested against a server"
    SUPPORT = EXPERIMENTAL  # in the result

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with cls.server.session() as session:
            session.sql(f"CREATE DATABASE of_{cls.DIALECT}")
        cls.gate = Gate(cls.NAME, f"host={cls.server.socket_folder} user=drover dbname=of_{cls.DIALECT}")
        cls.gate.start()
        cls.addClassCleanup(cls.gate.stop)

    def tearDown(self):
        self.gate.calm()
        needed = [one for one in self.gate.refusals if not WITHOUT_HARM.match(one.statement)]
        self.assertEqual(needed, [])
        self.assertEqual(self.gate.findings, [])

    def drover(self, *arguments, code=SUCCESS):
        done = self.expect(harness.drover(*arguments, "--db", self.gate.conninfo), code)
        self.expect_note(done)
        return done

    def expect_note(self, done):
        """Every command says once that the dialect is experimental, if it is."""
        self.assertEqual(done.err.count(self.EXPERIMENTAL), int(self.SUPPORT == self.EXPERIMENTAL), done.err)

    def begin_run(self, *arguments):
        self.path = self.server.folder / f"{self.DIALECT}.json"
        command = harness.start_drover(
            "tpcc", "run", "--no-delays", "--warmup", 0, "--connections", 4, "--max-attempts", 1000, "--json",
            self.path, "--db", self.gate.conninfo, *arguments)
        self.addCleanup(command.kill)
        return command

    def expect_counted(self, command, code=SUCCESS):
        self.expect_note(self.expect(command.wait(), code))
        document = json.loads(self.path.read_text(encoding="utf-8"))
        self.expect_every_count(document)
        server = document["environment"]["server"]
        self.assertEqual(server["settings"].get("dialect"), self.DIALECT)
        self.assertEqual(server["settings"].get("dialect_support"), self.SUPPORT)
        self.assertRegex(f"{server['kind']} {server['version']}", self.PRODUCT)
        self.drover("tpcc", "check")
        return document

    def wait_for_commits(self):
        """So many that each session has done several, or was opened anew."""
        before = self.gate.counts["commit"]
        harness.wait_until(lambda: self.gate.counts["commit"] >= before + 60, "commits")

    def test_tpcc(self):
        self.drover("tpcc", "init")
        refused = self.drover("tpcc", "init", code=FAILURE)
        self.assertIn("already has TPC-C tables", refused.err)
        # Interrupted by the server, and gone on with while commits are refused.
        command = harness.start_drover("tpcc", "import", "-w", 1, "--seed", 1, "--ui", "plain", "--db",
                                       self.gate.conninfo)
        self.addCleanup(command.kill)
        self.gate.end_at("commit" if self.PIECES else "statement", "57P01")
        self.expect(command.wait(), FAILURE)
        if self.PIECES:
            self.gate.every(7, "commit", self.STATE)
        self.drover("tpcc", "import", "-w", 1, "--seed", 1)
        self.gate.calm()
        self.drover("tpcc", "check", "--after-import")
        again = self.drover("tpcc", "import", "-w", 1, "--seed", 2, code=FAILURE)
        self.assertRegex(again.err, "seed|already")

        for style in ("batched", "single"):
            with self.subTest(style=style):
                self.gate.every(9, "commit", self.STATE)
                document = self.expect_counted(self.begin_run("--duration", "2s", "--statements", style))
                self.gate.calm()
                self.assertEqual(sum(one["failed_count"] for one in document["transactions"].values()), 0)

        # Commits that did and did not happen, and the client is not told.
        command = self.begin_run("--duration", "3s")
        command.wait_for("terminals up")
        for committed in (True, False):
            self.gate.lose_commit(committed)
            if self.UNKNOWN:
                self.gate.unknown_commit(committed)
        self.assertTrue(self.expect_counted(command)["ledger"]["exact"])

        # What may happen in the middle of a run.
        command = self.begin_run("--duration", "1h")
        command.wait_for("terminals up")
        self.wait_for_commits()
        self.gate.refuse_sessions(3, "53300")
        self.gate.fail_next("commit", "54000")
        self.gate.end_at("statement", "57P01")
        self.gate.end_sessions("57P01")
        self.wait_for_commits()
        command.signal(signal.SIGINT)
        document = self.expect_counted(command, INTERRUPTED)
        self.assertGreater(document["availability"]["sessions_lost"], 0)

        dropped = self.drover("tpcc", "clean")
        self.assertIn("dropped warehouse", dropped.out)
        self.assertIn("nothing to drop", self.drover("tpcc", "clean").out)

    def test_ycsb(self):
        self.gate.every(3, "commit", self.STATE)
        self.drover("ycsb", "load", "--recordcount", 5000)
        self.gate.calm()
        for workload in "aef":
            self.gate.every(9, "commit", self.STATE)
            self.drover("ycsb", "run", "--workload", workload, "--recordcount", 5000, "--clients", 4, "--duration",
                        "1s", "--warmup", 0, "--max-attempts", 1000)
            self.gate.calm()
        self.drover("ycsb", "check")
        self.drover("ycsb", "clean")

    def test_sql(self):
        self.drover("sql", "init", "--scale", 1)
        self.drover("sql", "run", "--builtin", "tpcb-like", "--clients", 2, "--duration", "1s", "--warmup", 0)
        self.drover("sql", "clean")


class CockroachDb(DialectCase, harness.ServerTestCase):
    NAME = "cockroachdb"
    DIALECT = "cockroach"
    PRODUCT = r"^CockroachDB v2\d\.\d"
    UNKNOWN = True

    def test_a_number_of_partitions_is_refused(self):
        refused = self.drover("tpcc", "init", "--partitions", 4, code=FAILURE)
        self.assertIn("CockroachDB partitions its tables itself", refused.err)


class YugabyteDb(DialectCase, harness.ServerTestCase):
    NAME = "yugabytedb"
    DIALECT = "yugabyte"
    PRODUCT = "^YugabyteDB .*-YB-"


class Citus(DialectCase, harness.ServerTestCase):
    NAME = DIALECT = "citus"
    PRODUCT = "^PostgreSQL "
    PIECES = False
    UNKNOWN = True
    SUPPORT = "tried on Citus 13.2.2 with PostgreSQL 15"

    def test_foreign_keys_are_refused(self):
        refused = self.drover("tpcc", "init", "--foreign-keys", "after-load", code=FAILURE)
        self.assertIn("Citus does not support all ten foreign keys", refused.err)


class Options(harness.ServerTestCase):

    def test_a_name_of_none(self):
        # "spanner" was a name of an earlier version.
        for name in ("oracle", "spanner"):
            refused = self.expect(self.server.drover("tpcc", "init", "--dialect", name), USAGE)
            self.assertIn(f"--dialect {name}: expected auto, postgres, cockroach, yugabyte or citus\n", refused.err)

    def test_another_one_than_it_is(self):
        """Plain PostgreSQL takes what CockroachDB takes."""
        where = ["--schema", "told", "--dialect", "cockroach"]
        self.expect(self.server.drover("tpcc", "init", "--foreign-keys", "after-load", *where), SUCCESS)
        self.expect(self.server.drover("tpcc", "import", "-w", 1, *where), SUCCESS)
        self.expect(self.server.drover("tpcc", "check", "--after-import", *where), SUCCESS)
        self.assertEqual(self.server.sql("SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND convalidated "
                                         "AND connamespace = 'told'::regnamespace"), [("10",)])
        self.assertEqual(self.server.sql("SELECT count(*) FROM told.drover_tpcc_progress"), [("0",)])
        self.expect(self.server.drover("tpcc", "clean", *where), SUCCESS)

    def test_partitions(self):
        for number in (0, 129, "many"):
            refused = self.expect(self.server.drover("tpcc", "init", "--partitions", number), USAGE)
            self.assertIn("--partitions", refused.err)
        where = ["--schema", "cut"]
        self.expect(self.server.drover("tpcc", "init", "--partitions", 3, "--foreign-keys", "after-load", *where),
                    SUCCESS)
        self.expect(self.server.drover("tpcc", "import", "-w", 2, *where), SUCCESS)
        self.assertEqual(self.server.sql(
            "SELECT count(*) FROM pg_inherits WHERE inhparent = 'cut.stock'::regclass"), [("3",)])
        self.assertEqual(self.server.sql(
            "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND convalidated AND conparentid = 0 "
            "AND connamespace = 'cut'::regnamespace"), [("10",)])
        path = self.server.folder / "cut.json"
        self.expect(self.server.drover("tpcc", "run", "--no-delays", "--duration", "1s", "--warmup", 0, "--connections",
                                       4, "--json", path, *where), SUCCESS)
        document = json.loads(path.read_text(encoding="utf-8"))
        self.expect_every_count(document)
        self.assertEqual(document["environment"]["server"]["settings"]["partitions"], "3")
        self.expect_consistent(self.server, *where)
        self.expect(self.server.drover("tpcc", "clean", *where), SUCCESS)
        self.assertEqual(self.server.sql("SELECT count(*) FROM pg_class WHERE relname ~ '^stock'"), [("0",)])


if __name__ == "__main__":
    harness.main()
