"""The gate lets plain PostgreSQL pass unchanged, and does what it says of each of its relatives."""

import json
import pathlib
import signal
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "e2e"))

import distribution  # noqa: E402
import harness  # noqa: E402
import protocol  # noqa: E402
from client import Client, Closed, SqlError, binary_rows, prepared  # noqa: E402
from gate import Gate, parsed_conninfo  # noqa: E402
from harness import SUCCESS  # noqa: E402
from statement import split, statement  # noqa: E402

INT4, NUMERIC = 23, 1700
COUNT = "SELECT count(*) FROM t"


server = harness.Server()


def setUpModule():
    unittest.addModuleCleanup(server.remove)
    server.start()


class GateCase(harness.TestCase):
    """A gate of one dialect, before a database of its own for each test."""

    DIALECT = "postgres"

    def setUp(self):
        self.server = server
        self.database = f"{type(self).__name__}_{self._testMethodName}".lower()[:60]
        with self.server.session() as session:
            session.sql(f"CREATE DATABASE {self.database}")
        self.gate = self.open_gate()

    def open_gate(self, **how):
        gate = Gate(self.DIALECT, f"host={self.server.socket_folder} user=drover dbname={self.database}", **how)
        gate.start()
        self.addCleanup(self.close_gate, gate)
        return gate

    def close_gate(self, gate):
        gate.stop()
        self.assertEqual([one for one in gate.findings if one[0] == "gate_failed"], [])

    def client(self, gate=None, **parameters):
        gate = gate or self.gate
        where = parsed_conninfo(gate.conninfo)
        client = Client(("127.0.0.1", gate.port), **{"user": where["user"], "database": where["dbname"], **parameters})
        self.addCleanup(client.close)
        return client

    def direct(self):
        client = Client(f"{self.server.socket_folder}/.s.PGSQL.5432", database=self.database)
        self.addCleanup(client.close)
        return client

    def refused(self, client, sqlstate, sql, how="sql", copy=()):
        with self.assertRaises(SqlError, msg=sql) as caught:
            getattr(client, how)(sql, copy=copy)
        self.assertEqual(caught.exception.sqlstate, sqlstate, f"{sql}: {caught.exception}")
        return caught.exception

    def drover(self, *arguments, gate=None):
        return harness.drover(*arguments, DROVER_DB=(gate or self.gate).conninfo)


# What is asked of a server directly and of the gate before it: simple queries, pipelines, COPY both ways, errors of
# each kind at each place, results of many rows, notices, and what a session is told between two statements.
def copy_data(*parts):
    return b"".join(protocol.message(b"d", part) for part in parts) + protocol.message(b"c")


CONVERSATION = (
    protocol.query("INSERT INTO t VALUES (1, 'one'), (2, 'two')"),
    protocol.query(""),
    protocol.query("SELECT * FROM t; SELECT count(*) FROM t; ;"),
    protocol.query("BEGIN; INSERT INTO t VALUES (3, 'three'); SAVEPOINT s; SELECT 1/0; SELECT 2"),
    protocol.query("SELECT 1"),
    protocol.query("ROLLBACK TO s; COMMIT; SELECT count(*) FROM t"),
    protocol.query("INSERT INTO t VALUES (4, 'four'); INSERT INTO t VALUES (1, 'again')"),
    protocol.query("SELECT count(*) FROM t"),
    protocol.query("BEGIN"),
    protocol.query("INSERT INTO t VALUES (5, 'five'); COMMIT; BEGIN; SELECT nothing"),
    protocol.query("ROLLBACK"),
    protocol.query("SELECT g, repeat('x', 100) FROM generate_series(1, 100000) AS g"),
    protocol.query("SELECT repeat('y', 9000000)"),
    protocol.query("COPY t FROM STDIN") + copy_data(b"10\tten\n", b"11\tele", b"ven\n"),
    protocol.query("COPY t FROM STDIN") + copy_data(b"x\tten\n"),
    protocol.query("COPY t FROM STDIN") + protocol.message(b"f", b"the client thinks better of it\0"),
    protocol.query("COPY t TO STDOUT"),
    protocol.query("COPY (SELECT generate_series(1, 1000)) TO STDOUT (FORMAT binary)"),
    protocol.query("SELECT 1; COPY t TO STDOUT; SELECT 2"),
    protocol.query("DO $$ BEGIN RAISE NOTICE 'a notice; with a semicolon'; END $$"),
    protocol.query("SET TimeZone TO 'Asia/Tokyo'"),
    protocol.query("LISTEN a; NOTIFY a, 'heard'"),
    protocol.query("this is no SQL"),
    protocol.query("SELECT 'a'';b', $x$;$x$, \"a;\" FROM (SELECT 1) AS s(\"a;\") -- ;\n; /* ; */ SELECT 2"),
    prepared("SELECT a FROM t ORDER BY a") + prepared("SELECT b FROM t ORDER BY a") + protocol.SYNC,
    prepared("INSERT INTO t VALUES (20, 'x')") + prepared("SELECT 1/0") + prepared("SELECT 1") + protocol.SYNC,
    prepared("SELECT count(*) FROM t") + protocol.SYNC,
    prepared("BEGIN") + prepared("INSERT INTO t VALUES (21, 'x')") + prepared("COMMIT") + protocol.SYNC,
    prepared("BEGIN") + prepared("INSERT INTO t VALUES (1, 'x')") + prepared("COMMIT") + protocol.SYNC,
    protocol.query("ROLLBACK"),
    prepared("SELECT no_such_column FROM t") + prepared("SELECT 1") + protocol.SYNC,
    protocol.parse("named", "SELECT $1::int + 1") + protocol.message(b"D", b"Snamed\0") + protocol.SYNC,
    protocol.message(b"B", b"portal\0named\0" b"\0\1\0\0" b"\0\1" b"\0\0\0\2" b"41" b"\0\0")
    + protocol.message(b"D", b"Pportal\0") + protocol.execute("portal") + protocol.SYNC,
    protocol.parse("", "SELECT generate_series(1, 10)") + protocol.bind() + protocol.message(b"E", b"\0\0\0\0\3")
    + protocol.message(b"E", b"\0\0\0\0\0") + protocol.SYNC,
    protocol.message(b"C", b"Snamed\0") + protocol.SYNC,
    protocol.message(b"B", b"\0named\0\0\0\0\0\0\0") + protocol.execute() + protocol.SYNC,
    protocol.SYNC,
    protocol.query("SELECT count(*), sum(a) FROM t"),
)


class Plain(GateCase):

    def converse(self, client):
        answers = []
        for said in CONVERSATION:
            client.send(said)
            answers.append(client.until_ready())
        # A pipeline with a COPY: the Sync behind its data is the one that counts.
        client.send(prepared("COPY t (a) FROM STDIN") + protocol.SYNC)
        self.assertEqual([client.message()[0] for _ in range(4)], [b"1", b"2", b"n", b"G"])
        client.send(copy_data(b"30\n") + protocol.SYNC)
        answers.append(client.until_ready())
        return answers

    def test_every_answer_is_the_servers_own(self):
        with self.direct() as session:
            session.sql("CREATE TABLE t (a int PRIMARY KEY, b text)")
        expected = self.converse(self.direct())
        gates = {"as it is": self.gate, "with a fault that never comes": self.open_gate()}
        gates["with a fault that never comes"].fail_next("commit", "40001", pattern="no such statement")
        for name, gate in gates.items():
            with self.direct() as session:
                session.sql("TRUNCATE t")
            found = self.converse(self.client(gate))
            for said, one, other in zip((*CONVERSATION, b"COPY in a pipeline"), expected, found):
                with self.subTest(gate=name, said=said[:80]):
                    self.assertEqual(self.comparable(one), self.comparable(other))
            self.assertEqual(gate.refusals, [])

    @staticmethod
    def comparable(answer):
        """Without what may differ: the place in the text, where a statement was sent alone; the process that notifies;
        where between other messages a parameter or a notification comes."""
        found, meanwhile = [], []
        for kind, body in answer:
            if kind == b"E":
                found.append({name: value for name, value in protocol.fields(body).items() if name in "SVCMDHW"})
            elif kind == b"A":
                meanwhile.append((kind, body[4:]))
            else:
                (meanwhile if kind == b"S" else found).append((kind, body))
        return found, sorted(meanwhile)

    def test_begins_as_the_server_does(self):
        direct, through = self.direct(), self.client(options="-c work_mem=7MB")
        self.assertEqual(through.parameters, direct.parameters)
        self.assertEqual(through.value("SHOW work_mem"), "7MB")
        with self.assertRaises(SqlError) as caught:
            self.client(options="-c no_such_setting=1")
        self.assertTrue(caught.exception.is_fatal)

    def test_cancel(self):
        client = self.client()
        client.send(protocol.query("SELECT pg_sleep(600)"))
        harness.wait_until(lambda: self.direct_count("query LIKE 'SELECT pg_sleep%' AND state = 'active'"), "the query")
        client.cancel()
        with self.assertRaises(SqlError) as caught:
            client.rows(client.until_ready())
        self.assertEqual(caught.exception.sqlstate, "57014")
        self.assertEqual(client.value("SELECT 1"), "1")

    def direct_count(self, where):
        with self.direct() as session:
            return int(session.value(f"SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                                     f"AND datname = current_database() AND {where}"))

    def test_a_client_that_goes_takes_its_session_along(self):
        client = self.client()
        client.sql("BEGIN")
        self.assertEqual(self.direct_count("backend_type = 'client backend'"), 1)
        client.close()
        harness.wait_until(lambda: self.direct_count("backend_type = 'client backend'") == 0, "the end of its session")

    def test_a_server_that_ends_a_session_is_heard(self):
        client = self.client()
        with self.direct() as session:
            session.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                        "AND datname = current_database()")
        kind, body = client.message()
        self.assertEqual((kind, protocol.fields(body)["C"]), (b"E", "57P01"))
        with self.assertRaises(Closed):
            client.message()

    def test_ssl_is_not_spoken(self):
        with Client(("127.0.0.1", self.gate.port), database=self.database) as client:
            self.assertEqual(client.value("SELECT 1"), "1")
        psql = subprocess.run(["psql", f"{self.gate.conninfo} sslmode=require", "-c", "SELECT 1"], text=True,
                              capture_output=True, env=harness.clean_environment(), check=False)
        self.assertIn("does not support SSL", psql.stderr)

    def test_drover_passes_through(self):
        for command in (["init", "--foreign-keys", "after-load"], ["import", "-w", 1, "--seed", 5], ["check"]):
            self.expect(self.drover("tpcc", *command), SUCCESS)
        path = self.server.folder / "result.json"
        for style in ("batched", "single"):
            self.expect(self.drover("tpcc", "run", "--no-delays", "--duration", "1s", "--warmup", "0s", "--connections",
                                    4, "--statements", style, "--json", path), SUCCESS)
            self.expect_every_count(json.loads(path.read_text(encoding="utf-8")))
        self.expect(self.drover("tpcc", "check"), SUCCESS)
        self.expect(self.drover("tpcc", "clean"), SUCCESS)
        self.assertEqual((self.gate.refusals, self.gate.findings), ([], []))
        self.assertGreaterEqual(self.gate.counts["copy from"], 9)
        self.assertEqual(self.gate.statements["COMMIT"], self.gate.counts["commit"])

    def test_by_hand(self):
        process = subprocess.Popen(
            [sys.executable, "-B", HERE / "gate.py", "cockroachdb", "--to",
             f"host={self.server.socket_folder} user=drover dbname={self.database}"], text=True, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        port = int(process.stdout.readline().split()[1])
        self.assertIn(f"port={port} user=drover dbname={self.database}", process.stdout.readline())
        with Client(("127.0.0.1", port), database=self.database) as client:
            self.assertIn("CockroachDB", client.value("SELECT version()"))
            self.refused(client, "42601", "VACUUM")
        self.assertEqual(process.stdout.readline(), 'refused: 42601 at or near "vacuum": syntax error: VACUUM\n')
        process.terminate()
        self.assertEqual(process.wait(60), 0)


class Faults(GateCase):

    def setUp(self):
        super().setUp()
        with self.direct() as session:
            session.sql("CREATE TABLE t (a int)")

    def count(self):
        with self.direct() as session:
            return int(session.value(COUNT))

    def test_commit_fails(self):
        for how in ("sql", "pipeline"):
            with self.subTest(how=how):
                client = self.client()
                self.gate.fail_next("commit", "40001")
                client.sql("BEGIN")
                client.sql("INSERT INTO t VALUES (1)")
                self.refused(client, "40001", "COMMIT", how)
                self.assertEqual((client.status, self.count()), (b"I", 0))
        self.gate.fail_next("commit", "40001")
        with self.assertRaises(SqlError):
            client.pipeline("BEGIN", "INSERT INTO t VALUES (1)", "COMMIT", "INSERT INTO t VALUES (2)")
        self.assertEqual((client.status, self.count()), (b"I", 0))
        client.pipeline("BEGIN", "INSERT INTO t VALUES (1)", "COMMIT")
        self.assertEqual(self.count(), 1)
        self.assertEqual([(where, fault.sqlstate) for where, fault in self.gate.happened], [("commit", "40001")] * 3)

    def test_a_statement_that_is_its_transaction_fails(self):
        client = self.client()
        for how in ("sql", "pipeline"):
            self.gate.fail_next("commit", "40001")
            self.refused(client, "40001", "INSERT INTO t VALUES (1)", how)
            self.assertEqual((client.status, self.count()), (b"I", 0))

    def test_a_statement_in_the_middle_fails(self):
        client = self.client()
        for how in ("sql", "pipeline"):
            with self.subTest(how=how):
                self.gate.fail_next("statement", "40001", pattern="^select 2")
                client.sql("BEGIN")
                client.sql("INSERT INTO t VALUES (1)")
                self.assertEqual(client.value("SELECT 1"), "1")
                self.refused(client, "40001", "SELECT 2", how)
                self.assertEqual(client.status, b"E")
                self.refused(client, "25P02", "SELECT 3", how)
                client.sql("COMMIT")
                self.assertEqual((client.tags, self.count()), (["ROLLBACK"], 0))
        self.gate.fail_next("statement", "54000", pattern="^select 2")
        self.refused(client, "54000", "INSERT INTO t VALUES (1); SELECT 2; SELECT 3")
        self.assertEqual((client.status, self.count()), (b"I", 0))

    def test_every_so_many(self):
        client = self.client()
        self.gate.every(3, "commit", "40001")
        failed = []
        for number in range(9):
            try:
                client.sql(f"BEGIN; INSERT INTO t VALUES ({number}); COMMIT")
            except SqlError as error:
                failed.append((number, error.sqlstate))
        self.assertEqual(failed, [(2, "40001"), (5, "40001"), (8, "40001")])
        self.assertEqual(self.count(), 6)
        self.gate.calm()
        for number in range(3):
            client.sql(f"INSERT INTO t VALUES ({number})")
        self.assertEqual(self.count(), 9)

    def test_by_chance_is_the_same_for_a_seed(self):
        def failures():
            gate = self.open_gate(seed=7)
            gate.by_chance(0.5, "commit", "40001")
            client = self.client(gate)
            found = []
            for _ in range(30):
                try:
                    client.sql("INSERT INTO t VALUES (0)")
                    found.append(False)
                except SqlError:
                    found.append(True)
            return found
        first = failures()
        self.assertEqual(first, failures())
        self.assertEqual(set(first), {True, False})

    def test_an_answer_is_lost(self):
        for committed in (True, False):
            for how in ("sql", "pipeline"):
                with self.subTest(committed=committed, how=how):
                    before = self.count()
                    client = self.client()
                    self.gate.lose_commit(committed)
                    client.sql("BEGIN")
                    client.sql("INSERT INTO t VALUES (1)")
                    with self.assertRaises(Closed):
                        getattr(client, how)("COMMIT")
                    harness.wait_until(lambda: not self.gate.links, "the end of the link")
                    self.assertEqual(self.count(), before + committed)

    def test_nobody_knows(self):
        for committed in (True, False):
            for how in ("sql", "pipeline"):
                with self.subTest(committed=committed, how=how):
                    before = self.count()
                    client = self.client()
                    self.gate.unknown_commit(committed)
                    client.sql("BEGIN")
                    client.sql("INSERT INTO t VALUES (1)")
                    self.refused(client, "40003", "COMMIT", how)
                    self.assertEqual((client.status, self.count()), (b"I", before + committed))

    def test_sessions_are_refused(self):
        self.gate.refuse_sessions(2, "53300")
        for _ in range(2):
            with self.assertRaises(SqlError) as caught:
                self.client()
            self.assertEqual((caught.exception.sqlstate, caught.exception.is_fatal), ("53300", True))
        self.assertEqual(self.client().value("SELECT 1"), "1")

    def test_sessions_end(self):
        idle = self.client()
        self.assertEqual(self.gate.end_sessions("57P01"), 1)
        kind, body = idle.message()
        self.assertEqual((kind, protocol.fields(body)["C"]), (b"E", "57P01"))
        for where, last in (("statement", "SELECT 1"), ("commit", "COMMIT")):
            client = self.client()
            client.sql("BEGIN")
            client.sql("INSERT INTO t VALUES (1)")
            self.gate.end_at(where)
            self.refused(client, "57P01", last)
            with self.assertRaises(Closed):
                client.message()
        harness.wait_until(lambda: not self.gate.links, "the end of the links")
        self.assertEqual(self.count(), 0)

    def test_drover_gets_over_it(self):
        for command in (["init"], ["import", "-w", 1]):
            self.expect(self.drover("tpcc", *command), SUCCESS)
        path = self.server.folder / "result.json"
        command = harness.start_drover("tpcc", "run", "--no-delays", "--duration", "24h", "--warmup", "0s", "--connections",
                                       4, "--max-attempts", 1000, "--json", path, DROVER_DB=self.gate.conninfo)
        self.addCleanup(command.kill)
        command.wait_for("terminals up")
        for committed in (True, False):
            self.gate.lose_commit(committed)
        self.gate.end_at("statement")
        self.gate.every(4, "commit", "40001")
        self.gate.every(50, "statement", "40001")
        harness.wait_until(lambda: len(self.gate.happened) > 20, "the faults")
        self.assertEqual({fault.how for _, fault in self.gate.happened}, {"lose", "end", "error"})
        # Who is interrupted asks for 5 s what became of commits in doubt: they are not to be spent on faults.
        self.gate.calm()
        command.signal(signal.SIGINT)
        self.expect(command.wait(), harness.INTERRUPTED)
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["ledger"]["exact"]:
            self.expect_every_count(document)
        else:
            print("not compared: the machine was too busy to find out in 5 s what became of all commits")
        self.expect(self.drover("tpcc", "check"), SUCCESS)


class RelativeCases:
    """What each relative refuses and takes: both ways, and in a transaction."""

    REFUSED = ()   # pairs of an SQLSTATE and a statement
    TAKEN = ()     # statements, in this order

    def prepare(self, client):
        client.sql("CREATE TABLE t (a int8 PRIMARY KEY, b int8, c text)")

    def test_refuses(self):
        self.prepare(self.client())
        for sqlstate, sql in self.REFUSED:
            with self.subTest(sql=sql):
                client = self.client()
                for how in ("sql", "pipeline"):
                    error = self.refused(client, sqlstate, sql, how)
                    self.assertEqual((client.status, client.value("SELECT 1")), (b"I", "1"))
                    self.assertEqual(self.gate.refusals[-1].statement, sql)
                    self.assertEqual(self.gate.refusals[-1].message, error.message)
                client.sql("BEGIN")
                self.refused(client, sqlstate, sql)
                self.assertEqual(client.status, b"E")
                self.refused(client, "25P02", "SELECT 1")
                client.sql("ROLLBACK")
                client.close()

    def test_takes(self):
        client = self.client()
        self.prepare(client)
        for sql in self.TAKEN:
            with self.subTest(sql=sql):
                client.sql(sql)
        self.assertEqual(self.gate.refusals, [])


class CockroachDB(RelativeCases, GateCase):

    DIALECT = "cockroachdb"
    REFUSED = (
        ("42601", "LOCK TABLE t"), ("42601", "VACUUM t"), ("0A000", "COPY t TO STDOUT (FORMAT binary)"),
        ("0A000", "CREATE TEMP TABLE u (a int)"), ("42703", "SELECT ctid FROM t"),
        ("42883", "SELECT pg_advisory_lock(1, 2)"), ("42883", "SELECT pg_terminate_backend(1)"),
        ("42883", "SELECT pg_catalog.pg_export_snapshot()"), ("0A000", "SET work_mem = '1MB'"), ("42704", "SET jit = off"),
        ("0A000", "WITH x AS (UPDATE t SET b = 1 RETURNING a), y AS (DELETE FROM t RETURNING a) SELECT 1"),
    )
    TAKEN = (
        "SELECT pg_try_advisory_lock(1)", "SET synchronous_commit = off", "SET statement_timeout = '10s'",
        "BEGIN", "SAVEPOINT cockroach_restart", "RELEASE SAVEPOINT cockroach_restart", "COMMIT",
        "CREATE TABLE u (a INT4, b INT, c text, PRIMARY KEY (a), INDEX by_b (b) STORING (c), FAMILY f (a, b, c))",
        "CREATE INDEX ON u (b) USING HASH", "ALTER TABLE u SPLIT AT VALUES (1), (2)", "SHOW SESSIONS",
        "SELECT * FROM t AS OF SYSTEM TIME '-5s'", "TRUNCATE t", "ANALYZE t", "SELECT 'pg_terminate_backend(1)'",
    )

    def test_says_who_it_is(self):
        client = self.client()
        self.assertIn("CockroachDB CCL v24.3", client.value("SELECT version()"))
        self.assertIn("CockroachDB CCL v24.3", client.value("SELECT pg_catalog.version()"))
        self.assertIn("CockroachDB", client.parameters["crdb_version"])
        self.assertEqual(client.parameters["server_version"], client.value("SHOW server_version"))
        self.assertEqual(client.value("SHOW transaction_isolation"), "serializable")

    def test_ints_have_64_bits(self):
        client = self.client()
        client.sql("CREATE TABLE u (a int, b int4)")
        client.sql("COPY u FROM STDIN (FORMAT binary)", copy=[binary_rows([(1, 8), (2, 4)])])
        with self.assertRaises(SqlError):
            client.sql("COPY u FROM STDIN (FORMAT binary)", copy=[binary_rows([(1, 4), (2, 4)])])
        self.assertEqual(client.value("SELECT count(*) FROM u"), "1")

    def test_division_is_decimal(self):
        client = self.client()
        for sql, value, oid in (("SELECT 3 / 2", "1.5", NUMERIC), ("SELECT 3 // 2", "1", INT4),
                                ("SELECT ((1 + 2) / 2)::int4", "2", INT4), ("SELECT 7 / (1 = 1)::int4", "7", NUMERIC),
                                ("SELECT 1 + 9 / 2 * 2", "10", NUMERIC), ("SELECT '1/2'", "1/2", 25)):
            self.assertEqual(float(client.value(sql)) if oid == NUMERIC else client.value(sql),
                             float(value) if oid == NUMERIC else value, sql)
            self.assertEqual(client.columns[0][1], oid, sql)

    def test_advisory_locks_lock_nothing(self):
        self.assertEqual(self.client().value("SELECT pg_try_advisory_lock(1)"), "t")
        self.assertEqual(self.client().value("SELECT pg_try_advisory_lock(1)"), "t")

    def test_statistics_are_empty(self):
        self.assertEqual(self.client().value("SELECT count(*) FROM pg_stat_activity"), "0")
        self.assertEqual(self.client().value("SELECT count(*) FROM pg_catalog.pg_stat_database"), "0")

    def test_sessions_are_cancelled(self):
        victim, client = self.client(application_name="victim"), self.client()
        own = victim.value("SHOW session_id")
        self.assertEqual(client.value("SELECT session_id FROM crdb_internal.cluster_sessions "
                                      "WHERE application_name = 'victim'"), own)
        self.assertEqual(client.value(f"SELECT count(*) FROM [SHOW CLUSTER SESSIONS] WHERE session_id = '{own}'"), "1")
        client.sql(f"CANCEL SESSION '{own}'")
        self.assertEqual(client.tags, ["CANCEL SESSION"])
        self.assertEqual(protocol.fields(victim.message()[1])["C"], "57P01")

    def test_an_index_within_a_table_is_there(self):
        client = self.client()
        client.sql("CREATE TABLE u (a INT PRIMARY KEY, b INT, UNIQUE INDEX by_b (b DESC))")
        self.assertIn("by_b", client.value("SELECT indexdef FROM pg_indexes WHERE indexname = 'by_b'"))

    def test_ddl_within_a_transaction(self):
        client = self.client()
        client.sql("BEGIN; CREATE TABLE u (a int); CREATE TABLE v (a int); COMMIT")
        client.sql("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED")
        client.sql("BEGIN")
        self.refused(client, "0A000", "CREATE TABLE w (a int)")
        client.sql("ROLLBACK")
        client.sql("CREATE TABLE w (a int)")
        client.sql("SET autocommit_before_ddl = on; SHOW autocommit_before_ddl")
        self.assertEqual(client.value("SHOW autocommit_before_ddl"), "on")
        client.sql("BEGIN; CREATE TABLE x (a int); COMMIT")


class YugabyteDB(RelativeCases, GateCase):

    DIALECT = "yugabytedb"
    REFUSED = (
        ("0A000", "LOCK TABLE t IN ACCESS EXCLUSIVE MODE"), ("0A000", "SELECT ctid FROM t"),
        ("0A000", "SELECT pg_export_snapshot()"), ("0A000", "CREATE TABLE u (a int) INHERITS (t)"),
    )
    TAKEN = (
        "CREATE TABLE u (w int, d int, o int, c text, PRIMARY KEY ((w, d) HASH, o DESC)) SPLIT INTO 8 TABLETS",
        "CREATE TABLE v (a int, b int, PRIMARY KEY (a HASH, b ASC))",
        "CREATE TABLE w (a int, PRIMARY KEY (a ASC)) SPLIT AT VALUES ((10), (20))",
        "CREATE INDEX i ON u ((w, d) HASH, c, o DESC) SPLIT INTO 2 TABLETS",
        "CREATE INDEX NONCONCURRENTLY j ON u USING lsm (c HASH)",
        "SET yb_enable_upsert_mode = on", "ALTER TABLE v ADD COLUMN c int", "SET work_mem = '1MB'",
        "BEGIN", "SAVEPOINT s", "ROLLBACK TO s", "COMMIT", "TRUNCATE u", "SELECT pg_try_advisory_lock(1, 2)",
    )

    def test_says_who_it_is(self):
        client = self.client()
        self.assertRegex(client.value("SELECT version()"), r"PostgreSQL 15\.\d+-YB-2025\.2")
        self.assertRegex(client.parameters["server_version"], r"15\.\d+-YB-2025\.2")
        self.assertEqual(client.value("SELECT current_setting('server_version')"), client.parameters["server_version"])

    def test_keys_are_as_they_are_written(self):
        client = self.client()
        client.sql(self.TAKEN[0])
        client.sql(self.TAKEN[3])
        self.assertEqual(client.value("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'u_pkey'"),
                         "PRIMARY KEY (w, d, o)")
        self.assertIn("(w, d, c, o DESC)", client.value("SELECT pg_get_indexdef('i'::regclass)"))

    def copied(self, client, *before):
        """How many rows are there after a COPY of 20,001 of them in a transaction that is rolled back."""
        client.sql("DROP TABLE IF EXISTS t")
        client.sql("CREATE TABLE t (a int)")
        for sql in before:
            client.sql(sql)
        client.sql("COPY t FROM STDIN", copy=[b"".join(b"%d\n" % number for number in range(20_001))])
        self.assertEqual(client.status, b"T")
        client.sql("ROLLBACK")
        return int(client.value(COUNT))

    def test_copy_commits_as_it_goes(self):
        client = self.client()
        self.assertEqual(client.value("SHOW yb_default_copy_from_rows_per_transaction"), "20000")
        self.assertGreater(self.copied(client, "BEGIN"), 0)
        self.assertEqual([name for name, _ in self.gate.findings], ["copy_not_atomic"])

    def test_copy_is_one_transaction_where_it_cannot_be_several(self):
        client = self.client()
        self.assertEqual(self.copied(client, "BEGIN", "INSERT INTO t VALUES (0)"), 0)
        self.assertRegex(client.notices[-1], "Batched COPY is not supported in transaction blocks")
        client.sql("SET yb_default_copy_from_rows_per_transaction = 0")
        self.assertEqual(self.copied(client, "BEGIN"), 0)
        self.assertEqual(self.gate.findings, [])

    def test_options_of_copy(self):
        client = self.client()
        client.sql("CREATE TABLE t (a int)")
        client.sql("COPY t FROM STDIN WITH (FORMAT binary, ROWS_PER_TRANSACTION 0)", copy=[binary_rows([(1, 4)])])
        client.sql("COPY t FROM STDIN WITH (ROWS_PER_TRANSACTION 5)", copy=[b"2\n"])
        self.assertEqual(client.value(COUNT), "2")


class Citus(RelativeCases, GateCase):

    DIALECT = "citus"

    def test_a_commit_that_the_server_does_not_know(self):
        client = self.client()
        self.prepare(client)
        for committed, count in ((False, "0"), (True, "1")):
            self.gate.unknown_commit(committed)
            client.sql("BEGIN; INSERT INTO t (w, a) VALUES (1, 2)")
            self.refused(client, "XX000", "COMMIT")
            self.assertEqual(client.value(COUNT), count)

    def prepare(self, client):
        client.sql("CREATE TABLE t (w int, a int, b int, PRIMARY KEY (w, a)); CREATE TABLE item (i int PRIMARY KEY)")
        client.sql("SELECT create_distributed_table('t', 'w')")
        client.sql("CREATE TABLE other (LIKE t INCLUDING ALL)")
        client.sql("SELECT create_distributed_table('other', 'w')")
        client.sql("SELECT create_reference_table('item')")

    REFUSED = (
        ("0A000", "SELECT * FROM t WHERE a = 1 FOR UPDATE"),
        ("0A000", "UPDATE t SET b = other.b FROM other WHERE t.a = other.a"), ("0A000", "UPDATE t SET w = 2 WHERE w = 1"),
        ("22004", "INSERT INTO t (a, b) VALUES (1, 2)"),
        ("0A000", "INSERT INTO t (w, a, b) VALUES (1, 2, (SELECT max(i) FROM item))"),
        ("0A000", "UPDATE t SET b = CASE WHEN b = 1 THEN length(concat_ws(' ', a, b)) ELSE b END WHERE w = 1"),
        ("0A000", "UPDATE t SET b = 1 WHERE w = 1 RETURNING concat_ws(' ', a, b)"),
        ("42601", "SELECT EXISTS (SELECT FROM t WHERE a = 1)"),
        ("0A000", "SELECT x FROM t CROSS JOIN LATERAL (VALUES (format('%s', a))) AS v(x)"),
        ("0A000", "SELECT x FROM t CROSS JOIN LATERAL (VALUES (a_date::text)) AS v(x)"),
        ("0A000", "SELECT count(*) FROM t LEFT JOIN LATERAL (SELECT * FROM t WHERE w = b LIMIT 1) AS u ON true"),
    )
    TAKEN = (
        "UPDATE t SET b = l.y FROM unnest(ARRAY[1, 2], ARRAY[3, 4]) AS l(x, y) WHERE w = 1 AND a = l.x",
        "UPDATE t SET b = CASE WHEN b < 10 THEN 91 ELSE 0 END WHERE w = 1 AND a = ANY(ARRAY[1, 2])",
        "WITH u AS (DELETE FROM t WHERE w = 1 RETURNING a) UPDATE t SET b = 1 FROM u WHERE w = 1 AND t.a = u.a",
        "INSERT INTO t (w, a) VALUES (3, 1), (3, 2)",
        "SELECT * FROM t WHERE w = 1 FOR UPDATE", "UPDATE t SET b = 1 FROM item WHERE w = 1 AND a = i",
        "UPDATE t SET b = 1 WHERE a = 1", "INSERT INTO t (w, a) VALUES (1, 2)", "SELECT count(*) FROM t",
        "BEGIN; SAVEPOINT s; TRUNCATE t; COMMIT", "CREATE EXTENSION IF NOT EXISTS citus",
        "SELECT i FROM item FOR UPDATE", "DELETE FROM t USING item WHERE a = i",
        "UPDATE t SET b = other.b FROM other WHERE t.a = other.a AND t.w = other.w",
        "UPDATE t SET b = 1 FROM unnest(ARRAY[1, 2]) AS l(x) WHERE w = l.x",
        "UPDATE t SET b = l.y FROM (VALUES (1, 2), (2, 3)) AS l(x, y) WHERE w = l.x AND a = l.y",
        "SELECT EXISTS (SELECT FROM t WHERE w = 1)", "SELECT EXISTS (SELECT 1 FROM t)",
        "SELECT x FROM t CROSS JOIN LATERAL (VALUES (a::text)) AS v(x)",
        "WITH c AS MATERIALIZED (SELECT * FROM t) SELECT x FROM c CROSS JOIN LATERAL (VALUES (format('%s', a))) AS v(x)",
    )

    def test_says_who_it_is(self):
        client = self.client()
        self.assertRegex(client.value("SELECT version()"), r"^PostgreSQL 1\d")
        self.assertRegex(client.value("SELECT citus_version()"), r"^Citus 13")
        self.assertEqual(client.value("SELECT count(*) FROM pg_extension WHERE extname = 'citus'"), "1")
        self.assertEqual(client.value("SELECT count(*) FROM pg_catalog.pg_extension WHERE extname = 'citus'"), "1")

    def test_a_case_of_a_parameter(self):
        client = self.client()
        self.prepare(client)
        for case, refused in (("$1::int4 WHEN 1", ["42883"]), ("WHEN $1::int4 = 1", [])):
            sql = f"UPDATE t SET b = CASE {case} THEN 5 ELSE 6 END WHERE w = 1"
            client.send(protocol.parse("", sql) + protocol.SYNC)
            errors = [protocol.fields(body)["C"] for kind, body in client.until_ready() if kind == b"E"]
            self.assertEqual(errors, refused, sql)

    def test_what_is_distributed(self):
        client = self.client()
        self.prepare(client)
        self.assertEqual(client.sql("SELECT logicalrelid::text, partmethod, partkey FROM pg_dist_partition ORDER BY 1"),
                         [("item", "n", None), ("other", "h", "w"), ("t", "h", "w")])
        client.sql("CREATE TABLE u (w int, a int)")
        client.sql("INSERT INTO u VALUES (1, 1)")
        client.sql("SELECT create_distributed_table('u', 'w', colocate_with => 't')")
        self.assertEqual(client.value("SELECT count(DISTINCT colocationid) FROM pg_dist_partition WHERE partmethod = 'h'"),
                         "1")
        self.assertEqual(client.value("SELECT pg_relation_size('t')"), "0")

    def test_keys_and_references(self):
        client = self.client()
        self.prepare(client)
        client.sql("CREATE TABLE u (w int, a int PRIMARY KEY, b int)")
        self.refused(client, "0A000", "SELECT create_distributed_table('u', 'w')")
        self.refused(client, "42703", "SELECT create_distributed_table('u', 'x')")
        self.refused(client, "42P16", "SELECT create_distributed_table('t', 'w')")
        client.sql("CREATE TABLE v (w int, x int, a int, i int REFERENCES item, FOREIGN KEY (x, a) REFERENCES t (w, a))")
        self.refused(client, "0A000", "SELECT create_distributed_table('v', 'w')")
        client.sql("SELECT create_distributed_table('v', 'x')")
        self.refused(client, "42P16", "SELECT create_distributed_table('item', 'i')")

    def test_forced_generic_plans(self):
        client = self.client()
        self.prepare(client)
        client.sql("INSERT INTO t (w, a) VALUES (1, 2)")

        def select(sql):
            client.send(protocol.parse("", sql) + protocol.bind("", "", b"1") + protocol.execute() + protocol.SYNC)
            return client.rows(client.until_ready())

        by_key, by_another = (f"SELECT a::text FROM t WHERE {condition} = $1::int" for condition in ("w", "a"))
        for sql in (by_key, by_another):
            select(sql)
        client.sql("SET plan_cache_mode = force_generic_plan")
        select(by_key)
        with self.assertRaises(SqlError) as caught:
            select(by_another)
        self.assertEqual((caught.exception.sqlstate, caught.exception.message),
                         ("0A000", "could not create distributed plan"))

    def test_a_transaction_that_is_rolled_back_distributes_nothing(self):
        client = self.client()
        client.sql("CREATE TABLE u (w int, a int)")
        client.sql("BEGIN; SELECT create_distributed_table('u', 'w'); ROLLBACK")
        self.assertEqual(client.value("SELECT count(*) FROM citus_tables"), "0")
        client.sql("SELECT * FROM u WHERE a = 1 FOR UPDATE")


class GenericPlans(unittest.TestCase):
    """As Citus 13.2.2 has answered with plan_cache_mode = force_generic_plan."""

    REFUSED = (
        "SELECT * FROM t WHERE a = $1", "SELECT * FROM t WHERE w >= $1 ORDER BY w LIMIT 3",
        "SELECT count(*) FROM t JOIN u ON t.w = u.w AND t.a = u.a WHERE t.w = $1 AND u.w = $1",
        "SELECT b FROM t WHERE w = $1 AND a = (SELECT max(a) FROM u WHERE w = $1)",
        "WITH x AS (DELETE FROM t WHERE w = $1 AND a = 10 RETURNING a) UPDATE u SET b = 2 FROM x WHERE u.w = $1 AND u.a = x.a",
        "INSERT INTO t SELECT $1, 100, i FROM item WHERE i = 1", "SELECT count(*) FROM t, item WHERE w = $1 AND a = i",
        "SELECT * FROM t WHERE w = $1 AND a IN (SELECT i FROM item)", "SELECT * FROM t WHERE w = ANY($1)",
    )
    TAKEN = (
        "SELECT * FROM t WHERE w = $1 AND a = 1", "UPDATE t SET b = b + 1 WHERE a = $1",
        "UPDATE t SET b = b + 1 FROM unnest(ARRAY[1, 2]) AS l(x) WHERE w = $1 AND a = l.x",
        "INSERT INTO t VALUES ($1, 201, 1), ($1, 202, 1)", "SELECT * FROM t WHERE a = 1 LIMIT 1",
        "SELECT count(*) FROM t JOIN u ON t.w = u.w AND t.a = u.a WHERE t.w = 1 AND u.b = $1",
        "SELECT a FROM t WHERE w = $1 AND a = ANY($2) ORDER BY a FOR UPDATE", "SELECT i FROM item WHERE i > $1",
    )

    def test_refusals(self):
        distributed = {"t": "w", "u": "w"}
        for is_refused, statements in ((True, self.REFUSED), (False, self.TAKEN)):
            for sql in statements:
                with self.subTest(sql=sql):
                    refusal = distribution.refusal_of_generic_plan(statement(sql), distributed)
                    self.assertEqual(refusal is not None, is_refused, refusal)


class Tolerant(GateCase):

    DIALECT = "cockroachdb"

    def test_notes_and_lets_pass(self):
        gate = self.open_gate(tolerates=True)
        client = self.client(gate)
        client.sql("CREATE TABLE t (a int); LOCK TABLE t")
        client.pipeline("SELECT ctid FROM t")
        self.assertEqual([one.sqlstate for one in gate.refusals], ["42601", "42703"])
        self.assertEqual(client.value(COUNT), "0")


class Statements(unittest.TestCase):

    def test_kinds(self):
        for sql, kind, writes in (
                ("-- a\nSELECT 1", "select", False), ("WITH a AS (SELECT 1) INSERT INTO t SELECT 1", "insert", True),
                ("WITH a AS (DELETE FROM t RETURNING 1) SELECT 1", "select", True), ("START TRANSACTION", "begin", False),
                ("COPY t (a) FROM STDIN", "copy from", True), ("COPY (SELECT 1 FROM t) TO STDOUT", "copy to", False),
                ("SELECT 1 FOR UPDATE", "select", False), ("END", "commit", False), ("ROLLBACK TO s", "rollback to", False),
                ("COMMIT PREPARED 'x'", "other", False), ("INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET b = 1",
                                                          "insert", True)):
            with self.subTest(sql=sql):
                self.assertEqual((statement(sql).kind, statement(sql).writes), (kind, writes))

    def test_words_within_strings_are_none(self):
        one = statement("SELECT 'drop table t', $$;$$, E'\\';', \"select\", /* truncate */ 1 -- lock")
        self.assertEqual(one.words, "select 's' , 's' , 's' , select , 1")
        self.assertEqual(len(split("SELECT ';'; SELECT $a$;$a$;; ")), 2)

    def test_settings(self):
        for sql, setting in (("SET a = 1", ("a", "1")), ("SET LOCAL a.b TO 'x''y'", ("a.b", "x'y")),
                             ("SET TIME ZONE 'UTC'", ("timezone", "UTC")), ("RESET a", ("a", "")), ("SELECT 1", None)):
            self.assertEqual(statement(sql).setting(), setting)


if __name__ == "__main__":
    unittest.main(verbosity=2)
