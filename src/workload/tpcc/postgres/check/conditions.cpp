#include "workload/tpcc/postgres/check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <stdexcept>

#include "workload/tpcc/check/catalogue.h"
#include "workload/tpcc/postgres/check/conditions.sql.h"
#include "workload/tpcc/sql_text.h"

namespace drover::tpcc::postgres {

namespace {

std::string extremes() {
  std::string sql;
  int place = 0;
  for (const auto& [table, column] : columns_of_warehouses) {
    sql += fmt::format(R"({0}
  SELECT {1} AS place, '{2}.{3}' AS name, (SELECT min({3}) FROM {2}) AS first,
         (SELECT max({3}) FROM {2}) AS last, EXISTS (SELECT 1 FROM {2} WHERE {3} IS NULL) AS has_null)",
                       place == 0 ? "" : "\n  UNION ALL", place, table, column);
    ++place;
  }
  return sql;
}

std::string district_of_stock() {
  std::string sql = "(CASE ol_d_id";
  for (int district = 1; district <= 10; ++district)
    sql += fmt::format(" WHEN {0} THEN s_dist_{0:02}", district);
  return sql + " END)::bpchar";
}

// The SQL of conditions that follow a pattern.

// Restricts `column` to the warehouse range; true for a table that belongs to no warehouse.
std::string in_range(std::string_view column) {
  if (column.empty()) return "true";
  return fmt::format("{} BETWEEN $1::int4 AND $2::int4", column);
}

std::string group_key(std::string_view table, std::string_view warehouse) {
  if (warehouse.empty()) return fmt::format("'{}'", table);
  return "format('w_id=%s', w_id)";
}

std::string body_of(const Condition&, const RowSet& rows) {
  const bool by_district = !rows.district.empty();
  // A table without districts gets a constant instead, so that the joins stay the same.
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

// Customers 1 to 1,000 have the last names of the numbers 0 to 999; a last name is made of three
// syllables (clause 4.3.2.3).
constexpr std::string_view last_name_predicate =
    "CASE WHEN c_id BETWEEN 1 AND 1000 "
    "THEN c_last::text = {0}[(c_id::int - 1) / 100 + 1] || {0}[(c_id::int - 1) / 10 % 10 + 1] || "
    "{0}[(c_id::int - 1) % 10 + 1] "
    "ELSE c_last::text ~ "
    "'^((BAR)|(OUGHT)|(ABLE)|(PRI)|(PRES)|(ESE)|(ANTI)|(CALLY)|(ATION)|(EING)){{3}}$' END";
constexpr std::string_view syllables =
    "(ARRAY['BAR','OUGHT','ABLE','PRI','PRES','ESE','ANTI','CALLY','ATION','EING'])";

// Returns the predicate of a column that is compared with joined tables.
std::string own_predicate(std::string_view column) {
  if (column == "h_w_id") return "w_id IS NOT NULL";
  if (column == "h_d_id") return "d_id IS NOT NULL";
  if (column == "h_data") {
    return "CASE WHEN @h_amount@ <> 10 THEN h_data::text = w_name::text || '    ' || d_name::text "
           "ELSE h_data IS NOT NULL END";
  }
  if (column == "ol_supply_w_id") {
    return "CASE WHEN ol_o_id > 3000 THEN ol_supply_w_id BETWEEN 1 AND (SELECT max(w_id) FROM "
           "warehouse) ELSE ol_supply_w_id = ol_w_id END";
  }
  if (column == "c_last") return fmt::format(fmt::runtime(last_name_predicate), syllables);
  throw std::logic_error(fmt::format("no predicate for {}", column));
}

std::string tables_of(const Condition& condition, const ColumnSet& set) {
  if (condition.name == "history.values") {
    return "history LEFT JOIN warehouse ON w_id = h_w_id "
           "LEFT JOIN district ON d_w_id = h_w_id AND d_id = h_d_id";
  }
  if (condition.name == "order_line.columns") {
    return "order_line LEFT JOIN oorder ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND "
           "o_id = ol_o_id AND o_w_id BETWEEN $1::int4 AND $2::int4";
  }
  return std::string(set.table);
}

std::string between(std::string_view value, const Domain& domain) {
  return fmt::format("{} BETWEEN {} AND {}", value, domain.low, domain.high);
}

// A char(n) is compared without the blanks at its end, which the random strings never have. Digits
// after the point are compared as numeric, because binary floating point is inexact.
std::string predicate(const Domain& domain) {
  const std::string& column = domain.column;
  switch (domain.must) {
    case Must::be_there:
      return column + " IS NOT NULL";
    case Must::be_a_number:
      return between(column, domain);
    case Must::be_a_flag:
      return between(column + "::int", domain);
    case Must::be_a_rate:
      return between(column + "::numeric", domain);
    case Must::be_money:
      return between("@" + column + "@", domain);
    case Must::be_a_text:
      return fmt::format("{}::text = '{}'", column, domain.low);
    case Must::be_so_long:
      return between("length(" + column + ")", domain);
    case Must::be_digits:
      return column + "::text ~ '^[0-9]{16}$'";
    case Must::be_a_zip:
      return column + "::text ~ '^[0-9]{4}11111$'";
    case Must::be_a_credit:
      return column + "::text ~ '^(GC|BC)$'";
    case Must::hold: {
      std::string text = domain.low;
      std::erase(text, '#');
      return text;
    }
    case Must::agree:
      break;
  }
  return own_predicate(column);
}

// VALUES stands after the CTE because Citus casts the text of a timestamp in VALUES only then.
std::string body_of(const Condition& condition, const ColumnSet& set) {
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
    const std::string holds = predicate(domain);
    all_hold += fmt::format("\n       AND ({})", holds);
    values +=
        fmt::format("{}\n       ({}, '{}', ({}) IS TRUE, '{}', {}::text)", ordinal == 0 ? "" : ",",
                    ordinal, domain.column, holds, domain.expected, domain.column);
    ++ordinal;
  }
  return fmt::format(R"(WITH offending AS MATERIALIZED (
  SELECT * FROM {}
  WHERE {} AND ({}) IS NOT TRUE)
SELECT ARRAY[{}ordinal]::int8[] AS place,
       format('{}%s', {}name) AS key, expected, found
FROM offending
     CROSS JOIN LATERAL (VALUES {}) AS judged(ordinal, name, holds, expected, found)
WHERE NOT holds)",
                     tables_of(condition, set), in_range(set.warehouse), all_hold, key_columns,
                     key_format, key_columns, values);
}

std::string body_of(const Condition&, const Share& share) {
  const std::string property =
      fmt::format(fmt::runtime(share.whole ? "{} = '{}'" : "position('{1}' in {0}) > 0"),
                  share.column, share.text);
  const std::string_view group = share.warehouse.empty() ? "0" : share.warehouse;
  return fmt::format(R"(WITH groups_counted AS (
  SELECT {} AS w_id, count(*) AS total, count(*) FILTER (WHERE {}) AS counted
  FROM {} WHERE {} GROUP BY 1),
judged AS (SELECT w_id, total, counted, total / 10.0 AS due, {} * sqrt(total * 0.09) AS allowed
           FROM groups_counted)
SELECT ARRAY[w_id]::int8[] AS place, {} AS key,
       format('%s of %s rows with {}, +- %s', round(due), total, round(allowed))
           AS expected,
       counted AS found
FROM judged WHERE abs(counted - due) > allowed)",
                     group, property, share.table, in_range(share.warehouse), allowed_deviations,
                     group_key(share.table, share.warehouse), share.text);
}

std::string body_of(const Condition&, const Uniform& uniform) {
  const std::string_view group = uniform.warehouse.empty() ? "0" : uniform.warehouse;
  const double deviation = std::sqrt(uniform.variance());
  return fmt::format(R"(WITH measured AS (
  SELECT {} AS w_id, avg({}::float8) AS mean, {} * {} / sqrt(count(*)) AS allowed
  FROM {} WHERE {} AND {} GROUP BY 1)
SELECT ARRAY[w_id]::int8[] AS place, {} AS key,
       format('avg({}) = %s +- %s', {}, round(allowed::numeric, 4)) AS expected,
       round(mean::numeric, 4) AS found
FROM measured WHERE (abs(mean - {}) <= allowed) IS NOT TRUE)",
                     group, uniform.column, allowed_deviations, deviation, uniform.table,
                     in_range(uniform.warehouse), uniform.where,
                     group_key(uniform.table, uniform.warehouse), uniform.column, uniform.middle(),
                     uniform.middle());
}

std::string body_of(const Condition& condition, std::monostate) {
  throw std::logic_error(fmt::format("no statement for condition {}", condition.name));
}

std::string with_money(std::string_view sql, Money money) {
  std::string result;
  result.reserve(sql.size() + 256);
  for (;;) {
    const auto begin = sql.find('@');
    if (begin == std::string_view::npos) break;
    const auto end = sql.find('@', begin + 1);
    assert(end != std::string_view::npos);
    const std::string_view column = sql.substr(begin + 1, end - begin - 1);
    result += sql.substr(0, begin);
    result += money == Money::exact ? "(" : "round(";
    result += column;
    result += money == Money::exact ? "::numeric)" : "::numeric, 2)";
    sql.remove_prefix(end + 1);
  }
  result += sql;
  return result;
}

// All parameters occur here, because the server refuses a parameter whose type it cannot infer.
std::string offender_statement(std::string_view body, Money money) {
  return "WITH offender AS (\n" + with_money(body, money) +
         "\n)\n"
         "SELECT coalesce(key, 'null')::text AS key, coalesce(expected::text, 'null') AS "
         "expected,\n"
         "       coalesce(found::text, 'null') AS found, count(*) OVER () AS offenders\n"
         "FROM offender ORDER BY place\n"
         "LIMIT CASE WHEN $1::int4 <= $2::int4 THEN $3::int4 ELSE 0 END";
}

std::vector<MadeText> made_texts(const std::vector<SqlText>& texts, database::Dialect dialect) {
  const std::string_view lookup =
      dialect == database::Dialect::citus ? "remote_dist_by_join" : "remote_dist_by_row";
  std::vector<MadeText> made = {{"extremes", extremes()},
                                {"district_of_stock", district_of_stock()}};
  const std::string& text = std::ranges::find(texts, lookup, &SqlText::name)->text;
  made.emplace_back("remote_dist", filled_in(text, texts, made));
  return made;
}

}  // namespace

std::vector<SqlCondition> conditions(Money money, database::Dialect dialect) {
  const std::vector<SqlText> texts = sql_texts(conditions_sql);
  const std::vector<MadeText> made = made_texts(texts, dialect);
  std::vector<SqlCondition> all;
  for (const Condition& rule : catalogue()) {
    const auto own = std::ranges::find(texts, rule.name, &SqlText::name);
    const std::string body =
        own != texts.end()
            ? filled_in(own->text, texts, made)
            : std::visit([&](const auto& one) { return body_of(rule, one); }, rule.pattern);
    all.push_back({.rule = rule,
                   .sql = offender_statement(body, money),
                   .several_warehouses = own != texts.end() && !own->fields.empty()});
  }
  return all;
}

}  // namespace drover::tpcc::postgres
