"""What the compilation of one text knows: parameters, named expressions, tables, and for each
statement the parameters of its SQL."""

import dataclasses

from ydb_server.yql import syntax_tree as tree
from ydb_server.yql import yql_types as types
from ydb_server.error import YdbError, refused, syntax_error, type_error
from ydb_server.yql.expression_compiler import ExpressionCompiler, Scope
from ydb_server.yql.select_compiler import compile_select
from ydb_server.yql.typed_expression import (Typed, comparable, data_kind, to_common)


@dataclasses.dataclass(frozen=True)
class Named:
    """A named expression: its tree, and the names and the statement that it was made among."""
    value: object
    names: dict
    number: int


@dataclasses.dataclass(frozen=True)
class Bound:
    """What a parameter of the SQL is made of: a parameter of the request, or of each item of a
    list one member."""
    name: str
    member: object = None


class QueryContext:
    def __init__(self, catalog, prefix, declared):
        self.catalog = catalog
        self.prefix = prefix
        self.declared = declared     # name: type
        self.names = {}              # name: Named
        self.number = 0              # of the statement
        self.changed = {}            # path: number of the statement that changed it last
        self.bounds = []             # of the SQL of this statement
        self._as_of = None           # the oldest named expression that is being compiled

    def begin_statement(self):
        self.number += 1
        self.bounds = []

    def assign(self, node):
        if node.name in self.declared:
            raise type_error(f"{node.name} is a parameter", node.place)
        # Compiled once to say at its place what is wrong with it; used where it is named.
        if isinstance(node.value, tree.Select):
            self.select(node.value)
        else:
            self._check_expression(node.value)
        self.names[node.name] = Named(node.value, dict(self.names), self.number)

    def _check_expression(self, value):
        if isinstance(value, tree.Call) and value.name.upper() == "ASLIST":
            return
        ExpressionCompiler(self, Scope()).compile(value)

    # Tables.

    def table(self, name, place):
        """For reading. A named expression is no variable: where the text changes a table between
        the expression and its use, its meaning is not written down, so that is refused."""
        table = self._find(name, place)
        if self._as_of is not None and self.changed.get(table.path, 0) > self._as_of:
            raise refused(f"the use of a named expression that reads {name}, which a statement "
                          "after it has changed,", place)
        return table

    def table_to_change(self, name, place):
        return self._find(name, place)

    def end_change(self, table):
        """The statement reads before it changes, so it is marked at its end."""
        self.changed[table.path] = self.number

    def _find(self, name, place):
        return self.catalog.table(self.path(name, place), place)

    def path(self, name, place):
        try:
            return self.catalog.absolute(name, self.prefix)
        except YdbError as error:
            raise YdbError(error.status, error.message, place, "Type annotation",
                           error.code) from None

    # Names with $.

    def resolve(self, node):
        """(Named, None) or (None, the type of the parameter)"""
        if node.name in self.names:
            return self.names[node.name], None
        if node.name in self.declared:
            return None, self.declared[node.name]
        raise syntax_error(f"Unknown name: {node.name}", node.place)

    def named(self, node, compiler):
        named, kind = self.resolve(node)
        if named:
            if isinstance(named.value, tree.Select):
                return self._within(named, lambda: self.scalar(named.value, node.place))
            return self._within(named, lambda: ExpressionCompiler(self, Scope())
                                .compile(named.value))
        if isinstance(kind, types.Tuple):
            items = tuple(self._placeholder(Bound(node.name, position), item)
                          for position, item in enumerate(kind.items))
            return Typed("", kind, items=items)
        if not types.is_data(kind):
            raise type_error(f"{node.name} is a {kind}: it stands behind IN or in AS_TABLE",
                             node.place)
        return self._placeholder(Bound(node.name), kind)

    def _within(self, named, compile_it):
        """Compiles with the names that were known where the expression was made."""
        names, as_of = self.names, self._as_of
        self.names = named.names
        self._as_of = named.number if as_of is None else min(as_of, named.number)
        try:
            return compile_it()
        finally:
            self.names, self._as_of = names, as_of

    def _placeholder(self, bound, kind, array=False):
        if bound not in self.bounds:
            self.bounds.append(bound)
        number = self.bounds.index(bound) + 1
        return Typed(f"${number}::{types.postgres_type(kind)}{'[]' if array else ''}", kind)

    # Selects inside of something.

    def select(self, select):
        return compile_select(select, self)

    def named_select(self, node):
        """The plan of `FROM $name`."""
        named, _ = self.resolve(node)
        if not named or not isinstance(named.value, tree.Select):
            raise type_error(f"{node.name} is no select; rows of a parameter come from "
                             f"AS_TABLE({node.name})", node.place)
        return self._within(named, lambda: self.select(named.value))

    def scalar(self, select, place):
        plan = self.select(select)
        if len(plan.columns) != 1:
            raise type_error(f"a select of one column was expected here, and it has "
                             f"{len(plan.columns)}", place)
        name, kind = plan.columns[0]
        return Typed(f'(SELECT q."{name}" FROM ({plan.sql}) AS q LIMIT 1)', types.optional(kind))

    # Lists.

    def rows(self, node, place):
        """AS_TABLE(…): (SQL of a source without alias, [(name, type)])"""
        if isinstance(node, tree.Parameter):
            named, kind = self.resolve(node)
            if named:
                return self._within(named, lambda: self.rows(named.value, place))
            if not isinstance(kind, types.List) or not isinstance(kind.item, types.Struct):
                raise type_error(f"AS_TABLE wants a List<Struct<…>>, and {node.name} is a {kind}",
                                 place)
            return self._unnested(node.name, kind.item.names,
                                  [item for _, item in kind.item.members], place), \
                list(kind.item.members)
        if isinstance(node, tree.Call) and node.name.upper() == "ASLIST":
            return self._listed_rows(node, place)
        raise refused("AS_TABLE of anything but a parameter or AsList(AsStruct(…), …)", place)

    def _unnested(self, name, names, kinds, place):
        for kind in kinds:
            if not types.is_data(kind):
                raise refused(f"a list whose items hold {kind}", place)
        arrays = ", ".join(self._placeholder(Bound(name, position), kind, array=True).sql
                           for position, kind in enumerate(kinds))
        columns = ", ".join(f'"{one}"' for one in names)
        return f"(SELECT * FROM unnest({arrays}) AS u({columns}))"

    def _listed_rows(self, node, place):
        compiler = ExpressionCompiler(self, Scope())
        rows = []
        for struct, _ in node.arguments:
            if not isinstance(struct, tree.Call) or struct.name.upper() != "ASSTRUCT" or \
                    not all(name for _, name in struct.arguments):
                raise refused("AsList of anything but AsStruct(value AS name, …)", place)
            rows.append({name: compiler.compile(value) for value, name in struct.arguments})
        names = sorted(rows[0]) if rows else []
        if not names or any(sorted(row) != names for row in rows):
            raise type_error("the structs of a list have the same members, and at least one",
                             place)
        columns = [to_common([row[name] for row in rows], place) for name in names]
        values = ", ".join("(" + ", ".join(converted[number].sql for _, converted in columns) + ")"
                           for number in range(len(rows)))
        quoted = ", ".join(f'"{name}"' for name in names)
        return f"(SELECT * FROM (VALUES {values}) AS u({quoted}))", \
            [(name, kind) for name, (kind, _) in zip(names, columns)]

    def membership(self, operand, among, compiler, place):
        """operand IN among: (SQL, whether it may be NULL because of what is in among)"""
        if isinstance(among, tree.Select):
            return self._in_plan(operand, self.select(among), place)
        if isinstance(among, tree.Parameter):
            named, kind = self.resolve(among)
            if named and isinstance(named.value, tree.Select):
                return self._in_plan(operand, self.named_select(among), place)
            if named:
                return self._within(named, lambda: self.membership(operand, named.value, compiler,
                                                                   place))
            if isinstance(kind, types.List):
                return self._in_list(operand, among.name, kind.item, place)
        return self._in_values(operand, among, compiler, place)

    def _in_plan(self, operand, plan, place):
        if len(plan.columns) != 1 or operand.items:
            raise refused("IN (SELECT …) of more than one column", place)
        name, kind = plan.columns[0]
        left, right = comparable(operand, Typed(f'q."{name}"', kind), place)
        return f"({left.sql} IN (SELECT {right.sql} FROM ({plan.sql}) AS q))", \
            types.is_optional(kind)

    def _in_list(self, operand, name, item, place):
        if not isinstance(item, types.Tuple):
            if not types.is_data(item):
                raise type_error(f"IN a list of {item}", place)
            array = self._placeholder(Bound(name), item, array=True)
            left, right = comparable(operand, array, place)
            if right.sql != array.sql:
                raise refused(f"a {operand.kind} among a List<{item}>", place)
            return f"({left.sql} = ANY({right.sql}))", types.is_optional(item)
        if len(operand.items) != len(item.items):
            raise type_error(f"Can't compare {operand.kind} with {item}", place)
        names = [f"i{position}" for position in range(len(item.items))]
        source = self._unnested(name, names, item.items, place)
        pairs = [comparable(one, Typed(f'q."{column}"', kind), place)
                 for one, column, kind in zip(operand.items, names, item.items)]
        lefts = ", ".join(left.sql for left, _ in pairs)
        rights = ", ".join(right.sql for _, right in pairs)
        return f"(({lefts}) IN (SELECT {rights} FROM {source} AS q))", \
            any(types.is_optional(kind) for kind in item.items)

    def _in_values(self, operand, among, compiler, place):
        if isinstance(among, tree.Call) and among.name.upper() == "ASLIST":
            values = [value for value, _ in among.arguments]
        elif isinstance(among, tree.TupleOf) and not (
                operand.items and not isinstance(among.items[0], tree.TupleOf)):
            values = list(among.items)
        else:
            values = [among]
        ones = [compiler.compile(value) for value in values]
        equal = [self._equal(operand, one, place) for one in ones]
        return "(" + " OR ".join(equal) + ")", \
            any(types.is_optional(one.kind) for one in ones if not one.items)

    def _equal(self, operand, one, place):
        if not operand.items:
            data_kind(one, place)
            left, right = comparable(operand, one, place)
            return f"{left.sql} = {right.sql}"
        if len(one.items) != len(operand.items):
            raise type_error(f"Can't compare {operand.kind} with {one.kind}", place)
        return "(" + " AND ".join(self._equal(left, right, place) for left, right in
                                  zip(operand.items, one.items)) + ")"
