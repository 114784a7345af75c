"""`drover sql` as its users have it: the built-in scripts and their tables, scripts of their own, what was counted held
against the tables, failures and a server that goes away, and whatever is wrong on the command line."""

import json
import os
import pathlib
import re
import subprocess
import tempfile

import harness
from harness import FAILURE, SUCCESS, USAGE

SECRET = "Tr0ub4dor-3"
LONG = "24h"  # a run ends by its transactions
PROTOCOLS = ("simple", "extended", "prepared")

# Who waits for the lock that the test's session holds.
WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


class SqlTestCase(harness.ServerTestCase):

    def sql(self, command, *arguments, schema):
        return self.server.drover("sql", command, "--schema", schema, *arguments)

    def make_schema(self, schema, tables=""):
        self.server.sql(f"CREATE SCHEMA {schema}; SET search_path = {schema}; {tables}")

    def init(self, schema, *arguments):
        self.make_schema(schema)
        return self.expect(self.sql("init", *arguments, schema=schema), SUCCESS)

    def script(self, name, text):
        path = self.server.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def begin_run(self, schema, *arguments):
        self.path = self.server.folder / f"{schema}.json"
        self.path.unlink(missing_ok=True)
        command = self.server.begin("sql", "run", "--schema", schema, "--json", self.path, "--duration", LONG,
                                    *arguments)
        self.addCleanup(command.kill)
        return command

    def document(self):
        return json.loads(self.path.read_text(encoding="utf-8"))

    def run_to_end(self, schema, *arguments, code=SUCCESS):
        self.expect(self.begin_run(schema, *arguments).wait(), code)
        document = self.document()
        self.expect_series_adds_up(document)
        return document

    def expect_money(self, schema, committed, unresolved=0):
        """All sums are the same, and each transaction that was counted is in the history once; of what the run calls
        unresolved, any part."""
        ((accounts, branches, tellers, delta, rows),) = self.server.sql(
            f"SELECT (SELECT sum(abalance) FROM {schema}.pgbench_accounts), "
            f"(SELECT sum(bbalance) FROM {schema}.pgbench_branches), "
            f"(SELECT sum(tbalance) FROM {schema}.pgbench_tellers), "
            f"(SELECT coalesce(sum(delta), 0) FROM {schema}.pgbench_history), "
            f"(SELECT count(*) FROM {schema}.pgbench_history)")
        self.assertEqual({accounts, branches, tellers}, {delta})
        self.assertLessEqual(committed, int(rows))
        self.assertLessEqual(int(rows), committed + unresolved)


class BuiltIn(SqlTestCase):

    def test_the_tables_are_made_and_dropped(self):
        self.init("tables", "--scale", 2)
        self.assertEqual(self.server.sql(
            "SELECT (SELECT count(*) FROM tables.pgbench_branches), (SELECT count(*) FROM tables.pgbench_tellers), "
            "(SELECT count(*) FROM tables.pgbench_accounts), (SELECT count(*) FROM tables.pgbench_history)"),
            [("2", "20", "200000", "0")])
        self.expect_error(self.sql("init", schema="tables"), FAILURE, "pgbench_accounts", "--force")
        self.assertIn("dropped", self.expect(self.sql("init", "--force", schema="tables"), SUCCESS).out)
        self.assertEqual(self.server.number("SELECT count(*) FROM tables.pgbench_accounts"), 100_000)
        self.assertIn("dropped", self.expect(self.sql("clean", schema="tables"), SUCCESS).out)
        self.assertIn("nothing to drop", self.expect(self.sql("clean", schema="tables"), SUCCESS).out)

    def test_the_money_is_what_was_counted(self):
        self.init("money")
        committed = 0
        for protocol in PROTOCOLS:
            with self.subTest(protocol=protocol):
                document = self.run_to_end("money", "--builtin", "tpcb-like", "--clients", 8, "--operations", 300,
                                           "--protocol", protocol)
                self.assertEqual((document["plan"]["benchmark"], document["plan"]["protocol"]), ("sql", protocol))
                self.assertEqual(document["transactions"]["tpcb-like"]["ok_count"], 300)
                committed += 300
                self.expect_money("money", committed)
        statements = document["transactions"]["tpcb-like"]["statements"]
        self.assertEqual([one["ok_count"] for one in statements], [300] * 7)
        self.assertRegex(statements[1]["name"], r"^line \d+: UPDATE pgbench_accounts")

    def test_scripts_by_weight(self):
        self.init("weights")
        document = self.run_to_end("weights", "-b", "select-only@9", "-b", "simple-update@1", "-b", "tpcb-like@0",
                                   "--clients", 4, "--operations", 400)
        counts = {name: one["ok_count"] for name, one in document["transactions"].items()}
        self.assertEqual(counts.get("tpcb-like", 0), 0)
        self.assertEqual(sum(counts.values()), 400)
        self.assertEqual(self.server.number("SELECT count(*) FROM weights.pgbench_history"), counts["simple-update"])
        shares = {one["name"]: one["value"] for one in document["plan"]["workload"]}
        self.assertEqual((shares["select-only"], shares["simple-update"], shares["tpcb-like"]), ("90%", "10%", "0%"))


class Scripts(SqlTestCase):

    def test_the_language(self):
        path = self.script("language.sql", """-- one row for each transaction
\\set amount 10 * :factor
\\set kind case when :amount = 30 then 1 else 0 end
BEGIN;
SELECT coalesce(max(id), 0) AS last FROM entries \\gset
\\if :kind = 1 and :client_id >= 0
  INSERT INTO entries (client, amount, note) VALUES (:client_id, :amount, 'as it is: :amount');
\\else
  INSERT INTO nowhere VALUES (1);
\\endif
\\think 10 us
\\sleep 1 us
COMMIT;
""")
        self.make_schema("language", "CREATE TABLE entries (id bigserial, client int, amount int, note text)")
        rows = 0
        for protocol in PROTOCOLS:
            with self.subTest(protocol=protocol):
                document = self.run_to_end("language", "--file", path, "-D", "factor=3",
                                           "-D", f"dsn=host=h password={SECRET}", "--clients", 3,
                                           "--operations", 60, "-M", protocol)
                ((one),) = document["transactions"].values()
                self.assertEqual((one["ok_count"], one["failed_count"]), (60, 0), one)
                rows += 60
                self.assertEqual(self.server.sql("SELECT count(*), sum(amount), min(note) FROM language.entries"),
                                 [(str(rows), str(30 * rows), "as it is: :amount")])
        self.assertIn({"name": "-D factor", "value": "3"}, document["plan"]["workload"])
        self.assertIn({"name": "-D dsn", "value": "(hidden)"}, document["plan"]["workload"])
        self.assertNotIn(SECRET, str(document))

    def test_a_misspelt_variable_is_noted(self):
        self.make_schema("misspelt")
        path = self.script("misspelt.sql", "\\set amount 5\nSELECT 1,\n  :amuont::int;\n")
        command = self.begin_run("misspelt", "--file", path, "--operations", 10, "--warmup", "0").wait()
        self.expect(command, SUCCESS)
        self.assertRegex(command.err, r"note: .*misspelt\.sql, line 3: nothing sets the variable amuont, .* NULL .*"
                         r"did you mean amount\?")

    def test_a_pipeline(self):
        path = self.script("pipeline.sql", """\\startpipeline
INSERT INTO entries VALUES (1);
INSERT INTO entries VALUES (2);
\\endpipeline
""")
        self.make_schema("pipeline", "CREATE TABLE entries (n int)")
        document = self.run_to_end("pipeline", "--file", path, "--clients", 4, "--operations", 100)
        ((one),) = document["transactions"].values()
        self.assertEqual(one["ok_count"], 100)
        self.assertEqual(self.server.number("SELECT sum(n) FROM pipeline.entries"), 300)

    def test_no_update_is_lost_to_repetition(self):
        # If another transaction changes the row that this one has read, the server refuses this one,
        # and Drover retries it.
        self.make_schema("repeated", "CREATE TABLE counter (n int); INSERT INTO counter VALUES (0)")
        rows = 0
        for protocol, text in (("prepared", """BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT n FROM counter \\gset
UPDATE counter SET n = :n + 1;
COMMIT;
"""), ("simple", """BEGIN ISOLATION LEVEL REPEATABLE READ \\; SELECT pg_sleep(0.001) \\;
UPDATE counter SET n = n + 1 \\; COMMIT;
""")):
            with self.subTest(protocol=protocol):
                path = self.script("count.sql", text)
                document = self.run_to_end("repeated", "--file", path, "--clients", 4, "--operations", 200,
                                           "--max-tries", 0, "-M", protocol)
                ((one),) = document["transactions"].values()
                self.assertEqual((one["ok_count"], one["failed_count"]), (200, 0), one)
                self.assertEqual(one["attempts"], one["all_count"] + one["retry_count"])
                rows += 200
                self.assertEqual(self.server.number("SELECT n FROM repeated.counter"), rows)

    def test_many_scripts(self):
        path = self.script("one.sql", "SELECT :random_seed;\n")
        self.make_schema("many")
        document = self.run_to_end("many", *["--file", f"{path}@+1"] * 128, "--clients", 4, "--operations", 500,
                                   "--seed", 2**64 - 1)
        self.assertEqual(len(document["transactions"]), 128)
        self.assertEqual(sum(one["ok_count"] for one in document["transactions"].values()), 500)
        self.assertEqual(document["plan"]["seed"], 2**64 - 1)
        self.assertIn("one.sql #128", self.expect(harness.drover("report", self.path), SUCCESS).out)

    def test_threads_are_chosen_by_the_clients_and_processors(self):
        path = self.script("one.sql", "SELECT 1;\n")
        self.make_schema("threads")
        for clients, options, threads in [(16, [], 1), (17, [], min(2, os.cpu_count())), (32, ["--threads", 1], 1),
                                          (32, ["--rate", 1000], 1)]:
            with self.subTest(clients=clients, options=options):
                document = self.run_to_end("threads", "--file", path, "--clients", clients, "--operations", 64, *options)
                self.assertEqual(document["plan"]["threads"], threads)

    def test_what_fails_is_counted_and_said(self):
        path = self.script("wrong.sql", "SELECT 1;\nSELECT 1 / 0;\n")
        self.make_schema("failing")
        command = self.begin_run("failing", "--file", path, "--clients", 1, "--operations", 3)
        self.expect(command.wait(), SUCCESS)
        document = self.document()
        ((one),) = document["transactions"].values()
        self.assertEqual((one["ok_count"], one["failed_count"]), (0, 3))
        self.assertEqual(one["errors_by_sqlstate"], {"22012": 3})
        self.assertEqual([(each["ok_count"], each["failed_count"]) for each in one["statements"]], [(3, 0), (0, 3)])
        self.assertFalse(document["audit"]["compliant"])
        self.expect(self.begin_run("failing", "--file", path, "--clients", 1, "--operations", 3, "--strict").wait(),
                    FAILURE)

    def test_a_run_that_cannot_succeed_ends_early(self):
        path = self.script("reads.sql", "SELECT * FROM missing;")
        self.make_schema("hopeless")
        command = self.begin_run("hopeless", "--file", path, "--clients", 2, "--warmup", 0).wait()
        self.expect_error(command, FAILURE, "the run was aborted",
                          r"no transaction of type reads\.sql has succeeded\. They fail with 42P01",
                          'relation "missing" does not exist')
        self.assertRegex(command.out, r"ALL FAILED +reads\.sql: none succeeded, \d+ failed, most often with\s")

    def test_results_of_scripts_with_odd_names_can_be_read(self):
        self.make_schema("odd_names")
        names = ["it's \"quoted\".sql", "back\\slash.sql", "line\nbreak.sql", "größe.sql", "all", "n" * 240]
        paths = [self.script(name, "\ufeffSELECT 'ä' AS \"A\";\r\n") for name in names]
        # In a folder whose path is longer than any name in a result.
        folder = self.server.folder / ("d" * 120) / ("e" * 120)
        folder.mkdir(parents=True)
        paths.append(folder / "deep.sql")
        paths[-1].write_text("SELECT 1;\n", encoding="utf-8")
        files = [argument for path in paths for argument in ("--file", f"{path}@1")]
        document = self.run_to_end("odd_names", *files, "--clients", 2, "--operations", 100)
        self.assertEqual(set(document["transactions"]),
                         {"it's ?quoted?.sql", "back?slash.sql", "line break.sql", "größe.sql", "all #2",
                          "n" * 60 + "…", "deep.sql"})
        report = self.expect(harness.drover("report", self.path), SUCCESS)
        self.assertIn("it's ?quoted?.sql", report.out)

    def test_an_open_loop_has_two_latencies(self):
        path = self.script("open.sql", "SELECT 1;\n")
        self.make_schema("open_loop")
        for more, is_open in [(["--rate", 1000], True), (["--rate", 1000, "--arrivals", "poisson"], True), ([], False)]:
            with self.subTest(more=more):
                document = self.run_to_end("open_loop", "--file", path, "--clients", 4, "--operations", 200, *more)
                ((one),) = document["transactions"].values()
                self.assertEqual(one["ok_count"], 200)
                self.assertEqual(isinstance(document["backlog"], int), is_open)
                if is_open:
                    self.assertEqual(one["service"]["histogram"]["count"], 200)
                else:
                    self.assertIsNone(one.get("service"))


class Restart(SqlTestCase):
    """The server is stopped at once and started again in the middle of a run."""

    def setUp(self):
        self.server.start_again()

    def expect_counts_are_the_data(self, schema, operations):
        document = self.document()
        one = document["transactions"]["tpcb-like"]
        self.assertLessEqual(one["all_count"] + one["pending"]["count"], operations)
        self.expect_money(schema, one["ok_count"], one["ambiguous"]["unresolved"])
        return document

    def test_while_every_client_waits_within_its_transaction(self):
        self.init("waiting")
        self.server.sql("CREATE FUNCTION waiting.wait() RETURNS trigger LANGUAGE plpgsql AS "
                        "'BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN NEW; END'; "
                        "CREATE TRIGGER waits BEFORE UPDATE ON waiting.pgbench_accounts FOR EACH ROW "
                        "EXECUTE FUNCTION waiting.wait()")
        with self.server.session() as session:
            session.sql("SELECT pg_advisory_lock(7)")
            command = self.begin_run("waiting", "--builtin", "tpcb-like", "--clients", 2, "--operations", 300,
                                     "--seed", 3)
            harness.wait_until(lambda: session.number(WAITING), "a client that waits")
            self.server.stop_at_once()
        self.server.start()
        self.expect(command.wait(), SUCCESS)
        document = self.expect_counts_are_the_data("waiting", 300)
        # Nobody had sent a COMMIT: there is nothing to be unsure of, but for what another outage left.
        self.assertGreater(document["transactions"]["tpcb-like"]["failed_count"], 0)
        self.assertGreaterEqual(document["availability"]["sessions_lost"], 1)

    def test_at_any_moment(self):
        self.init("any_moment")
        command = self.begin_run("any_moment", "--builtin", "tpcb-like", "--clients", 8, "--operations", 2000,
                                 "--rate", 400)
        with self.server.session() as session:
            harness.wait_until(lambda: session.number("SELECT count(*) FROM any_moment.pgbench_history") > 20, "rows")
        self.server.stop_at_once()
        self.server.start()
        self.expect(command.wait(), SUCCESS)
        self.expect_counts_are_the_data("any_moment", 2000)


class WrongUse(harness.TestCase):
    """Refused before any database is asked: these need no server."""

    # The text of a script, and what is said of it: with its line and its column.
    SCRIPTS = [
        ("SELECT 1;\n  \\sett x 1\n", r":2:3: invalid command \"\\sett\"; did you mean \\set\?"),
        ("\\set x 1 +\n", r":1:\d+: .*expected a value"),
        ("\\set x rnd(1, 2)\n", r":1:8: .*rnd"),
        ("\\if 1\nSELECT 1;\n", r":1:1: \\if without matching \\endif"),
        ("\\endif\n", r":1:1: \\endif without matching \\if"),
        ("SELECT 'x;\n", r":1:8: "),
        ("\\shell true\n", r":1:1: .*shell"),
        ("\\sleep 1 h\n", r":1:\d+: .*us, ms or s"),
        ("\\gset\n", r":1:1: \\gset must follow"),
        ("\\startpipeline\nSELECT 1;\n", r"pipeline"),
        ("-- nothing\n", r"no command"),
        ("", r"no command"),
        ("SELECT 'a\0b';\n", r":1:10: .*byte is 0"),
    ]

    CASES = [
        (["sql"], "subcommand"),
        (["sql", "run"], "no script is given"),
        (["sql", "run", "--file", "/dev/null/none"], "/dev/null/none"),
        (["sql", "run", "--file", "/etc"], "--file /etc: it is a folder"),
        (["sql", "run", "-b", "select-only@0"], "weight 0"),
        (["sql", "run", "-b", "select-only@x"], "select-only@x"),
        (["sql", "run", "-b", "select-only@-1"], "select-only@-1"),
        (["sql", "run", "-b", "tpcx"], "tpcb-like, simple-update, select-only"),
        (["sql", "run", "-b", "s"], "simple-update, select-only"),
        (["sql", "run", "-b", "select-only", "-D", "x"], "name=value"),
        (["sql", "run", "-b", "select-only", "-M", "binary"], "simple, extended or prepared"),
        (["sql", "run", "-b", "select-only", "--scale", "0"], "--scale 0"),
        (["sql", "run", "-b", "select-only", "--rate", "-1"], "--rate -1"),
        (["sql", "run", "-b", "select-only", "--arrivals", "poisson"], "needs --rate"),
        (["sql", "run", "-b", "select-only", "--clients", "0"], "--clients 0"),
        (["sql", "run", "-b", "select-only", "--max-tries", "-1"], "--max-tries -1"),
        (["sql", "run", "-b", "select-only", "--max-tries", "0", "--operations", "5"],
         "--max-tries 0 with --operations needs --duration"),
        (["sql", "run", "-b", "select-only", "-M", ""], "--protocol: the value is empty"),
        (["sql", "run", "-b", "select-only", "--json", ""], "--json: the value is empty"),
        (["sql", "run", "-b", "select-only", "--seed", "-1"],
         "--seed -1: expected a whole number from 0 to 18446744073709551615, time or rand"),
        (["sql", "run", "-b", "select-only", "--seed", "rand", "--share", "1/2"], "Give a number"),
        (["sql", "run", *["-b", "select-only"] * 129], "129 scripts are given. Expected at most 128"),
        (["sql", "run", "--show-script", "s"], "--show-script s: several built-in scripts"),
        (["sql", "run", "-b", "select-only", "-D", "1a=5"], "does not begin with a digit"),
        (["sql", "init", "--scale", "many"], "--scale many"),
    ]

    def test_each(self):
        for arguments, named in self.CASES:
            with self.subTest(arguments=arguments):
                command = harness.drover(*arguments)
                self.expect_error(command, USAGE, re.escape(named))
                self.assertEqual(command.out, "")

    def test_scripts(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "wrong.sql")
            for text, said in self.SCRIPTS:
                with self.subTest(text=text):
                    path.write_text(text, encoding="utf-8")
                    self.expect_error(harness.drover("sql", "run", "--file", path), USAGE, r"wrong\.sql", said)

    def test_built_in_scripts_are_shown(self):
        listed = self.expect(harness.drover("sql", "run", "-b", "list"), SUCCESS).out
        self.assertEqual([line.split()[0] for line in listed.splitlines()],
                         ["tpcb-like", "simple-update", "select-only"])
        shown = self.expect(harness.drover("sql", "run", "--show-script", "se"), SUCCESS).out
        self.assertIn("SELECT abalance FROM pgbench_accounts", shown)
        self.assertNotIn("UPDATE", shown)

    def test_a_script_from_a_pipe(self):
        command = [harness.DROVER, "sql", "run"]
        for words, name in ((["--file", "-"], "-"), (["--file", "/dev/stdin@2"], "/dev/stdin")):
            with self.subTest(words=words):
                ended = subprocess.run([*command, *words], input="\\sett x 1\n", text=True, capture_output=True,
                                       timeout=harness.PATIENCE_S, check=False)
                self.assertEqual(ended.returncode, USAGE)
                self.assertIn(f"drover: error: {name}:1:1: invalid command", ended.stderr)
        ended = subprocess.run(["bash", "-c", '"$@" --file <(echo "SELECT 1") --file <(echo "\\sett")', "bash", *command],
                               text=True, capture_output=True, timeout=harness.PATIENCE_S, check=False)
        self.assertRegex(ended.stderr, r"/dev/fd/\d+:1:1: invalid command")
        ended = subprocess.run(["sh", "-c", 'exec "$@" <&-', "sh", *command, "--file", "-"], text=True, capture_output=True,
                               env=harness.clean_environment(), timeout=harness.PATIENCE_S, check=False)
        self.assertEqual((ended.returncode, ended.stderr),
                         (USAGE, "drover: error: --file -: the standard input is closed\n"))
        ended = subprocess.run([*command, "--config", "-", "--file", "-"], input="", text=True, capture_output=True,
                               timeout=harness.PATIENCE_S, check=False)
        self.assertEqual(ended.returncode, USAGE)
        self.assertIn("--file: the standard input can be read only once", ended.stderr)
        ended = subprocess.run([*command, "--config", "-"], input="[sql.run]\nsett = 1\n", text=True,
                               capture_output=True, timeout=harness.PATIENCE_S, check=False)
        self.assertIn('the config file "-", line 2: sett: unknown option', ended.stderr)

    def test_a_script_that_is_too_large(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "large.sql")
            path.write_text("SELECT 1;\n" * 500_000, encoding="utf-8")
            self.expect_error(harness.drover("sql", "run", "--file", path), USAGE, r"large\.sql: .*larger than 4 MiB")

    def test_a_password_is_not_shown(self):
        for arguments in (["init"], ["run", "-b", "select-only"], ["clean"]):
            with self.subTest(arguments=arguments):
                result = harness.drover("sql", *arguments, "--db", f"postgresql://user:{SECRET}@127.0.0.1:1/x")
                self.expect_error(result, FAILURE, r"127\.0\.0\.1")
                self.assertNotIn(SECRET, result.out + result.err)
        for value in (f"postgresql://u:{SECRET}@h/x", f"password={SECRET}", f"password='{SECRET}'"):
            for arguments in (["report", value], ["report", __file__, "-o", value], ["merge", value], ["history", value],
                              ["compare", value, value], ["compare", "--base", value, "--new", value],
                              ["sql", "run", "-f", value], ["sql", "run", "--config", value],
                              ["tpcc", "run", "--simulate-ms", 1, "--json", f"/nowhere/{value}"],
                              ["ycsb", "run", "--hdr-log", f"/nowhere/{value}"],
                              ["sql", "search", "-b", "select-only", f"--parts={value}"]):
                with self.subTest(arguments=arguments):
                    result = harness.drover(*arguments)
                    self.assertIn(result.code, (FAILURE, USAGE))
                    self.assertNotIn(SECRET, result.out + result.err)


class WrongDatabase(SqlTestCase):

    def test_no_schema(self):
        self.expect_error(self.sql("init", schema="No such"), FAILURE,
                          'the schema "No such" does not exist. Create it with CREATE SCHEMA "No such", or name')

    def test_no_tables(self):
        self.make_schema("empty")
        self.expect_error(self.sql("run", "-b", "select-only", "--rate", 5, schema="empty"), FAILURE,
                          "the table pgbench_branches does not exist", "drover sql init")


if __name__ == "__main__":
    harness.main()
