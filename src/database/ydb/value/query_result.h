// QueryResult: what a statement returned, and ValueView: one value of it.
//
// The values lie in the memory of the result and are gone with it. Reading throws database::Error
// (class statement) where a value is of another kind than is asked for. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "database/ydb/value/value.h"

namespace Ydb {
class ResultSet;
class Type;
class Value;
}  // namespace Ydb
namespace Ydb::Query {
class ExecuteQueryResponsePart;
}

namespace drover::database::ydb {

// A value of any type: optional layers are taken off first, however many there are.
class ValueView {
 public:
  ValueView(const Ydb::Value& value, const Ydb::Type& type) noexcept;

  bool is_null() const noexcept { return value_ == nullptr; }

  // Each of these throws for a NULL.
  bool boolean() const;
  std::int64_t integer() const;   // all whole numbers, dates and times; one beyond it throws
  std::uint64_t natural() const;  // the same; one below 0 throws
  std::int32_t int32() const { return static_cast<std::int32_t>(integer()); }
  double real() const;            // Double and Float
  std::string_view text() const;  // String, Utf8, Json, Yson
  Decimal decimal() const;
  // As a script shows it: true, 17, 0.5, 12.30, or the text. Requires: it is not NULL. Throws where it is no scalar.
  void append_text(std::string& out) const;
  std::int64_t cents() const;  // a decimal; one that is no whole number of cents throws

 private:
  [[noreturn]] void mistaken(std::string_view expected) const;

  const Ydb::Value* value_;  // null: NULL
  const Ydb::Type* type_;    // without optional layers
};

// The rows of one SELECT. A view: the result must outlive it.
class ResultSetView {
 public:
  // The set that all parts of one statement's stream make up together.
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

  // Where the column is: the order of columns is not always that of the statement. Throws if there
  // is none of that name.
  std::size_t column(std::string_view name) const;

  ValueView at(std::size_t row, std::size_t column) const;
  ValueView at(std::size_t row, std::string_view name) const { return at(row, column(name)); }

  // The server has left rows out.
  bool truncated() const noexcept { return data_->truncated; }

 private:
  const Data* data_;
};

// Hands the values of these columns to `take`, row by row.
template <std::size_t count, class Take>
void each_row(const ResultSetView& rows, const char* const (&names)[count], Take take) {
  std::array<std::size_t, count> columns;
  for (std::size_t i = 0; i < count; ++i) columns[i] = rows.column(names[i]);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    std::apply([&](auto... column) { take(rows.at(row, column)...); }, columns);
  }
}

class QueryResult {
 public:
  QueryResult();
  QueryResult(QueryResult&&) noexcept;
  QueryResult& operator=(QueryResult&&) noexcept;
  ~QueryResult();

  std::size_t sets() const noexcept;

  // Throws if there is none.
  ResultSetView set(std::size_t i) const;

  // For the session: a part to be filled, in the memory of the result, then taken in.
  Ydb::Query::ExecuteQueryResponsePart& add_part();
  void take_in(Ydb::Query::ExecuteQueryResponsePart& part);

 private:
  struct Memory;

  std::unique_ptr<Memory> memory_;
};

}  // namespace drover::database::ydb
