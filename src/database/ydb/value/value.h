// Types of values in statements and tables of YDB: scalars, and rows of scalars; and Parameters: the
// values that go with a statement, by the names that it declares.
//
//   Parameters parameters;
//   parameters.add("$w_id", Primitive::int32, w_id);
//   Rows rows = parameters.add_rows("$rows", order_line_type);   // DECLARE $rows AS
//   List<Struct<…>> rows.add({w_id, d_id, number, decimal_of_cents(amount, 2)});
//
// Parameters are for one statement, then done with: their memory goes at once. Not thread-safe; the
// rest is pure.
//
// Money: a Decimal holds its digits as a whole number, so cents go into a Decimal of scale 2 as
// they are.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace Ydb {
class Type;
class TypedValue;
class Value;
}  // namespace Ydb
namespace Ydb::Query {
class ExecuteQueryRequest;
}

namespace drover::database::ydb {

// Ydb.Type.PrimitiveTypeId, as far as parameters and tables have them, and Decimal, which has no
// number there.
enum class Primitive : std::uint16_t {
  decimal = 0,
  int32 = 1,
  uint32 = 2,
  int64 = 3,
  uint64 = 4,
  boolean = 6,
  real = 32,       // Double
  timestamp = 50,  // microseconds since 1970
  bytes = 4097,    // String
  utf8 = 4608,
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

// "Int32", "Decimal(22,9)", "Utf8?", as texts name it.
std::string yql_name(ScalarType type);

struct Column {
  std::string_view name;
  ScalarType type;
};

// A row: named columns (Struct) or a tuple of columns without names. Made once for a statement and
// shared by its parameters; unchanging.
class RowType {
 public:
  explicit RowType(std::span<const Column> columns);
  RowType(std::initializer_list<Column> columns) : RowType(std::span(columns)) {}
  static RowType tuple(std::vector<ScalarType> types);

  const std::vector<ScalarType>& columns() const noexcept { return types_; }

  // List<Struct<…>> or List<Tuple<…>>: for the protocol, its bytes, and as texts name it.
  const Ydb::Type& list_type() const noexcept { return *list_type_; }
  std::string encoded_list_type() const;
  std::string list_yql_name() const;

 private:
  RowType() = default;

  std::vector<ScalarType> types_;
  std::shared_ptr<const Ydb::Type> list_type_;
};

void write_type(ScalarType type, Ydb::Type& out);

__extension__ using Int128 = __int128;

// A decimal number times ten to the power of its type's scale. Infinity and "not a number" of YDB
// are beyond 10^35 - 1.
struct Decimal {
  Int128 digits = 0;
  friend bool operator==(const Decimal&, const Decimal&) = default;
};

// `cents` as a Decimal of the given scale. Requires: the scale is 2 at least.
constexpr Decimal decimal_of_cents(std::int64_t cents, int scale) noexcept {
  Int128 digits = cents;
  for (int i = 2; i < scale; ++i) digits *= 10;
  return {digits};
}

struct Null {};
inline constexpr Null null{};

// One value, of which it holds a view.
class Cell {
 public:
  Cell(Null = {}) noexcept {}                               // NOLINT: as all below,
  Cell(bool value) noexcept : value_(value) {}              // NOLINT: so that a row is
  Cell(std::string_view value) noexcept : value_(value) {}  // NOLINT: written as it is
  Cell(const std::string& value) noexcept : value_(std::string_view(value)) {}  // NOLINT
  Cell(const char* value) noexcept : value_(std::string_view(value)) {}         // NOLINT
  Cell(Decimal value) noexcept : value_(value) {}                               // NOLINT
  Cell(double value) noexcept : value_(value) {}                                // NOLINT
  template <std::signed_integral I>
  Cell(I value) noexcept : value_(static_cast<std::int64_t>(value)) {}  // NOLINT
  template <std::unsigned_integral I>
  Cell(I value) noexcept : value_(static_cast<std::uint64_t>(value)) {}  // NOLINT

  // Requires: it fits into the type, a NULL into an optional one.
  void write(ScalarType type, Ydb::Value& out) const;

 private:
  template <class To>
  To number() const noexcept;

  std::variant<Null, bool, std::int64_t, std::uint64_t, double, std::string_view, Decimal> value_;
};

// The rows of one List<Struct<…>> or List<Tuple<…>> that is being made. A view: the parameters and
// the type must outlive it.
class Rows {
 public:
  // In the order of the type's columns, one for each. Requires: they fit.
  void add(std::initializer_list<Cell> cells);

  // For whoever makes a list: writes the type, and begins with no row.
  Rows(const RowType& type, Ydb::TypedValue& list);

 private:
  const RowType& type_;
  Ydb::Value& list_;
};

class Parameters {
 public:
  Parameters();
  Parameters(Parameters&&) noexcept;
  Parameters& operator=(Parameters&&) noexcept;
  ~Parameters();

  void add(std::string_view name, ScalarType type, const Cell& value);

  // List<Int32>, List<Utf8>.
  void add_list(std::string_view name, std::span<const std::int32_t> values);
  void add_list(std::string_view name, std::span<const std::string> values);

  Rows add_rows(std::string_view name, const RowType& type);

  // For the session: what else goes with the statement is written into it.
  Ydb::Query::ExecuteQueryRequest& request() noexcept { return *request_; }

 private:
  struct Memory;

  Ydb::TypedValue& named(std::string_view name);

  std::unique_ptr<Memory> memory_;
  Ydb::Query::ExecuteQueryRequest* request_;  // in it
};

}  // namespace drover::database::ydb
