"""Manners of the command line: variables, help, hints, completion in real shells, the man page."""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time

import harness
from harness import DROVER, FAILURE, SUCCESS, USAGE

SECRET = "Tr0ub4dor-&3"
SOURCES = pathlib.Path(__file__).resolve().parents[2]
RUN = ["tpcc", "run", "-w", "1", "--simulate-ms", "1", "--no-delays"]


def all_commands():
    """Every command that can be given, without the topics of help, as lists of words."""
    script = harness.expect(harness.drover("completion", "bash"), SUCCESS).out
    body = re.search(r"_drover_is_command\(\) \{(.*?)\n\}", script, re.DOTALL)[1]
    names = [name.split()[1:] for name in re.findall(r"'(drover [^']+)'", body)]
    return [words for words in names if words[0] != "help" or len(words) == 1]


class FolderTestCase(harness.TestCase):

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="drover-manners-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def needs(self, program):
        path = shutil.which(program)
        if path is None:
            self.skipTest(f"{program} is not installed")
        return path


class Variables(FolderTestCase):

    def plan(self, *arguments, code=SUCCESS, **environment):
        path = self.folder / "result.json"
        command = harness.drover(*arguments, DROVER_TPCC_RUN_JSON=str(path), **environment)
        self.expect(command, code)
        self.assertNotIn("warning", command.err)
        return json.loads(path.read_text(encoding="utf-8"))["plan"]

    def test_they_give_the_options(self):
        plan = self.plan("tpcc", "run", DROVER_TPCC_RUN_WAREHOUSES="2",
                         DROVER_TPCC_RUN_SIMULATE_MS="1", DROVER_TPCC_RUN_DURATION="1s",
                         DROVER_TPCC_RUN_WARMUP="0", DROVER_TPCC_RUN_NO_DELAYS="true",
                         DROVER_SEED="42", DROVER_TPCC_THREADS="1")
        self.assertEqual((plan["warehouses"], plan["simulate_ms"], plan["duration_s"],
                          plan["no_delays"], plan["seed"], plan["threads"]),
                         (2, 1, 1, True, 42, 1))

    def test_who_comes_first(self):
        config = self.file("drover.toml", "[tpcc.run]\nseed = 1\nduration = '1s'\nwarmup = 0\n"
                                          "pace = 8\nmax-attempts = 3\n")
        common = {"DROVER_CONFIG": str(config), "DROVER_TPCC_RUN_SEED": "2",
                  "DROVER_TPCC_SEED": "3", "DROVER_SEED": "4", "DROVER_TPCC_RUN_DURATION": ""}
        plan = self.plan(*RUN, "--seed", "5", **common)
        self.assertEqual((plan["seed"], plan["duration_s"], plan["pace"]), (5, 1, 8))
        self.assertEqual(self.plan(*RUN, **common)["seed"], 2)
        del common["DROVER_TPCC_RUN_SEED"]
        self.assertEqual(self.plan(*RUN, **common)["seed"], 3)
        del common["DROVER_TPCC_SEED"]
        self.assertEqual(self.plan(*RUN, **common)["seed"], 4)
        del common["DROVER_SEED"]
        self.assertEqual(self.plan(*RUN, **common)["seed"], 1)
        # The file that the command line names is the one.
        other = self.file("other.toml", "[tpcc.run]\nseed = 9\nduration = '1s'\nwarmup = 0\n")
        self.assertEqual(self.plan(*RUN, "--config", other, **common)["seed"], 9)
        self.assertEqual(self.plan("--config", other, *RUN, **common)["seed"], 9)

    def test_a_false_flag_goes_before_the_file(self):
        config = self.file("drover.toml", "[tpcc.run]\nno-delays = true\n")
        line = ["tpcc", "run", "-w", "1", "--simulate-ms", "1", "--duration", "1s", "--warmup",
                "0", "--config", config]
        self.assertTrue(self.plan(*line)["no_delays"])
        for false in ("false", "0"):
            self.assertFalse(self.plan(*line, DROVER_TPCC_RUN_NO_DELAYS=false)["no_delays"])

    def test_they_can_be_left_aside(self):
        environment = {"DROVER_TPCC_RUN_SEED": "2", "DROVER_CONFIG": "/no/such/file",
                       "DROVER_DB": f"postgresql://u:{SECRET}@host.invalid/x",
                       "DROVER_TPCC_RUN_NONSENSE": "1", "DROVER_NONSENSE": "1"}
        path = self.folder / "result.json"
        line = [*RUN, "--duration", "1s", "--warmup", "0", "--json", path]
        for arguments in (["--no-environment", *line], [*line, "--no-environment"]):
            command = self.expect(harness.drover(*arguments, **environment), SUCCESS)
            self.assertNotIn("warning", command.err)
            self.assertEqual(json.loads(path.read_text(encoding="utf-8"))["plan"]["seed"], 1)
        command = harness.drover("--no-environment", "tpcc", "check", **environment)
        self.assertNotIn("host.invalid", command.err)
        command = harness.drover("tpcc", "check", DROVER_DB=environment["DROVER_DB"])
        self.expect_error(command, FAILURE, "host.invalid")

    def test_wrong_values_name_the_variable(self):
        for name, value, said in [
                ("DROVER_TPCC_RUN_DURATION", "5",
                 r"--duration 5: the unit is missing.* \(from the variable "
                 r"DROVER_TPCC_RUN_DURATION\)"),
                ("DROVER_TPCC_RUN_PACE", "fast",
                 r"--pace fast: .*number.* \(from the variable DROVER_TPCC_RUN_PACE\)"),
                ("DROVER_TPCC_RUN_STRICT", "yes",
                 "DROVER_TPCC_RUN_STRICT: expected true, false, 1 or 0"),
                ("DROVER_TPCC_STATEMENTS", "both",
                 r"--statements both.* \(from the variable DROVER_TPCC_STATEMENTS\)"),
                ("DROVER_CONFIG", "/no/such/file", "/no/such/file.*DROVER_CONFIG"),
                ("DROVER_TPCC_RUN_DURATON", "5s",
                 r"the variable DROVER_TPCC_RUN_DURATON does not match any option of drover tpcc run; did "
                 r"you mean DROVER_TPCC_RUN_DURATION\?")]:
            with self.subTest(name=name, value=value):
                command = harness.drover(*RUN, **{name: value})
                self.expect_error(command, USAGE, said)
                self.assertEqual(command.err.count("\n"), 1)

    def test_unknown_ones_are_warned_of(self):
        command = harness.drover(*RUN, "--duration", "1s", "--warmup", "0",
                                 DROVER_TPCC_IMPORT_SEEED=SECRET, DROVER_OWN=SECRET)
        self.expect(command, SUCCESS)
        self.assertIn("drover: warning: the variable DROVER_TPCC_IMPORT_SEEED does not match any option of "
                      "drover and is ignored; did you mean DROVER_TPCC_IMPORT_SEED?\n", command.err)
        self.assertIn("drover: warning: the variable DROVER_OWN does not match any option of drover and is "
                      "ignored\n", command.err)
        self.assertNotIn(SECRET, command.out + command.err)

    def test_no_password_is_shown(self):
        for value in (f"postgresql://u:{SECRET}@host/x", f"host=x password={SECRET}"):
            for name in ("DROVER_TPCC_RUN_DURATION", "DROVER_TPCC_RUN_PACE", "DROVER_WAREHOUSES",
                         "DROVER_TPCC_RUN_STRICT"):
                with self.subTest(name=name):
                    command = harness.drover("tpcc", "run", **{name: value})
                    self.expect_error(command, USAGE, name)
                    self.assertNotIn(SECRET, command.out + command.err)
        for value in (f"postgresql://user:{SECRET}@[bad", f"mysql://u:{SECRET}@h"):
            for name in ("DROVER_DB", "DROVER_TPCC_DB", "DROVER_TPCC_CHECK_DB"):
                command = harness.drover("tpcc", "check", **{name: value})
                self.expect_error(command, USAGE, "--db", f"variable {name}")
                self.assertNotIn(SECRET, command.out + command.err)

    def test_help_needs_none_of_them(self):
        for arguments in (["tpcc", "run", "--help"], ["help"], ["--version"], ["man"],
                          ["completion", "bash"]):
            with self.subTest(arguments=arguments):
                command = harness.drover(*arguments, DROVER_CONFIG="/no/such/file",
                                         DROVER_TPCC_RUN_PACE="fast", DROVER_HELP_PAGER="less",
                                         DROVER_COMPLETION_SHELL="zsh", DROVER_MAN_PATH="x")
                self.assertEqual(self.expect(command, SUCCESS).err, "")

    def test_the_demo_tells_its_own_story(self):
        # What the demo shows must not be changed by variables of the commands in it; it fails where
        # the server cannot be made, which is after its own options have been judged.
        command = harness.drover("demo", DROVER_TPCC_RUN_PACE="fast")
        self.expect_error(command, FAILURE)
        self.assertNotIn("PACE", command.err)
        self.expect_error(harness.drover("demo", DROVER_DEMO_DURATION="5"), USAGE,
                          "variable DROVER_DEMO_DURATION")

    def test_all_that_the_sources_read_are_described(self):
        page = (SOURCES / "docs" / "environment.md").read_text(encoding="utf-8")
        manual = harness.drover("man").out.replace("\\-", "-")
        names = set()
        for path in (SOURCES / "src").rglob("*.cpp"):
            if path.name.endswith("_test.cpp"):
                continue
            text = path.read_text(encoding="utf-8")
            names |= set(re.findall(r'(?:getenv|environment)\("([A-Z_]+)"\)', text))
            names |= set(re.findall(r'variable = "([A-Z_]+)"', text))
        self.assertGreaterEqual(names, {"DROVER_DB", "DROVER_DATA_HOME", "DROVER_PG_BINDIR"})
        for name in names:
            with self.subTest(name=name):
                self.assertIn(f"`{name}`", page)
                if name.startswith("DROVER_"):
                    self.assertIn(name, manual)
                    command = harness.drover("tpcc", "run", "--duration", "5", **{name: "/x"})
                    self.assertNotIn("unknown", command.err)


class Help(FolderTestCase):

    def help_of(self, words, columns="80"):
        return self.expect(harness.drover(*words, "--help", COLUMNS=columns), SUCCESS).out

    def full_help_of(self, words, columns="80"):
        return self.expect(harness.drover("help", *words, COLUMNS=columns), SUCCESS).out

    def test_every_line_fits(self):
        commands = all_commands()
        self.assertGreater(len(commands), 12)
        for words in [[], *commands]:
            for columns in (60, 80, 100):
                with self.subTest(command=words, columns=columns):
                    long = [line for line in self.full_help_of(words, str(columns)).splitlines()
                            if len(line) > columns]
                    if columns >= 80:
                        self.assertEqual(long, [])
                    # Examples may have a comment that is not broken.
                    self.assertTrue(all(line.startswith("  ") for line in long), long)

    def test_odd_widths(self):
        usual = self.help_of(["tpcc", "run"])
        for columns in ("", "0", "x", "-5", "80"):
            self.assertEqual(self.help_of(["tpcc", "run"], columns), usual)
        self.assertEqual(self.help_of(["tpcc", "run"], "7"), self.help_of(["tpcc", "run"], "60"))
        self.assertEqual(self.help_of(["tpcc", "run"], "999"),
                         self.help_of(["tpcc", "run"], "100"))

    def test_the_width_of_the_terminal_goes_first(self):
        environment = harness.clean_environment(COLUMNS="80")
        for columns, width in ((68, 68), (95, 95), (250, 100)):
            with self.subTest(columns=columns), \
                    Terminal([DROVER, "tpcc", "run", "--help"], ".", environment, columns) as shown:
                shown.wait_for(r"--simulate-ms 5 --duration 60s[^$]*\n[^\n]*\n")
                # The examples do not follow the width, where they fit.
                text = shown.text.split("Examples:")[0]
                widest = max(len(line.rstrip()) for line in text.splitlines())
                self.assertLessEqual(widest, width)
                self.assertGreater(widest, width - 12)

    def test_every_command_has_an_example(self):
        for words in [[], *all_commands()]:
            with self.subTest(command=words):
                text = self.help_of(words)
                self.assertRegex(text, r"(?m)^Examples?\b.*:$")
                self.assertRegex(text, r"(?m)^  (source <\()?drover " + " ".join(words))

    def test_the_short_help_is_a_part_of_the_full_help(self):
        lines_most = 48  # two terminals of 80 x 24
        for words in [[], *all_commands()]:
            with self.subTest(command=words):
                short = self.help_of(words)
                full = self.full_help_of(words)
                self.assertLessEqual(short.count("\n"), lines_most)
                pointer = f"All options: drover help {' '.join(words)}\n\n"
                if short == full:
                    self.assertNotIn(pointer, short)
                else:
                    self.assertGreater(full.count("\n"), lines_most)
                    self.assertIn(pointer, short)
                    self.assertIn("\nCommon options:\n", short)
                    rest = set(short.replace(pointer, "").splitlines())
                    self.assertLess(rest, set(full.splitlines()))
        self.expect_error(harness.drover("help", "tpcc", "rnu"), USAGE,
                          r"unknown command: drover tpcc rnu; did you mean run\?")

    def test_variables_are_said(self):
        text = self.full_help_of(["tpcc", "run"])
        self.assertIn("DROVER_TPCC_RUN_", text)
        self.assertIn("variable: DROVER_DB]", text)

    def test_hints(self):
        for arguments, said in [
                (["tpcc", "run", "--warehousse", "10"],
                 r"unknown option --warehousse; did you mean --warehouses\?"),
                (["tpcc", "rnu"], r"drover tpcc rnu; did you mean run\?"),
                (["tpc", "run", "--warehouses", "1"], r"drover tpc; did you mean tpcc\?"),
                (["tpcc", "init", "--statement-timeout", "5m"],
                 r"unknown option --statement-timeout; .*drover tpcc run.* ha(s|ve) it"),
                (["tpcc", "run", "--seed"], "--seed needs a value: N"),
                (["tpcc"], "drover tpcc needs a subcommand: init, import, run")]:
            with self.subTest(arguments=arguments):
                command = harness.drover(*arguments)
                self.expect_error(command, USAGE, said, r"See: drover[a-z ]* --help")
                self.assertEqual(command.out, "")

    def test_without_a_command_there_is_help(self):
        for arguments, usage, named in (([], "Usage: drover ", "demo"),
                                        (["tpcc"], "Usage: drover tpcc ", "import"),
                                        (["pg"], "Usage: drover pg ", "status")):
            command = harness.drover(*arguments)
            self.expect_error(command, USAGE, usage, rf"(?m)^  {named} +\w", "needs a subcommand")
            self.assertEqual(command.out, "")

    def test_no_hint_shows_a_password(self):
        uri = f"postgresql://u:{SECRET}@h"
        for arguments in (["tpcc", "clean", "--dbb", uri], ["tpcc", "clean", f"--dbb={uri}"],
                          ["tpcc", "clean", uri], [uri], ["tpcc", "run", "--pace", uri],
                          ["tpcc", "run", "--isolation", uri], ["tpcc", "run", "--metrics", uri],
                          ["tpcc", "run", f"--warehouses={uri}"], ["help", uri],
                          ["tpcc", "run", f"host=h password = {SECRET}"],
                          ["tpcc", "run", "--ui", f"password = {SECRET}"]):
            command = self.expect_error(harness.drover(*arguments), USAGE)
            self.assertNotIn(SECRET, command.out + command.err)

    def test_a_full_disk_is_told(self):
        result = self.folder / "result.json"
        self.expect(harness.drover(*RUN, "--duration", "1s", "--warmup", "0", "--json", result),
                    SUCCESS)
        home = str(self.folder / "data")
        for arguments in (["--version"], ["--help"], ["help"], ["tpcc", "run", "--help"], ["man"],
                          ["completion", "bash"], ["report", result],
                          ["report", result, "--metric", "tpmC"], ["history", result],
                          ["history", result, "--json", "-"],
                          ["compare", result, result, "--allow-different", "all"],
                          ["pg", "status"], ["pg", "stop"],
                          [*RUN, "--duration", "1s", "--warmup", "0"]):
            for place, reason in (("/dev/full", "No space left"), (None, "Bad file descriptor")):
                with self.subTest(command=arguments, place=place):
                    done = harness.start_writing_to(place, *arguments, DROVER_DATA_HOME=home).wait()
                    self.expect_error(done, FAILURE, "cannot write .* standard output", reason)

    def test_version(self):
        text = self.expect(harness.drover("--version"), SUCCESS).out
        self.assertRegex(text, r"\Adrover \d+\.\d+\.\d+\n"
                               r"commit +(unknown|[0-9a-f]{12}(-dirty)?) of \d{4}-\d\d-\d\d\n"
                               r"compiler +clang \d+\.\d+\.\d+\n"
                               r"libpq +\d+\.\d+, built with \d+\.\d+.*\n"
                               r"with +CLI11 \d+\.\d+\.\d+, fmt \d.*, nlohmann-json \d.*\n\Z")


# What was typed, and what is offered: exactly these words, or these among others.
COMPLETIONS = [
    ("tp", {"tpcc"}),
    ("tpcc r", {"run"}),
    ("tpcc run --warm", {"--warmup"}),
    ("tpcc run --statements ", {"batched", "single"}),
    ("tpcc run --statements s", {"single"}),
    ("tpcc run --pace 3 --iso", {"--isolation"}),
    ("tpcc run -w ", {"auto"}),
    ("tpcc run --json fi", {"file.json"}),
    ("--config tpcc p", {"pg"}),
    ("help tpcc cl", {"clean"}),
    ("completion ", {"bash", "zsh", "fish"}),
    ("pg start --data-dir fo", {"folder/"}),
    ("report fi", {"file.json"}),
    ("tpcc run --threads 1 --connections 2 --on-db-loss w", {"wait"}),
]


class Completion(FolderTestCase):

    def setUp(self):
        super().setUp()
        self.file("file.json", "")
        (self.folder / "folder").mkdir()
        (self.folder / "home").mkdir()

    def script(self, shell, name):
        text = self.expect(harness.drover("completion", shell), SUCCESS).out
        self.assertEqual(self.expect(harness.drover("completion", shell), SUCCESS).out, text)
        return self.file(name, text)

    def environment(self):
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder / "home"), "TERM": "xterm",
                "LC_ALL": "C.UTF-8", "XDG_CONFIG_HOME": str(self.folder / "home"),
                "XDG_DATA_HOME": str(self.folder / "home")}

    def run_shell(self, *arguments):
        ended = subprocess.run(arguments, cwd=self.folder, env=self.environment(), timeout=120,
                               stdin=subprocess.DEVNULL, capture_output=True, text=True,
                               check=False)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""), ended.stdout)
        return ended.stdout

    def test_wrong_shell(self):
        self.expect_error(harness.drover("completion", "tcsh"), USAGE, "bash, zsh or fish")
        self.expect_error(harness.drover("completion"), USAGE, "shell")

    def bash(self, words):
        """What bash offers after these words, as readline would have cut them."""
        typed = " ".join(f"'{word}'" for word in words)
        script = (f"source ./drover.bash\nCOMP_WORDS=({typed})\n"
                  "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_drover\n"
                  'printf "%s\\n" "${COMPREPLY[@]}"\n')
        return set(self.run_shell("bash", "--norc", "--noprofile", "-c", script).split())

    def test_bash(self):
        self.needs("bash")
        self.script("bash", "drover.bash")
        self.run_shell("bash", "-n", "drover.bash")
        for typed, expected in COMPLETIONS:
            with self.subTest(typed=typed):
                # bash itself puts the slash behind a folder.
                offered = self.bash(("drover " + typed).split(" "))
                self.assertEqual(offered, {word.rstrip("/") for word in expected})
        self.assertEqual(self.bash(["drover", "tpcc", "run", "--statements", "=", "b"]),
                         {"batched"})
        self.assertEqual(self.bash(["drover", "tpcc", "run", "--statements", "="]),
                         {"batched", "single"})
        self.assertEqual(self.bash(["drover", "pg", "psql", "--", "fi"]), {"file.json"})
        self.assertEqual(
            self.run_shell("bash", "--norc", "-c", "source ./drover.bash; complete -p drover"),
            "complete -F _drover drover\n")

    def test_bash_offers_every_command_and_option(self):
        self.script("bash", "drover.bash")
        for words in all_commands():
            with self.subTest(command=words):
                page = self.expect(harness.drover("help", *words), SUCCESS).out
                options = set(re.findall(r"(?m)^  (?:-\w, |    )(--[a-z-]+)", page))
                self.assertIn("--help", options)
                offered = self.bash(["drover", *words, "--"])
                self.assertEqual(offered, options)

    def test_fish(self):
        self.needs("fish")
        self.script("fish", "drover.fish")
        self.run_shell("fish", "--no-execute", "drover.fish")
        for typed, expected in COMPLETIONS:
            with self.subTest(typed=typed):
                lines = self.run_shell("fish", "--no-config", "-c",
                                       f"source drover.fish; complete -C 'drover {typed}'")
                offered = dict((line.split("\t") + [""])[:2] for line in lines.splitlines())
                self.assertEqual(set(offered), expected)
        lines = self.run_shell("fish", "--no-config", "-c",
                               "source drover.fish; complete -C 'drover tpcc run --statements=s'")
        self.assertIn("--statements=single", lines)
        # With what it is for.
        lines = self.run_shell("fish", "--no-config", "-c",
                               "source drover.fish; complete -C 'drover tpcc cle'")
        self.assertIn("clean\tDrop the nine TPC-C tables", lines)

    def test_zsh(self):
        self.needs("zsh")
        folder = self.folder / "functions"
        folder.mkdir()
        self.script("zsh", "functions/_drover")
        self.run_shell("zsh", "-f", "-n", "functions/_drover")
        with Terminal(["zsh", "-f", "-i"], self.folder, self.environment()) as terminal:
            terminal.type("unsetopt prompt_cr prompt_sp; PS1='' RPS1=''; fpath=(functions $fpath); "
                          "autoload -Uz compinit; compinit -u -D; setopt no_beep; LISTMAX=1000; "
                          "print -r -- ready-$((40 + 2))\n")
            terminal.wait_for("ready-42")
            for typed, expected in COMPLETIONS:
                with self.subTest(typed=typed):
                    self.complete_in_zsh(terminal, typed, expected)

    def complete_in_zsh(self, terminal, typed, expected):
        begin = terminal.mark()
        terminal.type("drover " + typed + "\t")
        if len(expected) == 1:
            # The line is printed as it stands now, in place of being carried out.
            terminal.type("\x01print -r -- '<<\x05>>'\n")
            terminal.wait_for(r"\n *<<drover .*>>", begin)
            line = re.findall(r"\n *<<drover (.*?) ?>>", terminal.since(begin))[-1]
            # A slash that zsh has put behind a folder goes when the line is accepted.
            word = next(iter(expected)).rstrip("/")
            self.assertEqual(line.split(" ")[-1], word, terminal.since(begin))
        else:
            for word in expected:
                terminal.wait_for(r"\b" + re.escape(word) + r"\b", begin)
            terminal.type("\x15")  # forgets the line
            terminal.type("print -r -- done-$((1 + 1))\n")
            terminal.wait_for("done-2", begin)


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, arguments, folder, environment, columns=120):
        self.text = ""
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
            os.chdir(folder)
            os.execvpe(arguments[0], arguments, environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.file)

    def type(self, text):
        os.write(self.file, text.encode())

    def mark(self):
        self._read(0)
        return len(self.text)

    def since(self, begin):
        return self.text[begin:]

    def _read(self, seconds):
        readable, _, _ = select.select([self.file], [], [], seconds)
        if readable:
            data = os.read(self.file, 65536).decode(errors="replace")
            self.text += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r|\x08", " ", data)

    def wait_for(self, pattern, begin=0, seconds=60):
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self.text[begin:]):
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {seconds} s: {pattern!r} in "
                                     f"{self.text[begin:]!r}")
            self._read(0.1)


class ManPage(FolderTestCase):

    def test_mandoc_finds_nothing(self):
        mandoc = self.needs("mandoc")
        page = self.file("drover.1", self.expect(harness.drover("man"), SUCCESS).out)
        ended = subprocess.run([mandoc, "-T", "lint", "-W", "style", page], timeout=60,
                               capture_output=True, text=True, check=False)
        # That a page is not installed is no fault of ours.
        complaints = [line for line in (ended.stdout + ended.stderr).splitlines()
                      if "referenced manual not found" not in line]
        self.assertEqual(complaints, [])

    def test_it_is_whole_and_readable(self):
        mandoc = self.needs("mandoc")
        page = self.file("drover.1", self.expect(harness.drover("man"), SUCCESS).out)
        ended = subprocess.run([mandoc, "-T", "ascii", "-O", "width=78", page], timeout=60,
                               capture_output=True, text=True, check=True)
        text = re.sub(r".\x08", "", ended.stdout)  # bold, as typewriters made it
        for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "ENVIRONMENT",
                        "EXIT STATUS", "EXAMPLES"):
            self.assertRegex(text, rf"(?m)^{section}$")
        for words in all_commands():
            with self.subTest(command=words):
                self.assertRegex(text, rf"(?m)^   drover {' '.join(words)}$")
                options = self.expect(harness.drover("help", *words), SUCCESS).out
                for option in re.findall(r"(?m)^  (?:-\w, |    )(--[a-z-]+)", options):
                    self.assertIn(option, text)
        for variable in ("DROVER_DB", "DROVER_CONFIG", "DROVER_DATA_HOME", "DROVER_PG_BINDIR",
                         "DROVER_TPCC_RUN_DURATION", "DROVER_DEMO_WAREHOUSES"):
            self.assertRegex(text, rf"\b{variable}\b")
        for line in ("drover tpcc run -w 10 --duration 3m", "drover tpcc check"):
            self.assertIn(line, text)  # as it may be copied


class Installation(FolderTestCase):

    def test_everything_has_its_place(self):
        build = pathlib.Path(DROVER).resolve().parent
        if not (build / "cmake_install.cmake").exists():
            self.skipTest(f"{build} is no folder of a build: nothing can be installed from it")
        cmake = self.needs("cmake")
        ended = subprocess.run([cmake, "--install", build, "--prefix", self.folder], timeout=300,
                               capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        for path, shell in [("share/bash-completion/completions/drover", "bash"),
                            ("share/zsh/*/_drover", "zsh"),  # as the usual prefix has it
                            ("share/fish/vendor_completions.d/drover.fish", "fish")]:
            found = list(self.folder.glob(path))
            self.assertEqual(len(found), 1, path)
            self.assertEqual(found[0].read_text(encoding="utf-8"),
                             harness.drover("completion", shell).out)
        self.assertEqual((self.folder / "share/man/man1/drover.1").read_text(encoding="utf-8"),
                         harness.drover("man").out)
        self.assertTrue(os.access(self.folder / "bin/drover", os.X_OK))


if __name__ == "__main__":
    harness.main()
