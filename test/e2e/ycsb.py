"""`drover ycsb` as its users have it: loads that are killed, the six workloads, files of the original, what was
counted held against the table, a server that goes away, and whatever is wrong on the command line."""

import contextlib
import json
import pathlib
import re
import signal
import tempfile

import harness
from harness import FAILURE, SUCCESS, USAGE

SECRET = "Tr0ub4dor-3"
LONG = "24h"  # a run ends by its operations

# The operations of each workload, with an insert only where rows are added.
WORKLOADS = {
    "a": {"READ", "UPDATE"},
    "b": {"READ", "UPDATE"},
    "c": {"READ"},
    "d": {"READ", "INSERT"},
    "e": {"SCAN", "INSERT"},
    "f": {"READ", "READ-MODIFY-WRITE"},
}

# As the original writes it, with what means nothing here.
ORIGINAL_FILE = f"""# Yahoo! Cloud System Benchmark
! another comment
recordcount=1000
operationcount: 600
workload=site.ycsb.workloads.CoreWorkload
readallfields true
readproportion=0.5
updateproportion=\\
    0.5
scanproportion=0
insertproportion=0
requestdistribution=zipfian
threadcount=4
measurementtype=timeseries
jdbc.driver=org.postgresql.Driver
db.passwd={SECRET}
maxscanrate=0
scanoptimelimit=0
discardscannedrecord=false
"""


# Who waits for the lock that waiting_trigger() asks for, while a session holds it.
WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


def waiting_trigger(schema, event, condition="true"):
    return (f"CREATE FUNCTION {schema}.wait() RETURNS trigger LANGUAGE plpgsql AS "
            "'BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN NEW; END'; "
            f"CREATE TRIGGER waits BEFORE {event} ON {schema}.usertable FOR EACH ROW "
            f"WHEN ({condition}) EXECUTE FUNCTION {schema}.wait()")


def hashed_key(number):
    """The key of the original for a row: FNV-1a of its eight octets, without its sign."""
    value = 0xCBF29CE484222325
    for octet in number.to_bytes(8, "little"):
        value = (value ^ octet) * 1099511628211 % 2**64
    signed = value - 2**64 if value >= 2**63 else value
    return f"user{abs(signed)}"


class YcsbTestCase(harness.ServerTestCase):

    def ycsb(self, command, *arguments, schema=None):
        where = ["--schema", schema] if schema else []
        return self.server.drover("ycsb", command, *where, *arguments)

    def load(self, schema, *arguments, rows=1000):
        return self.expect(self.ycsb("load", "--recordcount", rows, *arguments, schema=schema), SUCCESS)

    def begin_run(self, schema, *arguments):
        self.path = self.server.folder / f"{schema}.json"
        self.path.unlink(missing_ok=True)
        command = self.server.begin("ycsb", "run", "--schema", schema, "--json", self.path, *arguments)
        self.addCleanup(command.kill)
        return command

    def document(self):
        return json.loads(self.path.read_text(encoding="utf-8"))

    def run_to_end(self, schema, *arguments, code=SUCCESS):
        self.expect(self.begin_run(schema, *arguments).wait(), code)
        document = self.document()
        self.expect_series_adds_up(document)
        return document

    def expect_holds(self, schema):
        command = self.expect(self.ycsb("check", schema=schema), SUCCESS)
        self.assertIn("the table is correct", command.out)
        return command

    def rows(self, schema):
        return self.server.number(f"SELECT count(*) FROM {schema}.usertable")

    def versions(self, schema, fields=10):
        """How many updates of a field the table knows of: each counts the number up that a field begins with."""
        total = " + ".join(f"sum(left(field{i}, 10)::bigint)" for i in range(fields))
        return self.server.number(f"SELECT {total} FROM {schema}.usertable")

    def expect_counts_are_the_data(self, document, schema, rows, versions):
        """What was counted is what the table has gained since it had so many rows and versions; of what the run calls
        unresolved, any part."""
        unresolved = sum(one["ambiguous"]["unresolved"] for one in document["transactions"].values())
        def ok(name):
            one = document["transactions"].get(name)
            return one["ok_count"] + one["ambiguous"]["committed"] if one else 0
        for counted, gained in [
                (ok("INSERT"), self.rows(schema) - rows),
                (ok("UPDATE") + ok("READ-MODIFY-WRITE"), self.versions(schema) - versions)]:
            self.assertLessEqual(counted, gained, document["transactions"])
            self.assertLessEqual(gained, counted + unresolved, document["transactions"])
        for account in document.get("accounts") or []:
            self.assertEqual(account["unresolved"], unresolved, account)
            self.assertLessEqual(account["counted"], account["in_data"], account)
            self.assertLessEqual(account["in_data"], account["counted"] + unresolved, account)


class Workloads(YcsbTestCase):

    def test_each_counts_what_the_table_has(self):
        for name, operations in WORKLOADS.items():
            with self.subTest(workload=name):
                schema = f"workload_{name}"
                self.server.sql(f"CREATE SCHEMA {schema}")
                self.load(schema)
                # The second goes on where the inserts of the first ended.
                for seed in (1, 2):
                    rows, versions = self.rows(schema), self.versions(schema)
                    document = self.run_to_end(schema, "--workload", name, "--operations", 600, "--clients", 4,
                                               "--duration", LONG, "--seed", seed, "--verify")
                    self.assertEqual(set(document["transactions"]), operations)
                    self.assertEqual(document["plan"]["benchmark"], "ycsb")
                    ok = sum(one["ok_count"] for one in document["transactions"].values())
                    self.assertEqual(ok, 600, document["transactions"])
                    self.expect_counts_are_the_data(document, schema, rows, versions)
                    verification = document["verification"]
                    self.assertGreater(verification["values"], 0)
                    self.assertEqual((verification["wrong"], verification["not_found"]), (0, 0))
                    self.expect_holds(schema)

    def test_all_fields_are_written(self):
        self.server.sql("CREATE SCHEMA all_fields")
        self.load("all_fields", "--fieldcount", 3, rows=200)
        document = self.run_to_end("all_fields", "--fieldcount", 3, "--writeallfields", "true", "--operations", 200,
                                   "--clients", 4, "--readproportion", 0, "--updateproportion", 1)
        self.assertEqual(document["transactions"]["UPDATE"]["ok_count"], 200)
        self.assertEqual(self.versions("all_fields", fields=3), 600)
        self.assertEqual([(one["name"], one["counted"], one["in_data"]) for one in document["accounts"]],
                         [("fields updated", 600, 600)])
        self.expect(self.ycsb("check", "--fieldcount", 3, schema="all_fields"), SUCCESS)

    def test_a_file_of_the_original(self):
        path = self.server.folder / "workloada"
        path.write_text(ORIGINAL_FILE, encoding="utf-8")
        self.server.sql("CREATE SCHEMA original")
        self.expect(self.ycsb("load", "-P", path, schema="original"), SUCCESS)
        self.assertEqual(self.rows("original"), 1000)
        self.assertEqual(self.server.number("SELECT count(*) FROM original.usertable "
                                            f"WHERE ycsb_key IN ('{hashed_key(0)}', '{hashed_key(999)}')"), 2)
        command = self.begin_run("original", "-P", path, "-p", "operationcount=500")  # -p wins
        self.expect(command.wait(), SUCCESS)
        document = self.document()
        self.assertEqual(sum(one["ok_count"] for one in document["transactions"].values()), 500)
        self.assertEqual(document["plan"]["clients"], 4)
        self.assertIn({"name": "requestdistribution", "value": "zipfian"}, document["plan"]["workload"])
        self.assertRegex(command.err, r"(?m)these properties have no effect in Drover: .*db\.passwd")
        self.assertNotIn(SECRET, command.out + command.err + self.path.read_text(encoding="utf-8"))
        # An option wins over both.
        document = self.run_to_end("original", "-P", path, "-p", "operationcount=500", "--operations", 40,
                                   "--clients", 2, "--requestdistribution", "latest")
        self.assertEqual(sum(one["ok_count"] for one in document["transactions"].values()), 40)
        self.assertEqual(document["plan"]["clients"], 2)
        self.assertIn({"name": "requestdistribution", "value": "latest"}, document["plan"]["workload"])

    def test_the_rows_of_a_part(self):
        self.server.sql("CREATE SCHEMA part")
        self.load("part")
        document = self.run_to_end("part", "--workload", "a", "--requestdistribution", "uniform", "--insertstart", 100,
                                   "--insertcount", 5, "--operations", 100)
        self.assertIn({"name": "insertcount", "value": "5"}, document["plan"]["workload"])
        written = self.server.sql("SELECT ycsb_key FROM part.usertable WHERE greatest("
                                  + ", ".join(f"left(field{i}, 10)" for i in range(10)) + ") > '0000000000'")
        self.assertLessEqual({key for (key,) in written}, {hashed_key(number) for number in range(100, 105)})

    def test_the_rows_of_the_beginning(self):
        """The clients of all threads share the position of `sequential`. `uniform` chooses no inserted row."""
        one_field = ["--fieldcount", 1, "--fieldlength", 30, "--readproportion", 0, "--clients", 4, "--threads", 2]
        self.server.sql("CREATE SCHEMA turn")
        self.load("turn", *one_field[:4], rows=200)
        self.run_to_end("turn", *one_field, "--updateproportion", 1, "--requestdistribution", "sequential",
                        "--operations", 800)
        versions = "SELECT DISTINCT left(field0, 10)::int FROM turn.usertable"
        self.assertEqual(self.server.sql(versions), [("4",)])
        document = self.run_to_end("turn", *one_field, "--updateproportion", 0.5, "--insertproportion", 0.5,
                                   "--requestdistribution", "uniform", "--operations", 400)
        inserts = document["transactions"]["INSERT"]["ok_count"]
        self.assertEqual(self.server.number("SELECT count(*) FROM turn.usertable WHERE left(field0, 10)::int = 0"),
                         inserts)

    def test_a_part_that_was_never_loaded(self):
        """A run neither reads the rows of such a part nor calls them lost, however many there are."""
        self.server.sql("CREATE SCHEMA partly")
        self.load("partly", "--insertcount", 100, rows=10**12)
        self.load("partly", "--insertstart", 10**12 - 100, rows=10**12)
        for workload, operations in (("d", 400), ("a", 400)):
            document = self.run_to_end("partly", "--workload", workload, "--operations", operations, "--verify")
            self.assertEqual(document["verification"]["not_found"], 0)
            self.assertEqual(sum(one["ok_count"] for one in document["transactions"].values()), operations)

    def test_two_runs_insert_rows_of_their_own(self):
        self.server.sql("CREATE SCHEMA stripes")
        self.load("stripes")
        commands = [self.server.begin("ycsb", "run", "--schema", "stripes", "--workload", "d", "--operations", 800,
                                      "--clients", 8, "--share", f"{i}/2", "--json",
                                      self.server.folder / f"stripe-{i}.json") for i in (1, 2)]
        for command in commands:
            self.addCleanup(command.kill)
        inserted = 0
        for i, command in enumerate(commands, 1):
            self.expect(command.wait(), SUCCESS)
            document = json.loads((self.server.folder / f"stripe-{i}.json").read_text(encoding="utf-8"))
            insert = document["transactions"]["INSERT"]
            self.assertEqual(insert["failed_count"], 0)
            inserted += insert["ok_count"]
        self.assertEqual(self.rows("stripes"), 1000 + inserted)
        self.expect_holds("stripes")
        # One has inserted more: whoever reads the newest reads none that the other has not come to.
        document = self.run_to_end("stripes", "--workload", "d", "--operations", 400, "--verify")
        self.assertEqual(document["verification"]["not_found"], 0)

    def test_an_open_loop_has_two_latencies(self):
        self.server.sql("CREATE SCHEMA open_loop")
        self.load("open_loop")
        arguments = ["--workload", "a", "--clients", 4, "--operations", 200]
        for more, is_open in [(["--rate", 1000], True), (["--rate", 1000, "--arrivals", "poisson"], True), ([], False)]:
            with self.subTest(more=more):
                document = self.run_to_end("open_loop", *arguments, *more)
                self.assertEqual(document["plan"]["rate"], 1000 if is_open else 0)
                self.assertEqual(isinstance(document["backlog"], int), is_open)
                for name, one in document["transactions"].items():
                    if is_open:
                        self.assertEqual(one["service"]["histogram"]["count"], one["ok_count"], name)
                    else:
                        self.assertIsNone(one.get("service"), name)

        document = self.run_to_end("open_loop", *arguments, "--think-time", "20ms")
        self.assertEqual(document["plan"]["think_time_s"], 0.02)
        self.assertGreaterEqual(document["summary"]["time_seconds"], 49 * 0.02)

    def test_the_lines_of_the_original_and_logs_of_histograms(self):
        self.server.sql("CREATE SCHEMA lines")
        self.load("lines")
        prefix = self.server.folder / "log-"
        command = self.expect(self.ycsb("run", "--workload", "a", "--operations", 300, "--clients", 4, "--format",
                                        "ycsb", "--hdr-log", prefix, "--ui", "quiet", schema="lines"), SUCCESS)
        counted = {name: int(count) for name, count in re.findall(r"(?m)^\[(\w+)\], Operations, (\d+)$", command.out)}
        self.assertEqual(sum(counted.get(name, 0) for name in ("READ", "UPDATE")), 300, str(command))
        self.assertRegex(command.out, r"(?m)^\[OVERALL\], Throughput\(ops/sec\), [0-9.]+$")
        self.assertRegex(command.out, r"(?m)^\[READ\], 99thPercentileLatency\(us\), \d+$")
        for name in ("READ", "UPDATE"):
            text = (self.server.folder / f"log-{name}.hdr").read_text(encoding="utf-8")
            self.assertTrue(text.startswith("#"), text[:80])
        # Without a path the files are in the working directory, as with the original.
        folder = self.server.folder / "working"
        folder.mkdir()
        environment = harness.clean_environment(DROVER_DATA_HOME=str(self.server.root))
        words = ["ycsb", "run", "--schema", "lines", "--workload", "c", "--operations", "50", "-p",
                 "hdrhistogram.fileoutput=true"]
        self.expect(harness.Command(words, environment, by=("env", "-C", folder)).wait(), SUCCESS)
        self.assertEqual([path.name for path in folder.iterdir()], ["READ.hdr"])

    def test_a_log_that_cannot_be_written_costs_no_result(self):
        self.server.sql("CREATE SCHEMA no_log")
        self.load("no_log")
        self.server.sql(waiting_trigger("no_log", "UPDATE"))
        folder = self.server.folder / "logs"
        folder.mkdir()
        with self.server.session() as session:
            session.sql("SELECT pg_advisory_lock(7)")
            command = self.begin_run("no_log", "--workload", "a", "--operations", 100, "--hdr-log", f"{folder}/log-")
            harness.wait_until(lambda: session.number(WAITING) > 0, "an update that waits")
            folder.rmdir()
        command.wait()
        self.expect_error(command, FAILURE, "log-READ.hdr")
        self.assertIn("ledger      fields updated: ", command.out)
        self.assertEqual(sum(one["ok_count"] for one in self.document()["transactions"].values()), 100)


class Load(YcsbTestCase):

    ROWS = 60_000
    PART = 20_000

    def begin_load(self, schema, *arguments):
        command = self.server.begin("ycsb", "load", "--schema", schema, "--recordcount", self.ROWS, *arguments)
        self.addCleanup(command.kill)
        return command

    @contextlib.contextmanager
    def blocked_load(self, schema):
        """A load of which a part is there, and which waits in the middle of a COPY for what this session holds."""
        self.server.sql(f"CREATE SCHEMA {schema}")
        self.expect(self.begin_load(schema, "--insertcount", self.PART).wait(), SUCCESS)
        self.server.sql(waiting_trigger(schema, "INSERT", "NEW.ycsb_key LIKE '%777'"))
        with self.server.session() as session:
            session.sql("SELECT pg_advisory_lock(7)")
            command = self.begin_load(schema)
            harness.wait_until(lambda: session.number(WAITING), "a load that waits")
            yield command

    def expect_resumed(self, schema):
        self.server.sql(f"DROP TRIGGER waits ON {schema}.usertable")
        command = self.expect(self.begin_load(schema).wait(), SUCCESS)
        there = re.search(r"\(([\d,]+) rows were there\)", command.out)
        self.assertTrue(there, str(command))
        self.assertGreaterEqual(int(there[1].replace(",", "")), self.PART)
        self.assertEqual(self.rows(schema), self.ROWS)
        self.expect_holds(schema)

    def test_the_client_is_killed(self):
        with self.blocked_load("client_killed") as command:
            command.signal(signal.SIGKILL)
            command.wait()
            self.assertLess(self.rows("client_killed"), self.ROWS)
        self.expect_resumed("client_killed")

    def test_the_server_is_stopped_at_once(self):
        with self.blocked_load("server_stopped") as command:
            self.server.stop_at_once()
            self.expect_error(command.wait(), FAILURE)
        self.server.start()
        self.expect_resumed("server_stopped")

    def test_two_parts_at_the_same_time(self):
        self.server.sql("CREATE SCHEMA parts")
        parts = [self.begin_load("parts", "--insertstart", start, "--insertcount", self.ROWS // 2)
                 for start in (0, self.ROWS // 2)]
        for part in parts:
            self.assertIn(f"loaded {self.ROWS // 2:,} rows", self.expect(part.wait(), SUCCESS).out)
        self.assertEqual(self.rows("parts"), self.ROWS)
        self.expect_holds("parts")

    def test_the_same_part_twice_at_the_same_time(self):
        self.server.sql("CREATE SCHEMA twice")
        for command in [self.begin_load("twice") for _ in range(2)]:
            self.expect(command.wait(), SUCCESS)
        self.assertEqual(self.rows("twice"), self.ROWS)
        self.expect_holds("twice")

    def test_nothing_is_left_to_do_and_to_drop(self):
        self.server.sql("CREATE SCHEMA done")
        self.load("done", rows=100)
        self.assertIn("loaded 0 rows", self.load("done", rows=100).out)
        self.assertIn("dropped", self.expect(self.ycsb("clean", schema="done"), SUCCESS).out)
        self.assertIn("nothing to drop", self.expect(self.ycsb("clean", schema="done"), SUCCESS).out)
        self.assertEqual(self.server.number("SELECT count(*) FROM pg_class WHERE relnamespace = 'done'::regnamespace"),
                         0)


class Check(YcsbTestCase):

    def test_what_nobody_wrote_is_found(self):
        self.server.sql("CREATE SCHEMA damaged")
        self.load("damaged")
        key = hashed_key(17)
        self.server.sql(f"UPDATE damaged.usertable SET field3 = field4 WHERE ycsb_key = '{key}'")
        command = self.expect(self.ycsb("check", schema="damaged"), FAILURE)
        self.assertRegex(command.out, f"WRONG +{key} field3")
        self.assertIn("is NOT correct", command.out)
        # A run reads it, too.
        document = self.run_to_end("damaged", "-p", "readproportion=1", "-p", "updateproportion=0",
                                   "--requestdistribution", "sequential", "--clients", 1, "--operations", 1000,
                                   "--verify")
        self.assertGreater(document["verification"]["wrong"], 0)
        self.assertIn("field 3", document["verification"]["first_wrong"])
        self.assertEqual(document["audit"]["compliant"], False)

    def test_lost_rows_are_found(self):
        self.server.sql("CREATE SCHEMA lost")
        self.load("lost")
        self.server.sql(f"DELETE FROM lost.usertable WHERE ycsb_key IN ('{hashed_key(1)}', '{hashed_key(2)}')")
        command = self.expect(self.ycsb("check", schema="lost"), FAILURE)
        self.assertRegex(command.out, "LOST +2 rows")

    def test_another_tools_table_is_run_and_not_checked(self):
        fields = ", ".join(f"field{i} text" for i in range(10))
        values = ", ".join(f"'of another tool {i}'" for i in range(10))
        self.server.sql("CREATE SCHEMA jdbc; "
                        f"CREATE TABLE jdbc.usertable (ycsb_key varchar(255) PRIMARY KEY, {fields})")
        rows = ", ".join(f"('{hashed_key(number)}', {values})" for number in range(200))
        self.server.sql(f"INSERT INTO jdbc.usertable VALUES {rows}")
        document = self.run_to_end("jdbc", "--workload", "a", "--recordcount", 200, "--operations", 300,
                                   "--clients", 4)
        self.assertEqual(sum(one["ok_count"] for one in document["transactions"].values()), 300)
        self.expect_error(self.ycsb("check", schema="jdbc"), FAILURE, "usertable")
        self.expect_error(self.ycsb("load", "--recordcount", 300, schema="jdbc"), FAILURE, "usertable")


class Restart(YcsbTestCase):
    """The server is stopped at once and started again in the middle of a run."""

    def setUp(self):
        self.server.start_again()

    def prepare(self, schema):
        self.server.sql(f"CREATE SCHEMA {schema}")
        self.load(schema)
        self.before = self.rows(schema), self.versions(schema)

    def expect_all_adds_up(self, schema, operations):
        document = self.document()
        ended = sum(one["all_count"] + one["pending"]["count"] for one in document["transactions"].values())
        self.assertLessEqual(ended, operations)
        self.expect_counts_are_the_data(document, schema, *self.before)
        self.expect_holds(schema)
        return document

    def test_while_every_client_waits_for_an_update(self):
        self.prepare("waiting")
        self.server.sql(waiting_trigger("waiting", "UPDATE"))
        with self.server.session() as session:
            session.sql("SELECT pg_advisory_lock(7)")
            command = self.begin_run("waiting", "--workload", "a", "--operations", 2000, "--clients", 4,
                                     "--duration", LONG)
            harness.wait_until(lambda: session.number(WAITING) == 4, "four updates that wait")
            self.server.stop_at_once()
        self.server.start()
        self.expect(command.wait(), SUCCESS)
        document = self.expect_all_adds_up("waiting", 2000)
        # None of the four was executed. Some may be unresolved by their rows, others have written there since; the sum
        # of all versions knows.
        update = document["transactions"]["UPDATE"]
        self.assertEqual(update["ambiguous"]["committed"], 0)
        self.assertEqual(self.versions("waiting") - self.before[1], update["ok_count"])
        self.assertGreaterEqual(update["failed_count"], 4)
        self.assertGreaterEqual(document["availability"]["sessions_lost"], 4)

    def test_at_any_moment(self):
        for name in ("a", "f"):
            with self.subTest(workload=name):
                schema = f"any_moment_{name}"
                self.prepare(schema)
                command = self.begin_run(schema, "--workload", name, "--operations", 6000, "--rate", 1000,
                                         "--clients", 8, "--duration", LONG, "--verify")
                with self.server.session() as session:
                    harness.wait_until(lambda: session.number(
                        f"SELECT count(*) FROM {schema}.usertable WHERE field0 > '0000000001'") > 5, "updates")
                self.server.stop_at_once()
                self.server.start()
                self.expect(command.wait(), SUCCESS)
                document = self.expect_all_adds_up(schema, 6000)
                self.assertEqual(document["verification"]["wrong"], 0)


class WrongUse(harness.TestCase):
    """Refused before any database is asked: these need no server."""

    CASES = [
        (["ycsb"], "subcommand"),
        (["ycsb", "load"], "--recordcount"),
        (["ycsb", "run", "--workload", "g"], 'unknown workload "g". Expected a, b, c, d, e or f'),
        (["ycsb", "run", "-p", "recordcuont=5"], "did you mean recordcount?"),
        (["ycsb", "run", "-p", "readproportion"], "expected key=value"),
        (["ycsb", "run", "-p", "fieldcount=0"], "a whole number from 1 to 1000"),
        (["ycsb", "run", "--fieldcount", "many"], "fieldcount=many"),
        (["ycsb", "run", "-p", "readproportion=0", "-p", "updateproportion=0"], "are all 0"),
        (["ycsb", "run", "-p", "requestdistribution=zipf"], "zipfian"),
        (["ycsb", "run", "-p", "minscanlength=9", "-p", "maxscanlength=3"], "minscanlength=9"),
        (["ycsb", "run", "-p", "table=a b"], "table=a b"),
        (["ycsb", "run", "-P", "/dev/null/none"], "/dev/null/none"),
        (["ycsb", "load", "--recordcount", "1", "--fieldlengthdistribution", "histogram", "--fieldlengthhistogram",
          "/dev/null/none"], "/dev/null/none"),
        (["ycsb", "run", "--rate", "-1"], "--rate -1"),
        (["ycsb", "run", "--rate", "nan"], "--rate"),
        (["ycsb", "run", "--arrivals", "poisson"], "needs --rate"),
        (["ycsb", "run", "--think-time", "1s", "--rate", "5"], "--think-time cannot be combined with --rate"),
        (["ycsb", "run", "-p", "dotransactions=false"], "drover ycsb load"),
        (["ycsb", "run", "--share", "3/2"], "--share 3/2"),
        (["ycsb", "run", "--clients", "0"], "--clients 0"),
        (["ycsb", "run", "--operations", "0"], "--operations 0"),
        (["ycsb", "run", "--operations", "5", "--warmup", "1s"], "Set --warmup to 0"),
        (["ycsb", "run", "--format", "xml"], "--format xml"),
        (["ycsb", "load", "--recordcount", "10", "--insertstart", "20"], "insertstart=20"),
        (["ycsb", "load", "--recordcount", "10", "--insertstart", "5", "--insertcount", "6"], "exceeds"),
        (["ycsb", "load", "--insertstart", 2**60, "--insertcount", 1], "exceeds 1152921504606846976"),
        (["ycsb", "load", "--recordcount", 3, "--insertcount", 0],
         "recordcount=3, insertstart=0 and insertcount=0 leave no row"),
        (["ycsb", "load", "-p", "recordcount=+3", "-p", "insertstart=+4"], "insertstart=4"),
        (["ycsb", "run", "-p", "workload=site.ycsb.workloads.TimeSeriesWorkload"], "the only supported workload class"),
    ] + [
        ([*command, "--ui", "colourful"], "--ui colourful: expected auto, plain or quiet")
        for command in (["ycsb", "load", "--recordcount", 1], ["ycsb", "check"], ["ycsb", "clean"], ["tpcc", "init"],
                        ["tpcc", "check"], ["tpcc", "clean"], ["sql", "init"], ["sql", "clean"])
    ]

    def test_each(self):
        for arguments, named in self.CASES:
            with self.subTest(arguments=arguments):
                command = harness.drover(*arguments)
                self.expect_error(command, USAGE, re.escape(named))
                self.assertEqual(command.out, "")

    def test_a_line_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "wrong")
            path.write_text(f"recordcount=10\njdbc.passwd={SECRET}\nfieldlenght=5\n", encoding="utf-8")
            command = harness.drover("ycsb", "run", "-P", path)
            self.expect_error(command, USAGE, "line 3: fieldlenght", "did you mean fieldlength")
            self.assertNotIn(SECRET, command.out + command.err)

    def test_a_password_is_not_shown(self):
        for command in ("load", "run", "check", "clean"):
            with self.subTest(command=command):
                result = harness.drover("ycsb", command, "--recordcount", 10, "--db",
                                        f"postgresql://user:{SECRET}@127.0.0.1:1/x")
                self.expect_error(result, FAILURE, r"127\.0\.0\.1")
                self.assertNotIn(SECRET, result.out + result.err)


class WrongTable(YcsbTestCase):

    def test_there_is_none(self):
        for command in ("run", "check"):
            with self.subTest(command=command):
                arguments = ["--workload", "a", "--rate", 5] if command == "run" else []
                self.expect_error(self.ycsb(command, "--table", "nowhere", *arguments), FAILURE, "no table nowhere",
                                  "drover ycsb load")

    def test_it_was_loaded_otherwise(self):
        self.server.sql("CREATE SCHEMA otherwise")
        self.load("otherwise", rows=100)
        for command, arguments in [("load", ["--recordcount", 200]), ("run", ["--workload", "a"]), ("check", [])]:
            with self.subTest(command=command):
                self.expect_error(self.ycsb(command, "--fieldcount", 5, *arguments, schema="otherwise"), FAILURE,
                                  "fieldcount=10, and not fieldcount=5")
        self.expect_error(self.ycsb("run", "--workload", "a", "--recordcount", 500, schema="otherwise"), FAILURE,
                          "500|rows")


if __name__ == "__main__":
    harness.main()
