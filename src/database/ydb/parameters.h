// Parameters: the values that go with a statement, by the names that it declares.
//
//   Parameters parameters;
//   parameters.add("$w_id", Primitive::int32, w_id);
//   Rows rows = parameters.add_rows("$rows", order_line_type);   // DECLARE $rows AS
//   List<Struct<…>> rows.add({w_id, d_id, number, decimal_of_cents(amount, 2)});
//
// For one statement, then done with: its memory goes at once. Not thread-safe.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include "database/ydb/cell.h"
#include "database/ydb/value_type.h"

namespace Ydb {
class TypedValue;
}
namespace Ydb::Query {
class ExecuteQueryRequest;
}

namespace drover::database::ydb {

// The rows of one List<Struct<…>> or List<Tuple<…>> that is being made. A view: the parameters and
// the type must outlive it.
class Rows {
 public:
  // In the order of the type's columns, one for each. Requires: they fit.
  void add(std::initializer_list<Cell> cells);

  std::size_t size() const noexcept;

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

  // List<type>; `T` is what a Cell is made of.
  template <class T>
  void add_list(std::string_view name, ScalarType type, std::span<const T> values) {
    Ydb::Value& list = begin_list(name, type);
    for (const T& value : values) add_item(list, type, Cell(value));
  }

  Rows add_rows(std::string_view name, const RowType& type);

  // For the session: what else goes with the statement is written into it.
  Ydb::Query::ExecuteQueryRequest& request() noexcept { return *request_; }

 private:
  struct Memory;

  Ydb::TypedValue& named(std::string_view name);
  Ydb::Value& begin_list(std::string_view name, ScalarType type);
  static void add_item(Ydb::Value& list, ScalarType type, const Cell& value);

  std::unique_ptr<Memory> memory_;
  Ydb::Query::ExecuteQueryRequest* request_;  // in it
};

}  // namespace drover::database::ydb
