"""The commands of `drover ycsb` on YDB: a table loaded in parts and among failures, runs among
failures, what the data say of them, check and clean. The database is the server that speaks YDB's
protocol (test/ydb_server), three nodes of it, on a private PostgreSQL.
"""

import json
import sys
import unittest

import harness
import ydb_nodes
from harness import FAILURE, SUCCESS, USAGE
from ydb_nodes import make_venv

ROWS = 500
OPERATIONS = 300
# Of requests: a session that cannot be opened ends a run before it begins.
FAULTS = {name: {"probability": 0.03, "methods": ["ExecuteQuery"]} for name in
          ("unavailable", "aborted", "bad_session", "transport_before", "transport_after",
           "stream_cut", "late_error", "undetermined_committed", "undetermined_lost")}


class Ycsb(ydb_nodes.YdbTestCase):

    def setUp(self):
        self.server.faults()

    def load(self, *more, rows=ROWS):
        return self.drover("ycsb", "load", "--recordcount", rows, "--connections", 3, *more)

    def run_workload(self, name, *more):
        path = self.folder / f"{name}.json"
        command = self.drover("ycsb", "run", "--workload", name, "--clients", 6, "--operations",
                              OPERATIONS, "--verify", "--json", path, *more)
        self.expect(command, SUCCESS)
        return json.loads(path.read_text(encoding="utf-8"))

    def expect_accounts(self, document):
        """What the clients know is what the data say; what nobody knows is between."""
        for account in document["accounts"]:
            self.assertLessEqual(account["counted"], account["in_data"], account)
            self.assertLessEqual(account["in_data"], account["counted"] + account["unresolved"], account)
        self.assertEqual(document["verification"]["wrong"], 0)
        self.assertEqual(document["environment"]["server"]["kind"], "YDB")

    def test_a_table_from_its_load_to_its_end(self):
        self.server.faults(unavailable={"probability": 0.05},
                           transport_after={"probability": 0.05, "methods": ["BulkUpsert"]})
        part = self.expect(self.load("--insertstart", 100, "--insertcount", 150), SUCCESS)
        self.assertIn("loaded 150 rows", part.out)
        rest = self.expect(self.load(), SUCCESS)
        self.assertIn(f"loaded {ROWS - 150} rows", rest.out)
        self.assertIn("150 rows were there", rest.out)
        self.server.faults()
        checked = self.expect(self.drover("ycsb", "check"), SUCCESS)
        self.assertIn(f"{ROWS} rows", checked.out)

        for workload, mode in (("a", "serializable-rw"), ("f", "snapshot-rw"),
                               ("d", "serializable-rw")):
            self.server.faults(**FAULTS)
            document = self.run_workload(workload, "--tx-mode", mode, "--max-attempts", 100)
            self.server.faults()
            self.expect_accounts(document)
        document = self.run_workload("e", "--maxscanlength", 20)
        self.expect_accounts(document)
        self.expect(self.drover("ycsb", "check"), SUCCESS)

        self.assertIn("usertable", self.expect(self.drover("ycsb", "clean"), SUCCESS).out)
        self.expect_error(self.drover("ycsb", "check"), FAILURE, "there is no table usertable",
                          "drover ycsb load")

    def test_wrong_use(self):
        folder = ["--schema", "other"]
        self.expect(self.load(*folder, rows=10), SUCCESS)
        for words, name in ((["--isolation", "serializable"], "--tx-mode"),
                            (["--tx-mode", "stale"], "snapshot-rw")):
            with self.subTest(words=words):
                self.expect_error(self.drover("ycsb", "run", "--workload", "a", *folder, *words),
                                  USAGE, name)
        self.server.settings(snapshot_writes=False)
        self.addCleanup(self.server.settings, snapshot_writes=True)
        self.expect_error(self.drover("ycsb", "run", "--workload", "a", *folder, "--tx-mode",
                                      "snapshot-rw", "--operations", 10),
                          FAILURE, "--tx-mode serializable-rw")
        self.expect_error(self.drover("ycsb", "run", "--workload", "a", "--schema", "nowhere"),
                          FAILURE, "there is no table")


if __name__ == "__main__":
    try:
        make_venv()
    except unittest.SkipTest as reason:
        print(reason)
        sys.exit(ydb_nodes.SKIPPED)
    harness.main()
