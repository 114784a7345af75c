#include "workload/tpcc/postgres/column_limits.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string_view>

#include "database/error.h"
#include "database/postgres/identifier.h"
#include "text/plain_text.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::postgres::Connection;
using database::postgres::qualified_name;
using database::postgres::Result;

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
