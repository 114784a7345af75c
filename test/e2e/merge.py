"""`drover merge`: parts of a run become one result, and what does not belong together is refused.

The parts are documents of short runs without a database, each of which then says which of all
warehouses its host had.
"""

import collections
import copy
import functools
import json
import math
import pathlib
import tempfile

import harness
from harness import FAILURE, SUCCESS, USAGE

EACH = 2  # warehouses of a host
HOSTS = "abcd"


@functools.cache
def runs():
    """As many short runs as there are hosts, begun together."""
    with tempfile.TemporaryDirectory(prefix="drover-e2e-") as folder:
        paths = [pathlib.Path(folder) / f"{host}.json" for host in HOSTS]
        begun = [harness.start_drover(
            "tpcc", "run", "-w", EACH, "--simulate-ms", 1, "--no-delays", "--max-inflight", 1,
            "--duration", "2s", "--warmup", "1s", "--json", path) for path in paths]
        for command in begun:
            harness.expect(command.wait(), SUCCESS)
        return [json.loads(path.read_text()) for path in paths]


def rank_of(document, number, **more):
    """The fields that a part has to have; figures and machine are filled in of the part itself."""
    return {"rank": number, "name": HOSTS[number], "run": "5f0e", "ranks": len(HOSTS),
            "warehouse_first": 0, "warehouse_last": 0, "host": document["environment"]["client"],
            "terminals": 0, "connections": 0, "threads": 0, "start_ts": 1_760_000_000.0,
            "start_late_s": 0, "clock_at_start": None, "clock_at_end": None, "measured_s": 0,
            "ok_count": 0, "failed_count": 0, "latency": None, "cpu_seconds": 0,
            "peak_rss_bytes": 0, "busiest_worker_load": 0, "timer_lag": None, "unavailable_s": 0,
            "audit": "", "valid": True, "lost": "", "lost_at_s": None, "part": ""} | more


def buckets_of(documents, transaction):
    counts = collections.Counter()
    for document in documents:
        for index, count in document["transactions"][transaction]["histogram"]["buckets"]:
            counts[index] += count
    return sorted(counts.items())


def new_orders_by_second(documents):
    """By the second after whose end each point was taken."""
    counts = collections.Counter()
    for document in documents:
        for point in document["time_series"]:
            counts[math.floor(point["t"])] += point["ok"]["NewOrder"]
    return counts


class Merge(harness.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="drover-e2e-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.output = self.folder / "result.json"

    def part(self, number, change=None, **rank):
        """What host `number` wrote. Returns its path."""
        document = copy.deepcopy(runs()[number])
        document["plan"]["warehouses"] = EACH * len(HOSTS)
        # A machine that was busy for a moment says nothing here.
        document["audit"]["lines"] = []
        document["ranks"] = [rank_of(document, number, **{
            "warehouse_first": EACH * number + 1, "warehouse_last": EACH * (number + 1)} | rank)]
        if change:
            change(document)
        path = self.folder / f"{HOSTS[number]}.json"
        path.write_text(json.dumps(document))
        return path

    def parts(self, **rank):
        return [self.part(number, **rank) for number in range(len(HOSTS))]

    def merge(self, *arguments, code=SUCCESS):
        command = self.expect(harness.drover("merge", *arguments, "--json", self.output), code)
        return command, json.loads(self.output.read_text())

    def test_the_sum_is_without_loss(self):
        command, merged = self.merge(*self.parts())
        for name, one in merged["transactions"].items():
            for count in ("ok_count", "user_aborted_count", "failed_count", "attempts"):
                self.assertEqual(one[count],
                                 sum(run["transactions"][name][count] for run in runs()), name)
            self.assertEqual([tuple(bucket) for bucket in one["histogram"]["buckets"]],
                             buckets_of(runs(), name), name)
        for field in ("new_orders", "payments", "payment_cents", "deliveries"):
            self.assertEqual(merged["ledger"][field], sum(run["ledger"][field] for run in runs()))
        self.assertEqual(new_orders_by_second([merged]), new_orders_by_second(runs()))
        self.assertEqual([one["name"] for one in merged["ranks"]], list(HOSTS))
        self.assertEqual(merged["ranks"][2]["ok_count"],
                         sum(one["ok_count"] for one in runs()[2]["transactions"].values()))
        self.assertEqual(merged["ranks"][2]["part"], str(self.folder / "c.json"))
        self.assertEqual(merged["summary"]["warehouses"], EACH * len(HOSTS))
        self.assertEqual(merged["plan"]["threads"], sum(run["plan"]["threads"] for run in runs()))
        self.assertNotIn("incomplete", merged)
        self.assertIn("load hosts", command.out)
        for number, host in enumerate(HOSTS):
            self.assertRegex(command.out, rf"(?m)^  {host} +{EACH * number + 1}-{EACH * number + 2} ")
        # And it is a result like any other.
        self.assertEqual(self.expect(harness.drover("report", self.output), SUCCESS).out, command.out)
        page = self.folder / "page.html"
        self.expect(harness.drover("report", self.output, "-o", page), SUCCESS)
        self.assertIn("Hosts that generated the load", page.read_text())

    def test_the_order_does_not_matter(self):
        parts = self.parts()
        _, one = self.merge(*parts)
        _, other = self.merge(*reversed(parts))
        self.assertEqual(one, other)

    def test_a_folder_stands_for_its_parts(self):
        self.parts()
        command = self.expect(harness.drover("merge", self.folder, "--json", "-"), SUCCESS)
        self.assertEqual(len(json.loads(command.out)["ranks"]), len(HOSTS))
        self.assertIn("load hosts", command.err)

    def test_without_a_file_it_prints_the_summary(self):
        command = self.expect(harness.drover("merge", *self.parts()), SUCCESS)
        self.assertIn("tpmC", command.out)
        self.assertFalse(self.output.exists())

    def test_what_is_missing_is_said_and_is_a_failure(self):
        parts = self.parts()
        command, merged = self.merge(parts[0], parts[1], parts[3], code=FAILURE)
        what = "rank 2 of 4 (counted from 0) is missing; no host had the warehouses 5 to 6"
        self.assertEqual(merged["incomplete"], what)
        self.assertEqual(merged["audit"]["validity"], "invalid")
        self.assertEqual(merged["audit"]["sentence"], f"INVALID: incomplete: {what}")
        self.expect_error(command, FAILURE, "incomplete: rank 2 of 4")
        self.assertIn(f"INVALID: incomplete: {what}", " ".join(command.out.split()))
        _, alone = self.merge(parts[2], code=FAILURE)
        self.assertIn("ranks 0, 1, 3 of 4 (counted from 0) are missing", alone["incomplete"])
        self.expect(harness.drover("report", self.output), SUCCESS)

    def test_a_host_that_was_lost_is_named(self):
        self.parts()
        self.part(1, lost="the host sent nothing for 10 s", lost_at_s=192.4)
        command, merged = self.merge(self.folder, code=FAILURE)
        self.assertEqual(merged["incomplete"],
                         "host b was lost at 3:12: the host sent nothing for 10 s")
        self.assertRegex(command.out, r"(?m)^  b +3:12 ")

    def test_a_host_that_is_invalid_is_named(self):
        def spoil(document):
            document["audit"]["lines"] = [{"name": "client.load", "clause": "",
                                           "judgement": "invalid", "text": "a worker needed 99%"}]
        self.parts()
        self.part(3, spoil)
        _, merged = self.merge(self.folder)
        self.assertEqual(merged["audit"]["validity"], "invalid")
        self.assertIn("host d: client overloaded: a worker needed 99%",
                      merged["audit"]["sentence"])

    def test_starts_that_lie_apart_are_a_line(self):
        # The clocks are known to 1 ms, to 125 ms (a round trip of 250 ms), or were not compared.
        for uncertainty_s, judgement in ((0.001, "broken"), (0.125, "not_judged"), (None, "not_judged")):
            with self.subTest(uncertainty_s):
                clock = uncertainty_s and {"wall_s": 0, "monotonic_s": 0, "uncertainty_s": uncertainty_s}
                parts = self.parts(clock_at_start=clock)
                self.part(2, start_ts=1_760_000_000.05, clock_at_start=clock)
                _, merged = self.merge(*parts)
                start = next(line for line in merged["audit"]["lines"] if line["name"] == "start")
                self.assertEqual(start["judgement"], judgement)
                self.assertIn("the hosts started within 50 ms", start["text"])

    def test_outages_of_all_hosts_are_united(self):
        def away(begin, end, lost):
            def change(document):
                document["availability"]["outages"] = [
                    {"start_s": begin, "end_s": end, "seconds": end - begin,
                     "transactions_lost": lost, "first_error": "server closed the connection"}]
            return change
        self.parts()
        self.part(0, away(1.5, 2.0, 3))
        self.part(3, away(1.75, 2.25, 4))
        _, merged = self.merge(self.folder)
        self.assertEqual([(one["start_s"], one["end_s"], one["transactions_lost"])
                          for one in merged["availability"]["outages"]], [(1.5, 2.25, 7)])
        self.assertAlmostEqual(merged["availability"]["unavailable_s"], 0.75)

    def test_parts_by_hand(self):
        by_hand = {"run": "", "ranks": 1, "rank": 0}
        _, merged = self.merge(*reversed(self.parts(**by_hand)))
        self.assertEqual([one["rank"] for one in merged["ranks"]], [0, 1, 2, 3])
        self.assertNotIn("incomplete", merged)
        late = self.part(2, **by_hand, start_ts=1_760_000_002.0)
        self.expect_error(harness.drover("merge", self.folder / "a.json", late), USAGE,
                          "began 2.000 s after", "--start-at")

    def test_what_does_not_belong_together_is_refused(self):
        def setting(name, value):
            return lambda document: document["plan"].update({name: value})
        first = self.part(0)
        self.output.write_text("{}")
        for change, rank, words in (
                (setting("seed", 7), {}, ["plan.seed is 7 here and 1 there"]),
                (setting("duration_s", 60.0), {}, ["plan.duration_s"]),
                (setting("warehouses", 9), {}, ["plan.warehouses"]),
                (lambda document: document["tool"].update(commit="0000000"), {}, ["0000000"]),
                (None, {"run": "77aa"}, ["the run is 77aa here and 5f0e there"]),
                (None, {"rank": 0}, ["rank 0"]),
                (None, {"warehouse_first": 2}, ["warehouses 2 to 4", "Expected no warehouse in two parts"]),
                (lambda document: document.pop("ranks"), {}, ["is the result of a run on one host"])):
            with self.subTest(words):
                second = self.part(1, change, **rank)
                if "warehouse_first" in rank or change and "ranks" not in json.loads(
                        second.read_text()):
                    self.fit_summary(second)
                command = harness.drover("merge", first, second, "--json", self.output)
                self.expect_error(command, USAGE, "b.json", *words)
                self.assertEqual(self.output.read_text(), "{}")  # as it was

    def test_hosts_that_were_given_different_figures(self):
        own = {"first": ["--share", "1/2", "--terminals", 10], "more": ["--share", "2/2", "--terminals", 20],
               "once": ["--share", "2/2", "--terminals", 10, "--max-attempts", 1]}
        paths = {name: self.folder / f"{name}.json" for name in own}
        for command in [harness.start_drover(
                "tpcc", "run", "-w", 2, "--simulate-ms", 1, "--no-delays", "--max-inflight", 4, "--duration", "1s",
                "--warmup", 0, "--json", paths[name], *words) for name, words in own.items()]:
            harness.expect(command.wait(), SUCCESS)
        figures = json.loads(paths["first"].read_text())["plan"]["of_all_hosts"]
        self.assertEqual(figures, {"connections": None, "max_inflight": 4, "terminals": 10, "rate": 0, "operations": 0})
        for name, words in (("more", r"plan.of_all_hosts.terminals is 20 here and 10 there"),
                            ("once", r"plan.max_attempts is 1 here and 20 there")):
            command = harness.drover("merge", paths["first"], paths[name], "--json", self.output)
            self.expect_error(command, USAGE, name, words, "the same options")
            self.assertFalse(self.output.exists())

    @staticmethod
    def fit_summary(path):
        """The headline is that of the warehouses that the document says."""
        document = json.loads(path.read_text())
        summary = document["summary"]
        warehouses = document["plan"]["warehouses"]
        for rank in document.get("ranks", []):
            warehouses = rank["warehouse_last"] - rank["warehouse_first"] + 1
        summary["efficiency"] *= summary["warehouses"] / warehouses
        summary["warehouses"] = warehouses
        path.write_text(json.dumps(document))

    def test_a_merged_result_is_no_part(self):
        parts = self.parts()
        self.merge(*parts)
        self.expect_error(harness.drover("merge", self.output, parts[0]), USAGE, r"is already merged\. Name the parts from which it was made")

    def test_files_that_are_no_parts(self):
        part = self.part(0)
        self.expect_error(harness.drover("merge"), USAGE)
        self.expect_error(harness.drover("merge", part, part), USAGE, "named twice")
        self.expect_error(harness.drover("merge", self.folder / "none.json"), USAGE, "none.json")
        self.expect_error(harness.drover("merge", part, "--json", part), USAGE,
                          "is one of the parts")
        self.expect_error(harness.drover("merge", part, "--json", self.folder / "no" / "x.json"),
                          FAILURE, "x.json")
        cut = self.folder / "cut.json"
        cut.write_text(part.read_text()[:500])
        self.expect_error(harness.drover("merge", part, cut, "--json", self.output), FAILURE,
                          "cut.json", r"the document ends too early, at byte \d+\. It was truncated, or is still being written")
        self.assertFalse(self.output.exists())


if __name__ == "__main__":
    harness.main()
