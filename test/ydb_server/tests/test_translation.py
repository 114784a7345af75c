"""What the compiler makes of YQL, and above all what it does not take."""

import unittest

from ydb_server import table_definition
from ydb_server.catalog import BUILDING, Catalog
from ydb_server.error import YdbError
from ydb_server.yql.statement_compiler import compile_text

_TABLES = """
CREATE TABLE t (
    k Int32 NOT NULL, s Utf8 NOT NULL, i Int32, l Int64, u Uint64, x Double, v Utf8, b String,
    m Decimal(22,9), n Decimal(12,2), c Timestamp, y Bool,
    PRIMARY KEY (k), INDEX by_v GLOBAL ON (v), INDEX slow GLOBAL ASYNC ON (i) COVER (l)
);
CREATE TABLE p (a Int32 NOT NULL, b Int64 NOT NULL, v Utf8, PRIMARY KEY (a, b)) WITH (
    AUTO_PARTITIONING_BY_LOAD = DISABLED, PARTITION_AT_KEYS = ((1, 5), (2), (3)));
"""


class TranslationTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.catalog = Catalog("/Root/test", "ydb")
        program = compile_text(_TABLES, cls.catalog, {})
        for node in program.scheme:
            path = program.context.path(node.name, node.place)
            cls.catalog.add(table_definition.define(node, path, cls.catalog, program.context))
        cls.catalog.tables["/Root/test/t"].indexes["slow"].state = BUILDING

    def compile(self, text, types=None):
        return compile_text(text, self.catalog, types or {}).steps

    def columns(self, text):
        """name: type of the only result."""
        (step,) = [step for step in self.compile(text) if step.columns]
        return {name: str(kind) for name, kind in step.columns}

    def types_of(self, *expressions):
        listed = ", ".join(f"{one} AS c{n}" for n, one in enumerate(expressions))
        return list(self.columns(f"SELECT {listed} FROM t").values())

    def refuses(self, text, words, place=None):
        with self.assertRaises(YdbError, msg=text) as caught:
            self.compile(text)
        self.assertIn(words, caught.exception.message, text)
        if place:
            self.assertEqual(caught.exception.place, place, text)
        return caught.exception


class Types(TranslationTest):
    def test_of_columns(self):
        self.assertEqual(self.columns("SELECT k, s, i FROM t"),
                         {"k": "Int32", "s": "Utf8", "i": "Optional<Int32>"})

    def test_of_arithmetic(self):
        self.assertEqual(self.types_of("k + 1", "k + l", "i * 2", "k / 2", "x * k", "m * 3", "-l",
                                       "u + 1", "4000000000", "c - c"),
                         ["Int32", "Optional<Int64>", "Optional<Int32>", "Optional<Int32>",
                          "Optional<Double>", "Optional<Decimal(22,9)>", "Optional<Int64>",
                          "Optional<Uint64>", "Int64", "Optional<Interval>"])

    def test_of_conditions(self):
        self.assertEqual(self.types_of("k = 1", "i = 1", "i IS NULL", "k IN (1, 2)",
                                       "NOT y", "v LIKE 'a%'", "k BETWEEN 1 AND 2"),
                         ["Bool", "Optional<Bool>", "Bool", "Bool", "Optional<Bool>",
                          "Optional<Bool>", "Bool"])

    def test_of_functions(self):
        self.assertEqual(self.types_of("COALESCE(i, 0)", "i ?? l", "IF(k > 1, i, 0)", "Unwrap(i)",
                                       "CASE WHEN k = 1 THEN 'a'u ELSE NULL END", "s || '!'",
                                       "Unicode::Substring(v, 0, 500)", "MAX_OF(k, 1)"),
                         ["Int32", "Optional<Int64>", "Optional<Int32>", "Int32", "Optional<Utf8>",
                          "Utf8", "Optional<Utf8>", "Int32"])

    def test_of_casts(self):
        self.assertEqual(self.types_of("CAST(k AS Int64)", "CAST(k AS Int16)", "CAST(s AS Int32)",
                                       "CAST(k AS Utf8)", "CAST(n AS Decimal(22,9))",
                                       "CAST(k AS Decimal(22,9))", "CAST(u AS Timestamp)",
                                       "CAST(NULL AS Utf8?)"),
                         ["Int64", "Optional<Int16>", "Optional<Int32>", "Utf8",
                          "Optional<Decimal(22,9)>", "Decimal(22,9)", "Optional<Timestamp>",
                          "Optional<Utf8>"])

    def test_of_aggregates(self):
        text = "SELECT COUNT(*) AS a, SUM(k) AS b, MAX(s) AS c, AVG(i) AS d, SUM(m) AS e FROM t"
        self.assertEqual(list(self.columns(text).values()),
                         ["Uint64", "Optional<Int64>", "Optional<Utf8>", "Optional<Double>",
                          "Optional<Decimal(35,9)>"])
        # A group has a row, so that there is something to sum.
        self.assertEqual(list(self.columns(text + " GROUP BY v").values()),
                         ["Uint64", "Int64", "Utf8", "Optional<Double>", "Optional<Decimal(35,9)>"])

    def test_of_joins(self):
        text = "SELECT t.k AS k, p.a AS a FROM t {} JOIN p ON p.a = t.k"
        for kind, k, a in (("", "Int32", "Int32"), ("LEFT", "Int32", "Optional<Int32>"),
                           ("RIGHT", "Optional<Int32>", "Int32"),
                           ("FULL", "Optional<Int32>", "Optional<Int32>")):
            self.assertEqual(self.columns(text.format(kind)), {"k": k, "a": a})

    def test_of_named_expressions(self):
        self.assertEqual(self.columns("$a = SELECT MAX(k) AS m FROM t; $b = $a + 1; "
                                      "SELECT $a AS a, $b AS b"),
                         {"a": "Optional<Int32>", "b": "Optional<Int32>"})

    def test_of_returning(self):
        self.assertEqual(self.columns("UPDATE t SET i = i + 1 WHERE k = 1 RETURNING k, i"),
                         {"k": "Int32", "i": "Optional<Int32>"})

    def test_of_all_columns(self):
        self.assertEqual(list(self.columns("SELECT * FROM p")), ["a", "b", "v"])

    def test_names_of_columns(self):
        self.assertEqual(list(self.columns("SELECT t.k, 1, i AS `a b` FROM t AS t")),
                         ["k", "column1", "a b"])


class Refusals(TranslationTest):
    def test_say_the_place(self):
        self.refuses("SELECT k\nFROM t\nWHERE nothing = 1", "Member not found: nothing", (3, 7))
        self.refuses("SELECT k FROM t WHERE", "an expression was expected", (1, 22))
        self.refuses("SELECT k,\n 'abc FROM t", "does not end", (2, 2))

    def test_unknown_words(self):
        for text, word in (("SELECT k FROM t x", "alias without AS"), ("GRANT a TO b", "GRANT"),
                           ("SELECT Foo(k) FROM t", "the function Foo"),
                           ("PRAGMA yt.a = '1'", "PRAGMA yt"),
                           ("PRAGMA Warning('x')", "PRAGMA Warning"),
                           ("SELECT k FROM t, p", "CROSS JOIN"),
                           ("SELECT k FROM t UNION SELECT k FROM t", "UNION without ALL"),
                           ("SELECT SUM(k) OVER w FROM t", "a window function"),
                           ("DECLARE $a AS Dict<Int32,Int32>; SELECT 1", "the type 'Dict'"),
                           ("SELECT Math::Round(x) FROM t", "Math::Round")):
            self.refuses(text, word)

    def test_types_that_do_not_meet(self):
        for text in ("k = 'a'", "s = 1", "v = c", "m = k", "m = n", "y = 1"):
            with self.assertRaises(YdbError, msg=text):
                self.compile(f"SELECT k FROM t WHERE {text}")
        for text, words in (("m + n", "Decimal"), ("m + 1", "Decimal"), ("u - k", "wrap"),
                            ("s + s", "Cannot compute"), ("COALESCE(i, 'a')", "common"),
                            ("CAST(x AS Int32)", "CAST"), ("i = NULL", "IS NULL"),
                            ("IF(i, 1, 2)", "bool"), ("Unwrap(k)", "Optional")):
            self.refuses(f"SELECT {text} AS r FROM t", words)

    def test_writes(self):
        for text, words in (
                ("UPSERT INTO t (s) VALUES ('a')", "Missing key column in input: k"),
                ("UPSERT INTO t (k) VALUES (1)", "Missing not null column in input: s"),
                ("UPSERT INTO t (k, s) VALUES (NULL, 'a')", "NULL or optional value to column: k"),
                ("UPSERT INTO t (k, s) VALUES (Just(1), 'a')", "NULL or optional"),
                ("UPSERT INTO t (k, s, i) VALUES (1, 'a', 5000000000)", "Failed to convert 'i'"),
                ("UPSERT INTO t (k, s, m) VALUES (1, 'a', 1.5)", "Failed to convert 'm'"),
                ("UPSERT INTO t (k, s, v) SELECT k, s, b AS v FROM t", "Failed to convert 'v'"),
                ("UPSERT INTO t (k, s, z) VALUES (1, 'a', 1)", "Member not found: z"),
                ("UPSERT INTO t (k, s) VALUES (1)", "VALUES have 1 columns"),
                ("UPSERT INTO t (s, k) SELECT k, s FROM t", "another order"),
                ("UPDATE t SET k = 1", "Cannot update primary key column: k"),
                ("UPDATE t SET s = v", "NULL or optional"),
                ("UPDATE p ON SELECT a, v FROM p", "Missing key column in input: b"),
                ("DELETE FROM p ON SELECT a, b, v FROM p", "the key alone"),
                ("UPSERT INTO nothing (k) VALUES (1)", "Cannot find table"),
                ("INSERT INTO t VALUES (1)", "names of the columns"),
                ("UPDATE t SET i = 1 RETURNING i + 1 AS j", "';' was expected"),
                ("UPDATE t SET i = 1 RETURNING i AS j", "';' was expected"),
                ("UPSERT INTO t (k, s,) VALUES (1, 'a')", "a column was expected"),
                ("UPSERT INTO t (k, s) VALUES (1, 'a',)", "an expression was expected")):
            self.refuses(text, words)

    def test_case_without_else(self):
        for text in ("CASE WHEN k = 1 THEN 'a'u END", "CASE k WHEN 1 THEN 'a' WHEN 2 THEN 'b' END"):
            self.refuses(f"SELECT {text} AS r FROM t", "ELSE is required")

    def test_selects_inside_of_expressions(self):
        select = "(SELECT MAX(k) FROM t)"
        for text in (f"$x = COALESCE({select}, 0); SELECT $x AS x",
                     f"$x = -{select}; SELECT $x", f"SELECT {select} AS x",
                     f"SELECT k FROM t WHERE k = {select}", f"SELECT k FROM t LIMIT {select}",
                     f"SELECT k FROM t ORDER BY {select}",
                     f"SELECT k FROM t WHERE k IN (1, {select})",
                     f"SELECT IF({select} > 1, 1, 2) AS x", f"UPDATE t SET i = {select}",
                     f"UPSERT INTO t (k, s) VALUES ({select}, 'a')"):
            self.refuses(text, "a select inside of an expression")
        self.refuses(f"$x = {select} + 1; SELECT $x", "';' was expected")
        # As a whole it is a named expression; and IN and EXISTS have selects of their own.
        self.compile(f"$x = {select}; SELECT k FROM t WHERE k = $x AND k IN (SELECT a FROM p) "
                     "AND k NOT IN (SELECT a FROM p) AND EXISTS (SELECT a FROM p)")

    def test_the_binding_of_not(self):
        """As tight as a sign: `NOT a = b` is `(NOT a) = b`."""
        for text, words in (("NOT k = 1", "bool"), ("NOT k IS NULL", "bool"),
                            ("NOT k IN (1, 2)", "bool"), ("NOT NOT y", "an expression was"),
                            ("- -k = 1", "an expression was"), ("k IS NULL = y", "';' was"),
                            ("k = 1 IS NULL", "';' was"), ("k IN (1) = y", "';' was")):
            self.refuses(f"SELECT k FROM t WHERE {text}", words)
        self.compile("SELECT k FROM t "
                     "WHERE NOT (k = 1) AND NOT COALESCE(y, false) AND k NOT IN (1)")

    def test_words_that_begin_no_expression(self):
        for word in ("List", "Struct", "any", "column", "rollup", "window"):
            self.refuses(f"SELECT {word} AS a FROM t", "an expression was expected")

    def test_commas_at_the_end(self):
        self.compile("SELECT k, s, FROM t WHERE k IN (1, 2,)")
        self.compile("DECLARE $x AS List<Struct<a: Int32, b: Tuple<Int32, Int32,>,>>; SELECT 1")
        for text in ("DECLARE $x AS List<Int32,>; SELECT 1", "SELECT k FROM t GROUP BY k,",
                     "SELECT k FROM t ORDER BY k,", "SELECT k FROM t JOIN p USING (k,)"):
            with self.assertRaises(YdbError, msg=text):
                self.compile(text)

    def test_declarations_behind_statements(self):
        self.refuses("SELECT 1 AS x; DECLARE $x AS Int32", "DECLARE behind a statement")
        self.refuses('$x = 1; PRAGMA TablePathPrefix("/Root/test"); SELECT $x', "PRAGMA behind")

    def test_selects(self):
        for text, words in (
                ("SELECT v, COUNT(*) AS c FROM t", "must either be a key column in GROUP BY"),
                ("SELECT v FROM t GROUP BY s", "must either be a key column in GROUP BY"),
                ("SELECT k FROM t WHERE COUNT(*) > 1", "not allowed here"),
                ("SELECT k FROM t WHERE i", "Expected bool"),
                ("SELECT k, k FROM t", "Duplicated member: k"),
                ("SELECT k FROM t VIEW nothing", "index name: nothing"),
                ("SELECT k FROM t VIEW slow", "not ready"),
                ("SELECT v FROM t JOIN p ON p.a = t.k", "more than one source"),
                ("SELECT k FROM t JOIN p ON p.a > t.k", "equalities"),
                ("SELECT k FROM t JOIN p ON p.a = t.k AND t.k = 1", "WHERE"),
                ("SELECT k FROM t JOIN p ON a = t.k", "column requires correlation name"),
                ("SELECT k FROM t JOIN (SELECT a FROM p) ON p.a = t.k", "missing correlation name"),
                ("$p = (SELECT a FROM p); SELECT k FROM $p JOIN t ON t.k = p.a",
                 "missing correlation name"),
                ("SELECT k % 2 AS odd, COUNT(*) AS c FROM t GROUP BY k % 2", "without an alias"),
                ("SELECT k % 2 AS r, COUNT(*) AS c FROM t GROUP BY k % 2 AS odd",
                 "must either be a key column"),
                ("SELECT k, COUNT(*) AS c FROM t GROUP BY k AS key", "must either be a key column"),
                ("SELECT k FROM t OFFSET 1", "';' was expected"),
                ("SELECT z.k FROM t", "Unknown correlation name: z"),
                ("SELECT k FROM t WHERE k IN (SELECT a FROM p WHERE p.b = t.l)",
                 "Unknown correlation name: t"),
                ("SELECT k FROM t LIMIT 'a'", "LIMIT wants a Uint64"),
                ("SELECT $x AS x", "Unknown name: $x"),
                ("SELECT k FROM `/elsewhere/t`", "not in the database")):
            self.refuses(text, words)

    def test_parameters(self):
        self.refuses("DECLARE $x AS List<Int32>; SELECT $x AS x", "behind IN or in AS_TABLE")
        self.refuses("DECLARE $x AS Int32; SELECT * FROM AS_TABLE($x)", "List<Struct")
        self.refuses("DECLARE $x AS Int32; DECLARE $x AS Int32; SELECT 1", "Duplicate declaration")
        self.refuses("DECLARE $x AS List<Tuple<Int32,Int32>>; SELECT k FROM t WHERE k IN $x",
                     "Can't compare")

    def test_a_named_expression_is_no_variable(self):
        changed = "$a = SELECT MAX(i) AS m FROM t; UPDATE t SET i = 0; "
        self.refuses(changed + "SELECT $a AS a", "has changed")
        # In the same statement it reads before the change.
        self.compile("$a = SELECT k, s FROM t; UPSERT INTO t SELECT * FROM $a")
        # And of another table it does not matter.
        self.compile("$a = SELECT MAX(a) AS m FROM p; UPDATE t SET i = 0; SELECT $a AS a")

    def test_scheme_and_data_do_not_mix(self):
        self.refuses("DROP TABLE t; SELECT 1", "mixed")

    def test_tables(self):
        for text, words in (
                ("CREATE TABLE z (a Int32, PRIMARY KEY (a))", "NOT NULL"),
                ("CREATE TABLE z (a Int32 NOT NULL)", "one PRIMARY KEY"),
                ("CREATE TABLE z (a Int32 NOT NULL, PRIMARY KEY (b))", "Undefined column: b"),
                ("CREATE TABLE z (a Double NOT NULL, PRIMARY KEY (a))", "wrong key type"),
                ("CREATE TABLE z (a Int32 NOT NULL, a Int32, PRIMARY KEY (a))", "Duplicate"),
                ("CREATE TABLE z (a Int32 NOT NULL DEFAULT 1, PRIMARY KEY (a))", "DEFAULT"),
                ("CREATE TABLE z (a Int32 NOT NULL, PRIMARY KEY (a), INDEX i GLOBAL ON (b))",
                 "Member not found: b"),
                ("CREATE TABLE z (a Int32 NOT NULL, PRIMARY KEY (a)) WITH (TTL = 1)", "TTL"),
                ("CREATE TABLE z (a Int32 NOT NULL, PRIMARY KEY (a)) WITH "
                 "(PARTITION_AT_KEYS = (2, 1))", "ascending"),
                ("CREATE TABLE z (a Int32 NOT NULL, PRIMARY KEY (a)) WITH "
                 "(PARTITION_AT_KEYS = ('a'))", "literal of Int32"),
                ("CREATE TABLE z (a Int32 NOT NULL, PRIMARY KEY (a)) WITH "
                 "(PARTITION_AT_KEYS = ((1, 2)))", "more values"),
                ("CREATE TABLE z (a Int32 NOT NULL, b Utf8 NOT NULL, PRIMARY KEY (a, b)) WITH "
                 "(PARTITION_AT_KEYS = ((1, 2)))", "literal of Utf8"),
                ("CREATE TABLE z (a Int32 NOT NULL, b Utf8 NOT NULL, PRIMARY KEY (a, b)) WITH "
                 "(PARTITION_AT_KEYS = ((1, 'b'), (1, 'a')))", "ascending"),
                ("CREATE TABLE z (a Int32 NOT NULL, PRIMARY KEY (a)) WITH "
                 "(PARTITION_AT_KEYS = ((1), 2))", "'(' was expected"),
                ("CREATE TABLE z (a Int32 NOT NULL, PRIMARY KEY (a)) WITH "
                 "(PARTITION_AT_KEYS = (-1, 2))", "a literal was expected"),
                ("CREATE TABLE z (a Int32 NOT NULL, PRIMARY KEY (a)) WITH "
                 "(PARTITION_AT_KEYS = (1, 2,))", "a literal was expected"),
                ("CREATE TABLE z (a Int32 NOT NULL, PRIMARY KEY (a)) WITH (STORE = ROW,)",
                 "a setting was expected"),
                ("CREATE TABLE z (a Int32 NOT NULL, PRIMARY KEY (a,))", "a column was expected"),
                ("CREATE TABLE z (a Int32 NOT NULL, PRIMARY KEY (a)) WITH "
                 "(AUTO_PARTITIONING_MIN_PARTITIONS_COUNT = 5, "
                 "AUTO_PARTITIONING_MAX_PARTITIONS_COUNT = 2)", "less than"),
                ("CREATE TABLE z (a Int32 NOT NULL, PRIMARY KEY (a)) WITH "
                 "(AUTO_PARTITIONING_BY_LOAD = MAYBE)", "ENABLED or DISABLED")):
            with self.assertRaises(YdbError, msg=text) as caught:
                program = compile_text(text, self.catalog, {})
                for node in program.scheme:
                    table_definition.define(node, "/Root/test/z", self.catalog, program.context)
            self.assertIn(words, caught.exception.message, text)


class Places(TranslationTest):
    def test_prefix(self):
        program = compile_text('PRAGMA TablePathPrefix = "/Root/test/a//b/"; DROP TABLE `c/d`',
                               self.catalog, {})
        self.assertEqual(program.context.path("c/d", None), "/Root/test/a/b/c/d")
        self.assertEqual(program.context.path("/Root/test/t", None), "/Root/test/t")
        self.refuses('PRAGMA TablePathPrefix("a"); SELECT 1', "does not begin with '/'")
        self.refuses('PRAGMA TablePathPrefix("/Other"); SELECT 1', "not in the database")

    def test_one_parameter_of_the_sql_for_each_use(self):
        (step,) = self.compile("DECLARE $x AS Int32; SELECT $x AS a, $x + 1 AS b")
        self.assertEqual([(one.name, one.member) for one in step.bounds], [("$x", None)])

    def test_strings_are_quoted(self):
        (step,) = self.compile("SELECT \"it's\\\\\"u AS a, '; DROP TABLE t' AS b")
        self.assertIn(r"E'it''s\\'::text", step.sql)
        self.assertIn(f"'\\x{b'; DROP TABLE t'.hex()}'::bytea", step.sql)


if __name__ == "__main__":
    unittest.main()
