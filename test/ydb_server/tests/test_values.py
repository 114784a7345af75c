"""Values and types as the official SDK writes and reads them."""

import decimal
import unittest

import ydb
from ydb import convert

from ydb_server import protocol
from ydb_server import values
from ydb_server.yql import yql_types as types

_PAIRS = [
    (ydb.PrimitiveType.Bool, types.BOOL, True),
    (ydb.PrimitiveType.Int8, types.INT8, -128),
    (ydb.PrimitiveType.Int32, types.INT32, -(2 ** 31)),
    (ydb.PrimitiveType.Int64, types.INT64, -(2 ** 63)),
    (ydb.PrimitiveType.Uint16, types.UINT16, 65535),
    (ydb.PrimitiveType.Uint32, types.UINT32, 2 ** 32 - 1),
    (ydb.PrimitiveType.Uint64, types.UINT64, 2 ** 64 - 1),
    (ydb.PrimitiveType.Double, types.DOUBLE, 1e-300),
    (ydb.PrimitiveType.Utf8, types.UTF8, "Жук\t\\"),
    (ydb.PrimitiveType.String, types.STRING, b"\0\xff\\"),
    (ydb.DecimalType(22, 9), types.Decimal(22, 9), decimal.Decimal("-0.000000001")),
    (ydb.DecimalType(35, 2), types.Decimal(35, 2), decimal.Decimal("9" * 33 + ".99")),
    (ydb.OptionalType(ydb.PrimitiveType.Int32), types.Optional(types.INT32), None),
    (ydb.OptionalType(ydb.PrimitiveType.Utf8), types.Optional(types.UTF8), ""),
]


class ValuesTest(unittest.TestCase):
    def test_what_the_sdk_writes_is_read(self):
        for theirs, ours, content in _PAIRS:
            message = convert.to_typed_value_from_native(theirs.proto, content)
            self.assertEqual(types.from_proto(message.type), ours)
            self.assertEqual(values.decode(ours, message.value), content)

    def test_what_is_written_the_sdk_reads(self):
        for _, ours, content in _PAIRS:
            message = protocol.value.Value()
            values.encode(ours, content, message)
            # The SDK rounds to the digits of the context, which are 28 by default.
            with decimal.localcontext(prec=60):
                native = convert.to_native_value(protocol.value.TypedValue(
                    type=types.to_proto(ours), value=message))
            self.assertEqual(native, content)

    def test_a_struct_is_in_the_order_of_its_type(self):
        kind = ydb.StructType()
        kind.add_member("b", ydb.PrimitiveType.Int32)
        kind.add_member("a", ydb.PrimitiveType.Utf8)
        message = convert.to_typed_value_from_native(ydb.ListType(kind).proto, [{"b": 1, "a": "x"}])
        # Whatever the order in the request is, ours is that of the names.
        ours = types.from_proto(message.type)
        self.assertEqual(ours.item.names, ["a", "b"])
        self.assertEqual(values.decode(ours, message.value, values.member_order(message.type)),
                         [("x", 1)])

    def test_values_of_another_type_are_refused(self):
        message = protocol.value.Value(int64_value=1)
        for kind in (types.INT32, types.UTF8, types.Decimal(22, 9), types.BOOL):
            with self.assertRaises(ValueError, msg=str(kind)):
                values.decode(kind, message)
        with self.assertRaises(ValueError):
            values.decode(types.INT32, protocol.value.Value(null_flag_value=0))
        with self.assertRaises(ValueError):
            values.decode(types.INT8, protocol.value.Value(int32_value=128))
        with self.assertRaises(ValueError):
            values.decode(types.struct([("a", types.INT32)]), protocol.value.Value())

    def test_what_does_not_fit_is_not_written(self):
        for kind, content in ((types.INT32, 2 ** 31), (types.UINT64, -1), (types.INT32, None),
                              (types.Decimal(5, 2), decimal.Decimal("1000")),
                              (types.Decimal(5, 2), decimal.Decimal("0.001"))):
            with self.assertRaises(ValueError, msg=f"{kind} {content}"):
                values.encode(kind, content, protocol.value.Value())

    def test_bad_types(self):
        with self.assertRaises(ValueError):
            types.decimal(36, 0)
        with self.assertRaises(ValueError):
            types.struct([("a", types.INT32), ("a", types.INT32)])
        with self.assertRaises(ValueError):
            types.from_proto(protocol.value.Type())


if __name__ == "__main__":
    unittest.main()
