"""An import on YDB, whatever becomes of it: killed, together with another one, of its node, among
failures. What is loaded then is what one in a quiet hour loads. The database is the server that
speaks YDB's protocol (test/ydb_server), three nodes of it, on a private PostgreSQL.
"""

import signal
import sys
import unittest

import harness
import ydb_nodes
from harness import FAILURE, SUCCESS
from ydb_nodes import make_venv

WAREHOUSES = 1
SEED = 11
# The columns that hold a time; the second half of history's key is one.
TIMES = (*harness.TIME_COLUMNS, "h_c_nano_ts")
AT_WORK = "another import is running on these tables"


class Imports(ydb_nodes.YdbTestCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.faults(overloaded={"probability": 0.05}, unavailable={"probability": 0.05},
                          transport_after={"probability": 0.05, "methods": ["BulkUpsert"]})
        command = cls.begin_import(cls.initialise("whole"))
        cls.whole = harness.expect(command.wait(500), SUCCESS)
        cls.given = cls.server.state()["faults_given"]
        cls.server.faults()
        cls.expected = cls.content()

    def setUp(self):
        self.server.faults()

    @classmethod
    def initialise(cls, folder):
        harness.expect(cls.drover("tpcc", "init", "-w", WAREHOUSES, "--schema", folder), SUCCESS)
        return folder

    @classmethod
    def begin_import(cls, folder):
        return cls.begin("tpcc", "import", "-w", WAREHOUSES, "--seed", SEED, "--schema", folder,
                         "--connections", 2)

    @classmethod
    def table(cls, name):
        """Of PostgreSQL, behind that of the folder that was made last."""
        found = cls.postgres.sql(
            "SELECT relname FROM pg_class WHERE relnamespace = 'ydb_server'::regnamespace "
            f"AND relkind = 'r' AND relname ~ '^t[0-9]+_{name}$' ORDER BY oid DESC LIMIT 1")
        return f"ydb_server.{found[0][0]}"

    @classmethod
    def content(cls):
        """A digest of the rows of each table; a row that is there twice counts twice."""
        digests = {}
        for name in harness.TABLES:
            table = cls.table(name)
            columns = ", ".join(
                column for (column,) in cls.postgres.sql(
                    "SELECT attname FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped "
                    f"AND attrelid = '{table}'::regclass ORDER BY attnum")
                if column not in TIMES)
            digests[name] = cls.postgres.sql(
                "SELECT count(*), sum(hash_record_extended(r, 1)) "
                f"FROM (SELECT {columns} FROM {table}) AS r")
        return digests

    def after_rows_in(self, table):
        place = self.table(table)
        harness.wait_until(
            lambda: self.postgres.number(f"SELECT count(*) FROM (SELECT 1 FROM {place} LIMIT 1) r"),
            f"rows in {table}", 120)

    def expect_loaded(self, folder):
        self.assertEqual(self.content(), self.expected)
        checked = self.expect(self.drover("tpcc", "check", "--after-import", "--schema", folder),
                              SUCCESS)
        self.assertRegex(checked.out, r"All \d+ conditions checked hold")

    def test_failures_of_one_request_in_twenty(self):
        self.assertIn(f"imported {WAREHOUSES} warehouse", self.whole.out)
        for fault in ("overloaded", "unavailable"):
            self.assertGreater(self.given.get(fault, 0), 0, self.given)

    def test_the_client_is_killed(self):
        folder = self.initialise("killed")
        command = self.begin_import(folder)
        self.addCleanup(command.kill)
        self.after_rows_in("customer")
        command.signal(signal.SIGKILL)
        command.wait()
        self.expect_error(self.drover("tpcc", "run", "--schema", folder), FAILURE,
                          "import is not complete|no warehouse is loaded", "drover tpcc import")
        again = self.expect(self.begin_import(folder).wait(300), SUCCESS)
        # What was killed has left its claim, which is watched for a while: nobody is left to wonder.
        self.assertIn("waiting until another import", again.err)
        self.assertIn(f"imported {WAREHOUSES} warehouse", again.out)
        self.expect_loaded(folder)

    def test_two_at_a_time(self):
        folder = self.initialise("twice")
        both = [self.begin_import(folder), self.begin_import(folder)]
        codes = sorted(command.wait(500).code for command in both)
        # On a machine that stands still one may be taken for dead, and then it is the one that ends.
        self.assertEqual(codes, [SUCCESS, FAILURE], "\n".join(map(str, both)))
        self.assertRegex(both[0].err + both[1].err,
                         f"{AT_WORK}|loaded already|another import has taken over")
        self.expect_loaded(folder)

    def test_a_node_that_goes_away(self):
        folder = self.initialise("node")
        command = self.begin_import(folder)
        self.addCleanup(command.kill)
        self.after_rows_in("customer")
        self.server.action("node_down", node=2)
        self.addCleanup(self.server.action, "node_up", node=2)
        self.expect(command.wait(300), SUCCESS)
        self.expect_loaded(folder)


if __name__ == "__main__":
    try:
        make_venv()
    except unittest.SkipTest as reason:
        print(reason)
        sys.exit(ydb_nodes.SKIPPED)
    harness.main()
