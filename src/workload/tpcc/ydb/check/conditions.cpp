#include "workload/tpcc/ydb/check/check.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ranges>
#include <utility>

#include "workload/tpcc/check/catalogue.h"
#include "workload/tpcc/random.h"
#include "workload/tpcc/sql_text.h"
#include "workload/tpcc/ydb/check/conditions.yql.h"
#include "workload/tpcc/ydb/import/schema.h"

namespace drover::tpcc::ydb {

using database::ydb::Decimal;
using database::ydb::Parameters;
using database::ydb::Primitive;
using database::ydb::ResultSetView;
using database::ydb::ValueView;

namespace {

constexpr std::int32_t customer_names = 1000;

struct DueRows {
  RowsParameter warehouses{"$due_warehouses", {{"w_id", Primitive::int32}}};
  RowsParameter districts{"$due_districts",
                          {{"d_id", Primitive::int32}, {"w_id", Primitive::int32}}};
  RowsParameter family_names{"$family_names",
                             {{"id", Primitive::int32}, {"name", Primitive::utf8}}};
};

const DueRows& due_rows() {
  static const DueRows rows;
  return rows;
}

bool speaks_of(const Statement& statement, const RowsParameter& rows) {
  return statement.text.find(rows.name) != std::string::npos;
}

// Returns the expression $offenders: rows with a judgement that does not hold.
std::string offenders_of(const YqlCondition& condition) {
  std::string all_hold;
  for (const Judgement& judgement : condition.judgements) {
    if (judgement.holds.empty()) return "$offenders = (SELECT * FROM $judged);\n";
    all_hold += fmt::format("{}{}", all_hold.empty() ? "" : " AND ", judgement.holds);
  }
  return fmt::format("$offenders = (SELECT * FROM $judged WHERE NOT ({}));\n", all_hold);
}

std::string time_text(std::int64_t us) {
  const auto time = std::chrono::sys_time<std::chrono::microseconds>(std::chrono::microseconds(us));
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", std::chrono::floor<std::chrono::seconds>(time));
}

std::string value_text(const ValueView& value, std::string_view kind) {
  if (kind == "money") return decimal_text(value.decimal(), money_scale);
  if (kind == "text") return std::string(value.text());
  if (kind == "time") return time_text(value.integer());
  if (kind == "real") return fmt::format("{:.4f}", value.real());
  return fmt::format("{}", value.integer());
}

// `field` is the text between the braces.
std::string field_text(std::string_view field, const ResultSetView& rows, std::size_t row) {
  const std::size_t bar = std::min(field.find('|'), field.size());
  const std::string_view null_text = bar < field.size() ? field.substr(bar + 1) : "null";
  const std::string_view typed = field.substr(0, bar);
  const std::size_t colon = std::min(typed.find(':'), typed.size());
  const ValueView value = rows.at(row, typed.substr(0, colon));
  if (value.is_null()) return std::string(null_text);
  return value_text(value, colon < typed.size() ? typed.substr(colon + 1) : "");
}

std::string filled(std::string_view text, const ResultSetView& rows, std::size_t row) {
  std::string result;
  for (;;) {
    const std::size_t begin = text.find('{');
    if (begin == text.npos) break;
    const std::size_t end = text.find('}', begin);
    result += text.substr(0, begin);
    result += field_text(text.substr(begin + 1, end - begin - 1), rows, row);
    text.remove_prefix(end + 1);
  }
  return result.append(text);
}

// Selects rows outside of the existing warehouses.
std::string rows_of_warehouses() {
  std::string selects;
  for (int place = 0; const auto& [table, column] : columns_of_warehouses) {
    selects += fmt::format(R"({0}
    SELECT {1} AS place, "{2}.{3}"u AS name, COUNT(*) AS outside, MIN({3}) AS lowest,
           MAX({3}) AS highest, $newest AS newest
    FROM {2} WHERE {3} < 1 OR {3} > $newest)",
                           place == 0 ? "" : "\n    UNION ALL", place, table, column);
    if (column == "h_w_id") selects += fmt::format(" OR {} IS NULL", column);  // in no key
    ++place;
  }
  return selects;
}

std::string district_of_stock() {
  std::string dist = "CASE l.ol_d_id";
  for (int district = 1; district <= 10; ++district)
    dist += fmt::format(" WHEN {0} THEN s.s_dist_{0:02}", district);
  return dist + " ELSE NULL END";
}

YqlCondition written_condition(const Condition& rule, const SqlText& text,
                               const std::vector<SqlText>& texts) {
  std::string sql = filled_in(
      text.text, texts,
      {{"rows_of_warehouses", rows_of_warehouses()}, {"district_of_stock", district_of_stock()}});
  YqlCondition condition{rule, std::move(sql), {}, {}, {}};
  for (const auto& [word, value] : text.fields) {
    if (word == "by") {
      condition.order = value;
      condition.key = key_of(value);
    } else if (word == "key") {
      condition.key = value;
    } else if (word == "expected") {
      condition.judgements.push_back({.expected = std::string(value), .found = {}});
    } else {
      Judgement& last = condition.judgements.back();
      (word == "found" ? last.found : word == "column" ? last.column : last.holds) = value;
    }
  }
  return condition;
}

}  // namespace

std::string key_of(std::string_view columns) {
  std::string key;
  for (const auto& part : std::views::split(columns, std::string_view(", "))) {
    const std::string_view column(part.begin(), part.end());
    key += fmt::format("{}{}={{{}}}", key.empty() ? "" : " ", column, column);
  }
  return key;
}

StatementTexts check_texts(const YdbDatabase& database) {
  const DueRows& rows = due_rows();
  return StatementTexts(database, {&rows.warehouses, &rows.districts, &rows.family_names});
}

Statement offenders_text(const YqlCondition& condition, const StatementTexts& text) {
  return text(condition.sql, "\n", offenders_of(condition), "SELECT * FROM $offenders ORDER BY ",
              condition.order, " LIMIT $limit;\n");
}

Statement count_text(const YqlCondition& condition, const StatementTexts& text) {
  std::string sum;
  for (const Judgement& judgement : condition.judgements) {
    sum += sum.empty() ? "" : " + ";
    sum += judgement.holds.empty() ? "COUNT(*)" : fmt::format("COUNT_IF(NOT {})", judgement.holds);
  }
  return text(condition.sql, "\n", offenders_of(condition), "SELECT ", sum,
              " AS offenders FROM $offenders;\n");
}

Parameters parameters_of(const Statement& statement, const CheckPiece& piece, std::int32_t limit) {
  const Values values = {
      {"$first", piece.first_warehouse}, {"$last", piece.last_warehouse}, {"$limit", limit}};
  Parameters parameters = values.of(statement);
  const auto& [warehouses, districts, family_names] = due_rows();
  if (speaks_of(statement, warehouses)) {
    database::ydb::Rows rows = warehouses.add_to(parameters);
    for (std::int32_t w_id = piece.first_warehouse; w_id <= piece.last_warehouse; ++w_id)
      rows.add({w_id});
  }
  if (speaks_of(statement, districts)) {
    database::ydb::Rows rows = districts.add_to(parameters);
    for (std::int32_t w_id = piece.first_warehouse; w_id <= piece.last_warehouse; ++w_id) {
      for (std::int32_t d_id = 1; d_id <= districts_per_warehouse; ++d_id) rows.add({d_id, w_id});
    }
  }
  if (speaks_of(statement, family_names)) {
    // Clause 4.3.3.1: customer n has the name of the number n - 1.
    database::ydb::Rows rows = family_names.add_to(parameters);
    for (std::int32_t id = 1; id <= customer_names; ++id) rows.add({id, last_name(id - 1)});
  }
  return parameters;
}

std::vector<Offender> offenders_in(const YqlCondition& condition, const ResultSetView& rows,
                                   std::size_t most) {
  std::vector<Offender> offenders;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    for (const Judgement& judgement : condition.judgements) {
      if (offenders.size() >= most) return offenders;
      if (!judgement.holds.empty() && rows.at(row, judgement.holds).boolean()) continue;
      std::string key = filled(condition.key, rows, row);
      if (!judgement.column.empty()) key += " " + judgement.column;
      offenders.push_back({std::move(key), filled(judgement.expected, rows, row),
                           filled(judgement.found, rows, row)});
    }
  }
  return offenders;
}

std::string decimal_text(Decimal value, int scale) {
  constexpr std::size_t point_and_cents = 3;
  const bool negative = value.digits < 0;
  std::string text = fmt::format("{:0{}}", negative ? -value.digits : value.digits, scale + 1);
  const std::size_t point = text.size() - static_cast<std::size_t>(scale);
  text.insert(point, 1, '.');
  while (text.size() > point + point_and_cents && text.back() == '0') text.pop_back();
  return negative ? "-" + text : text;
}

std::vector<NotAsked> ruled_out() {
  return {{condition_named("new_order.keys"), "the primary key excludes duplicate rows"}};
}

std::vector<YqlCondition> conditions() {
  const std::vector<SqlText> texts = sql_texts(conditions_yql);
  const std::vector<Condition> impossible = rules_of(ruled_out());
  std::vector<YqlCondition> all;
  for (const Condition& rule : catalogue()) {
    if (std::ranges::find(impossible, rule.name, &Condition::name) != impossible.end()) continue;
    const auto own = std::ranges::find(texts, rule.name, &SqlText::name);
    all.push_back(own != texts.end() ? written_condition(rule, *own, texts)
                                     : pattern_condition(rule));
    // The key of history begins with the customer's warehouse.
    if (rule.span == Span::history_range) all.back().rule.span = Span::range;
  }
  return all;
}

}  // namespace drover::tpcc::ydb
