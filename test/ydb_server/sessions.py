"""Sessions: each belongs to a node, does one thing at a time, and has its transactions."""

import asyncio
import contextlib
import itertools

from ydb_server.error import YdbError
from ydb_server import protocol

_numbers = itertools.count(1)
_CUT = object()
_END = object()


class Session:
    def __init__(self, node, kind):
        self.node = node
        self.kind = kind                 # "query" or "table"
        self.identity = f"ydb://session/3?node_id={node}&id={next(_numbers):016x}"
        self.attached = False
        self.closed = False
        self.transactions = {}           # identity: Transaction
        self._busy = False
        self._hints = asyncio.Queue()

    @contextlib.asynccontextmanager
    async def request(self):
        """One at a time; what is closed meanwhile gives up its transactions at the end."""
        if self._busy:
            raise YdbError("SESSION_BUSY", f"Pending previous query completion, session "
                           f"{self.identity}")
        self._busy = True
        try:
            yield
        finally:
            self._busy = False
            if self.closed:
                await self._abandon()

    async def close(self):
        self.closed = True
        self._hints.put_nowait(_END)
        if not self._busy:
            await self._abandon()

    async def _abandon(self):
        while self.transactions:
            _, transaction = self.transactions.popitem()
            await transaction.abandon()

    def hint(self, field):
        """"session_shutdown" or "node_shutdown", to whoever is attached."""
        self._hints.put_nowait(field)

    def cut(self):
        """Ends the attach stream as a lost connection does."""
        self._hints.put_nowait(_CUT)

    async def states(self):
        """What the attach stream sends; raises ConnectionAbortedError where it is to be cut."""
        yield protocol.query.SessionState(status=protocol.status.SUCCESS)
        while True:
            hint = await self._hints.get()
            if hint is _END:
                return
            if hint is _CUT:
                raise ConnectionAbortedError
            state = protocol.query.SessionState(status=protocol.status.SUCCESS)
            getattr(state, hint).SetInParent()
            yield state


class Sessions:
    def __init__(self, settings):
        self._settings = settings
        self._sessions = {}
        self.made = 0

    def create(self, node, kind):
        on_node = sum(1 for one in self._sessions.values() if one.node == node)
        if on_node >= self._settings.sessions_per_node:
            raise YdbError("OVERLOADED", f"Active sessions limit exceeded on node {node}, maximum "
                           f"allowed: {self._settings.sessions_per_node}")
        session = Session(node, kind)
        self._sessions[session.identity] = session
        self.made += 1
        return session

    def find(self, identity, node, kind):
        session = self._sessions.get(identity)
        if not session or session.kind != kind:
            raise YdbError("BAD_SESSION", f"Session not found: {identity}")
        if session.node != node:
            raise YdbError("BAD_SESSION", f"Session {identity} is of node {session.node}, and not "
                           f"of this one, {node}")
        return session

    def peek(self, identity):
        """The session, or None; for faults, before anything is checked."""
        return self._sessions.get(identity)

    def all(self, kind="query", node=None):
        return [one for one in self._sessions.values()
                if one.kind == kind and node in (None, one.node)]

    async def remove(self, session):
        self._sessions.pop(session.identity, None)
        await session.close()

    async def remove_node(self, node):
        for session in [one for one in self._sessions.values() if one.node == node]:
            await self.remove(session)
