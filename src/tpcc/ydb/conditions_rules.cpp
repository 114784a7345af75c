#include "tpcc/ydb/conditions_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tpcc/schema.h"
#include "tpcc/ydb/schema.h"

namespace drover::tpcc::ydb {

using database::ydb::Primitive;

namespace {

// How a template shows a column of the nine tables.
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

// "w_id=1", or the table where there is no warehouse.
std::string group_key(std::string_view table, std::string_view warehouse) {
  return warehouse.empty() ? std::string(table) : "w_id={w_id}";
}

std::string select_group(std::string_view warehouse) {
  return warehouse.empty() ? "0 AS w_id" : fmt::format("{} AS w_id", warehouse);
}

std::string group_by(std::string_view warehouse) {
  return warehouse.empty() ? "" : fmt::format(" GROUP BY {}", warehouse);
}

constexpr int allowed_deviations = 6;

}  // namespace

Condition rule_named(std::string name, std::string_view clause, std::string title, Span span) {
  return {.number = 0,
          .name = std::move(name),
          .clause = clause,
          .title = std::move(title),
          .span = span,
          .sql = {}};
}

std::string in_range(std::string_view warehouse) {
  if (warehouse.empty()) return "true";
  return fmt::format("{} BETWEEN $first AND $last", warehouse);
}

std::string amount(std::string_view digits) {
  return fmt::format("Decimal(\"{}\", 22, 9)", digits);
}

Domain not_null(std::string_view column) {
  return {std::string(column), fmt::format("{} IS NOT NULL", column), "not null"};
}

Domain number_between(std::string_view column, int lowest, int highest) {
  return {std::string(column), fmt::format("{} BETWEEN {} AND {}", column, lowest, highest),
          fmt::format("{}..{}", lowest, highest)};
}

Domain number_is(std::string_view column, int value) {
  return {std::string(column), fmt::format("{} = {}", column, value), fmt::format("{}", value)};
}

Domain amount_between(std::string_view column, std::string_view lowest, std::string_view highest) {
  return {std::string(column),
          fmt::format("{} BETWEEN {} AND {}", column, amount(lowest), amount(highest)),
          fmt::format("{}..{}", lowest, highest)};
}

Domain amount_is(std::string_view column, std::string_view value) {
  return {std::string(column), fmt::format("{} = {}", column, amount(value)), std::string(value)};
}

Domain text_is(std::string_view column, std::string_view value) {
  return {std::string(column), fmt::format("{} = \"{}\"u", column, value), std::string(value)};
}

Domain text_length(std::string_view column, int shortest, int longest) {
  return {std::string(column),
          fmt::format("Unicode::GetLength({}) BETWEEN {}ul AND {}ul", column, shortest, longest),
          shortest == longest ? fmt::format("{} characters", shortest)
                              : fmt::format("{} to {} characters", shortest, longest)};
}

std::vector<Domain> not_nulls(std::string_view prefix, std::span<const std::string_view> columns) {
  std::vector<Domain> domains;
  for (const std::string_view column : columns)
    domains.push_back(not_null(fmt::format("{}{}", prefix, column)));
  return domains;
}

YqlCondition domain_condition(Condition rule, const DomainSet& set) {
  YqlCondition condition{std::move(rule), order_of(set.key), key_of(set.key), {}};
  std::string columns = condition.order;
  std::string holds;
  for (const Domain& domain : set.domains) {
    const bool in_key = std::find(set.key.begin(), set.key.end(), domain.column) != set.key.end();
    const std::string name = fmt::format("holds_{}", condition.judgements.size());
    if (!in_key) columns += fmt::format(", {}", domain.column);
    holds += fmt::format(",\n           COALESCE({}, false) AS {}", domain.holds, name);
    condition.judgements.push_back(
        {.column = domain.column,
         .holds = name,
         .expected = domain.expected,
         .found = fmt::format("{{{}{}}}", domain.column, kind_of(domain.column))});
  }
  condition.rule.sql = fmt::format("{}$judged = (\n    SELECT {}{}\n    FROM {} WHERE {});",
                                   set.before, columns, holds, set.from, set.where);
  return condition;
}

YqlCondition row_condition(Condition rule, const RowSet& rows) {
  const bool by_district = !rows.district.empty();
  const std::string_view group = by_district ? "w_id, d_id" : "w_id";
  const std::string names =
      by_district ? fmt::format("{} AS w_id, {} AS d_id", rows.warehouse, rows.district)
                  : fmt::format("{} AS w_id", rows.warehouse);
  rule.sql = fmt::format(
      R"($parts = (
    SELECT {group}, 1 AS due, 0ul AS present, 0ul AS different, CAST(NULL AS Int32) AS lowest,
           CAST(NULL AS Int32) AS highest
    FROM AS_TABLE({due})
    UNION ALL
    SELECT {names}, 0 AS due, COUNT(*) AS present, {different} AS different, MIN({id}) AS lowest,
           MAX({id}) AS highest
    FROM {table} WHERE {range} GROUP BY {columns});
$each = (
    SELECT {group}, MAX(due) AS due, SUM(present) AS present, SUM(different) AS different,
           MIN(lowest) AS lowest, MAX(highest) AS highest
    FROM $parts GROUP BY {group});
$judged = (
    SELECT {group}, present, different, lowest, highest,
           IF(due = 1, "{count} rows of {table}, {id} {first}..{last}"u,
              "no such row of {table}"u) AS expected
    FROM $each
    WHERE NOT COALESCE(due = 1 AND present = {count}ul AND different = {count}ul
                       AND lowest = {first} AND highest = {last}, false));)",
      fmt::arg("group", group), fmt::arg("names", names),
      fmt::arg("due", by_district ? "$due_districts" : "$due_warehouses"),
      fmt::arg("different", rows.repeats ? fmt::format("COUNT(DISTINCT {})", rows.id) : "COUNT(*)"),
      fmt::arg("id", rows.id), fmt::arg("table", rows.table),
      fmt::arg("range", in_range(rows.warehouse)),
      fmt::arg("columns", by_district ? fmt::format("{}, {}", rows.warehouse, rows.district)
                                      : std::string(rows.warehouse)),
      fmt::arg("count", rows.last - rows.first + 1), fmt::arg("first", rows.first),
      fmt::arg("last", rows.last));
  constexpr std::string_view keys[] = {"w_id", "d_id"};
  return offender_condition(std::move(rule), std::span(keys).first(by_district ? 2 : 1),
                            "{expected:text}",
                            rows.repeats ? "{present} rows, {different} different, "
                                           "{lowest|none}..{highest|none}"
                                         : "{present} rows, {lowest|none}..{highest|none}");
}

YqlCondition share_condition(Condition rule, const Share& share) {
  // |counted - total / 10| > 6 × sqrt(total × 0.09), both sides times ten and squared.
  constexpr int bound = allowed_deviations * allowed_deviations * 9;
  rule.sql = fmt::format(R"($each = (
    SELECT {}, COALESCE(CAST(COUNT(*) AS Int64), 0l) AS total,
           COALESCE(CAST(COUNT_IF({}) AS Int64), 0l) AS counted
    FROM {} WHERE {}{});
$judged = (
    SELECT * FROM $each
    WHERE (counted * 10 - total) * (counted * 10 - total) > total * {});)",
                         select_group(share.warehouse), share.property, share.table,
                         in_range(share.warehouse), group_by(share.warehouse), bound);
  return {std::move(rule),
          "w_id",
          group_key(share.table, share.warehouse),
          {{.expected = fmt::format("a tenth of {{total}} rows with {}", share.title),
            .found = "{counted}"}}};
}

YqlCondition mean_condition(Condition rule, const Uniform& uniform) {
  const double values = std::round((uniform.highest - uniform.lowest) / uniform.step) + 1;
  const double variance = uniform.step * uniform.step * (values * values - 1) / 12;
  const double middle = (uniform.lowest + uniform.highest) / 2;
  rule.sql = fmt::format(R"($each = (
    SELECT {}, CAST(COUNT(*) AS Double) AS total,
           CAST(SUM({}) AS Double) / CAST(COUNT(*) AS Double) AS mean
    FROM {} WHERE {} AND {}{});
$judged = (
    SELECT * FROM $each
    WHERE total > 0.0 AND COALESCE((mean - {:.9f}) * (mean - {:.9f}) * total > {:.9f}, true));)",
                         select_group(uniform.warehouse), uniform.column, uniform.table,
                         in_range(uniform.warehouse), uniform.where, group_by(uniform.warehouse),
                         middle, middle, allowed_deviations * allowed_deviations * variance);
  return {std::move(rule),
          "w_id",
          group_key(uniform.table, uniform.warehouse),
          {{.expected = fmt::format("avg({}) = {:.4f}, give or take {} standard deviations",
                                    uniform.column, middle, allowed_deviations),
            .found = "{mean:real}"}}};
}

}  // namespace drover::tpcc::ydb
