"""`drover report`: its command line, and its pages in a real browser."""

import functools
import json
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import xml.etree.ElementTree

import harness
import made_results
from browser import Browser
from harness import FAILURE, INTERRUPTED, SUCCESS, USAGE

WAIT_EVENTS = ["LWLock:WALWrite", "CPU", "Lock:transactionid", "IO:WALSync", "Client:ClientRead",
               "LWLock:BufferContent", "Timeout:SpinDelay", "IO:DataFileRead", "IO:DataFileExtend"]
WIDTHS = (320, 400, 768, 1280, 1600)
PAGE_BYTES_MAX = 1_000_000

# What is seen of a page, as expressions that the browser evaluates.

# Attributes of charts that hold no number where one belongs.
BAD_NUMBERS = """[...document.querySelectorAll('svg, svg *')].flatMap(element =>
    [...element.attributes].filter(one => /nan|infinity|undefined|null/i.test(one.value))
        .filter(one => ['d', 'x', 'y', 'x1', 'x2', 'y1', 'y2', 'width', 'height', 'viewBox', 'dx']
            .includes(one.name)).map(one => one.name + '=' + one.value.slice(0, 80)))"""

# Curves whose picture has no extent, but for those of a single point.
EMPTY_CURVES = """[...document.querySelectorAll('svg.chart path.line')].filter(path => {
    const box = path.getBoundingClientRect();
    const dot = /^M[-0-9. ]+h0$/.test(path.getAttribute('d'));
    return !dot && !(box.width > 0 || box.height > 0);
}).map(path => path.getAttribute('d').slice(0, 80))"""

# Pairs of texts within a chart that lie over each other, and texts beyond the edge of the page.
# Texts for the pointer and hidden ones are not seen.
TEXT_TROUBLE = """[...document.querySelectorAll('svg.chart')].flatMap(chart => {
    const seen = [...chart.querySelectorAll('text')].filter(text => {
        const style = getComputedStyle(text);
        const box = text.getBoundingClientRect();
        return style.visibility === 'visible' && style.display !== 'none' && box.width > 0;
    }).map(text => ({text: text.textContent, box: text.getBoundingClientRect()}));
    const trouble = [];
    seen.forEach((one, i) => {
        if (one.box.left < -0.5 || one.box.right > document.documentElement.clientWidth + 0.5) {
            trouble.push('outside: ' + one.text);
        }
        // Boxes of letters are higher than letters.
        const slack = 3;
        for (const other of seen.slice(i + 1)) {
            const apart = one.box.right <= other.box.left + 1 || other.box.right <= one.box.left + 1
                || one.box.bottom <= other.box.top + slack
                || other.box.bottom <= one.box.top + slack;
            if (!apart) trouble.push(one.text + ' / ' + other.text);
        }
    });
    return trouble;
})"""

# Text with less contrast than WCAG 2 asks of ordinary text, 4.5 to 1.
LOW_CONTRAST = """(() => {
    const channels = text => text.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => {
        const linear = [r, g, b].map(c => c / 255)
            .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    };
    const behind = element => {
        for (let at = element; at; at = at.parentElement) {
            const color = channels(getComputedStyle(at).backgroundColor);
            if (color.length === 3 || color[3] === 1) return color;
        }
        return [255, 255, 255];
    };
    const found = new Set();
    for (const element of document.querySelectorAll('body *')) {
        const own = [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
        const style = getComputedStyle(element);
        if (!own || element.closest('title, desc') || style.visibility !== 'visible') continue;
        if (element.matches('.key') || element.getAttribute('aria-hidden') === 'true') continue;
        const inside = element instanceof SVGElement;
        const color = channels(inside ? style.fill : style.color);
        const [a, b] = [light(color), light(behind(element))];
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (contrast < 4.5) {
            found.add(element.tagName + '.' + element.getAttribute('class') + ' '
                + contrast.toFixed(2) + ' ' + element.textContent.slice(0, 30));
        }
    }
    return [...found];
})()"""

HEADINGS = """[...document.querySelectorAll('h1, h2, h3, h4')].map(h => Number(h.tagName[1]))"""

# What names a chart, and what describes it.
CHART_NAMES = """[...document.querySelectorAll('svg.chart')].map(chart => ({
    role: chart.getAttribute('role'),
    title: document.getElementById(chart.getAttribute('aria-labelledby'))?.textContent ?? '',
    text: document.getElementById(chart.getAttribute('aria-describedby'))?.textContent ?? ''}))"""

DUPLICATE_IDS = """(() => {
    const ids = [...document.querySelectorAll('[id]')].map(element => element.id);
    return ids.filter((id, i) => ids.indexOf(id) !== i);
})()"""

TABLES_WITHOUT_HEADS = """[...document.querySelectorAll('table')].filter(table =>
    !table.caption?.textContent.trim()
    || [...table.querySelectorAll('th')].some(th => !th.getAttribute('scope'))).length"""


def run_simulated(path, *arguments):
    """A result without a database, in a second."""
    harness.expect(harness.drover("tpcc", "run", "-w", 1, "--simulate-ms", 1, "--no-delays",
                                  "--duration", "1s", "--warmup", "0", "--json", path,
                                  *arguments), SUCCESS)
    return path


class Folder(harness.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="drover-report-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.result = run_simulated(cls.folder / "result.json")

    def file(self, name, document):
        path = self.folder / name
        path.write_text(document if isinstance(document, str) else json.dumps(document),
                        encoding="utf-8")
        return path

    def report(self, *arguments):
        return harness.drover("report", *arguments)


class CommandLine(Folder):

    def page(self, path):
        return path.read_text(encoding="utf-8")

    def test_a_result_alone_is_the_summary(self):
        ended = self.expect(self.report(self.result), SUCCESS)
        self.assertTrue(ended.out.startswith("TPC-C by drover"), str(ended))
        self.assertEqual(self.report(self.result, "-o", "-").out, ended.out)
        path = self.folder / "summary.txt"
        self.expect(self.report(self.result, "-o", path), SUCCESS)
        self.assertEqual(self.page(path), ended.out)

    def test_the_name_says_the_format(self):
        for name, beginning in [("a.html", "<!DOCTYPE html>"), ("a.HTM", "<!DOCTYPE html>"),
                                ("a.md", "### TPC-C"), ("a.markdown", "### TPC-C"),
                                ("a.txt", "TPC-C by drover")]:
            with self.subTest(name=name):
                path = self.folder / name
                ended = self.expect(self.report(self.result, "--output", path), SUCCESS)
                self.assertEqual(ended.out + ended.err, "")
                self.assertTrue(self.page(path).startswith(beginning), self.page(path)[:60])

    def test_a_flag_says_it_for_any_name_and_for_the_standard_output(self):
        path = self.folder / "page"
        self.expect(self.report(self.result, "--html", "-o", path), SUCCESS)
        self.assertEqual(self.report(self.result, "--html").out, self.page(path))
        self.assertTrue(self.page(path).startswith("<!DOCTYPE html>"))
        self.assertEqual(self.report(self.result, "--markdown", "-o", "-").out,
                         self.report(self.result, "--markdown").out)

    def test_wrong_combinations(self):
        page = self.folder / "never.html"
        for arguments, word in [
                ([self.result, "-o", self.folder / "page.pdf"], r"\.html, \.md or \.txt"),
                ([self.result, "-o", self.folder / "page"], r"--html or --markdown"),
                ([self.result, "--markdown", "-o", page], "means HTML, but --markdown"),
                ([self.result, "--html", "--markdown"], "cannot be combined"),
                ([self.result, "--metric", "tpmC", "-o", page], "--metric"),
                ([self.result, "--metric", "tpmC", "--html"], "--metric"),
                ([self.result, "--metric", "new_order.p101"], "--metric"),
                ([self.result] * 25, "at most 24 results"),
                ([], "results"),
                ([self.result, "--pdf"], "pdf")]:
            with self.subTest(arguments=arguments):
                self.expect_error(self.report(*arguments), USAGE, word)
        self.assertFalse(page.exists())

    def test_a_report_never_takes_the_place_of_a_result(self):
        other = self.folder / "link.md"
        other.symlink_to(self.result)
        before = self.result.read_bytes()
        self.expect_error(self.report(self.result, "--html", "-o", self.result), USAGE,
                          "is one of the results")
        self.expect_error(self.report(self.result, "-o", other), USAGE, "is one of the results")
        self.assertEqual(self.result.read_bytes(), before)

    def test_a_report_that_cannot_be_written(self):
        self.expect_error(self.report(self.result, "-o", self.folder / "no" / "page.html"), FAILURE,
                          "page.html", "Create the folder")
        self.expect_error(self.report(self.result, "--html", "-o", "/dev/full"), FAILURE,
                          "/dev/full", "space")
        with open("/dev/full", "wb") as full:
            ended = subprocess.run([harness.DROVER, "report", str(self.result), "--html"],
                                   stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
        self.assertEqual(ended.returncode, FAILURE)
        self.assertIn(b"cannot write the report", ended.stderr)

    def test_a_result_that_is_none_leaves_the_old_report(self):
        path = self.file("kept.html", "old")
        broken = self.file("broken.json", "{}")
        self.expect_error(self.report(self.result, broken, "-o", path), FAILURE, "broken.json")
        self.assertEqual(self.page(path), "old")
        self.assertEqual(list(self.folder.glob("kept.html?*")), [])

    def test_metrics_are_numbers(self):
        document = json.loads(self.result.read_text(encoding="utf-8"))
        ended = self.expect(self.report(self.result, "--metric", "tpmC", "--metric",
                                        "NewOrder.p99", "--metric", "new_order.p99.95", "--metric",
                                        "efficiency"), SUCCESS)
        lines = ended.out.splitlines()
        self.assertEqual(len(lines), 4, str(ended))
        self.assertAlmostEqual(float(lines[0]), document["summary"]["tpmc"], delta=0.01)
        percentiles = document["transactions"]["NewOrder"]["percentiles"]
        self.assertAlmostEqual(float(lines[1]), percentiles["99"], delta=0.001)
        self.assertGreaterEqual(float(lines[2]), float(lines[1]))
        self.assertEqual(lines[3], "n/a")  # there were no delays
        ended = self.report(self.result, self.result, "--metric", "tpmC")
        self.assertEqual(len(set(ended.out.rstrip("\n").split("\t"))), 1, str(ended))

    def test_several_results_without_a_file_are_a_table(self):
        slower = json.loads(self.result.read_text(encoding="utf-8"))
        made_results.set_tpmc(slower, slower["summary"]["tpmc"] / 2)
        ended = self.expect(self.report(self.result, self.file("slower.json", slower)), SUCCESS)
        self.assertRegex(ended.out, r"(?m)^  2  slower$")
        self.assertRegex(ended.out, r"(?m)^tpmC \S+ +\d+ +\d+ +-50\.0%$")
        self.assertLessEqual(max(map(len, ended.out.splitlines())), 100)

    def test_help_teaches_with_examples(self):
        text = self.report("--help").out
        for word in ("-o report.html", "--markdown", "--metric new_order.p99.95"):
            self.assertIn(word, text)


@functools.cache
def measured():
    """The document of a real run that sees its server stopped and started."""
    orders = "SELECT sum(d_next_o_id) FROM district"

    def wait_for_orders(folder):
        with harness.Session(folder) as session:
            before = session.number(orders)
            harness.wait_until(lambda: session.number(orders) > before + 50, "New-Orders", 60)

    def wait_for_points(seconds):
        end = time.monotonic() + seconds
        harness.wait_until(lambda: time.monotonic() > end, "points to come")

    with harness.Server(warehouses=1) as server:
        path = server.folder / "result.json"
        command = server.begin("tpcc", "run", "--db", server.conninfo, "-w", 1, "--no-delays",
                               "--connections", 4, "--warmup", "2s", "--duration", "1h",
                               "--json", path)
        try:
            command.wait_for("terminals up", 60)
            wait_for_points(5)
            server.stop_at_once()
            server.start()
            wait_for_orders(server.socket_folder)
            wait_for_points(4)
            command.signal(signal.SIGINT)
            harness.expect(command.wait(60), INTERRUPTED)
        finally:
            command.kill()
        document = json.loads(path.read_text(encoding="utf-8"))
    # Whether the server makes a checkpoint within these seconds is its own affair.
    document["checkpoints"] = [{"start_s": 1, "end_s": 2.5, "requested": True},
                               {"start_s": 3, "end_s": None, "requested": False}]
    # And so is what its sessions wait for.
    document["server_stats"] = {
        "samples_measured": 2, "statements": None,
        "wait_events": [{"name": name, "sessions": 0.5} for name in WAIT_EVENTS],
        "samples": [{"t": i + 0.02, "sessions": {name: 1 + i % 2 for name in WAIT_EVENTS}}
                    for i in range(int(document["time_series"][-1]["t"]))]}
    return document


class PageTestCase(Folder):
    """A browser, and the document of a run with an outage."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.document = measured()
        cls.run_path = cls.folder / "run.json"
        cls.run_path.write_text(json.dumps(cls.document), encoding="utf-8")
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.emulate("light")
        self.browser.resize(1280)

    def open(self, path):
        self.browser.open(path)
        return self.browser

    def expect_quiet(self, path):
        """Nothing was asked of anybody, nothing complained, nothing popped up."""
        urls = [event["request"]["url"] for event in
                self.browser.events_named("Network.requestWillBeSent")]
        self.assertEqual([url for url in urls if not url.startswith("data:")], [path.as_uri()])
        for name in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded",
                     "Page.javascriptDialogOpening"):
            self.assertEqual(self.browser.events_named(name), [], name)


class Pages(PageTestCase):
    """What a browser makes of a report, of one result and of twelve."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.page = cls.folder / "run.html"
        harness.expect(harness.drover("report", cls.run_path, "-o", cls.page), SUCCESS)
        paths = [cls.run_path]
        document = json.loads(json.dumps(cls.document))
        for i in range(10):
            made_results.set_tpmc(document, document["summary"]["tpmc"] * 0.97)
            paths.append(cls.folder / f"run-{i}.json")
            paths[-1].write_text(json.dumps(document), encoding="utf-8")
        cls.comparison = cls.folder / "comparison.html"
        harness.expect(harness.drover("report", *paths, cls.result, "-o", cls.comparison), SUCCESS)

    def test_charts_are_drawn(self):
        browser = self.open(self.page)
        self.assertEqual(browser.evaluate("document.querySelectorAll('svg.chart').length"), 2)
        # All and NewOrder, three percentiles, two of errors, in flight and waiting, load.
        curves = browser.evaluate("document.querySelectorAll('.time path.line').length")
        self.assertGreaterEqual(curves, 9)
        self.assertEqual(browser.evaluate("document.querySelectorAll('.spectrum path.line').length"),
                         5)
        self.assertEqual(browser.evaluate(BAD_NUMBERS), [])
        self.assertEqual(browser.evaluate(EMPTY_CURVES), [])
        self.expect_quiet(self.page)

    def test_sessions_lie_on_each_other(self):
        browser = self.open(self.page)
        tops = browser.evaluate("""[...document.querySelectorAll('.time .stack path.envelope')].map(
            path => path.getBoundingClientRect().top)""")
        # Seven have names, and the others are one.
        self.assertEqual(len(tops), 8)
        self.assertEqual(tops, sorted(tops, reverse=True))
        legend = browser.evaluate("[...document.querySelectorAll('.legend li')].map(one => one.textContent)")
        for name in [*WAIT_EVENTS[:7], "others"]:
            self.assertIn("■ " + name, legend)

    def test_phases_outages_and_checkpoints_are_marked(self):
        browser = self.open(self.page)
        # A server that has just come may refuse once more: another one, and a short one.
        outages = self.document["availability"]["outages"]
        outage = max(outages, key=lambda one: one["seconds"])

        def bands(kind):
            return browser.evaluate(f"""[...document.querySelectorAll('g.{kind}')].map(band => ({{
                title: band.querySelector('title').textContent,
                width: band.querySelector('rect').getBoundingClientRect().width,
                left: band.querySelector('rect').getBoundingClientRect().left}}))""")

        self.assertEqual(len(bands("outage")), len(outages))
        shown = max(bands("outage"), key=lambda band: band["width"])
        self.assertIn(f"Outage of {outage['seconds']:.1f} s", shown["title"])
        series = self.document["time_series"]
        chart = browser.evaluate(
            "document.querySelector('.time svg.chart').getBoundingClientRect().width")
        expected = chart * outage["seconds"] / series[-1]["t"]
        self.assertAlmostEqual(shown["width"], expected, delta=chart * 0.02)
        [warmup] = bands("warm-up")
        self.assertAlmostEqual(warmup["width"], chart * 2 / series[-1]["t"], delta=chart * 0.02)
        self.assertEqual(len(bands("checkpoint")), 2)
        labels = browser.evaluate(
            "[...document.querySelectorAll('text.label')].map(text => text.textContent)")
        self.assertIn(f"outage {outage['seconds']:.1f} s", labels)
        self.assertIn("checkpoint 1.5 s", labels)

    def test_every_width_is_readable(self):
        for path in (self.page, self.comparison):
            browser = self.open(path)
            for width in WIDTHS:
                with self.subTest(page=path.name, width=width):
                    browser.resize(width)
                    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
                    self.assertLessEqual(
                        browser.evaluate("document.documentElement.scrollWidth"), width)
                    self.assertEqual(browser.evaluate(TEXT_TROUBLE), [])
                    self.assertEqual(browser.evaluate(EMPTY_CURVES), [])

    def test_light_and_dark(self):
        backgrounds = []
        for scheme in ("light", "dark"):
            self.browser.emulate(scheme)
            for path in (self.page, self.comparison):
                with self.subTest(scheme=scheme, page=path.name):
                    browser = self.open(path)
                    self.assertEqual(browser.evaluate(LOW_CONTRAST), [])
            backgrounds.append(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
        self.assertNotEqual(*backgrounds)

    def test_the_pointer_reads_values(self):
        browser = self.open(self.page)
        browser.resize(1280, browser.evaluate("document.documentElement.scrollHeight"))
        seen = """[...document.querySelectorAll('.read-out text')]
            .filter(text => getComputedStyle(text).visibility === 'visible')
            .map(text => text.textContent)"""
        self.assertEqual(browser.evaluate(seen), [])
        for chart, pattern in (
                (".time", r"^\d+:\d\d · all [\d.,k]+/s · NewOrder [\d.,k]+/s$"),
                (".spectrum", r"^\d+%$")):
            box = browser.evaluate(f"""(() => {{
                const box = document.querySelector('{chart} svg.curves').getBoundingClientRect();
                return [box.left + box.width * 0.25, box.top + box.height / 2];
            }})()""")
            browser.move_pointer(*box)
            lines = harness.wait_until(lambda: browser.evaluate(seen), "a read-out")
            self.assertRegex(lines[0], pattern)
            self.assertGreaterEqual(len(lines), 5)
            self.assertEqual(browser.evaluate(TEXT_TROUBLE) if chart == ".time" else [], [])

    def test_for_keyboard_and_screen_reader(self):
        for path in (self.page, self.comparison):
            with self.subTest(page=path.name):
                browser = self.open(path)
                self.assertEqual(browser.evaluate("document.documentElement.lang"), "en")
                levels = browser.evaluate(HEADINGS)
                self.assertEqual(levels.count(1), 1)
                self.assertEqual(levels[0], 1)
                for above, below in zip(levels, levels[1:]):
                    self.assertLessEqual(below, above + 1, levels)
                for chart in browser.evaluate(CHART_NAMES):
                    self.assertEqual(chart["role"], "img")
                    self.assertTrue(chart["title"].strip(), chart)
                    self.assertGreater(len(chart["text"]), 20, chart)
                self.assertEqual(browser.evaluate(DUPLICATE_IDS), [])
                self.assertEqual(browser.evaluate(TABLES_WITHOUT_HEADS), 0)
                browser.press_tab()
                self.assertEqual(browser.evaluate("document.activeElement.className"), "skip")
                self.assertGreaterEqual(browser.evaluate(
                    "document.activeElement.getBoundingClientRect().top"), 0)
        names = {node["name"]["value"] for node in
                 self.open(self.page).call("Accessibility.getFullAXTree")["nodes"]
                 if node.get("role", {}).get("value") == "image"}
        self.assertIn("Latency by percentile", names)

    def test_the_table_of_a_chart_says_what_the_result_says(self):
        browser = self.open(self.page)
        rows = browser.evaluate("""[...document.querySelectorAll('#result-1-time details:first-of-type tbody tr')]
            .map(row => [...row.cells].map(cell => cell.textContent))""")
        points = [p for p in self.document["time_series"] if p["phase"] == "measure"]
        whole = [p for p, before in zip(points[1:], points) if p["t"] - before["t"] > 0.99]
        before = points[points.index(whole[0]) - 1]
        commits = sum(whole[0]["ok"].values()) / (whole[0]["t"] - before["t"])  # a second
        by_time = {row[0]: row for row in rows}
        start = whole[0]["t"] - 1 - self.document["plan"]["warmup_s"]
        row = by_time[f"0:{round(start):02}"]
        self.assertAlmostEqual(float(row[1].replace(",", "")), commits, delta=max(2, commits * 0.02))
        sessions = browser.evaluate("""[...document.querySelectorAll('#result-1-time details:last-of-type tbody tr')]
            .map(row => [...row.cells].map(cell => cell.textContent))""")
        self.assertEqual(len(sessions), len(rows))
        # Each event has one session or two.
        all_sessions = [float(row[1]) for row in sessions if row[1] != "–"]
        self.assertGreater(len(all_sessions), 0)
        for number in all_sessions:
            self.assertTrue(len(WAIT_EVENTS) <= number <= 2 * len(WAIT_EVENTS), all_sessions)

    def test_prints_whole_and_light(self):
        self.browser.emulate("dark", "print")
        for path in (self.page, self.comparison):
            with self.subTest(page=path.name):
                browser = self.open(path)
                self.assertEqual(
                    browser.evaluate("getComputedStyle(document.body).backgroundColor"),
                    "rgb(255, 255, 255)")
                self.assertEqual(
                    browser.evaluate("getComputedStyle(document.querySelector('nav')).display"),
                    "none")
                # A page of paper has about 700 pixels.
                browser.resize(700)
                overflow = browser.evaluate("""[...document.querySelectorAll('.scroll')]
                    .filter(one => one.scrollWidth > one.clientWidth + 1)
                    .map(one => one.getAttribute('aria-label') + ' '
                         + one.scrollWidth + '>' + one.clientWidth)""")
                self.assertEqual(overflow, [])
                # Folded parts are unfolded.
                heights = browser.evaluate("""[...document.querySelectorAll('[id$=-audit] table')]
                    .map(table => table.getBoundingClientRect().height)""")
                self.assertGreater(min(heights), 100)
                pdf = browser.print_to_pdf()
                self.assertTrue(pdf.startswith(b"%PDF-"))
                self.assertGreater(len(re.findall(rb"/Type\s*/Page\b", pdf)), 2)

    def test_twelve_results_and_their_switches(self):
        browser = self.open(self.comparison)
        self.expect_quiet(self.comparison)
        self.assertEqual(browser.evaluate("document.querySelectorAll('details.result').length"), 12)
        visible = """[...document.querySelectorAll('.curve.of-3')]
            .filter(curve => getComputedStyle(curve).display !== 'none').length"""
        before = browser.evaluate(visible)
        self.assertGreaterEqual(before, 8)  # three over time, five distributions
        browser.evaluate("document.getElementById('show-3').click()")
        self.assertEqual(browser.evaluate(visible), 0)
        self.assertEqual(browser.evaluate(visible.replace("of-3", "of-4")), before)
        looks = browser.evaluate("""[...document.querySelectorAll('#charts .time .curve.of-'
            + [1,2,3,4,5,6,7,8,9,10,11,12].join(', #charts .time .curve.of-'))].map(curve => {
                const style = getComputedStyle(curve.querySelector('path.line') ?? curve);
                return style.color + style.strokeDasharray;
            })""")
        self.assertEqual(len(set(looks)), 12)

    def test_a_page_is_one_small_well_formed_file(self):
        for path in (self.page, self.comparison):
            text = path.read_text(encoding="utf-8")
            xml.etree.ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
            for word in ("<script", "http://", "https://", "url(", "@import", " src="):
                self.assertNotIn(word, text)
        self.assertLess(self.page.stat().st_size, PAGE_BYTES_MAX)

    def test_empty_results_are_pages_too(self):
        document = json.loads(self.result.read_text(encoding="utf-8"))
        document["time_series"] = []
        document["audit"] = {"lines": []}
        path = self.folder / "empty.html"
        self.expect(self.report(self.file("empty.json", document), "-o", path), SUCCESS)
        browser = self.open(path)
        self.expect_quiet(path)
        self.assertEqual(browser.evaluate(BAD_NUMBERS), [])
        one_point = json.loads(self.result.read_text(encoding="utf-8"))
        one_point["time_series"] = one_point["time_series"][:1]
        path = self.folder / "point.html"
        self.expect(self.report(self.file("point.json", one_point), "-o", path), SUCCESS)
        browser = self.open(path)
        self.assertEqual(browser.evaluate(BAD_NUMBERS), [])
        dot = browser.evaluate("document.querySelector('.time path.line').getTotalLength()")
        self.assertEqual(dot, 0)
        self.assertEqual(browser.evaluate(TEXT_TROUBLE), [])


HOSTILE = ("</title></style></script>]]>--><script>window.hacked=1;alert(1)</script>"
           "<img src=x onerror=window.hacked=2>\"'` onload='alert(3)' javascript:alert(4) "
           "&lt;b&gt; \u202e\u2066 \x1b[2J \u0000")


class Hostile(PageTestCase):
    """The same run, with every text in it against us."""

    def poisoned(self, text):
        """A document with this text wherever the reader lets one through."""
        name = text[:150]
        long_text = (text * 1000)[:60_000]

        def poison(value, key=None):
            if isinstance(value, str):
                long = key in ("first_error", "failure", "text", "settings")
                return long_text if long else name
            if isinstance(value, list):
                return [poison(element, key) for element in value]
            if isinstance(value, dict):
                return {one: poison(element, one if key != "settings" else key)
                        for one, element in value.items()}
            return value

        document = json.loads(json.dumps(self.document))
        for key, value in document.items():
            if key not in ("transactions", "audit", "client", "deferred_delivery", "time_series"):
                document[key] = poison(value, key)
        document["failure"] = long_text
        for line in document["audit"]["lines"]:
            for key in line:
                if key != "judgement":
                    line[key] = long_text if key == "text" else name
        document["environment"]["server"]["settings"] = {
            f"{name}{i}": long_text for i in range(3)}
        # Of a transaction only what is printable and has no quotes.
        plain = re.sub(r"[^ -~]|[\"'\\`]", "", name)[:100]
        document["transactions"][plain] = document["transactions"].pop("StockLevel")
        made_results.add_failures(document["transactions"][plain], name, 3)
        for point in document["time_series"]:
            point["ok"][plain] = point["ok"].pop("StockLevel")
        return document

    def open_report_of(self, name, document, *more):
        path = self.folder / f"{name}.html"
        source = self.file(f"{name}.json", document)
        self.expect(self.report(source, *more, "-o", path), SUCCESS)
        self.open(path)
        return path

    def elements(self):
        return self.browser.evaluate("""(() => {
            const counts = {};
            for (const element of document.querySelectorAll('*')) {
                counts[element.tagName] = (counts[element.tagName] ?? 0) + 1;
            }
            return counts;
        })()""")

    def expect_harmless(self, path):
        self.expect_quiet(path)
        self.assertIsNone(self.browser.evaluate("window.hacked ?? null"))
        self.assertEqual(self.browser.evaluate("""[...document.querySelectorAll('*')].flatMap(
            element => [...element.attributes]).filter(one => one.name.startsWith('on')
            || /^javascript:/i.test(one.value)).length"""), 0)
        self.assertEqual(
            self.browser.evaluate("document.querySelectorAll('script, img, iframe').length"), 0)
        # As text it is there, without what reverses what is read.
        text = self.browser.evaluate("document.body.textContent")
        self.assertIn("<script>window.hacked=1;alert(1)</script>", text)
        self.assertNotRegex(text, "[\u202a-\u202e\u2066-\u2069\x00-\x08\x1b]")

    def test_is_shown_as_text(self):
        self.open_report_of("harmless", self.poisoned("x" * len(HOSTILE)))
        harmless = self.elements()
        path = self.open_report_of("hostile", self.poisoned(HOSTILE))
        self.assertEqual(self.elements(), harmless)
        self.expect_harmless(path)
        self.assertLess(path.stat().st_size, PAGE_BYTES_MAX)
        for width in (400, 1280):
            self.browser.resize(width)
            self.assertLessEqual(
                self.browser.evaluate("document.documentElement.scrollWidth"), width)

    def test_of_several_is_shown_as_text(self):
        path = self.open_report_of("<title><script>alert(1)<!--", self.poisoned(HOSTILE),
                                   self.run_path)
        self.expect_harmless(path)

    def test_markdown_has_no_element_of_it(self):
        source = self.file("hostile.json", self.poisoned(HOSTILE))
        text = self.expect(self.report(source, "--markdown"), SUCCESS).out
        outside_of_code = re.sub(r"`[^`\n]*`", "", text)
        for word in ("<script", "<img", "javascript:", "onerror"):
            self.assertNotIn(word, outside_of_code)
            self.assertIn(word, text)

    def test_the_policy_forbids_what_would_act(self):
        """If somebody got an element into the page, the browser would still refuse it."""
        path = self.open_report_of("policy", self.poisoned(HOSTILE))
        self.browser.evaluate("""new Promise(done => {
            const script = document.createElement('script');
            script.textContent = 'window.hacked = 1';
            const picture = document.createElement('img');
            picture.src = 'http://127.0.0.1:9/x.png';
            const button = document.createElement('div');
            button.setAttribute('onclick', 'window.hacked = 2');
            picture.onerror = () => { button.click(); done(1); };
            document.body.append(script, picture, button);
        })""")
        self.assertIsNone(self.browser.evaluate("window.hacked ?? null"))
        blocked = [event["entry"]["text"] for event in self.browser.events_named("Log.entryAdded")]
        self.assertGreaterEqual(sum("Content Security Policy" in text for text in blocked), 3,
                                blocked)
        sent = [event["request"]["url"] for event in
                self.browser.events_named("Network.requestWillBeSent")
                if event["request"]["url"].startswith("http")]
        failed = self.browser.events_named("Network.loadingFailed")
        self.assertEqual(len(sent), sum(one.get("blockedReason") == "csp" for one in failed))
        self.assertTrue(str(path))


if __name__ == "__main__":
    harness.main()
