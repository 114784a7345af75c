"""SELECT in SQL, with the names and types of its columns."""

import dataclasses

from ydb_server.yql import aggregates
from ydb_server import catalog
from ydb_server.yql import syntax_tree as tree
from ydb_server.yql import yql_types as types
from ydb_server.error import YdbError, refused, type_error
from ydb_server.yql.expression_compiler import ExpressionCompiler, Grouping, Scope
from ydb_server.yql.typed_expression import Typed, convert


@dataclasses.dataclass(frozen=True)
class SelectPlan:
    sql: str
    columns: tuple        # of (name, type)


def compile_select(node, context):
    first = _SelectCompiler(node, context).plan()
    if not node.unions:
        return first
    plans = [first] + [_SelectCompiler(one, context).plan() for one in node.unions]
    return _union(plans, node.place)


def _union(plans, place):
    names = [name for name, _ in plans[0].columns]
    for plan in plans[1:]:
        if [name for name, _ in plan.columns] != names:
            raise refused("UNION ALL of selects whose columns have other names or another order",
                          place)
    columns = []
    for position, name in enumerate(names):
        kinds = [plan.columns[position][1] for plan in plans]
        optional = any(map(types.is_optional, kinds))
        if len(set(map(types.not_optional, kinds))) > 1:
            raise refused(f"UNION ALL with several types of {name}", place)
        columns.append((name, types.optional_if(optional, types.not_optional(kinds[0]))))
    return SelectPlan(" UNION ALL ".join(f"({plan.sql})" for plan in plans), tuple(columns))


def compile_items(items, source, context, place):
    """What RETURNING gives: [(name, Typed)]; `source` is (name, {column: Typed})."""
    node = tree.Select(items, False, None, (), None, (), None, (), None, None, (), place)
    compiler = _SelectCompiler(node, context)
    compiler.scope.sources.append(source)
    return compiler.columns(ExpressionCompiler(context, compiler.scope))


class _SelectCompiler:
    def __init__(self, node, context):
        self.node = node
        self.context = context
        self.conditions = []   # of WHERE
        self.scope = Scope()

    def plan(self):
        node = self.node
        source = self._from()
        if node.where:
            self.conditions.append(self._compiler().condition(node.where))
        grouping = self._grouping()
        compiler = self._compiler(grouping)
        columns = self.columns(compiler)
        parts = ["SELECT DISTINCT" if node.distinct else "SELECT",
                 ", ".join(f'{typed.sql} AS "{name}"' for name, typed in columns)]
        if source:
            parts.append(f"FROM {source}")
        if self.conditions:
            parts.append("WHERE " + " AND ".join(self.conditions))
        if grouping and grouping.keys:
            parts.append("GROUP BY " + ", ".join(typed.sql for _, _, typed in grouping.keys))
        if node.having:
            if not grouping:
                raise type_error("HAVING without GROUP BY", node.place)
            parts.append("HAVING " + compiler.condition(node.having))
        if node.order_by:
            parts.append("ORDER BY " + ", ".join(self._sort_key(key, compiler, dict(columns))
                                                 for key in node.order_by))
        parts += self._limits()
        return SelectPlan(" ".join(parts),
                          tuple((name, typed.kind) for name, typed in columns))

    def _compiler(self, grouping=None):
        return ExpressionCompiler(self.context, self.scope, grouping)

    # FROM.

    def _from(self):
        if not self.node.source:
            return ""
        sql = self._source(self.node.source)
        for join in self.node.joins:
            sql = self._join(sql, join)
        return sql

    def _source(self, node):
        """Adds a source to the scope; its SQL with an alias of ours."""
        alias = f"s{len(self.scope.sources) + 1}"
        sql, name, columns = self._rows_of(node)
        name = node.alias or name
        if not name and self.node.joins:
            raise type_error("JOIN: missing correlation name for source (write AS)", node.place)
        if any(other == name for other, _ in self.scope.sources) and name:
            raise type_error(f"Duplicate source name: {name}", node.place)
        typed = {column: Typed(f'{alias}."{column}"', kind) for column, kind in columns}
        self.scope.sources.append((name, typed))
        return f"{sql} AS {alias}"

    def _rows_of(self, node):
        if isinstance(node, tree.TableSource):
            table = self.context.table(node.name, node.place)
            if node.view:
                _require_index(table, node.view, node.place)
            return table.postgres_name, node.name, \
                [(column.name, column.kind) for column in table.columns.values()]
        if isinstance(node, tree.RowsSource):
            sql, columns = self.context.rows(node.rows, node.place)
            return sql, None, columns
        if isinstance(node, tree.NamedSource):
            plan = self.context.named_select(tree.Parameter(node.name, node.place))
        else:
            plan = self.context.select(node.select)
        return f"({plan.sql})", None, plan.columns

    def _join(self, left, join):
        before = len(self.scope.sources)
        right = self._source(join.source)
        if join.kind == "CROSS":
            return f"({left} CROSS JOIN {right})"
        condition = self._join_condition(join, before)
        if join.kind in ("LEFT SEMI", "LEFT ONLY"):
            self.scope.sources.pop()
            sign = "" if join.kind == "LEFT SEMI" else "NOT "
            self.conditions.append(f"{sign}EXISTS (SELECT 1 FROM {right} WHERE {condition})")
            return left
        if join.kind in ("LEFT", "FULL"):
            self._make_optional(before, len(self.scope.sources))
        if join.kind in ("RIGHT", "FULL"):
            self._make_optional(0, before)
        return f"({left} {join.kind} JOIN {right} ON {condition})"

    def _make_optional(self, first, end):
        for position in range(first, end):
            name, columns = self.scope.sources[position]
            columns = {column: dataclasses.replace(typed, kind=types.optional(typed.kind))
                       for column, typed in columns.items()}
            self.scope.sources[position] = (name, columns)

    def _join_condition(self, join, before):
        if isinstance(join.condition, tuple):
            if before != 1:
                raise refused("USING behind another JOIN", join.place)
            condition = [self._equality(tree.Column(self.scope.sources[0][0], name, join.place),
                                        tree.Column(self.scope.sources[1][0], name, join.place),
                                        join.place, before) for name in join.condition]
        else:
            condition = [self._equality(left, right, place, before)
                         for left, right, place in _equalities(join.condition, join.place)]
        return " AND ".join(condition)

    def _equality(self, left, right, place, before):
        """YQL joins by equal values of both sides, and by nothing else."""
        sides = [self._side(one, before) for one in (left, right)]
        if sorted(sides) != ["left", "right"]:
            raise type_error("JOIN: each equality of ON names columns of both sides, one side on "
                             "the left of '=' and the other on the right; what speaks of one side "
                             "belongs into WHERE", place)
        compiler = self._compiler()
        return compiler.compile(tree.Binary("=", left, right, place)).sql

    def _side(self, node, before):
        sides = set()
        for column in _columns_in(node):
            if column.source is None:
                raise type_error("JOIN: column requires correlation name", column.place)
            typed = self.scope.column(column)
            position = next(position for position, (_, columns) in enumerate(self.scope.sources)
                            if typed in columns.values())
            sides.add("left" if position < before else "right")
        return sides.pop() if len(sides) == 1 else "none"

    # What is selected.

    def _grouping(self):
        keys = []
        for item in self.node.group_by:
            typed = self._compiler().compile(item.expression)
            keys.append((item.expression, item.alias, typed))
        expressions = [item.expression for item in self.node.items]
        if not keys and not any(map(_has_aggregate, [*expressions, self.node.having])):
            return None
        return Grouping(keys)

    def columns(self, compiler):
        columns = []
        for item in self.node.items:
            if isinstance(item.expression, tree.Star):
                columns += self._all_columns(item.expression)
                continue
            typed = compiler.compile(item.expression)
            if typed.items:
                raise refused("a tuple among the columns of a select",
                              getattr(item.expression, "place", self.node.place))
            name = item.alias
            if not name and isinstance(item.expression, tree.Column):
                name = item.expression.name
            columns.append((name or f"column{len(columns)}", typed))
        names = [name for name, _ in columns]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise type_error(f"Duplicated member: {', '.join(twice)} (give an alias)",
                             self.node.place)
        for name, _ in columns:
            if '"' in name:
                raise refused("a column whose name has a double quote", self.node.place)
        return [(name, _text_for_null(typed)) for name, typed in columns]

    def _all_columns(self, star):
        """In the order of the alphabet, as YDB's servers have given them for long: who relies on
        another order is found out."""
        if star.source is None and len(self.scope.sources) != 1:
            raise refused("'*' of several sources", star.place)
        for name, columns in self.scope.sources:
            if star.source in (None, name):
                return sorted(columns.items())
        raise type_error(f"Unknown correlation name: {star.source}", star.place)

    def _sort_key(self, key, compiler, columns):
        node = key.expression
        if isinstance(node, tree.Column) and node.source is None and node.name in columns:
            sql, kind = f'"{node.name}"', columns[node.name].kind
            if types.not_optional(kind) == types.UTF8:
                sql = columns[node.name].sql
        else:
            typed = compiler.compile(node)
            sql, kind = typed.sql, typed.kind
        if types.not_optional(kind) == types.UTF8:
            sql += ' COLLATE "C"'
        # NULL is less than every value in YQL.
        return f"{sql} DESC NULLS LAST" if key.descending else f"{sql} NULLS FIRST"

    def _limits(self):
        parts = []
        for word, node in (("LIMIT", self.node.limit), ("OFFSET", self.node.offset)):
            if node is None:
                continue
            typed = convert(ExpressionCompiler(self.context, Scope()).compile(node), types.UINT64)
            if not typed:
                raise type_error(f"{word} wants a Uint64", getattr(node, "place", self.node.place))
            parts.append(f"{word} {typed.sql}")
        return parts


def _text_for_null(typed):
    """PostgreSQL would give an untyped NULL the type text by itself; said, unions agree."""
    return dataclasses.replace(typed, sql="NULL::text") if isinstance(typed.kind, types.NullType) \
        else typed


def _require_index(table, name, place):
    index = table.indexes.get(name)
    if not index:
        raise YdbError("SCHEME_ERROR", f"Required global index not found, index name: {name}",
                       place, "Type annotation", 2003)
    if index.state != catalog.READY:
        raise YdbError("GENERIC_ERROR", f"Requested index {name} is not ready to use", place,
                       "Type annotation", 2000)


def _equalities(node, place):
    if isinstance(node, tree.Binary) and node.sign == "AND":
        return _equalities(node.left, place) + _equalities(node.right, place)
    if isinstance(node, tree.Binary) and node.sign == "=":
        if isinstance(node.left, tree.TupleOf):
            raise refused("a tuple in ON", node.place)
        return [(node.left, node.right, node.place)]
    raise type_error("JOIN: ON wants equalities with AND between them", place)


def _children(node):
    """The expressions inside of one, but not those of a select inside."""
    for value in vars(node).values():
        for one in _flat(value):
            if hasattr(one, "__dataclass_fields__") and not isinstance(one, tree.Select):
                yield one


def _flat(value):
    if isinstance(value, tuple):
        for one in value:
            yield from _flat(one)
    else:
        yield value


def _columns_in(node):
    if isinstance(node, tree.Column):
        yield node
    for child in _children(node):
        yield from _columns_in(child)


def _has_aggregate(node):
    if node is None:
        return False
    return aggregates.is_aggregate(node) or any(map(_has_aggregate, _children(node)))
