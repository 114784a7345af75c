"""The official SDK at work: queries, transactions, tables, bulk upserts, without faults."""

import datetime
import decimal

import ydb

from ydb_server import protocol
from ydb_server.tests.server_test_case import (INT32, INT64, MONEY, UTF8, BareClient,
                                               ServerTestCase, int32, rows_of, typed)

_SUCCESS = protocol.status.SUCCESS


class Queries(ServerTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        driver = ydb.Driver(endpoint=cls.server.endpoint, database=cls.server.database)
        cls.addClassCleanup(driver.stop)
        driver.wait(30, fail_fast=True)
        cls.sessions = ydb.QuerySessionPool(driver)
        cls.addClassCleanup(cls.sessions.stop)
        cls.driver_of_class = driver
        cls.sessions.execute_with_retries("""
            CREATE TABLE t (k Int32 NOT NULL, v Utf8, n Int64, m Decimal(22,9), PRIMARY KEY (k));
            CREATE TABLE types (
                k Int32 NOT NULL, a Int8, b Int16, c Int64, d Uint8, e Uint16, f Uint32, g Uint64,
                h Double, i Bool, j String, l Utf8, m Timestamp, n Decimal(22,9), PRIMARY KEY (k));
            """)

    def setUp(self):
        super().setUp()
        self.query("DELETE FROM t")

    def query(self, text, parameters=None):
        return self.run_query(self.sessions, text, parameters)

    def one(self, text, parameters=None):
        ((row,),) = self.query(text, parameters)
        return row

    def fails(self, kind, text, parameters=None, words=""):
        with self.assertRaises(kind) as caught:
            self.query(text, parameters)
        self.assertIn(words, str(caught.exception))

    def test_every_type_there_and_back(self):
        primitive = ydb.PrimitiveType
        moment = datetime.datetime(2024, 2, 29, 12, 0, 0, 123456)
        row = {"k": (primitive.Int32, -5), "a": (primitive.Int8, -128),
               "b": (primitive.Int16, 32767), "c": (primitive.Int64, -(2 ** 63)),
               "d": (primitive.Uint8, 255), "e": (primitive.Uint16, 65535),
               "f": (primitive.Uint32, 2 ** 32 - 1), "g": (primitive.Uint64, 2 ** 64 - 1),
               "h": (primitive.Double, 0.1), "i": (primitive.Bool, True),
               "j": (primitive.String, b"\0\xff'"), "l": (primitive.Utf8, "Жук '\\\t\n\""),
               "m": (primitive.Timestamp, moment), "n": (MONEY, decimal.Decimal("-12.000000001"))}
        columns = ", ".join(row)
        self.query(f"UPSERT INTO types ({columns}) VALUES ({', '.join('$' + one for one in row)})",
                   {f"${name}": typed(*pair) for name, pair in row.items()})
        self.assertEqual(self.one(f"SELECT {columns} FROM types WHERE k = -5"),
                         {name: content for name, (_, content) in row.items()})
        self.query("UPSERT INTO types (k) VALUES (-6)")
        nulls = self.one(f"SELECT {columns} FROM types WHERE k = -6")
        self.assertEqual(nulls, {**dict.fromkeys(row), "k": -6})

    def test_upsert_insert_replace(self):
        self.query("UPSERT INTO t (k, v, n) VALUES (1, 'a', 1), (2, 'b', 2)")
        self.query("UPSERT INTO t (k, n) VALUES (1, 10)")
        self.query("REPLACE INTO t (k, n) VALUES (2, 20)")
        self.fails(ydb.PreconditionFailed, "INSERT INTO t (k) VALUES (1)", words="existing key")
        self.assertEqual(self.query("SELECT k, v, n FROM t ORDER BY k"),
                         [[{"k": 1, "v": "a", "n": 10}, {"k": 2, "v": None, "n": 20}]])

    def test_rows_of_a_parameter(self):
        kind = ydb.StructType()
        kind.add_member("v", ydb.OptionalType(UTF8))
        kind.add_member("k", INT32)
        rows = typed(ydb.ListType(kind), [{"k": 1, "v": "a"}, {"k": 2, "v": None}])
        text = """DECLARE $rows AS List<Struct<k: Int32, v: Utf8?>>;
                  UPSERT INTO t SELECT * FROM AS_TABLE($rows);"""
        self.query(text, {"$rows": rows})
        self.query(text, {"$rows": typed(ydb.ListType(kind), [])})
        self.assertEqual(self.query("SELECT k, v FROM t ORDER BY k"),
                         [[{"k": 1, "v": "a"}, {"k": 2, "v": None}]])
        self.query("""DECLARE $rows AS List<Struct<k: Int32, v: Utf8?>>;
                      UPDATE t ON SELECT k, 'x'u AS v FROM AS_TABLE($rows) WHERE v IS NULL;
                      DELETE FROM t ON SELECT k FROM AS_TABLE($rows) WHERE v = 'a';""",
                   {"$rows": rows})
        self.assertEqual(self.query("SELECT k, v FROM t"), [[{"k": 2, "v": "x"}]])

    def test_rows_of_every_type(self):
        primitive = ydb.PrimitiveType
        kinds = {"k": INT32, "b": primitive.Int16, "c": INT64, "f": primitive.Uint32,
                 "g": primitive.Uint64, "h": primitive.Double, "i": primitive.Bool,
                 "j": primitive.String, "l": UTF8, "m": primitive.Timestamp, "n": MONEY}
        struct = ydb.StructType()
        for name, kind in kinds.items():
            struct.add_member(name, kind if name == "k" else ydb.OptionalType(kind))
        rows = [{"k": 201, "b": -3, "c": 2 ** 40, "f": 2 ** 32 - 1, "g": 2 ** 64 - 1, "h": 0.1,
                 "i": False, "j": b"\0,{}\"", "l": "a,{}\"\\ NULL",
                 "m": datetime.datetime(2025, 1, 1), "n": decimal.Decimal("1.5")},
                {"k": 202, **dict.fromkeys(list(kinds)[1:])}]
        members = ", ".join(f"{name}: {types}" for name, types in zip(kinds, (
            "Int32", "Int16?", "Int64?", "Uint32?", "Uint64?", "Double?", "Bool?", "String?",
            "Utf8?", "Timestamp?", "Decimal(22,9)?")))
        for many in (rows, rows[1:]):
            self.query(f"DECLARE $rows AS List<Struct<{members}>>; "
                       "REPLACE INTO types SELECT * FROM AS_TABLE($rows)",
                       {"$rows": typed(ydb.ListType(struct), many)})
        self.assertEqual(self.query(f"SELECT {', '.join(kinds)} FROM types "
                                    "WHERE k BETWEEN 201 AND 202 ORDER BY k"), [rows])

    def test_changes_of_rows_joined_with_a_table(self):
        self.query("UPSERT INTO t (k, n) VALUES (1, 10), (2, 20), (3, 30)")
        kind = ydb.StructType()
        kind.add_member("k", INT32)
        kind.add_member("taken", INT64)
        self.query("""DECLARE $rows AS List<Struct<k: Int32, taken: Int64>>;
                      UPDATE t ON SELECT r.k AS k, t.n - r.taken AS n
                      FROM AS_TABLE($rows) AS r JOIN t ON t.k = r.k""",
                   {"$rows": typed(ydb.ListType(kind), [{"k": 1, "taken": 3},
                                                        {"k": 3, "taken": 5}])})
        self.assertEqual(self.query("SELECT n FROM t ORDER BY n"),
                         [[{"n": 7}, {"n": 20}, {"n": 25}]])

    def test_lists_and_tuples_of_a_parameter(self):
        self.query("UPSERT INTO t (k, n) VALUES (1, 1), (2, 2), (3, 3)")
        keys = typed(ydb.ListType(INT32), [1, 3, 5])
        self.assertEqual(self.query("DECLARE $keys AS List<Int32>; "
                                    "SELECT k FROM t WHERE k IN $keys ORDER BY k", {"$keys": keys}),
                         [[{"k": 1}, {"k": 3}]])
        pairs = typed(ydb.ListType(ydb.TupleType().add_element(INT32).add_element(INT64)),
                      [(1, 1), (2, 3)])
        self.assertEqual(self.query("SELECT k FROM t WHERE (k, n) IN $pairs", {"$pairs": pairs}),
                         [[{"k": 1}]])

    def test_several_result_sets(self):
        self.query("UPSERT INTO t (k) VALUES (1), (2)")
        self.assertEqual(self.query("SELECT COUNT(*) AS c FROM t; SELECT k FROM t WHERE k > 5; "
                                    "UPDATE t SET n = 7 WHERE k = 2 RETURNING n; "
                                    "SELECT MAX(n) AS m FROM t"),
                         [[{"c": 2}], [], [{"n": 7}], [{"m": 7}]])

    def test_null_is_least_and_text_is_bytes(self):
        self.query("UPSERT INTO t (k, v) VALUES (1, 'b'), (2, NULL), (3, 'B'), (4, 'a'), (5, 'Ж')")
        self.assertEqual(self.query("SELECT k FROM t ORDER BY v; SELECT k FROM t ORDER BY v DESC"),
                         [[{"k": k} for k in (2, 3, 4, 1, 5)], [{"k": k} for k in (5, 1, 4, 3, 2)]])

    def test_arithmetic_as_yql_does_it(self):
        self.assertEqual(self.one("""
            SELECT 7 / 2 AS a, -7 / 2 AS b, 7 % 0 AS c, 1.0 / 0.0 AS d,
                   CAST('12x' AS Int32) AS e, CAST('300' AS Uint8) AS f,
                   Decimal('1', 22, 9) / 3 AS g, NULL ?? 5 AS h, 1 ?? 2 AS i,
                   'a' || 'b' AS j, CAST(Decimal('1.50', 22, 9) AS Utf8) AS l"""),
            {"a": 3, "b": -3, "c": None, "d": float("inf"), "e": None, "f": None,
             "g": decimal.Decimal("0.333333333"), "h": 5, "i": 1, "j": b"ab", "l": "1.5"})
        self.fails(ydb.PreconditionFailed, "SELECT Unwrap(Just(1)) AS a, "
                   "Unwrap(CAST('x' AS Int32), 'no number') AS b", words="no number")
        self.fails(ydb.GenericError, "SELECT 2147483647 + 1 AS a", words="out of range")

    def test_groups_and_joins(self):
        self.query("UPSERT INTO t (k, v, n) VALUES (1, 'a', 1), (2, 'a', 2), (3, 'b', 3)")
        self.assertEqual(self.query("""
            SELECT v, COUNT(*) AS c, SUM(n) AS s FROM t GROUP BY v HAVING COUNT(*) > 1;
            SELECT a.k AS k, b.k AS other FROM t AS a LEFT JOIN
                (SELECT * FROM t WHERE n = 3) AS b ON b.v = a.v ORDER BY k;
            SELECT k FROM t LEFT ONLY JOIN (SELECT v FROM t WHERE n = 2) AS b USING (v);
            $best = (SELECT MAX(n) AS m FROM t);
            SELECT k FROM t WHERE n = $best;
            SELECT k FROM t WHERE k NOT IN (SELECT k FROM t WHERE v = 'a')"""),
            [[{"v": "a", "c": 2, "s": 3}],
             [{"k": 1, "other": None}, {"k": 2, "other": None}, {"k": 3, "other": 3}],
             [{"k": 3}], [{"k": 3}], [{"k": 3}]])

    def test_parameters_that_are_wrong(self):
        text = "DECLARE $k AS Int32; SELECT $k AS k"
        self.fails(ydb.BadRequest, text, words="Missing value for parameter: $k")
        self.fails(ydb.BadRequest, text, {"$k": typed(INT64, 1)},
                   words="Parameter $k type mismatch, expected: Int32, actual: Int64")
        self.fails(ydb.BadRequest, text, {"$k": typed(ydb.OptionalType(INT32), None)}, "mismatch")
        self.assertEqual(self.one("DECLARE $k AS Int32?; SELECT $k AS k"), {"k": None})

    def test_errors_say_the_place(self):
        with self.assertRaises(ydb.GenericError) as caught:
            self.query("SELECT k\nFROM t WHERE w = 1")
        (issue,) = caught.exception.issues
        self.assertEqual((issue.message, issue.issues[0].position.row,
                          issue.issues[0].position.column), ("Type annotation", 2, 14))
        self.fails(ydb.SchemeError, "SELECT 1 FROM nowhere", words="Cannot find table")
        self.fails(ydb.Unsupported, "SELECT k FROM t SAMPLE 0.1", words="subset")

    def test_transaction_commits_and_rolls_back(self):
        with self.sessions.checkout() as session:
            with session.transaction() as tx:
                rows_of(tx.execute("UPSERT INTO t (k) VALUES (1)"))
                self.assertEqual(rows_of(tx.execute("SELECT k FROM t")), [[{"k": 1}]])
                self.assertEqual(self.query("SELECT k FROM t"), [[]])
                tx.commit()
            with session.transaction() as tx:
                rows_of(tx.execute("UPSERT INTO t (k) VALUES (2)"))
                tx.rollback()
            tx = session.transaction().begin()
            rows_of(tx.execute("UPSERT INTO t (k) VALUES (3)", commit_tx=True))
        self.assertEqual(self.query("SELECT k FROM t ORDER BY k"), [[{"k": 1}, {"k": 3}]])

    def test_an_error_ends_the_transaction(self):
        with self.sessions.checkout() as session:
            tx = session.transaction().begin()
            identity = tx.tx_id
            with self.assertRaises(ydb.PreconditionFailed):
                rows_of(tx.execute("UPSERT INTO t (k) VALUES (1); INSERT INTO t (k) VALUES (1)"))
            self.assertEqual(self.query("SELECT k FROM t"), [[]])
            bare = BareClient(self.server)
            self.addCleanup(bare.close)
            bare.open_session()
            control = protocol.query.TransactionControl(tx_id=identity)
            self.assertEqual(bare.status_of("SELECT 1", tx_control=control), "NOT_FOUND")

    def test_of_two_that_conflict_one_is_aborted(self):
        self.query("UPSERT INTO t (k, n) VALUES (1, 0)")
        with self.sessions.checkout() as one, self.sessions.checkout() as other:
            first, second = one.transaction().begin(), other.transaction().begin()
            for tx in (first, second):
                rows_of(tx.execute("SELECT n FROM t WHERE k = 1"))
            rows_of(first.execute("UPSERT INTO t (k, n) VALUES (1, 1)", commit_tx=True))
            with self.assertRaises(ydb.Aborted):
                rows_of(second.execute("UPSERT INTO t (k, n) VALUES (1, 2)", commit_tx=True))
        self.assertEqual(self.one("SELECT n FROM t"), {"n": 1})

    def test_what_was_only_read_conflicts_too(self):
        """Write skew: each reads what the other writes."""
        self.query("UPSERT INTO t (k, n) VALUES (1, 0), (2, 0)")
        with self.sessions.checkout() as one, self.sessions.checkout() as other:
            first, second = one.transaction().begin(), other.transaction().begin()
            rows_of(first.execute("SELECT n FROM t WHERE k = 1"))
            rows_of(second.execute("SELECT n FROM t WHERE k = 2"))
            rows_of(first.execute("UPSERT INTO t (k, n) VALUES (2, 1)"))
            with self.assertRaises(ydb.Aborted):
                rows_of(second.execute("UPSERT INTO t (k, n) VALUES (1, 1)"))
                first.commit()
                second.commit()

    def test_read_only_modes(self):
        with self.sessions.checkout() as session:
            tx = session.transaction(ydb.QuerySnapshotReadOnly()).begin()
            with self.assertRaises(ydb.GenericError):
                rows_of(tx.execute("UPSERT INTO t (k) VALUES (1)"))
            with session.transaction(ydb.QueryStaleReadOnly()) as tx:
                with self.assertRaises(ydb.BadRequest):
                    rows_of(tx.execute("SELECT 1"))
            with session.transaction(ydb.QueryOnlineReadOnly()) as tx:
                self.assertEqual(rows_of(tx.execute("SELECT 1 AS a", commit_tx=True)), [[{"a": 1}]])

    def test_no_scheme_in_a_transaction(self):
        with self.sessions.checkout() as session, session.transaction() as tx:
            with self.assertRaises(ydb.PreconditionFailed):
                rows_of(tx.execute("DROP TABLE t"))

    def test_bulk_upsert(self):
        client = self.driver_of_class.table_client
        path = f"{self.server.database}/t"
        types = (ydb.BulkUpsertColumns().add_column("k", INT32)
                 .add_column("v", ydb.OptionalType(UTF8)).add_column("m", MONEY))
        many = [{"k": k, "v": f"v\t{k}\\", "m": decimal.Decimal(k) / 4} for k in range(3000)]
        client.bulk_upsert(path, many, types)
        # Once more and with another row: what is there is changed; of one key twice, the last.
        client.bulk_upsert(path, [{"k": 1, "v": "x", "m": decimal.Decimal(0)},
                                  {"k": 1, "v": None, "m": decimal.Decimal(1)},
                                  {"k": 9000, "v": "y", "m": decimal.Decimal(2)}], types)
        total = decimal.Decimal(2999 * 3000) / 8 + decimal.Decimal("2.75")
        self.assertEqual(self.one("SELECT COUNT(*) AS c, SUM(m) AS s FROM t"),
                         {"c": 3001, "s": total})
        self.assertEqual(self.query("SELECT v FROM t WHERE k IN (1, 2) ORDER BY k"),
                         [[{"v": None}, {"v": "v\t2\\"}]])
        for columns, row, words in (
                (ydb.BulkUpsertColumns().add_column("k", INT64), {"k": 1}, "Type mismatch"),
                (ydb.BulkUpsertColumns().add_column("v", UTF8), {"v": "a"}, "Missing key"),
                (ydb.BulkUpsertColumns().add_column("z", INT32), {"z": 1}, "Unknown column"),
                (ydb.BulkUpsertColumns().add_column("k", ydb.OptionalType(INT32)), {"k": None},
                 "NULL")):
            with self.assertRaisesRegex((ydb.SchemeError, ydb.BadRequest), words):
                client.bulk_upsert(path, [row], columns)
        with self.assertRaises(ydb.SchemeError):
            client.bulk_upsert(path + "/none", [{"k": 1}],
                               ydb.BulkUpsertColumns().add_column("k", INT32))

    def test_bulk_upsert_of_every_type(self):
        primitive = ydb.PrimitiveType
        kinds = {"a": primitive.Int8, "c": INT64, "d": primitive.Uint8, "g": primitive.Uint64,
                 "h": primitive.Double, "i": primitive.Bool, "j": primitive.String, "l": UTF8,
                 "m": primitive.Timestamp, "n": MONEY}
        columns = ydb.BulkUpsertColumns().add_column("k", INT32)
        for name, kind in kinds.items():
            columns.add_column(name, ydb.OptionalType(kind))
        epoch = datetime.datetime(1970, 1, 1)
        rows = [{"k": 101, "a": 0, "c": 0, "d": 0, "g": 0, "h": 0.0, "i": False, "j": b"", "l": "",
                 "m": epoch, "n": decimal.Decimal(0)},
                {"k": 102, "a": -1, "c": -(2 ** 63), "d": 255, "g": 2 ** 64 - 1, "h": -1e300,
                 "i": True, "j": b"\0\\\xff", "l": "\\N\t\n\r", "m": epoch.replace(year=2100),
                 "n": decimal.Decimal("-0.000000001")},
                {"k": 103, **dict.fromkeys(kinds)}]
        self.driver_of_class.table_client.bulk_upsert(f"{self.server.database}/types", rows,
                                                      columns)
        names = ", ".join(rows[0])
        self.assertEqual(self.query(f"SELECT {names} FROM types WHERE k > 100 ORDER BY k"), [rows])

    def test_execute_with_retries_counts_as_committed(self):
        before = self.server.state()["transactions"]["committed"]
        self.sessions.execute_with_retries("UPSERT INTO t (k) VALUES (1)")
        self.assertEqual(self.server.state()["transactions"]["committed"], before + 1)
        self.assertEqual(self.server.state()["transactions"]["open"], 0)

    def test_a_text_is_compiled_once(self):
        text = "DECLARE $k AS Int32; SELECT $k + 41 AS k"
        before = self.server.state()["compiled"]
        for number in range(3):
            self.assertEqual(self.one(text, {"$k": int32(number)}), {"k": number + 41})
        self.assertEqual(self.server.state()["compiled"], before + 1)


class Streams(ServerTestCase):
    def setUp(self):
        super().setUp()
        self.bare = BareClient(self.server)
        self.addCleanup(self.bare.close)
        self.bare.open_session()

    def parts(self, text, **more):
        return list(self.bare.execute(text, **more))

    def rows(self, parts, index=0):
        return [row.items[0].int32_value for part in parts if part.HasField("result_set")
                and part.result_set_index == index for row in part.result_set.rows]

    def test_a_large_result_comes_in_parts(self):
        self.parts("CREATE TABLE large (k Int32 NOT NULL, PRIMARY KEY (k))")
        values = ", ".join(f"({k})" for k in range(2500))
        self.parts(f"UPSERT INTO large (k) VALUES {values}")
        parts = self.parts("SELECT k FROM large ORDER BY k; SELECT 1 AS one")
        self.assertEqual([len(part.result_set.rows) for part in parts], [1000, 1000, 500, 1, 0])
        self.assertEqual(self.rows(parts), list(range(2500)))
        self.assertFalse(any(part.result_set.truncated for part in parts))
        self.assertEqual([len(part.result_set.columns) for part in parts], [1, 1, 1, 1, 0])
        # A request may want smaller ones; FIRST_ONLY leaves the columns out of the others.
        parts = self.parts("SELECT k FROM large ORDER BY k", response_part_limit_bytes=900,
                           schema_inclusion_mode=2)
        self.assertGreater(len(parts), 20)
        self.assertEqual(self.rows(parts), list(range(2500)))
        self.assertEqual(sum(len(part.result_set.columns) for part in parts), 1)

    def test_results_at_the_same_time(self):
        self.server.settings(part_rows=2)
        self.addCleanup(self.server.settings, part_rows=1000)
        self.parts("CREATE TABLE few (k Int32 NOT NULL, v Utf8, PRIMARY KEY (k))")
        self.parts("UPSERT INTO few (k) VALUES (1), (2), (3), (4), (5)")
        text = "SELECT k FROM few WHERE k < 4; SELECT k FROM few"
        parts = self.parts(text, concurrent_result_sets=True)
        self.assertEqual([(part.result_set_index, len(part.result_set.rows)) for part in parts],
                         [(1, 2), (0, 2), (1, 2), (0, 1), (1, 1), (0, 0)])
        # Of what changes rows nobody asks for that.
        for change in ("UPSERT INTO few (k) VALUES (1)",
                       "UPDATE few SET v = 'a' WHERE k = 1 RETURNING k"):
            self.assertEqual(self.bare.status_of(f"{text}; {change}", concurrent_result_sets=True),
                             "BAD_REQUEST")

    def test_where_the_transaction_is(self):
        self.addCleanup(self.server.settings, transaction_in="last")
        for where, expected in (("first", [True, False, False]), ("last", [False, False, True]),
                                ("every", [True, True, True])):
            self.server.settings(transaction_in=where)
            parts = self.parts("SELECT 1 AS a; SELECT 2 AS b", tx_control=self.bare.begin())
            self.assertEqual([bool(part.tx_meta.id) for part in parts], expected)
        self.assertFalse(any(part.tx_meta.id for part in self.parts("SELECT 1 AS a")))

    def test_no_result_set_is_still_a_part(self):
        self.parts("CREATE TABLE empty (k Int32 NOT NULL, PRIMARY KEY (k))")
        (part,) = self.parts("DELETE FROM empty", stats_mode=20)
        self.assertEqual(part.status, _SUCCESS)
        self.assertFalse(part.HasField("result_set"))
        self.assertGreater(part.exec_stats.total_duration_us, 0)

    def test_types_of_the_columns(self):
        self.parts("CREATE TABLE typed (k Int32 NOT NULL, v Utf8, w Utf8 NOT NULL, "
                   "PRIMARY KEY (k))")
        part = self.parts("SELECT k, v, w FROM typed")[0]
        kinds = [column.type.WhichOneof("type") for column in part.result_set.columns]
        self.assertEqual(kinds, ["type_id", "optional_type", "type_id"])
