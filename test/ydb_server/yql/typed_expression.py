"""SQL with the type that YQL gives it, and the rules by which types meet."""

import dataclasses

from ydb_server.yql import yql_types as types
from ydb_server.error import refused, type_error


@dataclasses.dataclass(frozen=True)
class Typed:
    """`sql` has in PostgreSQL just the type that postgres_type(kind) names."""
    sql: str
    kind: object
    # The value of a literal, which converts where a computed value does not; None otherwise.
    literal: object = None
    # The items of a tuple, which has no SQL of its own.
    items: tuple = ()


def quoted_text(text):
    return "'" + text.replace("'", "''") + "'"


def literal_sql(kind, value):
    """A literal of a type that is not Optional."""
    if kind == types.UTF8 or kind == types.JSON:
        if "\\" in value:
            return "E" + quoted_text(value.replace("\\", "\\\\")) + "::text"
        return quoted_text(value) + "::text"
    if kind == types.STRING:
        return f"'\\x{value.encode().hex()}'::bytea"
    if kind == types.BOOL:
        return "TRUE" if value else "FALSE"
    return f"'{value}'::{types.postgres_type(kind)}"


def of_literal(kind, value):
    return Typed(literal_sql(kind, value), kind, value)


def null(kind=types.NULL):
    if isinstance(kind, types.NullType):
        return Typed("NULL", kind)
    return Typed(f"NULL::{types.postgres_type(kind)}", kind)


def data_kind(typed, place):
    """The type without Optional; an error for lists and tuples."""
    kind = types.not_optional(typed.kind)
    if not isinstance(kind, (types.Primitive, types.Decimal, types.NullType)):
        raise type_error(f"a single value was expected, and this is a {typed.kind}", place)
    return kind


def cast_sql(typed, kind):
    return f"({typed.sql})::{types.postgres_type(kind)}"


def _literal_as(typed, kind):
    """The literal as another type, or None where YQL does not convert it by itself."""
    have = types.not_optional(typed.kind)
    if typed.literal is None:
        return None
    if have in types.INTEGERS and kind in types.INTEGERS:
        least, greatest = types.range_of(kind)
        return of_literal(kind, typed.literal) if least <= typed.literal <= greatest else None
    if have in types.INTEGERS and kind in types.FLOATING:
        return of_literal(kind, typed.literal)
    if have == types.STRING and kind in (types.UTF8, types.JSON):
        return of_literal(kind, typed.literal)
    if have == types.DOUBLE and kind == types.FLOAT:
        return of_literal(kind, typed.literal)
    return None


def _widens(have, want):
    """Whether every value of the one type is a value of the other, by YQL's own conversions."""
    if have in types.INTEGERS and want in types.INTEGERS:
        least, greatest = types.range_of(want)
        low, high = types.range_of(have)
        return least <= low and high <= greatest
    return (have, want) == (types.FLOAT, types.DOUBLE)


def convert(typed, kind):
    """The expression as the type, if YQL converts by itself, or None. Optional<T> is not T."""
    want = types.not_optional(kind)
    if isinstance(typed.kind, types.NullType):
        return null(kind) if types.is_optional(kind) else None
    if types.is_optional(typed.kind) and not types.is_optional(kind):
        return None
    have = types.not_optional(typed.kind)
    if have == want:
        return dataclasses.replace(typed, kind=kind)
    from_literal = _literal_as(typed, want)
    if from_literal:
        return dataclasses.replace(from_literal, kind=kind)
    if _widens(have, want):
        return Typed(cast_sql(typed, want), kind)
    return None


def common_kind(ones, place):
    """The type that all convert to: of branches, of COALESCE, of a list."""
    optional = any(types.is_optional(one.kind) for one in ones)
    candidates = [types.not_optional(one.kind) for one in ones
                  if not isinstance(one.kind, types.NullType)]
    if not candidates:
        return types.NULL
    # A computed value decides before a literal does.
    order = [types.not_optional(one.kind) for one in ones
             if one.literal is None and not isinstance(one.kind, types.NullType)] + candidates
    for kind in order:
        kind = types.optional_if(optional, kind)
        if all(convert(one, kind) for one in ones):
            return kind
    kinds = sorted({str(one.kind) for one in ones})
    raise type_error(f"the values have types without a common one: {', '.join(kinds)}; "
                     "convert them with CAST", place)


def to_common(ones, place):
    kind = common_kind(ones, place)
    return kind, [convert(one, kind) for one in ones]


def comparable(left, right, place):
    """Both sides so that PostgreSQL compares them as YQL does."""
    for one in (left, right):
        if isinstance(one.kind, types.NullType):
            raise type_error("a comparison with NULL is never true; write IS NULL", place)
    have, other = data_kind(left, place), data_kind(right, place)
    numbers = types.INTEGERS + types.FLOATING
    if have == other or (have in numbers and other in numbers):
        return left, right
    for this, that, swap in ((left, right, False), (right, left, True)):
        converted = _literal_as(this, types.not_optional(that.kind))
        if converted:
            return (that, converted) if swap else (converted, that)
    if {have, other} == set(types.TEXTS):
        return tuple(one if types.not_optional(one.kind) == types.STRING else
                     Typed(f"convert_to({one.sql}, 'UTF8')", one.kind) for one in (left, right))
    if isinstance(have, types.Decimal) or isinstance(other, types.Decimal):
        raise refused(f"a comparison of {left.kind} with {right.kind} (CAST one side)", place)
    raise type_error(f"Can't compare {left.kind} with {right.kind}", place)


def arithmetic_kind(sign, left, right, place):
    """The type of `left sign right`, without Optional."""
    have, other = data_kind(left, place), data_kind(right, place)
    if isinstance(have, types.Decimal) or isinstance(other, types.Decimal):
        if have == other or (sign in "*/" and isinstance(have, types.Decimal)
                             and other in types.INTEGERS):
            return have
        raise type_error(f"'{sign}' wants two values of one Decimal type (or, for * and /, an "
                         f"integer on the right), not {left.kind} and {right.kind}; use CAST",
                         place)
    if have in types.FLOATING or other in types.FLOATING:
        if have in types.FLOATING + types.INTEGERS and other in types.FLOATING + types.INTEGERS:
            return types.FLOAT if have == other == types.FLOAT else types.DOUBLE
    if have in types.INTEGERS and other in types.INTEGERS:
        return _integer_kind(left, right, place)
    times = (types.TIMESTAMP, types.INTERVAL)
    if have in times and other in times and sign in "+-":
        found = {("+", *times): times[0], ("-", *times): times[0],
                 ("-", times[0], times[0]): times[1], ("+", times[1], times[1]): times[1],
                 ("-", times[1], times[1]): times[1], ("+", times[1], times[0]): times[0]}
        if (sign, have, other) in found:
            return found[sign, have, other]
    raise type_error(f"Cannot compute {left.kind} {sign} {right.kind}", place)


def _integer_kind(left, right, place):
    have, other = types.not_optional(left.kind), types.not_optional(right.kind)
    if (have in types.SIGNED) == (other in types.SIGNED):
        return have if types.BITS[have] >= types.BITS[other] else other
    # A literal takes the side of the other; YQL would wrap a negative result to a huge one.
    if right.literal is not None and _literal_as(right, have):
        return have
    if left.literal is not None and _literal_as(left, other):
        return other
    raise refused(f"arithmetic of {left.kind} with {right.kind}, whose result may wrap "
                  "(CAST one side)", place)
