"""What the end-to-end tests share: the drover binary, private servers in temporary folders, SQL.

The binary is named by the environment variable DROVER. Every command runs without the PG* and
DROVER_* variables of whoever runs the tests, so that it can only reach the server it is given.
"""

import contextlib
import fcntl
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

DROVER = os.environ.get("DROVER", "")
if os.sep in DROVER:
    DROVER = os.path.abspath(DROVER)  # commands may run in another folder
# The programs that servers are made of, where it is not the installed version (on_version.py).
PG_BINDIR = os.environ.get("DROVER_TEST_PG_BINDIR")

# Exit codes of drover, as its help documents them.
SUCCESS = 0
FAILURE = 1
USAGE = 2
STOPPED = 3  # of `pg status` only
INTERRUPTED = 130

TABLES = ["warehouse", "district", "customer", "history", "new_order", "oorder", "order_line",
          "item", "stock"]
# When a row was loaded or written: all that may differ between two imports of one seed.
TIME_COLUMNS = {"c_since", "h_date", "o_entry_d", "ol_delivery_d"}

# A machine that stands still is no failure; what has not come by then never comes.
PATIENCE_S = 300

_FOREIGN = ("PG", "DROVER", "XDG_", "YDB_")


def clean_environment(**more):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(_FOREIGN)}
    environment.update(more)
    return environment


def wait_until(condition, what, seconds=PATIENCE_S):
    """The first true value of condition(); polls, as there is nobody to notify us."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.01)


class Command:
    """A drover command that runs, or has run: its output so far, its exit code, its time."""

    def __init__(self, arguments, environment, before=None, by=()):
        """`by`: the words before its own that execute it somewhere else."""
        self.line = "drover " + " ".join(arguments)
        self.began = time.monotonic()
        self.seconds = None
        self.process = subprocess.Popen([*by, DROVER, *arguments], env=environment, text=True,
                                        errors="replace", stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        preexec_fn=before)
        self._lines = {"out": [], "err": []}
        self._readers = [
            threading.Thread(target=self._read, args=(name, stream), daemon=True)
            for name, stream in (("out", self.process.stdout), ("err", self.process.stderr))]
        for reader in self._readers:
            reader.start()

    def _read(self, name, stream):
        for line in stream:
            self._lines[name].append(line)

    @property
    def out(self):
        return "".join(self._lines["out"])

    @property
    def err(self):
        return "".join(self._lines["err"])

    @property
    def code(self):
        return self.process.returncode

    def signal(self, number):
        self.process.send_signal(number)

    def ended(self):
        return self.process.poll() is not None

    def wait_for(self, pattern, seconds=PATIENCE_S):
        """Returns the match of the pattern in what the command has written to stderr."""
        def found():
            match = re.search(pattern, self.err)
            if not match and self.ended():
                self.wait()
                match = re.search(pattern, self.err)
                if not match:
                    raise AssertionError(f"it ended without {pattern!r}: {self}")
            return match
        return wait_until(found, f"{pattern!r} of {self.line}", seconds)

    def wait(self, seconds=PATIENCE_S):
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"not ended within {seconds} s: {self}") from None
        finally:
            for reader in self._readers:
                reader.join(10)
        if self.seconds is None:
            self.seconds = time.monotonic() - self.began
            self.process.stdout.close()
            self.process.stderr.close()
        if self.code == 99 or "Sanitizer" in self.err or "runtime error:" in self.err:
            raise AssertionError(f"a sanitizer reports: {self}")
        return self

    def kill(self):
        """For who gives up: whatever it does, it ends."""
        if not self.ended():
            self.process.kill()
        self.wait()

    def __str__(self):
        return (f"{self.line}\nexit code {self.code}\n--- stdout\n{self.out}"
                f"--- stderr\n{self.err}---")


def drover(*arguments, seconds=PATIENCE_S, **environment):
    """Runs a command without a server of ours to its end."""
    return start_drover(*arguments, **environment).wait(seconds)


def start_drover(*arguments, **environment):
    # Without a folder of its own a command would make a server in the user's.
    environment.setdefault("DROVER_DATA_HOME", "/dev/null/drover")
    if PG_BINDIR:
        environment.setdefault("DROVER_PG_BINDIR", PG_BINDIR)
    return Command([str(argument) for argument in arguments], clean_environment(**environment))


def start_limited(limit, value, *arguments, **environment):
    """Like start_drover(), under a limit of the system: resource.RLIMIT_…; the hard one, too, or
    a pair of them."""
    limits = value if isinstance(value, tuple) else (value, value)
    environment.setdefault("DROVER_DATA_HOME", "/dev/null/drover")
    return Command([str(argument) for argument in arguments], clean_environment(**environment),
                   before=lambda: resource.setrlimit(limit, limits))


def start_writing_to(place, *arguments, **environment):
    """Like start_drover(), with the file as its standard output; None: that is closed."""
    def output():
        if place is None:
            os.close(1)
        else:
            os.dup2(os.open(place, os.O_WRONLY), 1)
    environment.setdefault("DROVER_DATA_HOME", "/dev/null/drover")
    return Command([str(argument) for argument in arguments], clean_environment(**environment),
                   before=output)


class SessionError(Exception):
    """What a server says when it refuses something, or that it is not there."""


class Session:
    """A session of a server by its Unix socket, without any library: for tests that hold many of
    them, or ask often. Statements are text, and so are their results."""

    def __init__(self, folder, user="drover", database="drover", seconds=PATIENCE_S):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(seconds)
        try:
            self._socket.connect(f"{folder}/.s.PGSQL.5432")
            options = f"user\0{user}\0database\0{database}\0application_name\0test\0\0".encode()
            self._socket.sendall(struct.pack("!II", len(options) + 8, 3 << 16) + options)
            self._rows()
        except (OSError, SessionError) as error:
            self._socket.close()
            raise SessionError(str(error)) from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._socket.close()

    def sql(self, text):
        body = text.encode() + b"\0"
        try:
            self._socket.sendall(b"Q" + struct.pack("!I", len(body) + 4) + body)
            return self._rows()
        except OSError as error:
            raise SessionError(str(error)) from None

    def number(self, text):
        return int(self.sql(text)[0][0])

    def _receive(self, count):
        data = b""
        while len(data) < count:
            more = self._socket.recv(count - len(data))
            if not more:
                raise SessionError("the server has closed the session")
            data += more
        return data

    def _rows(self):
        """What comes until the server is ready for the next statement."""
        rows = []
        error = None
        while True:
            kind, length = struct.unpack("!cI", self._receive(5))
            body = self._receive(length - 4)
            if kind == b"D":
                rows.append(self._row(body))
            elif kind == b"E":
                error = body.replace(b"\0", b" ").decode(errors="replace")
                if b"FATAL" in body:
                    raise SessionError(error)
            elif kind == b"Z":
                if error:
                    raise SessionError(error)
                return rows

    @staticmethod
    def _row(body):
        (columns,) = struct.unpack_from("!H", body)
        position = 2
        row = []
        for _ in range(columns):
            (length,) = struct.unpack_from("!i", body, position)
            position += 4
            row.append(None if length < 0 else body[position:position + length].decode())
            position += max(length, 0)
        return tuple(row)


def _copy_tree(folder, to):
    to.mkdir()
    subprocess.run(["cp", "-a", "--reflink=auto", f"{folder}/.", to], check=True)


class Server:
    """A private server in a folder of its own, which goes away with it."""

    # Small and fast: the tests never crash the machine, only the processes.
    SETTINGS = ("fsync=off", "shared_buffers=128MB", "max_wal_size=2GB", "jit=off")

    def __init__(self, folder=None, warehouses=0):
        """With as many warehouses as load() makes of them, from the first start on."""
        self._own_folder = folder is None
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix=f"drover-e2e-{pathlib.Path(sys.argv[0]).stem}-"))
        # The server is another account's where the tests run as root.
        self.folder.chmod(0o755)
        self.root = self.folder / "server"
        self._warehouses = warehouses

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.remove()

    def start(self, *settings):
        is_new = not self.root.exists()
        is_loaded = is_new and self._copy_made_data()
        arguments = []
        for setting in (*self.SETTINGS, *settings):
            arguments += ["--set", setting]
        command = self.drover("pg", "start", *arguments)
        if command.code != SUCCESS:
            raise AssertionError(str(command))
        if is_new and not is_loaded and self._warehouses:
            self.load(self._warehouses)
        return command

    def _copy_made_data(self):
        """Data that ctest has made for all tests, or the first of them that needed so many warehouses; without
        ctest the server makes its own."""
        made = os.environ.get("DROVER_TEST_CLUSTER")
        if not made or not os.path.exists(made):
            return False
        folder = self._loaded_data(made) if self._warehouses else pathlib.Path(made)
        _copy_tree(folder, self.root)
        return True

    def _loaded_data(self, made):
        folder = pathlib.Path(f"{made}.loaded", str(self._warehouses))
        folder.parent.mkdir(exist_ok=True)
        with open(f"{folder}.lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                _make_loaded_data(folder, self._warehouses)
        return folder

    def start_again(self):
        """After whatever has ended it, if something has."""
        if self.drover("pg", "status").code != SUCCESS:
            self.start()

    def remove(self):
        # What is in its data is of no use any more, and need not be written.
        for pid in processes(lambda arguments: arguments[1:2] == ["-D"]
                             and arguments[2].startswith(f"{self.root}/")):
            self._quit(pid)
        if self._own_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def drover(self, *arguments, seconds=PATIENCE_S, **environment):
        return self.begin(*arguments, **environment).wait(seconds)

    def begin(self, *arguments, **environment):
        return start_drover(*arguments, DROVER_DATA_HOME=str(self.root), **environment)

    def status(self):
        """The lines of `pg status` as a dictionary."""
        lines = self.drover("pg", "status").out.splitlines()
        return dict(line.split(None, 1) for line in lines)

    @property
    def pid(self):
        return int(self.status()["pid"])

    @property
    def conninfo(self):
        return self.status()["connection"]

    @property
    def data(self):
        return pathlib.Path(self.status()["data"])

    @property
    def socket_folder(self):
        return re.search(r"host=(\S+)", self.conninfo)[1]

    def session(self):
        return Session(self.socket_folder)

    def crash(self):
        """Kills the postmaster; its children see that and end by themselves."""
        pid = self.pid
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not is_alive(pid), "the end of the postmaster")

    def kill(self):
        """Kills every process of the server, as the kernel does when memory runs out."""
        pid = self.pid
        # The postmaster first: it would start anew what its children were.
        family = [pid, *children(pid)]
        for one in family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        wait_until(lambda: not any(map(is_alive, family)), "the end of the server")

    def stop_at_once(self):
        """An immediate shutdown: every session ends, and nothing is written."""
        self._quit(self.pid)

    @staticmethod
    def _quit(pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGQUIT)
        wait_until(lambda: not is_alive(pid), "the end of the postmaster")

    def sql(self, text):
        """Runs statements in one transaction; returns the rows, each a tuple of strings."""
        command = self.drover("pg", "psql", "--", "-X", "-q", "-A", "-t", "-F", "\x1f",
                              "-v", "ON_ERROR_STOP=1", "-1", "-c", text)
        if command.code != SUCCESS:
            raise AssertionError(str(command))
        return [tuple(line.split("\x1f")) for line in command.out.splitlines() if line]

    def number(self, text):
        return int(self.sql(text)[0][0])

    def load(self, warehouses, schema=None, seed=1):
        where = ["--schema", schema] if schema else []
        expect(self.drover("tpcc", "init", *where), SUCCESS)
        expect(self.drover("tpcc", "import", "-w", warehouses, "--seed", seed, *where), SUCCESS)

    def wait_for_orders(self, schema="public", count=50):
        """Until New-Orders have come in, by so many."""
        with self.session() as session:
            query = f"SELECT sum(d_next_o_id) FROM {schema}.district"
            before = session.number(query)
            wait_until(lambda: session.number(query) >= before + count, "orders")

    def content(self, schema="public"):
        """A digest of the rows of each table, without the columns of time."""
        digests = {}
        for table in TABLES:
            columns = [name for (name,) in self.sql(
                "SELECT column_name FROM information_schema.columns WHERE table_schema = "
                f"'{schema}' AND table_name = '{table}' ORDER BY ordinal_position")]
            columns = ", ".join(name for name in columns if name not in TIME_COLUMNS)
            # A sum needs no order, and counts a row that is there twice.
            digests[table] = self.sql(
                "SELECT count(*), sum(hash_record_extended(r, 1)) "
                f"FROM (SELECT {columns} FROM {schema}.{table}) AS r")
        return digests


def _make_loaded_data(folder, warehouses):
    with Server() as server:
        server.load(warehouses)
        expect(server.drover("pg", "stop"), SUCCESS)
        # The log, the locks and the settings are each server's own.
        subprocess.run(["find", server.root, "-mindepth", "2", "-maxdepth", "2", "!", "-name", "data",
                        "-exec", "rm", "-rf", "{}", "+"], check=True)
        unfinished = folder.with_suffix(".new")
        shutil.rmtree(unfinished, ignore_errors=True)
        _copy_tree(server.root, unfinished)
        unfinished.rename(folder)


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def children(pid):
    """The ids of the processes that it has started and that live."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            parent = path.read_text(errors="replace").rsplit(")", 1)[1].split()[1]
            if int(parent) == pid:
                found.append(int(path.parent.name))
    return found


def processes(accept):
    """The ids of the processes of this machine whose arguments are accepted."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            arguments = path.read_bytes().decode(errors="replace").split("\0")
            if accept(arguments) and is_alive(int(path.parent.name)):
                found.append(int(path.parent.name))
    return found


def parent(pid):
    """The id of its parent process; None if it has ended meanwhile."""
    with contextlib.suppress(OSError):
        # The name before it may hold anything, a bracket too.
        status = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        return int(status.rpartition(")")[2].split()[1])
    return None


def expect(command, code):
    if command.code != code:
        raise AssertionError(f"expected exit code {code}: {command}")
    return command


class TestCase(unittest.TestCase):
    maxDiff = None

    def expect(self, command, code):
        return expect(command, code)

    def expect_error(self, command, code, *words, within_s=120):
        """The command failed in a manner fit for a person: a sentence that names the thing."""
        expect(command, code)
        self.assertRegex(command.err, r"(?m)^drover: error: \S", str(command))
        for word in words:
            self.assertRegex(command.err + command.out, word, str(command))
        for trace in ("terminate called", "what()", "Assertion", "core dumped", "std::"):
            self.assertNotIn(trace, command.err, str(command))
        self.assertLess(command.seconds, within_s, str(command))
        return command

    def expect_every_count(self, document):
        """What a run of TPC-C has counted is what the tables say."""
        in_data = document["ledger_in_data"]
        self.assertEqual({name: document["ledger"][name] for name in in_data}, in_data)
        self.assertGreater(document["summary"]["new_orders"], 0)

    def expect_series_adds_up(self, document):
        """Checks that the points of the measured interval add up to the counts of the result."""
        points = [point for point in document["time_series"] if point["phase"] == "measure"]
        for name, counted in document["transactions"].items():
            self.assertEqual(sum(point["ok"][name] for point in points), counted["ok_count"], name)
        failed = sum(counted["failed_count"] for counted in document["transactions"].values())
        self.assertEqual(sum(point["failed"] for point in points), failed)

    def expect_consistent(self, server, *arguments):
        return self.expect(server.drover("tpcc", "check", *arguments), SUCCESS)


class ServerTestCase(TestCase):
    """Tests that share one server, started for them."""

    WAREHOUSES_LOADED = 0

    @classmethod
    def setUpClass(cls):
        cls.start_shared_server()

    @classmethod
    def start_shared_server(cls):
        cls.server = Server(warehouses=cls.WAREHOUSES_LOADED)
        cls.addClassCleanup(cls.server.remove)
        cls.server.start()


class _TimedResult(unittest.TextTestResult):
    """Says of each test how long it took: what is slow shows in the log of every run."""

    def startTest(self, test):
        self._began = time.monotonic()
        super().startTest(test)

    def addSuccess(self, test):
        self.stream.write(f"{time.monotonic() - self._began:.1f} s ")
        super().addSuccess(test)


def main():
    if not os.access(DROVER, os.X_OK):
        sys.exit("DROVER must name the drover binary, e.g. DROVER=build/release/drover")
    runner = unittest.TextTestRunner(verbosity=2, resultclass=_TimedResult)
    unittest.main(testRunner=runner)
