"""The aggregates of the subset."""

from ydb_server.yql import syntax_tree as tree
from ydb_server.yql import yql_types as types
from ydb_server.error import refused, type_error
from ydb_server.yql.functions import truth
from ydb_server.yql.typed_expression import Typed, data_kind

_ARGUMENTS = {"COUNT": 1, "SUM": 1, "MIN": 1, "MAX": 1, "AVG": 1, "SOME": 1, "COUNT_IF": 1,
              "SUM_IF": 2}


def is_aggregate(node):
    return isinstance(node, tree.Call) and node.name.upper() in _ARGUMENTS


def call(node, compile_argument, has_keys):
    """`has_keys`: whether there is a GROUP BY, and so never a group without a row."""
    name = node.name.upper()
    if len(node.arguments) != _ARGUMENTS[name]:
        raise type_error(f"{name} takes {_ARGUMENTS[name]} arguments, not {len(node.arguments)}",
                         node.place)
    distinct = "DISTINCT " if node.distinct else ""
    first = node.arguments[0][0]
    if isinstance(first, tree.Star):
        if name != "COUNT" or distinct:
            raise type_error(f"{name}({distinct}*)", node.place)
        return _uint64("count(*)")
    ones = [compile_argument(argument) for argument, _ in node.arguments]
    if name == "COUNT":
        data_kind(ones[0], node.place)
        return _uint64(f"count({distinct}{ones[0].sql})")
    if name == "COUNT_IF":
        return _uint64(f"count(*) FILTER (WHERE {truth(ones[0], node.place).sql})")
    optional = types.is_optional(ones[0].kind) or not has_keys or name == "SUM_IF"
    sql, kind = _value(name, distinct, ones, node.place)
    return Typed(sql, types.optional_if(optional, kind))


def _uint64(sql):
    return Typed(f"({sql})::numeric(20,0)", types.UINT64)


def _value(name, distinct, ones, place):
    kind = data_kind(ones[0], place)
    argument = ones[0].sql
    if name in ("MIN", "MAX"):
        if kind in (types.BOOL, types.STRING):   # PostgreSQL 15 has none for these
            return _first(argument, "" if name == "MIN" else " DESC"), kind
        collation = ' COLLATE "C"' if kind in (types.UTF8, types.JSON) else ""
        return f"{name.lower()}({argument}{collation})", kind
    if name == "SOME":
        return _first(argument, ""), kind
    where = f" FILTER (WHERE {truth(ones[1], place).sql})" if name == "SUM_IF" else ""
    if name == "AVG":
        if kind not in types.INTEGERS + types.FLOATING:
            raise refused(f"AVG of {kind}", place)
        return f"(avg({distinct}{argument}))::float8", types.DOUBLE
    result = _sum_kind(kind, place)
    return f"(sum({distinct}{argument}){where})::{types.postgres_type(result)}", result


def _first(argument, order):
    return (f"(array_agg({argument} ORDER BY {argument}{order}) "
            f"FILTER (WHERE {argument} IS NOT NULL))[1]")


def _sum_kind(kind, place):
    if kind in types.SIGNED:
        return types.INT64
    if kind in types.UNSIGNED:
        return types.UINT64
    if kind in types.FLOATING:
        return kind
    if isinstance(kind, types.Decimal):
        return types.Decimal(35, kind.scale)
    raise type_error(f"Unable to sum {kind}", place)
