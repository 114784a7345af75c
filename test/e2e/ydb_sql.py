"""The commands of `drover sql` on YDB: the tables of the built-in scripts, runs among failures and through an outage, what
was counted held against the data, scripts of one's own, a search, and wrong use. The database is the server that speaks
YDB's protocol (test/ydb_server), three nodes of it, on a private PostgreSQL.
"""

import json
import pathlib
import re
import sys
import tempfile
import unittest

import harness
import ydb_nodes
from harness import FAILURE, SUCCESS, USAGE
from ydb_nodes import NODES, make_venv

LONG = "24h"  # a run ends by its transactions
FAULTS = {name: {"probability": 0.03, "methods": ["ExecuteQuery"]} for name in
          ("unavailable", "aborted", "bad_session", "transport_before", "transport_after", "stream_cut", "late_error",
           "undetermined_committed", "undetermined_lost")}
FAULTS["transport_after"]["methods"] = ["ExecuteQuery", "CommitTransaction"]

TRANSFER = """-- money from one to another, with what the other one has read
PRAGMA AnsiInForEmptyOrNullableItemsCollections;
DECLARE $from AS Int64;
DECLARE $to AS Int64;
DECLARE $amount AS Int64;
DECLARE $note AS Utf8?;
\\set from random(1, 20)
\\set to 1 + (:from + random(0, 18)) % 20
\\set amount random(1, :most)
BEGIN;
$both = (SELECT id, balance FROM purses WHERE id = $from OR id = $to);
SELECT SUM(balance) AS together, COUNT(*) AS number FROM $both \\gset
\\if :number = 2 and :together is not null
  UPDATE purses SET balance = balance - $amount, note = $note WHERE id = $from;
  UPDATE purses SET balance = balance + $amount WHERE id = $to;
\\else
  SELECT * FROM nowhere;
\\endif
COMMIT;
\\think 10 us
"""

MAKE_PURSES = """CREATE TABLE purses (id Int64 NOT NULL, balance Int64, note Utf8, PRIMARY KEY (id));
UPSERT INTO purses (id, balance) VALUES """ + ", ".join(f"({i}, 100)" for i in range(1, 21)) + ";\n"


class SqlTestCase(ydb_nodes.YdbTestCase):

    def setUp(self):
        self.server.faults()

    def script(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def begin_run(self, name, *arguments):
        self.path = self.folder / f"{name}.json"
        command = self.begin("sql", "run", "--json", self.path, "--duration", LONG, *arguments)
        self.addCleanup(command.kill)
        return command

    def run_to_end(self, name, *arguments, code=SUCCESS):
        command = self.expect(self.begin_run(name, *arguments).wait(), code)
        return json.loads(self.path.read_text(encoding="utf-8")), command

    def relation(self, table):
        """That of PostgreSQL behind the table that was made last by that name."""
        ((name,),) = self.postgres.sql(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'ydb_server'::regnamespace "
            f"AND relname ~ '^t[0-9]+_{table}$' ORDER BY oid DESC LIMIT 1")
        return f"ydb_server.{name}"

    def sum_of(self, column, table):
        return self.postgres.number(f"SELECT coalesce(sum({column}), 0) FROM {self.relation(table)}")


class BuiltIn(SqlTestCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        harness.expect(cls.drover("sql", "init"), SUCCESS)

    def history(self):
        return self.postgres.number(f"SELECT count(*) FROM {self.relation('pgbench_history')}")

    def expect_money(self, rows_before, one):
        """All sums are the same, and each transaction that was counted is in the history once; of what the run calls
        unresolved, any part."""
        delta = self.sum_of("delta", "pgbench_history")
        for column, table in (("abalance", "accounts"), ("bbalance", "branches"), ("tbalance", "tellers")):
            self.assertEqual(self.sum_of(column, f"pgbench_{table}"), delta, table)
        made = self.history() - rows_before
        self.assertLessEqual(one["ok_count"], made)
        self.assertLessEqual(made, one["ok_count"] + one["ambiguous"]["unresolved"])

    def test_the_tables_are_there(self):
        for table, rows in (("accounts", 100_000), ("tellers", 10), ("branches", 1)):
            self.assertEqual(self.postgres.number(f"SELECT count(*) FROM {self.relation('pgbench_' + table)}"), rows)
        self.expect_error(self.drover("sql", "init"), FAILURE, "pgbench_accounts", "--force")

    def test_the_money_is_what_was_counted(self):
        for name, more in (("closed", []), ("open", ["--rate", 1000, "--arrivals", "poisson"]),
                           ("snapshot", ["--tx-mode", "snapshot-rw"])):
            with self.subTest(name=name):
                before = self.history()
                document, _ = self.run_to_end(name, "--builtin", "tpcb-like", "--clients", 6, "--operations", 150,
                                              "--max-tries", 1000, *more)
                one = document["transactions"]["tpcb-like"]
                self.assertEqual((one["ok_count"], one["failed_count"]), (150, 0))
                self.expect_money(before, one)
                self.assertEqual((document["plan"]["benchmark"], document["plan"]["protocol"]), ("sql", "declared"))
                self.assertEqual(document["environment"]["server"]["kind"], "YDB")
                self.assertEqual(document["plan"]["isolation"], "snapshot" if name == "snapshot" else "serializable")
                self.assertEqual(isinstance(document["backlog"], int), name == "open")
        statements = one["statements"]
        self.assertEqual(len(statements), 7)
        self.assertRegex(statements[1]["name"], r"^line \d+: UPDATE pgbench_accounts")

    def test_faults_commit_nothing_twice(self):
        before = self.history()
        self.server.faults(**FAULTS)
        document, _ = self.run_to_end("faults", "--builtin", "tpcb-like", "--clients", 6, "--operations", 300,
                                      "--max-tries", 1000)
        self.server.faults()
        one = document["transactions"]["tpcb-like"]
        self.assertEqual(one["all_count"], 300)
        self.assertEqual(one["attempts"], one["all_count"] + one["retry_count"])
        self.assertGreater(one["retry_count"], 0)
        self.assertGreater(one["failed_count"], 0)
        self.expect_money(before, one)

    def test_all_nodes_go_away_while_clients_wait_within_their_transactions(self):
        before = self.history()
        with self.postgres.session() as session:
            session.sql("BEGIN")
            session.sql(f"LOCK TABLE {self.relation('pgbench_history')} IN EXCLUSIVE MODE")
            command = self.begin_run("outage", "--builtin", "tpcb-like", "--clients", 4, "--operations", 200,
                                     "--max-tries", 1000)
            harness.wait_until(lambda: session.number("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0,
                               "a client that waits")
            for node in range(1, NODES + 1):
                self.server.action("node_down", node=node)
            session.sql("ROLLBACK")
        for node in range(1, NODES + 1):
            self.server.action("node_up", node=node)
        self.expect(command.wait(), SUCCESS)
        document = json.loads(self.path.read_text(encoding="utf-8"))
        one = document["transactions"]["tpcb-like"]
        self.assertLessEqual(one["all_count"] + one["pending"]["count"], 200)
        self.assertGreater(one["failed_count"], 0)
        self.assertGreaterEqual(document["availability"]["sessions_lost"], 1)
        self.expect_money(before, one)

    def test_weights(self):
        before = self.history()
        document, _ = self.run_to_end("weights", "-b", "select-only@9", "-b", "tpcb-like@1", "-b", "simple-update@0",
                                      "--clients", 4, "--operations", 200)
        counts = {name: one["ok_count"] for name, one in document["transactions"].items()}
        self.assertEqual(counts.get("simple-update", 0), 0)
        self.assertEqual(sum(counts.values()), 200)
        self.assertEqual(self.history() - before, counts["tpcb-like"])
        self.assertIn({"name": "scale", "value": "1"}, document["plan"]["workload"])

    def test_there_is_no_server_to_be_watched(self):
        document, command = self.run_to_end("watched", "-b", "select-only", "--clients", 2, "--operations", 20,
                                            "--server-stats")
        self.assertEqual(command.err.count("note: --server-stats has no effect: YDB does not show "
                                           "what its sessions do"), 1,
                         str(command))
        self.assertIsNone(document["server_stats"])

    def test_a_search(self):
        folder = self.folder / "search"
        command = self.drover("sql", "search", "--out", folder, "--builtin", "select-only", "--find", "clients", "--low",
                              1, "--start", 1, "--high", 2, "--probe", "1s", "--confirm", "1s", "--warmup", "0",
                              "--fail-if", "select-only.p99 > 60000")
        # Whatever this machine comes to.
        self.assertIn(command.code, (SUCCESS, FAILURE), str(command))
        self.assertIn("answer: ", command.out, str(command))
        record = json.loads((folder / "search.json").read_text(encoding="utf-8"))
        self.assertEqual(record["settings"]["--tx-mode"], "serializable-rw")

    def test_a_server_without_snapshots_for_writes(self):
        self.server.settings(snapshot_writes=False)
        self.addCleanup(self.server.settings, snapshot_writes=True)
        self.expect_error(self.drover("sql", "run", "-b", "tpcb-like", "--tx-mode", "snapshot-rw"), FAILURE,
                          "--tx-mode serializable-rw")


class Scripts(SqlTestCase):

    def test_a_script_of_ones_own(self):
        folder = ["--schema", "own/purses"]
        self.expect_error(self.drover("sql", "run", "-b", "select-only", *folder), FAILURE, "the table pgbench_branches does not exist")
        self.expect(self.drover("sql", "init", *folder), SUCCESS)
        self.assertIn("pgbench_accounts", self.expect(self.drover("sql", "clean", *folder), SUCCESS).out)
        self.assertIn("nothing to drop", self.expect(self.drover("sql", "clean", *folder), SUCCESS).out)
        self.run_to_end("purses", "--file", self.script("purses.yql", MAKE_PURSES), "--clients", 1, "--operations", 1,
                        "--warmup", 0, *folder)
        self.server.faults(aborted={"probability": 0.1})
        document, _ = self.run_to_end("transfer", "--file", self.script("transfer.yql", TRANSFER), "-D", "most=50",
                                      "--clients", 6, "--operations", 200, "--max-tries", 1000, *folder)
        self.server.faults()
        one = document["transactions"]["transfer.yql"]
        self.assertEqual((one["ok_count"], one["failed_count"]), (200, 0), one)
        self.assertGreater(one["retry_count"], 0)
        self.assertEqual(self.sum_of("balance", "purses"), 2000)
        self.assertEqual(self.postgres.number(f"SELECT count(note) FROM {self.relation('purses')}"), 0)
        self.assertIn({"name": "-D most", "value": "50"}, document["plan"]["workload"])

    def test_what_fails_is_counted_and_said(self):
        path = self.script("wrong.yql", "SELECT 1;\nSELECT *\n  FROM no_such_table;\n")
        arguments = ["--file", path, "--clients", 1, "--operations", 3]
        document, command = self.run_to_end("failing", *arguments)
        ((one),) = document["transactions"].values()
        self.assertEqual((one["ok_count"], one["failed_count"]), (0, 3))
        self.assertEqual(one["errors_by_sqlstate"], {"SCHEME_ERROR": 3})
        self.assertEqual([(each["ok_count"], each["failed_count"]) for each in one["statements"]], [(3, 0), (0, 3)])
        self.assertRegex(command.err, r"failed first by: .*wrong\.yql:2: SELECT \* FROM no_such_table;: ExecuteQuery: "
                         r"SCHEME_ERROR: .*no_such_table.* \(line 3, column 8\)")
        self.run_to_end("failing", *arguments, "--strict", code=FAILURE)


class WrongUse(harness.TestCase):
    """Refused before any database is asked: these need no server."""

    # The text of a script, and what is said of it: with its line and its column.
    SCRIPTS = [
        ("\\set x 1\nSELECT :x;\n", r":2:8: the variable x is a parameter in YQL: write DECLARE \$x AS Int64;"),
        ("\\set x 1\nSELECT $x;\n", r":2:8: .*DECLARE \$x"),
        ("DECLARE $x AS Nothing;\nSELECT $x;\n", r":1:1: a parameter cannot have the type "
                                                 r"\"Nothing\". Expected Bool"),
        ("DECLARE x AS Int64;\n", r":1:1: expected DECLARE \$name AS Type;"),
        ("SELECT 1;\nBEGIN ISOLATION LEVEL SERIALIZABLE;\n", r":2:1: expected BEGIN, BEGIN READ ONLY, COMMIT or ROLLBACK"),
        ("BEGIN \\; SELECT 1;\n", r":1:1: expected BEGIN"),
        ("\\startpipeline\nSELECT 1;\n\\endpipeline\n", r":1:1: YDB has no pipelines"),
        ("$x = 1;\n\\sleep 1 ms\nSELECT $x;\n", r":1:1: a named expression belongs to the statement that follows it"),
        ("SELECT @@x;\n", r":1:8: the closing quote \(@@\) is missing"),
        ("SELECT 1;\n  \\sett x 1\n", r":2:3: invalid command \"\\sett\"; did you mean \\set\?"),
        ("DECLARE $x AS Int64;\n", r"no command"),
    ]

    CASES = [
        (["run", "-b", "select-only", "-M", "simple"], "--protocol applies only to PostgreSQL"),
        (["run", "-b", "select-only", "--tx-mode", "stale"], "serializable-rw or snapshot-rw"),
        (["run", "-b", "select-only", "--isolation", "serializable"], "--isolation"),
        (["run", "-b", "s"], "simple-update, select-only"),
        (["run"], "no script is given"),
        (["init", "--scale", "0"], "--scale 0"),
        (["init", "--schema", "a b"], "--schema a b"),
        (["clean", "--db", "ydb://nowhere"], "--db"),
    ]

    def test_each(self):
        for arguments, named in self.CASES:
            with self.subTest(arguments=arguments):
                command = harness.drover("sql", *arguments, DROVER_DB="ydb://127.0.0.1:1/Root/test")
                self.expect_error(command, USAGE, re.escape(named))
                self.assertEqual(command.out, "")

    def test_the_modes_of_transactions_are_of_ydb(self):
        self.expect_error(harness.drover("sql", "run", "-b", "select-only", "--tx-mode", "snapshot-rw", "--db",
                                         "postgresql://127.0.0.1:1/x"), USAGE,
                          r"--tx-mode applies only to YDB \(--db ydb://…\). For PostgreSQL, write "
                          "BEGIN ISOLATION LEVEL … in the script")

    def test_scripts(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "wrong.yql")
            for text, said in self.SCRIPTS:
                with self.subTest(text=text):
                    path.write_text(text, encoding="utf-8")
                    self.expect_error(harness.drover("sql", "run", "--file", path,
                                                     DROVER_DB="ydb://127.0.0.1:1/Root/test"),
                                      USAGE, r"wrong\.yql", said)

    def test_nobody_there(self):
        for arguments in (["init"], ["run", "-b", "select-only"], ["clean"]):
            with self.subTest(arguments=arguments):
                command = harness.drover("sql", *arguments, DROVER_DB="ydb://127.0.0.1:1/Root/test")
                self.expect_error(command, FAILURE, r"127\.0\.0\.1:1")


if __name__ == "__main__":
    try:
        make_venv()
    except unittest.SkipTest as reason:
        print(reason)
        sys.exit(ydb_nodes.SKIPPED)
    harness.main()
