// The conditions of a check on the data, once for all databases, in the order of the report
// (catalogue.txt). Each database states a condition by a text of its own or by the pattern.
//
// Everything is immutable after its construction; any thread may read it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workload/tpcc/sql_text.h"

namespace drover::tpcc {

// How a condition is divided into ranges of warehouses.
enum class Span {
  // An index finds the rows: any range will do, and its cost is proportional to its width.
  range,
  // A wide_range, unless history has an index by the customer's warehouse.
  history_range,
  // Each range costs a pass over a whole table (history has no index by warehouse), so the ranges
  // should be few and wide.
  wide_range,
  // Concerns the whole database: evaluated once, with warehouses 1 to the last.
  once,
};

// How the money columns of the database are stored.
enum class Money {
  // numeric or an integer: compared exactly.
  exact,
  // Binary floating point in at least one column: each value is rounded to cents before it is used,
  // so that sums and comparisons are exact.
  floating,
};

// A requirement on a column. Null never satisfies it, except if a predicate says so.
struct Domain {
  // The text "must_KIND" of a database is the predicate. In it, @column@ stands for money, and
  // #0.01# for an amount.
  //   there    the column is not null
  //   number   between low and high; also flag (some tools have a boolean), rate (a number with
  //            digits after the point) and money
  //   text     equal to `low`; also digits, zip and credit, whose texts need no value
  //   length   low to high characters
  //   hold     `low` is the predicate
  //   agree    the text "agree_COLUMN" is the predicate, over joined tables
  std::string kind;
  std::string column = {};
  std::string low = {};
  std::string high = {};
  std::string expected = "not null";  // for people
};

struct Condition {
  // n of clause 3.3.2.n, or 0 for a rule that is not one of the twelve.
  int number = 0;
  // Short and unique, such as "7" or "stock.rows".
  std::string name = {};
  std::string_view clause = {};
  std::string title = {};
  Span span = Span::range;
  bool fresh_only = false;  // holds of freshly loaded data only

  // The pattern of conditions that databases state by one. The text of this name has the words of
  // arguments_of().
  //   rows     the table has exactly one row with each id from `first` to `last`, and no other row,
  //            for each warehouse, and for each of its ten districts if the key has a district.
  //            `any_id` names an id that does not end the key
  //   columns  all columns satisfy their domains: one offender for each column that does not
  //   share    a tenth of the rows, chosen at random, has a property. The share of each group may
  //            deviate by six standard deviations: fewer than one in 500 million valid groups does
  //   mean     the column is uniform over low, low + step, ..., high. The mean of each group may
  //            deviate by six standard deviations. The pattern tells a column that is random over
  //            its whole domain from one that only stays inside of it
  std::string_view pattern = {};
  std::string_view table = {};
  std::string warehouse = {};  // the column by which rows are grouped; empty: the whole table
  std::string district = {};   // empty: the key has none
  std::vector<std::string_view> key = {};
  std::vector<Domain> domains = {};
  std::vector<TextArgument> words = {};

  // Returns an empty text if the pattern has no such word.
  std::string word(std::string_view name) const;
};

const std::vector<Condition>& catalogue();

// Returns the words of the condition's pattern for a database with these texts. The text "in_range"
// restricts a column to the warehouses of a piece; "contains" and "equals" are properties of a
// share.
std::vector<TextArgument> arguments_of(const Condition& condition, const NamedTexts& texts);

// Returns the predicate of a column.
std::string predicate_of(const Domain& domain, const NamedTexts& texts);

// Returns the text "warehouse_column" for each column that names a warehouse, joined by UNION ALL.
std::string warehouse_columns(const NamedTexts& texts);

// `Answer` is a database's own type of a condition, with a member `rule`.

template <class Answer>
std::vector<Condition> rules_of(const std::vector<Answer>& answers) {
  std::vector<Condition> rules;
  for (const Answer& answer : answers) rules.push_back(answer.rule);
  return rules;
}

// Removes the conditions that hold only for freshly loaded data from `answers`, and returns their
// rules.
template <class Answer>
std::vector<Condition> leave_out_fresh_only(std::vector<Answer>& answers) {
  std::vector<Condition> left_out = rules_of(answers);
  std::erase_if(left_out, [](const Condition& rule) { return !rule.fresh_only; });
  std::erase_if(answers, [](const Answer& answer) { return answer.rule.fresh_only; });
  return left_out;
}

}  // namespace drover::tpcc
