"""`--server-stats`: what the server was doing, seen by a run that waits for a lock which this test holds."""

import json
import signal

import harness
from harness import INTERRUPTED, SUCCESS, USAGE

LOCK = 7
CLIENTS = 3
SCRIPT = f"BEGIN;\nSELECT pg_advisory_xact_lock({LOCK});\nCOMMIT;\n"


class ServerStats(harness.ServerTestCase):

    @classmethod
    def setUpClass(cls):
        cls.server = harness.Server()
        cls.addClassCleanup(cls.server.remove)
        cls.server.start("shared_preload_libraries=pg_stat_statements")
        cls.script = cls.server.folder / "lock.sql"
        cls.script.write_text(SCRIPT, encoding="utf-8")
        cls.path = cls.server.folder / "result.json"

    def begin_run(self, *arguments):
        command = self.server.begin("sql", "run", "--file", self.script, "--clients", CLIENTS, "--threads", 1,
                                    "--warmup", 0, "--duration", "1h", "--json", self.path, *arguments)
        self.addCleanup(command.kill)
        return command

    def end(self, command):
        command.signal(signal.SIGINT)
        self.expect(command.wait(), INTERRUPTED)
        return json.loads(self.path.read_text(encoding="utf-8"))

    @staticmethod
    def waiting(session):
        return session.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory'")

    @staticmethod
    def calls(session, text):
        return session.number("SELECT coalesce(sum(calls), 0)::int8 FROM pg_stat_statements "
                              f"WHERE query LIKE '%{text}%' AND query NOT LIKE '%pg_stat_statements%'")

    @staticmethod
    def last_look(session):
        return session.sql("SELECT coalesce(max(query_start)::text, '') FROM pg_stat_activity "
                           "WHERE query LIKE '%wait_event_type%' AND pid <> pg_backend_pid()")[0][0]

    def run_against_the_lock(self, session):
        """Ends when the run was seen waiting, and has gone on."""
        session.sql(f"SELECT pg_advisory_lock({LOCK})")
        command = self.begin_run("--server-stats")
        harness.wait_until(lambda: self.waiting(session) == CLIENTS, "the clients to wait")
        looks = self.calls(session, "wait_event_type")
        # One may have been under way when the last of them began to wait, and of the last one the run may not know yet.
        harness.wait_until(lambda: self.calls(session, "wait_event_type") >= looks + 4, "looks at them")
        session.sql(f"SELECT pg_advisory_unlock({LOCK})")
        harness.wait_until(lambda: self.calls(session, "pg_advisory_xact_lock") >= CLIENTS, "it to go on")
        return command

    def test_a_wait_is_seen_everywhere(self):
        self.server.sql("CREATE EXTENSION pg_stat_statements")
        self.addCleanup(self.server.sql, "DROP EXTENSION pg_stat_statements")
        with self.server.session() as session:
            command = self.run_against_the_lock(session)
        document = self.end(command)
        self.assertNotIn("--server-stats", command.err)
        self.assertTrue(document["plan"]["server_stats"])
        stats = document["server_stats"]
        seen = [sample["sessions"].get("Lock:advisory", 0) for sample in stats["samples"]]
        self.assertEqual(max(seen), CLIENTS, seen)
        self.assertGreaterEqual(seen.count(CLIENTS), 2, seen)
        measured = [sample["sessions"].get("Lock:advisory", 0) for sample in stats["samples"]
                    if sample["t"] <= document["summary"]["measured_seconds"]]
        means = {one["name"]: one["sessions"] for one in stats["wait_events"]}
        self.assertEqual(stats["samples_measured"], len(measured))
        self.assertAlmostEqual(means["Lock:advisory"], sum(measured) / len(measured), delta=0.001)
        locks = [one for one in stats["statements"] if one["text"] == "SELECT pg_advisory_xact_lock($1)"]
        self.assertEqual(len(locks), 1, stats["statements"])
        self.assertGreaterEqual(locks[0]["calls"], CLIENTS)
        self.assertRegex(command.out, r"(?m)^server, by wait event +sessions +share +ms/tx$")
        self.assertRegex(command.out, r"(?m)^  Lock:advisory +\d+\.\d\d +\d")
        self.assertRegex(command.out, r"(?m)^  SELECT pg_advisory_xact_lock\(\$1\) +\d+ ")
        page = self.expect(harness.drover("report", self.path, "--html"), SUCCESS).out
        self.assertIn('class="curve stack r0"', page)
        self.assertIn(">Lock:advisory</th>", page)
        compared = self.expect(harness.drover("compare", self.path, self.path, "--allow-different", "all"), SUCCESS)
        self.assertIn("Shares of the time in the server by wait event, from base to new:", compared.out)

    def test_without_the_extension_it_says_so_once(self):
        command = self.begin_run("--server-stats")
        command.wait_for("lacks the extension pg_stat_statements")
        with self.server.session() as session:
            first = harness.wait_until(lambda: self.last_look(session), "a look")
            # Of the first one the run knows when it begins the next.
            harness.wait_until(lambda: self.last_look(session) not in ("", first), "another look")
        document = self.end(command)
        self.assertEqual(command.err.count("note: --server-stats"), 1, str(command))
        self.assertIsNone(document["server_stats"]["statements"])

    def test_it_is_off_unless_asked_for(self):
        command = self.begin_run()
        command.wait_for("measuring")
        document = self.end(command)
        self.assertFalse(document["plan"]["server_stats"])
        self.assertIsNone(document["server_stats"])
        self.assertNotIn("server, by", command.out)

    def test_without_a_server_it_is_refused(self):
        self.expect_error(harness.drover("tpcc", "run", "-w", 1, "--simulate-ms", 1, "--server-stats"), USAGE,
                          "--server-stats", "no server")


if __name__ == "__main__":
    harness.main()
