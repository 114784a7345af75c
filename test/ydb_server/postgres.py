"""Connections to PostgreSQL, which executes what the compiler makes; its errors as YDB's."""

import psycopg

from ydb_server.error import CONSTRAINT_VIOLATION, LOCKS_INVALIDATED, YdbError

_SESSION = ("-c jit=off -c max_parallel_workers_per_gather=0 -c statement_timeout=120s "
            "-c client_min_messages=warning")

# Beside them a sequential scan would lock the whole table for a serializable transaction, and fail
# others that have nothing in common with it.
_FINE_LOCKS = "SET LOCAL enable_seqscan = off"

_BEGIN = {
    "serializable": f"BEGIN ISOLATION LEVEL SERIALIZABLE; {_FINE_LOCKS}",
    "snapshot": "BEGIN ISOLATION LEVEL REPEATABLE READ",
    "read only": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
}

_FUNCTIONS = """
CREATE FUNCTION ydb_unwrap(value anyelement, message text) RETURNS anyelement LANGUAGE plpgsql AS $$
BEGIN
  IF value IS NULL THEN RAISE EXCEPTION '%', message USING ERRCODE = 'YU001'; END IF;
  RETURN value;
END $$;
CREATE FUNCTION ydb_divide(a float8, b float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN b <> 0 OR b = 'NaN' OR a IS NULL OR b IS NULL THEN a / b
              WHEN a = 0 OR a = 'NaN' THEN 'NaN'::float8
              WHEN (a > 0) = (b::text NOT LIKE '-%') THEN 'Infinity'::float8
              ELSE '-Infinity'::float8 END $$;
CREATE FUNCTION ydb_divide(a float4, b float4) RETURNS float4 LANGUAGE sql IMMUTABLE AS $$
  SELECT ydb_divide(a::float8, b::float8)::float4 $$;
"""


def ydb_error(error, sql=""):
    """The YdbError of an error of PostgreSQL's."""
    state = getattr(error, "sqlstate", None) or ""
    text = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if state in ("40001", "40P01", "55P03"):
        return YdbError("ABORTED", f"Transaction locks invalidated. ({text})",
                        code=LOCKS_INVALIDATED)
    if state == "23505":
        return YdbError("PRECONDITION_FAILED", "Conflict with existing key.",
                        code=CONSTRAINT_VIOLATION)
    if state == "23502":
        return YdbError("BAD_REQUEST", f"NULL in a NOT NULL column. ({text})",
                        code=CONSTRAINT_VIOLATION)
    if state == "YU001":
        return YdbError("PRECONDITION_FAILED", text)
    if state == "21000":
        return YdbError("GENERIC_ERROR", "several rows of one statement have the same key; YDB "
                        "leaves open which of them is kept, so it is refused here")
    if state == "25006":
        return YdbError("GENERIC_ERROR", "a change in a read-only transaction")
    if state == "57014":
        return YdbError("TIMEOUT", f"Request timeout exceeded. ({text})")
    if state[:2] == "22":
        return YdbError("GENERIC_ERROR", text)
    if isinstance(error, psycopg.OperationalError):
        return YdbError("UNAVAILABLE", f"the PostgreSQL behind this server fails: {text}")
    return YdbError("INTERNAL_ERROR", f"{text} (an error of this server's translation; SQL: {sql})")


class Postgres:
    """A pool of connections. More than `connections_max` at once are refused as OVERLOADED.

    YDB never waits for another's lock: it fails at the commit. Here the second waits for the first,
    and gives up after `lock_timeout_s`.
    """

    def __init__(self, conninfo, schema, connections_max, lock_timeout_s):
        self._conninfo = conninfo
        self.schema = schema
        self._options = (f"{_SESSION} -c search_path={schema} "
                         f"-c lock_timeout={int(lock_timeout_s * 1000)}")
        self._connections_max = connections_max
        self._idle = []
        self.open_count = 0

    async def prepare(self):
        """An empty schema of ours."""
        connection = await self.acquire()
        await connection.execute(f'DROP SCHEMA IF EXISTS "{self.schema}" CASCADE')
        await connection.execute(f'CREATE SCHEMA "{self.schema}"')
        await connection.execute(_FUNCTIONS)
        self.release(connection)

    async def acquire(self):
        while self._idle:
            connection = self._idle.pop()
            if not connection.closed:
                return connection
            self.open_count -= 1
        if self.open_count >= self._connections_max:
            raise YdbError("OVERLOADED", f"all {self._connections_max} connections to PostgreSQL "
                           "are in use (--pg-connections)")
        self.open_count += 1
        try:
            connection = await psycopg.AsyncConnection.connect(
                self._conninfo, autocommit=True, cursor_factory=psycopg.AsyncRawCursor,
                options=self._options)
        except BaseException as error:
            self.open_count -= 1
            if isinstance(error, psycopg.Error):
                raise ydb_error(error) from None
            raise
        return connection

    def release(self, connection):
        if connection.closed:
            self.open_count -= 1
        else:
            self._idle.append(connection)

    async def discard(self, connection):
        """After an error, or a request that was cut: rolled back, or closed if that fails."""
        try:
            await connection.execute("ROLLBACK")
            self.release(connection)
        except psycopg.Error:
            await connection.close()
            self.open_count -= 1

    async def close(self):
        for connection in self._idle:
            await connection.close()
        self._idle = []


async def begin(connection, mode):
    try:
        await connection.execute(_BEGIN[mode])
    except psycopg.Error as error:
        raise ydb_error(error) from None


async def execute(connection, sql, values=None):
    """The cursor of one statement."""
    try:
        return await connection.execute(sql, values)
    except psycopg.Error as error:
        raise ydb_error(error, sql) from None
