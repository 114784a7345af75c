"""The live screen in a real terminal. tmux stands in for it, and says in what state it is left."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
import uuid

import harness
from harness import INTERRUPTED, SUCCESS, USAGE

SIMULATED = ["tpcc", "run", "-w", "20", "--simulate-ms", "5", "--pace", "100", "--warmup", "1s"]
LONG = [*SIMULATED, "--duration", "1h"]


class Terminal:
    """A terminal of tmux's with a shell in it. Commands are typed; the shell writes down how the
    terminal was before and after them."""

    def __init__(self, columns=200, rows=50, **environment):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="drover-screen-"))
        self.mark = uuid.uuid4().hex
        self.environment = harness.clean_environment(**{
            "LC_ALL": "C.UTF-8", "DROVER_DATA_HOME": "/dev/null/drover", "MARK": self.mark,
            **environment})
        for name in ("NO_COLOR", "TMUX", "LINES", "COLUMNS", "ENV"):
            if name not in environment:
                self.environment.pop(name, None)
        self._count = 0
        try:
            self._start(columns, rows)
        except BaseException:
            self.close()
            raise

    def _start(self, columns, rows):
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows),
                  "/bin/sh", ";", "set", "-g", "default-terminal", "tmux-256color",
                  ";", "set", "-g", "remain-on-exit", "on")
        # The first window was made before its kind was set.
        self.tmux("respawn-window", "-k", "/bin/sh")
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))
        harness.wait_until(lambda: re.search("[$#]", self.text()), "the prompt of the shell")

    def tmux(self, *arguments):
        command = ["tmux", "-u", "-S", str(self.folder / "socket"), *arguments]
        return subprocess.run(command, env=self.environment, check=True, text=True,
                              capture_output=True, timeout=60).stdout

    def close(self):
        # A run goes on without its terminal, for the hour that some of them were given.
        for process, _ in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        subprocess.run(["tmux", "-S", str(self.folder / "socket"), "kill-server"], check=False,
                       capture_output=True, timeout=60)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def text(self, *options):
        return self.tmux("capture-pane", "-p", *options)

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def flags(self):
        """Whether the other screen is shown, whether the cursor is, and whether the keypad's keys
        are changed."""
        return self.tmux("display", "-p", "#{alternate_on} #{cursor_flag} #{keypad_flag}").strip()

    def wait_for(self, pattern, seconds=harness.PATIENCE_S):
        def found():
            return re.search(pattern, self.text())
        try:
            return harness.wait_until(found, pattern, seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}; the terminal shows:\n{self.text()}") from None

    def begin(self, *arguments, redirect="", killed=False):
        """Types a command of drover's. Its process id comes from a shell that becomes it.

        One that will be killed cannot put the terminal in order itself: its guard does, in a moment
        for which the shell has to wait."""
        self._count += 1
        self.at = self.folder / str(self._count)
        line = " ".join(f"'{argument}'" for argument in (harness.DROVER, *map(str, arguments)))
        script = self.folder / f"{self._count}.sh"
        script.write_text(f"echo $$ > {self.at}.pid\nexec {line}\n", encoding="utf-8")
        seen = f"stty -g > {self.at}.seen"
        if killed:
            seen = (f"for i in $(seq 100); do {seen}; cmp -s {self.at}.before {self.at}.seen && break; "
                    "sleep 0.1; done")
        self.keys("-l", f"clear; stty -g > {self.at}.before; sh {script} {redirect}; "
                        f"echo $? > {self.at}.code; {seen}; mv {self.at}.seen {self.at}.after")
        self.keys("Enter")

    def written(self, what):
        path = pathlib.Path(f"{self.at}.{what}")
        return path.read_text(encoding="utf-8").strip() if path.exists() else ""

    @property
    def pid(self):
        return int(harness.wait_until(lambda: self.written("pid"), "the process id"))

    def code(self, seconds=harness.PATIENCE_S):
        """When the command has ended, and the shell has looked at the terminal."""
        try:
            harness.wait_until(lambda: self.written("after"), "the end of the command", seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}; the terminal shows:\n{self.text()}") from None
        return int(self.written("code"))

    def interrupt(self):
        try:
            os.kill(self.pid, signal.SIGINT)
        except ProcessLookupError:
            pass  # it has ended meanwhile

    def processes(self):
        """Those that were begun in it, but not the shell, nor tmux."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                mine = self.mark.encode() in (path / "environ").read_bytes()
                name = (path / "comm").read_text(encoding="utf-8").strip()
            except OSError:  # it has ended meanwhile
                continue
            if mine and name.startswith("drover"):
                found.append((int(path.name), name))
        return found


class ScreenTestCase(harness.TestCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if shutil.which("tmux") is None:
            raise unittest.SkipTest("tmux is needed: scripts/install-dependencies --tests")

    def terminal(self, *arguments, **environment):
        terminal = Terminal(*arguments, **environment)
        self.addCleanup(terminal.close)
        return terminal

    def expect_in_order(self, terminal, within_s=10):
        """The terminal is as it was before the command, and nothing of it is left."""
        self.assertEqual(terminal.written("after"), terminal.written("before"))
        # The guard may still be at it when the shell is there again.
        harness.wait_until(lambda: terminal.flags() == "0 1 0", "the terminal to be in order",
                           within_s)
        harness.wait_until(lambda: not terminal.processes(), "the end of all processes", within_s)


class SimulatedRun(ScreenTestCase):

    def test_all_parts(self):
        terminal = self.terminal()
        terminal.begin(*LONG, "--threads", "2")
        terminal.wait_for(r"measuring .* of 1:00:00")
        for part in (r"Drover: TPC-C on .*20 warehouses, 200 terminals",
                     r"tpmC [\d,]+ now +[\d,]+ measured +efficiency [\d.]+% +[\d.]+ tx/s +p90 ",
                     r"tpmC .* p90 of all transactions, ms", r"1:00 ago ─.* now",
                     r"transaction +ok/s +ok +p50 ms +p90 ms +p99 ms retries failed +limit",
                     r"NewOrder( +[\d.,]+){7}  ok 5 s",
                     r"StockLevel .* ok 20 s", r"all +[\d.]+ +[\d,]+",
                     r"worker +load +in flight +waiting +timer lag p99",
                     r"this process [\d.]+ cores, [\d.]+ MiB", r"── log ──",
                     r"\d\d:\d\d:\d\d   200 terminals up after", r"measuring for 1:00:00",
                     r"q end the run +t charts"):
            terminal.wait_for(part)
        terminal.wait_for("[⣀-⣿]")
        self.assertEqual(terminal.flags().split()[:2], ["1", "0"])
        self.assertEqual({name for _, name in terminal.processes()}, {"drover", "drover-guard"})
        terminal.keys("q")
        self.assertEqual(terminal.code(), INTERRUPTED)
        self.assertIn("tpmC", terminal.text())
        self.expect_in_order(terminal)

    @staticmethod
    def fits(text, rows, there, gone):
        lines = text.rstrip("\n").split("\n")
        return there in text and gone not in text and (
            rows < 24 or len(lines) == rows and "q end the run" in lines[-1])

    def test_follows_its_size(self):
        terminal = self.terminal()
        terminal.begin(*LONG)
        terminal.wait_for("ok 5 s")
        for columns, rows, there, gone in ((80, 24, "1 worker, the busiest at", "ok 5 s"),
                                           (40, 10, "more at 72 x 20", "StockLevel"),
                                           (200, 50, "ok 5 s", "more at 72")):
            terminal.resize(columns, rows)
            # All of it in one picture: tmux may show us the half of one.
            harness.wait_until(lambda: self.fits(terminal.text(), rows, there, gone),
                               f"a picture of {columns} x {rows}")
        terminal.resize(1, 1)
        terminal.resize(80, 24)
        terminal.wait_for("StockLevel")
        terminal.keys("q")
        self.assertEqual(terminal.code(), INTERRUPTED)
        self.expect_in_order(terminal)

    def test_keys(self):
        terminal = self.terminal(80, 24)
        terminal.begin(*LONG)
        terminal.wait_for("measuring .* of")
        terminal.wait_for(r"(?m)^ +tpmC$")
        terminal.keys("t")
        terminal.wait_for("p90 of all transactions")
        terminal.keys("t")
        terminal.wait_for(r"(?m)^ +tpmC$")
        terminal.keys("?")
        terminal.wait_for("switch the charts")
        terminal.keys("x")
        harness.wait_until(lambda: "switch the charts" not in terminal.text(), "the help to go")
        terminal.keys("p")
        terminal.wait_for("log, paused; 0 newer lines")
        terminal.keys("p")
        harness.wait_until(lambda: "paused" not in terminal.text(), "the log to follow")
        # In a terminal with two lines of the log there is something to scroll.
        terminal.resize(80, 22)
        terminal.wait_for("measuring for")
        terminal.keys("Up")
        terminal.wait_for("paused; 1 newer line ")
        terminal.keys("PPage")
        terminal.wait_for("terminals up after")
        terminal.keys("End")
        harness.wait_until(lambda: "paused" not in terminal.text(), "the log to follow")
        terminal.keys("Home")
        terminal.wait_for("starting the terminals")
        terminal.keys("NPage")
        terminal.keys("Down")
        terminal.keys("C-l")
        terminal.wait_for("measuring .* of")
        terminal.keys("q")
        self.assertEqual(terminal.code(), INTERRUPTED)
        self.expect_in_order(terminal)

    def test_ends_by_itself_and_writes_its_result(self):
        terminal = self.terminal()
        path = terminal.folder / "result.json"
        terminal.begin(*SIMULATED, "--duration", "2s", "--json", path)
        self.assertEqual(terminal.code(), SUCCESS)
        self.assertIn("tpmC", terminal.text())
        self.assertGreater(json.loads(path.read_text(encoding="utf-8"))["summary"]["new_orders"], 0)
        self.expect_in_order(terminal)

    def test_ctrl_c(self):
        terminal = self.terminal()
        path = terminal.folder / "result.json"
        terminal.begin(*LONG, "--json", path)
        terminal.wait_for("measuring .* of")
        terminal.keys("C-c")
        self.assertEqual(terminal.code(), INTERRUPTED)
        self.assertTrue(json.loads(path.read_text(encoding="utf-8"))["interrupted"])
        self.expect_in_order(terminal)

    def test_killed(self):
        for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGQUIT):
            with self.subTest(signal=number):
                terminal = self.terminal()
                terminal.begin(*LONG, killed=True)
                terminal.wait_for("measuring .* of")
                os.kill(terminal.pid, number)
                self.assertEqual(terminal.code(), 128 + number)
                self.expect_in_order(terminal)
                # What was there before is there again, and the shell works.
                terminal.keys("-l", "echo all $((40 + 2))")
                terminal.keys("Enter")
                terminal.wait_for("all 42")
                terminal.close()

    def test_killed_while_its_output_is_read(self):
        # The guard must not keep the pipe open.
        terminal = self.terminal()
        terminal.begin(*LONG, redirect=f"| cat > {terminal.folder}/read", killed=True)
        terminal.wait_for("measuring .* of")
        os.kill(terminal.pid, signal.SIGKILL)
        self.assertEqual(terminal.code(), 0)  # of cat
        self.expect_in_order(terminal)

    def test_stopped_and_continued(self):
        terminal = self.terminal()
        terminal.begin(*LONG)
        terminal.wait_for("measuring .* of")
        terminal.keys("C-z")
        harness.wait_until(lambda: terminal.flags() == "0 1 0", "the terminal to be given back")
        terminal.wait_for("Stopped")
        harness.wait_until(lambda: terminal.written("after"), "the shell")
        self.assertEqual(terminal.written("after"), terminal.written("before"))
        # In the background the run goes on, and leaves the terminal alone.
        terminal.keys("-l", "bg; echo here")
        terminal.keys("Enter")
        terminal.wait_for("(?m)^here$")
        terminal.keys("-l", f"stty -g > {terminal.at}.background; echo there")
        terminal.keys("Enter")
        terminal.wait_for("(?m)^there$")
        self.assertEqual(terminal.written("background"), terminal.written("before"))
        self.assertEqual(terminal.flags(), "0 1 0")
        terminal.keys("-l", f"fg; stty -g > {terminal.at}.foreground")
        terminal.keys("Enter")
        terminal.wait_for("measuring .* of")
        terminal.keys("q")
        harness.wait_until(lambda: terminal.written("foreground"), "the end of the command")
        self.assertEqual(terminal.written("foreground"), terminal.written("before"))
        self.expect_in_order(terminal)

    def test_a_terminal_that_takes_nothing_stops_nothing(self):
        terminal = self.terminal()
        path = terminal.folder / "result.json"
        # The summary would wait for the terminal, too.
        terminal.begin(*SIMULATED, "--duration", "10s", "--json", path,
                       redirect=f"> {terminal.folder}/summary")
        terminal.wait_for("warm-up|measuring")
        terminal.keys("C-s")
        harness.wait_until(lambda: terminal.written("code"), "the end of the run")
        self.assertEqual(terminal.written("code"), "0")
        document = json.loads(path.read_text(encoding="utf-8"))
        self.assertFalse(document["interrupted"])
        self.assertEqual(terminal.flags().split()[0], "1")
        terminal.keys("C-q")
        self.assertEqual(terminal.code(), SUCCESS)
        self.expect_in_order(terminal)

    def test_goes_on_when_the_terminal_hangs_up(self):
        for summary in ("elsewhere", "on the terminal"):
            with self.subTest(summary=summary):
                terminal = self.terminal()
                path = terminal.folder / "result.json"
                terminal.begin(*SIMULATED, "--duration", "10s", "--json", path,
                               redirect=f"> {terminal.folder}/summary" * (summary == "elsewhere"))
                terminal.wait_for("warm-up|measuring")
                # The terminal goes, and with it the shell.
                terminal.tmux("kill-server")
                harness.wait_until(path.exists, "the result")
                document = json.loads(path.read_text(encoding="utf-8"))
                self.assertFalse(document["interrupted"])
                harness.wait_until(lambda: not terminal.processes(), "the end of all processes")

    def test_no_color(self):
        coloured = self.terminal()
        plain = self.terminal(NO_COLOR="1")
        empty = self.terminal(NO_COLOR="")
        for terminal in (coloured, plain, empty):
            terminal.begin(*LONG)
        for terminal in (coloured, plain, empty):
            terminal.wait_for("ok 5 s")
            terminal.wait_for("[⣀-⣿]")
        colour = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-7]|4[0-7]|9[0-7]|38|48)[;m]")
        self.assertRegex(coloured.text("-e"), colour)
        self.assertRegex(empty.text("-e"), colour)
        self.assertNotRegex(plain.text("-e"), colour)
        # Still not all alike.
        self.assertRegex(plain.text("-e"), r"\x1b\[(?:\d+;)*[127]m")

    def test_without_unicode(self):
        terminal = self.terminal(80, 24, LC_ALL="C")
        terminal.begin(*LONG)
        terminal.wait_for(r"-- log --")
        terminal.wait_for(r"(?m)#$")
        text = terminal.text()
        self.assertTrue(text.isascii(), text)
        self.assertRegex(text, r"\d:\d\d ago -+ now")
        terminal.keys("q")
        self.assertEqual(terminal.code(), INTERRUPTED)
        self.expect_in_order(terminal)

    def test_other_kinds_of_terminal(self):
        for kind in ("xterm-256color", "screen", "vt100", "linux"):
            with self.subTest(kind=kind):
                terminal = self.terminal(80, 24)
                terminal.keys("-l", f"TERM={kind}")
                terminal.keys("Enter")
                terminal.begin(*LONG, killed=True)
                terminal.wait_for("measuring .* of")
                terminal.resize(100, 30)
                terminal.wait_for("(?m)^ all ")
                os.kill(terminal.pid, signal.SIGKILL)
                self.assertEqual(terminal.code(), 128 + signal.SIGKILL)
                self.assertEqual(terminal.written("after"), terminal.written("before"))
                harness.wait_until(lambda: terminal.flags().startswith("0 1"),
                                   "the terminal to be in order")
                terminal.close()


class Choice(ScreenTestCase):

    def test_plain_and_quiet_on_a_terminal(self):
        terminal = self.terminal()
        terminal.begin(*SIMULATED, "--duration", "5s", "--ui", "plain")
        terminal.wait_for("measure +.*tx/s")
        self.assertEqual(terminal.flags(), "0 1 0")
        self.assertEqual(terminal.code(), SUCCESS)
        self.expect_in_order(terminal)
        terminal.begin(*SIMULATED, "--duration", "1s", "--ui", "quiet",
                       redirect=f"2> {terminal.folder}/errors")
        self.assertEqual(terminal.code(), SUCCESS)
        self.assertEqual((terminal.folder / "errors").read_text(encoding="utf-8"), "")
        self.assertIn("tpmC", terminal.text())

    def test_auto_takes_lines_where_a_screen_does_not_suit(self):
        cases = (("small", {"columns": 79, "rows": 24}, "", ""),
                 ("dumb", {}, "TERM=dumb; ", ""),
                 ("unknown", {}, "TERM=no-such-terminal; ", ""),
                 ("no input", {}, "", "< /dev/null"),
                 ("errors elsewhere", {}, "", "2> /dev/null"),
                 ("background", {}, "", "&"))
        for name, size, before, redirect in cases:
            with self.subTest(case=name):
                terminal = self.terminal(**size)
                if before:
                    terminal.keys("-l", before)
                    terminal.keys("Enter")
                if redirect == "&":
                    terminal.keys("-l", f"{harness.DROVER} {' '.join(SIMULATED)} --duration 1s &")
                    terminal.keys("Enter")
                else:
                    terminal.begin(*SIMULATED, "--duration", "1s", redirect=redirect)
                # The summary comes on the screen that was there.
                harness.wait_until(lambda: self.shows_summary(terminal), "the summary")
                terminal.close()

    def shows_summary(self, terminal):
        self.assertEqual(terminal.flags()[0], "0")
        return "This is not an official TPC result" in terminal.text("-S", "-100")

    def test_a_screen_that_cannot_be(self):
        for command in (["run", "-w", "1", "--simulate-ms", "1"], ["import", "-w", "1"]):
            with self.subTest(command=command):
                self.expect_error(harness.drover("tpcc", *command, "--ui", "screen"), USAGE,
                                  "--ui screen: the error stream is not a terminal.*--ui plain")
                self.expect_error(harness.drover("tpcc", *command, "--ui", "colourful"), USAGE,
                                  "--ui colourful: expected auto, screen, plain or quiet")
        terminal = self.terminal()
        for kind, message in (("dumb", 'TERM is "dumb"'), ("", "TERM is not set"),
                              ("no-such-terminal", "terminfo does not know")):
            with self.subTest(kind=kind):
                terminal.keys("-l", f"TERM={kind}")
                terminal.keys("Enter")
                terminal.begin(*LONG, "--ui", "screen")
                self.assertEqual(terminal.code(), USAGE)
                terminal.wait_for(re.escape(message))


class RealServer(ScreenTestCase, harness.ServerTestCase):

    def terminal(self, *arguments, **environment):
        return super().terminal(*arguments, DROVER_DATA_HOME=str(self.server.root), **environment)

    def test_import_and_run(self):
        self.expect(self.server.drover("tpcc", "init"), SUCCESS)
        terminal = self.terminal()
        terminal.begin("tpcc", "import", "-w", "4", "--seed", "1")
        terminal.wait_for(r"loading .* of 4 warehouses")
        for part in (r"Drover: import into the private server .*4 warehouses, seed 1, \d+ conn",
                     r"[\d,]+ rows/s   [\d.]+ MiB/s   total [\d,]+ rows", r"\D rows/s",
                     " MiB/s\\s", "table +rows +of +done", r"order_line +[\d,]+ +1,200,000 +\d+%",
                     r"item +[\d,]+ +100,000 +\d+%", "loading 4 warehouses with seed 1"):
            terminal.wait_for(part)
        # What is done is kept.
        terminal.wait_for(r"loading .* [1-4] of 4 warehouses", seconds=120)
        terminal.keys("q")
        self.assertEqual(terminal.code(), INTERRUPTED)
        self.assertIn("To continue from here, repeat the same command", terminal.text())
        self.expect_in_order(terminal)

        terminal.begin("tpcc", "import", "-w", "4", "--seed", "1")
        terminal.wait_for(r"skipping \d of 4 warehouses", seconds=60)
        terminal.wait_for(r"keys, indexes, statistics .* of \d+ steps", seconds=120)
        terminal.wait_for(r"(primary key|index|analyze) \w+ +\d+\.\d s")
        self.assertEqual(terminal.code(120), SUCCESS)
        self.assertRegex(terminal.text(), r"imported 4 warehouses \(\d loaded before, seed 1\)")
        self.expect_in_order(terminal)
        self.expect_consistent(self.server)
        self.run_through_an_outage()

    def run_through_an_outage(self):
        terminal = self.terminal()
        # Named, so that nobody but us starts the server again.
        terminal.begin("tpcc", "run", "--db", self.server.conninfo, "--pace", "50", "--warmup",
                       "1s", "--duration", "1h")
        terminal.wait_for(r"Drover: TPC-C on .*4 warehouses, 40 terminals, .*batched")
        terminal.wait_for(r"connections (\d+) of \1 open   no outages")
        self.server.crash()
        terminal.wait_for(r"connections \d+ of \d+ open   OUTAGE for")
        terminal.wait_for(r"! outage: ")
        self.server.start_again()
        terminal.wait_for(r"the outage ended after [\d.]+ s; \d+ transactions? lost")
        terminal.wait_for(r"connections (\d+) of \1 open   \d+ outages?, the last of [\d.]+ s ended")
        terminal.wait_for("!")  # on the axis of a chart
        terminal.keys("q")
        self.assertEqual(terminal.code(), INTERRUPTED)
        self.assertIn("tpmC", terminal.text("-S", "-100"))
        self.expect_in_order(terminal)
        self.expect_consistent(self.server)

    def test_interrupted_twice(self):
        # The second one ends the process where it is: the guard puts the terminal in order.
        self.server.load(1, schema="twice")
        terminal = self.terminal()
        with self.server.session() as session:
            session.sql("BEGIN")
            session.sql("SELECT * FROM twice.district FOR UPDATE")
            terminal.begin("tpcc", "run", "--schema", "twice", "--pace", "50", "--warmup", "0",
                           "--duration", "1h", killed=True)
            terminal.wait_for(r"[1-9]\d* in flight|worker +load")
            harness.wait_until(
                lambda: self.server.number("SELECT count(*) FROM pg_locks WHERE NOT granted"),
                "a statement that waits")
            terminal.keys("C-c")
            terminal.wait_for("interrupted: ending the run")
            # For a moment a second one counts as the same request. The shell must not get one: it has
            # to write down the state of the terminal.
            harness.wait_until(lambda: terminal.written("after") or terminal.interrupt(), "the end")
            self.assertEqual(terminal.code(), INTERRUPTED)
            self.expect_in_order(terminal)


if __name__ == "__main__":
    harness.main()
