"""The published JSON Schemas, and the documents of runs and checks: real ones fit, every field of
theirs is described, broken ones do not fit, and what fits is read by drover."""

import json
import pathlib
import re
import shutil
import tempfile

import harness
import json_schema
from harness import FAILURE, SUCCESS
from json_schema import (DOCS, NAMES, changed, check_schema, described_fields, fits, load_schema,
                         places_of, resolved, strict, type_of, violations)

setUpModule = json_schema.require_library


class Described(harness.TestCase):
    """The schemas themselves, and the pages that describe the same."""

    def test_they_are_schemas(self):
        for name in NAMES:
            with self.subTest(schema=name):
                check_schema(load_schema(name))
        self.assertEqual({path.name for path in DOCS.glob("*.schema.json")},
                         {f"{name}.schema.json" for name in NAMES})

    def test_every_field_has_a_type_and_a_description(self):
        for name in NAMES:
            schema = load_schema(name)
            fields = list(described_fields(schema, schema))
            self.assertGreater(len(fields), 15)
            described = set()
            for place, _, field in fields:
                if place in described and "description" not in field:
                    continue  # it narrows what is described
                described.add(place)
                with self.subTest(schema=name, place=place):
                    self.assertIsNotNone(type_of(field, schema))
                    if field.get("$ref") != "#/$defs/percentiles":  # described there
                        self.assertRegex(field.get("description", ""), r"\S.*\.$")

    def test_units_are_said(self):
        for schema_name in NAMES:
            schema = load_schema(schema_name)
            for place, name, field in described_fields(schema, schema):
                if "description" not in field:
                    continue
                for ending, unit in (("_s", r"(?i)seconds?\b"), ("_ms", "(?i)milliseconds"),
                                     ("_us", "(?i)microseconds"), ("_bytes", "(?i)memory|bytes"),
                                     ("_cents", "cents"), ("_ts", "Unix time in seconds"),
                                     ("_seconds",
                                      r"(?i)seconds|time of the process|The same")):
                    if name.endswith(ending):
                        with self.subTest(schema=schema_name, place=place):
                            self.assertRegex(field["description"], unit + "|Likewise|null")

    PAGES = {"result": "result-format.md", "compare": "compare.md", "history": "compare.md",
             "search": "search.md", "lab": "lab.md"}

    def test_the_pages_name_every_field(self):
        for name, page_name in self.PAGES.items():
            page = (DOCS / page_name).read_text(encoding="utf-8")
            self.assertTrue(f"[{name}.schema.json]({name}.schema.json)" in page, page_name)
            schema = load_schema(name)
            for place, field, _ in described_fields(schema, schema):
                # What an experiment varies and measures is described in the schema alone.
                if re.match(r"\.cells\[\]\.(settings|median|rounds\[\])\.", place):
                    continue
                with self.subTest(schema=name, place=place):
                    self.assertTrue(re.search(rf"`{re.escape(field)}(\[\])?`", page), page_name)

    def test_the_example_of_the_page_fits(self):
        page = (DOCS / "result-format.md").read_text(encoding="utf-8")
        example = json.loads(re.search(r"```json\n(.*?)```", page, re.DOTALL)[1])
        # It is abridged, so that fields may lack; none may be there that is not described.
        schema = strict(load_schema("result"), required=False)
        self.assertEqual(violations(schema, example), [])
        self.assertNotEqual(violations(schema, example | {"newer": 1}), [])


class Simulated(harness.TestCase):
    """Results of runs without a database."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="drover-schema-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        path = cls.folder / "result.json"
        harness.expect(harness.drover("tpcc", "run", "-w", 1, "--simulate-ms", 1, "--pace", 100,
                                      "--duration", "2s", "--warmup", "1s", "--json", path),
                       SUCCESS)
        cls.document = json.loads(path.read_text(encoding="utf-8"))
        cls.schema = load_schema("result")

    def test_it_fits(self):
        self.assertEqual(violations(self.schema, self.document), [])
        self.assertEqual(violations(strict(self.schema), self.document), [])

    def test_newer_fields_may_be_there(self):
        for place in (["newer"], ["plan", "newer"], ["transactions", "Payment", "newer"],
                      ["transactions", "Payment", "histogram", "newer"],
                      ["time_series", 0, "newer"], ["audit", "lines", 0, "newer"]):
            with self.subTest(place=place):
                document = changed(self.document, place, {"deep": [1]})
                self.assertEqual(violations(self.schema, document), [])
                self.assertFalse(fits(strict(self.schema), document))
                self.expect_read(document)

    MUTATIONS = [
        (["schema_version"], 2), (["schema_version"], "1"), (["schema_version"], ...),
        (["tool"], ...), (["tool", "commit"], None), (["tool", "version"], "x" * 201),
        (["plan", "warehouses"], -1), (["plan", "warehouses"], "10"), (["plan", "warehouses"], 1.5),
        (["plan", "warehouses"], 2**56 + 1), (["plan", "seed"], 2**64),
        (["plan", "statements"], "both"), (["plan", "isolation"], "dirty"),
        (["plan", "on_db_loss"], "panic"), (["plan", "no_delays"], 0),
        (["plan", "simulate_ms"], -1), (["plan", "pace"], ...),
        (["environment", "server"], {"version": "15"}), (["environment", "client", "cpus"], 0.5),
        (["summary", "efficiency"], -1), (["summary", "time_seconds"], 2.5),
        (["summary", "measure_start_ts"], 10**12), (["summary", "tpmc"], None),
        (["transactions"], {}), (["transactions", "NewOrder"], None),
        (["transactions", "NewOrder", "ok_count"], ...),
        (["transactions", "NewOrder", "percentiles", "99.9"], ...),
        (["transactions", "NewOrder", "errors_by_class"], {"retryable": -1}),
        (["transactions", "NewOrder", "errors_by_class"], {"unheard": 1}),
        (["transactions", "NewOrder", "latency_limit_held"], "yes"),
        (["transactions", "NewOrder", "histogram", "unit"], "us"),
        (["transactions", "NewOrder", "histogram", "sub_buckets_per_octave"], 32),
        (["transactions", "NewOrder", "histogram", "buckets"], [[1]]),
        (["transactions", "NewOrder", "histogram", "buckets"], [[1, 2, 3]]),
        (["transactions", "NewOrder", "histogram", "buckets"], [[2368, 1]]),
        (["transactions", "NewOrder", "histogram", "buckets"], [[1, 0]]),
        (["transactions", "NewOrder", "wait"], []), (["transactions", "NewOrder", "keying"], 0),
        (["inputs", "payments"], -5), (["availability", "outages"], [{"start_s": 1}]),
        (["availability", "outages"], None), (["ledger", "exact"], "true"),
        (["ledger", "payment_cents"], 0.5), (["ledger_in_data"], {}),
        (["client", "worker_loads"], [2000]), (["client", "workers", 0, "load"], -0.1),
        (["client", "peak_rss_bytes"], -1), (["time_series"], {}),
        (["time_series", 0, "phase"], "cool-down"), (["time_series", 0, "t"], None),
        (["time_series", 0, "ok"], {"NewOrder": "5"}), (["time_series", 0, "client_load"], -1),
        (["checkpoints"], [{"start_s": 1, "end_s": None}]), (["checkpoints"], {}),
        (["checkpoints"], [{"start_s": 1, "end_s": 2, "requested": 1}]),
        (["plan", "server_stats"], 1), (["server_stats"], {}),
        (["server_stats"], {"samples_measured": 1, "wait_events": [{"name": "CPU"}], "samples": [],
                            "statements": None}),
        (["audit", "validity"], "maybe"), (["audit", "lines", 0, "judgement"], "good"),
        (["failure"], 0), (["interrupted"], None), (["interrupted"], ...),
    ]

    def test_broken_ones_do_not_fit(self):
        for place, value in self.MUTATIONS:
            with self.subTest(place=place, value=value):
                self.assertFalse(fits(self.schema, changed(self.document, place, value)))

    def test_what_was_added_to_this_version_may_lack_and_is_read(self):
        """Documents of older programs: the schema and the reader agree on what they may lack."""
        optional = [place for place in self.optional_places(self.schema, self.document, [])
                    if place not in self.required_of_tpcc(self.schema["then"], [])]
        self.assertGreater(len(optional), 15)
        without_any = self.document
        for place in optional:
            with self.subTest(place=place):
                document = changed(self.document, place, ...)
                self.assertEqual(violations(self.schema, document), [])
                self.expect_read(document)
        for place in sorted(optional, key=len, reverse=True):
            without_any = changed(without_any, place, ...)
        self.assertEqual(violations(self.schema, without_any), [])
        self.expect_read(without_any)

    def test_what_is_required_is_required_by_the_reader_or_follows(self):
        """A field that is required is one that the reader refuses to do without, or one that
        repeats others, which the reader leaves aside."""
        repeated = {"schema_version", "time_seconds", "efficiency_is_meaningful", "all_count",
                    "percentiles", "mean_ms", "min_ms", "max_ms", "cpu_us_per_transaction",
                    "busiest_worker_load", "count", "seconds", "validity", "compliant", "sentence"}
        for part in ([], ["plan"], ["summary"], ["client"], ["environment"], ["inputs"],
                     ["transactions", "NewOrder"], ["audit"], ["time_series", 0], ["ledger"]):
            for name in self.schema_at(part)["required"]:
                if name in repeated:
                    continue
                with self.subTest(part=part, name=name):
                    command = self.read(changed(self.document, [*part, name], ...))
                    self.expect_error(command, FAILURE, re.escape(name))

    def required_of_tpcc(self, schema, place):
        required = [[*place, name] for name in schema.get("required", [])]
        for name, inner in schema.get("properties", {}).items():
            required += self.required_of_tpcc(inner, [*place, name])
        return required

    def schema_at(self, place):
        schema = self.schema
        for step in place:
            if isinstance(step, int):
                schema = schema["items"]
            else:
                schema = schema.get("properties", {}).get(step) or schema["additionalProperties"]
            schema = self.resolved(schema)
        return schema

    def resolved(self, schema):
        schema = resolved(schema, self.schema)
        for branch in schema.get("anyOf", []):
            if branch.get("type") != "null":
                return self.resolved(branch)
        return schema

    def optional_places(self, schema, document, place):
        schema = self.resolved(schema)
        if isinstance(document, list):
            if document and isinstance(schema.get("items"), dict):
                yield from self.optional_places(schema["items"], document[0], [*place, 0])
            return
        if not isinstance(document, dict):
            return
        properties = schema.get("properties", {})
        for name, value in document.items():
            field = properties.get(name) or schema.get("additionalProperties")
            if name in properties and name not in schema["required"]:
                yield [*place, name]
            if isinstance(field, dict):
                yield from self.optional_places(field, value, [*place, name])

    def read(self, document):
        path = self.folder / "read.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return harness.drover("report", path)

    def expect_read(self, document):
        self.assertIn("tpmC", self.expect(self.read(document), SUCCESS).out)


class Real(harness.ServerTestCase):
    """Documents of runs and checks of a real server."""

    WAREHOUSES_LOADED = 1

    @classmethod
    def setUpClass(cls):
        cls.server = harness.Server(warehouses=cls.WAREHOUSES_LOADED)
        cls.addClassCleanup(cls.server.remove)
        cls.server.start("shared_preload_libraries=pg_stat_statements")
        cls.server.sql("CREATE EXTENSION pg_stat_statements")

    def result(self, *arguments, during=lambda command: None):
        path = self.server.folder / "result.json"
        command = self.server.begin("tpcc", "run", "--warmup", 0, "--json", path, *arguments)
        self.addCleanup(command.kill)
        during(command)
        self.expect(command.wait(), SUCCESS)
        return json.loads(path.read_text(encoding="utf-8"))

    def expect_fit(self, name, document):
        schema = load_schema(name)
        self.assertEqual(violations(schema, document), [])
        self.assertEqual(violations(strict(schema), document), [])

    def test_results(self):
        documents = [
            self.result("--duration", "3s", "--pace", 50, "--deferred-delivery",
                        during=self.make_checkpoints),
            self.result("--duration", "3s", "--no-delays", "--server-stats"),
            self.result("--duration", "1s", "--no-delays", "--isolation", "serializable",
                        "--statements", "single"),
            self.result("--duration", "6s", "--no-delays", during=self.lose_server),
            # Whose transactions end after the run, and after what it waits for them.
            self.result("-w", 50, "--simulate-ms", 20_000, "--duration", "2s", "--pace", 50,
                        "--deferred-delivery")]
        for document in documents:
            self.expect_fit("result", document)
        self.assertEqual(documents[3]["plan"]["on_db_loss"], "wait")
        self.assertGreater(len(documents[3]["availability"]["outages"]), 0)
        # Nothing is described that is never there.
        schema = load_schema("result")
        fields = list(described_fields(schema, schema))
        elsewhere = tuple(place for place, _, field in fields
                          if "$comment" in field and "of tpcc." not in field["$comment"])
        described = {place for place, _, _ in fields if not place.startswith(elsewhere)}
        there = {place for document in documents for place in places_of(document, described)}
        only_when_given_up = {".failure"}
        only_where_a_stall_ends = {".availability.stalls[].end_s", ".availability.stalls[].seconds"}
        # e2e.failover has such a result.
        only_after_a_failover = {place for place in described
                                 if place.startswith(".lost_commits.commits[]")}
        # e2e.shares checks parts, which have this field.
        only_in_a_part = {place for place in described if place.startswith(".plan.of_all_hosts")}
        self.assertEqual(described - there - only_when_given_up - only_where_a_stall_ends
                         - only_after_a_failover - only_in_a_part, set())

    def make_checkpoints(self, command):
        # The run looks once a second: some of them are seen.
        command.wait_for("terminals up")
        with self.server.session() as session:
            while not command.ended():
                session.sql("CHECKPOINT")

    def lose_server(self, command):
        command.wait_for("terminals up")
        self.server.stop_at_once()
        command.wait_for("(?i)lost|away|closed|refused|unavailable")
        self.server.start()

    def test_checks(self):
        path = self.server.folder / "check.json"
        self.expect(self.server.drover("tpcc", "check", "--json", path), SUCCESS)
        holding = json.loads(path.read_text(encoding="utf-8"))
        self.expect_fit("check", holding)
        self.server.load(1, schema="spoilt")
        self.server.sql("UPDATE spoilt.warehouse SET w_ytd = w_ytd + 1")
        self.expect(self.server.drover("tpcc", "check", "--after-import", "--schema", "spoilt",
                                       "--json", path), FAILURE)
        violated = json.loads(path.read_text(encoding="utf-8"))
        self.expect_fit("check", violated)
        self.assertGreater(violated["counts"]["violated"], 0)
        schema = load_schema("check")
        for place, value in [(["schema_version"], 2), (["document"], "x"), (["holds"], 1),
                             (["conditions"], []), (["conditions", 0, "status"], "fine"),
                             (["conditions", 0, "offenders"], 1), (["counts", "holds"], -1),
                             (["finished"], "yesterday"), (["money"], "gold"),
                             (["conditions", 0, "number"], 13), (["database", "schema"], ...),
                             (["conditions", 0, "error"], "it is well")]:
            with self.subTest(place=place):
                self.assertFalse(fits(schema, changed(holding, place, value)))


if __name__ == "__main__":
    harness.main()
