"""Servers that speak nonsense or nothing, names and passwords that need quoting."""

import contextlib
import json
import os
import pathlib
import re
import resource
import socket
import struct
import threading
import unittest
import urllib.parse

import harness
from fault_proxy import FaultProxy
from harness import FAILURE, SUCCESS

MIB = 1 << 20


def message(kind, body=b""):
    return kind + struct.pack("!I", len(body) + 4) + body


AUTHENTICATED = message(b"R", struct.pack("!I", 0))
PARAMETERS = (message(b"S", b"server_version\x0015.8\0") + message(b"S", b"client_encoding\0UTF8\0")
              + message(b"K", struct.pack("!II", 1, 1)))
READY = message(b"Z", b"I")
WELCOME = AUTHENTICATED + PARAMETERS + READY
NOTICE = message(b"N", b"SNOTICE\0VNOTICE\0C00000\0M" + b"so what " * 1250 + b"\0\0")
ROW_OF_ONE = message(b"T", b"\0\1" + b"n\0" + struct.pack("!IhIhih", 0, 0, 23, 4, -1, 1))


def error(text, severity=b"ERROR", sqlstate=b"XX000"):
    return message(b"E", b"S" + severity + b"\0V" + severity + b"\0C" + sqlstate + b"\0M" + text
                   + b"\0\0")


class FakeServer:
    """Listens on a port of its own and does with each connection what it is told."""

    def __init__(self, behave):
        self.behave = behave
        self.connections = 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port = self.listener.getsockname()[1]
        self.sessions = set()
        self.acceptor = threading.Thread(target=self._accept, daemon=True)
        self.acceptor.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # To close it alone would not wake who waits in it.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.acceptor.join()
        self.listener.close()
        for session in list(self.sessions):
            with contextlib.suppress(OSError):
                session.shutdown(socket.SHUT_RDWR)

    def _accept(self):
        while True:
            try:
                session, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(session,), daemon=True).start()

    def _serve(self, session):
        self.sessions.add(session)
        with session, contextlib.suppress(OSError, EOFError):
            self.behave(session)
        self.sessions.discard(session)


def heard(session):
    data = session.recv(1 << 16)
    if not data:
        raise EOFError
    return data


def greeted(session):
    """Takes in the startup message; TLS there is none."""
    while heard(session)[4:8] == b"\x04\xd2\x16\x2f":  # SSLRequest
        session.sendall(b"N")


def until_left(session):
    """Says nothing until the client is gone."""
    while True:
        heard(session)


# How each server behaves, what the error names, and how long it may take.

def says_nonsense_at_once(session):
    session.sendall(b"\xfe" + os.urandom(999))
    until_left(session)


def says_zeros_at_once(session):
    session.sendall(bytes(1000))
    until_left(session)


def speaks_http(session):
    heard(session)
    session.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    until_left(session)


def is_silent(session):
    until_left(session)


def is_silent_after_the_greeting(session):
    greeted(session)
    until_left(session)


def is_silent_before_it_is_ready(session):
    greeted(session)
    session.sendall(AUTHENTICATED + PARAMETERS)
    until_left(session)


def closes_at_once(session):
    pass


def closes_after_the_greeting(session):
    greeted(session)


def sends_an_unknown_message(session):
    greeted(session)
    session.sendall(AUTHENTICATED + message(b"\xfe", b"x" * 100))
    until_left(session)


def announces_two_gigabytes(session):
    greeted(session)
    session.sendall(AUTHENTICATED + b"S\x7f\xff\xff\xff" + b"x" * 100_000)
    until_left(session)


def announces_two_gigabytes_of_a_row(session):
    greeted(session)
    session.sendall(WELCOME)
    heard(session)
    session.sendall(b"T\x7f\xff\xff\xff" + b"x" * 100_000)


def announces_less_than_nothing(session):
    greeted(session)
    session.sendall(AUTHENTICATED + b"S\x80\0\0\0" + b"x" * 100)
    until_left(session)


def answers_a_query_with_nonsense(session):
    greeted(session)
    session.sendall(WELCOME)
    heard(session)
    session.sendall(message(b"\xfe", b"x" * 100))
    until_left(session)


def answers_with_a_row_that_is_too_short(session):
    greeted(session)
    session.sendall(WELCOME)
    heard(session)
    session.sendall(ROW_OF_ONE + message(b"D", b"\0\1\0\0\xff\xffx") + READY)


def answers_with_two_billion_columns(session):
    greeted(session)
    session.sendall(WELCOME)
    heard(session)
    session.sendall(message(b"T", b"\x7f\xff" + b"n\0") + READY)


def closes_within_a_message(session):
    greeted(session)
    session.sendall(AUTHENTICATED + b"S\0\0\0\x30server_ver")


def closes_within_an_answer(session):
    greeted(session)
    session.sendall(WELCOME)
    heard(session)
    session.sendall(ROW_OF_ONE[:-3])


def wants_kerberos_4(session):
    greeted(session)
    session.sendall(message(b"R", struct.pack("!I", 1)))
    until_left(session)


def wants_what_nobody_knows(session):
    greeted(session)
    session.sendall(message(b"R", struct.pack("!I", 99)))
    until_left(session)


def wants_an_unknown_sasl_mechanism(session):
    greeted(session)
    session.sendall(message(b"R", struct.pack("!I", 10) + b"TELEPATHY\0\0"))
    until_left(session)


def sends_100_megabytes_of_notices(session):
    greeted(session)
    session.sendall(AUTHENTICATED)
    for _ in range(100 * MIB // len(NOTICE) // 2):
        session.sendall(NOTICE)
    session.sendall(PARAMETERS + READY)
    heard(session)
    for _ in range(100 * MIB // len(NOTICE) // 2):
        session.sendall(NOTICE)
    # And then the end.


def refuses_with_escape_sequences(session):
    greeted(session)
    session.sendall(error(b"\x1b]0;owned\x07\x1b[31mno\x1b[0m\nway\r\n", b"FATAL", b"53300"))


def refuses_every_query_at_length(session):
    greeted(session)
    session.sendall(WELCOME)
    while True:
        heard(session)
        session.sendall(error(b"\x1b[31mno way " + b"at all " * 1_000_000) + READY)


SILENCE = "within 2 s"
SERVERS = [
    (says_nonsense_at_once, "invalid response"),
    (says_zeros_at_once, "invalid response"),
    (speaks_http, "invalid response"),
    (is_silent, SILENCE),
    (is_silent_after_the_greeting, SILENCE),
    (is_silent_before_it_is_ready, SILENCE),
    (closes_at_once, "closed"),
    (closes_after_the_greeting, "closed"),
    (sends_an_unknown_message, "unexpected response"),
    (announces_two_gigabytes, "synchronization"),
    (announces_two_gigabytes_of_a_row, "synchronization|memory|closed"),
    (announces_less_than_nothing, "synchronization"),
    (answers_a_query_with_nonsense, "unexpected response|synchronization"),
    (answers_with_a_row_that_is_too_short, "answers to|closed"),
    (answers_with_two_billion_columns, "answers to|closed"),
    (closes_within_a_message, "closed"),
    (closes_within_an_answer, "closed"),
    (wants_kerberos_4, "Kerberos 4"),
    (wants_what_nobody_knows, "authentication method 99"),
    (wants_an_unknown_sasl_mechanism, "SASL"),
    (sends_100_megabytes_of_notices, "closed"),
    (refuses_with_escape_sequences, r"no \[0m way"),
    (refuses_every_query_at_length, "no way"),
]


class HostileServers(harness.TestCase):

    COMMANDS = [["init"], ["import", "-w", "1"], ["run", "-w", "1", "--duration", "1s"],
                ["check"], ["clean"]]

    def expect_an_error_of_one_line(self, command, named):
        self.expect_error(command, FAILURE, named, within_s=60)
        lines = command.err.splitlines()
        self.assertEqual(len([line for line in lines if line.startswith("drover: error: ")]), 1,
                         str(command))
        self.assertEqual(lines[-1].count("drover: error: "), 1, str(command))
        self.assertLess(len(command.err), 10_000)
        self.assertNotRegex(command.err + command.out, "[\x00-\x09\x0b-\x1f\x7f]")

    def test_each(self):
        for behave, named in SERVERS:
            with FakeServer(behave) as server:
                db = (f"host=127.0.0.1 port={server.port} user=somebody dbname=something "
                      f"connect_timeout={2 if named == SILENCE else 30}")
                # Side by side: each of them may have to wait.
                commands = [harness.start_drover("tpcc", *arguments, "--db", db)
                            for arguments in self.COMMANDS]
                for command in commands:
                    self.addCleanup(command.kill)
                for arguments, command in zip(self.COMMANDS, commands):
                    with self.subTest(server=behave.__name__, command=arguments[0]):
                        self.expect_an_error_of_one_line(command.wait(60), named)
                harness.wait_until(lambda: server.connections >= len(commands), "each has tried")
        # The largest of all of them, and of what Python itself had when it started them.
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        self.assertLess(peak, 96 * MIB)


def quoted(value):
    """A value of a connection string."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def identifier(name):
    return '"' + name.replace('"', '""') + '"'


def literal(text):
    return "'" + text.replace("'", "''") + "'"


class Names(harness.ServerTestCase):

    SCHEMA = "Größe \"x\" 'y'"
    DATABASE = "Mein Rinder-\"Bestand\" für 'mich' \\ & Co; 100% ☂"
    USER = "Käthe O'Hara \"die Große\"; --"

    def test_the_whole_story(self):
        self.server.sql(f"CREATE ROLE {identifier(self.USER)} LOGIN")
        # Not within a transaction, as sql() runs its statements.
        create = f"CREATE DATABASE {identifier(self.DATABASE)} OWNER {identifier(self.USER)}"
        self.expect(self.server.drover("pg", "psql", "--", "-X", "-q", "-c", create), SUCCESS)
        host = re.search(r"host=(\S+)", self.server.conninfo)[1]
        quote = lambda text: urllib.parse.quote(text, safe="")
        for where in (f"host={host} dbname={quoted(self.DATABASE)} user={quoted(self.USER)}",
                      f"postgresql://{quote(self.USER)}@/{quote(self.DATABASE)}"
                      f"?host={quote(host)}"):
            with self.subTest(db=where):
                self.tell(where)

    def tell(self, where):
        def drover(*arguments):
            return self.expect(harness.drover("tpcc", *arguments, "--db", where,
                                              "--schema", self.SCHEMA), SUCCESS)
        path = self.server.folder / "Ergebnis \"für\" 'mich'.json"
        drover("init")
        drover("import", "-w", 1, "--seed", 1)
        run = drover("run", "--no-delays", "--duration", "2s", "--warmup", "0", "--json", path)
        self.assertIn("tpmC", run.out)
        document = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(document["plan"]["schema"], self.SCHEMA)
        self.assertGreater(document["summary"]["new_orders"], 10)
        drover("check")
        drover("clean")
        path.unlink()


class Passwords(harness.ServerTestCase):

    PASSWORD = "p@:/?#%\"' s\\ö&=+"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.sql("CREATE ROLE secretive LOGIN SUPERUSER PASSWORD "
                       + literal(cls.PASSWORD))
        rules = cls.server.data / "pg_hba.conf"
        rules.write_text("local all secretive scram-sha-256\n"
                         + rules.read_text(encoding="utf-8"), encoding="utf-8")
        cls.server.sql("SELECT pg_reload_conf()")
        host = re.search(r"host=(\S+)", cls.server.conninfo)[1]
        cls.proxy = FaultProxy(f"{host}/.s.PGSQL.5432")
        cls.proxy.start()
        cls.addClassCleanup(cls.proxy.stop)
        # The reload happens in its own time.
        harness.wait_until(lambda: cls.drover("clean", cls.where()).code == FAILURE,
                           "a password is asked for")

    @classmethod
    def where(cls):
        return f"host=127.0.0.1 port={cls.proxy.port} dbname=drover user=secretive"

    @classmethod
    def drover(cls, name, where, *arguments, **environment):
        return harness.drover("tpcc", name, "--db", where, "--schema", "story", *arguments,
                              **environment)

    def expect_no_secret(self, *texts):
        forms = {self.PASSWORD, urllib.parse.quote(self.PASSWORD, safe=""),
                 quoted(self.PASSWORD)[1:-1], json.dumps(self.PASSWORD)[1:-1]}
        for text in texts:
            for form in forms:
                self.assertNotIn(form, text)

    def tell(self, where, **environment):
        path = self.server.folder / "secret.json"
        for name, *arguments in (["init"], ["import", "-w", "1"],
                                 ["run", "--no-delays", "--duration", "2s", "--warmup", "0",
                                  "--json", str(path)], ["check"], ["clean"]):
            command = harness.start_drover("tpcc", name, "--db", where, "--schema", "story",
                                           *arguments, **environment)
            if name == "run":
                command.wait_for("terminals up")
                shown = pathlib.Path(f"/proc/{command.process.pid}/cmdline").read_bytes()
                given = [harness.DROVER, "tpcc", name, "--db", where, "--schema", "story",
                         *arguments]
                self.assertEqual(shown.decode().split("\0")[:-1], given)
                sessions = self.server.sql("SELECT pg_stat_activity::text FROM pg_stat_activity")
                self.expect_no_secret(str(sessions))
            self.expect(command.wait(), SUCCESS)
            self.expect_no_secret(command.out, command.err)
        self.expect_no_secret(path.read_text(encoding="utf-8"))

    def test_in_the_connection_string(self):
        self.tell(f"{self.where()} password={quoted(self.PASSWORD)}")

    def test_in_the_uri(self):
        secret = urllib.parse.quote(self.PASSWORD, safe="")
        self.tell(f"postgresql://secretive:{secret}@127.0.0.1:{self.proxy.port}/drover")

    def test_in_the_environment(self):
        self.tell(self.where(), PGPASSWORD=self.PASSWORD)

    def test_wrong_ones(self):
        wrong = self.PASSWORD + "-wrong"
        for name in ("init", "check", "clean", "run"):
            command = self.drover(name, f"{self.where()} password={quoted(wrong)}")
            self.expect_error(command, FAILURE, "password authentication failed", "secretive")
            self.expect_no_secret(command.out, command.err)
        # Forgotten to be encoded: libpq would read parts of it as host and port.
        raw = f"postgresql://secretive:{self.PASSWORD}@127.0.0.1:{self.proxy.port}/drover"
        command = self.drover("check", raw)
        self.expect_error(command, harness.USAGE, "password")
        self.expect_no_secret(command.out, command.err)
        self.assertNotRegex(command.out + command.err, r"p@:|s\\\\ö")


if __name__ == "__main__":
    harness.main()
