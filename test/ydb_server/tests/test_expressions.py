"""Expressions, executed: what comes out of them for a row of values and for a row of NULLs."""

import datetime
import decimal
import math

import ydb

from ydb_server.tests.server_test_case import ServerTestCase, rows_of

_D = decimal.Decimal

# Of the row (k 2, s '12', i 7, l 8, u 9, x 1.5, v '5', b '6', m 1.25, n 1.50, y true, d 3), and of
# the row (k 1, s 'a') with NULL for the others.
_VALUES = {
    "k + l": (10, None), "i * 2": (14, None), "k / 2": (1, 0), "-7 / k": (-3, -7),
    "k % 0": (None, None), "x * k": (3.0, None), "x / 0": (math.inf, None),
    "m * 3": (_D("3.75"), None),
    "m / 3": (_D("0.416666667"), None), "m / 0": (None, None), "m - m": (0, None),
    "-m": (_D("-1.25"), None),
    "u / 2ul": (4, None), "d * d": (9, None), "4000000000": (4000000000,) * 2,
    "i <> 1": (True, None), "u > k": (True, None), "k > 1.5": (True, False), "v < s": (False, None),
    "v = b": (False, None), "b = '6'": (True, None), "y AND k = 1": (False, None),
    "y OR k = 1": (True, True), "y XOR true": (False, None), "NOT y": (False, None),
    "i IS NULL": (False, True), "k NOT IN (1, 3)": (True, False), "i IN (7, 8)": (True, None),
    "(k, s) IN ((1, 'a'), (2, 'b'))": (False, True), "(k, i) = (2, 7)": (True, False),
    "l IN (SELECT k FROM t)": (False, None), "k IN (SELECT k FROM t)": (True, True),
    "EXISTS (SELECT k FROM t WHERE k > 5)": (False, False),
    "k BETWEEN 2 AND 3": (True, False), "v NOT BETWEEN '4' AND '6'": (False, None),
    "s LIKE '1%'": (True, False), "v NOT LIKE '_'": (False, None),
    "i ?? 0": (7, 0), "i ?? l ?? 1": (7, 1), "COALESCE(x, 0)": (1.5, 0.0), "IF(y, 1)": (1, None),
    "IF(k > 1, i, 0)": (7, 0), "IF(y, v, s)": ("5", "a"), "Unwrap(i ?? Just(k))": (7, 1),
    "CASE WHEN k = 1 THEN 'a'u ELSE NULL END": (None, "a"),
    "CASE k WHEN 1 THEN 'a'u ELSE s END": ("12", "a"),
    "s || '!'": ("12!", "a!"), "b || 'x'": (b"6x", None), "Length(s)": (2, 1),
    "Unicode::Substring(s, 0, 1)": ("1", "a"), "Unicode::GetLength(v)": (1, None),
    "StartsWith(s, '1')": (True, False), "EndsWith(s, '2')": (True, False),
    "MAX_OF(k, 1)": (2, 1), "MIN_OF(k, 1)": (1, 1), "Abs(-m)": (_D("1.25"), None),
    "CAST(k AS Uint8)": (2, 1), "CAST(l - 9 AS Uint8)": (None, None), "CAST(u AS Int64)": (9, None),
    "CAST(s AS Int32)": (12, None), "CAST(v AS Decimal(22,9))": (5, None),
    "CAST(b AS Utf8)": ("6", None),
    "CAST(m AS Utf8)": ("1.25", None), "CAST(n AS Decimal(22,9))": (_D("1.5"), None),
    "CAST(l * 100 AS Decimal(4,2))": (None, None), "CAST(m AS Double)": (1.25, None),
    "CAST(y AS Int32)": (1, None), "NULL": (None, None), "'a\\\\b'u": ("a\\b",) * 2,
    "Timestamp('2024-01-01T00:00:00Z')": (datetime.datetime(2024, 1, 1),) * 2,
}

# Over both rows, and over the second alone.
_AGGREGATES = {
    "COUNT(*)": (2, 1), "COUNT(i)": (1, 0), "COUNT(DISTINCT k)": (2, 1), "SUM(k)": (3, 1),
    "SUM(u)": (9, None), "SUM(m * 2)": (_D("2.5"), None), "SUM(x)": (1.5, None),
    "MAX(s)": ("a", "a"),
    "MIN(b)": (b"6", None), "MAX(y)": (True, None), "AVG(k)": (1.5, 1.0), "SOME(v)": ("5", None),
    "COUNT_IF(y)": (1, 0), "SUM_IF(k, s = 'a')": (1, 1), "COALESCE(SUM(i), 0)": (7, 0),
    "MAX(k) - MIN(k) + 1 = COUNT(*)": (True, True),
}


class Expressions(ServerTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        driver = ydb.Driver(endpoint=cls.server.endpoint, database=cls.server.database)
        cls.addClassCleanup(driver.stop)
        driver.wait(60, fail_fast=True)
        cls.sessions = ydb.QuerySessionPool(driver)
        cls.addClassCleanup(cls.sessions.stop)
        cls.sessions.execute_with_retries("""
            CREATE TABLE t (k Int32 NOT NULL, s Utf8 NOT NULL, i Int32, l Int64, u Uint64, x Double,
                            v Utf8, b String, m Decimal(22,9), n Decimal(12,2), y Bool, d Uint8,
                            PRIMARY KEY (k))""")
        cls.sessions.execute_with_retries("""
            UPSERT INTO t (k, s) VALUES (1, 'a');
            UPSERT INTO t (k, s, i, l, u, x, v, b, m, n, y, d)
            VALUES (2, '12', 7, 8, 9, 1.5, '5', '6', Decimal('1.25', 22, 9),
                    Decimal('1.5', 12, 2), true, 3)""")

    def results(self, query):
        with self.sessions.checkout() as session:
            return tuple(row["r"] for row in rows_of(session.execute(query))[0])

    def test_values(self):
        for expression, expected in _VALUES.items():
            with self.subTest(expression):
                self.assertEqual(self.results(f"SELECT {expression} AS r FROM t ORDER BY k DESC"),
                                 expected)

    def test_aggregates(self):
        for expression, (both, second) in _AGGREGATES.items():
            with self.subTest(expression):
                self.assertEqual(self.results(f"SELECT {expression} AS r FROM t"), (both,))
                self.assertEqual(self.results(f"SELECT {expression} AS r FROM t WHERE k = 1"),
                                 (second,))
                self.assertEqual(self.results(f"SELECT {expression} AS r FROM t WHERE k = 1 "
                                              "GROUP BY s"), (second,))
                # Of no row at all: one group without GROUP BY, and none with it.
                self.assertEqual(len(self.results(f"SELECT {expression} AS r FROM t "
                                                  "WHERE k = 0")), 1)
                self.assertEqual(self.results(f"SELECT {expression} AS r FROM t WHERE k = 0 "
                                              "GROUP BY s"), ())
