"""Expressions with types, in SQL of PostgreSQL. One compiler for each scope of columns."""

from ydb_server.yql import aggregates
from ydb_server.yql import casts
from ydb_server.yql import functions
from ydb_server.yql import syntax_tree as tree
from ydb_server.yql import yql_types as types
from ydb_server.error import refused, type_error
from ydb_server.yql.functions import truth
from ydb_server.yql.typed_expression import (Typed, arithmetic_kind, cast_sql, comparable,
                                             data_kind, null, of_literal, to_common)

_SUFFIXES = {"l": types.INT64, "u": types.UINT32, "ul": types.UINT64, "t": types.INT8,
             "s": types.INT16, "ut": types.UINT8, "us": types.UINT16}
_COLLATED = (types.UTF8, types.JSON)


class Scope:
    """The columns that an expression may name."""

    def __init__(self, sources=()):
        self.sources = list(sources)   # of (name, {column: Typed})

    def column(self, node):
        if node.source is not None:
            for name, columns in self.sources:
                if name == node.source:
                    return self._in(name, columns, node)
            raise type_error(f"Unknown correlation name: {node.source}", node.place)
        found = [columns for _, columns in self.sources if node.name in columns]
        if len(found) > 1:
            raise type_error(f"Column {node.name} is in more than one source: write which",
                             node.place)
        if not found:
            if not self.sources:
                raise type_error(f"Column references are not allowed without FROM: {node.name}",
                                 node.place)
            raise type_error(f"Member not found: {node.name}", node.place)
        return found[0][node.name]

    @staticmethod
    def _in(name, columns, node):
        if node.name not in columns:
            raise type_error(f"Member not found: {node.name} (in {name})", node.place)
        return columns[node.name]


class Grouping:
    """The keys of a GROUP BY: outside of aggregates nothing else may be named. One with an alias is
    known by that alone."""

    def __init__(self, keys):
        self.keys = keys               # of (expression, alias, Typed)

    def key(self, node, scope):
        if not isinstance(node, tree.Column):
            return None
        for _, alias, typed in self.keys:
            if alias and node.source is None and node.name == alias:
                return typed
        for expression, alias, typed in self.keys:
            if not alias and scope.column(expression) == scope.column(node):
                return typed
        return None


class ExpressionCompiler:
    def __init__(self, context, scope, grouping=None):
        self.context = context
        self.scope = scope
        self.grouping = grouping

    def compile(self, node):
        if self.grouping:
            key = self._grouped(node)
            if key:
                return key
        return _METHODS[type(node)](self, node)

    def condition(self, node):
        return truth(self.compile(node), getattr(node, "place", None)).sql

    def _grouped(self, node):
        if aggregates.is_aggregate(node):
            inside = ExpressionCompiler(self.context, self.scope)
            return aggregates.call(node, inside.compile, bool(self.grouping.keys))
        key = self.grouping.key(node, self.scope)
        if not key and isinstance(node, tree.Column):
            raise type_error(f"Column `{node.name}` must either be a key column in GROUP BY or it "
                             "should be used in aggregation function", node.place)
        return key

    def _literal(self, node):
        if node.kind == "null":
            return null()
        if node.kind == "bool":
            return of_literal(types.BOOL, node.value)
        if node.kind == "string":
            return of_literal(types.UTF8 if node.suffix == "u" else types.STRING, node.value)
        if node.kind == "float":
            if node.suffix not in ("", "f"):
                raise refused(f"the suffix '{node.suffix}' of a number", node.place)
            return of_literal(types.FLOAT if node.suffix else types.DOUBLE, node.value)
        return _integer(node.value, node.suffix, node.place)

    def _parameter(self, node):
        return self.context.named(node, self)

    def _column(self, node):
        return self.scope.column(node)

    def _star(self, node):
        raise type_error("'*' stands in a list of columns or in COUNT(*)", node.place)

    def _unary(self, node):
        if node.sign == "NOT":
            operand = truth(self.compile(node.operand), node.place)
            return Typed(f"(NOT {operand.sql})", operand.kind)
        if isinstance(node.operand, tree.Literal) and node.operand.kind == "integer":
            value = -node.operand.value if node.sign == "-" else node.operand.value
            return _integer(value, node.operand.suffix, node.place)
        operand = self.compile(node.operand)
        kind = data_kind(operand, node.place)
        if kind not in types.SIGNED + types.FLOATING + (types.INTERVAL,) and \
                not isinstance(kind, types.Decimal):
            raise type_error(f"Cannot compute {node.sign}{operand.kind}", node.place)
        return Typed(f"({node.sign} {operand.sql})", operand.kind)

    def _binary(self, node):
        if node.sign == "??":
            ones = [self.compile(node.left), self.compile(node.right)]
            return functions.coalesce(ones, node.place)
        left, right = self.compile(node.left), self.compile(node.right)
        if node.sign in ("AND", "OR", "XOR"):
            return self._logic(node, left, right)
        if node.sign in ("=", "<>", "<", "<=", ">", ">="):
            return self._comparison(node.sign, left, right, node.place)
        if node.sign == "||":
            return self._concatenation(left, right, node.place)
        return self._arithmetic(node.sign, left, right, node.place)

    def _logic(self, node, left, right):
        ones = [truth(left, node.place), truth(right, node.place)]
        optional = any(types.is_optional(one.kind) for one in ones)
        sign = "<>" if node.sign == "XOR" else node.sign
        return Typed(f"({left.sql} {sign} {right.sql})", types.optional_if(optional, types.BOOL))

    def _comparison(self, sign, left, right, place):
        if left.items or right.items:
            return self._tuple_comparison(sign, left, right, place)
        optional = types.is_optional(left.kind) or types.is_optional(right.kind)
        left, right = comparable(left, right, place)
        collation = ""
        if sign not in ("=", "<>") and data_kind(left, place) in _COLLATED:
            collation = ' COLLATE "C"'
        return Typed(f"({left.sql}{collation} {sign} {right.sql})",
                     types.optional_if(optional, types.BOOL))

    def _tuple_comparison(self, sign, left, right, place):
        if len(left.items) != len(right.items):
            raise type_error(f"Can't compare {left.kind} with {right.kind}", place)
        if sign not in ("=", "<>"):
            raise refused("an order of tuples", place)
        ones = [self._comparison("=", one, other, place)
                for one, other in zip(left.items, right.items)]
        sql = "(" + " AND ".join(one.sql for one in ones) + ")"
        optional = any(types.is_optional(one.kind) for one in ones)
        return Typed(f"(NOT {sql})" if sign == "<>" else sql,
                     types.optional_if(optional, types.BOOL))

    def _concatenation(self, left, right, place):
        kind, (one, other) = to_common([left, right], place)
        if types.not_optional(kind) not in types.TEXTS:
            raise type_error(f"Cannot concatenate {left.kind} and {right.kind}", place)
        return Typed(f"({one.sql} || {other.sql})", kind)

    def _arithmetic(self, sign, left, right, place):
        kind = arithmetic_kind(sign, left, right, place)
        optional = types.is_optional(left.kind) or types.is_optional(right.kind)
        divisor = right.sql
        if sign in "/%" and kind not in types.FLOATING:
            # YQL gives NULL where PostgreSQL fails.
            divisor = f"NULLIF({right.sql}, 0)"
            optional = optional or kind in types.INTEGERS
        left_sql = left.sql
        if kind in types.FLOATING:
            left_sql, divisor = (f"({sql})::{types.postgres_type(kind)}"
                                 for sql in (left.sql, right.sql))
            if sign == "%":
                raise refused("% of floating point numbers", place)
            if sign == "/":
                return Typed(f"ydb_divide({left_sql}, {divisor})",
                             types.optional_if(optional, kind))
        result = Typed(f"({left_sql} {sign} {divisor})", kind)
        if kind == types.UINT64 and sign == "/":
            result = Typed(f"trunc({result.sql})", kind)
        return Typed(cast_sql(result, kind), types.optional_if(optional, kind))

    def _is_null(self, node):
        operand = self.compile(node.operand)
        data_kind(operand, node.place)
        return Typed(f"({operand.sql} IS {'NOT ' if node.negated else ''}NULL)", types.BOOL)

    def _between(self, node):
        operand = self.compile(node.operand)
        low = self._comparison(">=", operand, self.compile(node.low), node.place)
        high = self._comparison("<=", operand, self.compile(node.high), node.place)
        optional = types.is_optional(low.kind) or types.is_optional(high.kind)
        sql = f"({low.sql} AND {high.sql})"
        return Typed(f"(NOT {sql})" if node.negated else sql,
                     types.optional_if(optional, types.BOOL))

    def _like(self, node):
        operand, pattern = comparable(self.compile(node.operand), self.compile(node.pattern),
                                      node.place)
        if data_kind(operand, node.place) not in types.TEXTS or "\\" in str(pattern.literal):
            raise refused("LIKE of what is no text, or with a backslash", node.place)
        optional = types.is_optional(operand.kind)
        return Typed(f"({operand.sql} {'NOT ' if node.negated else ''}LIKE {pattern.sql})",
                     types.optional_if(optional, types.BOOL))

    def _case(self, node):
        conditions = []
        for condition, _ in node.branches:
            if node.operand is None:
                conditions.append(self.condition(condition))
            else:
                conditions.append(self._comparison("=", self.compile(node.operand),
                                                   self.compile(condition), node.place).sql)
        values = [self.compile(value) for _, value in node.branches]
        values.append(self.compile(node.otherwise))
        kind, converted = to_common(values, node.place)
        branches = " ".join(f"WHEN {condition} THEN {value.sql}"
                            for condition, value in zip(conditions, converted))
        return Typed(f"(CASE {branches} ELSE {converted[-1].sql} END)", kind)

    def _cast(self, node):
        return casts.cast(self.compile(node.operand), node.kind, node.place)

    def _call(self, node):
        if aggregates.is_aggregate(node):
            raise type_error(f"{node.name} is not allowed here: an aggregate stands in a select "
                             "or HAVING, and not inside of another", node.place)
        return functions.call(node, self)

    def _tuple(self, node):
        items = tuple(self.compile(item) for item in node.items)
        return Typed("", types.Tuple(tuple(item.kind for item in items)), items=items)

    def _exists(self, node):
        return Typed(f"EXISTS ({self.context.select(node.select).sql})", types.BOOL)

    def _in(self, node):
        operand = self.compile(node.operand)
        optional = types.is_optional(operand.kind) or \
            any(types.is_optional(item.kind) for item in operand.items)
        sql, more = self.context.membership(operand, node.among, self, node.place)
        return Typed(f"(NOT {sql})" if node.negated else sql,
                     types.optional_if(optional or more, types.BOOL))


def _integer(value, suffix, place):
    if suffix:
        if suffix not in _SUFFIXES:
            raise refused(f"the suffix '{suffix}' of a number", place)
        kind = _SUFFIXES[suffix]
    else:
        kind = types.INT32 if value <= types.range_of(types.INT32)[1] else types.INT64
    least, greatest = types.range_of(kind)
    if not least <= value <= greatest:
        raise type_error(f"{value} is not a value of {kind}", place)
    return of_literal(kind, value)


_METHODS = {
    tree.Literal: ExpressionCompiler._literal, tree.Parameter: ExpressionCompiler._parameter,
    tree.Column: ExpressionCompiler._column, tree.Star: ExpressionCompiler._star,
    tree.Unary: ExpressionCompiler._unary, tree.Binary: ExpressionCompiler._binary,
    tree.IsNull: ExpressionCompiler._is_null, tree.In: ExpressionCompiler._in,
    tree.Between: ExpressionCompiler._between, tree.Like: ExpressionCompiler._like,
    tree.Case: ExpressionCompiler._case, tree.Cast: ExpressionCompiler._cast,
    tree.Call: ExpressionCompiler._call, tree.TupleOf: ExpressionCompiler._tuple,
    tree.Exists: ExpressionCompiler._exists,
}
