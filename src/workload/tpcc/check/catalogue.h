// The conditions of a check on the data, once for all databases, in the order of the report. Each
// database asks for a condition by a text of its own or by the pattern.
//
// The catalogue begins with the twelve conditions of clause 3.3.2, of which the eleventh holds only
// for freshly loaded data. Then come conditions that always hold: every required row exists once
// and no other row does (clauses 1.2.1 and 1.3), no column has a null or a value that neither the
// load nor a transaction writes, and values that transactions keep in two places agree. The last
// are the rules of clause 4.3.3.1 for a freshly loaded database.
//
// Everything is immutable after its construction; any thread may read it.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

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

// Requires that the table has exactly one row with each id in [first..last], and no other row, for
// each warehouse of the range, and for each of its ten districts if `district` is named.
struct RowSet {
  std::string_view table;
  std::string_view warehouse;
  std::string_view district;  // empty: none
  std::string_view id;
  int first;
  int last;
  bool in_key = true;  // the id ends the table's key
};

// The requirement on a column. Null never satisfies it.
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
  // `low` is a predicate. @column@ stands for money, #0.01# for an amount.
  hold,
  // A predicate over joined tables, which each database has in its own words.
  agree,
};

struct Domain {
  std::string column;
  Must must = Must::be_there;
  std::string low = {};
  std::string high = {};
  std::string expected = "not null";  // for people
};

// Finds rows with a column outside of its domain: one offender for each such column.
struct ColumnSet {
  std::string_view table;
  std::string_view warehouse;  // empty: the table belongs to none
  std::vector<std::string_view> key;
  std::vector<Domain> domains;
};

// A property of a tenth of a table's rows, chosen at random. The share of each group may deviate by
// six standard deviations: fewer than one in 500 million valid groups does.
struct Share {
  std::string_view table;
  std::string_view warehouse;  // the column by which rows are grouped; empty: the whole table
  std::string_view column;
  std::string_view text;
  bool whole = false;  // the column is equal to the text; false: contains it
};

// A column with values uniform over lowest, lowest + step, ..., highest. The mean of each group may
// deviate by six standard deviations. This tells a column that is random over its whole domain from
// one that only stays inside of it.
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
  // n of clause 3.3.2.n, or 0 for a rule that is not one of the twelve.
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

// Throws std::out_of_range if there is no such condition.
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

// Each database has a vector of its own type of conditions, each with its `rule`.

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
  std::vector<Condition> left_out;
  for (const Answer& answer : answers)
    if (answer.rule.fresh_only) left_out.push_back(answer.rule);
  std::erase_if(answers, [](const Answer& answer) { return answer.rule.fresh_only; });
  return left_out;
}

}  // namespace drover::tpcc
