"""Runs that are shares of a whole, started by hand at the same time on one database: `--share`, `--warehouse-range`,
`--start-at`. Each is exact by itself where it can be, and all together where it cannot."""

import json
import math
import os
import re
import signal
import time

import harness
from harness import INTERRUPTED, SUCCESS, USAGE

# Two processes come up within that, on a machine that has other things to do, or begin late and say so.
SOON_S = 8


def soon():
    return math.ceil(time.time()) + SOON_S


class SharesTestCase(harness.ServerTestCase):

    def run_parts(self, *command, parts, schema="public", start_at=None):
        """One process for each part's own arguments; their documents. All have the same time to start at."""
        start_at = start_at or soon()
        paths = [self.server.folder / f"part-{i}.json" for i in range(len(parts))]
        commands = []
        for path, own in zip(paths, parts):
            path.unlink(missing_ok=True)
            commands.append(self.server.begin(*command, "--schema", schema, "--start-at", start_at, "--json", path, *own))
            self.addCleanup(commands[-1].kill)
        for one in commands:
            self.expect(one.wait(), SUCCESS)
            one.wait_for(r"Waiting .* until 20\d\d-|The run begins .* late")
        documents = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
        for document in documents:
            (rank,) = document["ranks"]
            # Whoever is in time begins at the instant that was given; whoever is late says by how much.
            self.assertGreaterEqual(rank["start_ts"], start_at - 0.001)
            self.assertLessEqual(rank["start_ts"] - start_at, rank["start_late_s"] + 0.001)
            self.assertEqual(rank["run"], "")
            for second in document["time_series"]:
                self.assertEqual(second["latency"]["count"] if "latency" in second else 0, sum(second["ok"].values()))
        return documents


class Tpcc(SharesTestCase):
    WAREHOUSES_LOADED = 2

    def expect_exact(self, documents):
        before = self.before
        ordered = sum(document["ledger"]["new_orders"] for document in documents)
        self.assertEqual(self.orders() - before, ordered)
        for document in documents:
            self.expect_every_count(document)
            self.assertTrue(document["ledger"]["exact"])
        self.expect_consistent(self.server)

    def orders(self):
        return self.server.number("SELECT sum(d_next_o_id) FROM district")

    def setUp(self):
        self.before = self.orders()

    def test_each_ledger_is_exact_while_the_other_writes(self):
        documents = self.run_parts("tpcc", "run", "--no-delays", "--warmup", "1s", "--duration", "4s", "--connections",
                                   6, parts=[["--warehouse-range", "1-1"], ["-w", 2, "--warehouse-range", "2-2"]])
        self.expect_exact(documents)
        for number, document in enumerate(documents, 1):
            (rank,) = document["ranks"]
            self.assertEqual((rank["warehouse_first"], rank["warehouse_last"]), (number, number))
            self.assertEqual(document["plan"]["warehouses"], 2)
            self.assertEqual(document["summary"]["warehouses"], 1)
            self.assertEqual(document["plan"]["connections"], 3)
            self.assertEqual(document["client"]["terminals"], 10)
            # Each customer of another warehouse is the other host's.
            self.assertGreater(document["inputs"]["payments_remote"], 0)

    def test_shares_of_terminals(self):
        documents = self.run_parts("tpcc", "run", "--no-delays", "--terminals", 7, "--warmup", 0, "--duration", "2s",
                                   parts=[["--share", "1/2"], ["--share", "2/2"]])
        self.expect_exact(documents)
        self.assertEqual([document["client"]["terminals"] for document in documents], [4, 3])
        self.assertEqual([(document["ranks"][0]["rank"], document["ranks"][0]["ranks"]) for document in documents],
                         [(0, 2), (1, 2)])

    def test_whoever_comes_late_begins_at_once_and_says_so(self):
        path = self.server.folder / "late.json"
        address = f"{self.server.conninfo} connect_timeout=300"
        # Nobody gets a session before the time has passed.
        postmaster = self.server.pid
        self.addCleanup(os.kill, postmaster, signal.SIGCONT)
        os.kill(postmaster, signal.SIGSTOP)
        start_at = time.time() + SOON_S
        command = self.server.begin("tpcc", "run", "--db", address, "--no-delays", "--warmup", 0, "--duration", "1s",
                                    "--start-at", start_at, "--json", path, "--connections", 4)
        self.addCleanup(command.kill)
        harness.wait_until(lambda: time.time() > start_at + 1, "the time to begin")
        os.kill(postmaster, signal.SIGCONT)
        self.expect(command.wait(), SUCCESS)
        command.wait_for(r"The run begins .* late")
        (rank,) = json.loads(path.read_text(encoding="utf-8"))["ranks"]
        self.assertGreater(rank["start_late_s"], 0.9)
        self.assertGreater(rank["start_ts"], start_at + 0.9)

    def test_ctrl_c_while_it_waits(self):
        path = self.server.folder / "interrupted.json"
        command = self.server.begin("tpcc", "run", "--no-delays", "--duration", "1h", "--start-at",
                                    int(time.time()) + 3600, "--json", path)
        self.addCleanup(command.kill)
        command.wait_for(r"all terminals have started. Waiting .* until 20\d\d-\d\d-\d\d "
                         r"\d\d:\d\d:\d\d UTC")
        command.signal(signal.SIGINT)
        self.expect(command.wait(), INTERRUPTED)
        document = json.loads(path.read_text(encoding="utf-8"))
        self.assertTrue(document["interrupted"])
        self.assertEqual(document["ranks"][0]["start_ts"], 0)
        self.assertEqual(self.orders(), self.before)

    def test_what_is_loaded_decides(self):
        self.expect_error(self.server.drover("tpcc", "run", "--warehouse-range", "2-3"), USAGE,
                          "--warehouse-range 2-3: the range must be within --warehouses, which is 2")
        self.expect_error(self.server.drover("tpcc", "run", "--share", "1/3"), USAGE, "2 warehouses .* cannot be divided")


class Ycsb(SharesTestCase):

    def test_inserts_do_not_collide_and_the_table_adds_up(self):
        self.server.sql("CREATE SCHEMA ycsb")
        self.expect(self.server.drover("ycsb", "load", "--schema", "ycsb", "--recordcount", 1000), SUCCESS)
        documents = self.run_parts(
            "ycsb", "run", "--readproportion", 0.2, "--updateproportion", 0.4, "--insertproportion", 0.4, "--clients",
            9, "--operations", 1001, "--rate", 700, "--connections", 8, "--verify", schema="ycsb",
            parts=[["--share", "1/2"], ["--share", "2/2"]])
        self.assertEqual([document["plan"]["clients"] for document in documents], [4, 5])
        self.assertEqual([document["plan"]["operations"] for document in documents], [500, 501])
        self.assertEqual([document["plan"]["rate"] for document in documents], [350, 350])
        for document in documents:
            self.assertEqual(document["plan"]["of_all_hosts"], {"connections": 8, "max_inflight": None, "terminals": 9,
                                                                "rate": 700, "operations": 1001})
        counted = {}
        for document in documents:
            self.assertEqual(document["transactions"]["INSERT"]["failed_count"], 0)
            for account in document["accounts"]:
                # What the table says of both says nothing of one.
                self.assertIsNone(account["in_data"])
                counted[account["name"]] = counted.get(account["name"], 0) + account["counted"]
        self.assertEqual(self.server.number("SELECT count(*) FROM ycsb.usertable"), 1000 + counted["inserts"])
        check = self.expect(self.server.drover("ycsb", "check", "--schema", "ycsb"), SUCCESS)
        updated = int(re.search(r"(?m)^updates +([\d,]+)", check.out)[1].replace(",", ""))
        self.assertEqual(updated, counted["fields updated"])


class Sql(SharesTestCase):

    def test_clients_are_numbered_over_all(self):
        self.server.sql("CREATE TABLE seen (client int, r int)")
        script = self.server.folder / "seen.sql"
        script.write_text("\\set r random(1, 1000000000)\nINSERT INTO seen VALUES (:client_id, :r);\n",
                          encoding="utf-8")
        documents = self.run_parts("sql", "run", "--file", script, "--clients", 5, "--operations", 400,
                                   parts=[["--share", "1/2"], ["--share", "2/2"]])
        done = sum(one["ok_count"] for document in documents for one in document["transactions"].values())
        self.assertEqual(done, 400)
        shared = self.server.sql("SELECT client, count(*) FROM seen GROUP BY client ORDER BY client")
        self.assertEqual(sum(int(count) for _, count in shared), 400)
        self.assertEqual([client for client, _ in shared], ["0", "1", "2", "3", "4"])
        # One host alone draws the same of each client, as far as it comes.
        self.server.sql("ALTER TABLE seen RENAME TO shared; CREATE TABLE seen (client int, r int)")
        self.expect(self.server.drover("sql", "run", "--file", script, "--clients", 5, "--operations", 400), SUCCESS)
        common = "SELECT client, count(*) FROM (SELECT * FROM seen INTERSECT SELECT * FROM shared) AS c GROUP BY client"
        least = ("SELECT client, least((SELECT count(*) FROM seen AS a WHERE a.client = s.client), (SELECT count(*) FROM "
                 "shared AS b WHERE b.client = s.client)) FROM (SELECT DISTINCT client FROM seen) AS s")
        self.assertEqual(sorted(self.server.sql(common)), sorted(self.server.sql(least)))


class WrongUse(harness.TestCase):
    RUN = ("tpcc", "run", "-w", "4", "--simulate-ms", "5")
    CASES = [
        ([*RUN, "--share", "3/2"], r"--share 3/2: expected I/N"),
        ([*RUN, "--share", ""], "--share: the value is empty. Expected I/N"),
        ([*RUN, "--hosts="], "--hosts: the value is empty"),
        ([*RUN, "--warehouse-range", ""], "--warehouse-range: the value is empty"),
        ([*RUN, "--start-at", ""], "--start-at: the value is empty"),
        ([*RUN, "--share", "1/5"], "4 warehouses .* cannot be divided"),
        ([*RUN, "--no-delays", "--terminals", 1, "--share", "1/2"], "1 terminal cannot be divided"),
        ([*RUN, "--max-inflight", 1, "--share", "2/2"], "--max-inflight 1: too few"),
        ([*RUN, "--warehouse-range", "3-2"], "--warehouse-range 3-2: expected A-B"),
        ([*RUN, "--warehouse-range", "3-5"], "--warehouse-range 3-5: the range must be within --warehouses, "
                                             "which is 4"),
        ([*RUN, "--warehouse-range", "1-2", "--share", "1/2"],
         "--warehouse-range cannot be combined with --share, which also sets the warehouses of this host. "
         "Leave out one of them"),
        ([*RUN, "--start-at", "+30s"], "differ between hosts"),
        ([*RUN, "--start-at", "1000000000"], "by this host's clock, this time passed .* ago"),
        ([*RUN, "--start-at", "tomorrow"], "the text is not a time with a time zone"),
        (["ycsb", "run", "--clients", 2, "--share", "1/3"], "--clients 2: too few. The number is divided among 3 hosts"),
        (["ycsb", "run", "--operations", 2, "--share", "1/3"], "--operations 2: too few. The number is divided among 3 hosts"),
        (["sql", "run", "--builtin", "select-only", "--share", "0/2"], "--share 0/2"),
    ]

    def test_each(self):
        for arguments, named in self.CASES:
            with self.subTest(arguments=arguments):
                command = harness.drover(*map(str, arguments))
                self.expect_error(command, USAGE, named)
                self.assertEqual(command.out, "")


if __name__ == "__main__":
    harness.main()
