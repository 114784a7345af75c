"""`drover tpcc search`: finds a limit that is known, goes on after an interrupt, refuses another
question, and says what is wrong."""

import json
import os
import pathlib
import re
import signal
import tempfile

import harness
from harness import FAILURE, INTERRUPTED, SUCCESS, USAGE

# Committed New-Orders a minute that ten terminals with the times of the specification come to.
TPMC_A_WAREHOUSE = 12.86
PACE = 50


class Search(harness.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="drover-e2e-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "search"

    def arguments(self, *more, probe="1s", confirm="1s"):
        return ["tpcc", "search", "--out", self.folder, "--simulate-ms", 1, "--pace", PACE,
                "--probe", probe, "--confirm", confirm, "--warmup", "0", *more]

    def record(self):
        return json.loads((self.folder / "search.json").read_text(encoding="utf-8"))

    @staticmethod
    def client_was_busy(record):
        return any(run["by_client"] for run in record["runs"])

    def expect_exit_code(self, command, record):
        self.assertEqual(command.code, SUCCESS if record["answer"]["found_out"] else FAILURE,
                         str(command))

    def expect_record_is_sound(self, record):
        """Whatever the machine made of the runs, the answer has to be what follows from them."""
        self.assertTrue(record["runs"])
        for run in record["runs"]:
            self.assertEqual(run["held"], not run["broken"])
            self.assertFalse(run["held"] and run["by_client"])
            with open(self.folder / run["file"], encoding="utf-8") as file:
                result = json.load(file)
            self.assertEqual(result["plan"]["warehouses"], run["load"])
            self.assertAlmostEqual(result["summary"]["tpmc"], run["tpmc"])
        answer = record["answer"]
        self.assertTrue(answer["ended"])
        if answer["confirmed"]:
            self.assertTrue(any(run["confirmation"] and run["held"]
                                and run["load"] == answer["holds"] for run in record["runs"]))
        if answer["breaks"] is not None:
            self.assertTrue(any(run["load"] == answer["breaks"] and not run["held"]
                                and not run["by_client"] for run in record["runs"]))
        if answer["not_judged"] is not None:
            self.assertFalse(answer["found_out"])
            self.assertIn("undecided: the client machine was overloaded", answer["sentence"])
            self.assertGreaterEqual(sum(run["load"] == answer["not_judged"] and run["by_client"]
                                        for run in record["runs"]), 3)

    def test_a_known_limit_is_found(self):
        # Of 20 warehouses: no more New-Orders than these may come.
        limit = f"tpmC > {TPMC_A_WAREHOUSE * PACE * 20:.0f}"
        command = harness.drover(*self.arguments("--high", 200, "--start", 4, "--fail-if", limit,
                                                 probe="2s", confirm="3s"))
        record = self.record()
        self.expect_exit_code(command, record)
        self.expect_record_is_sound(record)
        self.assertIn(f"answer: {record['answer']['sentence']}", command.out)
        # On a machine with too much to do the client may break the rules before the limit does.
        if not self.client_was_busy(record):
            self.assertTrue(record["answer"]["confirmed"], str(command))
            self.assertGreaterEqual(record["answer"]["holds"], 14)
            self.assertLessEqual(record["answer"]["holds"], 26)
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        self.assertIn("The largest number of warehouses", page)
        self.assertNotIn("<script", page)

    def test_it_goes_on_after_an_interrupt(self):
        arguments = self.arguments("--high", 8, "--low", 2, "--start", 2, "--min-efficiency", 0)
        command = harness.start_drover(*arguments)
        harness.wait_until(lambda: (self.folder / "search.json").exists(), "the first run")
        command.signal(signal.SIGINT)
        command.wait()
        self.assertEqual(command.code, INTERRUPTED, str(command))
        self.assertIn("To continue from here, repeat the same command", command.err)
        before = self.record()["runs"]
        times = {run["file"]: os.stat(self.folder / run["file"]).st_mtime_ns for run in before}
        command = harness.drover(*arguments)
        record = self.record()
        self.expect_exit_code(command, record)
        self.assertEqual(record["runs"][:len(before)], before)
        for file, time_ns in times.items():
            self.assertEqual(os.stat(self.folder / file).st_mtime_ns, time_ns, file)
        self.expect_record_is_sound(record)
        self.assertEqual(command.out.count("(recorded earlier)"), len(before))

        # Nothing is left to do: the answer again, and no run.
        again = harness.drover(*arguments)
        self.assertEqual(again.code, command.code)
        self.assertEqual(self.record(), record)
        self.assertIn(record["answer"]["sentence"], again.out)

        # Another question in the same folder is refused, and nothing is changed.
        other = harness.drover(*self.arguments("--high", 8, "--low", 2, "--min-efficiency", 50))
        self.expect_error(other, USAGE, "--out", "a search with other options", "--min-efficiency was 0 and is 50")
        self.assertEqual(self.record(), record)

    def test_one_search_a_folder_at_a_time(self):
        first = harness.start_drover(*self.arguments("--high", 8))
        harness.wait_until(lambda: (self.folder / "search.json").exists(), "the first run")
        second = harness.drover(*self.arguments("--high", 8))
        self.expect_error(second, USAGE, "--out", "another search is running")
        first.signal(signal.SIGINT)
        first.wait()

    def test_nothing_holds(self):
        command = harness.drover(*self.arguments("--high", 4, "--start", 1,
                                                 "--fail-if", "throughput > 0"))
        self.assertEqual(command.code, FAILURE, str(command))
        record = self.record()
        self.expect_record_is_sound(record)
        self.assertEqual({run["load"] for run in record["runs"]}, {1})
        if not self.client_was_busy(record):
            self.assertIn("answer: the rules do not hold even at 1 warehouse", command.out)
            self.assertEqual(len(record["runs"]), 2)

    def test_what_the_client_broke_is_no_answer(self):
        # A record of a version that took a slow client for an answer, with nothing left to try.
        arguments = self.arguments("--high", 1, "--min-efficiency", 0)
        harness.drover(*arguments)
        record = self.record()
        run = next((run for run in record["runs"] if not run["confirmation"]), None)
        slow = "client.reaction: a worker reacts 9 ms late"
        broken = {**run, "held": False, "broken": [slow]}
        del broken["by_client"]
        record["runs"] = [{**run, "held": True, "broken": []},
                          *3 * [{**broken, "confirmation": True}]]
        (self.folder / "search.json").write_text(json.dumps(record), encoding="utf-8")
        command = harness.drover(*arguments)
        self.assertEqual(command.code, FAILURE, str(command))
        sentence = ("undecided: the client machine was overloaded in the runs at 1 warehouse: "
                    f"{slow}. Known so far: all rules hold at 1 warehouse (not confirmed)")
        self.assertIn(f"answer: {sentence}\n", command.out)
        again = self.record()
        self.assertEqual(again["answer"]["sentence"], sentence)
        self.assertEqual((again["answer"]["not_judged"], again["answer"]["found_out"],
                          again["answer"]["ended"]), (1, False, True))
        self.assertEqual([run["by_client"] for run in again["runs"]], [False, True, True, True])
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        self.assertIn("? not judged", page)
        self.assertIn("undecided: the client machine was overloaded", page)

    def test_terminals_without_delays(self):
        command = harness.drover(
            "tpcc", "search", "--out", self.folder, "--find", "terminals", "--simulate-ms", 10,
            "-w", 10, "--high", 100, "--start", 4, "--probe", "1s", "--confirm", "1s",
            "--warmup", "0", "--fail-if", "throughput > 2000")
        record = self.record()
        self.assertEqual(record["unit"], "terminals")
        for run in record["runs"]:
            with open(self.folder / run["file"], encoding="utf-8") as file:
                result = json.load(file)
            self.assertEqual(result["client"]["terminals"], run["load"])
            self.assertTrue(result["plan"]["no_delays"])
            # Each does a hundred a second at most.
            self.assertLessEqual(run["throughput"], run["load"] * 101, str(command))
        # Below that, each is as fast as its processor lets it be; on a machine with too much to do
        # the client may break the rules before.
        if not self.client_was_busy(record):
            self.assertGreaterEqual(record["answer"]["holds"], 20, str(command))

    def test_wrong_use(self):
        for arguments, words in (
                (["--find", "sheep", "--high", 5], ["--find sheep", "warehouses or terminals"]),
                ([], ["--simulate-ms needs --high"]),
                (["--high", 5, "--low", 6], ["--low"]),
                (["--high", 5, "--start", 6], ["--start"]),
                (["--high", 5, "--tolerance", "much"], ["--tolerance much", "0 to 50"]),
                (["--high", 5, "--min-efficiency", 200], ["--min-efficiency", "0 to 100"]),
                (["--high", 5, "--fail-if", "speed > 3"], ["--fail-if", "speed"]),
                (["--high", 5, "--fail-if", "tpmC < -3%"], ["--fail-if", "no base to compare"]),
                (["--high", 5, "--find", "terminals", "--connections", 3], ["--connections"]),
                (["--high", 5, "-w", 3], ["--warehouses", "--high"]),
                (["--high", 5, "--no-delays"], ["--find terminals"])):
            command = harness.drover(*self.arguments(*arguments))
            self.expect_error(command, USAGE, *words)
        command = harness.drover("tpcc", "search", "--out", self.folder, "--simulate-ms", 1, "--high",
                                 5, "--probe", "100ms")
        self.expect_error(command, USAGE, "--probe 100ms: expected a time from 1s to 8760h")
        self.assertFalse(self.folder.exists(), "nothing was made")
        command = harness.drover("tpcc", "search", "--simulate-ms", 1, "--high", 2)
        self.expect_error(command, USAGE, "--out")

    def test_a_broken_record_is_named(self):
        self.folder.mkdir()
        (self.folder / "search.json").write_text('{"document": "drover search"', encoding="utf-8")
        command = harness.drover(*self.arguments("--high", 4))
        self.expect_error(command, FAILURE, "search.json")

    def test_on_postgres(self):
        with harness.Server(warehouses=2) as server:
            command = server.drover(
                "tpcc", "search", "--out", self.folder, "--pace", 20, "--probe", "1s", "--confirm",
                "2s", "--warmup", "0", "--min-efficiency", 20, seconds=300)
            record = self.record()
            self.assertIn(command.code, (SUCCESS, FAILURE), str(command))
            self.assertEqual(record["bounds"]["high"], 2, "what is loaded")
            self.expect_record_is_sound(record)
            too_many = server.drover("tpcc", "search", "--out", self.folder, "--high", 3)
            self.expect_error(too_many, USAGE, "--high 3", "expected at most 2, the number of loaded warehouses")
            self.expect_consistent(server)
        self.assertTrue(re.search(r"report: .*report\.html", command.out))


if __name__ == "__main__":
    harness.main()
