// The columns whose values grow with each transaction, and a check whether a run may reach the end
// of their types.
//
// Thread safety: constants and pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "workload/tpcc/schema.h"

namespace drover::tpcc {

struct GrowingColumn {
  Table table;
  std::string_view name;
  // The mean growth, per Payment and New-Order of a warehouse, of the row that grows fastest: the
  // one that the non-uniform random choices (clause 2.1.6) hit most.
  double growth;
  std::string_view wide_type;  // the type in Drover's own tables, which no run fills
  // The column whose largest value is read: this one, or a column of a smaller table with the same
  // values.
  Table largest_in;
  std::string_view largest_of;
};

std::span<const GrowingColumn> growing_columns();

// The expected load of a run on each of its warehouses.
struct PlannedWork {
  double seconds = 0;         // warm-up and interval
  double pairs_a_second = 0;  // Payments, and as many New-Orders
  bool is_bound = false;      // pairs_a_second is an upper bound: terminals do not wait
};

struct ColumnRoom {
  std::string type;    // as SQL has it
  double limit = 0;    // the first value that is out of range
  double largest = 0;  // that is there, without its sign
};

// Returns a warning for the user if the run may reach the limit: which column, when, and what to
// do. `schema` is the value of --schema.
std::optional<std::string> limit_note(const GrowingColumn& column, const ColumnRoom& room,
                                      const PlannedWork& work, std::string_view schema);

// Returns true if the run adds so little that the values of a large table need not be read.
bool is_little(const GrowingColumn& column, double limit, const PlannedWork& work) noexcept;

}  // namespace drover::tpcc
