"""BulkUpsert: List<Struct> of a request into a table, by COPY.

The fast way goes straight into the table, and serves a first load. Where a key is there already,
the rows go into a temporary table and from there with ON CONFLICT.
"""

import operator
import re

import psycopg

from ydb_server import values
from ydb_server.yql import yql_types as types
from ydb_server.error import YdbError
from ydb_server.postgres import ydb_error
from ydb_server.yql.statement_compiler import upsert_clause

_SPECIAL = re.compile(r"[\\\t\n\r\0]")
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


async def bulk_upsert(pool, table, typed):
    names, kinds = _columns(table, typed.type)
    data = _copy_text(table, names, kinds, typed.value.items)
    connection = await pool.acquire()
    try:
        columns = ", ".join(f'"{name}"' for name in names)
        try:
            await _copy(connection, f"COPY {table.postgres_name} ({columns}) FROM STDIN", data)
        except psycopg.errors.UniqueViolation:
            await _merge(connection, table, names, columns, data)
    except psycopg.Error as error:
        raise ydb_error(error) from None
    finally:
        await pool.discard(connection)


def _columns(table, proto_type):
    """The names and types of the rows, checked against the table."""
    try:
        kind = types.from_proto(proto_type)
    except ValueError as error:
        raise _bad(str(error)) from None
    if not isinstance(kind, types.List) or not isinstance(kind.item, types.Struct):
        raise _bad(f"rows are a List<Struct<…>>, not {kind}")
    names = [member.name for member in proto_type.list_type.item.struct_type.members]
    sent = dict(kind.item.members)
    for name in names:
        if name not in table.columns:
            raise _scheme(f"Unknown column: {name}")
        column = table.columns[name]
        if types.not_optional(sent[name]) != types.not_optional(column.kind) or \
                isinstance(sent[name], types.Optional) and isinstance(sent[name].item,
                                                                      types.Optional):
            raise _scheme(f"Type mismatch, got type {sent[name]} for column {name}, but expected "
                          f"{column.kind}")
    missing = [name for name in table.key if name not in sent]
    if missing:
        raise _scheme(f"Missing key columns: {', '.join(missing)}")
    missing = [column.name for column in table.columns.values()
               if column.not_null and column.name not in sent]
    if missing:
        raise _scheme(f"Missing not null columns: {', '.join(missing)}")
    return names, [sent[name] for name in names]


def _copy_text(table, names, kinds, rows):
    """The rows in PostgreSQL's text format; of rows with one key, the last."""
    readers = [_reader(kind, table.columns[name].not_null)
               for name, kind in zip(names, kinds)]
    places = [names.index(name) for name in table.key]
    lines = {}
    try:
        for row in rows:
            if len(row.items) != len(readers):
                raise ValueError(f"a row has {len(row.items)} values, and its type {len(readers)}")
            fields = [read(item) for read, item in zip(readers, row.items)]
            lines[tuple([fields[place] for place in places])] = "\t".join(fields)
    except ValueError as error:
        raise _bad(f"row {len(lines) + 1}: {error}") from None
    return "\n".join(lines.values()) + "\n" if lines else ""


def _reader(kind, not_null):
    """A function from a value to its field in COPY's text."""
    get, write = _field(types.not_optional(kind))
    nullable = isinstance(kind, types.Optional)

    def read(value):
        content = get(value)
        # What is not zero or empty is certainly there: the common case costs one look.
        if content:
            return write(content)
        if nullable and value.WhichOneof("value") == "null_flag_value":
            if not_null:
                raise ValueError("NULL for a NOT NULL column")
            return "\\N"
        return write(values.decode(types.not_optional(kind), value))
    return read


def _field(kind):
    """(reads the content if it is of the type, and something false if not; writes it)"""
    if kind in (types.INT32, types.INT64, types.UINT32, types.UINT64, types.TIMESTAMP,
                types.DOUBLE):
        return operator.attrgetter(values.field_of(kind)), str
    if kind == types.UTF8:
        return operator.attrgetter("text_value"), _escaped
    if kind == types.STRING:
        return operator.attrgetter("bytes_value"), _hexadecimal
    # The others are rare, or have more to check.
    return lambda value: None, str


def _hexadecimal(content):
    return "\\\\x" + content.hex()


def _escaped(text):
    if not _SPECIAL.search(text):
        return text
    if "\0" in text:
        raise ValueError("a zero byte in a text is outside of what this server keeps")
    return text.translate(_ESCAPES)


async def _copy(connection, sql, data):
    async with connection.cursor().copy(sql) as copy:
        await copy.write(data)


async def _merge(connection, table, names, columns, data):
    await connection.execute("BEGIN")
    await connection.execute(f"CREATE TEMPORARY TABLE bulk ON COMMIT DROP AS "
                             f"SELECT {columns} FROM {table.postgres_name} WITH NO DATA")
    await _copy(connection, f"COPY bulk ({columns}) FROM STDIN", data)
    await connection.execute(f"INSERT INTO {table.postgres_name} ({columns}) SELECT {columns} "
                             f"FROM bulk {upsert_clause(table, names)}")
    await connection.execute("COMMIT")


def _bad(message):
    return YdbError("BAD_REQUEST", f"BulkUpsert: {message}")


def _scheme(message):
    return YdbError("SCHEME_ERROR", f"BulkUpsert: {message}")
