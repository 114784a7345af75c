"""Ydb.Query.V1.QueryService."""

import itertools
import time

import grpc

from ydb_server import protocol
from ydb_server import reply
from ydb_server import transactions
from ydb_server import values
from ydb_server.error import YdbError
from ydb_server.transactions import Transaction

_OK = protocol.status.SUCCESS
_Part = protocol.query.ExecuteQueryResponsePart
_TRANSACTIONS_MAX = 10
_HINTS = "x-ydb-server-hints"
_CAPABILITIES = ("x-ydb-client-capabilities", "session-balancer")


class QueryService(protocol.QueryServicer):
    def __init__(self, server, node):
        self._server = server
        self._node = node

    # Sessions.

    async def CreateSession(self, request, context):
        async def create():
            session = self._server.sessions.create(self._node_for(context), "query")
            return protocol.query.CreateSessionResponse(
                status=_OK, session_id=session.identity, node_id=session.node)
        return await self._unary(context, "CreateSession", create,
                                 protocol.query.CreateSessionResponse)

    def _node_for(self, context):
        """A client that says that it can be moved may get its session on another node."""
        movable = _CAPABILITIES in [tuple(pair) for pair in context.invocation_metadata()]
        if not movable or not self._server.settings.balance_sessions:
            return self._node
        return self._node % len(self._server.nodes) + 1

    async def DeleteSession(self, request, context):
        async def delete():
            await self._server.sessions.remove(self._find(request.session_id))
            return protocol.query.DeleteSessionResponse(status=_OK)
        return await self._unary(context, "DeleteSession", delete,
                                 protocol.query.DeleteSessionResponse, request.session_id)

    async def AttachSession(self, request, context):
        try:
            await self._server.gate.enter(context, self._node, "AttachSession")
            session = self._find(request.session_id)
            if session.attached:
                raise YdbError("BAD_SESSION", f"Session {session.identity} is attached already")
        except YdbError as error:
            yield reply.top(protocol.query.SessionState, error)
            return
        session.attached = True
        try:
            async for state in session.states():
                yield state
        except ConnectionAbortedError:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the attach stream was cut on purpose")
        finally:
            # Whoever is not attached any more has no session.
            self._server.in_background(self._server.sessions.remove(session))

    def _find(self, identity, attached=False):
        session = self._server.sessions.find(identity, self._node, "query")
        if attached and not session.attached:
            raise YdbError("BAD_SESSION", f"Session {identity} is not attached (AttachSession)")
        return session

    # Transactions.

    async def BeginTransaction(self, request, context):
        async def begin():
            session = self._find(request.session_id, attached=True)
            await self._session_faults(session, context, "BeginTransaction")
            async with session.request():
                mode = transactions.mode_of(request.tx_settings, False)
                transaction = await self._begin(session, mode)
            return protocol.query.BeginTransactionResponse(
                status=_OK, tx_meta=protocol.query.TransactionMeta(id=transaction.identity))
        return await self._unary(context, "BeginTransaction", begin,
                                 protocol.query.BeginTransactionResponse, request.session_id)

    async def CommitTransaction(self, request, context):
        async def commit():
            session = self._find(request.session_id, attached=True)
            await self._session_faults(session, context, "CommitTransaction")
            async with session.request():
                transaction = _taken(session, request.tx_id)
                await self._commit(transaction, "CommitTransaction")
            return protocol.query.CommitTransactionResponse(status=_OK)
        return await self._unary(context, "CommitTransaction", commit,
                                 protocol.query.CommitTransactionResponse, request.session_id,
                                 request.tx_id)

    async def RollbackTransaction(self, request, context):
        async def roll_back():
            session = self._find(request.session_id, attached=True)
            async with session.request():
                await _taken(session, request.tx_id).abandon()
            self._server.counts["rolled back"] += 1
            return protocol.query.RollbackTransactionResponse(status=_OK)
        return await self._unary(context, "RollbackTransaction", roll_back,
                                 protocol.query.RollbackTransactionResponse, request.session_id,
                                 request.tx_id)

    async def _begin(self, session, mode):
        if len(session.transactions) >= _TRANSACTIONS_MAX:
            raise YdbError("BAD_REQUEST", f"Max transactions count {_TRANSACTIONS_MAX} exceeded")
        if mode == transactions.SNAPSHOT and not self._server.settings.snapshot_writes:
            raise YdbError("BAD_REQUEST", "Writes aren't supported for Snapshot Isolation")
        transaction = await Transaction.begin(self._server.postgres, mode)
        session.transactions[transaction.identity] = transaction
        return transaction

    async def _commit(self, transaction, method):
        faults = self._server.faults
        if faults.roll("undetermined_lost", method):
            await transaction.abandon()
            raise YdbError("UNDETERMINED", "State of operation is unknown (on purpose; lost)")
        try:
            await transaction.commit()
        except YdbError as error:
            self._server.counts[f"commit {error.status}"] += 1
            raise
        self._server.counts["committed"] += 1
        if faults.roll("undetermined_committed", method):
            raise YdbError("UNDETERMINED", "State of operation is unknown (on purpose; committed)")

    # Queries.

    async def ExecuteQuery(self, request, context):
        try:
            await self._server.gate.enter(context, self._node, "ExecuteQuery")
            await self._status_faults("ExecuteQuery", context, request.session_id,
                                      request.tx_control.tx_id)
            session = self._find(request.session_id, attached=True)
            await self._session_faults(session, context, "ExecuteQuery")
            async with session.request():
                async for part in self._parts(session, request, context):
                    yield part
            await self._transport_fault("transport_after", "ExecuteQuery", context)
        except YdbError as error:
            self._server.counts[f"query {error.status}"] += 1
            yield reply.top(_Part, error)

    async def _parts(self, session, request, context):
        execution = _Execution(self, session, request)
        try:
            async for part in self._sent_parts(execution, request, context):
                yield part
        except YdbError:
            await execution.abandon()
            raise
        except BaseException:
            # The client has gone, or its stream was cut: nobody waits for the roll back.
            self._server.in_background(execution.abandon())
            raise

    async def _sent_parts(self, execution, request, context):
        began = time.monotonic()
        faults = self._server.faults
        cut = faults.roll("stream_cut", "ExecuteQuery")
        late = not cut and faults.roll("late_error", "ExecuteQuery")
        await execution.run()
        parts = list(self._result_parts(execution, request))
        for part in parts:
            yield part
            if cut:
                break
        if cut:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the stream was cut on purpose")
        if late:
            raise YdbError("ABORTED", "Transaction locks invalidated. (on purpose, in a late part)")
        if execution.commits:
            # The rows of a query are on their way before its commit is certain.
            await self._commit(execution.take(), "ExecuteQuery")
        yield self._last_part(execution, request, began, bool(parts))

    def _result_parts(self, execution, request):
        settings = self._server.settings
        bytes_max = min(settings.part_bytes, request.response_part_limit_bytes
                        or settings.part_bytes)
        first = True
        streams = [_numbered(index, result.parts(settings.part_rows, bytes_max))
                   for index, result in enumerate(execution.results)]
        for index, number, rows in _in_order(streams, request.concurrent_result_sets):
            if number and request.schema_inclusion_mode == 2:   # FIRST_ONLY
                del rows.columns[:]
            part = _Part(status=_OK, result_set_index=index, result_set=rows)
            if settings.transaction_in == "every" or first and settings.transaction_in == "first":
                part.tx_meta.id = execution.open_identity
            first = False
            yield part

    def _last_part(self, execution, request, began, after_others):
        part = _Part(status=_OK)
        if self._server.settings.transaction_in != "first" or not after_others:
            part.tx_meta.id = execution.open_identity
        if request.stats_mode >= protocol.query.STATS_MODE_BASIC:
            part.exec_stats.total_duration_us = int((time.monotonic() - began) * 1e6)
        return part

    # Faults.

    async def _unary(self, context, method, work, kind, session_id="", tx_id=""):
        try:
            await self._server.gate.enter(context, self._node, method)
            await self._status_faults(method, context, session_id, tx_id)
            answer = await work()
            await self._transport_fault("transport_after", method, context)
            return answer
        except YdbError as error:
            self._server.counts[f"{method} {error.status}"] += 1
            return reply.top(kind, error)

    async def _transport_fault(self, name, method, context):
        if self._server.faults.roll(name, method):
            await context.abort(grpc.StatusCode.UNAVAILABLE, f"{name}, on purpose")

    async def _status_faults(self, method, context, session_id, tx_id):
        """Those that answer instead of the request, whose transaction is lost with it."""
        session = self._server.sessions.peek(session_id)
        if self._server.faults.roll("transport_before", method):
            await _lose(session, tx_id)
            await context.abort(grpc.StatusCode.UNAVAILABLE, "transport_before, on purpose")
        fault = self._server.faults.status(method)
        if not fault:
            return
        name, status = fault
        if name != "session_busy":
            await _lose(session, tx_id)
        if name in ("bad_session", "session_expired") and session:
            await self._server.sessions.remove(session)
        raise YdbError(status, f"{name}, on purpose")

    async def _session_faults(self, session, context, method):
        """Those that go beside the answer."""
        faults = self._server.faults
        if faults.roll("close_hint", method):
            context.set_trailing_metadata(((_HINTS, "session-close"),))
        for name in ("session_shutdown", "node_shutdown"):
            if faults.roll(name, method):
                session.hint(name)
        if faults.roll("attach_cut", method):
            session.cut()

    @property
    def server(self):
        return self._server

    async def begin_in(self, session, mode):
        return await self._begin(session, mode)


def _numbered(index, parts):
    return ((index, number, rows) for number, rows in enumerate(parts))


def _in_order(streams, concurrent):
    """The parts of all results: one result after the other; or a part of each in turns, the last
    result first, as whoever wants them at the same time has to take them in any order."""
    if not concurrent:
        return itertools.chain(*streams)
    rounds = itertools.zip_longest(*reversed(streams))
    return (part for one_of_each in rounds for part in one_of_each if part)


async def _lose(session, identity):
    transaction = session.transactions.pop(identity, None) if session else None
    if transaction:
        await transaction.abandon()


def _taken(session, identity):
    transaction = session.transactions.pop(identity, None)
    if not transaction:
        raise transactions.not_found(identity)
    return transaction


class _Execution:
    """One ExecuteQuery: its transaction and its results."""

    def __init__(self, service, session, request):
        self._service = service
        self._session = session
        self._request = request
        self._transaction = None
        self.results = []
        self.commits = False      # whether take() gives a transaction to be committed

    @property
    def open_identity(self):
        """Of the transaction that stays open behind the request; empty if none does."""
        return "" if self.commits or not self._transaction else self._transaction.identity

    async def run(self):
        request = self._request
        if request.exec_mode not in (0, protocol.query.EXEC_MODE_EXECUTE):
            raise YdbError("UNSUPPORTED", "exec_mode other than EXECUTE")
        if request.query_content.syntax == protocol.query.SYNTAX_PG:
            raise YdbError("UNSUPPORTED", "the syntax of PostgreSQL")
        server = self._service.server
        program = server.programs.compile(request.query_content.text,
                                          transactions.sent_types(request.parameters))
        if program.scheme:
            if request.HasField("tx_control"):
                raise YdbError("PRECONDITION_FAILED", "Scheme operations cannot be executed inside "
                               "transaction")
            await server.scheme.execute(program)
            return
        if request.concurrent_result_sets and any(step.changes for step in program.steps):
            raise YdbError("BAD_REQUEST", "concurrent_result_sets is set for a text that changes "
                           "rows: this server takes it of texts that only read")
        server.counts["concurrent result sets"] += request.concurrent_result_sets
        parameters = transactions.decode_parameters(program.declared, request.parameters)
        await self._choose_transaction()
        self.results = await self._transaction.run(program, parameters)
        self._spoil_returning(program)

    def _spoil_returning(self, program):
        """RETURNING as servers before 2026 may answer it, in spite of what they have done."""
        returning = [step.changes for step in program.steps if step.columns is not None]
        if not any(returning):
            return
        faults = self._service.server.faults
        lost = faults.roll("returning_lost", "ExecuteQuery")
        invented = faults.roll("returning_invented", "ExecuteQuery")
        for result, changes in zip(self.results, returning):
            if changes and lost:
                result.rows = []
            if changes and invented:
                result.rows.append(tuple(values.empty(kind) for _, kind in result.columns))

    async def _choose_transaction(self):
        control = self._request.tx_control
        selector = control.WhichOneof("tx_selector")
        if selector == "tx_id":
            identity = control.tx_id
            if identity not in self._session.transactions:
                raise transactions.not_found(identity)
            self._transaction = self._session.transactions[identity]
            self.commits = control.commit_tx
            return
        if selector == "begin_tx":
            self.commits = control.commit_tx
            mode = transactions.mode_of(control.begin_tx, self.commits)
        elif self._request.HasField("tx_control"):
            raise YdbError("BAD_REQUEST", "tx_control without tx_id and begin_tx")
        else:
            self.commits = True
            mode = "serializable"
        self._transaction = await self._service.begin_in(self._session, mode)

    def take(self):
        return _taken(self._session, self._transaction.identity)

    async def abandon(self):
        """YDB gives up the transaction with every error inside of it."""
        if self._transaction:
            self._session.transactions.pop(self._transaction.identity, None)
            await self._transaction.abandon()
