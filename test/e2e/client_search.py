"""`drover ycsb search` and `drover sql search`: runs of the load that was asked for, a record from which the answer
follows, going on with it, and what is refused. What a machine can carry is its own to say."""

import json
import pathlib
import tempfile

import harness
from harness import FAILURE, SUCCESS, USAGE

SHORT = ("--probe", "1s", "--confirm", "1s", "--warmup", "0", "--ui", "quiet")


class ClientSearch(harness.ServerTestCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        loaded = cls.server.drover("ycsb", "load", "--recordcount", 1000, "--ui", "quiet")
        harness.expect(loaded, SUCCESS)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="drover-e2e-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "search"

    def search(self, *arguments):
        return self.server.drover(*arguments[:1], "search", "--out", self.folder, *SHORT,
                                  *arguments[1:], seconds=300)

    def record(self):
        return json.loads((self.folder / "search.json").read_text(encoding="utf-8"))

    def results(self, record):
        for run in record["runs"]:
            with open(self.folder / run["file"], encoding="utf-8") as file:
                yield run, json.load(file)

    def expect_sound(self, command, unit):
        """Whatever the machine made of the runs, the answer is what follows from them."""
        record = self.record()
        answer = record["answer"]
        self.assertEqual(command.code, SUCCESS if answer["found_out"] else FAILURE, str(command))
        self.assertEqual(record["unit"], unit)
        self.assertTrue(answer["ended"])
        self.assertIn(f"answer: {answer['sentence']}\n", command.out)
        for run, result in self.results(record):
            self.assertEqual(run["held"], not run["broken"])
            self.assertGreaterEqual(run["load"], record["bounds"]["low"])
            self.assertLessEqual(run["load"], record["bounds"]["high"])
            if unit == "rate":
                self.assertEqual(result["plan"]["rate"], run["load"])
            else:
                self.assertEqual(result["plan"].get("rate", 0), 0)
                self.assertEqual(result["plan"]["clients"], run["load"])
                self.assertEqual(result["plan"]["connections"], run["load"])
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        self.assertIn("The largest " + ("rate" if unit == "rate" else "number of clients"), page)
        return record

    def test_the_rate_of_ycsb(self):
        # Latencies are above 0: no rate holds, so that there is no more to try.
        arguments = ("ycsb", "--workload", "b", "--low", 40, "--start", 80, "--clients", 4,
                     "--fail-if", "read.p99 < 1000000")
        command = self.search(*arguments)
        record = self.expect_sound(command, "rate")
        self.assertEqual(command.code, FAILURE)
        self.assertEqual(record["bounds"]["high"], 10_000_000)
        self.assertEqual(record["runs"][0]["load"], 80)
        self.assertFalse(any(run["held"] for run in record["runs"]))
        for _, result in self.results(record):
            self.assertEqual(result["plan"]["clients"], 4)
            self.assertEqual(result["plan"]["benchmark"], "ycsb")

        # Nothing is left to do: the answer again, and no run.
        again = self.search(*arguments)
        self.assertEqual(again.code, FAILURE)
        self.assertEqual(self.record(), record)
        self.assertEqual(again.out.count("(recorded earlier)"), len(record["runs"]))

        # Another question in the same folder is refused, and nothing is changed.
        other = self.search(*arguments, "--readproportion", 1)
        self.expect_error(other, USAGE, "--out", "a search with other options", "readproportion was 0.95 and is 1")
        self.assertEqual(self.record(), record)

    def test_the_upper_bound_of_a_rate(self):
        command = self.search("ycsb", "--workload", "c", "--high", 60, "--low", 40, "--start", 50)
        record = self.expect_sound(command, "rate")
        if record["answer"]["found_out"] and record["answer"]["breaks"] is None:
            self.assertEqual(record["answer"]["holds"], 60)

    def test_clients_of_ycsb(self):
        command = self.search("ycsb", "--workload", "c", "--find", "clients", "--high", 4,
                              "--start", 2, "--fail-if", "all.p99 > 1000000")
        self.expect_sound(command, "clients")

    def test_the_rate_of_scripts(self):
        script = self.folder.parent / "look.sql"
        script.write_text("\\set n random(1, 10)\nSELECT :n;\n", encoding="utf-8")
        arguments = ("sql", "--file", script, "--low", 40, "--high", 80, "--clients", 2,
                     "--fail-if", "all.p99 > 1000000")
        command = self.search(*arguments)
        record = self.expect_sound(command, "rate")
        for _, result in self.results(record):
            self.assertEqual(result["plan"]["benchmark"], "sql")
        # Other scripts are another question, whatever they are called.
        script.write_text("SELECT 1;\n", encoding="utf-8")
        other = self.search(*arguments)
        self.expect_error(other, USAGE, "--out", "a search with other options", "the fingerprint of the scripts")

    def test_a_transaction_that_fails_breaks_every_load(self):
        script = self.folder.parent / "wrong.sql"
        script.write_text("SELECT 1 / 0;\n", encoding="utf-8")
        command = self.search("sql", "--file", script, "--find", "clients", "--high", 1,
                              "--fail-if", "all.p99 > 1000000")
        record = self.expect_sound(command, "clients")
        self.assertEqual(command.code, FAILURE)
        for run in record["runs"]:
            self.assertTrue(any("failed" in rule for rule in run["broken"]), run)

    def test_wrong_use(self):
        for arguments, words in (
                (["ycsb", "--find", "sheep"], ["--find sheep", "rate or clients"]),
                (["ycsb", "--find", "clients"],
                 ["--find clients needs --fail-if", "Example: --fail-if"]),
                (["ycsb", "--fail-if", "update.p99 > 3", "--workload", "c"],
                 ["--fail-if", "update.p99"]),
                (["ycsb", "--fail-if", "read.p99 > +5%"], ["--fail-if", "no base to compare"]),
                (["ycsb", "--high", 5, "--low", 6], ["--low"]),
                (["ycsb", "--rate", 5], ["--rate"]),
                (["sql"], ["no script is given"]),
                (["sql", "--builtin", "select-only", "--find", "clients", "--fail-if",
                  "all.p99 > 5", "--connections", 3], ["--connections"]),
                (["sql", "--builtin", "select-only", "--find", "clients", "--fail-if",
                  "all.p99 > 5", "--high", 9999], ["--high 9999", "free connections"])):
            with self.subTest(arguments=arguments):
                self.expect_error(self.search(*arguments), USAGE, *words)
        self.assertFalse(self.folder.exists(), "nothing was made")


if __name__ == "__main__":
    harness.main()
