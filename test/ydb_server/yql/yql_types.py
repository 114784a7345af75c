"""The types of YQL: how they are written, sent, and kept in PostgreSQL."""

import dataclasses

from ydb_server import protocol


@dataclasses.dataclass(frozen=True)
class Primitive:
    name: str

    def __str__(self):
        return self.name


@dataclasses.dataclass(frozen=True)
class Decimal:
    precision: int
    scale: int

    def __str__(self):
        return f"Decimal({self.precision},{self.scale})"


@dataclasses.dataclass(frozen=True)
class Optional:
    item: object

    def __str__(self):
        return f"Optional<{self.item}>"


@dataclasses.dataclass(frozen=True)
class List:
    item: object

    def __str__(self):
        return f"List<{self.item}>"


@dataclasses.dataclass(frozen=True)
class Tuple:
    items: tuple

    def __str__(self):
        return f"Tuple<{','.join(map(str, self.items))}>"


@dataclasses.dataclass(frozen=True)
class Struct:
    """Members are sorted by name, as YQL sorts them: their order in a request does not matter."""
    members: tuple  # of (name, type)

    def __str__(self):
        return f"Struct<{','.join(f'{name}:{kind}' for name, kind in self.members)}>"

    @property
    def names(self):
        return [name for name, _ in self.members]


@dataclasses.dataclass(frozen=True)
class NullType:
    """The type of the literal NULL."""

    def __str__(self):
        return "Null"


BOOL = Primitive("Bool")
INT8, INT16, INT32, INT64 = (Primitive(f"Int{bits}") for bits in (8, 16, 32, 64))
UINT8, UINT16, UINT32, UINT64 = (Primitive(f"Uint{bits}") for bits in (8, 16, 32, 64))
FLOAT, DOUBLE = Primitive("Float"), Primitive("Double")
STRING, UTF8 = Primitive("String"), Primitive("Utf8")
DATE, DATETIME, TIMESTAMP, INTERVAL = map(Primitive, ("Date", "Datetime", "Timestamp", "Interval"))
JSON = Primitive("Json")
NULL = NullType()

SIGNED = (INT8, INT16, INT32, INT64)
UNSIGNED = (UINT8, UINT16, UINT32, UINT64)
INTEGERS = SIGNED + UNSIGNED
FLOATING = (FLOAT, DOUBLE)
TEXTS = (STRING, UTF8)
BITS = dict(zip(INTEGERS, (8, 16, 32, 64) * 2))

PRIMITIVES = {kind.name: kind for kind in
              (BOOL, *INTEGERS, *FLOATING, *TEXTS, DATE, DATETIME, TIMESTAMP, INTERVAL, JSON)}
# Other names of the same.
ALIASES = {"Text": UTF8, "Bytes": STRING}

# Unsigned numbers take the next larger type of PostgreSQL, which has none; times are the number
# that the protocol sends.
_POSTGRES = {
    BOOL: "boolean", INT8: "int2", INT16: "int2", INT32: "int4", INT64: "int8",
    UINT8: "int2", UINT16: "int4", UINT32: "int8", UINT64: "numeric(20,0)",
    FLOAT: "float4", DOUBLE: "float8", STRING: "bytea", UTF8: "text", JSON: "text",
    DATE: "int4", DATETIME: "int8", TIMESTAMP: "int8", INTERVAL: "int8"}


def postgres_type(kind):
    kind = not_optional(kind)
    if isinstance(kind, Decimal):
        return f"numeric({kind.precision},{kind.scale})"
    return _POSTGRES[kind]


def is_optional(kind):
    return isinstance(kind, (Optional, NullType))


def not_optional(kind):
    while isinstance(kind, Optional):
        kind = kind.item
    return kind


def optional(kind):
    return kind if is_optional(kind) else Optional(kind)


def optional_if(condition, kind):
    return optional(kind) if condition else kind


def range_of(kind):
    """The least and the greatest value of an integer type."""
    bits = BITS[kind]
    if kind in SIGNED:
        return -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    return 0, (1 << bits) - 1


def is_data(kind):
    """Whether a column may have the type."""
    kind = kind.item if isinstance(kind, Optional) else kind
    return isinstance(kind, (Primitive, Decimal))


_IDS = {name: protocol.value.Type.PrimitiveTypeId.Value(name.upper()) for name in PRIMITIVES}
_NAMES = {number: name for name, number in _IDS.items()}


def to_proto(kind, into=None):
    proto = protocol.value.Type() if into is None else into
    if isinstance(kind, Primitive):
        proto.type_id = _IDS[kind.name]
    elif isinstance(kind, Decimal):
        proto.decimal_type.precision = kind.precision
        proto.decimal_type.scale = kind.scale
    elif isinstance(kind, Optional):
        to_proto(kind.item, proto.optional_type.item)
    elif isinstance(kind, List):
        to_proto(kind.item, proto.list_type.item)
    elif isinstance(kind, Tuple):
        proto.tuple_type.SetInParent()
        for item in kind.items:
            to_proto(item, proto.tuple_type.elements.add())
    elif isinstance(kind, Struct):
        proto.struct_type.SetInParent()
        for name, item in kind.members:
            to_proto(item, proto.struct_type.members.add(name=name).type)
    else:
        proto.null_type = 0
    return proto


def from_proto(proto):
    """Raises ValueError for a type that this server does not have."""
    which = proto.WhichOneof("type")
    if which == "type_id" and proto.type_id in _NAMES:
        return PRIMITIVES[_NAMES[proto.type_id]]
    if which == "decimal_type":
        return decimal(proto.decimal_type.precision, proto.decimal_type.scale)
    if which == "optional_type":
        return Optional(from_proto(proto.optional_type.item))
    if which == "list_type":
        return List(from_proto(proto.list_type.item))
    if which == "tuple_type":
        return Tuple(tuple(map(from_proto, proto.tuple_type.elements)))
    if which == "struct_type":
        return struct((member.name, from_proto(member.type))
                      for member in proto.struct_type.members)
    if which == "null_type":
        return NULL
    raise ValueError(f"type {str(proto).strip() or 'that is not set'} is not one of this server's")


def decimal(precision, scale):
    if not 1 <= precision <= 35 or not 0 <= scale <= precision:
        raise ValueError(f"Decimal({precision},{scale}): the precision is 1 to 35, and the scale "
                         "0 to the precision")
    return Decimal(precision, scale)


def struct(members):
    members = sorted(members, key=lambda member: member[0])
    names = [name for name, _ in members]
    if len(set(names)) < len(names):
        raise ValueError("a Struct has two members of one name")
    return Struct(tuple(members))
