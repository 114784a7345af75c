// The YQL of conditions that follow a pattern.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "workload/tpcc/schema.h"
#include "workload/tpcc/ydb/check/check.h"
#include "workload/tpcc/ydb/import/schema.h"

namespace drover::tpcc::ydb {

using database::ydb::Primitive;

namespace {

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

// Returns the key of a group: "w_id=1", or the table if it has no warehouse column.
std::string group_key(std::string_view table, std::string_view warehouse) {
  return warehouse.empty() ? std::string(table) : "w_id={w_id}";
}

std::string select_group(std::string_view warehouse) {
  return warehouse.empty() ? "0 AS w_id" : fmt::format("{} AS w_id", warehouse);
}

std::string group_by(std::string_view warehouse) {
  return warehouse.empty() ? "" : fmt::format(" GROUP BY {}", warehouse);
}

std::string in_range(std::string_view warehouse) {
  if (warehouse.empty()) return "true";
  return fmt::format("{} BETWEEN $first AND $last", warehouse);
}

// Returns the literal of an amount or a rate.
std::string amount(std::string_view digits) {
  return fmt::format("Decimal(\"{}\", 22, 9)", digits);
}

// Returns all columns of the table: "c.c_id AS c_id, …".
std::string all_of(std::string_view alias, Table table) {
  std::string list;
  for (const Column& column : columns(table)) {
    list += fmt::format("{0}.{1} AS {1}, ", alias, column.name);
  }
  return list;
}

// The rows of a column set.
struct Source {
  std::string before = {};  // named expressions
  std::string from;
  std::string where;
};

Source joined_history() {
  return {.before = fmt::format(R"($history = (
    SELECT {}d.d_name AS d_name, w.w_name AS w_name, d.d_id IS NOT NULL AS has_district,
           w.w_id IS NOT NULL AS has_warehouse
    FROM (SELECT * FROM history WHERE {}) AS h
    LEFT JOIN (SELECT w_id, w_name FROM warehouse) AS w ON w.w_id = h.h_w_id
    LEFT JOIN (SELECT d_w_id, d_id, d_name FROM district) AS d
    ON d.d_w_id = h.h_w_id AND d.d_id = h.h_d_id);
)",
                                all_of("h", Table::History), in_range("h_c_w_id")),
          .from = "$history",
          .where = "true"};
}

// Customers 1 to 1,000 have the last names of the numbers 0 to 999 (clause 4.3.2.3).
Source named_customers() {
  return {.before = fmt::format(R"($customers = (
    SELECT {}n.id AS name_id
    FROM (SELECT * FROM customer WHERE {}) AS c
    LEFT JOIN AS_TABLE($family_names) AS n ON n.name = c.c_last);
)",
                                all_of("c", Table::Customer), in_range("c_w_id")),
          .from = "$customers",
          .where = "true"};
}

Source lines_with_orders() {
  return {
      .before = fmt::format(R"($lines = (
    SELECT {}o.o_ol_cnt AS o_ol_cnt, o.o_entry_d AS o_entry_d
    FROM (SELECT * FROM order_line WHERE {}) AS l
    LEFT JOIN (SELECT o_w_id, o_d_id, o_id, o_ol_cnt, o_entry_d FROM oorder WHERE {}) AS o
    ON o.o_w_id = l.ol_w_id AND o.o_d_id = l.ol_d_id AND o.o_id = l.ol_o_id);
)",
                            all_of("l", Table::OrderLine), in_range("ol_w_id"), in_range("o_w_id")),
      .from = "$lines",
      .where = "true"};
}

Source source_of(const Condition& rule, const ColumnSet& set) {
  if (rule.name == "history.values") return joined_history();
  if (rule.name == "customer.columns") return named_customers();
  if (rule.name == "order_line.columns") return lines_with_orders();
  Source source{.from = std::string(set.table), .where = in_range(set.warehouse)};
  if (rule.name == "order_line.values")
    source.before = "$newest = (SELECT MAX(w_id) FROM warehouse);\n";
  return source;
}

// Returns the predicate of a column that is compared with joined tables.
std::string own_predicate(std::string_view column) {
  if (column == "h_w_id") return "has_warehouse";
  if (column == "h_d_id") return "has_district";
  if (column == "h_data") {
    return fmt::format(
        "IF(h_amount = {}, h_data IS NOT NULL, h_data = w_name || \"    \"u || d_name)",
        amount("10.00"));
  }
  if (column == "ol_supply_w_id")
    return "IF(ol_o_id > 3000, ol_supply_w_id BETWEEN 1 AND $newest, ol_supply_w_id = ol_w_id)";
  if (column == "c_last") return "IF(c_id > 1000, name_id IS NOT NULL, name_id = c_id)";
  throw std::logic_error(fmt::format("no predicate for {}", column));
}

// Returns the predicate with #amounts# as literals and without the marks of money.
std::string with_amounts(std::string_view predicate) {
  std::string text;
  bool in_amount = false;
  std::string digits;
  for (const char letter : predicate) {
    if (letter == '#') {
      if (in_amount) text += amount(std::exchange(digits, {}));
      in_amount = !in_amount;
    } else if (letter != '@') {
      (in_amount ? digits : text) += letter;
    }
  }
  return text;
}

std::string predicate(const Domain& domain) {
  const auto& [column, must, low, high, expected] = domain;
  switch (must) {
    case Must::be_there:
      return column + " IS NOT NULL";
    case Must::be_a_number:
    case Must::be_a_flag:
      return fmt::format("{} BETWEEN {} AND {}", column, low, high);
    case Must::be_a_rate:
    case Must::be_money:
      return fmt::format("{} BETWEEN {} AND {}", column, amount(low), amount(high));
    case Must::be_a_text:
      return fmt::format("{} = \"{}\"u", column, low);
    case Must::be_so_long:
      return fmt::format("Unicode::GetLength({}) BETWEEN {}ul AND {}ul", column, low, high);
    case Must::be_digits:
      return fmt::format("Unicode::GetLength({0}) = 16ul AND CAST({0} AS Uint64) IS NOT NULL",
                         column);
    case Must::be_a_zip:
      return fmt::format("{0} LIKE \"____11111\"u AND CAST({0} AS Uint32) IS NOT NULL", column);
    case Must::be_a_credit:
      return fmt::format("{0} = \"GC\"u OR {0} = \"BC\"u", column);
    case Must::hold:
      return with_amounts(low);
    case Must::agree:
      break;
  }
  return own_predicate(column);
}

YqlCondition condition_of(const Condition& rule, const ColumnSet& set) {
  std::vector<std::string_view> key = set.key;
  if (set.table == "history") key.push_back("h_c_nano_ts");
  std::string order = fmt::format("{}", fmt::join(key, ", "));
  YqlCondition condition{rule, {}, order, key_of(order), {}};
  std::string columns = std::move(order);
  std::string holds;
  for (const Domain& domain : set.domains) {
    const bool in_key = std::ranges::find(key, domain.column) != key.end();
    const std::string name = fmt::format("holds_{}", condition.judgements.size());
    if (!in_key) columns += fmt::format(", {}", domain.column);
    holds += fmt::format(",\n           COALESCE({}, false) AS {}", predicate(domain), name);
    condition.judgements.push_back(
        {.column = domain.column,
         .holds = name,
         .expected = domain.expected,
         .found = fmt::format("{{{}{}}}", domain.column, kind_of(domain.column))});
  }
  const Source source = source_of(rule, set);
  condition.sql = fmt::format("{}$judged = (\n    SELECT {}{}\n    FROM {} WHERE {});",
                              source.before, columns, holds, source.from, source.where);
  return condition;
}

YqlCondition condition_of(const Condition& rule, const RowSet& rows) {
  const bool by_district = !rows.district.empty();
  const std::string_view group = by_district ? "w_id, d_id" : "w_id";
  const std::string names =
      by_district ? fmt::format("{} AS w_id, {} AS d_id", rows.warehouse, rows.district)
                  : fmt::format("{} AS w_id", rows.warehouse);
  const std::string sql = fmt::format(
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
      fmt::arg("different", rows.in_key ? "COUNT(*)" : fmt::format("COUNT(DISTINCT {})", rows.id)),
      fmt::arg("id", rows.id), fmt::arg("table", rows.table),
      fmt::arg("range", in_range(rows.warehouse)),
      fmt::arg("columns", by_district ? fmt::format("{}, {}", rows.warehouse, rows.district)
                                      : std::string(rows.warehouse)),
      fmt::arg("count", rows.last - rows.first + 1), fmt::arg("first", rows.first),
      fmt::arg("last", rows.last));
  return {rule,
          sql,
          std::string(group),
          key_of(group),
          {{.expected = "{expected:text}",
            .found = rows.in_key ? "{present} rows, lowest {lowest|none}, highest {highest|none}"
                                 : "{present} rows, {different} different, lowest {lowest|none}, "
                                   "highest {highest|none}"}}};
}

YqlCondition condition_of(const Condition& rule, const Share& share) {
  const std::string property = share.whole
                                   ? fmt::format("{} = \"{}\"u", share.column, share.text)
                                   : fmt::format("{} LIKE \"%{}%\"u", share.column, share.text);
  // |counted - total / 10| > 6 × sqrt(total × 0.09), both sides times ten and squared.
  constexpr int bound = allowed_deviations * allowed_deviations * 9;
  const std::string sql = fmt::format(R"($each = (
    SELECT {}, COALESCE(CAST(COUNT(*) AS Int64), 0l) AS total,
           COALESCE(CAST(COUNT_IF({}) AS Int64), 0l) AS counted
    FROM {} WHERE {}{});
$judged = (
    SELECT * FROM $each
    WHERE (counted * 10 - total) * (counted * 10 - total) > total * {});)",
                                      select_group(share.warehouse), property, share.table,
                                      in_range(share.warehouse), group_by(share.warehouse), bound);
  return {rule,
          sql,
          "w_id",
          group_key(share.table, share.warehouse),
          {{.expected = fmt::format("about a tenth of {{total}} rows with {}", share.text),
            .found = "{counted}"}}};
}

// The only place where an amount becomes a Double.
YqlCondition condition_of(const Condition& rule, const Uniform& uniform) {
  const double middle = uniform.middle();
  const std::string sql =
      fmt::format(R"($each = (
    SELECT {}, CAST(COUNT(*) AS Double) AS total,
           CAST(SUM({}) AS Double) / CAST(COUNT(*) AS Double) AS mean
    FROM {} WHERE {} AND {}{});
$judged = (
    SELECT * FROM $each
    WHERE total > 0.0 AND COALESCE((mean - {:.9f}) * (mean - {:.9f}) * total > {:.9f}, true));)",
                  select_group(uniform.warehouse), uniform.column, uniform.table,
                  in_range(uniform.warehouse), uniform.where, group_by(uniform.warehouse), middle,
                  middle, allowed_deviations * allowed_deviations * uniform.variance());
  return {rule,
          sql,
          "w_id",
          group_key(uniform.table, uniform.warehouse),
          {{.expected = fmt::format("avg({}) = {:.4f} +- {} standard deviations", uniform.column,
                                    middle, allowed_deviations),
            .found = "{mean:real}"}}};
}

YqlCondition condition_of(const Condition& rule, std::monostate) {
  throw std::logic_error(fmt::format("no statement for condition {}", rule.name));
}

}  // namespace

YqlCondition pattern_condition(const Condition& condition) {
  return std::visit([&](const auto& pattern) { return condition_of(condition, pattern); },
                    condition.pattern);
}

}  // namespace drover::tpcc::ydb
