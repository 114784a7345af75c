#include "database/ydb/cell.h"

#include <cassert>
#include <limits>

#include "types.pb.h"

namespace drover::database::ydb {
namespace {

// Narrows without losing anything.
template <class To, class From>
To exactly(From value) noexcept {
  assert(std::in_range<To>(value) && "a value does not fit into its type");
  return static_cast<To>(value);
}

template <class T, class Variant>
const T& as(const Variant& value) noexcept {
  const T* held = std::get_if<T>(&value);
  assert(held != nullptr && "a value is of another kind than its type");
  return *held;
}

}  // namespace

std::int64_t Cell::integer() const noexcept {
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return exactly<std::int64_t>(*value);
  return as<std::int64_t>(value_);
}

std::uint64_t Cell::natural() const noexcept {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return exactly<std::uint64_t>(*value);
  return as<std::uint64_t>(value_);
}

void Cell::write(ScalarType type, Ydb::Value& out) const {
  if (std::holds_alternative<Null>(value_)) {
    assert(type.optional && "NULL for a type that has none");
    out.set_null_flag_value(google::protobuf::NULL_VALUE);
    return;
  }
  switch (type.primitive) {
    case Primitive::boolean:
      out.set_bool_value(as<bool>(value_));
      return;
    case Primitive::int8:
    case Primitive::int16:
    case Primitive::int32:
      out.set_int32_value(exactly<std::int32_t>(integer()));
      return;
    case Primitive::uint8:
    case Primitive::uint16:
    case Primitive::uint32:
    case Primitive::date:
    case Primitive::datetime:
      out.set_uint32_value(exactly<std::uint32_t>(natural()));
      return;
    case Primitive::int64:
    case Primitive::interval:
      out.set_int64_value(integer());
      return;
    case Primitive::uint64:
    case Primitive::timestamp:
      out.set_uint64_value(natural());
      return;
    case Primitive::real32:
      out.set_float_value(static_cast<float>(as<double>(value_)));
      return;
    case Primitive::real64:
      out.set_double_value(as<double>(value_));
      return;
    case Primitive::bytes:
    case Primitive::yson: {
      const std::string_view bytes = as<std::string_view>(value_);
      out.set_bytes_value(bytes.data(), bytes.size());
      return;
    }
    case Primitive::utf8:
    case Primitive::json: {
      const std::string_view text = as<std::string_view>(value_);
      out.set_text_value(text.data(), text.size());
      return;
    }
    case Primitive::decimal: {
      const Int128 digits = as<Decimal>(value_).digits;
      out.set_low_128(static_cast<std::uint64_t>(digits));
      out.set_high_128(static_cast<std::uint64_t>(digits >> 64));
      return;
    }
    case Primitive::uuid:
      out.set_low_128(as<Uuid>(value_).low);
      out.set_high_128(as<Uuid>(value_).high);
      return;
  }
}

}  // namespace drover::database::ydb
