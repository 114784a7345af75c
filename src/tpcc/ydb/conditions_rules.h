// Patterns from which conditions are made: which rows there must be, which values a column may
// take, and what is true of many rows that are chosen at random. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tpcc/ydb/check_statement.h"

namespace drover::tpcc::ydb {

// A rule that is none of the twelve. For a table that belongs to no warehouse, Span::once.
Condition rule_named(std::string name, std::string_view clause, std::string title,
                     Span span = Span::range);

// "o_w_id BETWEEN $first AND $last"; "true" for no column.
std::string in_range(std::string_view warehouse);

// "Decimal("1.50", 22, 9)": money or a rate as the tables have it.
std::string amount(std::string_view digits);

// The domain of a column: `holds` is the predicate that must be true (NULL is not true), `expected`
// says the same to the reader.
struct Domain {
  std::string column;
  std::string holds;
  std::string expected;
};

Domain not_null(std::string_view column);
Domain number_between(std::string_view column, int lowest, int highest);
Domain number_is(std::string_view column, int value);
// Money or a rate.
Domain amount_between(std::string_view column, std::string_view lowest, std::string_view highest);
Domain amount_is(std::string_view column, std::string_view value);
Domain text_is(std::string_view column, std::string_view value);
Domain text_length(std::string_view column, int shortest, int longest);
// Not NULL, prefix and column.
std::vector<Domain> not_nulls(std::string_view prefix, std::span<const std::string_view> columns);

// Rows of which some column is outside its domain; one offender for each such column.
struct DomainSet {
  std::string before = {};                // named expressions
  std::string from;                       // a table, or "(SELECT …)"
  std::span<const std::string_view> key;  // columns that name the row
  std::string where;
  std::vector<Domain> domains;
};
YqlCondition domain_condition(Condition rule, const DomainSet& set);

// In each warehouse, or in each district where one is named, the table has as many rows as there
// are numbers in [first..last], each of them once.
struct RowSet {
  std::string_view table;
  std::string_view warehouse;
  std::string_view district = {};
  std::string_view id;
  int first = 1;
  int last;
  bool repeats = false;  // the key of the table does not rule out that an id is there twice
};
YqlCondition row_condition(Condition rule, const RowSet& rows);

// A property that a tenth of a table's rows have, chosen at random. The share of each group is
// allowed to stray by six standard deviations: fewer than one in 500 million valid groups does.
struct Share {
  std::string_view table;
  std::string_view warehouse;  // the column by which rows are grouped; empty: the whole table
  std::string_view title;
  std::string_view property;
};
YqlCondition share_condition(Condition rule, const Share& share);

// A column with values uniform over lowest, lowest + step, ..., highest: the mean of each group is
// allowed to stray by six standard deviations. Here, and only here, an amount becomes a Double.
struct Uniform {
  std::string_view table;
  std::string_view warehouse;  // as above
  std::string_view column;
  std::string_view where;
  double lowest;
  double highest;
  double step;
};
YqlCondition mean_condition(Condition rule, const Uniform& uniform);

}  // namespace drover::tpcc::ydb
