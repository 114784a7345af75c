"""`drover compare` and `drover history` on stored results: what they say, what they refuse, and the
exit codes that a pipeline builds on.

The results are made of one short run without a database, whose figures are changed as wanted.
"""

import html.parser
import json
import re

import harness
import made_results
from harness import FAILURE, SUCCESS, USAGE

OLD = [3000, 3010, 2990, 3020, 2985]
SLOWER = [2850, 2860, 2840, 2870, 2835]
AS_FAST = [2995, 3012, 2988, 3015, 2992]
COLUMNS = 100


class Page(html.parser.HTMLParser):
    """The elements of a page, with the text of each."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.attributes = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attributes]

    def handle_data(self, data):
        self.text += data


class Compare(made_results.TestCase):

    def two_sides(self, new, change=None):
        self.write_side("old", OLD)
        self.write_side("new", new, 1800, change)
        return self.folder / "old", self.folder / "new"

    def expect_plain(self, text):
        for line in text.splitlines():
            self.assertLessEqual(len(line), COLUMNS, line)
            self.assertTrue(line.isprintable() or not line, repr(line))

    def test_a_loss_beyond_the_limit_fails(self):
        old, new = self.two_sides(SLOWER)
        command = self.expect(harness.drover("compare", old, new, "--fail-if", "tpmC < -3%"),
                              FAILURE)
        self.assertRegex(command.out, r"(?m)^tpmC +3000 +2850 /min +-5\.0% .* WORSE$")
        self.assertIn("tpmC < -3%: BROKEN: tpmC went from 3000 to 2850 /min (-5.0%)", command.out)
        self.assertIn("FAILS: 1 of 1 limit broken.", command.out)
        self.assertEqual(command.err, "")
        self.expect_plain(command.out)

    def drifting_sides(self, losses=(0.05,) * 6):
        """Runs in turns (base, new, new, base, …) on a machine that loses a fifth meanwhile."""
        for number, loss in enumerate(losses):
            level = 3000 * (1 - 0.04 * number) + 3 * (number * 7 % 5)
            base_first = number % 2 == 0
            self.write(f"old/{number}.json", level, 600 * number + (0 if base_first else 300))
            self.write(f"new/{number}.json", level * (1 - loss) + number,
                       600 * number + (300 if base_first else 0))
        return self.folder / "old", self.folder / "new"

    def test_pairs_see_a_loss_through_a_drift(self):
        old, new = self.drifting_sides()
        limit = ["--fail-if", "tpmC < -3%"]
        command = self.expect(harness.drover("compare", old, new, *limit), SUCCESS)
        self.assertIn("exceeded, but not significant", command.out)
        self.assertIn("so --paired can be used.", command.out)
        command = self.expect(harness.drover("compare", old, new, *limit, "--paired"), FAILURE)
        self.assertIn(
            "paired: 6 pairs, each of a base run and the new run just before or after it", command.out)
        self.assertRegex(command.out.replace("\n  ", " "),
                         r"BROKEN: tpmC went from \d+ to \d+ /min \(-4\.9%, paired\), "
                         r"significant \(one-sided p 0\.0156\)")
        self.assertNotIn("--paired", command.out)
        self.expect_plain(command.out)
        # The new side is faster the other way round.
        self.expect(harness.drover("compare", new, old, *limit, "--paired"), SUCCESS)

    def test_pairs_of_one_build_pass(self):
        old, new = self.drifting_sides((0.01, -0.01, 0.012, -0.006, 0.004, -0.011))
        self.expect(harness.drover("compare", old, new, "--paired", "--fail-if", "tpmC < 0%"),
                    SUCCESS)

    def test_the_document_of_pairs(self):
        old, new = self.drifting_sides()
        path = self.folder / "paired.json"
        arguments = ["compare", old, new, "--paired", "--metric", "tpmC"]
        self.expect(harness.drover(*arguments, "--json", path), SUCCESS)
        document = json.loads(path.read_text())
        self.assertIs(document["paired"], True)
        self.assertEqual(document["pairs"], 6)
        row = document["metrics"][0]
        self.assertEqual(row["method"], "signed_ranks")
        self.assertAlmostEqual(row["p_lower"], 1 / 64)
        ratios = [after / before for before, after in zip(row["base_values"], row["new_values"])]
        self.assertAlmostEqual(row["low"], 100 * (min(ratios) - 1))
        self.assertAlmostEqual(row["high"], 100 * (max(ratios) - 1))
        markdown = self.expect(harness.drover(*arguments, "--markdown"), SUCCESS).out
        self.assertIn("| change, paired |", markdown)
        self.assertIn("paired: 6 pairs", markdown)

    def test_few_pairs_are_judged_by_students_test(self):
        old, new = self.drifting_sides((0.05, 0.052, 0.049))
        command = self.expect(harness.drover("compare", old, new, "--paired", "--fail-if",
                                             "tpmC < -3%"), FAILURE)
        self.assertIn("3 pairs are too few for the signed-rank test", command.out)
        self.assertIn("Make 6 or more pairs.", command.out.replace("\n  ", " "))

    def test_what_is_no_pairs_is_refused(self):
        old, new = self.drifting_sides()
        (new / "5.json").unlink()
        self.expect_error(harness.drover("compare", old, new, "--paired"), USAGE,
                          "--paired: both sides need equally many results of alternating runs, but base has 6 and new has 5")
        self.expect_error(harness.drover("compare", old / "0.json", new / "0.json", "--paired"),
                          USAGE, "at least 2 pairs are needed")
        # base, base, new, new
        for number, start in enumerate((0, 10, 40)):
            self.write(f"a/{number}.json", 3000, start)
        for number, start in enumerate((20, 30, 50)):
            self.write(f"b/{number}.json", 3000, start)
        command = self.expect_error(
            harness.drover("compare", self.folder / "a", self.folder / "b", "--paired"), USAGE,
            "the runs do not alternate", r"a/0\.json \(base, began 2025-10-09 08:53:20 UTC\)",
            r"b/0\.json \(new, .*would be pair 1", r"but \S*a/1\.json", "leave out --paired")
        self.assertEqual(command.out, "")
        # Without the option they are compared, and get no hint at it.
        command = self.expect(harness.drover("compare", self.folder / "a", self.folder / "b"),
                              SUCCESS)
        self.assertNotIn("--paired", command.out)

    def test_what_is_within_the_limit_or_as_fast_passes(self):
        old, new = self.two_sides(SLOWER)
        self.expect(harness.drover("compare", old, new, "--fail-if", "tpmC < -10%"), SUCCESS)
        self.expect(harness.drover("compare", old, new), SUCCESS)  # no limit
        self.expect(harness.drover("compare", new, old, "--fail-if", "tpmC < -3%"), SUCCESS)
        old, new = self.two_sides(AS_FAST)
        self.expect(harness.drover("compare", old, new, "--fail-if", "tpmC < 0%"), SUCCESS)

    def test_beyond_by_chance_passes_and_says_so(self):
        old, new = self.two_sides([2890, 3100, 2600, 2800, 3050])
        command = self.expect(harness.drover("compare", old, new, "--fail-if", "tpmC < -3%"),
                              SUCCESS)
        self.assertIn("exceeded, but not significant", command.out)
        # With less confidence the same difference would be enough.
        self.expect(harness.drover("compare", old, new, "--fail-if", "tpmC < -3%",
                                   "--confidence", "60%"), FAILURE)

    def test_sides_are_named_by_files_too(self):
        old = self.write_side("old", OLD)
        new = self.write_side("new", SLOWER, 1800)
        self.expect(harness.drover("compare", "--base", *old, "--new", *new, "--fail-if",
                                   "tpmC < -3%"), FAILURE)
        self.expect(harness.drover("compare", old[0], new[0]), SUCCESS)
        for arguments in ([*old, *new], [old[0]], ["--base", *old], ["--new", *new],
                          [old[0], "--base", old[1], "--new", *new]):
            self.expect_error(harness.drover("compare", *arguments), USAGE, "--base")

    def test_one_run_a_side_says_what_is_unseen(self):
        old = self.write("old.json", 3000, 0)
        new = self.write("new.json", 2850, 1800)
        command = self.expect(harness.drover("compare", old, new), SUCCESS)
        self.assertIn("One run per side", command.out)
        # Two seconds are too short for an interval, and a gate does not pass what it cannot see.
        command = self.expect(harness.drover("compare", old, new, "--fail-if", "tpmC < -3%"),
                              FAILURE)
        self.assertIn("NOT JUDGED", command.out)

    def test_a_value_is_a_requirement(self):
        old, new = self.two_sides(SLOWER)
        self.expect(harness.drover("compare", old, new, "--fail-if", "tpmC < 2900"), FAILURE)
        self.expect(harness.drover("compare", old, new, "--fail-if", "tpmC < 2800",
                                   "--fail-if", "failed > 0"), SUCCESS)

    def test_other_circumstances_are_refused_until_allowed(self):
        def change(document):
            document["plan"]["warehouses"] = 3
            document["plan"]["isolation"] = "serializable"
        old, new = self.two_sides(AS_FAST, change)
        command = self.expect_error(harness.drover("compare", old, new), USAGE, "not comparable",
                                    "warehouses: base has 2, new has 3",
                                    "isolation: base has .*, new has serializable",
                                    "--allow-different warehouses,isolation")
        self.assertEqual(command.out, "")
        self.expect_error(
            harness.drover("compare", old, new, "--allow-different", "warehouses"), USAGE,
            "isolation")
        for allowed in (["warehouses,isolation"], ["all"],
                        ["warehouses", "--allow-different", "isolation"]):
            command = self.expect(
                harness.drover("compare", old, new, "--allow-different", *allowed), SUCCESS)
            self.assertIn("Allowed: warehouses: base has 2, new has 3.", command.out)

    def test_worthless_runs_are_refused(self):
        def interrupted(document):
            document["interrupted"] = True

        def failed(document):
            document["failure"] = "the database went\naway"

        def invalid(document):
            document["audit"]["lines"] = [{"name": "client.load", "clause": "", "judgement":
                                           "invalid", "text": "a worker needed 99%"}]
        for change, key, words in ((interrupted, "interrupted", "was interrupted"),
                                   (failed, "failed", r"aborted: the database went\\x0aaway"),
                                   (invalid, "invalid", "a worker needed 99%")):
            old, new = self.two_sides(AS_FAST, change)
            self.expect_error(harness.drover("compare", old, new), USAGE, words, r"0\.json",
                              fr"\[{key}\]")
            self.expect(harness.drover("compare", old, new, "--allow-different", key), SUCCESS)

    def test_copies_of_a_run_are_refused(self):
        old = self.write_side("old", OLD)
        self.write("new/copy.json", OLD[0], 0)
        self.expect_error(harness.drover("compare", self.folder / "old", self.folder / "new"),
                          USAGE, "are the same run", "duplicate")
        self.expect_error(harness.drover("compare", "--base", old[0], old[0], "--new", old[1]),
                          USAGE, "named twice")

    def test_wrong_use(self):
        old, new = self.two_sides(AS_FAST)
        for arguments, words in (
                (["--fail-if", "tpmC <= -3%"], "<= and >= are not supported"),
                (["--fail-if", "tpm < -3%"], r"did you mean tpmC\?"),
                (["--fail-if", "tpmC < 3%"], "Write -3%"),
                (["--metric", "new_order.p999"], "unknown metric 'new_order.p999'"),
                (["--confidence", "100"], "--confidence 100: expected a percentage"),
                (["--confidence", "nan"], "--confidence nan: expected"),
                (["--allow-different", "weather"], "--allow-different weather: expected all"),
                (["--allow-different", ""], "--allow-different")):
            self.expect_error(harness.drover("compare", old, new, *arguments), USAGE, words)
        self.expect_error(harness.drover("compare", old, self.folder / "no"), USAGE,
                          "the file or folder")
        (self.folder / "empty").mkdir()
        self.expect_error(harness.drover("compare", old, self.folder / "empty"), USAGE,
                          r"has no \*\.json")
        (self.folder / "empty/x.json").write_text("{}")
        self.expect_error(harness.drover("compare", old, self.folder / "empty"), FAILURE,
                          "cannot read the result")
        self.expect_error(harness.drover("compare", old, new, "--json", "/nowhere/x.json"), FAILURE,
                          "/nowhere/x.json")

    def test_the_document(self):
        old, new = self.two_sides(SLOWER)
        path = self.folder / "comparison.json"
        arguments = ["compare", old, new, "--fail-if", "tpmC < -3%", "--metric",
                     "tpmC,new_order.p99", "--json"]
        self.expect(harness.drover(*arguments, path), FAILURE)
        document = json.loads(path.read_text())
        self.assertEqual(document["document"], "drover compare")
        self.assertEqual([row["metric"] for row in document["metrics"]], ["tpmC", "new_order.p99"])
        row = document["metrics"][0]
        self.assertEqual(row["base_values"], OLD)
        self.assertEqual(row["method"], "ranks")
        self.assertAlmostEqual(row["p_lower"], 1 / 252)
        self.assertLess(row["low"], row["change"])
        self.assertLess(row["change"], row["high"])
        self.assertEqual(document["limits"][0]["state"], "broken")
        self.assertIs(document["fails"], True)
        command = self.expect(harness.drover(*arguments, "-"), FAILURE)
        self.assertEqual(json.loads(command.out), document)
        self.assertIn("FAILS", command.err)
        # What is not comparable is a document, too.
        other = self.write("other.json", 3000, 77, lambda one: one["plan"].update(warehouses=9))
        command = self.expect(harness.drover("compare", old, other, "--json", "-"), USAGE)
        refusal = json.loads(command.out)
        self.assertIs(refusal["comparable"], False)
        self.assertEqual(refusal["obstacles"][0]["key"], "warehouses")

    def test_markdown_and_hostile_text(self):
        evil = "<script>alert(1)</script>|`x`](http://evil) @all \x1b[31m\u202e"

        def change(document):
            document["tool"]["commit"] = evil
            document["environment"]["client"]["hostname"] = evil
        old, new = self.two_sides(SLOWER, change)
        text = self.expect(harness.drover("compare", old, new), SUCCESS).out
        self.expect_plain(text)
        command = harness.drover("compare", old, new, "--markdown", "--fail-if", "tpmC < -3%")
        markdown = self.expect(command, FAILURE).out
        self.assertTrue(markdown.startswith("**FAILS: 1 of 1 limit broken.**"), markdown)
        self.assertIn("| tpmC | 3000 | 2850 | /min | -5.0% |", markdown)
        for danger in ("<script", "](", "http:", "@all", "\x1b", "\u202e", "|`"):
            self.assertNotIn(danger, markdown)

    def test_history_marks_the_change(self):
        values = [3000 + (37 * number) % 23 - 11 for number in range(24)]
        for number, value in enumerate(values):
            loss = 0.95 if number >= 16 else 1

            def change(document, number=number):
                document["tool"]["commit"] = "new" if number >= 16 else "old"
            self.write(f"runs/{number:02}.json", value * loss, 86_400 * number, change)
        self.write("runs/other.json", 9000, 5, lambda one: one["plan"].update(warehouses=9))
        (self.folder / "runs/cut.json").write_text('{"schema_version": 1, "tool"')
        page = self.folder / "history.html"
        document = self.folder / "history.json"
        command = self.expect(harness.drover("history", self.folder / "runs", "-o", page, "--json",
                                             document), SUCCESS)
        self.expect_plain(command.out)
        self.assertRegex(command.out.replace("\n  ", " "),
                         r"A: between \S*15\.json .*\(old\).* and \S*16\.json .*\(new\).*: "
                         r"tpmC fell from 3000 to 28\d\d /min \(-5\.\d%\), p 0\.\d+: WORSE")
        self.assertRegex(command.out.replace("\n  ", " "), r"other\.json: .*other results have 2, this result has 9")
        self.assertRegex(command.out.replace("\n  ", " "), r"cut\.json: .*truncated")
        self.assertNotIn("B: ", command.out)
        history = json.loads(document.read_text())
        self.assertEqual(len(history["points"]), 24)
        self.assertEqual([one["first_after"] for one in history["changes"]], [16])
        self.assertEqual(len(history["left_out"]), 2)
        shown = Page(page.read_text())
        self.assertEqual(page.read_text().count('class="read-out"'), 24)
        self.assertIn("A: between", shown.text)

    def test_history_of_hostile_results_is_text(self):
        evil = "</title><script>alert(1)</script><img src=x onerror=alert(2)>"
        for number in range(4):
            self.write(f"runs/{number}{evil.replace('/', '_')}.json", 3000 + number, number,
                       lambda one: one["tool"].update(commit=evil))
        page = self.folder / "history.html"
        self.expect(harness.drover("history", self.folder / "runs", "-o", page), SUCCESS)
        shown = Page(page.read_text())
        self.assertNotIn("script", shown.tags)
        self.assertNotIn("img", shown.tags)
        self.assertFalse([name for name in shown.attributes if name.startswith("on")])
        self.assertIn("<script>alert(1)", shown.text)
        self.assertNotRegex(page.read_text(), r"https?:(?!//www\.w3\.org/)")

    def test_history_that_has_nothing_to_draw_fails(self):
        path = self.write("one.json", 3000, 0)
        self.expect_error(harness.drover("history", path, "--metric", "efficiency"), FAILURE,
                          "no result can be shown in the chart", "efficiency was not measured")
        self.expect(harness.drover("history", path), SUCCESS)
        self.expect_error(harness.drover("history"), USAGE, "results")
        self.expect_error(harness.drover("history", path, "--metric", "speed"), USAGE,
                          "unknown metric")

    def test_help_shows_examples(self):
        for command in ("compare", "history"):
            text = self.expect(harness.drover(command, "--help"), SUCCESS).out
            self.assertIn("Examples:", text)
            self.assertIn(f"drover {command} ", text)


if __name__ == "__main__":
    harness.main()
