"""A text of YQL becomes a program: steps of SQL, each with the columns of its result."""

import dataclasses

from ydb_server.yql import syntax_tree as tree
from ydb_server.yql import yql_types as types
from ydb_server.error import YdbError, refused, syntax_error, type_error
from ydb_server.yql.expression_compiler import ExpressionCompiler, Scope
from ydb_server.query_context import QueryContext
from ydb_server.yql.select_compiler import compile_items
from ydb_server.yql.statement_parser import parse
from ydb_server.yql.typed_expression import Typed, convert


@dataclasses.dataclass(frozen=True)
class Step:
    sql: str
    bounds: tuple          # of query_context.Bound: $1, $2, …
    columns: object        # of the result: ((name, type), …), or None
    changes: bool


@dataclasses.dataclass(frozen=True)
class Program:
    declared: dict         # name: type of every parameter that the text may use
    steps: tuple           # of Step; or empty, and
    scheme: tuple          # of statements of the scheme
    context: QueryContext  # with which the scheme statements find their tables


def compile_text(text, catalog, parameter_types):
    """`parameter_types`: those of the request, for parameters that the text does not declare."""
    query = parse(text)
    prefix = _prefix(query, catalog)
    declared = dict(parameter_types)
    seen = set()
    for declaration in query.declarations:
        if declaration.name in seen:
            raise syntax_error(f"Duplicate declaration of {declaration.name}", declaration.place)
        seen.add(declaration.name)
        declared[declaration.name] = declaration.kind
    context = QueryContext(catalog, prefix, declared)
    scheme = tuple(one for one in query.statements if isinstance(one, tree.SCHEME_STATEMENTS))
    if scheme and len(scheme) < len(query.statements):
        raise YdbError("GENERIC_ERROR", "Queries with mixed data and scheme operations are not "
                       "supported. Use separate queries for different types of operations.",
                       scheme[0].place, "Type annotation", 1030)
    steps = () if scheme else tuple(_steps(query.statements, context))
    return Program(declared, steps, scheme, context)


def _prefix(query, catalog):
    prefix = query.path_prefix
    if prefix is None:
        return None
    if not prefix.startswith("/"):
        raise refused(f"a TablePathPrefix that does not begin with '/' ('{prefix}')",
                      query.path_prefix_place)
    try:
        return catalog.absolute(prefix)
    except YdbError as error:
        raise YdbError(error.status, error.message, query.path_prefix_place, "Type annotation",
                       error.code) from None


def _steps(statements, context):
    for node in statements:
        context.begin_statement()
        if isinstance(node, tree.Assign):
            context.assign(node)
        elif isinstance(node, tree.Select):
            plan = context.select(node)
            yield Step(plan.sql, tuple(context.bounds), plan.columns, False)
        else:
            yield _CHANGES[type(node)](node, context)


def _columns_of(table):
    """The table under the alias that the SQL of a change gives it."""
    return {name: Typed(f's1."{name}"', column.kind) for name, column in table.columns.items()}


def _finish(sql, table, node, context):
    """With RETURNING."""
    columns = None
    if node.returning:
        returned = compile_items(node.returning, (node.table, _columns_of(table)), context,
                                 node.place)
        sql += " RETURNING " + ", ".join(f'{typed.sql} AS "{name}"' for name, typed in returned)
        columns = tuple((name, typed.kind) for name, typed in returned)
    context.end_change(table)
    return Step(sql, tuple(context.bounds), columns, True)


def _converted(typed, column, place):
    result = convert(typed, column.kind)
    if result:
        return result.sql
    if column.not_null and types.is_optional(typed.kind):
        raise type_error(f"Can't set NULL or optional value to column: {column.name}, type should "
                         f"be not null type: {column.kind}", place)
    raise type_error(f"Failed to convert '{column.name}': {typed.kind} to {column.kind}", place)


def _write(node, context):
    table = context.table_to_change(node.table, node.place)
    source = _values(node, table, context) if node.rows else _selected(node, table, context)
    names, sql = source
    _require_columns(node, table, names)
    quoted = ", ".join(f'"{name}"' for name in names)
    sql = f"INSERT INTO {table.postgres_name} AS s1 ({quoted}) {sql}"
    if node.verb != "INSERT":
        sql += " " + upsert_clause(table, names, node.verb == "REPLACE")
    return _finish(sql, table, node, context)


def upsert_clause(table, names, replace=False):
    """ON CONFLICT: only the named columns change; of REPLACE, the others become NULL."""
    changes = [f'"{name}" = EXCLUDED."{name}"' for name in names if name not in table.key]
    if replace:
        changes += [f'"{name}" = NULL' for name in table.columns if name not in names]
    key = ", ".join(f'"{name}"' for name in table.key)
    action = f"UPDATE SET {', '.join(changes)}" if changes else "NOTHING"
    return f"ON CONFLICT ({key}) DO {action}"


def _values(node, table, context):
    compiler = ExpressionCompiler(context, Scope())
    columns = [table.column(name, node.place) for name in node.columns]
    rows = []
    for row in node.rows:
        if len(row) != len(columns):
            raise type_error(f"VALUES have {len(row)} columns, {len(columns)} expected", node.place)
        rows.append("(" + ", ".join(
            _converted(compiler.compile(value), column, getattr(value, "place", node.place))
            for value, column in zip(row, columns)) + ")")
    return node.columns, "VALUES " + ", ".join(rows)


def _selected(node, table, context):
    plan = context.select(node.select)
    names = tuple(name for name, _ in plan.columns)
    if node.columns is not None:
        if len(node.columns) != len(names):
            raise type_error(f"The select has {len(names)} columns, {len(node.columns)} expected",
                             node.place)
        if node.columns != names:
            raise refused("a list of columns with other names, or another order, than those of "
                          "the select", node.place)
    sql = ", ".join(_converted(Typed(f'q."{name}"', kind), table.column(name, node.place),
                               node.place) for name, kind in plan.columns)
    return names, f"SELECT {sql} FROM ({plan.sql}) AS q"


def _require_columns(node, table, names):
    if len(set(names)) < len(names):
        raise type_error(f"a column is named twice in {node.verb} INTO {node.table}", node.place)
    for column in table.columns.values():
        if column.name in names:
            continue
        if column.name in table.key:
            raise type_error(f"Missing key column in input: {column.name} for table: {table.path}",
                             node.place)
        if column.not_null:
            raise type_error(f"Missing not null column in input: {column.name}. All not null "
                             "columns should be initialized", node.place)


def _where(node, source, context):
    if node.where is None:
        return ""
    return " WHERE " + ExpressionCompiler(context, Scope([source])).condition(node.where)


def _update(node, context):
    table = context.table_to_change(node.table, node.place)
    source = (node.table, _columns_of(table))
    compiler = ExpressionCompiler(context, Scope([source]))
    changes = []
    for name, expression, place in node.changes:
        column = table.column(name, place)
        if name in table.key:
            raise type_error(f"Cannot update primary key column: {name}", place)
        changes.append(f'"{name}" = {_converted(compiler.compile(expression), column, place)}')
    sql = f"UPDATE {table.postgres_name} AS s1 SET {', '.join(changes)}" \
        + _where(node, source, context)
    return _finish(sql, table, node, context)


def _delete(node, context):
    table = context.table_to_change(node.table, node.place)
    source = (node.table, _columns_of(table))
    sql = f"DELETE FROM {table.postgres_name} AS s1" + _where(node, source, context)
    return _finish(sql, table, node, context)


def _change_on(node, context):
    table = context.table_to_change(node.table, node.place)
    plan = context.select(node.select)
    names = [name for name, _ in plan.columns]
    if node.columns is not None and list(node.columns) != names:
        raise refused("a list of columns with other names, or another order, than those of the "
                      "select", node.place)
    missing = [name for name in table.key if name not in names]
    if missing:
        raise type_error(f"Missing key column in input: {', '.join(missing)}", node.place)
    matching = " AND ".join(_matching(name, dict(plan.columns)[name], table, node)
                            for name in table.key)
    others = [name for name in names if name not in table.key]
    if node.verb == "DELETE":
        if others:
            raise type_error(f"DELETE ON takes the key alone, and not {', '.join(others)}",
                             node.place)
        sql = f"DELETE FROM {table.postgres_name} AS s1 USING ({plan.sql}) AS q WHERE {matching}"
    else:
        changes = ", ".join(f'"{name}" = ' + _on_value(name, plan, table, node) for name in others)
        if not changes:
            raise type_error("UPDATE ON wants columns beside the key", node.place)
        sql = (f"UPDATE {table.postgres_name} AS s1 SET {changes} FROM ({plan.sql}) AS q "
               f"WHERE {matching}")
    return _finish(sql, table, node, context)


def _on_value(name, plan, table, node):
    return _converted(Typed(f'q."{name}"', dict(plan.columns)[name]),
                      table.column(name, node.place), node.place)


def _matching(name, kind, table, node):
    # A NULL in a key matches no row.
    key = types.optional_if(types.is_optional(kind), table.column(name, node.place).kind)
    converted = convert(Typed(f'q."{name}"', kind), key)
    if not converted:
        raise type_error(f"Failed to convert '{name}': {kind} to {key}", node.place)
    return f's1."{name}" = {converted.sql}'


_CHANGES = {tree.Write: _write, tree.Update: _update, tree.Delete: _delete,
            tree.ChangeOn: _change_on}
