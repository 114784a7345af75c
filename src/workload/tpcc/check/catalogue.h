// The catalogue of a check: every condition once, for all databases, in the order of the report.
//
// First the twelve of clause 3.3.2, of which the eleventh holds on freshly loaded data only. Then
// what holds always, too, though the twelve do not say it: each row that must be there is there
// once and no other is (clauses 1.2.1 and 1.3), no column has a null or a value that neither the
// load nor a transaction writes, and what the transactions keep in two places agrees: order
// numbers, line numbers, amounts, stock counters, payments, deliveries. Last the rules of clause
// 4.3.3.1 for a freshly loaded database.
//
// Any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workload/tpcc/check/condition.h"

namespace drover::tpcc {

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

// The file in which a database has its texts of conditions: "--: condition NAME" begins one, and "--: shared NAME" what
// several have in common; "--: WORD VALUE" says of it what is no text of the database's; lines that begin with "--"
// alone are for the reader.
struct ConditionText {
  std::string name;
  std::vector<std::pair<std::string_view, std::string_view>> fields = {};  // words and their values
  std::string text = {};  // without the end of its last line
};
std::vector<ConditionText> condition_texts(std::string_view file);

// The text with what is shared and what `made` has in the place of their names in braces.
using MadeText = std::pair<const char*, std::string>;
std::string filled_in(std::string_view text, const std::vector<ConditionText>& file,
                      const std::vector<MadeText>& made);

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
