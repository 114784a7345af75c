// The columns whose values grow with each transaction, and warnings that a run may reach the end of
// their types, also in tables that another tool has made.
//
// Thread safety: constants and pure functions, except find_narrow_columns().
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/schema.h"

namespace drover::tpcc::postgres {

struct GrowingColumn {
  Table table;
  std::string_view name;
  // The mean growth per Payment and New-Order of a warehouse, of the row that grows fastest: the
  // row that the non-uniform random choices (clause 2.1.6) hit most.
  double growth;
  std::string_view wide_type;  // the type in Drover's own tables, which no run fills
  // The column whose largest value is read: this one, or a column of a smaller table with the same
  // values.
  Table largest_in;
  std::string_view largest_of;
};

std::span<const GrowingColumn> growing_columns();

struct ColumnRoom {
  std::string type;    // as SQL writes it
  double limit = 0;    // the first value that is out of range
  double largest = 0;  // absolute value in the data
};

// Returns a warning for the user if the run may reach the limit: which column, when, and what to
// do. `schema` is the value of --schema.
std::optional<std::string> limit_note(const GrowingColumn& column, const ColumnRoom& room,
                                      const PlannedWork& work, std::string_view schema);

// Returns true if the run adds so little that the values of a large table need not be read.
bool is_little(const GrowingColumn& column, double limit, const PlannedWork& work) noexcept;

// Returns a warning for each column that the work may fill to the end of its type. Reads the tables
// of warehouses and districts completely, and those of customers and stock only if the work adds a
// hundredth of the limit or more. Throws database::Error.
coro::Task<std::vector<std::string>> find_narrow_columns(database::postgres::Connection& connection,
                                                         std::string schema, PlannedWork work);

}  // namespace drover::tpcc::postgres
