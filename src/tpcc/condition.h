// A condition on the data: a statement that returns the rows that offend against it. What its
// parameters and columns are, each database says for itself.
//
// Values of these types are immutable once made; any thread may read them.
#pragma once

#include <string>
#include <string_view>

namespace drover::tpcc {

// How a condition is spread over warehouse ranges.
enum class Span {
  // Found by index: any range will do, the cost is that of the range.
  range,
  // Reads a table that has no index by warehouse (history) or all of one that has: each range
  // costs a pass over that table, so the ranges should be few and wide.
  wide_range,
  // Speaks of the whole database: run it once, with 1 and the number of warehouses.
  once,
};

// How the money columns of the database are stored.
enum class Money {
  // numeric (or an integer): compared as it is, to the last digit.
  exact,
  // A column in binary floating point: each value is rounded to cents before it is used.
  // That is what such a column means; sums and comparisons are exact from there on.
  floating,
};

struct Condition {
  // n of clause 3.3.2.n; 0 for a rule that is not one of the twelve.
  int number = 0;
  // Short and unique in all catalogues, such as "7" or "stock.rows".
  std::string name = {};
  std::string_view clause = {};
  std::string title = {};
  Span span = Span::range;
  std::string sql = {};
};

}  // namespace drover::tpcc
