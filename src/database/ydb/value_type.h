// The types of values in statements and tables of YDB, as far as parameters need them: scalars, and
// rows of scalars. Pure; any thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace Ydb {
class Type;
}

namespace drover::database::ydb {

// Ydb.Type.PrimitiveTypeId, and Decimal, which has no number there.
enum class Primitive : std::uint16_t {
  decimal = 0,
  int32 = 1,
  uint32 = 2,
  int64 = 3,
  uint64 = 4,
  uint8 = 5,
  boolean = 6,
  int8 = 7,
  int16 = 8,
  uint16 = 9,
  real64 = 32,     // Double
  real32 = 33,     // Float
  date = 48,       // days since 1970-01-01
  datetime = 49,   // seconds since then
  timestamp = 50,  // microseconds since then
  interval = 51,   // microseconds
  bytes = 4097,    // String
  utf8 = 4608,
  yson = 4609,
  json = 4610,
  uuid = 4611,
};

struct ScalarType {
  Primitive primitive = Primitive::int32;
  std::uint8_t precision = 0;  // of a decimal: digits in all
  std::uint8_t scale = 0;      // of a decimal: digits after the point
  bool optional = false;       // may be NULL

  constexpr ScalarType(Primitive p) noexcept : primitive(p) {}  // NOLINT: a scalar is a type

  static constexpr ScalarType decimal(std::uint8_t precision, std::uint8_t scale) noexcept {
    ScalarType type(Primitive::decimal);
    type.precision = precision;
    type.scale = scale;
    return type;
  }

  constexpr ScalarType nullable() const noexcept {
    ScalarType type = *this;
    type.optional = true;
    return type;
  }
};

// A row: named columns (Struct) or a tuple of columns without names. Made once for a statement and
// shared by its parameters; unchanging.
class RowType {
 public:
  struct Column {
    std::string name;
    ScalarType type;
  };

  RowType(std::initializer_list<Column> columns);
  static RowType tuple(std::initializer_list<ScalarType> types);
  RowType(RowType&&) noexcept;
  RowType& operator=(RowType&&) noexcept;
  ~RowType();

  const std::vector<ScalarType>& columns() const noexcept { return types_; }

  // List<Struct<…>> or List<Tuple<…>>.
  const Ydb::Type& list_type() const noexcept { return *list_type_; }

 private:
  RowType();

  std::vector<ScalarType> types_;
  std::unique_ptr<Ydb::Type> list_type_;
};

void write_type(ScalarType type, Ydb::Type& out);

}  // namespace drover::database::ydb
