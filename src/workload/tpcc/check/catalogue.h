// The conditions of a check on the data: what is asked of every database. How it is asked, each
// database says for itself: in words of its own, or by the pattern. The catalogue has every condition
// once, for all databases, in the order of the report.
//
// First the twelve of clause 3.3.2, of which the eleventh holds on freshly loaded data only. Then
// what holds always, too, though the twelve do not say it: each row that must be there is there
// once and no other is (clauses 1.2.1 and 1.3), no column has a null or a value that neither the
// load nor a transaction writes, and what the transactions keep in two places agrees: order
// numbers, line numbers, amounts, stock counters, payments, deliveries. Last the rules of clause
// 4.3.3.1 for a freshly loaded database.
//
// All of it is immutable once made; any thread may read it.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace drover::tpcc {

// How a condition is spread over warehouse ranges.
enum class Span {
  // Found by index: any range will do, the cost is that of the range.
  range,
  // A wide_range, unless history has an index by the customer's warehouse.
  history_range,
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

// For each warehouse of the range (and each of its ten districts, where `district` is named), the
// table has exactly one row with each id in [first..last] and no other row.
struct RowSet {
  std::string_view table;
  std::string_view warehouse;
  std::string_view district;  // empty: none
  std::string_view id;
  int first;
  int last;
  bool in_key = true;  // the id ends the table's key
};

// What a column must be. Null is none of these.
enum class Must {
  be_there,
  be_a_number,  // in [low..high]
  be_a_flag,    // the same; some tools have a boolean there
  be_a_rate,    // the same, with digits behind the point
  be_money,     // the same
  be_a_text,    // `low`
  be_so_long,   // low to high characters
  be_digits,    // 16 of them
  be_a_zip,     // 4 digits and 11111
  be_a_credit,  // GC or BC
  // `low` is a predicate, in which @column@ stands for money and #0.01# for an amount.
  hold,
  // Joined tables come in: each database has a predicate of its own.
  agree,
};

struct Domain {
  std::string column;
  Must must = Must::be_there;
  std::string low = {};
  std::string high = {};
  std::string expected = "not null";  // for people
};

// Rows of which some column is outside its domain; one offender for each such column.
struct ColumnSet {
  std::string_view table;
  std::string_view warehouse;  // empty: the table belongs to none
  std::vector<std::string_view> key;
  std::vector<Domain> domains;
};

// A property that a tenth of a table's rows have, chosen at random. The share of each group is
// allowed to stray by six standard deviations: fewer than one in 500 million valid groups does.
struct Share {
  std::string_view table;
  std::string_view warehouse;  // the column by which rows are grouped; empty: the whole table
  std::string_view column;
  std::string_view text;
  bool whole = false;  // the column is the text, rather than contains it
};

// A column with values uniform over lowest, lowest + step, ..., highest: the mean of each group is
// allowed to stray by six standard deviations. It tells a column that is random over its whole
// domain from one that only stays inside it.
struct Uniform {
  std::string_view table;
  std::string_view warehouse;  // as above
  std::string_view column;
  std::string_view where;  // rows that count; "true" for all
  double lowest;
  double highest;
  double step;

  double middle() const noexcept { return (lowest + highest) / 2; }
  double variance() const noexcept;  // of one value
};

inline constexpr int allowed_deviations = 6;

struct Condition {
  // n of clause 3.3.2.n; 0 for a rule that is not one of the twelve.
  int number = 0;
  // Short and unique, such as "7" or "stock.rows".
  std::string name = {};
  std::string_view clause = {};
  std::string title = {};
  Span span = Span::range;
  bool fresh_only = false;  // holds of freshly loaded data only
  std::variant<std::monostate, RowSet, ColumnSet, Share, Uniform> pattern = {};
};

const std::vector<Condition>& catalogue();

// Throws std::out_of_range where there is none.
const Condition& condition_named(std::string_view name);

// The columns that name a warehouse, for rows.outside.
struct WarehouseColumn {
  std::string_view table;
  std::string_view column;
};
inline constexpr WarehouseColumn columns_of_warehouses[] = {
    {"district", "d_w_id"},    {"customer", "c_w_id"},   {"history", "h_w_id"},
    {"history", "h_c_w_id"},   {"new_order", "no_w_id"}, {"oorder", "o_w_id"},
    {"order_line", "ol_w_id"}, {"stock", "s_w_id"},      {"warehouse", "w_id"}};

// A database's answer to the catalogue is a vector of its conditions, each with its `rule`.

template <class Answer>
std::vector<Condition> rules_of(const std::vector<Answer>& answers) {
  std::vector<Condition> rules;
  for (const Answer& answer : answers) rules.push_back(answer.rule);
  return rules;
}

// Takes what holds of freshly loaded data only out of `answers`, and returns the rules of it.
template <class Answer>
std::vector<Condition> leave_out_fresh_only(std::vector<Answer>& answers) {
  std::vector<Condition> left_out;
  for (const Answer& answer : answers)
    if (answer.rule.fresh_only) left_out.push_back(answer.rule);
  std::erase_if(answers, [](const Answer& answer) { return answer.rule.fresh_only; });
  return left_out;
}

}  // namespace drover::tpcc
