"""CAST: which types it takes, when its result is Optional, and what it is in SQL.

Where YQL's own rule is not certain (how a Double becomes an integer or a text), it is refused.
"""

from ydb_server.yql import yql_types as types
from ydb_server.error import refused
from ydb_server.yql.typed_expression import (Typed, cast_sql, data_kind, null, of_literal,
                                             quoted_text)

# Digits of the greatest value of an integer type.
_DIGITS = {kind: len(str(types.range_of(kind)[1])) for kind in types.INTEGERS}


def cast(typed, kind, place):
    want = types.not_optional(kind)
    have = data_kind(typed, place)
    if isinstance(have, types.NullType):
        return null(types.optional(kind))
    sql, may_fail = _convert(typed, have, want, place)
    optional = may_fail or types.is_optional(typed.kind) or types.is_optional(kind)
    return Typed(sql, types.optional_if(optional, want))


def _convert(typed, have, want, place):
    """(SQL, whether it may give NULL for a value)"""
    if have == want:
        return typed.sql, False
    if want in types.INTEGERS:
        return _to_integer(typed, have, want, place)
    if isinstance(want, types.Decimal):
        return _to_decimal(typed, have, want, place)
    if want in types.FLOATING and (have in types.INTEGERS + types.FLOATING
                                   or isinstance(have, types.Decimal)):
        return cast_sql(typed, want), False
    if want in types.TEXTS:
        return _to_text(typed, have, want, place)
    if want == types.TIMESTAMP and have == types.UINT64:
        return cast_sql(typed, want), True
    raise refused(f"CAST of {typed.kind} AS {want}", place)


def _to_integer(typed, have, want, place):
    least, greatest = types.range_of(want)
    in_type = cast_sql(typed, want)
    if have in types.INTEGERS:
        low, high = types.range_of(have)
        if least <= low and high <= greatest:
            return in_type, False
        return f"(CASE WHEN {typed.sql} BETWEEN {least} AND {greatest} THEN {in_type} END)", True
    if have == types.BOOL:
        return f"({typed.sql})::int4::{types.postgres_type(want)}", False
    if have == types.TIMESTAMP and want == types.UINT64:
        return in_type, False
    if have in types.TEXTS:
        text = _as_text(typed, have)
        # Nested, as PostgreSQL may try both sides of an AND.
        number = f"(CASE WHEN {text} ~ '^-?[0-9]{{1,30}}$' THEN ({text})::numeric END)"
        return (f"(CASE WHEN {number} BETWEEN {least} AND {greatest} "
                f"THEN {number}::{types.postgres_type(want)} END)"), True
    raise refused(f"CAST of {typed.kind} AS {want}", place)


def _to_decimal(typed, have, want, place):
    whole = want.precision - want.scale
    limit = 10 ** whole
    if have in types.INTEGERS:
        number, fits = f"({typed.sql})::numeric", _DIGITS[have] <= whole
    elif isinstance(have, types.Decimal):
        if have.scale > want.scale:
            raise refused(f"CAST of {typed.kind} AS {want}, which rounds,", place)
        number = typed.sql
        fits = have.precision - have.scale <= whole
    elif have in types.TEXTS:
        text = _as_text(typed, have)
        number = f"(CASE WHEN {text} ~ '^-?[0-9]+([.][0-9]+)?$' THEN ({text})::numeric END)"
        fits = False
    else:
        raise refused(f"CAST of {typed.kind} AS {want}", place)
    in_type = f"({number})::{types.postgres_type(want)}"
    if fits:
        return in_type, False
    rounded = f"round({number}, {want.scale})"
    return f"(CASE WHEN abs({rounded}) < {limit} THEN {in_type} END)", True


def _to_text(typed, have, want, place):
    if have in types.TEXTS:
        if typed.literal is not None:
            return of_literal(want, typed.literal).sql, want == types.UTF8
        if want == types.STRING:
            return f"convert_to({typed.sql}, 'UTF8')", False
        return f"convert_from({typed.sql}, 'UTF8')", True
    if have in types.INTEGERS:
        text = f"({typed.sql})::text"
    elif isinstance(have, types.Decimal):
        text = f"trim_scale({typed.sql})::text"
    else:
        raise refused(f"CAST of {typed.kind} AS {want}", place)
    return (text if want == types.UTF8 else f"convert_to({text}, 'UTF8')"), False


def _as_text(typed, have):
    if typed.literal is not None:
        return quoted_text(typed.literal) + "::text"
    return typed.sql if have == types.UTF8 else f"convert_from({typed.sql}, 'UTF8')"
