#!/usr/bin/env python3
"""A gate before a real PostgreSQL that behaves like a relative of it: CockroachDB, YugabyteDB or Citus. What that
refuses, it refuses; what only that understands, it translates; what goes wrong there, goes wrong on command. dialects.py
says what they are like.

In a test:

    with Gate("cockroachdb", "host=/run/postgresql dbname=test user=test") as gate:
        connect(gate.conninfo)
        gate.fail_next("commit", "40001")
        print(gate.refusals)

By hand:

    python3 gate.py cockroachdb --to "host=/run/postgresql dbname=test user=test"

It needs a database of its own, and a user who may do anything in it: it makes a schema drover_gate there. It
runs on a thread of its own; its methods may be called from any other.
"""

import argparse
import asyncio
import collections
import dataclasses
import re
import signal
import sys
import threading
import time

import protocol
import shadow
from dialects import DIALECTS
from fault_schedule import MESSAGES, Fault, Schedule
from link import Link
from server_session import ServerSession

# Of different statements, and of refusals: what comes after them is counted, and not kept.
KEPT_MAX = 10_000


@dataclasses.dataclass(frozen=True)
class Refused:
    statement: str
    sqlstate: str
    message: str


def parsed_conninfo(text):
    """`key=value` pairs of a connection string, or of a URI."""
    found = re.match(r"postgres(?:ql)?://(?:([^:@/]*)(?::[^@/]*)?@)?([^:/?]*)(?::(\d+))?(?:/([^?]*))?", text)
    if found:
        pairs = zip(("user", "host", "port", "dbname"), found.groups())
        return {name: value for name, value in pairs if value}
    return {name: value.strip("'") for name, value in re.findall(r"(\w+)\s*=\s*('[^']*'|\S+)", text)}


class Gate:

    def __init__(self, dialect, to, port=0, seed=1, tolerates=False):
        """`dialect` is a name of DIALECTS, `to` the connection string of the server. A gate that tolerates notes what
        it would refuse, and lets it pass if the server takes it."""
        self.dialect = DIALECTS[dialect]
        self.server = parsed_conninfo(to)
        self.port = port
        self.tolerates = tolerates
        self.faults = Schedule(self.dialect, seed)
        self.counts = collections.Counter()      # of each kind of statement
        self.statements = collections.Counter()  # of each text
        self.refusals = []
        self.findings = []            # pairs of a name and a statement: what is not refused, and yet not as it seems
        self.distributed = {}         # of each distributed table its distribution column
        self.catalog_is_old = True
        self.shadowed = dict(self.dialect.shadowed)
        if self.dialect.version:
            self.shadowed["version("] = "drover_gate.version"
        self.links = set()
        self._refused_sessions = []
        self._tasks = set()
        self._server = None           # a session of the gate's own
        self._reading = asyncio.Lock()
        self._listener = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    # Beginning and end.

    def start(self):
        self._thread.start()
        try:
            self._call(self._start())
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self):
        if not self._thread.is_alive():
            return
        self._call(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    @property
    def conninfo(self):
        user = self.server.get("user", "postgres")
        return f"host=127.0.0.1 port={self.port} user={user} dbname={self.database}"

    @property
    def database(self):
        return self.server.get("dbname") or self.server.get("user", "postgres")

    async def _start(self):
        if not self.dialect.is_plain:
            self._server = ServerSession(await self.connect(lambda: None), self.identity({}))
            await self._server.begin()
            await self._server.ask(shadow.BEGIN + self.dialect.shadow
                                   + (shadow.version(self.dialect.version) if self.dialect.version else ""))
        self._listener = await self._loop.create_server(self._accepted, "127.0.0.1", self.port, backlog=1000)
        self.port = self._listener.sockets[0].getsockname()[1]

    async def _stop(self):
        if self._listener:
            self._listener.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._server:
            self._server.close()

    def _accepted(self):
        link = Link(self)
        self.links.add(link)
        task = self.keep(link.run())
        task.add_done_callback(lambda _: self.links.discard(link))
        return link.client

    def keep(self, coroutine):
        """The loop itself forgets tasks that nobody holds."""
        task = self._loop.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task):
        self._tasks.discard(task)
        if not task.cancelled() and task.exception():
            # A fault of the gate's is to be seen, and not to look like one of the server.
            self.findings.append(("gate_failed", repr(task.exception())))
            self._loop.call_exception_handler({"message": "the gate has failed", "exception": task.exception()})

    def _call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(300)

    def _do(self, function):
        async def call():
            return function()
        return self._call(call())

    # What goes wrong.

    def fail_next(self, where, sqlstate, count=1, message=None, pattern=None):
        """`where`: "commit" or "statement"; with a pattern only those in whose words it is found."""
        self._do(lambda: self.faults.add(where, self.faults.error(sqlstate, message), count, pattern=pattern))

    def every(self, period, where, sqlstate, message=None, pattern=None):
        self._do(lambda: self.faults.add(where, self.faults.error(sqlstate, message), every=period, pattern=pattern))

    def by_chance(self, chance, where, sqlstate, message=None, pattern=None):
        self._do(lambda: self.faults.add(where, self.faults.error(sqlstate, message), chance=chance, pattern=pattern))

    def lose_commit(self, committed, count=1):
        """The connection is closed in the place of the answer to COMMIT."""
        self._do(lambda: self.faults.add("commit", Fault("lose", committed=committed), count))

    def unknown_commit(self, committed, count=1):
        """COMMIT is answered with the dialect's error that does not say whether it was done."""
        fault = Fault("error", *self.dialect.unknown_commit, committed)
        self._do(lambda: self.faults.add("commit", fault, count))

    def end_at(self, where, sqlstate="57P01", count=1):
        """The session ends at the next commit, or statement, in the place of that."""
        self._do(lambda: self.faults.add(where, Fault("end", sqlstate, MESSAGES[sqlstate]), count))

    def end_sessions(self, sqlstate="57P01"):
        """Of all sessions, when they are next idle; returns how many."""
        def end():
            for link in self.links:
                link.end_soon(sqlstate, MESSAGES[sqlstate])
            return len(self.links)
        return self._do(end)

    def refuse_sessions(self, count, sqlstate="53300"):
        self._do(lambda: self._refused_sessions.extend([(sqlstate, MESSAGES[sqlstate])] * count))

    def calm(self):
        """Plans no more faults."""
        self._do(lambda: (self.faults.clear(), self._refused_sessions.clear()))

    @property
    def happened(self):
        """The faults that came, each with its place."""
        return list(self.faults.happened)

    # For links.

    def refusal_of_session(self):
        """A pair of SQLSTATE and message, or None."""
        return self._refused_sessions.pop(0) if self._refused_sessions else None

    async def connect(self, changed):
        host = self.server.get("host", "127.0.0.1")
        port = int(self.server.get("port", 5432))

        def make():
            return protocol.Stream(changed)
        if host.startswith("/"):
            _, stream = await self._loop.create_unix_connection(make, f"{host}/.s.PGSQL.{port}")
        else:
            _, stream = await self._loop.create_connection(make, host, port)
        return stream

    def identity(self, parameters):
        """Who a session is to the server: what the gate was told, or else what the client says."""
        return {"user": self.server.get("user") or parameters.get("user", "postgres"), "database": self.database}

    async def cancel(self, body):
        server = await self.connect(lambda: None)
        await server.write(protocol.struct.pack("!I", len(body) + 4) + body)
        server.close()

    def note(self, one):
        self.counts[one.kind] += 1
        if one.sql in self.statements or len(self.statements) < KEPT_MAX:
            self.statements[one.sql] += 1

    def note_refusal(self, one, sqlstate, message):
        if len(self.refusals) < KEPT_MAX:
            self.refusals.append(Refused(one.sql, sqlstate, message))

    def note_finding(self, name, one):
        if len(self.findings) < KEPT_MAX:
            self.findings.append((name, one.sql))

    async def read_catalog(self):
        """Reads which tables are distributed, if a statement may have changed that."""
        if not self.dialect.distributed:
            return
        async with self._reading:
            if self.catalog_is_old:
                self.catalog_is_old = False
                self.distributed = dict(await self._server.ask(
                    "SELECT relname, partkey FROM drover_gate.pg_dist_partition "
                    "JOIN pg_class ON pg_class.oid = logicalrelid WHERE partmethod = 'h'"))


def main():
    parser = argparse.ArgumentParser(description="A gate before a PostgreSQL that behaves like a relative of it.")
    parser.add_argument("dialect", choices=sorted(DIALECTS))
    parser.add_argument("--to", required=True, metavar="CONNINFO", help="the server: a database of the gate's own")
    parser.add_argument("--port", type=int, default=0, help="where to listen on 127.0.0.1 (default: any free port)")
    parser.add_argument("--tolerate", action="store_true", help="note what would be refused, and let it pass")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with Gate(options.dialect, options.to, options.port, tolerates=options.tolerate) as gate:
        print(f"port {gate.port}\nconnect with: {gate.conninfo}", flush=True)
        shown = 0
        try:
            while True:
                time.sleep(0.2)
                for one in gate.refusals[shown:]:
                    print(f"refused: {one.sqlstate} {one.message}: {' '.join(one.statement.split())[:200]}", flush=True)
                    shown += 1
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
