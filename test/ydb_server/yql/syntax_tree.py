"""What the parser makes of a text. `place` is where a node begins, and no part of its identity."""

import dataclasses


def node(cls):
    return dataclasses.dataclass(frozen=True)(cls)


def place_field():
    return dataclasses.field(default=None, compare=False)


# Expressions.

@node
class Literal:
    value: object
    kind: str            # "integer", "float", "string", "bool", "null"
    suffix: str = ""
    place: tuple = place_field()


@node
class Parameter:
    """`$name`: a parameter or a named expression."""
    name: str
    place: tuple = place_field()


@node
class Column:
    source: object       # the name before the dot, or None
    name: str
    place: tuple = place_field()


@node
class Star:
    source: object
    place: tuple = place_field()


@node
class Unary:
    sign: str            # "-", "+", "NOT"
    operand: object
    place: tuple = place_field()


@node
class Binary:
    sign: str
    left: object
    right: object
    place: tuple = place_field()


@node
class IsNull:
    operand: object
    negated: bool
    place: tuple = place_field()


@node
class In:
    operand: object
    among: object        # an expression, or a Select
    negated: bool
    place: tuple = place_field()


@node
class Between:
    operand: object
    low: object
    high: object
    negated: bool
    place: tuple = place_field()


@node
class Like:
    operand: object
    pattern: object
    negated: bool
    place: tuple = place_field()


@node
class Case:
    operand: object      # or None
    branches: tuple      # of (condition, value)
    otherwise: object    # or None
    place: tuple = place_field()


@node
class Cast:
    operand: object
    kind: object         # a type
    place: tuple = place_field()


@node
class Call:
    name: str
    arguments: tuple     # of (expression, name or None)
    distinct: bool = False
    place: tuple = place_field()


@node
class TupleOf:
    items: tuple
    place: tuple = place_field()


@node
class Exists:
    select: object
    place: tuple = place_field()


# Where rows come from.

@node
class TableSource:
    name: str
    view: object         # the name of an index, or None
    alias: object
    place: tuple = place_field()


@node
class SelectSource:
    select: object
    alias: object
    place: tuple = place_field()


@node
class NamedSource:
    """`FROM $name`: a named select."""
    name: str
    alias: object
    place: tuple = place_field()


@node
class RowsSource:
    """`FROM AS_TABLE(…)`."""
    rows: object
    alias: object
    place: tuple = place_field()


@node
class Join:
    kind: str            # "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "LEFT SEMI", "LEFT ONLY"
    source: object
    condition: object    # an expression, a tuple of names (USING), or None
    place: tuple = place_field()


@node
class SelectItem:
    expression: object
    alias: object


@node
class SortKey:
    expression: object
    descending: bool


@node
class Select:
    items: tuple
    distinct: bool
    source: object
    joins: tuple
    where: object
    group_by: tuple      # of SelectItem
    having: object
    order_by: tuple
    limit: object
    offset: object
    unions: tuple = ()   # further selects, by UNION ALL
    place: tuple = place_field()


# Statements.

@node
class Declare:
    name: str
    kind: object
    place: tuple = place_field()


@node
class Assign:
    name: str
    value: object        # an expression, or a Select
    place: tuple = place_field()


@node
class Write:
    """UPSERT, INSERT or REPLACE."""
    verb: str
    table: str
    columns: tuple       # or None
    rows: tuple          # of VALUES; or None
    select: object       # or None
    returning: tuple     # of SelectItem
    place: tuple = place_field()


@node
class Update:
    table: str
    changes: tuple       # of (column, expression, place)
    where: object
    returning: tuple
    place: tuple = place_field()


@node
class Delete:
    table: str
    where: object
    returning: tuple
    place: tuple = place_field()


@node
class ChangeOn:
    """UPDATE t ON SELECT, or DELETE FROM t ON SELECT."""
    verb: str
    table: str
    columns: tuple       # or None
    select: object
    returning: tuple
    place: tuple = place_field()


@node
class ColumnDefinition:
    name: str
    kind: object
    not_null: bool
    place: tuple = place_field()


@node
class IndexDefinition:
    name: str
    columns: tuple
    cover: tuple
    asynchronous: bool
    place: tuple = place_field()


@node
class Setting:
    """NAME = value: a word, a number, or a tuple of them and of expressions."""
    name: str
    value: object
    place: tuple = place_field()


@node
class CreateTable:
    name: str
    if_not_exists: bool
    columns: tuple
    key: tuple
    indexes: tuple
    settings: tuple
    place: tuple = place_field()


@node
class DropTable:
    name: str
    if_exists: bool
    place: tuple = place_field()


@node
class AlterTable:
    name: str
    add_indexes: tuple
    drop_indexes: tuple
    settings: tuple
    place: tuple = place_field()


SCHEME_STATEMENTS = (CreateTable, DropTable, AlterTable)


@node
class Query:
    path_prefix: object  # of PRAGMA TablePathPrefix, or None
    path_prefix_place: tuple
    declarations: tuple
    statements: tuple
