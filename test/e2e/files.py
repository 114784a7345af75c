"""Files of drover's that were cut, blown up or made by somebody else: results and configurations.

Whatever the file is, the answer is one line, soon, and with little memory.
"""

import json
import os
import pathlib
import pwd
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unicodedata

import harness
import made_results
from harness import DROVER, FAILURE, SUCCESS, USAGE

SECRET = "Tr0ub4dor-&3"
MEBIBYTE = 1 << 20
# What a process that reads nothing takes: the libraries need it.
MEMORY_OF_PROGRAM = 64 * MEBIBYTE


# A process counts the memory of who started it as its own until then, and tests grow. So a small
# one starts the command, and writes its exit code and its peak to the file that it is given.
LAUNCHER = """
import os, resource, sys  # wait4() needs resource, which may be out of reach later
report, user = int(sys.argv[1]), int(sys.argv[2])
if user:
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
pid = os.posix_spawn(sys.argv[3], sys.argv[3:], os.environ)
_, status, usage = os.wait4(pid, 0)
with open(report, "w") as file:
    print(os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024, file=file)
"""


class Ended:
    """A command that ran alone: what it said, and what it took."""

    def __init__(self, arguments, limit_s=30, user=0, program=DROVER):
        self.line = "drover " + " ".join(map(str, arguments))
        began = time.monotonic()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, \
                tempfile.TemporaryFile("w+") as report:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", LAUNCHER, str(report.fileno()),
                 str(user), str(program), *map(str, arguments)],
                env=harness.clean_environment(DROVER_DATA_HOME="/dev/null/drover"), stdout=out,
                stderr=err, stdin=subprocess.DEVNULL, pass_fds=[report.fileno()],
                start_new_session=True)
            try:
                process.wait(limit_s)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                raise AssertionError(f"not ended within {limit_s} s: {self.line}") from None
            self.seconds = time.monotonic() - began
            for file in (out, err, report):
                file.seek(0)
            self.out = out.read()
            self.err = err.read()
            words = report.read().split()
        if len(words) != 2:
            raise AssertionError(f"the launcher failed: {self.err!r}")
        self.code = int(words[0])
        self.memory = int(words[1])

    def __str__(self):
        return f"{self.line}\nexit code {self.code}\n{self.out!r}\n{self.err!r}"


def terminal_dangers(text):
    """Characters that a terminal could act upon, or that reverse what is read."""
    return [character for character in text.decode("utf-8", "replace")
            if character != "\n" and (unicodedata.category(character) == "Cc"
                                      or 0x202a <= ord(character) <= 0x202e
                                      or 0x2066 <= ord(character) <= 0x2069)]


class FileTestCase(harness.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="drover-files-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.folder.chmod(0o755)
        cls.good = cls.folder / "good.json"
        harness.expect(harness.drover("tpcc", "run", "-w", 1, "--simulate-ms", 1, "--no-delays",
                                      "--duration", "1s", "--warmup", "0", "--json", cls.good),
                       SUCCESS)
        cls.text = cls.good.read_bytes()

    def run_drover(self, *arguments, **options):
        return Ended(arguments, **options)

    def expect_refused(self, ended, code, *words, memory=MEMORY_OF_PROGRAM):
        self.assertEqual(ended.code, code, str(ended))
        self.assertEqual(ended.out, b"", str(ended))
        self.assertRegex(ended.err, rb"\Adrover: error: [^\n]+\n\Z", str(ended))
        self.assertLess(len(ended.err), 2000, str(ended))
        self.assertEqual(terminal_dangers(ended.err), [], str(ended))
        self.assertNotIn(SECRET.encode(), ended.err)
        for word in words:
            self.assertRegex(ended.err.decode(), word, str(ended))
        self.assertLess(ended.memory, memory, str(ended))
        return ended

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def odd_files(self, limit_text):
        """What is no file to be read at all: its path, what the message says, how to run."""
        huge = self.file("huge", b"")
        os.truncate(huge, 1024 * MEBIBYTE)  # sparse
        unreadable = self.file("unreadable", self.text)
        unreadable.chmod(0)
        yield huge, limit_text, {}
        yield self.folder, "it is a folder. Expected a file", {}
        yield "/dev/zero", limit_text, {}
        yield self.folder / "missing", "No such file or directory", {}
        yield self.good / "below", "Not a directory", {}
        yield "", "No such file or directory", {}
        # Root may read everything, so that somebody else has to be refused; who perhaps may not
        # enter the folder of the program.
        options = {}
        if os.geteuid() == 0:
            program = self.folder / "drover"
            if not program.exists():
                shutil.copy(DROVER, program)
            options = {"user": pwd.getpwnam("nobody").pw_uid, "program": program}
        yield unreadable, "Permission denied", options


class Results(FileTestCase):

    def report(self, path, **options):
        return self.run_drover("report", path, **options)

    def test_a_good_one(self):
        ended = self.report(self.good)
        self.assertEqual(ended.code, SUCCESS, str(ended))
        self.assertIn(b"tpmC", ended.out)
        self.assertEqual(ended.err, b"")

    def test_the_standard_input(self):
        for path in ("-", "/dev/stdin"):
            for text, code, words in ((self.text, SUCCESS, b"tpmC"), (b"{", FAILURE, b"ends too early")):
                with self.subTest(path=path, code=code):
                    ended = subprocess.run([DROVER, "report", path], input=text, capture_output=True, timeout=60,
                                           check=False)
                    self.assertEqual(ended.returncode, code)
                    self.assertIn(words, ended.stdout if code == SUCCESS else ended.stderr)

    def test_it_says_what_the_run_said(self):
        path = self.folder / "said.json"
        run = harness.drover("tpcc", "run", "-w", 1, "--simulate-ms", 1, "--no-delays",
                             "--duration", "1s", "--warmup", "0", "--json", path)
        self.expect(run, SUCCESS)
        self.assertEqual(self.report(path).out.decode(), run.out)

    def test_cut(self):
        size = len(self.text)
        self.expect_refused(self.report(self.file("cut.json", b"")), FAILURE, "it is empty")
        for part in range(1, 16):
            length = size * part // 16
            with self.subTest(length=length):
                path = self.file("cut.json", self.text[:length])
                self.expect_refused(self.report(path), FAILURE, re.escape(str(path)),
                                    f"the document ends too early, at byte {length}")

    def test_no_files(self):
        for path, word, options in self.odd_files("it is larger than 256 MiB"):
            if path in (self.folder, "/dev/zero"):
                continue  # a folder stands for its files, and the device would fill 256 MiB
            with self.subTest(path=path):
                ended = self.report(path, **options)
                self.expect_refused(ended, FAILURE, re.escape(f'"{path}"'), word)
                self.assertLess(ended.seconds, 10)

    def test_a_folder_stands_for_its_results(self):
        folder = self.folder / "search"
        folder.mkdir()
        for name in ("run-01", "run-02"):
            (folder / f"{name}.json").write_bytes(self.text)
        (folder / "search.json").write_text('{"document": "drover search", "runs": []}')
        for command in (["report", folder], ["report", *sorted(folder.glob("*.json"))],
                        ["compare", "--allow-different", "all", folder, folder]):
            with self.subTest(command=command):
                ended = harness.drover(*command)
                self.expect(ended, SUCCESS)
                self.assertRegex(ended.err, r"search\.json\" is not the result of a run but a "
                                            r"document of 'drover search'; skipped")
        for name in ("cut-1", "cut-2"):
            (folder / f"{name}.json").write_text("{")
        for command in (["report", folder], ["compare", folder, folder]):
            ended = harness.drover(*command)
            self.expect(ended, FAILURE)
            self.assertRegex(ended.err, r"cut-1\.json(.|\n)*cut-2\.json")
        empty = self.folder / "empty"
        empty.mkdir()
        self.expect(harness.drover("report", empty), USAGE)

    def test_nonsense(self):
        for name, content, word in [
                ("text", "hello", "the document is not valid JSON at byte 0"),
                ("page", "<html><script>alert(1)</script>", "the document is not valid JSON at byte 0"),
                ("binary", pathlib.Path(DROVER).read_bytes()[:100_000], "the document is not valid JSON"),
                ("zeros", bytes(1000), "the document is not valid JSON"),
                ("list", "[]", "expected an object, found a list"),
                ("other", '{"a": 1}', "it is not a result of drover: the field schema_version is missing"),
                ("newer", '{"schema_version": 99}', "a newer version of drover wrote this result: expected schema_version 1, found 99. Use that version"),
                ("twice", self.text + self.text, "nothing more after the end"),
                ("escapes", '{"\x1b]0;x\x07', "the document is not valid JSON")]:
            with self.subTest(name=name):
                self.expect_refused(self.report(self.file(name + ".json", content)), FAILURE, word)

    def test_wrong_values(self):
        for place, value, word in [
                (["transactions", "NewOrder", "ok_count"], -1,
                 r"transactions\.NewOrder\.ok_count: expected a whole number"),
                (["plan", "warehouses"], "\x1b[2Jten", r"plan\.warehouses: expected a whole number"),
                (["time_series", 0, "t"], None, r"time_series\[0\]\.t: expected a number"),
                (["transactions", "NewOrder", "histogram", "count"], 5, "samples in the buckets, as in count"),
                (["transactions", "a\x1b[31m\n"], {}, "a printable name")]:
            with self.subTest(place=place):
                document = json.loads(self.text)
                inner = document
                for step in place[:-1]:
                    inner = inner[step]
                inner[place[-1]] = value
                self.expect_refused(self.report(self.file("wrong.json", json.dumps(document))),
                                    FAILURE, word)

    def test_bombs(self):
        """Small in a file, large in memory or on the stack, if one lets them."""
        size = 20 * MEBIBYTE
        point = json.dumps(json.loads(self.text)["time_series"][0], separators=(",", ":"))
        points = f'{{"time_series":[{",".join([point] * (size // len(point)))}'
        for name, content in [("lists", "[" * size), ("objects", '{"a":' * (size // 5)),
                              ("numbers", '{"x":[' + "0," * (size // 2)),
                              ("empty", '{"x":[' + "[]," * (size // 3)),
                              ("text", '{"x":"' + "x" * size),
                              ("escapes", '{"x":"' + "\\u0000" * (size // 6)),
                              ("digits", '{"x":' + "9" * size),
                              ("keys", "{" + "".join(f'"{n}":1,' for n in range(size // 10))),
                              ("points", points),
                              ("complete points",
                               points + '],"schema_version":1,"tool":{"name":1}}')]:
            with self.subTest(name=name):
                ended = self.report(self.file("bomb.json", content))
                self.expect_refused(ended, FAILURE, memory=MEMORY_OF_PROGRAM + 6 * size)
                self.assertLess(ended.seconds, 20)

    def test_nothing_of_a_hostile_result_acts_on_the_terminal(self):
        hostile = "\x1b[2J\x1b]0;title\x07\r\n\u009b31m\u202e\x00\x7f\"'<script>&\\ x"

        def poisoned(value):
            if isinstance(value, str):
                return hostile
            if isinstance(value, list):
                return [poisoned(element) for element in value]
            if isinstance(value, dict):
                return {key: poisoned(element) for key, element in value.items()}
            return value

        document = json.loads(self.text)
        kept = {"unit", "judgement"}  # words of a fixed set
        for key, value in document.items():
            if key not in ("transactions", "audit", "client", "deferred_delivery"):
                document[key] = poisoned(value)
        for line in document.get("audit", {}).get("lines", []):
            line.update({key: hostile for key in line if key not in kept})
        document["environment"]["server"] = {
            "version": hostile, "settings": {hostile: hostile, "fsync": "off"}}
        made_results.add_failures(document["transactions"]["NewOrder"], hostile, 3)
        ended = self.report(self.file("hostile.json", json.dumps(document)))
        self.assertEqual(ended.code, SUCCESS, str(ended))
        self.assertEqual(terminal_dangers(ended.out), [])
        self.assertIn(b"<script>", ended.out)  # harmless here, so that it is shown as it is
        self.assertEqual(ended.err, b"")

    def test_a_full_disk_for_the_summary(self):
        with open("/dev/full", "wb") as full:
            ended = subprocess.run([DROVER, "report", str(self.good)], stdout=full,
                                   stderr=subprocess.PIPE, timeout=30, check=False)
        self.assertEqual(ended.returncode, FAILURE)
        self.assertIn(b"cannot write the summary", ended.stderr)


class Configurations(FileTestCase):

    RUN = ["tpcc", "run", "--simulate-ms", "1", "--duration", "1s"]
    CONFIG = f"""# For the tests.
db = "postgresql://bench:{SECRET}@host.invalid/tpcc"

[tpcc.run]
warehouses = 1
duration = "1s"
warmup = 0
no-delays = true
seed = 42
json = 'JSON'
[tpcc.check]
connections = 4
[pg.start]
set = ["fsync=off",
       "shared_buffers=128MB"]
"""

    def with_config(self, path, *arguments, **options):
        return self.run_drover(*(arguments or self.RUN), "--config", path, **options)

    def config(self, text=CONFIG):
        return self.file("drover.toml", text.replace("JSON", str(self.folder / "config.json")))

    def plan(self):
        return json.loads((self.folder / "config.json").read_bytes())["plan"]

    def test_it_is_used(self):
        for line in (["tpcc", "run", "--simulate-ms", "1", "--config", self.config()],
                     ["--config", self.config(), "tpcc", "run", "--simulate-ms", "1"]):
            with self.subTest(line=line):
                ended = self.run_drover(*line)
                self.assertEqual(ended.code, SUCCESS, str(ended))
                plan = self.plan()
                self.assertEqual((plan["warehouses"], plan["duration_s"], plan["no_delays"],
                                  plan["seed"]), (1, 1, True, 42))

    def test_the_command_line_wins(self):
        ended = self.with_config(self.config(), *self.RUN, "-w", "2", "--seed", "7")
        self.assertEqual(ended.code, SUCCESS, str(ended))
        plan = self.plan()
        self.assertEqual((plan["warehouses"], plan["seed"]), (2, 7))

    def test_a_section_chooses_no_command(self):
        ended = self.run_drover("--config", self.config())
        self.assertEqual(ended.code, USAGE, str(ended))
        self.assertIn(b"subcommand", ended.err)
        ended = self.run_drover("--config", self.config(), "tpcc")
        self.assertEqual(ended.code, USAGE, str(ended))

    def test_every_command_takes_it(self):
        for command in (["tpcc", "init"], ["tpcc", "import"], ["tpcc", "run"], ["tpcc", "check"],
                        ["tpcc", "clean"], ["demo"], ["report"], ["pg", "start"], ["pg", "stop"],
                        ["pg", "status"], ["pg", "psql"]):
            with self.subTest(command=command):
                more = ["x"] if command == ["report"] else []
                self.expect_refused(self.with_config(self.folder / "missing", *command, *more),
                                    USAGE, "No such file")
                help_text = harness.drover("help", *command).out
                self.assertIn("--config FILE", help_text)

    def test_the_password_is_never_shown(self):
        # Used, and refused by nobody but the network.
        ended = self.with_config(self.config(), "tpcc", "check")
        self.assertEqual(ended.code, FAILURE, str(ended))
        self.assertIn(b"host.invalid", ended.err)
        self.assertNotIn(SECRET.encode(), ended.out + ended.err)
        db = f'db = "postgresql://bench:{SECRET}@host/x"'
        for text in (db[:-1], db + " x", db + "\n" + db, db.replace('"', ""), f"db {SECRET}",
                     db.replace('"postgresql', '["postgresql') + "]", db.replace("db", "dbb"),
                     "[tpcc.run]\n" + db.replace("db", "warehouses"), f"db =\n{SECRET}",
                     f'db = "host=x password={SECRET} nonsense=1"',
                     f'db = "mysql://u:{SECRET}@host"', f'db = "host=x password={SECRET}://x nonsense=1"',
                     f'db = "host=x {SECRET}"', f'db = "ydb://u:{SECRET}"'):
            with self.subTest(text=text):
                self.expect_refused(self.with_config(self.config(text), "tpcc", "run"), USAGE)

    def test_cut(self):
        whole = self.config().read_bytes()
        for part in range(16):
            length = len(whole) * part // 16
            with self.subTest(length=length):
                path = self.file("cut.toml", whole[:length])
                # A file that was cut between two lines is a shorter file.
                ended = self.with_config(path, *self.RUN, "-w", "1", "--no-delays", "--warmup", "0")
                if ended.code == SUCCESS:
                    self.assertRegex(whole[:length] + b"\n", rb"(\A|[\n\"\]'0-9]|true)\n\Z")
                else:
                    self.expect_refused(ended, USAGE, re.escape(str(path)), "line [0-9]+: ")

    def test_no_files(self):
        for path, word, options in self.odd_files("it is larger than 1 MiB"):
            if path == "":
                continue  # an empty value is refused
            with self.subTest(path=path):
                ended = self.with_config(path, **options)
                self.expect_refused(ended, USAGE, re.escape(f'"{path}"'), word)
                self.assertLess(ended.seconds, 10)

    def test_nonsense(self):
        many = "".join(f"k{n} = 1\n" for n in range(80_000))
        for name, content, word in [
                ("binary", pathlib.Path(DROVER).read_bytes()[:100_000], "line 1: expected text"),
                ("zeros", bytes(1000), r"line 1: .*control character U\+0000"),
                ("latin", 'a = "ö"'.encode("latin-1"), "line 1: expected text in UTF-8"),
                ("json", self.text, "line 1: expected a section"),
                ("escapes", "# \x1b[2J", r"control character U\+001B"),
                ("text", "hello", "line 1: expected ="),
                ("unknown key", "[tpcc.run]\nwharehouses = 1", "line 2: wharehouses: unknown "),
                ("unknown section", "[tpcc.rum]\nw = 1", "line 2: unknown command: drover tpcc rum"),
                ("kind", "[tpcc.run]\nno-delays = 'yes'", "line 2: no-delays: expected true or "),
                ("list", "[tpcc.run]\npace = [1, 2]", "line 2: pace: expected a single value"),
                ("number", "[tpcc.run]\n\npace = 'fast'", "line 3: .*--pace fast: expected a number"),
                ("duration", "[tpcc.run]\nwarmup = 5",
                 "line 2: --warmup 5: the unit is missing"),
                ("other command", "[tpcc.check]\nfrob = 1", "line 2: frob: unknown option"),
                ("deep", "a." * 1000 + "a = 1", "line 1: a name has at most 8 parts"),
                ("lists", "a = " + "[" * 100_000, "line 1: a: expected a value"),
                ("long", 'a = "' + "x" * 1_000_000 + '"', "line 1: a: unknown option"),
                ("many", many, "line 1: k0: unknown option")]:
            with self.subTest(name=name):
                ended = self.with_config(self.file("nonsense.toml", content),
                                         *self.RUN, "-w", "1")
                self.expect_refused(ended, USAGE, word, memory=MEMORY_OF_PROGRAM + 100 * MEBIBYTE)
                self.assertLess(ended.seconds, 10)


if __name__ == "__main__":
    # A mistake of ours must not eat the machine's memory.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    harness.main()
