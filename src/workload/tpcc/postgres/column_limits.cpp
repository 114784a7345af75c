#include "workload/tpcc/postgres/database_on_postgres.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "database/error.h"
#include "database/postgres/statement.h"
#include "text/plain_text.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::postgres::Connection;
using database::postgres::qualified_name;
using database::postgres::Result;

// The mean amount of a Payment, which is between 1.00 and 5,000.00.
constexpr double payment = 2'500.5;
constexpr double of_a_district = 0.1;
// Share of the most popular customer of a district in its Payments. 60% are chosen by one of 1,000
// last names, 40% by number.
constexpr double popular_customer = 0.025;
// Order lines per New-Order with the most popular item: ten lines, and the largest share of one
// number of NURand(8191, 1, 100000).
constexpr double popular_item = 10 * 0.002;
constexpr double mean_quantity = 5.5;
constexpr double remote_lines = 0.01;

constexpr std::string_view wide_money = "numeric(18,2)";

constexpr auto columns_that_grow = std::to_array<GrowingColumn>({
    {Table::Warehouse, "w_ytd", payment, wide_money, Table::Warehouse, "w_ytd"},
    {Table::District, "d_ytd", of_a_district* payment, wide_money, Table::District, "d_ytd"},
    {Table::District, "d_next_o_id", of_a_district, "int", Table::District, "d_next_o_id"},
    {Table::Order, "o_id", of_a_district, "int", Table::District, "d_next_o_id"},
    {Table::NewOrder, "no_o_id", of_a_district, "int", Table::District, "d_next_o_id"},
    {Table::OrderLine, "ol_o_id", of_a_district, "int", Table::District, "d_next_o_id"},
    {Table::Customer, "c_balance", of_a_district* popular_customer* payment, wide_money,
     Table::Customer, "c_balance"},
    {Table::Customer, "c_ytd_payment", of_a_district* popular_customer* payment, wide_money,
     Table::Customer, "c_ytd_payment"},
    {Table::Customer, "c_payment_cnt", of_a_district* popular_customer, "int", Table::Customer,
     "c_payment_cnt"},
    {Table::Customer, "c_delivery_cnt", of_a_district* popular_customer, "int", Table::Customer,
     "c_delivery_cnt"},
    {Table::Stock, "s_ytd", popular_item* mean_quantity, "bigint", Table::Stock, "s_ytd"},
    {Table::Stock, "s_order_cnt", popular_item, "int", Table::Stock, "s_order_cnt"},
    {Table::Stock, "s_remote_cnt", popular_item* remote_lines, "int", Table::Stock, "s_remote_cnt"},
});

std::string time_text(double seconds) {
  constexpr double minute = 60;
  constexpr double hour = 3'600;
  constexpr double day = 86'400;
  if (seconds < 2 * minute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * hour) return fmt::format("{:.0f} min", seconds / minute);
  if (seconds < 2 * day) return fmt::format("{:.0f} h", seconds / hour);
  return fmt::format("{:.0f} days", seconds / day);
}

// The columns whose type has an end that a run can reach. The upper half of a numeric's modifier is
// its precision, the lower half its scale. bigint counts as without an end.
constexpr std::string_view limits_sql =
    "SELECT place - 1, format_type(atttypid, atttypmod), CASE atttypid "
    "WHEN 'int2'::regtype THEN 32768 WHEN 'int4'::regtype THEN 2147483648 "
    "ELSE power(10, ((atttypmod - 4) >> 16) - ((atttypmod - 4) & 65535)) END "
    "FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS wanted (table_name, name, place) "
    "JOIN pg_attribute ON attrelid = to_regclass(table_name) AND attname = name "
    "WHERE atttypid IN ('int2'::regtype, 'int4'::regtype) OR "
    "(atttypid = 'numeric'::regtype AND atttypmod >= 4) ORDER BY place";

Task<Result> read_limits(Connection& connection, const std::string& schema) {
  std::vector<std::string> tables;
  for (const GrowingColumn& one : growing_columns()) {
    tables.push_back(qualified_name(schema, table_name(one.table)));
  }
  const std::vector<std::string_view> table_views(tables.begin(), tables.end());
  std::vector<std::string_view> names;
  for (const GrowingColumn& one : growing_columns()) names.push_back(one.name);
  try {
    co_return co_await connection.query(std::string(limits_sql), table_views, names);
  } catch (const database::Error& error) {
    const bool knows_it = connection.dialect() == database::Dialect::postgres;
    if (knows_it || error.error_class() != database::ErrorClass::statement || connection.broken()) {
      throw;
    }
  }
  co_return Result();
}

bool is_small(Table table) {
  return table == Table::Warehouse || table == Table::District;
}

}  // namespace

std::span<const GrowingColumn> growing_columns() {
  return columns_that_grow;
}

std::optional<std::string> limit_note(const GrowingColumn& column, const ColumnRoom& room,
                                      const PlannedWork& work, std::string_view schema) {
  // A margin for chance, and for rows that are more popular than estimated.
  constexpr double safety = 1.25;
  const double a_second = column.growth * work.pairs_a_second * (work.is_bound ? 1 : safety);
  const double added = a_second * work.seconds;
  if (room.largest + added < room.limit || a_second <= 0) return std::nullopt;
  const double reached_s = std::max(room.limit - room.largest, 0.0) / a_second;
  const std::string table = schema.empty() ? std::string(table_name(column.table))
                                           : fmt::format("{}.{}", schema, table_name(column.table));
  const bool can_widen = column.wide_type != room.type;
  return fmt::format(
      "warning: the column {0}.{1} has the type {2}, whose values must be below {3:.0f}, and the "
      "largest value in the table is {4:.0f}. This run may reach this limit {5} after its "
      "start{6}, and transactions then fail with SQLSTATE 22003. Before the run, {7}load the data "
      "again (drover tpcc init --force, drover tpcc import)",
      table, column.name, room.type, room.limit, room.largest, time_text(reached_s),
      work.is_bound
          ? fmt::format(", at {:g} Payments per second and warehouse", work.pairs_a_second)
          : "",
      can_widen ? fmt::format("ALTER TABLE {} ALTER COLUMN {} TYPE {}, or ", table, column.name,
                              column.wide_type)
                : "");
}

bool is_little(const GrowingColumn& column, double limit, const PlannedWork& work) noexcept {
  constexpr double part_of_limit = 0.01;
  return column.growth * work.pairs_a_second * work.seconds < part_of_limit * limit;
}

Task<std::vector<std::string>> find_narrow_columns(Connection& connection, std::string schema,
                                                   PlannedWork work) {
  std::vector<std::string> notes;
  const Result limits = co_await read_limits(connection, schema);
  for (int row = 0; row < limits.rows(); ++row) {
    const GrowingColumn& column = growing_columns()[limits.number<std::size_t>(row, 0)];
    ColumnRoom room{.type = std::string(limits.text(row, 1))};
    if (room.type == "integer") room.type = "int";
    room.limit = text::number_of<double>(limits.text(row, 2)).value_or(0);
    if (room.limit <= 0) continue;
    if (!is_small(column.largest_in) && is_little(column, room.limit, work)) continue;
    const Result largest = co_await connection.query(
        fmt::format("SELECT coalesce(max(abs({})), 0) FROM {}", column.largest_of,
                    qualified_name(schema, table_name(column.largest_in))));
    room.largest = text::number_of<double>(largest.text(0, 0)).value_or(0);
    if (auto note = limit_note(column, room, work, schema)) notes.push_back(std::move(*note));
  }
  co_return notes;
}

}  // namespace drover::tpcc::postgres
