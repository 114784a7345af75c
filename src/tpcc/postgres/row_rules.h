// Patterns from which rules about rows are made: which rows there must be, and which values a
// column may take. They return bodies for offender_statement(). Pure functions.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace drover::tpcc::postgres {

// For each warehouse of the range (and each of its ten districts, where `district` is named), the
// table has exactly one row with each id in [first..last] and no other row.
struct RowSet {
  std::string_view table;
  std::string_view warehouse;
  std::string_view district = {};
  std::string_view id;
  int first = 1;
  int last;
};
std::string exact_rows(const RowSet& rows);

// Exactly one item with each i_id in [1..100,000] (clause 4.3.3.1).
std::string exact_items();

// The domain of a column: `holds` is the SQL predicate that must be true (null is not true),
// `expected` says the same to the reader.
struct Domain {
  std::string column;
  std::string holds;
  std::string expected;
};

// Rows of which some column is outside its domain; one offender for each such column.
struct DomainSet {
  // FROM clause; may join the table to another one.
  std::string_view from;
  // Columns that name the row.
  std::span<const std::string_view> key;
  // Restriction to the warehouse range; "true" where the table belongs to no warehouse.
  std::string_view where;
  std::span<const Domain> domains;
};
std::string domain_offenders(const DomainSet& set);

// A char(n) counts without the blanks at its end: the random strings have none there.
Domain string_length(std::string_view column, int shortest, int longest);
Domain number_between(std::string_view column, std::string_view lowest, std::string_view highest);
// The same with digits after the point, which binary floating point would not meet.
Domain fraction_between(std::string_view column, std::string_view lowest, std::string_view highest);
Domain number_is(std::string_view column, std::string_view value);
// The same for a money column.
Domain money_between(std::string_view column, std::string_view lowest, std::string_view highest);
Domain money_is(std::string_view column, std::string_view value);
Domain text_is(std::string_view column, std::string_view value);
Domain text_matches(std::string_view column, std::string_view pattern, std::string_view expected);
Domain not_null(std::string_view column);

// A property that a tenth of a table's rows have, chosen at random. The share of each group is
// allowed to stray by six standard deviations: fewer than one in 500 million valid groups does.
struct Share {
  std::string_view table;
  // Column by which the rows are grouped and the range is restricted; empty: the whole table.
  std::string_view warehouse;
  std::string_view title;
  std::string_view property;
};
std::string tenth_share(const Share& share);

// A column with values uniform over lowest, lowest + step, ..., highest: the mean of each group
// is allowed to stray by six standard deviations.
struct Uniform {
  std::string_view table;
  std::string_view warehouse;
  std::string_view column;
  // Rows that count; "true" for all.
  std::string_view where;
  double lowest;
  double highest;
  double step;
};
std::string uniform_mean(const Uniform& uniform);

}  // namespace drover::tpcc::postgres
