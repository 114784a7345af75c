"""Transactions, and the running of programs in them."""

import dataclasses
import itertools

from ydb_server import postgres
from ydb_server import values
from ydb_server.yql import yql_types as types
from ydb_server.error import TRANSACTION_NOT_FOUND, YdbError
from ydb_server import protocol

# Modes that have no transaction over several requests.
_SINGLE_REQUEST = ("online_read_only", "stale_read_only")
SNAPSHOT = "snapshot"
_MODES = {"serializable_read_write": "serializable", "snapshot_read_write": SNAPSHOT,
          "snapshot_read_only": "read only", "online_read_only": "read only",
          "stale_read_only": "read only"}
_numbers = itertools.count(1)


def mode_of(settings, ends_here):
    """PostgreSQL's mode of TransactionSettings; the default is serializable."""
    name = settings.WhichOneof("tx_mode") or "serializable_read_write"
    if name not in _MODES:
        raise YdbError("UNSUPPORTED", f"the transaction mode {name}")
    if name in _SINGLE_REQUEST and not ends_here:
        raise YdbError("BAD_REQUEST", f"open transactions are not supported for {name}")
    return _MODES[name]


class Transaction:
    """One connection to PostgreSQL in a transaction; whoever has an error of it abandons it."""

    def __init__(self, pool, connection):
        self.identity = f"01tx{next(_numbers):022d}"
        self._pool = pool
        self._connection = connection

    @classmethod
    async def begin(cls, pool, mode):
        connection = await pool.acquire()
        try:
            await postgres.begin(connection, mode)
        except BaseException:
            await pool.discard(connection)
            raise
        return cls(pool, connection)

    @property
    def open(self):
        return self._connection is not None

    async def run(self, program, parameters):
        """The result sets of a program's steps."""
        return [result for step in program.steps
                if (result := await self._step(step, parameters)) is not None]

    async def _step(self, step, parameters):
        bound = [_bound_value(one, parameters) for one in step.bounds]
        cursor = await postgres.execute(self._connection, step.sql, bound)
        if step.columns is None:
            return None
        return ResultRows(step.columns, await cursor.fetchall())

    async def commit(self):
        connection, self._connection = self._connection, None
        try:
            await postgres.execute(connection, "COMMIT")
        except BaseException:
            await self._pool.discard(connection)
            raise
        self._pool.release(connection)

    async def abandon(self):
        """Rolls back; does nothing if it has ended."""
        if self._connection is not None:
            connection, self._connection = self._connection, None
            await self._pool.discard(connection)


def _bound_value(bound, parameters):
    value = parameters[bound.name]
    if bound.member is None:
        return value
    if isinstance(value, tuple):
        return value[bound.member]
    return [row[bound.member] for row in value]


@dataclasses.dataclass
class ResultRows:
    columns: tuple        # of (name, type)
    rows: list            # as PostgreSQL gives them

    def header(self):
        result = protocol.value.ResultSet()
        for name, kind in self.columns:
            column = result.columns.add(name=name)
            types.to_proto(kind, column.type)
        return result

    def parts(self, rows_max, bytes_max):
        """ResultSets with the columns in each; one without rows where there are none."""
        part, size = self.header(), 0
        sent = False
        for row in self.rows:
            message = self._row(row)
            length = message.ByteSize()
            if part.rows and (len(part.rows) >= rows_max or size + length > bytes_max):
                yield part
                part, size, sent = self.header(), 0, True
            part.rows.append(message)
            size += length
        if part.rows or not sent:
            yield part

    def _row(self, row):
        message = protocol.value.Value()
        for (name, kind), content in zip(self.columns, row):
            try:
                values.encode(kind, content, message.items.add())
            except ValueError as error:
                raise YdbError("GENERIC_ERROR", f"column {name}: {error}") from None
        return message


def decode_parameters(declared, sent):
    """The values of a request's parameters, by name."""
    decoded = {}
    for name, kind in declared.items():
        if name not in sent:
            if isinstance(kind, types.Optional):
                decoded[name] = None
                continue
            raise YdbError("BAD_REQUEST", f"Missing value for parameter: {name}")
        decoded[name] = _decode_parameter(name, kind, sent[name])
    return decoded


def _decode_parameter(name, kind, typed):
    try:
        actual = types.from_proto(typed.type)
        if actual != kind:
            raise YdbError("BAD_REQUEST", f"Parameter {name} type mismatch, expected: {kind}, "
                           f"actual: {actual}")
        return values.decode(kind, typed.value, values.member_order(typed.type))
    except ValueError as error:
        raise YdbError("BAD_REQUEST", f"Parameter {name}: {error}") from None


def sent_types(sent):
    found = {}
    for name, typed in sent.items():
        try:
            found[name] = types.from_proto(typed.type)
        except ValueError as error:
            raise YdbError("BAD_REQUEST", f"Parameter {name}: {error}") from None
    return found


def not_found(identity):
    return YdbError("NOT_FOUND", f"Transaction not found: {identity}", code=TRANSACTION_NOT_FOUND)
