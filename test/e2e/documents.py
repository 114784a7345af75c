"""The documents of `drover compare`, `history`, `tpcc search` and `lab` against their published
JSON Schemas: real ones fit, with every branch of theirs that can be had without waiting; nothing
is described that is never there; broken ones do not fit."""

import copy
import json
import pathlib
import re
import resource
import shutil
import signal
import tempfile

import harness
import json_schema
import made_results
from harness import FAILURE, INTERRUPTED, SUCCESS, USAGE
from json_schema import changed, described_fields, fits, load_schema, places_of, strict, violations

setUpModule = json_schema.require_library

OLD = [3000, 3010, 2990, 3020, 2985]
SLOWER = [2850, 2860, 2840, 2870, 2835]


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


class Judged:
    """What every kind of document is asked. A mixin of test cases with the name of a schema."""

    schema_name = ""
    every_field_is_there = True  # in every document; else those that the schema requires

    @property
    def schema(self):
        return load_schema(self.schema_name)

    def expect_fit(self, document):
        self.assertEqual(violations(self.schema, document), [])
        closed = strict(self.schema, required=True if self.every_field_is_there else None)
        self.assertEqual(violations(closed, document), [])
        return document

    def expect_all_described_is_there(self, documents):
        # What only some documents have (a $comment says so) is another test's.
        fields = {place for place, _, field in described_fields(self.schema, self.schema)
                  if "$comment" not in field}
        there = {place for document in documents for place in places_of(document, fields)}
        self.assertEqual(fields - there, set())

    def expect_broken(self, document, mutations):
        self.assertEqual(violations(self.schema, document), [])
        for place, value in mutations:
            with self.subTest(place=place, value=value):
                self.assertFalse(fits(self.schema, changed(document, place, value)))

    def expect_newer_fields_fit(self, document, places):
        for place in places:
            with self.subTest(place=place):
                newer = changed(document, [*place, "newer"], {"deep": [1]})
                self.assertEqual(violations(self.schema, newer), [])
                self.assertFalse(fits(strict(self.schema, required=None), newer))


class Comparisons(Judged, made_results.TestCase):

    schema_name = "compare"

    def compare(self, code, *arguments):
        path = self.folder / "comparison.json"
        self.expect(harness.drover("compare", *arguments, "--json", path), code)
        document = self.expect_fit(read(path))
        self.assertIs(document["fails"], code != SUCCESS)
        return document

    @staticmethod
    def rows(document):
        return {row["metric"]: row for row in document["metrics"]}

    def several_a_side(self):
        def on_a_server(document):
            document["environment"]["server"] = {"kind": "PostgreSQL", "version": "15.8",
                                                 "settings": {}}
            document["plan"]["simulate_ms"] = None
        self.write_side("old", OLD, change=on_a_server)
        self.write_side("new", SLOWER, 1800, on_a_server)
        return self.folder / "old", self.folder / "new"

    def test_several_runs_a_side_and_a_gate_that_breaks(self):
        old, new = self.several_a_side()
        limits = ["tpmC < -3%", "client.memory > +0MiB", "efficiency < 50", "tpmC < 10"]
        document = self.compare(FAILURE, old, new,
                                *(word for limit in limits for word in ("--fail-if", limit)))
        self.assertEqual([limit["limit"] for limit in document["limits"]], limits)
        self.assertEqual([limit["state"] for limit in document["limits"]],
                         ["broken", "kept", "not_judged", "kept"])
        self.assertEqual([limit["fails"] for limit in document["limits"]],
                         [True, False, True, False])
        row = self.rows(document)["tpmC"]
        self.assertEqual((row["method"], row["verdict"], row["change_unit"]),
                         ("ranks", "worse", "%"))
        row = self.rows(document)["efficiency"]
        self.assertEqual((row["method"], row["base_median"], row["change"]), ("none", None, None))
        self.assertTrue(document["base"]["server"])
        self.assertEqual(document["confidence"], 0.95)

        self.expect_broken(document, [
            (["schema_version"], 2), (["document"], "drover check"), (["document"], ...),
            (["confidence"], 95), (["base"], None), (["base", "runs"], 0),
            (["base", "server"], ""), (["new", "first_start_ts"], "today"),
            (["paired"], True), (["pairs"], 5), (["pairs"], ...), (["comparable"], False),
            (["obstacles"], [{"key": "warehouses", "text": "2 and 3"}]), (["metrics"], []),
            (["metrics", 0, "unit"], "tpm"), (["metrics", 0, "base_values"], []),
            (["metrics", 0, "base_values", 0], "3000"), (["metrics", 0, "base_median"], None),
            (["metrics", 0, "change"], None), (["metrics", 0, "change_unit"], ...),
            (["metrics", 0, "low"], "-inf"), (["metrics", 0, "p_lower"], 1.5),
            (["metrics", 0, "p_higher"], None), (["metrics", 0, "method"], "none"),
            (["metrics", 0, "method"], "signed_ranks"), (["metrics", 0, "method"], "guess"),
            (["metrics", 0, "reason"], "none"), (["metrics", 0, "verdict"], "not_judged"),
            (["metrics", 0, "verdict"], "WORSE"), (["metrics", 0, "higher_is_better"], 1),
            (["metrics", 1, "method"], "ranks"), (["metrics", 1, "reason"], None),
            (["metrics", 1, "change"], 0), (["metrics", 1, "p_lower"], 1),
            (["limits", 0, "state"], "kept"), (["limits", 0, "fails"], False),
            (["limits", 0, "text"], ...), (["limits"], []), (["notes", 0], None),
            (["fails"], False), (["sentence"], "")])
        self.expect_newer_fields_fit(document, [
            [], ["base"], ["new"], ["metrics", 0], ["limits", 0]])
        # Nothing is described that is never there.
        refused = self.compare_others(USAGE)
        self.expect_all_described_is_there([document, refused, self.compare_pairs(6)])

    def compare_others(self, code, *arguments):
        """Sides that differ in what they did."""
        def change(document):
            document["plan"]["warehouses"] = 3
            document["plan"]["isolation"] = "serializable"
        self.write_side("here", OLD[:3])
        self.write_side("there", SLOWER[:3], 1800, change)
        return self.compare(code, self.folder / "here", self.folder / "there", *arguments)

    def test_what_is_not_comparable_has_no_metrics_and_fails(self):
        document = self.compare_others(USAGE, "--paired", "--fail-if", "tpmC < -1%")
        self.assertEqual([one["key"] for one in document["obstacles"]],
                         ["warehouses", "isolation"])
        self.assertEqual((document["paired"], document["pairs"], document["limits"]),
                         (False, None, []))
        self.expect_broken(document, [
            (["comparable"], True), (["obstacles"], []), (["obstacles", 0, "key"], "weather"),
            (["obstacles", 0, "text"], ...), (["notes"], ["a note"]), (["fails"], False),
            (["paired"], True)])
        self.expect_newer_fields_fit(document, [["obstacles", 0]])

    def test_what_is_allowed_to_differ_is_a_note(self):
        document = self.compare_others(SUCCESS, "--allow-different", "warehouses,isolation")
        self.assertEqual(document["obstacles"], [])
        self.assertIn("Allowed: warehouses: base has 2, new has 3.", document["notes"])
        # 3 runs a side.
        self.assertEqual(self.rows(document)["tpmC"]["method"], "student")

    def test_one_run_a_side(self):
        def minute(document):
            """As if it had measured for a minute."""
            second = document["time_series"][0]
            document["time_series"] = [
                second | {"t": number + 1, "phase": "measure",
                          "ok": {name: 20 + number * 7 % 5 for name in second["ok"]}}
                for number in range(60)]
        old = self.write("old.json", 3000, 0, minute)
        new = self.write("new.json", 2100, 1800, minute)
        document = self.compare(FAILURE, old, new, "--fail-if", "tpmC < -3%", "--metric",
                                "tpmC,client.memory,failed")
        row = self.rows(document)["tpmC"]
        self.assertEqual((row["method"], row["verdict"]), ("within_run", "worse"))
        self.assertEqual(self.rows(document)["client.memory"]["method"], "none")
        # A count that is 0 has no percent, and its unit is none.
        row = self.rows(document)["failed"]
        self.assertEqual((row["change_unit"], row["change"]), ("", 0))

    def compare_pairs(self, count, *arguments):
        for number in range(count):
            first, second = (0, 300) if number % 2 == 0 else (300, 0)
            self.write(f"base{count}/{number}.json", 3000 - 100 * number, 600 * number + first)
            self.write(f"new{count}/{number}.json", 2850 - 96 * number, 600 * number + second)
        return self.compare(SUCCESS, self.folder / f"base{count}", self.folder / f"new{count}",
                            "--paired", *arguments)

    def test_pairs(self):
        for count, method in ((6, "signed_ranks"), (3, "paired_student")):
            document = self.compare_pairs(count)
            self.assertEqual((document["paired"], document["pairs"]), (True, count))
            self.assertEqual(self.rows(document)["tpmC"]["method"], method)
            self.expect_broken(document, [(["paired"], False), (["pairs"], None), (["pairs"], 1),
                                          (["metrics", 0, "method"], "ranks")])

    def test_the_ends_of_what_numbers_hold(self):
        """The widest interval there is: its upper end is beyond all numbers of JSON, and null."""
        self.write_side("old", [1, 1e15, 1e-5])
        self.write_side("new", [10], 1800)
        sides = [self.folder / "old", self.folder / "new", "--allow-different", "duration"]
        document = self.compare(SUCCESS, *sides, "--confidence", "99.9%")
        row = self.rows(document)["tpmC"]
        self.assertEqual((row["method"], row["high"]), ("student", None))
        self.assertAlmostEqual(row["low"], -100)
        self.assertEqual(self.compare(SUCCESS, *sides, "--confidence", "50")["confidence"], 0.5)

    def test_limits_that_chance_may_break(self):
        old, new = (self.write_side("old", OLD), self.write_side("new", [2890, 3100, 2600, 2800,
                                                                         3050], 1800))
        document = self.compare(SUCCESS, "--base", *old, "--new", *new, "--fail-if", "tpmC < -3%")
        self.assertEqual(document["limits"][0]["state"], "not_significant")

    def test_percent_and_percentage_points_are_told_apart_by_a_zero(self):
        """The schema says so of efficiency, where the document does not."""
        def with_delays(document):
            document["plan"]["no_delays"] = False
        # Two warehouses can do 25.72 tpmC.
        paths = [self.write(f"{number}.json", 0.2572 * percent, 60 * number, with_delays)
                 for number, percent in enumerate((40, 50, 60, 0))]
        changes = []
        for new in paths[2:]:
            row = self.rows(self.compare(SUCCESS, "--base", *paths[:2], "--new", new, "--metric",
                                         "efficiency", "--allow-different", "duration")
                            )["efficiency"]
            self.assertEqual(row["change_unit"], "%")
            changes.append(row["change"])
        # 60 is a third above 40 and 50; 0 is 45 below them.
        self.assertAlmostEqual(changes[0], 100 * (60 / 2000 ** 0.5 - 1))
        self.assertAlmostEqual(changes[1], -45)


class Histories(Judged, made_results.TestCase):

    schema_name = "history"

    def history(self, code, *arguments):
        path = self.folder / "history.json"
        self.expect(harness.drover("history", self.folder / "runs", *arguments, "--json", path),
                    code)
        return self.expect_fit(read(path))

    def write_runs(self, values, change=None):
        for number, value in enumerate(values):
            self.write(f"runs/{number:02}.json", value, 86_400 * number, change)

    def test_a_change_and_what_is_left_out(self):
        level = [3000 + (37 * number) % 23 - 11 for number in range(12)]
        self.write_runs(level + [0.95 * value for value in level], lambda one: one["environment"]
                        .update(server={"kind": "YDB", "version": "24.4", "settings": {}}))
        self.write("runs/other.json", 9000, 5, lambda one: one["plan"].update(warehouses=9))
        self.write("runs/cut.json", 9000, 6, lambda one: one.update(interrupted=True))
        (self.folder / "runs/no.json").write_text('{"schema_version": 1, "tool"')
        document = self.history(SUCCESS)
        self.assertEqual(len(document["points"]), 24)
        self.assertEqual([(one["letter"], one["first_after"], one["verdict"])
                          for one in document["changes"]], [("A", 12, "worse")])
        self.assertEqual([pathlib.Path(one["name"]).name for one in document["left_out"]],
                         ["cut.json", "other.json", "no.json"])
        self.expect_all_described_is_there([document])
        self.expect_broken(document, [
            (["schema_version"], "1"), (["document"], "drover compare"), (["metric"], ""),
            (["unit"], "per minute"), (["higher_is_better"], None), (["points"], []),
            (["points", 0, "value"], None), (["points", 0, "measure_start_ts"], 1.5),
            (["points", 0, "server"], ""), (["points", 0, "tool"], ...),
            (["changes", 0, "letter"], "a"), (["changes", 0, "first_after"], 0),
            (["changes", 0, "before_median"], "3000"), (["changes", 0, "percent"], "-5%"),
            (["changes", 0, "p"], 0.5), (["changes", 0, "p"], 0),
            (["changes", 0, "verdict"], "WORSE"), (["changes", 0, "text"], ...),
            (["changes"], None), (["enough_points"], False), (["left_out", 0, "reason"], ""),
            (["left_out", 0, "name"], ...), (["left_out"], ...)])
        self.expect_newer_fields_fit(document, [[], ["points", 0], ["changes", 0],
                                                ["left_out", 0]])

    def test_a_change_from_nothing_has_no_percent(self):
        self.write_runs([0] * 12 + [3000] * 12)
        document = self.history(SUCCESS)
        self.assertEqual([one["percent"] for one in document["changes"]], [None])
        self.assertEqual(document["points"][0]["server"], None)

    def test_without_a_change(self):
        self.write_runs([3000, 3010, 2990])
        document = self.history(SUCCESS)
        self.assertEqual((document["changes"], document["enough_points"], document["left_out"]),
                         ([], False, []))
        self.expect_broken(document, [(["enough_points"], True)])

    def test_nothing_to_draw(self):
        self.write_runs([3000, 3010])
        document = self.history(FAILURE, "--metric", "efficiency")
        self.assertEqual((document["points"], len(document["left_out"])), ([], 2))
        # A count has no unit.
        self.assertEqual(self.history(SUCCESS, "--metric", "retries")["unit"], "")


class Searches(Judged, harness.TestCase):
    """Searches without a database. Whether a run holds is the machine's to say, so that nothing is
    asked of the figures here; e2e.search does."""

    schema_name = "search"

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="drover-e2e-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        # Side by side: they mostly wait.
        cls.finished = cls.begin("finished", "--high", 1)
        cls.in_vain = cls.begin("in vain", "--high", 1, "--fail-if", "throughput < 1000000")
        cls.interrupted = cls.begin("interrupted", "--high", 16, "--start", 16, "--confirm", "1h",
                                    "--find", "terminals", "-w", 2)
        harness.wait_until(lambda: (cls.folder / "interrupted/search.json").exists(),
                           "the first run", 120)
        cls.interrupted.signal(signal.SIGINT)
        for command in (cls.finished, cls.in_vain, cls.interrupted):
            command.wait()

    @classmethod
    def begin(cls, name, *arguments):
        command = harness.start_drover(*cls.arguments(name, *arguments))
        cls.addClassCleanup(command.kill)
        return command

    @classmethod
    def arguments(cls, name, *arguments):
        more = [] if "terminals" in arguments else ["--pace", 100]
        return ["tpcc", "search", "--out", cls.folder / name, "--simulate-ms", 1, "--probe", "1s",
                "--warmup", "0", *more, *arguments,
                *([] if "--confirm" in arguments else ["--confirm", "1s"])]

    def record(self, name):
        return self.expect_fit(read(self.folder / name / "search.json"))

    def test_a_finished_one(self):
        record = self.record("finished")
        self.assertIs(record["answer"]["ended"], True)
        self.assertEqual(self.finished.code,
                         SUCCESS if record["answer"]["found_out"] else FAILURE)
        self.expect_all_described_is_there([self.every_field(record)])
        self.expect_newer_fields_fit(record, [[], ["bounds"], ["runs", 0], ["answer"]])

    @staticmethod
    def every_field(record):
        """With what a machine may leave out: a run that breaks has no answer that holds."""
        whole = copy.deepcopy(record)
        whole["answer"].update(holds=1, breaks=2, not_judged=1)
        whole["runs"][0]["new_order_p90_ms"] = 1.5
        return whole

    def test_one_in_vain(self):
        self.assertEqual(self.in_vain.code, FAILURE, str(self.in_vain))
        record = self.record("in vain")
        self.assertEqual({(run["load"], run["held"]) for run in record["runs"]}, {(1, False)})
        answer = record["answer"]
        self.assertEqual((answer["holds"], answer["confirmed"], answer["found_out"],
                          answer["ended"]), (None, False, False, True))
        # On a machine with too much to do the client may have no say.
        if answer["not_judged"] is None:
            self.assertEqual(answer["breaks"], 1)
            self.assertIn("the rules do not hold even at 1 warehouse", answer["sentence"])
        else:
            self.assertIn("undecided", answer["sentence"])
        self.expect_broken(record, [
            (["schema_version"], 0), (["document"], "drover tpcc search"), (["unit"], "sheep"),
            (["bounds", "low"], 0), (["bounds", "high"], 2 * 10**9), (["bounds", "start"], ...),
            (["bounds", "tolerance"], 5), (["settings"], []), (["settings", "--probe"], 1),
            (["settings", "x" * 201], "1"), (["runs"], []), (["runs", 0, "load"], 1.5),
            (["runs", 0, "confirmation"], "no"), (["runs", 0, "held"], True),
            (["runs", 0, "broken"], []), (["runs", 0, "broken", 0], ""),
            (["runs", 0, "file"], None), (["runs", 0, "measured_s"], -1),
            (["runs", 0, "tpmc"], "much"), (["runs", 0, "efficiency"], None),
            (["runs", 0, "throughput"], ...),
            (["runs", 0, "new_order_p90_ms"], ...), (["runs", 0, "client_load"], 1001),
            (["answer"], ...), (["answer", "holds"], 0), (["answer", "breaks"], "1"),
            (["answer", "confirmed"], True), (["answer", "ended"], None),
            (["runs", 0, "by_client"], None), (["answer", "not_judged"], 0),
            (["answer", "found_out"], True),
            (["answer", "sentence"], "")])

    def test_an_interrupted_one(self):
        record = self.record("interrupted")
        self.assertEqual(record["unit"], "terminals")
        # Where this test got the processor late, it had come to its end.
        self.assertEqual(record["answer"]["ended"], self.interrupted.code != INTERRUPTED,
                         str(self.interrupted))

    def test_what_fits_is_read_and_what_it_requires_is_asked_for(self):
        record = self.record("in vain")
        question = ["--high", 1, "--fail-if", "throughput < 1000000"]
        folder = self.folder / "again"
        shutil.copytree(self.folder / "in vain", folder)

        def go_on(document):
            (folder / "search.json").write_text(json.dumps(document), encoding="utf-8")
            return harness.drover(*self.arguments("again", *question))
        newer = changed(changed(record, ["newer"], [1]), ["runs", 0, "newer"], {"deep": [1]})
        self.assertIn(record["answer"]["sentence"], self.expect(go_on(newer), FAILURE).out)
        # What follows from the runs is not read, but written again.
        self.expect(go_on(changed(record, ["answer"], ...)), FAILURE)
        self.assertEqual(self.record("again"), record)
        self.expect(go_on(changed(record, ["runs", 0, "by_client"], ...)), FAILURE)
        self.assertEqual(self.record("again"), record)
        for place in ([], ["bounds"], ["runs", 0]):
            inner = record
            for step in place:
                inner = inner[step]
            for name in set(inner) - {"answer", "by_client"}:
                with self.subTest(place=place, name=name):
                    self.expect_error(go_on(changed(record, [*place, name], ...)), FAILURE,
                                      "search.json", re.escape(name), within_s=120)


class Experiments(Judged, harness.TestCase):
    """The lab with as little work as it takes. A figure may be absent where the machine gave it no
    time, so that only the names of figures are asked for here; e2e.lab does the rest."""

    schema_name = "lab"
    every_field_is_there = False
    SMALL = {
        "terminals": ["-t", "1,2", "-w", 4, "-i", 0.02, "--model", "coroutine,thread"],
        "switch": ["-t", 1, "-w", 2, "--work", 100, "--warm-up", 0, "-i", 0.05, "--model",
                   "coroutine,steps,machine,future,thread"],
        "steps": ["--flows", 70, "--wave", 30, "--waits", 100],
        "queues": ["--ratios", "1:2", "--batch", 16, "--seconds", 0.02, "--queues",
                   "none,segment,ticket,locked"],
        "scheduler": ["--spawners", 2, "--workers", "1,2", "--tasks", 100, "--seconds", 0.01],
    }

    def lab(self, experiment, *arguments, repeat=2):
        command = harness.drover("lab", experiment, *self.SMALL[experiment], *arguments, "--repeat",
                                 repeat, "--json", "-")
        document = self.expect_fit(json.loads(command.out))
        self.assertEqual(document["experiment"], experiment)
        failed = any("note" in cell for cell in document["cells"])
        self.expect(command, FAILURE if failed else SUCCESS)
        return document

    def fields_of(self, experiment):
        """What is described for this experiment, with the names of its factors and figures."""
        branches = [one for one in self.schema["allOf"]
                    if one["if"]["properties"]["experiment"]["const"] == experiment]
        self.assertEqual(len(branches), 1)
        schema = self.schema | {"allOf": branches}
        fields = {place for place, _, _ in described_fields(schema, self.schema)}

        def below(place):
            return {one.removeprefix(place) for one in fields
                    if one.startswith(place) and not one.endswith("*")}
        self.assertEqual(below(".cells[].median."), below(".cells[].rounds[]."))
        return fields, below(".cells[].settings."), below(".cells[].median.")

    def test_every_experiment(self):
        named = set(self.schema["properties"]["experiment"]["enum"])
        self.assertEqual(named, set(self.SMALL))
        for experiment in self.SMALL:
            with self.subTest(experiment=experiment):
                document = self.lab(experiment)
                fields, factors, figures = self.fields_of(experiment)
                self.assertEqual({one["name"] for one in document["factors"]}, factors)
                self.assertEqual({one["name"] for one in document["figures"]}, figures)
                there = set(places_of(document, fields))
                lacking = {place for place in fields - there
                           if not place.startswith((".cells[].median", ".cells[].rounds",
                                                    ".cells[].settings.*"))}
                self.assertLessEqual(lacking, {".cells[].note"})
                self.expect_broken(document, [
                    (["schema_version"], 2), (["experiment"], "weather"), (["question"], ""),
                    (["method"], "well"), (["command"], "rm -r"), (["started_at"], "today"),
                    (["tool"], {}), (["host", "cpus"], -1), (["host", "os"], ...),
                    (["round_seconds"], -1), (["factors", 0, "name"], "moon"),
                    (["factors", 0, "title"], ...), (["figures", 0, "name"], "beauty"),
                    (["figures", 0, "unit"], "parsec"), (["figures"], []), (["cells"], []),
                    (["cells", 0, "subject"], "horse"), (["cells", 0, "settings"], {}),
                    (["cells", 0, "settings", document["factors"][0]["name"]], "many"),
                    (["cells", 0, "median"], []), (["cells", 0, "note"], ""),
                    (["findings"], None), (["published", 0, "source"], ...)])
                self.expect_broken_rounds(document)
                self.expect_newer_fields_fit(document, [
                    [], ["host"], ["factors", 0], ["figures", 0], ["cells", 0], ["published", 0]])

    def expect_broken_rounds(self, document):
        """Of the first cell that the machine gave the time for one."""
        first = document["figures"][0]["name"]
        for number, cell in enumerate(document["cells"]):
            if cell["rounds"]:
                place = ["cells", number, "rounds"]
                self.expect_broken(document, [(place, []), ([*place, 0, first], None),
                                              ([*place, 0, first], "1"), ([*place, 0, first], -1),
                                              ([*place, 0, first], ...)])
                return

    def test_what_a_subject_does_not_have(self):
        """A thread has no workers, and only the relay is held against the other."""
        document = self.lab("switch")
        numbers = {cell["subject"]: number for number, cell in enumerate(document["cells"])}
        thread, machine = (["cells", numbers[name], "settings", "workers"]
                           for name in ("thread", "machine"))
        self.expect_broken(document, [(thread, 1), (machine, ...)])
        document = self.lab("scheduler")
        direct, relay = (["cells", number, "rounds", 0, "relay_to_direct"] for number in (0, 1))
        self.expect_broken(document, [(direct, 1), (relay, ...)])

    def test_outside_and_unbalanced(self):
        self.lab("scheduler", "--outside", repeat=1)
        self.lab("queues", "--unbalanced", repeat=1)

    def test_one_that_could_not_run(self):
        # Without memory for so many stacks; or the build has no fibers, and says so.
        command = harness.start_limited(
            resource.RLIMIT_AS, 512 << 20, "lab", "steps", "--model", "coroutine,fiber-protected",
            "--test", "waits", "--wave", 20_000, "--waits", 20_000, "--json", "-").wait()
        self.expect(command, FAILURE)
        document = self.expect_fit(json.loads(command.out))
        coroutine, fiber = document["cells"]
        self.assertNotIn("note", coroutine)
        self.assertTrue(fiber["note"])
        self.assertEqual((fiber["rounds"], fiber["median"]), ([], {}))
        self.expect_broken(document, [(["cells", 1, "median"], {"seconds": 1})])

    def test_an_interrupted_one(self):
        command = harness.start_drover("lab", "terminals", "-t", 1, "-w", 4, "-i", 0.02, "--repeat",
                                       1000, "--json", "-")
        self.addCleanup(command.kill)
        command.wait_for("terminals: 4", 120)
        command.signal(signal.SIGINT)
        self.expect(command.wait(), INTERRUPTED)
        [cell] = self.expect_fit(json.loads(command.out))["cells"]
        self.assertGreaterEqual(len(cell["rounds"]), 1)


if __name__ == "__main__":
    harness.main()
