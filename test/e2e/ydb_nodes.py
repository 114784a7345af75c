"""The commands of `drover tpcc` on YDB: load, run, faults, check, clean, and what they say of wrong
use. The database is the server that speaks YDB's protocol (test/ydb_server), three nodes of it, on
a private PostgreSQL.

DROVER_YDB_SECONDS says how long a run is (2 by default); DROVER_YDB_WAREHOUSES how much is loaded.
"""

import contextlib
import json
import os
import pathlib
import socket
import sys
import tempfile
import unittest

import harness
from harness import FAILURE, SUCCESS, USAGE

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from ydb_server.process import YdbServer, make_venv  # noqa: E402

SECONDS = int(os.environ.get("DROVER_YDB_SECONDS", "2"))
WAREHOUSES = int(os.environ.get("DROVER_YDB_WAREHOUSES", "1"))
SKIPPED = 77  # as ctest is told
NODES = 3
CONNECTIONS = 6
# The ways in which a request fails; each of them a run of its own. Those that end a commit without
# a word leave something to look up.
FAULTS = ["overloaded", "unavailable", "aborted", "bad_session", "session_expired", "session_busy",
          "transport_before", "transport_after", "stream_cut", "late_error",
          "undetermined_committed", "undetermined_lost", "close_hint", "session_shutdown",
          "attach_cut"]
AMBIGUOUS = {"transport_after", "undetermined_committed", "undetermined_lost"}
# The server says that it has done nothing, so the transaction is tried again, and none fails.
RETRIED = {"overloaded", "unavailable", "aborted", "bad_session", "session_expired",
           "session_busy", "late_error"}


def url_of(server):
    """As drover takes it: other clients say grpc."""
    return server.url.replace("grpc", "ydb", 1)


def connections_to(ports):
    """How many connections of this machine there are to each port, by who has asked for them."""
    counts = dict.fromkeys(ports, 0)
    for path in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(FileNotFoundError), open(path, encoding="ascii") as table:
            for line in list(table)[1:]:
                remote, state = line.split()[2:4]
                port = int(remote.rsplit(":", 1)[1], 16)
                if state == "01" and port in counts:  # established
                    counts[port] += 1
    return counts


class YdbTestCase(harness.TestCase):
    """One server with a loaded database for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        cls.postgres = harness.Server()
        cls.addClassCleanup(cls.postgres.remove)
        cls.postgres.start()
        cls.server = YdbServer(cls.postgres.conninfo, nodes=NODES)
        cls.server.start()
        cls.addClassCleanup(cls.server.stop)
        cls.folder = pathlib.Path(tempfile.mkdtemp(dir=cls.postgres.folder))

    @classmethod
    def drover(cls, *arguments, seconds=300, **environment):
        return cls.begin(*arguments, **environment).wait(seconds)

    @classmethod
    def begin(cls, *arguments, **environment):
        environment.setdefault("DROVER_DB", url_of(cls.server))
        return harness.start_drover(*arguments, **environment)


class Loaded(YdbTestCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.loaded = []
        for words in (["init", "-w", WAREHOUSES],
                      ["import", "-w", WAREHOUSES, "--seed", 1, "--connections", 4],
                      ["check", "--after-import"]):
            command = harness.expect(cls.drover("tpcc", *words, seconds=500), SUCCESS)
            print(f"{command.line}: {command.seconds:.1f} s", flush=True)
            cls.loaded.append(command)

    def setUp(self):
        self.server.faults()

    def begin_run(self, name, *more, connections=CONNECTIONS):
        path = self.folder / f"{name}.json"
        command = self.begin(
            "tpcc", "run", "--no-delays", "--connections", connections, "--warmup", "0",
            "--duration", f"{SECONDS}s", "--max-attempts", 100, "--json", path, *more)
        return command, path

    def run_to_its_end(self, name, *more, **faults):
        """The faults begin when the terminals do, and end when the run has ended."""
        command, path = self.begin_run(name, *more)
        self.addCleanup(command.kill)
        command.wait_for("terminals up", 60)
        self.server.faults(**faults)
        try:
            self.expect(command.wait(SECONDS + 200), SUCCESS)
        finally:
            self.server.faults()
        return json.loads(path.read_text(encoding="utf-8")), command

    def expect_all_hold(self):
        command = self.expect(self.drover("tpcc", "check"), SUCCESS)
        self.assertRegex(command.out, r"All \d+ conditions checked hold")

    def expect_that_counts_agree(self, document):
        """What was counted is what the data say."""
        ledger = document["ledger"]
        self.assertTrue(ledger["exact"])
        self.assertEqual(document["ledger_in_data"],
                         {name: ledger[name] for name in ("new_orders", "payment_cents",
                                                          "orders_delivered")})
        for name, one in document["transactions"].items():
            self.assertEqual(one["all_count"], one["ok_count"] + one["failed_count"]
                             + one["user_aborted_count"], name)
            self.assertEqual(one["attempts"], one["all_count"] + one["retry_count"], name)
            ambiguous = one["ambiguous"]
            self.assertEqual(ambiguous["unresolved"], 0, name)
            self.assertEqual(ambiguous["count"],
                             ambiguous["committed"] + ambiguous["not_committed"], name)

    def test_init_and_import_say_what_they_did(self):
        init, imported, check = self.loaded
        self.assertIn("created the nine TPC-C tables in ydb://127.0.0.1:", init.out)
        self.assertRegex(imported.out, rf"imported {WAREHOUSES} warehouses? \(0 loaded before, seed "
                         r"1\): \d{6,} rows")
        self.assertRegex(check.out, r"All \d+ conditions checked hold")
        # Its tables are there already.
        self.expect_error(self.drover("tpcc", "init"), FAILURE, "--force")
        # And its warehouses.
        self.expect_error(self.drover("tpcc", "import", "-w", WAREHOUSES), FAILURE)

    def test_a_run(self):
        for style, mode, isolation in (("batched", "serializable-rw", "serializable"),
                                       ("single", "snapshot-rw", "snapshot")):
            with self.subTest(style=style):
                document, command = self.run_to_its_end(
                    style, "--statements", style, "--tx-mode", mode)
                self.assertIn(", YDB: ", command.err)
                self.assertIn("tpmC", command.out)
                server = document["environment"]["server"]
                self.assertEqual((server["kind"], server["settings"]["nodes"]), ("YDB", str(NODES)))
                self.assertEqual(document["plan"]["statements"], style)
                self.assertEqual(document["plan"]["isolation"], isolation)
                self.assertGreater(document["transactions"]["NewOrder"]["ok_count"], 0)
                self.expect_that_counts_agree(document)
        self.expect_all_hold()

    def test_snapshots_that_the_server_does_not_have(self):
        """As it is by default: said once, before a run."""
        self.server.settings(snapshot_writes=False)
        self.addCleanup(self.server.settings, snapshot_writes=True)
        command, result = self.begin_run("refused", "--tx-mode", "snapshot-rw")
        self.addCleanup(command.kill)
        refused = self.expect_error(command.wait(100), FAILURE, "--tx-mode serializable-rw",
                                    "Writes aren't supported for Snapshot Isolation")
        self.assertEqual(refused.err.count("Snapshot Isolation"), 1)
        self.assertNotIn("terminals", refused.err)
        self.assertFalse(result.exists())

    def test_a_worker_has_one_connection_to_each_node(self):
        ports = self.server.ports
        self.assertEqual(sum(connections_to(ports).values()), 0)
        command, _ = self.begin_run("connections", connections=5 * NODES)
        self.addCleanup(command.kill)
        command.wait_for("terminals up", 60)
        workers = 1 if WAREHOUSES == 1 else 2
        seen = harness.wait_until(
            lambda: (counts := connections_to(ports)) and all(counts.values()) and counts,
            "connections to all nodes")
        self.assertLessEqual(max(seen.values()), workers, seen)
        self.expect(command.wait(SECONDS + 200), SUCCESS)

    def run_with(self, fault):
        """The result, and how often the fault was given. A run that stands still for most of its
        time has too few requests for one in twenty to be among them; another one has not."""
        for _ in range(5):
            document, _ = self.run_to_its_end(fault, **{fault: {"probability": 0.05}})
            given = self.server.state()["faults_given"].get(fault, 0)
            retries = sum(one["retry_count"] for one in document["transactions"].values())
            if given and (retries or fault not in RETRIED):
                break
        return document, given

    def test_every_fault(self):
        looked_up = 0
        for fault in FAULTS:
            with self.subTest(fault=fault):
                document, given = self.run_with(fault)
                ambiguous = sum(one["ambiguous"]["count"]
                                for one in document["transactions"].values())
                print(f"{fault}: given {given}, committed "
                      f"{sum(one['ok_count'] for one in document['transactions'].values())}, "
                      f"ambiguous {ambiguous}", flush=True)
                self.assertGreater(given, 0)
                self.assertGreater(document["transactions"]["NewOrder"]["ok_count"], 0)
                self.expect_that_counts_agree(document)
                if fault in AMBIGUOUS:
                    looked_up += ambiguous
                if fault in RETRIED:
                    failed = {name: one["failed_count"]
                              for name, one in document["transactions"].items()}
                    self.assertEqual(sum(failed.values()), 0, failed)
                    self.assertGreater(sum(one["retry_count"]
                                           for one in document["transactions"].values()), 0)
        self.assertGreater(looked_up, 0)
        self.expect_all_hold()

    def test_a_node_that_goes_away(self):
        # One that says so before, and one that is killed.
        for action, node in (("node_shutdown", 3), ("node_down", 2)):
            with self.subTest(action=action):
                command, path = self.begin_run(action)
                self.addCleanup(command.kill)
                command.wait_for("terminals up", 60)
                self.server.action(action, node=node)
                if action == "node_down":
                    self.addCleanup(self.server.action, "node_up", node=node)
                self.expect(command.wait(SECONDS + 200), SUCCESS)
                self.expect_that_counts_agree(json.loads(path.read_text(encoding="utf-8")))
        self.expect_all_hold()

    def test_a_search(self):
        folder = self.folder / "search"
        command = self.drover(
            "tpcc", "search", "--out", folder, "--find", "terminals", "--low", 2, "--start", 2,
            "--high", 4, "--probe", "1s", "--confirm", "1s", "--warmup", "0",
            "--max-attempts", 100)
        # Whatever this machine comes to.
        self.assertIn(command.code, (SUCCESS, FAILURE), str(command))
        self.assertIn("answer: ", command.out, str(command))
        record = json.loads((folder / "search.json").read_text(encoding="utf-8"))
        self.assertEqual(record["settings"]["--tx-mode"], "serializable-rw")
        for run in record["runs"]:
            document = json.loads((folder / run["file"]).read_text(encoding="utf-8"))
            self.assertEqual(document["environment"]["server"]["kind"], "YDB")
            self.expect_that_counts_agree(document)
        self.expect_all_hold()


class Uses(YdbTestCase):
    """What needs no rows."""

    def test_clean_drops_what_init_made(self):
        where = ["--schema", "bench/tpcc"]
        self.expect(self.drover("tpcc", "init", *where), SUCCESS)
        self.expect_error(self.drover("tpcc", "run", *where), FAILURE, "import")
        again = self.expect(self.drover("tpcc", "init", "--force", *where), SUCCESS)
        self.assertIn("order_line", again.out)
        cleaned = self.expect(self.drover("tpcc", "clean", *where), SUCCESS)
        for table in harness.TABLES:
            self.assertIn(table, cleaned.out)
        self.assertIn("nothing to drop", self.expect(self.drover("tpcc", "clean", *where),
                                                     SUCCESS).out)
        self.expect_error(self.drover("tpcc", "run", *where), FAILURE, "init")

    def test_without_discovery_sessions_stay_where_they_are(self):
        """The server would place them on another node, of which nobody has heard."""
        self.server.settings(balance_sessions=True)
        self.addCleanup(self.server.settings, balance_sessions=False)
        where = ["--schema", "alone", "--no-discovery"]
        self.expect(self.drover("tpcc", "init", *where), SUCCESS)
        self.expect(self.drover("tpcc", "clean", *where), SUCCESS)
        # And those who know the nodes are moved.
        self.expect(self.drover("tpcc", "init", "--schema", "moved"), SUCCESS)

    def test_options_of_the_other_database(self):
        url = url_of(self.server)
        for words, name in ((["run", "--isolation", "serializable"], "--tx-mode"),
                            (["run", "--tx-mode", "stale"], "snapshot-rw"),
                            (["init", "--foreign-keys", "after-load"], "--foreign-keys"),
                            (["clean", "--schema", "a/../b"], "--schema"),
                            (["clean", "--ydb-token-file", "/nowhere/token"], "/nowhere/token")):
            self.expect_error(self.drover("tpcc", *words, "--db", url), USAGE, name)
        postgres = self.postgres.conninfo
        for words, name in ((["run", "--tx-mode", "snapshot-rw"], "--isolation"),
                            (["clean", "--no-discovery"], "--no-discovery")):
            self.expect_error(self.drover("tpcc", *words, "--db", postgres), USAGE, name)

    def test_urls_that_lead_nowhere(self):
        for url, word in (("ydb://127.0.0.1:2136", "database"), ("ydb://:2136/Root/test", "host"),
                          ("ydb://127.0.0.1:99999/Root/test", "port")):
            self.expect_error(self.drover("tpcc", "clean", "--db", url), USAGE, "--db", word)
        secret = self.expect_error(
            self.drover("tpcc", "clean", "--db", "ydb://me:hunter2@127.0.0.1/Root/test"), USAGE)
        self.assertNotIn("hunter2", secret.err + secret.out)
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))  # and nobody listens
            nobody = f"ydb://127.0.0.1:{unused.getsockname()[1]}/Root/test"
            self.expect_error(self.drover("tpcc", "clean", "--db", nobody), FAILURE, "127.0.0.1")
        other = url_of(self.server).replace("/Root/test", "/Root/other")
        self.expect_error(self.drover("tpcc", "clean", "--db", other), FAILURE)

    def test_who_may_come_in(self):
        with YdbServer(self.postgres.conninfo, "--schema", "guarded",
                       auth="tester:right") as guarded:
            url = url_of(guarded)
            token = self.folder / "token"
            token.write_text("no-such-token\n", encoding="utf-8")
            for environment in ({}, {"YDB_TOKEN": "hunter2"},
                                {"YDB_USER": "tester", "YDB_PASSWORD": "hunter2"}):
                command = self.expect_error(
                    self.drover("tpcc", "clean", "--db", url, **environment), FAILURE)
                self.assertNotIn("hunter2", command.err + command.out)
            self.expect_error(self.drover("tpcc", "clean", "--db", url, "--ydb-token-file", token),
                              FAILURE)
            self.expect(self.drover("tpcc", "clean", "--db", url, YDB_USER="tester",
                                    YDB_PASSWORD="right"), SUCCESS)

    def test_without_discovery(self):
        self.expect(self.drover("tpcc", "clean", "--schema", "x", "--no-discovery"), SUCCESS)


if __name__ == "__main__":
    try:
        make_venv()
    except unittest.SkipTest as reason:
        print(reason)
        sys.exit(SKIPPED)
    harness.main()
