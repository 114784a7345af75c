// Values of YDB: their types, the parameters of a statement, and the rows that it returns.
//
//   Parameters parameters;
//   parameters.add("$w_id", Primitive::int32, w_id);
//   Rows rows = parameters.add_rows("$rows", order_line_type);   // of type List<Struct<…>>
//   rows.add({w_id, d_id, number, decimal_of_cents(amount, 2)});
//
// Money: a Decimal holds its digits as a whole number, so cents are a Decimal of scale 2.
//
// Thread safety: none for parameters and results; the rest is pure. Errors: database::Error (class
// statement) for a value of another type than expected.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

namespace Ydb {
class ResultSet;
class Type;
class TypedValue;
class Value;
}  // namespace Ydb
namespace Ydb::Query {
class ExecuteQueryRequest;
class ExecuteQueryResponsePart;
}  // namespace Ydb::Query

namespace drover::database::ydb {

// The used values of Ydb.Type.PrimitiveTypeId, and Decimal, which has no number there.
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
  std::uint8_t precision = 0;  // of a decimal: all digits
  std::uint8_t scale = 0;      // of a decimal: digits after the point
  bool optional = false;       // may be NULL

  constexpr ScalarType(Primitive p) noexcept : primitive(p) {}  // NOLINT: converts implicitly

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

// Returns the type's name in YQL: "Int32", "Decimal(22,9)", "Utf8?".
std::string yql_name(ScalarType type);

void write_type(ScalarType type, Ydb::Type& out);

struct Column {
  std::string_view name;
  ScalarType type;
};

// The type of a row: named columns (Struct), or a tuple. Immutable; created once for a statement.
class RowType {
 public:
  explicit RowType(std::span<const Column> columns);
  RowType(std::initializer_list<Column> columns) : RowType(std::span(columns)) {}
  static RowType tuple(std::vector<ScalarType> types);

  const std::vector<ScalarType>& columns() const noexcept { return types_; }

  // The type of a list of rows, its encoding, and its name in YQL.
  const Ydb::Type& list_type() const noexcept { return *list_type_; }
  std::string encoded_list_type() const;
  std::string list_yql_name() const;

 private:
  RowType() = default;

  std::vector<ScalarType> types_;
  std::shared_ptr<const Ydb::Type> list_type_;
};

__extension__ using Int128 = __int128;

// A decimal number times ten to the power of its type's scale. YDB's infinity and "not a number"
// are beyond 10^35 - 1.
struct Decimal {
  Int128 digits = 0;
  friend bool operator==(const Decimal&, const Decimal&) = default;
};

// Returns `cents` as a Decimal of this scale. Requires: scale >= 2.
constexpr Decimal decimal_of_cents(std::int64_t cents, int scale) noexcept {
  Int128 digits = cents;
  for (int i = 2; i < scale; ++i) digits *= 10;
  return {digits};
}

struct Null {};
inline constexpr Null null{};

// A value to be sent. Refers to the text of a string.
class Cell {
 public:
  Cell(Null = {}) noexcept {}                               // NOLINT: all convert implicitly,
  Cell(bool value) noexcept : value_(value) {}              // NOLINT: for lists of cells
  Cell(std::string_view value) noexcept : value_(value) {}  // NOLINT
  Cell(const std::string& value) noexcept : value_(std::string_view(value)) {}  // NOLINT
  Cell(const char* value) noexcept : value_(std::string_view(value)) {}         // NOLINT
  Cell(Decimal value) noexcept : value_(value) {}                               // NOLINT
  Cell(double value) noexcept : value_(value) {}                                // NOLINT
  template <std::signed_integral I>
  Cell(I value) noexcept : value_(static_cast<std::int64_t>(value)) {}  // NOLINT
  template <std::unsigned_integral I>
  Cell(I value) noexcept : value_(static_cast<std::uint64_t>(value)) {}  // NOLINT

  // Requires: the value fits the type, and a NULL an optional type.
  void write(ScalarType type, Ydb::Value& out) const;

 private:
  template <class To>
  To number() const noexcept;

  std::variant<Null, bool, std::int64_t, std::uint64_t, double, std::string_view, Decimal> value_;
};

// Adds rows to a list. The list and the type must outlive it.
class Rows {
 public:
  // Writes the type; the list has no rows yet.
  Rows(const RowType& type, Ydb::TypedValue& list);

  // Adds a row with one cell per column. Requires: the cells fit the types.
  void add(std::initializer_list<Cell> cells);

 private:
  const RowType& type_;
  Ydb::Value& list_;
};

// The parameters of one execution of a statement.
class Parameters {
 public:
  Parameters();
  Parameters(Parameters&&) noexcept;
  Parameters& operator=(Parameters&&) noexcept;
  ~Parameters();

  void add(std::string_view name, ScalarType type, const Cell& value);

  // Add a List<Int32> and a List<Utf8>.
  void add_list(std::string_view name, std::span<const std::int32_t> values);
  void add_list(std::string_view name, std::span<const std::string> values);

  Rows add_rows(std::string_view name, const RowType& type);

  // Returns the request, which the session completes.
  Ydb::Query::ExecuteQueryRequest& request() noexcept { return *request_; }

 private:
  struct Memory;

  Ydb::TypedValue& named(std::string_view name);

  std::unique_ptr<Memory> memory_;
  Ydb::Query::ExecuteQueryRequest* request_;  // in the memory
};

// A returned value, without its layers of Optional. Lies in the memory of the result.
class ValueView {
 public:
  ValueView(const Ydb::Value& value, const Ydb::Type& type) noexcept;

  bool is_null() const noexcept { return value_ == nullptr; }

  // The following functions throw for NULL, and for another type.
  bool boolean() const;
  std::int64_t integer() const;   // of whole numbers, dates and times; throws if out of range
  std::uint64_t natural() const;  // of the same types as integer(); throws if out of range
  std::int32_t int32() const { return static_cast<std::int32_t>(integer()); }
  double real() const;            // of Double and Float
  std::string_view text() const;  // of String, Utf8, Json and Yson
  Decimal decimal() const;
  std::int64_t cents() const;  // of a Decimal; throws if it is not a whole number of cents
  // Appends the value's text for a script's variable: true, 17, 0.5, 12.30. Throws for lists and
  // structs. Requires: not NULL.
  void append_text(std::string& out) const;

 private:
  [[noreturn]] void mistaken(std::string_view expected) const;

  const Ydb::Value* value_;  // null: NULL
  const Ydb::Type* type_;    // without optional layers
};

// The rows of one SELECT. The result must outlive it.
class ResultSetView {
 public:
  // A result set, which may have arrived in several messages.
  struct Data {
    const Ydb::ResultSet* first = nullptr;  // has the columns
    std::vector<const Ydb::Value*> rows;
    bool truncated = false;
  };

  explicit ResultSetView(const Data& data) noexcept : data_(&data) {}

  std::size_t rows() const noexcept { return data_->rows.size(); }
  std::size_t columns() const noexcept;

  // Requires: column < columns().
  std::string_view name(std::size_t column) const;

  // Returns the position of a column, which may differ from the statement's order. Throws for an
  // unknown name.
  std::size_t column(std::string_view name) const;

  ValueView at(std::size_t row, std::size_t column) const;
  ValueView at(std::size_t row, std::string_view name) const { return at(row, column(name)); }

  // Returns true if the server has omitted rows.
  bool truncated() const noexcept { return data_->truncated; }

 private:
  const Data* data_;
};

// Calls `take` for each row with the values of these columns.
template <std::size_t count, class Take>
void each_row(const ResultSetView& rows, const char* const (&names)[count], Take take) {
  std::array<std::size_t, count> columns;
  for (std::size_t i = 0; i < count; ++i) columns[i] = rows.column(names[i]);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    std::apply([&](auto... column) { take(rows.at(row, column)...); }, columns);
  }
}

// The results of one execution. Owns the memory of its values.
class QueryResult {
 public:
  QueryResult();
  QueryResult(QueryResult&&) noexcept;
  QueryResult& operator=(QueryResult&&) noexcept;
  ~QueryResult();

  std::size_t sets() const noexcept;

  // Throws if there is no such set.
  ResultSetView set(std::size_t i) const;

  // For the session: creates a message in the memory of the result; takes in its rows.
  Ydb::Query::ExecuteQueryResponsePart& add_part();
  void take_in(Ydb::Query::ExecuteQueryResponsePart& part);

 private:
  struct Memory;

  std::unique_ptr<Memory> memory_;
};

}  // namespace drover::database::ydb
