"""The functions of the subset: by their name as the text has it, in capitals."""

import datetime
import decimal

from ydb_server.yql import syntax_tree as tree
from ydb_server.yql import yql_types as types
from ydb_server.error import refused, type_error
from ydb_server.yql.typed_expression import (Typed, comparable, convert, data_kind, literal_sql,
                                             of_literal, quoted_text, to_common)

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def call(node, compiler):
    """The typed expression of a call that is no aggregate."""
    name = node.name.upper()
    if node.distinct:
        raise type_error(f"DISTINCT in {node.name}, which is no aggregate", node.place)
    if name in _CONSTRUCTORS or name == "DECIMAL":
        return _construct(name, node)
    if name not in _FUNCTIONS:
        raise refused(f"the function {node.name}", node.place)
    least, most, function = _FUNCTIONS[name]
    if not least <= len(node.arguments) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        raise type_error(f"{node.name} takes {wanted} arguments, not {len(node.arguments)}",
                         node.place)
    if name == "ASSTRUCT":
        raise refused("AsStruct outside of AS_TABLE(AsList(…))", node.place)
    return function([compiler.compile(argument) for argument, _ in node.arguments], node.place)


def _coalesce(ones, place):
    kind, converted = to_common(ones, place)
    # What comes last decides: a value that is never NULL leaves nothing Optional.
    optional = all(types.is_optional(one.kind) for one in ones)
    sql = f"COALESCE({', '.join(one.sql for one in converted)})"
    return Typed(sql, types.optional_if(optional, types.not_optional(kind)))


coalesce = _coalesce


def _if(ones, place):
    condition = truth(ones[0], place).sql
    if len(ones) == 2:
        sql = f"(CASE WHEN {condition} THEN {ones[1].sql} END)"
        return Typed(sql, types.optional(ones[1].kind))
    kind, (yes, no) = to_common(ones[1:], place)
    return Typed(f"(CASE WHEN {condition} THEN {yes.sql} ELSE {no.sql} END)", kind)


def truth(typed, place):
    """A condition: Bool or Optional<Bool>."""
    if types.not_optional(typed.kind) != types.BOOL:
        raise type_error(f"Expected bool, but got: {typed.kind}", place)
    return typed


def _unwrap(ones, place):
    if not types.is_optional(ones[0].kind) or isinstance(ones[0].kind, types.NullType):
        raise type_error(f"Unwrap wants an Optional, not {ones[0].kind}", place)
    message = "Failed to unwrap empty optional"
    if len(ones) == 2:
        message = ones[1].literal
        if not isinstance(message, str):
            raise refused("a message of Unwrap that is no literal", place)
    kind = types.not_optional(ones[0].kind)
    where = f"{place[0]}:{place[1]}: {message}"
    return Typed(f"ydb_unwrap({ones[0].sql}, {quoted_text(where)})", kind)


def _just(ones, place):
    return Typed(ones[0].sql, types.Optional(data_kind(ones[0], place)))


def _extreme(function):
    def extreme(ones, place):
        if any(types.is_optional(one.kind) for one in ones):
            # GREATEST passes over NULL in PostgreSQL, and does not in YQL.
            raise refused("MAX_OF or MIN_OF of an Optional", place)
        kind, converted = to_common(ones, place)
        for one in converted[1:]:
            comparable(converted[0], one, place)
        return Typed(f"{function}({', '.join(one.sql for one in converted)})", kind)
    return extreme


def _length(ones, place):
    kind = data_kind(ones[0], place)
    if kind not in types.TEXTS:
        raise type_error(f"Length wants a String or Utf8, not {ones[0].kind}", place)
    return Typed(f"octet_length({ones[0].sql})::int8",
                 types.optional_if(types.is_optional(ones[0].kind), types.UINT32))


def _unicode_length(ones, place):
    text = _utf8(ones[0], place)
    return Typed(f"length({text.sql})::numeric(20,0)",
                 types.optional_if(types.is_optional(text.kind), types.UINT64))


def _unicode_substring(ones, place):
    text = _utf8(ones[0], place)
    bounds = [convert(one, types.UINT64) for one in ones[1:]]
    if None in bounds:
        raise type_error("Unicode::Substring wants Uint64 for its place and length", place)
    start = f"({bounds[0].sql})::int4 + 1" if bounds else "1"
    length = f", ({bounds[1].sql})::int4" if len(bounds) > 1 else ""
    return Typed(f"substr({text.sql}, {start}{length})", text.kind)


def _utf8(typed, place):
    kind = types.optional_if(types.is_optional(typed.kind), types.UTF8)
    converted = convert(typed, kind)
    if not converted:
        raise type_error(f"a Utf8 was expected, not {typed.kind}", place)
    return converted


def _abs(ones, place):
    kind = data_kind(ones[0], place)
    if kind not in types.SIGNED + types.FLOATING and not isinstance(kind, types.Decimal):
        raise type_error(f"Abs of {ones[0].kind}", place)
    return Typed(f"abs({ones[0].sql})", ones[0].kind)


def _affix(function):
    def affix(ones, place):
        left, right = comparable(ones[0], ones[1], place)
        if data_kind(left, place) != types.UTF8:
            raise refused("StartsWith and EndsWith of what is no Utf8", place)
        optional = types.is_optional(left.kind) or types.is_optional(right.kind)
        return Typed(function.format(left=left.sql, right=right.sql),
                     types.optional_if(optional, types.BOOL))
    return affix


def _as_tuple(ones, place):
    return Typed("", types.Tuple(tuple(one.kind for one in ones)), items=tuple(ones))


def _now(ones, place):
    return Typed("(extract(epoch FROM statement_timestamp()) * 1000000)::int8", types.TIMESTAMP)


_FUNCTIONS = {
    "COALESCE": (1, 100, _coalesce), "NVL": (1, 100, _coalesce), "IF": (2, 3, _if),
    "UNWRAP": (1, 2, _unwrap), "JUST": (1, 1, _just),
    "MAX_OF": (1, 100, _extreme("GREATEST")), "GREATEST": (1, 100, _extreme("GREATEST")),
    "MIN_OF": (1, 100, _extreme("LEAST")), "LEAST": (1, 100, _extreme("LEAST")),
    "LENGTH": (1, 1, _length), "LEN": (1, 1, _length), "ABS": (1, 1, _abs),
    "UNICODE::GETLENGTH": (1, 1, _unicode_length),
    "UNICODE::SUBSTRING": (1, 3, _unicode_substring),
    "STARTSWITH": (2, 2, _affix("starts_with({left}, {right})")),
    "ENDSWITH": (2, 2, _affix("(right({left}, length({right})) = {right})")),
    "ASTUPLE": (1, 100, _as_tuple), "CURRENTUTCTIMESTAMP": (0, 0, _now),
    "ASSTRUCT": (0, 100, None),
}

_CONSTRUCTORS = {kind.name.upper(): kind for kind in
                 (*types.INTEGERS, types.DOUBLE, types.FLOAT, types.TIMESTAMP, types.BOOL,
                  types.UTF8, types.STRING)}


def _construct(name, node):
    """Type("literal"): Int64("5"), Decimal("1.50", 22, 9), Timestamp("2024-01-01T00:00:00Z")."""
    literals = [argument.value if isinstance(argument, tree.Literal) else None
                for argument, _ in node.arguments]
    try:
        if name == "DECIMAL":
            return _decimal(*literals)
        kind = _CONSTRUCTORS[name]
        (text,) = literals
        if not isinstance(text, str):
            raise ValueError("a literal text is expected")
        return _constructed(kind, text)
    except (TypeError, ValueError, decimal.InvalidOperation) as error:
        raise type_error(f"Bad literal of {node.name}: {error}", node.place) from None


def _decimal(text, precision, scale):
    precision, scale = (int(one) for one in (precision, scale))
    kind = types.decimal(precision, scale)
    number = decimal.Decimal(text)
    if not number.is_finite() or abs(number) >= 10 ** (precision - scale):
        raise ValueError(f"{text} is not a value of {kind}")
    return Typed(literal_sql(kind, number), kind)


def _constructed(kind, text):
    if kind in types.INTEGERS:
        least, greatest = types.range_of(kind)
        if not least <= int(text) <= greatest:
            raise ValueError(f"{text} is not a value of {kind}")
        return of_literal(kind, int(text))
    if kind in types.FLOATING:
        return of_literal(kind, float(text))
    if kind == types.TIMESTAMP:
        if not text.endswith("Z"):
            raise ValueError("a time ends with Z")
        moment = datetime.datetime.fromisoformat(text[:-1] + "+00:00")
        microseconds = (moment - _EPOCH) // datetime.timedelta(microseconds=1)
        if microseconds < 0:
            raise ValueError("a Timestamp is not before 1970")
        return Typed(literal_sql(kind, microseconds), kind)
    if kind == types.BOOL:
        if text.lower() not in ("true", "false"):
            raise ValueError("true or false is expected")
        return of_literal(kind, text.lower() == "true")
    return of_literal(kind, text)
