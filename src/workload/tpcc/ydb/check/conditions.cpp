#include "workload/tpcc/ydb/check/check.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "workload/tpcc/random.h"
#include "workload/tpcc/ydb/check/conditions.yql.h"

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

// Returns the type of a column in templates.
std::string_view kind_of(std::string_view column) {
  for (const Table table : all_tables) {
    for (const auto& [name, type] : columns(table)) {
      if (name != column) continue;
      if (type.primitive == Primitive::decimal) return ":money";
      if (type.primitive == Primitive::utf8) return ":text";
      if (type.primitive == Primitive::timestamp) return ":time";
    }
  }
  return "";
}

// Returns the predicate with #amounts# as literals and without the marks of money.
std::string with_amounts(std::string_view predicate) {
  std::string text;
  for (bool in_amount = false; const char letter : predicate) {
    if (letter == '#') {
      in_amount = !in_amount;
      text += in_amount ? "Decimal(\"" : "\", 22, 9)";
    } else if (letter != '@') {
      text += letter;
    }
  }
  return text;
}

// Reads the fields of a text. `fill` completes their values.
template <class Fill>
void add_fields(const NamedText& text, YqlCondition& condition, Fill fill) {
  for (const auto& [word, raw] : text.fields) {
    const std::string value = fill(raw);
    if (word == "by") {
      condition.order = value;
      condition.key = key_of(value);
    } else if (word == "key") {
      condition.key = value;
    } else if (word == "expected") {
      condition.judgements.push_back({.expected = value, .found = {}});
    } else {
      Judgement& last = condition.judgements.back();
      (word == "found" ? last.found : word == "column" ? last.column : last.holds) = value;
    }
  }
}

YqlCondition written_condition(const Condition& rule, const NamedText& text,
                               const NamedTexts& texts) {
  YqlCondition condition{rule, {}, {}, {}, {}};
  condition.sql = filled_in(text.text, texts, {{"warehouse_columns", warehouse_columns(texts)}});
  add_fields(text, condition, [](std::string_view value) { return std::string(value); });
  return condition;
}

void add_group(const Condition& rule, std::vector<TextArgument>& words) {
  const std::string& warehouse = rule.warehouse;
  words.emplace_back("group_key", warehouse.empty() ? std::string(rule.table) : "w_id={w_id}");
  words.emplace_back("group_by", warehouse.empty() ? "" : fmt::format(" GROUP BY {}", warehouse));
}

void add_rows(const Condition& rule, std::vector<TextArgument>& words) {
  const auto& [warehouse, district] = std::tie(rule.warehouse, rule.district);
  const bool any_id = !rule.word("any_id").empty();
  const bool by_district = !district.empty();
  const std::int64_t count = std::stoll(rule.word("last")) - std::stoll(rule.word("first")) + 1;
  words.emplace_back("count", std::to_string(count));
  words.emplace_back("keys", by_district ? "w_id, d_id" : "w_id");
  words.emplace_back("columns", by_district ? warehouse + ", " + district : warehouse);
  words.emplace_back("names", by_district
                                  ? fmt::format("{} AS w_id, {} AS d_id", warehouse, district)
                                  : warehouse + " AS w_id");
  words.emplace_back("due", by_district ? "$due_districts" : "$due_warehouses");
  words.emplace_back("different",
                     any_id ? fmt::format("COUNT(DISTINCT {})", rule.word("any_id")) : "COUNT(*)");
  words.emplace_back("and_different", any_id ? ", {different} different" : "");
}

YqlCondition columns_condition(const Condition& rule, const NamedTexts& texts,
                               const std::vector<TextArgument>& words) {
  std::vector<std::string_view> key = rule.key;
  if (rule.table == "history") key.push_back("h_c_nano_ts");
  std::string selected = fmt::format("{}", fmt::join(key, ", "));
  YqlCondition condition{rule, {}, selected, key_of(selected), {}};
  std::string holds;
  for (const Domain& domain : rule.domains) {
    const bool in_key = std::ranges::find(key, domain.column) != key.end();
    const std::string name = fmt::format("holds_{}", condition.judgements.size());
    if (!in_key) selected += fmt::format(", {}", domain.column);
    holds += fmt::format(",\n           COALESCE({}, false) AS {}",
                         with_amounts(predicate_of(domain, texts)), name);
    condition.judgements.push_back(
        {.column = domain.column,
         .holds = name,
         .expected = domain.expected,
         .found = fmt::format("{{{}{}}}", domain.column, kind_of(domain.column))});
  }
  // The text defines the rows that the condition judges, if they are not those of the table.
  const NamedText* source = find_text(texts, "source of " + rule.name);
  std::string before = source == nullptr ? "" : filled_in(source->text, {}, words) + "\n";
  const bool is_named = source != nullptr && !source->fields.empty();
  const std::string_view from = is_named ? source->fields.front().second : rule.table;
  condition.sql =
      fmt::format("{}$judged = (\n    SELECT {}{}\n    FROM {} WHERE {});", before, selected, holds,
                  from, is_named ? "true" : filled_in("{range}", {}, words));
  return condition;
}

// Returns all columns of the table: "t.c_id AS c_id, …".
std::string all_columns(std::string_view table) {
  std::string list;
  for (const Column& column : columns(*std::ranges::find(all_tables, table, table_name))) {
    list += fmt::format("t.{0} AS {0}, ", column.name);
  }
  return list;
}

// Returns a condition that conditions.yql states by a pattern.
YqlCondition pattern_condition(const Condition& rule, const NamedTexts& texts) {
  std::vector<TextArgument> words = arguments_of(rule, texts);
  if (rule.pattern == "columns") {
    words.emplace_back("all_columns", all_columns(rule.table));
    return columns_condition(rule, texts, words);
  }
  add_group(rule, words);
  if (rule.pattern == "rows") add_rows(rule, words);
  const NamedText& text = text_named(texts, rule.pattern);
  YqlCondition condition{rule, filled_in(text.text, {}, words), {}, {}, {}};
  add_fields(text, condition, [&](std::string_view value) { return filled_in(value, {}, words); });
  return condition;
}

}  // namespace

std::string key_of(std::string_view columns) {
  std::string key;
  for (const std::string_view column : split(columns, ", ")) {
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
  return {{*std::ranges::find(catalogue(), "new_order.keys", &Condition::name),
           "the primary key excludes duplicate rows"}};
}

std::vector<YqlCondition> conditions() {
  const NamedTexts texts = named_texts(conditions_yql);
  const std::vector<Condition> impossible = rules_of(ruled_out());
  std::vector<YqlCondition> all;
  for (const Condition& rule : catalogue()) {
    if (std::ranges::find(impossible, rule.name, &Condition::name) != impossible.end()) continue;
    const NamedText* own = find_text(texts, rule.name);
    all.push_back(own != nullptr ? written_condition(rule, *own, texts)
                                 : pattern_condition(rule, texts));
    // The key of history begins with the customer's warehouse.
    if (rule.span == Span::history_range) all.back().rule.span = Span::range;
  }
  return all;
}

}  // namespace drover::tpcc::ydb
