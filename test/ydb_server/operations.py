"""Long-running operations: index builds, and answers that are not ready at once."""

import asyncio
import itertools
import time

import psycopg

from ydb_server import catalog
from ydb_server import protocol
from ydb_server import reply
from ydb_server import table_definition
from ydb_server.error import YdbError
from ydb_server.postgres import ydb_error

_State = protocol.table.IndexBuildState
_numbers = itertools.count(281474976710656)


class Operations:
    def __init__(self):
        self._operations = {}

    def add(self, operation):
        self._operations[operation.identity] = operation
        return operation

    def find(self, identity):
        if identity not in self._operations:
            raise YdbError("NOT_FOUND", f"Operation not found: {identity}")
        return self._operations[identity]

    def forget(self, identity):
        operation = self.find(identity)
        if not operation.ready:
            raise YdbError("PRECONDITION_FAILED", f"Operation {identity} is not ready: cancel it")
        del self._operations[identity]

    async def close(self):
        for operation in self._operations.values():
            await operation.close()


class Delayed:
    """An answer that is ready after some calls of GetOperation."""

    def __init__(self, answer, polls):
        self.identity = f"ydb://delayed/1?id={next(_numbers)}"
        self._answer = answer
        self._polls = polls

    @property
    def ready(self):
        return self._polls <= 0

    def describe(self, polled=True):
        if polled:
            self._polls -= 1
        if not self.ready:
            return protocol.operation.Operation(id=self.identity, ready=False)
        answer = protocol.operation.Operation()
        answer.CopyFrom(self._answer)
        answer.id = self.identity
        return answer

    def cancel(self):
        raise YdbError("PRECONDITION_FAILED", f"Operation {self.identity} cannot be cancelled")

    async def close(self):
        pass


class IndexBuild:
    """PREPARING, TRANSFERING_DATA, APPLYING, DONE; or CANCELLED or REJECTED.

    It is done when PostgreSQL has built the index, `index_seconds` have passed, and GetOperation
    was called `index_polls` times; how far it is comes from the least of them. With `index_polls` it
    is never done between two calls.
    """

    def __init__(self, server, table, index, is_polled):
        """`is_polled`: somebody will call GetOperation, and not only wait for the end."""
        self.identity = f"ydb://buildindex/7?id={next(_numbers)}"
        self.finished = asyncio.Event()
        self._server = server
        self._table = table
        self._index = index
        self._began = time.monotonic()
        self._polls_wanted = server.settings.index_polls if is_polled else 0
        self._seconds_wanted = server.settings.index_seconds
        self._polls = 0
        self._built = False
        self._end = None          # the state that it ended in
        self._error = None
        self._task = asyncio.create_task(self._build())

    @property
    def ready(self):
        return self._end is not None

    async def _build(self):
        try:
            connection = await self._server.postgres.acquire()
            try:
                await connection.execute("SET lock_timeout = 0")
                await connection.execute(table_definition.index_sql(self._table, self._index))
                await connection.execute("RESET lock_timeout")
            except psycopg.Error as error:
                raise ydb_error(error) from None
            finally:
                await self._server.postgres.discard(connection)
            self._built = True
            await asyncio.sleep(max(0.0, self._began + self._seconds_wanted - time.monotonic()))
            if not self._polls_wanted:
                self._advance()
        except YdbError as error:
            self._error = error
            self._finish(_State.STATE_REJECTED)

    def _progress(self):
        """0 to 1."""
        parts = [1.0 if self._built else 0.5]
        if self._polls_wanted:
            parts.append(self._polls / self._polls_wanted)
        if self._seconds_wanted:
            parts.append((time.monotonic() - self._began) / self._seconds_wanted)
        return min(1.0, *parts) if len(parts) > 1 else parts[0]

    def _advance(self):
        if not self.ready and self._built and self._progress() >= 1.0:
            self._finish(_State.STATE_DONE)

    def _finish(self, state):
        self._end = state
        if state == _State.STATE_DONE:
            self._index.state = catalog.READY
        else:
            self._table.indexes.pop(self._index.name, None)
        self._server.catalog.changed()
        self.finished.set()

    def _state(self):
        if self.ready:
            return self._end
        progress = self._progress()
        if progress <= 0.2:
            return _State.STATE_PREPARING
        return _State.STATE_TRANSFERING_DATA if progress < 0.9 else _State.STATE_APPLYING

    def describe(self, polled=True):
        if polled:
            self._polls += 1
            self._advance()
        operation = protocol.operation.Operation(id=self.identity, ready=self.ready)
        if self._end == _State.STATE_DONE:
            operation.status = protocol.status.SUCCESS
        elif self._end == _State.STATE_CANCELLED:
            operation.status = protocol.status.CANCELLED
        elif self.ready:
            operation.MergeFrom(reply.failed(self._error))
        metadata = protocol.table.IndexBuildMetadata(state=self._state())
        metadata.progress = 100.0 if self._end == _State.STATE_DONE else 100.0 * self._progress()
        metadata.description.path = self._table.path
        metadata.description.index.name = self._index.name
        metadata.description.index.index_columns.extend(self._index.columns)
        metadata.description.index.global_index.SetInParent()
        operation.metadata.Pack(metadata)
        return operation

    def cancel(self):
        if self.ready:
            raise YdbError("PRECONDITION_FAILED", f"Operation {self.identity} has ended already")
        self._task.cancel()
        self._finish(_State.STATE_CANCELLED)

    async def close(self):
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
