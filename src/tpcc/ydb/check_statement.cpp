#include "tpcc/ydb/check_statement.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "tpcc/random.h"
#include "tpcc/ydb/schema.h"

namespace drover::tpcc::ydb {

using database::ydb::Decimal;
using database::ydb::Int128;
using database::ydb::Parameters;
using database::ydb::Primitive;
using database::ydb::ResultSetView;
using database::ydb::RowType;
using database::ydb::ValueView;

namespace {

constexpr std::int32_t districts = 10;
constexpr std::int32_t named_customers = 1000;

struct Declaration {
  std::string_view name;
  std::string_view type;
};

constexpr Declaration declarations[] = {
    {"$first", "Int32"},
    {"$last", "Int32"},
    {"$limit", "Uint64"},
    {"$due_warehouses", "List<Struct<w_id: Int32>>"},
    {"$due_districts", "List<Struct<d_id: Int32, w_id: Int32>>"},
    {"$family_names", "List<Struct<id: Int32, name: Utf8>>"},
};

bool speaks_of(std::string_view text, std::string_view parameter) {
  return text.find(parameter) != text.npos;
}

std::string whole_text(std::string_view pragma, std::string_view body) {
  std::string text(pragma);
  for (const auto& [name, type] : declarations) {
    if (speaks_of(body, name)) text += fmt::format("DECLARE {} AS {};\n", name, type);
  }
  return text.append(body);
}

// Rows of which some judgement does not hold.
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

// `field` is what stands between the braces.
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

void add_due_districts(Parameters& parameters, const CheckPiece& piece) {
  static const RowType type{{"d_id", Primitive::int32}, {"w_id", Primitive::int32}};
  database::ydb::Rows rows = parameters.add_rows("$due_districts", type);
  for (std::int32_t w_id = piece.first_warehouse; w_id <= piece.last_warehouse; ++w_id) {
    for (std::int32_t d_id = 1; d_id <= districts; ++d_id) rows.add({d_id, w_id});
  }
}

void add_due_warehouses(Parameters& parameters, const CheckPiece& piece) {
  static const RowType type{{"w_id", Primitive::int32}};
  database::ydb::Rows rows = parameters.add_rows("$due_warehouses", type);
  for (std::int32_t w_id = piece.first_warehouse; w_id <= piece.last_warehouse; ++w_id)
    rows.add({w_id});
}

// Clause 4.3.3.1: customer n has the name of the number n - 1.
void add_family_names(Parameters& parameters) {
  static const RowType type{{"id", Primitive::int32}, {"name", Primitive::utf8}};
  database::ydb::Rows rows = parameters.add_rows("$family_names", type);
  for (std::int32_t id = 1; id <= named_customers; ++id) rows.add({id, last_name(id - 1)});
}

}  // namespace

std::string order_of(std::span<const std::string_view> columns) {
  return fmt::format("{}", fmt::join(columns, ", "));
}

std::string key_of(std::span<const std::string_view> columns) {
  std::string key;
  for (const std::string_view column : columns)
    key += fmt::format("{}{}={{{}}}", key.empty() ? "" : " ", column, column);
  return key;
}

YqlCondition offender_condition(Condition rule, std::span<const std::string_view> key,
                                std::string expected, std::string found) {
  Judgement judgement{.expected = std::move(expected), .found = std::move(found)};
  return {std::move(rule), order_of(key), key_of(key), {std::move(judgement)}};
}

std::string offenders_text(const YqlCondition& condition, std::string_view pragma) {
  return whole_text(pragma,
                    fmt::format("{}\n{}SELECT * FROM $offenders ORDER BY {} LIMIT $limit;\n",
                                condition.rule.sql, offenders_of(condition), condition.order));
}

std::string count_text(const YqlCondition& condition, std::string_view pragma) {
  std::string sum;
  for (const Judgement& judgement : condition.judgements) {
    sum += sum.empty() ? "" : " + ";
    sum += judgement.holds.empty() ? "COUNT(*)" : fmt::format("COUNT_IF(NOT {})", judgement.holds);
  }
  return whole_text(pragma, fmt::format("{}\n{}SELECT {} AS offenders FROM $offenders;\n",
                                        condition.rule.sql, offenders_of(condition), sum));
}

Parameters parameters_of(std::string_view text, const CheckPiece& piece, std::int32_t limit) {
  Parameters parameters;
  if (speaks_of(text, "$first")) parameters.add("$first", Primitive::int32, piece.first_warehouse);
  if (speaks_of(text, "$last")) parameters.add("$last", Primitive::int32, piece.last_warehouse);
  if (speaks_of(text, "$limit")) parameters.add("$limit", Primitive::uint64, limit);
  if (speaks_of(text, "$due_warehouses")) add_due_warehouses(parameters, piece);
  if (speaks_of(text, "$due_districts")) add_due_districts(parameters, piece);
  if (speaks_of(text, "$family_names")) add_family_names(parameters);
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
  const auto behind = static_cast<std::size_t>(scale);
  const bool negative = value.digits < 0;
  Int128 rest = negative ? -value.digits : value.digits;
  std::string text;
  while (rest > 0 || text.size() <= behind) {
    text.insert(0, 1, static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  }
  const std::size_t point = text.size() - behind;
  text.insert(point, 1, '.');
  while (text.size() > point + point_and_cents && text.back() == '0') text.pop_back();
  return negative ? "-" + text : text;
}

}  // namespace drover::tpcc::ydb
