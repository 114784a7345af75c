"""Values between the protocol and Python.

In Python they are what PostgreSQL's driver takes and gives: int, float, bool, str, bytes, Decimal,
None; a List is a list, a Tuple or Struct a tuple in the order of its type. Decimals become 128 bits
in two's complement, scaled; times stay the number that the protocol sends.
"""

import decimal

from ydb_server import protocol
from ydb_server.yql import yql_types as types

_FIELDS = {types.BOOL: "bool_value", types.FLOAT: "float_value", types.DOUBLE: "double_value",
           types.STRING: "bytes_value", types.UTF8: "text_value", types.JSON: "text_value",
           types.INT64: "int64_value", types.INTERVAL: "int64_value",
           types.UINT64: "uint64_value", types.TIMESTAMP: "uint64_value",
           types.INT8: "int32_value", types.INT16: "int32_value", types.INT32: "int32_value",
           types.UINT8: "uint32_value", types.UINT16: "uint32_value",
           types.UINT32: "uint32_value", types.DATE: "uint32_value",
           types.DATETIME: "uint32_value"}
_EXACT = decimal.Context(prec=60)
_SHORT = {types.INT8, types.INT16, types.UINT8, types.UINT16}


def field_of(kind):
    """The field of Ydb.Value that holds a primitive type."""
    return _FIELDS[kind]


def decode(kind, value, member_order=None):
    """The value of the type; ValueError where the message holds another."""
    if isinstance(kind, types.Optional):
        if value.WhichOneof("value") == "null_flag_value":
            return None
        if isinstance(kind.item, types.Optional):
            raise ValueError("an Optional of an Optional is not one of this server's types")
        return decode(kind.item, value)
    if isinstance(kind, types.Primitive):
        return _decode_primitive(kind, value)
    if isinstance(kind, types.Decimal):
        if value.WhichOneof("value") != "low_128":
            raise _mismatch(kind, value)
        return from_128_bits(kind, value.low_128, value.high_128)
    if isinstance(kind, types.List):
        return [decode(kind.item, item, member_order) for item in value.items]
    if isinstance(kind, types.NullType):
        return None
    return _decode_row(kind, value, member_order)


def empty(kind):
    """The value of a row that does not exist."""
    if isinstance(kind, (types.Optional, types.NullType)):
        return None
    if isinstance(kind, types.Decimal):
        return decimal.Decimal(0)
    return {types.BOOL: False, types.UTF8: "", types.JSON: "", types.STRING: b""}.get(kind, 0)


def _decode_row(kind, value, member_order):
    """A Tuple; or a Struct, whose items are in the order of the request's type."""
    items = list(value.items)
    kinds = kind.items if isinstance(kind, types.Tuple) else [item for _, item in kind.members]
    if len(items) != len(kinds):
        raise ValueError(f"{kind} has {len(kinds)} items, and the value {len(items)}")
    if isinstance(kind, types.Struct) and member_order:
        items = [items[position] for position in member_order]
    return tuple(map(decode, kinds, items))


def _decode_primitive(kind, value):
    field = _FIELDS[kind]
    if value.WhichOneof("value") != field:
        raise _mismatch(kind, value)
    content = getattr(value, field)
    if kind in _SHORT:
        least, greatest = types.range_of(kind)
        if not least <= content <= greatest:
            raise ValueError(f"{content} is not a value of {kind}")
    if kind in (types.UTF8, types.JSON) and "\0" in content:
        raise ValueError("a zero byte in a text is outside of what this server keeps")
    return content


def _mismatch(kind, value):
    return ValueError(f"a value of {kind} was expected, and "
                      f"{value.WhichOneof('value') or 'nothing'} was sent")


def member_order(proto_type):
    """For the first Struct in the type of a request: the position of each member, sorted by name.

    Structs of this server's subset are never inside of one another.
    """
    while proto_type.WhichOneof("type") in ("list_type", "optional_type"):
        proto_type = getattr(proto_type, proto_type.WhichOneof("type")).item
    if proto_type.WhichOneof("type") != "struct_type":
        return None
    names = [member.name for member in proto_type.struct_type.members]
    return sorted(range(len(names)), key=lambda position: names[position])


def from_128_bits(kind, low, high):
    number = (high << 64) + low
    if number >= 1 << 127:
        number -= 1 << 128
    if abs(number) >= 10 ** kind.precision:
        raise ValueError(f"a Decimal beyond {kind}, an infinity or not a number")
    return decimal.Decimal(number).scaleb(-kind.scale, _EXACT)


def to_128_bits(kind, number):
    """(low, high); the number must be exact in the type."""
    scaled = decimal.Decimal(number).scaleb(kind.scale, _EXACT)
    whole = int(scaled)
    if whole != scaled or abs(whole) >= 10 ** kind.precision:
        raise ValueError(f"{number} is not exactly a value of {kind}")
    whole %= 1 << 128
    return whole & ((1 << 64) - 1), whole >> 64


def encode(kind, content, into):
    """Sets the Ydb.Value; ValueError where the content is not one of the type."""
    if content is None:
        if not types.is_optional(kind):
            raise ValueError(f"NULL for {kind}")
        into.null_flag_value = 0
        return
    kind = types.not_optional(kind)
    if isinstance(kind, types.Decimal):
        into.low_128, into.high_128 = to_128_bits(kind, content)
    elif isinstance(kind, types.NullType):
        raise ValueError("a value for Null")
    else:
        _encode_primitive(kind, content, into)


def _encode_primitive(kind, content, into):
    if kind in types.INTEGERS:
        content = int(content)
        least, greatest = types.range_of(kind)
        if not least <= content <= greatest:
            raise ValueError(f"{content} is not a value of {kind}")
    setattr(into, _FIELDS[kind], content)


def typed(kind, content):
    result = protocol.value.TypedValue()
    types.to_proto(kind, result.type)
    if isinstance(kind, types.Tuple):
        for item_kind, item in zip(kind.items, content):
            encode(item_kind, item, result.value.items.add())
    else:
        encode(kind, content, result.value)
    return result
