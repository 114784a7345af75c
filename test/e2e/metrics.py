"""The metrics endpoint during real runs, as Prometheus sees it, and the documents about it."""

import contextlib
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

import harness
from harness import FAILURE, INTERRUPTED, SUCCESS, USAGE, wait_until

try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:
    text_string_to_metric_families = None

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
TYPES = ["NewOrder", "Payment", "OrderStatus", "Delivery", "StockLevel"]
# Names of metrics that the serving library adds begin so.
FOREIGN = "exposer_"


def fetch(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
        return answer.read().decode("utf-8")


class Scrape:
    """One answer of the endpoint, parsed; refuses what Prometheus would refuse."""

    def __init__(self, text):
        self.text = text
        self.families = {}
        self.samples = {}
        for family in text_string_to_metric_families(text):
            assert family.name not in self.families, f"{family.name} comes twice"
            self.families[family.name] = family
            for sample in family.samples:
                key = (sample.name, frozenset(sample.labels.items()))
                assert key not in self.samples, f"{key} comes twice"
                self.samples[key] = sample.value

    def value(self, name, **labels):
        return self.samples[name, frozenset(labels.items())]

    def sum(self, name, **labels):
        wanted = set(labels.items())
        return sum(value for (sample, of), value in self.samples.items()
                   if sample == name and wanted <= of)

    def phase(self):
        """The only one that the run is in."""
        (phase,) = [dict(labels)["phase"] for (name, labels), value in self.samples.items()
                    if name == "drover_run_phase" and value == 1]
        return phase

    def counts(self):
        """What must never go down, by series."""
        found = {}
        for family in self.families.values():
            for sample in family.samples:
                counted = family.type == "counter" or (
                    family.type == "histogram" and not sample.name.endswith("_created"))
                if counted and not family.name.startswith(FOREIGN):
                    found[sample.name, frozenset(sample.labels.items())] = sample.value
        return found


class HeldRun:
    """A run whose standard output nobody reads, and that therefore stays, with its endpoint, when it
    is over: what it shows then can be seen."""

    def __init__(self, *arguments, **environment):
        read_end, write_end = os.pipe()
        flags = fcntl.fcntl(write_end, fcntl.F_GETFL)
        fcntl.fcntl(write_end, fcntl.F_SETFL, flags | os.O_NONBLOCK)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(write_end, b"." * 4096)
        fcntl.fcntl(write_end, fcntl.F_SETFL, flags)
        environment.setdefault("DROVER_DATA_HOME", "/dev/null/drover")
        self._output = os.fdopen(read_end, "rb")
        self.err = ""
        self.process = subprocess.Popen(
            [harness.DROVER, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=write_end,
            stderr=subprocess.PIPE, text=True, env=harness.clean_environment(**environment))
        os.close(write_end)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stderr:
            self.err += line

    def url(self):
        def found():
            if self.process.poll() is not None:
                raise AssertionError(f"it ended: {self.err}")
            return re.search(r"metrics: (http://\S+)", self.err)
        return wait_until(found, "the address of the endpoint")[1]

    def is_held(self):
        """Whether its main thread waits for somebody to read its standard output."""
        if self.process.poll() is not None:
            raise AssertionError(f"it ended: {self.err}")
        with open(f"/proc/{self.process.pid}/syscall", encoding="ascii") as file:
            words = file.read().split()
        return len(words) > 1 and words[0] in ("1", "64") and words[1] == "0x1"  # write

    def let_go(self):
        """Reads what it has to say; returns its exit code."""
        reader = threading.Thread(target=self._output.read, daemon=True)
        reader.start()
        code = self.process.wait(60)
        reader.join(10)
        self._reader.join(10)
        self._output.close()
        self.process.stderr.close()
        return code

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class MetricsTestCase(harness.TestCase):

    def setUp(self):
        if text_string_to_metric_families is None:
            self.skipTest("python3-prometheus-client is not installed: nobody to parse the answers")
        folder = tempfile.TemporaryDirectory(prefix="drover-e2e-")
        self.addCleanup(folder.cleanup)
        self.json = os.path.join(folder.name, "result.json")

    def document(self):
        with open(self.json, encoding="utf-8") as file:
            return json.load(file)

    def watch(self, url, until):
        """Scrapes until the condition holds; every one has to be well formed, and no count to fall.
        Returns the phases in the order in which they were seen, and the last scrape."""
        phases = []
        before = {}

        def scrape():
            scrape = Scrape(fetch(url))
            self.expect_histograms(scrape)
            counts = scrape.counts()
            for key, value in before.items():
                self.assertGreaterEqual(counts[key], value, key)
            if before:
                self.assertEqual(set(counts), set(before))
            before.update(counts)
            if not phases or phases[-1] != scrape.phase():
                phases.append(scrape.phase())
            return scrape if until(scrape) else None

        return phases, wait_until(scrape, "the end of the run", seconds=120)

    def expect_histograms(self, scrape):
        for family in scrape.families.values():
            if family.type != "histogram":
                continue
            series = {}
            for sample in family.samples:
                if sample.name.endswith("_bucket"):
                    labels = dict(sample.labels)
                    bound = float(labels.pop("le"))
                    series.setdefault(frozenset(labels.items()), []).append((bound, sample.value))
            self.assertTrue(series)
            for labels, buckets in series.items():
                self.assertEqual(buckets, sorted(buckets))
                self.assertEqual([count for _, count in buckets],
                                 sorted(count for _, count in buckets))
                count = scrape.value(family.name + "_count", **dict(labels))
                total = scrape.value(family.name + "_sum", **dict(labels))
                self.assertEqual(buckets[-1], (float("inf"), count))
                # At least as long as the lower bounds of their buckets, and longer only in the last.
                least = sum((number - lower_count) * lower for (lower, lower_count), (_, number)
                            in zip(buckets, buckets[1:]))
                self.assertGreaterEqual(total * 1.008 + 1e-9, least)
                if buckets[-2][1] == count:
                    most = buckets[0][0] * buckets[0][1] + sum(
                        (number - lower_count) * bound for (_, lower_count), (bound, number)
                        in zip(buckets[:-1], buckets[1:-1]))
                    self.assertLessEqual(total, most * 1.008 + 1e-9)

    def expect_counts_of(self, scrape, document):
        """To the last transaction."""
        for name in TYPES:
            transaction = document["transactions"][name]
            labels = {"phase": "measure", "transaction": name}
            for outcome, key in (("committed", "ok_count"), ("failed", "failed_count"),
                                 ("user_aborted", "user_aborted_count")):
                self.assertEqual(scrape.value("drover_tpcc_transactions_total", outcome=outcome,
                                              **labels), transaction[key], (name, outcome))
            self.assertEqual(scrape.value("drover_tpcc_retries_total", **labels),
                             transaction["retry_count"])
            for error_class, count in transaction.get("errors_by_class", {}).items():
                self.assertEqual(scrape.value("drover_tpcc_errors_total", **labels,
                                              **{"class": error_class}), count)
            duration = "drover_tpcc_transaction_duration_seconds"
            self.assertEqual(scrape.value(duration + "_count", **labels), transaction["ok_count"])
            self.expect_percentile(scrape, duration, labels, transaction)

    def expect_percentile(self, scrape, name, labels, transaction):
        """The 90th percentile of the result lies in the bucket that holds the rank."""
        count = transaction["ok_count"]
        if count == 0:
            return
        p90_s = transaction["percentiles"]["90"] / 1000
        # A bound may be written with more digits than it needs.
        up_to = {float(dict(of)["le"]): value for (sample, of), value in scrape.samples.items()
                 if sample == name + "_bucket" and set(labels.items()) <= of}
        below = max([bound for bound in up_to if bound < p90_s / 1.02], default=None)
        above = min(bound for bound in up_to if bound >= p90_s * 1.02)
        self.assertGreaterEqual(up_to[above], 0.9 * count - 1)
        if below is not None:
            self.assertLessEqual(up_to[below], 0.9 * count + 1)

    def expect_promtool_agrees(self, text):
        promtool = shutil.which("promtool")
        if promtool is None:
            print("promtool is not on the PATH: only the parser has judged", file=sys.stderr)
            return
        judged = subprocess.run([promtool, "check", "metrics"], input=text, text=True,
                                capture_output=True, timeout=60, check=False)
        self.assertEqual((judged.returncode, judged.stdout + judged.stderr), (0, ""))

    def held_run(self, *arguments, **environment):
        run = HeldRun("tpcc", "run", "--metrics", "0", "--ui", "plain", "--json", self.json,
                      *arguments, **environment)
        self.addCleanup(run.kill)
        return run

    def watch_to_the_end(self, run, code=SUCCESS):
        url = run.url()
        held = []

        def is_over(_):
            # One more scrape after it has stopped: the first may have come before that.
            held.append(run.is_held())
            return len(held) > 1 and held[-2]
        phases, scrape = self.watch(url, is_over)
        self.assertEqual(phases[-1], "ended")
        self.assertEqual(run.let_go(), code, run.err)
        return phases, scrape


class Simulated(MetricsTestCase):

    def test_a_run_is_followed_to_its_last_transaction(self):
        run = self.held_run("-w", 20, "--simulate-ms", 5, "--pace", 100, "--warmup", "2s",
                            "--duration", "4s", "--threads", 2)
        phases, scrape = self.watch_to_the_end(run)
        expected = ["starting", "warmup", "measure", "ended"]
        self.assertEqual([phase for phase in expected if phase in phases], phases)
        self.assertIn("measure", phases)
        self.expect_counts_of(scrape, self.document())
        self.assertGreater(scrape.sum("drover_tpcc_transactions_total", phase="measure",
                                      outcome="committed"), 500)
        self.assertGreater(scrape.sum("drover_tpcc_transactions_total", phase="warmup",
                                      outcome="committed"), 200)
        self.assertEqual(scrape.value("drover_tpcc_terminals"), 200)
        self.assertEqual(scrape.value("drover_database_connections_wanted"), 0)
        self.assertEqual(scrape.value("drover_database_up"), 1)
        for worker in ("0", "1"):
            self.assertGreater(scrape.value("drover_worker_cpu_seconds_total", worker=worker), 0)
            self.assertGreater(scrape.value("drover_worker_timer_lag_seconds_count",
                                            worker=worker), 100)
            self.assertEqual(scrape.value("drover_tpcc_transactions_in_flight", worker=worker), 0)
        self.assertGreater(scrape.value("process_resident_memory_bytes"), 1 << 20)
        self.assertGreater(scrape.value("process_cpu_seconds_total"), 0)
        self.assertIsNone(dict(self.info(scrape)).get("server_version"))
        self.expect_promtool_agrees(scrape.text)

    def info(self, scrape):
        (labels,) = [labels for (name, labels) in scrape.samples if name == "drover_run_info"]
        return labels

    def begin(self, *arguments):
        run = harness.start_drover("tpcc", "run", "-w", 1, "--simulate-ms", 5, "--pace", 10,
                                   "--warmup", 0, "--ui", "plain", *arguments)
        self.addCleanup(run.kill)
        return run

    def test_an_interrupted_run_ends_at_once_whoever_is_connected(self):
        run = self.begin("--duration", "1h", "--metrics", "0", "--json", self.json)
        url = run.wait_for(r"metrics: (http://\S+)")[1]
        run.wait_for("terminals up")
        host, port = re.search(r"//(.*):(\d+)/", url).groups()
        with contextlib.ExitStack() as stack:
            for _ in range(30):
                client = socket.create_connection((host, int(port)), timeout=30)
                stack.enter_context(client)
                client.sendall(b"GET /metr")
            run.signal(signal.SIGINT)
            self.expect(run.wait(30), INTERRUPTED)
        self.assertTrue(self.document()["interrupted"])
        with self.assertRaises(OSError):
            socket.create_connection((host, int(port)), timeout=30)

    def test_a_port_that_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            run = self.begin("--duration", "1h", "--metrics", port).wait(30)
            self.expect_error(run, FAILURE, f"127.0.0.1:{port}", "in use", "another port")
            self.assertNotIn("terminals up", run.err)

    def test_two_runs_have_free_ports_each(self):
        first = self.begin("--duration", "1h", "--metrics", "127.0.0.1:0")
        second = self.begin("--duration", "1h", "--metrics", ":0")
        urls = [run.wait_for(r"metrics: (http://127\.0\.0\.1:\d+/metrics)\n")[1]
                for run in (first, second)]
        self.assertNotEqual(*urls)
        for url in urls:
            Scrape(fetch(url))
        for run in (first, second):
            run.signal(signal.SIGTERM)
            self.expect(run.wait(30), INTERRUPTED)

    def test_other_machines_are_let_in_only_when_told(self):
        run = self.begin("--duration", "1s", "--metrics", "0.0.0.0:0").wait(30)
        self.expect(run, SUCCESS)
        self.assertRegex(run.err, "note: every machine that can reach http://0.0.0.0:[0-9]+/metrics")
        run = self.begin("--duration", "1s", "--metrics", "0").wait(30)
        self.expect(run, SUCCESS)
        self.assertNotIn("whoever", run.err)

    def test_ipv6_or_why_not(self):
        run = self.begin("--duration", "1s", "--metrics", "[::1]:0").wait(30)
        if run.code == SUCCESS:
            self.assertRegex(run.err, r"metrics: http://\[::1\]:\d+/metrics")
        else:
            self.expect_error(run, FAILURE, r"\[::1\]:0", "IPv4|address")

    def test_what_is_no_address(self):
        for text in ("example.com:9464", "70000", "127.0.0.1", "9464s", "::1:9464", "-1",
                     "127.0.0.1:9464,0.0.0.0:9465", "http://127.0.0.1:9464"):
            with self.subTest(text=text):
                run = self.begin("--duration", "1h", f"--metrics={text}").wait(30)
                self.expect_error(run, USAGE, "--metrics", "127.0.0.1:9464", within_s=10)

    def test_only_get_of_metrics(self):
        run = self.begin("--duration", "1h", "--metrics", "0")
        url = run.wait_for(r"metrics: (http://\S+)")[1]
        for method, path, code in (("GET", "/", 404), ("GET", "/etc/passwd", 404),
                                   ("POST", "/metrics", 405), ("PUT", "/metrics", 405),
                                   ("DELETE", "/metrics", 405), ("OPTIONS", "/metrics", 405)):
            with self.subTest(method=method, path=path):
                request = urllib.request.Request(url.replace("/metrics", path), method=method)
                with self.assertRaises(urllib.error.HTTPError) as refused:
                    urllib.request.urlopen(request, timeout=30)
                self.assertEqual(refused.exception.code, code)
                refused.exception.close()
        self.assertIn("drover_run_info", fetch(url))
        run.signal(signal.SIGINT)
        self.expect(run.wait(30), INTERRUPTED)


class OnPostgres(MetricsTestCase):

    @classmethod
    def setUpClass(cls):
        cls.server = harness.Server(warehouses=2)
        cls.addClassCleanup(cls.server.remove)
        cls.server.start()

    def on_server(self, *arguments):
        return self.held_run(*arguments, DROVER_DATA_HOME=str(self.server.root))

    def test_a_run_is_followed_to_its_last_transaction(self):
        run = self.on_server("--no-delays", "--warmup", 0, "--duration", "4s", "--connections", 6)
        phases, scrape = self.watch_to_the_end(run)
        self.assertNotIn("warmup", phases)
        self.expect_counts_of(scrape, self.document())
        # What commits while the terminals come up belongs to no interval, yet it is in the data.
        self.assertLessEqual(scrape.sum("drover_tpcc_transactions_total", transaction="NewOrder",
                                        outcome="committed"),
                             self.document()["ledger"]["new_orders"])
        self.assertEqual(scrape.value("drover_database_connections_wanted"), 6)
        self.assertEqual(scrape.value("drover_database_connections_open"), 6)
        (info,) = [dict(of) for (name, of) in scrape.samples if name == "drover_run_info"]
        self.assertEqual(info["server_version"],
                         self.document()["environment"]["server"]["version"])
        self.assertEqual(info["benchmark"], "tpcc")
        self.expect_promtool_agrees(scrape.text)

    def test_an_outage_is_seen_and_what_was_counted_until_an_interrupt(self):
        run = self.on_server("--no-delays", "--warmup", 0, "--duration", "1h", "--connections", 4)
        url = run.url()
        self.addCleanup(self.server.start_again)
        self.watch(url, lambda scrape: scrape.sum("drover_tpcc_transactions_total") > 0)
        self.server.crash()
        open_connections = "drover_database_connections_open"
        _, away = self.watch(url, lambda scrape: scrape.value("drover_database_up") == 0
                             and scrape.value(open_connections) < 4)
        self.assertGreater(away.value("drover_database_away_seconds"), 0)
        self.server.start_again()
        _, back = self.watch(url, lambda scrape: scrape.value("drover_database_up") == 1
                             and scrape.value(open_connections) == 4)
        self.assertEqual(back.value("drover_database_away_seconds"), 0)
        self.assertGreaterEqual(back.value("drover_database_outages_total"), 1)
        self.assertGreaterEqual(back.value("drover_database_sessions_lost_total"), 4)
        self.assertEqual(back.value("drover_database_sessions_lost_total"),
                         back.value("drover_database_sessions_reopened_total"))
        self.assertGreater(back.sum("drover_tpcc_errors_total"), 0)
        run.process.send_signal(signal.SIGINT)
        _, last = self.watch_to_the_end(run, INTERRUPTED)
        self.expect_counts_of(last, self.document())
        self.assertTrue(self.document()["interrupted"])


class Documents(MetricsTestCase):
    """What docs/ says of the metrics is what the endpoint says."""

    @classmethod
    def setUpClass(cls):
        if text_string_to_metric_families is None:
            raise unittest.SkipTest("python3-prometheus-client is not installed")
        run = harness.start_drover("tpcc", "run", "-w", 1, "--simulate-ms", 5, "--warmup", 0,
                                   "--duration", "1h", "--ui", "plain", "--metrics", "0")
        try:
            cls.scrape = Scrape(fetch(run.wait_for(r"metrics: (http://\S+)")[1]))
        finally:
            run.signal(signal.SIGKILL)
            run.wait()
        cls.labels = {}
        cls.types = {}
        for family in cls.scrape.families.values():
            # The parser takes "_total" off the name of a counter.
            name = family.name + ("_total" if family.type == "counter" else "")
            cls.types[name] = family.type
            cls.labels[name] = {label for sample in family.samples for label in sample.labels
                                if label not in ("le", "quantile")}

    def test_the_table_is_complete_and_true(self):
        text = (DOCS / "metrics.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| `(\w+)` \| (\w+) \| ([^|]*)\|", text, re.MULTILINE)
        described = {name: kind for name, kind, _ in rows}
        self.assertEqual(len(described), len(rows), "a metric is described twice")
        ours = {name: kind for name, kind in self.types.items() if not name.startswith(FOREIGN)}
        self.assertEqual(described, ours)
        for name, _, labels in rows:
            known = set(re.findall(r"`(\w+)`", labels))
            self.assertEqual(known - {"server_version"}, self.labels[name], name)
        for name in self.types:
            self.assertIn(f"`{name}`", text)

    def test_the_dashboard_asks_for_what_there_is(self):
        dashboard = json.loads((DOCS / "grafana-dashboard.json").read_text(encoding="utf-8"))
        self.assertGreaterEqual(dashboard["schemaVersion"], 39)
        variables = {one["name"]: one for one in dashboard["templating"]["list"]}
        self.assertEqual(variables["datasource"]["query"], "prometheus")
        panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
        self.assertEqual(len({panel["id"] for panel in dashboard["panels"]}),
                         len(dashboard["panels"]))
        asked = self.expect_queries(variables["instance"]["definition"])
        for panel in panels:
            self.assertTrue(panel["targets"], panel["title"])
            self.assertEqual(panel["datasource"]["uid"], "${datasource}", panel["title"])
            for target in panel["targets"]:
                self.assertEqual(target["datasource"]["uid"], "${datasource}")
                asked |= self.expect_queries(target["expr"])
        ours = {name for name in self.types if not name.startswith(FOREIGN)}
        self.assertEqual(ours - asked, {"process_start_time_seconds"}, "on no panel")

    def test_the_queries_of_the_page(self):
        text = (DOCS / "metrics.md").read_text(encoding="utf-8")
        queries = re.findall(r"^\| [^|`]* \| `([^`]*\()([^`]*)` \|$", text, re.MULTILINE)
        self.assertGreaterEqual(len(queries), 4)
        for query in queries:
            self.expect_queries("".join(query))

    def expect_queries(self, query):
        """Each metric of it exists, and has the labels that are asked for. Returns the metrics."""
        asked = set()
        for name, matchers in re.findall(r"\b((?:drover|process)_\w+)(?:\{([^}]*)\})?", query):
            family = next((known for known in self.types if name in self.sample_names(known)), None)
            self.assertIsNotNone(family, f"{name} of {query}")
            asked.add(family)
            for label, operator, value in re.findall(r'(\w+)\s*(=~|=)\s*"([^"]*)"', matchers):
                if label == "instance":  # Prometheus's own
                    continue
                self.expect_label(family, name, label, operator, value)
        for grouping in re.findall(r"\bby \(([^)]*)\)", query):
            for label in re.split(r",\s*", grouping):
                self.assertTrue(label == "le" or any(label in self.labels[one] for one in asked),
                                f"{label} of {query}")
        return asked

    def expect_label(self, family, name, label, operator, value):
        self.assertIn(label, self.labels[family] | {"le"}, name)
        there = {dict(labels).get(label) for (sample, labels) in self.scrape.samples
                 if sample == name}
        for one in value.split("|") if operator == "=~" else [value]:
            # Parsers write a bound as they please: le="5" is le="5.0".
            self.assertTrue(one in there or (label == "le" and one + ".0" in there),
                            f'{name}{{{label}="{one}"}}')

    def sample_names(self, name):
        if self.types[name] == "histogram":
            return {name + "_bucket", name + "_count", name + "_sum"}
        return {name}


if __name__ == "__main__":
    harness.main()
