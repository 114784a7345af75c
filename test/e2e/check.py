"""drover tpcc check: its document, its progress on a terminal, beside a run, and what it says of
data that somebody has spoilt by hand."""

import json
import os
import pty
import re
import signal
import subprocess
import threading

import harness
from harness import FAILURE, INTERRUPTED, SUCCESS


class Check(harness.ServerTestCase):

    WAREHOUSES_LOADED = 1

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        harness.expect(cls.server.drover("tpcc", "run", "--no-delays", "--warmup", "0",
                                         "--duration", "2s"), SUCCESS)

    def check_to(self, name, code, *arguments):
        path = self.server.folder / name
        command = self.expect(
            self.server.drover("tpcc", "check", "--json", path, *arguments), code)
        return command, json.loads(path.read_text(encoding="utf-8"))

    def spoil(self, sql, undo):
        self.server.sql(sql)
        self.addCleanup(self.server.sql, undo)

    def expect_well_formed(self, document):
        self.assertEqual(document["schema_version"], 1)
        self.assertEqual(document["warehouses"], 1)
        self.assertEqual(document["money"], "exact")
        self.assertEqual(document["snapshot"], {"shared": True, "refusal": None})
        self.assertGreater(document["seconds"], 0)
        self.assertRegex(document["finished"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        conditions = document["conditions"]
        self.assertEqual({c["number"] for c in conditions if c["number"]}, set(range(1, 13)))
        self.assertEqual(len({c["name"] for c in conditions}), len(conditions))
        for status, count in document["counts"].items():
            self.assertEqual(sum(c["status"] == status for c in conditions), count, status)
        self.assertEqual(sum(document["counts"].values()), len(conditions))
        for condition in conditions:
            self.assertEqual(condition["status"] == "violated", condition["offenders"] > 0)
            self.assertEqual(condition["status"] == "not_judged", condition["error"] is not None)
            self.assertEqual(len(condition["first_offenders"]), min(condition["offenders"], 3))
            for offender in condition["first_offenders"]:
                self.assertEqual(set(offender), {"key", "expected", "found"})
        self.assertEqual(document["holds"], document["counts"]["violated"] == 0 and
                         document["counts"]["not_judged"] == 0)

    def named(self, document, name):
        return next(c for c in document["conditions"] if c["name"] == name)

    def test_document_of_data_that_hold(self):
        command, document = self.check_to("holds.json", SUCCESS)
        self.expect_well_formed(document)
        self.assertTrue(document["holds"])
        self.assertEqual(self.named(document, "11")["status"], "not_checked")
        self.assertEqual(self.named(document, "stock.columns")["status"], "not_checked")
        self.assertRegex(command.out,
                         rf"All {document['counts']['holds']} conditions checked hold\.")
        self.assertIn("in one snapshot", command.out)
        left = [path.name for path in self.server.folder.glob("holds.json*")]
        self.assertEqual(left, ["holds.json"])

    def test_document_alone_on_stdout(self):
        command = self.expect(self.server.drover("tpcc", "check", "--json", "-"), SUCCESS)
        self.expect_well_formed(json.loads(command.out))
        self.assertRegex(command.err, r"All \d+ conditions checked hold\.")

    def test_document_of_data_that_do_not(self):
        self.spoil("UPDATE customer SET c_balance = c_balance + 0.01 WHERE c_id < 5",
                   "UPDATE customer SET c_balance = c_balance - 0.01 WHERE c_id < 5")
        self.spoil("ALTER TABLE stock RENAME s_data TO s_text",
                   "ALTER TABLE stock RENAME s_text TO s_data")
        command, document = self.check_to("violated.json", FAILURE)
        self.expect_well_formed(document)
        self.assertFalse(document["holds"])
        balances = self.named(document, "10")
        self.assertEqual(balances["offenders"], 40)
        self.assertEqual(balances["first_offenders"][0]["key"], "w_id=1 d_id=1 c_id=1")
        offender = balances["first_offenders"][0]
        self.assertIn("{key}: expected {expected}; found {found}\n".format(**offender),
                      command.out)
        self.assertIn("s_data", self.named(document, "stock.values")["error"])
        self.assertEqual(self.named(document, "1")["status"], "holds")

    def test_fresh_data_only(self):
        # The rules of the population are judged when asked for, and this data is used.
        _, document = self.check_to("after-import.json", FAILURE, "--after-import")
        self.expect_well_formed(document)
        self.assertEqual(document["counts"]["not_checked"], 0)
        self.assertEqual(self.named(document, "11")["status"], "violated")
        self.assertEqual(self.named(document, "customer.values")["status"], "holds")

    def test_file_that_cannot_be_written(self):
        # It says so before it looks at the database, which is not there.
        for path in ("/nonexistent/check.json", str(self.server.folder), "/dev/null/check.json"):
            with self.subTest(path=path):
                self.expect_error(
                    harness.drover("tpcc", "check", "--db", "host=/nonexistent", "--json", path),
                    FAILURE, re.escape(f'JSON file "{path}": cannot'))
        # What fails at the end does so after the report.
        command = self.expect_error(self.server.drover("tpcc", "check", "--json", "/dev/full"),
                                    FAILURE, "JSON file", "space")
        self.assertRegex(command.out, r"All \d+ conditions checked hold\.")

    def test_interrupted_check_leaves_the_old_file(self):
        path = self.server.folder / "old.json"
        path.write_text("old")
        # A lock, held by a session of ours, keeps the check from ending before we come.
        holder = self.server.begin("pg", "psql", "--", "-X", "-q", "-c",
                                   "BEGIN; LOCK TABLE order_line; SELECT pg_sleep(600)")
        self.addCleanup(holder.kill)
        locks = ("SELECT count(*) FROM pg_locks WHERE relation = 'order_line'::regclass AND {} "
                 "granted AND mode = '{}'")
        harness.wait_until(lambda: self.server.number(
            locks.format("", "AccessExclusiveLock")), "the lock")
        command = self.server.begin("tpcc", "check", "--json", path)
        self.addCleanup(command.kill)
        harness.wait_until(lambda: self.server.number(
            locks.format("NOT", "AccessShareLock")), "a check that waits")
        command.signal(signal.SIGINT)
        self.expect(command.wait(20), INTERRUPTED)
        self.assertIn("interrupted: the check gives no verdict on the data", command.err)
        self.assertEqual(path.read_text(), "old")
        self.assertEqual(len(list(self.server.folder.glob("old.json*"))), 1)
        self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE granted AND "
                        "relation = 'order_line'::regclass AND mode = 'AccessExclusiveLock'")
        holder.wait(20)

    def test_beside_a_run(self):
        run = self.server.begin("tpcc", "run", "--no-delays", "--warmup", "0", "--duration", "1h")
        self.addCleanup(run.kill)
        orders = "SELECT sum(d_next_o_id) FROM district"
        for _ in range(2):
            before = self.server.number(orders)
            harness.wait_until(lambda: self.server.number(orders) > before, "new orders")
            command = self.expect(self.server.drover("tpcc", "check", "--connections", 4), SUCCESS)
            self.assertIn("in one snapshot", command.out)
            self.assertGreater(self.server.number(orders), before)
        run.signal(signal.SIGINT)
        self.expect(run.wait(20), INTERRUPTED)
        self.expect_consistent(self.server)

    def on_terminal(self, *arguments):
        """The exit code, stdout and what came to a terminal as stderr."""
        outer, inner = pty.openpty()
        process = subprocess.Popen(
            [harness.DROVER, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=inner, text=True,
            env=harness.clean_environment(DROVER_DATA_HOME=str(self.server.root)))
        os.close(inner)
        shown = []

        def read():
            try:
                while data := os.read(outer, 4096):
                    shown.append(data.decode())
            except OSError:  # how a terminal says that its other end is closed
                pass

        reader = threading.Thread(target=read)
        reader.start()
        out, _ = process.communicate(timeout=120)
        reader.join(20)
        os.close(outer)
        return process.returncode, out, "".join(shown)

    def test_progress_is_for_terminals(self):
        code, out, shown = self.on_terminal("tpcc", "check")
        self.assertEqual(code, SUCCESS, out + shown)
        lines = shown.split("\r")
        self.assertRegex(shown, r"checked 0%, now: \S")
        self.assertRegex(shown, r"checked \d+%, \d+:\d\d left, now: \S")
        self.assertLessEqual(max(len(line) for line in lines), 79)
        # Nothing of it is left.
        self.assertEqual((lines[-1], lines[-2].strip()), ("", ""))
        self.assertNotIn("%", out)
        command = self.expect(self.server.drover("tpcc", "check"), SUCCESS)
        self.assertEqual(command.err, "")

    def test_help_says_what_is_checked(self):
        command = self.expect(harness.drover("tpcc", "check", "--help"), SUCCESS)
        for word in ("--json", "--after-import", "3.3.2", "snapshot", "docs/checks.md"):
            self.assertIn(word, command.out)


if __name__ == "__main__":
    harness.main()
