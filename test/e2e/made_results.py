"""Results for tests of what is said of many of them: copies of one short run without a database,
with figures and times as wanted."""

import copy
import functools
import json
import math
import pathlib
import tempfile

import harness
from harness import SUCCESS


@functools.cache
def short_run():
    """The document of a run without a database."""
    with tempfile.TemporaryDirectory(prefix="drover-e2e-") as folder:
        path = pathlib.Path(folder) / "run.json"
        harness.expect(
            harness.drover("tpcc", "run", "-w", 2, "--simulate-ms", 1, "--no-delays",
                           "--max-inflight", 1, "--duration", "2s", "--warmup", "0", "--json",
                           path),
            SUCCESS)
        return json.loads(path.read_text())


def roll_back_new_orders(document):
    """All of them, so that none has a latency."""
    one = document["transactions"]["NewOrder"]
    one["user_aborted_count"] += one["ok_count"]
    one["ok_count"] = document["summary"]["new_orders"] = 0
    one |= {"percentiles": {}, "mean_ms": 0, "min_ms": 0, "max_ms": 0}
    one["histogram"] |= {"count": 0, "sum": 0, "min": 0, "max": 0, "overflow": 0, "buckets": []}


def set_tpmc(document, tpmc):
    """The interval becomes as long as it takes, and the other figures follow: what contradicts
    itself is not read."""
    summary = document["summary"]
    seconds = summary["new_orders"] * 60 / (tpmc or 3000)
    if tpmc == 0:
        roll_back_new_orders(document)
    warehouses = document["plan"]["warehouses"]
    summary |= {"tpmc": tpmc, "measured_seconds": seconds, "time_seconds": math.floor(seconds + 0.5),
                "warehouses": warehouses,
                "efficiency": tpmc / (12.86 * warehouses * document["plan"]["pace"]) * 100}


def add_failures(transaction, name, count):
    """Its errors get this name, and there are so many more."""
    for total in ("failed_count", "all_count", "attempts"):
        transaction[total] += count
    transaction["errors_by_class"] = {
        name: transaction["failed_count"] + transaction["retry_count"]}
    transaction["errors_by_sqlstate"] = {name: count}


class TestCase(harness.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="drover-e2e-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, tpmc, start, change=None):
        """A result with this tpmC that began so many seconds after the first."""
        document = copy.deepcopy(short_run())
        document["summary"]["measure_start_ts"] = 1_760_000_000 + start
        # A machine that was busy for a moment makes no comparison invalid here.
        document["audit"]["lines"] = []
        if change:
            change(document)
        set_tpmc(document, tpmc)
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(document))
        return path

    def write_side(self, name, tpmcs, offset=0, change=None):
        return [self.write(f"{name}/{number}.json", tpmc, 3600 * number + offset, change)
                for number, tpmc in enumerate(tpmcs)]
