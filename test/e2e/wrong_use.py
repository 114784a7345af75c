"""Whatever is wrong is said in a sentence, with the exit code that the help documents."""

import json
import re

import harness
from harness import FAILURE, SUCCESS, USAGE

SECRET = "Tr0ub4dor-&3"


class WrongCommandLine(harness.TestCase):
    """Refused before any database is asked: these need no server."""

    # The arguments, and what the message names.
    CASES = [
        ([], "subcommand"),
        (["frobnicate"], "frobnicate"),
        (["tpcc"], "subcommand"),
        (["tpcc", "frobnicate"], "frobnicate"),
        (["--frobnicate"], "--frobnicate"),
        (["pg"], "subcommand"),
        (["pg", "start", "--set", "fsync"], "fsync"),
        (["pg", "start", "--set", "port=5433"], "port"),
        (["tpcc", "init", "--foreign-keys", "sometimes"], "--foreign-keys sometimes"),
        (["tpcc", "init", "surplus"], "surplus"),
        (["tpcc", "init", "--schema", "x" * 64], "--schema"),
        (["tpcc", "import"], "--warehouses"),
        (["tpcc", "import", "-w", "0"], "--warehouses 0"),
        (["tpcc", "import", "-w", "abc"], "--warehouses abc"),
        (["tpcc", "import", "-w", "-1"], "--warehouses -1"),
        (["tpcc", "import", "-w", "1.5"], "--warehouses 1.5"),
        (["tpcc", "import", "-w", "99999999999999999999"], "--warehouses 99999999999999999999"),
        (["tpcc", "import", "-w", "1", "--seed", "x"], "--seed x"),
        (["tpcc", "import", "-w", "1", "--connections", "0"], "--connections 0"),
        (["tpcc", "import", "-w", "1", "--threads", "none"], "--threads none"),
        (["tpcc", "run", "-w", "0"], "--warehouses 0"),
        (["tpcc", "run", "-w", "abc"], "--warehouses abc"),
        (["tpcc", "run", "-w", "-1"], "--warehouses -1"),
        (["tpcc", "run", "-w"], "--warehouses"),
        (["tpcc", "run", "--duration", "5"], "--duration 5: the unit is missing"),
        (["tpcc", "run", "--duration", "-5s"], "--duration -5s: negative"),
        (["tpcc", "run", "--duration", "soon"], "--duration soon"),
        (["tpcc", "run", "--duration", "5 s"], "--duration 5 s"),
        (["tpcc", "run", "--duration", "0"], "--duration"),
        (["tpcc", "run", "--warmup", "5"], "--warmup 5"),
        (["tpcc", "run", "--pace", "0"], "--pace 0"),
        (["tpcc", "run", "--pace", "-2"], "--pace -2"),
        (["tpcc", "run", "--pace", "nan"], "--pace"),
        (["tpcc", "run", "--pace", "fast"], "--pace"),
        (["tpcc", "run", "--threads", "0"], "--threads 0"),
        (["tpcc", "run", "--connections", "0"], "--connections 0"),
        (["tpcc", "run", "--connections", "100000"], "--connections 100000"),
        (["tpcc", "run", "--max-inflight", "0"], "--max-inflight 0"),
        (["tpcc", "run", "--seed", "-1"], "--seed"),
        (["tpcc", "run", "--statements", "both"], "--statements both"),
        (["tpcc", "run", "--simulate-ms", "5"], "--warehouses"),
        (["tpcc", "run", "-w", "1", "--simulate-ms", "-5"], "--simulate-ms"),
        (["tpcc", "run", "--frobnicate"], "--frobnicate"),
        (["tpcc", "check", "-w", "0"], "--warehouses"),
        (["tpcc", "check", "--connections", "0"], "--connections"),
        (["demo", "-w", "0"], "--warehouses 0"),
        (["demo", "--duration", "5"], "--duration 5"),
        (["demo", "--no-delays-duration", "x"], "--no-delays-duration x"),
    ]

    def test_each(self):
        for arguments, named in self.CASES:
            with self.subTest(arguments=arguments):
                command = harness.drover(*arguments)
                self.expect_error(command, USAGE, re.escape(named), within_s=5)
                self.assertEqual(command.out, "")

    def test_databases_that_cannot_be(self):
        for command in ("init", "import", "run", "check", "clean"):
            more = ["-w", "1"] if command == "import" else []
            for db, named in [("mysql://localhost/x", "unknown scheme"), ("localhost", "postgresql://"),
                              (f"postgresql://user:{SECRET}@[bad", "--db"),
                              (f"host=x nonsense=1 password={SECRET}",
                               "--db: invalid connection option")]:
                with self.subTest(command=command, db=db):
                    result = harness.drover("tpcc", command, "--db", db, *more)
                    self.expect_error(result, USAGE, re.escape(named), within_s=5)
                    self.assertNotIn(SECRET, result.out + result.err)

    def test_a_password_is_in_no_message(self):
        strings = [f"host=h user=u password={SECRET}://x nonsense=1", f"host=h {SECRET}", f"{SECRET}://u@h/d", SECRET,
                   f"u:{SECRET}@h/d", f"mysql://u:{SECRET}@h/d", f"postgresql://u:{SECRET}", f"ydb://u:{SECRET}",
                   f"ydb://u:{SECRET}@h/d", f"postgresql://u:a/{SECRET}@h/d", f"postgresql://u:a@{SECRET}/b@h/d"]
        for text in strings:
            for words, variables in ((["tpcc", "check", "--db", text], {}), (["ycsb", "run"], {"DROVER_DB": text}),
                                     (["sql", "run", "-b", "select-only", f"--db={text}"], {})):
                with self.subTest(words=words):
                    command = harness.drover(*words, **variables)
                    self.expect_error(command, USAGE, "--db")
                    self.assertNotIn(SECRET, command.out + command.err)
        # The connection string is given in the wrong place.
        text = f"host=h password={SECRET}"
        for words, variables in ((["tpcc", "check", text], {}),
                                 (["tpcc", "run", "-w", text], {}), (["tpcc", "run", f"--bd={text}"], {}),
                                 (["ycsb", "run", "-p", f"nonsense={text}"], {}), (["sql", "run", "-b", text], {}),
                                 (["tpcc", "run"], {"DROVER_TPCC_RUN_WAREHOUSES": text})):
            with self.subTest(words=words):
                command = harness.drover(*words, **variables)
                self.assertNotEqual(command.code, SUCCESS)
                self.assertNotIn(SECRET, command.out + command.err)

    def test_help_and_version_are_no_errors(self):
        for arguments in (["--help"], ["--version"], ["tpcc", "--help"], ["tpcc", "run", "--help"],
                          ["tpcc", "import", "--help"], ["pg", "start", "--help"],
                          ["demo", "--help"]):
            with self.subTest(arguments=arguments):
                command = self.expect(harness.drover(*arguments), SUCCESS)
                self.assertNotEqual(command.out, "")
                self.assertEqual(command.err, "")


class UnreachableDatabase(harness.ServerTestCase):

    COMMANDS = [["init"], ["import", "-w", "1"], ["run", "-w", "1", "--duration", "1s"],
                ["check"], ["clean"]]

    def expect_each(self, db, *words, secret=None, **environment):
        for command in self.COMMANDS:
            with self.subTest(command=command, db=db):
                result = harness.drover("tpcc", *command, "--db", db, **environment)
                self.expect_error(result, FAILURE, *words)
                if secret:
                    self.assertNotIn(secret, result.out + result.err)

    def test_no_such_host(self):
        self.expect_each("postgresql://user@no-such-host.invalid/x", r"no-such-host\.invalid")

    def test_nobody_listens(self):
        # Port 1 of this machine: refused at once.
        self.expect_each(f"postgresql://user:{SECRET}@127.0.0.1:1/x", r"127\.0\.0\.1",
                         "refused", secret=SECRET)

    def test_wrong_socket(self):
        self.expect_each(self.server.conninfo.replace("5432", "5433"), "5433")

    def test_options_that_libpq_refuses(self):
        for option in ("sslmode=maybe", "target_session_attrs=any-one", "port=99999", "port=1,2,3"):
            self.expect_each(f"host=127.0.0.1 user=u {option}", "error: --db: (invalid|could not match) ")

    def test_no_such_database(self):
        self.expect_each(self.server.conninfo.replace("dbname=drover", "dbname=nowhere"),
                         '"nowhere" does not exist')

    def test_wrong_password(self):
        self.server.sql(f"CREATE ROLE secretive LOGIN PASSWORD '{SECRET}'")
        rules = self.server.data / "pg_hba.conf"
        rules.write_text("local all secretive scram-sha-256\n"
                         + rules.read_text(encoding="utf-8"), encoding="utf-8")
        self.server.sql("SELECT pg_reload_conf()")
        where = self.server.conninfo.replace("user=drover", "user=secretive")
        good = f"{where} password={SECRET}"
        # The reload happens in its own time.
        harness.wait_until(
            lambda: harness.drover("tpcc", "clean", "--db", f"{where} password=other").code,
            "a password is asked for")
        self.expect(harness.drover("tpcc", "clean", "--db", good), SUCCESS)
        wrong = SECRET + "-wrong"
        self.expect_each(f"{where} password={wrong}", "password", "secretive", secret=SECRET)
        self.expect_each(where, "password", secret=SECRET, PGPASSWORD=wrong)
        self.expect_each(where, "password", secret=SECRET)
        # Nor does the right one show where all goes well.
        for database in (good, where):
            result = harness.drover("tpcc", "check", "--db", database, PGPASSWORD=SECRET)
            self.expect_error(result, FAILURE, "drover tpcc init")
            self.assertNotIn(SECRET, result.out + result.err)


class UnfitSchema(harness.ServerTestCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.load(1, schema="full", seed=1)

    def begin_in(self, schema, command, *arguments):
        return self.server.drover("tpcc", command, "--schema", schema, *arguments)

    def test_not_initialised(self):
        for command in (["import", "-w", "1"], ["run", "-w", "1"], ["check"]):
            with self.subTest(command=command):
                self.expect_error(self.begin_in("nothing", *command), FAILURE, "nothing",
                                  "drover tpcc init", within_s=5)

    def test_advice_names_the_database_of_the_command_line(self):
        words = ["tpcc", "check", "--schema", "nothing"]
        given = harness.drover(*words, "--db", self.server.conninfo)
        self.expect_error(given, FAILURE, r"drover tpcc init.* \(with the same --db\)")
        by_variable = harness.drover(*words, DROVER_DB=self.server.conninfo)
        self.expect_error(by_variable, FAILURE, "drover tpcc init")
        self.assertNotIn("same --db", by_variable.err)

    def test_initialised_only(self):
        self.expect(self.begin_in("empty", "init"), SUCCESS)
        self.expect_error(self.begin_in("empty", "run"), FAILURE, "drover tpcc import")
        self.expect_error(self.begin_in("empty", "check"), FAILURE, "no warehouse")

    def test_one_table_is_missing(self):
        self.expect(self.begin_in("partial", "init"), SUCCESS)
        self.server.sql("DROP TABLE partial.history")
        self.expect_error(self.begin_in("partial", "run"), FAILURE, "history")
        self.expect_error(self.begin_in("partial", "check"), FAILURE, "history")
        self.expect_error(self.begin_in("partial", "import", "-w", 1), FAILURE, "history")

    def test_init_twice(self):
        self.expect_error(self.begin_in("full", "init"), FAILURE, "--force", "warehouse")
        self.expect(self.begin_in("twice", "init"), SUCCESS)
        self.expect(self.begin_in("twice", "init", "--force"), SUCCESS)
        self.assertEqual(self.server.number("SELECT count(*) FROM twice.warehouse"), 0)

    def test_more_warehouses_than_are_loaded(self):
        self.expect_error(self.begin_in("full", "run", "-w", 20, "--duration", "1s"), FAILURE,
                          "-w 20", "1 warehouse is loaded")
        self.expect(self.begin_in("full", "check", "-w", 20), FAILURE)

    def test_import_into_a_full_schema(self):
        for seed in ([], ["--seed", 1]):
            self.expect_error(self.begin_in("full", "import", "-w", 1, *seed), FAILURE,
                              "already loaded", "tpcc init --force")
        self.expect_error(self.begin_in("full", "import", "-w", 1, "--seed", 2), FAILURE)
        self.expect_error(self.begin_in("full", "import", "-w", 2, "--seed", 2), FAILURE,
                          "seed 1", "seed 2")
        self.expect(self.begin_in("full", "check", "--after-import"), SUCCESS)

    def test_import_into_rows_of_another(self):
        self.expect(self.begin_in("foreign_rows", "init"), SUCCESS)
        self.server.sql("INSERT INTO foreign_rows.warehouse SELECT * FROM \"full\".warehouse")
        self.expect_error(self.begin_in("foreign_rows", "import", "-w", 1), FAILURE, "warehouse")

    def test_more_connections_than_the_server_has(self):
        self.expect_error(self.begin_in("full", "run", "--connections", 5000, "--duration", "1s"),
                          USAGE, r"--connections 5000: the server has only \d+ free connections, because "
                          r"max_connections is 500, 3 are reserved, \d+ (is|are) in use, "
                          r"and Drover needs 1 to watch the server\. Use at most \d+")

    def test_names_with_quotes_and_umlauts(self):
        name = 'it\'s a "Größe"; --'
        self.expect(self.begin_in(name, "init"), SUCCESS)
        self.expect(self.begin_in(name, "import", "-w", 1, "--seed", 1), SUCCESS)
        path = self.server.folder / "umlaut.json"
        self.expect(self.begin_in(name, "run", "--no-delays", "--duration", "1s", "--warmup", "0",
                                  "--json", path), SUCCESS)
        document = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(document["plan"]["schema"], name)
        self.assertGreater(document["summary"]["new_orders"], 0)
        self.expect(self.begin_in(name, "run", "--no-delays", "--duration", "1s", "--warmup", "0",
                                  "--statements", "single"), SUCCESS)
        self.expect(self.begin_in(name, "check"), SUCCESS)
        self.expect_error(self.begin_in(name, "init"), FAILURE, "Größe")
        self.expect(self.begin_in(name, "clean"), SUCCESS)

    def test_a_result_file_that_cannot_be_written(self):
        # The run would take an hour: it is not even begun.
        for path in ("/no/such/folder/result.json", str(self.server.folder)):
            with self.subTest(path=path):
                result = self.begin_in("full", "run", "--duration", "1h", "--json", path)
                self.expect_error(result, FAILURE, re.escape(path), within_s=5)
                self.assertNotIn("terminals up", result.err)

    def test_a_role_that_may_not(self):
        self.server.sql("CREATE ROLE visitor LOGIN")
        visitor = self.server.conninfo.replace("user=drover", "user=visitor")
        for command in (["init"], ["import", "-w", "1"], ["run", "--duration", "1s"], ["check"],
                        ["clean"]):
            with self.subTest(command=command):
                result = harness.drover("tpcc", *command, "--schema", "full", "--db", visitor)
                self.expect_error(result, FAILURE, "permission denied|has no TPC-C tables|full")
        self.expect(self.begin_in("full", "check"), SUCCESS)


if __name__ == "__main__":
    harness.main()
