#include "tpcc/postgres/row_rules.h"

#include <fmt/format.h>

#include <cmath>

namespace drover::tpcc::postgres {

namespace {

// Restricts `column` to the warehouse range; true for a table that belongs to no warehouse.
std::string in_range(std::string_view column) {
  if (column.empty()) return "true";
  return fmt::format("{} BETWEEN $1::int4 AND $2::int4", column);
}

std::string group_key(std::string_view table, std::string_view warehouse) {
  if (warehouse.empty()) return fmt::format("'{}'", table);
  return fmt::format("format('w_id=%s', w_id)");
}

constexpr double allowed_deviations = 6;

}  // namespace

std::string exact_rows(const RowSet& rows) {
  const bool by_district = !rows.district.empty();
  // Where the table has no district, a constant takes its place: the joins stay the same.
  const std::string_view district = by_district ? rows.district : "0";
  return fmt::format(R"(WITH
due AS (SELECT w_id, d_id, id, true AS due
        FROM generate_series($1::int4, $2::int4) AS w(w_id),
             generate_series({}, {}) AS d(d_id), generate_series({}, {}) AS i(id)),
present AS (SELECT {} AS w_id, {} AS d_id, {} AS id, count(*) AS copies
            FROM {} WHERE {} GROUP BY 1, 2, 3)
SELECT ARRAY[w_id, d_id, id]::int8[] AS place,
       format('{}=%s {}{}=%s', w_id, {}id) AS key,
       CASE WHEN due THEN '1 row of {}' ELSE 'no such row of {}' END AS expected,
       coalesce(copies, 0) AS found
FROM due FULL JOIN present USING (w_id, d_id, id)
WHERE (due AND copies = 1) IS NOT TRUE)",
                     by_district ? 1 : 0, by_district ? 10 : 0, rows.first, rows.last,
                     rows.warehouse, district, rows.id, rows.table, in_range(rows.warehouse),
                     rows.warehouse, by_district ? fmt::format("{}=%s ", rows.district) : "",
                     rows.id, by_district ? "d_id, " : "", rows.table, rows.table);
}

std::string exact_items() {
  return R"(WITH
due AS (SELECT id, true AS due FROM generate_series(1, 100000) AS i(id)),
present AS (SELECT i_id AS id, count(*) AS copies FROM item GROUP BY i_id)
SELECT ARRAY[id]::int8[] AS place, format('i_id=%s', id) AS key,
       CASE WHEN due THEN '1 row of item' ELSE 'no such row of item' END AS expected,
       coalesce(copies, 0) AS found
FROM due FULL JOIN present USING (id)
WHERE (due AND copies = 1) IS NOT TRUE)";
}

std::string domain_offenders(const DomainSet& set) {
  std::string key_format;
  std::string key_columns;
  for (const std::string_view column : set.key) {
    key_format += fmt::format("{}=%s ", column);
    key_columns += fmt::format("{}, ", column);
  }
  std::string all_hold = "true";
  std::string values;
  int ordinal = 0;
  for (const Domain& domain : set.domains) {
    all_hold += fmt::format("\n       AND ({})", domain.holds);
    values +=
        fmt::format("{}\n       ({}, '{}', ({}) IS TRUE, '{}', {}::text)", ordinal == 0 ? "" : ",",
                    ordinal, domain.column, domain.holds, domain.expected, domain.column);
    ++ordinal;
  }
  return fmt::format(R"(SELECT ARRAY[{}ordinal]::int8[] AS place,
       format('{}%s', {}name) AS key, expected, found
FROM {}
     CROSS JOIN LATERAL (VALUES {}) AS judged(ordinal, name, holds, expected, found)
WHERE {} AND NOT holds
      AND ({}) IS NOT TRUE)",
                     key_columns, key_format, key_columns, set.from, values, set.where, all_hold);
}

Domain string_length(std::string_view column, int shortest, int longest) {
  return {std::string(column),
          fmt::format("length({}) BETWEEN {} AND {}", column, shortest, longest),
          shortest == longest ? fmt::format("{} characters", shortest)
                              : fmt::format("{} to {} characters", shortest, longest)};
}

Domain number_between(std::string_view column, std::string_view lowest, std::string_view highest) {
  return {std::string(column), fmt::format("{} BETWEEN {} AND {}", column, lowest, highest),
          fmt::format("{}..{}", lowest, highest)};
}

Domain fraction_between(std::string_view column, std::string_view lowest,
                        std::string_view highest) {
  return {std::string(column),
          fmt::format("{}::numeric BETWEEN {} AND {}", column, lowest, highest),
          fmt::format("{}..{}", lowest, highest)};
}

Domain number_is(std::string_view column, std::string_view value) {
  return {std::string(column), fmt::format("{} = {}", column, value), std::string(value)};
}

Domain money_between(std::string_view column, std::string_view lowest, std::string_view highest) {
  return {std::string(column), fmt::format("@{}@ BETWEEN {} AND {}", column, lowest, highest),
          fmt::format("{}..{}", lowest, highest)};
}

Domain money_is(std::string_view column, std::string_view value) {
  return {std::string(column), fmt::format("@{}@ = {}", column, value), std::string(value)};
}

Domain text_is(std::string_view column, std::string_view value) {
  return {std::string(column), fmt::format("{}::text = '{}'", column, value), std::string(value)};
}

Domain text_matches(std::string_view column, std::string_view pattern, std::string_view expected) {
  return {std::string(column), fmt::format("{}::text ~ '{}'", column, pattern),
          std::string(expected)};
}

Domain not_null(std::string_view column) {
  return {std::string(column), fmt::format("{} IS NOT NULL", column), "not null"};
}

std::string tenth_share(const Share& share) {
  const std::string_view group = share.warehouse.empty() ? "0" : share.warehouse;
  return fmt::format(R"(WITH groups_counted AS (
  SELECT {} AS w_id, count(*) AS total, count(*) FILTER (WHERE {}) AS counted
  FROM {} WHERE {} GROUP BY 1),
judged AS (SELECT w_id, total, counted, total / 10.0 AS due, {} * sqrt(total * 0.09) AS allowed
           FROM groups_counted)
SELECT ARRAY[w_id]::int8[] AS place, {} AS key,
       format('%s of %s rows with {}, give or take %s', round(due), total, round(allowed))
           AS expected,
       counted AS found
FROM judged WHERE abs(counted - due) > allowed)",
                     group, share.property, share.table, in_range(share.warehouse),
                     allowed_deviations, group_key(share.table, share.warehouse), share.title);
}

std::string uniform_mean(const Uniform& uniform) {
  const std::string_view group = uniform.warehouse.empty() ? "0" : uniform.warehouse;
  const double values = std::round((uniform.highest - uniform.lowest) / uniform.step) + 1;
  const double deviation = uniform.step * std::sqrt((values * values - 1) / 12);
  return fmt::format(R"(WITH measured AS (
  SELECT {} AS w_id, avg({}::float8) AS mean, {} * {} / sqrt(count(*)) AS allowed
  FROM {} WHERE {} AND {} GROUP BY 1)
SELECT ARRAY[w_id]::int8[] AS place, {} AS key,
       format('avg({}) = %s, give or take %s', {}, round(allowed::numeric, 4)) AS expected,
       round(mean::numeric, 4) AS found
FROM measured WHERE (abs(mean - {}) <= allowed) IS NOT TRUE)",
                     group, uniform.column, allowed_deviations, deviation, uniform.table,
                     in_range(uniform.warehouse), uniform.where,
                     group_key(uniform.table, uniform.warehouse), uniform.column,
                     (uniform.lowest + uniform.highest) / 2,
                     (uniform.lowest + uniform.highest) / 2);
}

}  // namespace drover::tpcc::postgres
