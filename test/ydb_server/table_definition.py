"""CREATE TABLE and its settings: checked as YDB checks them, and remembered for DescribeTable."""

from ydb_server import catalog
from ydb_server.yql import yql_types as types
from ydb_server.yql import syntax_tree as tree
from ydb_server.error import YdbError, refused, type_error
from ydb_server.yql.expression_compiler import ExpressionCompiler, Scope
from ydb_server.yql.typed_expression import convert

_NO_KEY = types.FLOATING + (types.JSON,)
_SWITCHES = {"AUTO_PARTITIONING_BY_SIZE": "by_size", "AUTO_PARTITIONING_BY_LOAD": "by_load",
             "KEY_BLOOM_FILTER": "bloom_filter"}
_NUMBERS = {"AUTO_PARTITIONING_PARTITION_SIZE_MB": "size_mb",
            "AUTO_PARTITIONING_MIN_PARTITIONS_COUNT": "min_count",
            "AUTO_PARTITIONING_MAX_PARTITIONS_COUNT": "max_count"}
_COUNT_MAX = 35_000


def define(node, path, the_catalog, context):
    """The table that CREATE TABLE describes, not yet made."""
    columns = {}
    for one in node.columns:
        if one.name in columns:
            raise type_error(f"Duplicate column: {one.name}", one.place)
        columns[one.name] = _column(one)
    for name in node.key:
        if name not in columns:
            raise type_error(f"Undefined column: {name}", node.place)
        if not columns[name].not_null:
            raise refused(f"a key column that may be NULL ({name}: write NOT NULL)", node.place)
        if columns[name].kind in _NO_KEY:
            raise type_error(f"Column {name} has wrong key type {columns[name].kind}", node.place)
    if len(set(node.key)) < len(node.key):
        raise type_error("a column is twice in the key", node.place)
    name = the_catalog.new_postgres_name(path)
    table = catalog.Table(path, the_catalog.quoted(name), columns, node.key)
    for index in node.indexes:
        add_index(table, index, the_catalog)
    apply_settings(table, node.settings, context, creating=True)
    return table


def _column(node):
    kind = node.kind
    if not types.is_data(kind):
        raise type_error(f"Column {node.name}: {kind} is no type of a column", node.place)
    if isinstance(kind, types.Optional) and node.not_null:
        raise type_error(f"Column {node.name} is Optional and NOT NULL", node.place)
    if '"' in node.name:
        raise refused("a name with a double quote", node.place)
    kind = types.not_optional(kind)
    return catalog.Column(node.name, kind if node.not_null else types.Optional(kind), node.not_null)


def add_index(table, node, the_catalog, state=catalog.READY):
    if node.name in table.indexes:
        raise YdbError("SCHEME_ERROR", f"Index {node.name} of {table.path} exists already",
                       node.place)
    for name in (*node.columns, *node.cover):
        column = table.column(name, node.place)
        if name in node.columns and types.not_optional(column.kind) in _NO_KEY:
            raise type_error(f"Column {name} of index {node.name} has wrong key type {column.kind}",
                             node.place)
    index = catalog.Index(node.name, node.columns, node.cover, node.asynchronous, state,
                          the_catalog.new_postgres_name(f"/{node.name}"))
    table.indexes[node.name] = index
    return index


def apply_settings(table, settings, context, creating=False):
    wanted = table.partitioning
    seen = set()
    for one in settings:
        if one.name in seen:
            raise type_error(f"{one.name} is set twice", one.place)
        seen.add(one.name)
        if one.name in _SWITCHES:
            if one.value not in ("ENABLED", "DISABLED"):
                raise type_error(f"{one.name} is ENABLED or DISABLED", one.place)
            setattr(wanted, _SWITCHES[one.name], one.value == "ENABLED")
        elif one.name in _NUMBERS:
            _set_number(wanted, one)
        elif one.name == "PARTITION_AT_KEYS" and creating:
            wanted.at_keys = _split_points(table, one, context)
        elif one.name == "STORE" and one.value == "ROW":
            pass
        else:
            raise refused(f"the setting {one.name} here, or its value", one.place)
    if wanted.max_count and wanted.max_count < wanted.min_count:
        raise YdbError("BAD_REQUEST", "Max partitions count is less than the min partitions count: "
                       f"{wanted.max_count} and {wanted.min_count}")
    if len(wanted.at_keys) + 1 > (wanted.max_count or _COUNT_MAX):
        raise YdbError("BAD_REQUEST", f"{len(wanted.at_keys)} split points make more partitions "
                       f"than the most, {wanted.max_count or _COUNT_MAX}")


def _set_number(wanted, one):
    if not isinstance(one.value, int) or not 1 <= one.value <= 10 ** 6:
        raise type_error(f"{one.name} is a positive number", one.place)
    if one.name.endswith("COUNT") and one.value > _COUNT_MAX:
        raise YdbError("BAD_REQUEST", f"{one.name} is above {_COUNT_MAX}", one.place)
    setattr(wanted, _NUMBERS[one.name], one.value)


def _split_points(table, setting, context):
    if not isinstance(setting.value, tuple):
        raise type_error("PARTITION_AT_KEYS is a list in brackets", setting.place)
    points = [_split_point(table, one, setting.place, context) for one in setting.value]
    values = [value for _, value in points]
    if any(not one < other for one, other in zip(values, values[1:])):
        raise YdbError("BAD_REQUEST", "PARTITION_AT_KEYS: the keys are not in ascending order",
                       setting.place)
    return points


def _split_point(table, node, place, context):
    nodes = node.items if isinstance(node, tree.TupleOf) else (node,)
    if len(nodes) > len(table.key):
        raise type_error("PARTITION_AT_KEYS: more values than the key has columns", place)
    kinds, values = [], []
    for name, one in zip(table.key, nodes):
        kind = table.columns[name].kind
        typed = convert(ExpressionCompiler(context, Scope()).compile(one), kind)
        if not typed or typed.literal is None:
            raise type_error(f"PARTITION_AT_KEYS: the key column {name} wants a literal of {kind}",
                             place)
        kinds.append(types.Optional(kind))
        values.append(typed.literal)
    return types.Tuple(tuple(kinds)), tuple(values)


def create_sql(table):
    columns = []
    for column in table.columns.values():
        collation = ' COLLATE "C"' if types.not_optional(column.kind) in (types.UTF8, types.JSON) \
            else ""
        not_null = " NOT NULL" if column.not_null else ""
        columns.append(f'"{column.name}" {types.postgres_type(column.kind)}{collation}{not_null}')
    key = ", ".join(f'"{name}"' for name in table.key)
    # Unlogged, as nothing is to be recovered: a server that starts begins with an empty database.
    return f"CREATE UNLOGGED TABLE {table.postgres_name} ({', '.join(columns)}, PRIMARY KEY ({key}))"


def index_sql(table, index):
    columns = ", ".join(f'"{name}"' for name in index.columns)
    return f'CREATE INDEX "{index.postgres_name}" ON {table.postgres_name} ({columns})'
