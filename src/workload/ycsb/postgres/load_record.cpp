#include "workload/ycsb/postgres/load_record.h"

#include <fmt/format.h>

#include "database/postgres/identifier.h"

namespace drover::ycsb::postgres {

using coro::Task;
using database::postgres::Connection;
using database::postgres::Result;

namespace {

// Transactions that make or drop these tables take it, one at a time.
constexpr std::string_view lock_sql = "SELECT pg_advisory_xact_lock(hashtext('drover_ycsb'))";

Task<bool> has_relation(Connection& connection, std::string_view name) {
  const Result found = co_await connection.query("SELECT to_regclass($1::text) IS NOT NULL", name);
  co_return found.text(0, 0) == "t";
}

}  // namespace

Task<LoadRecord> read_load_record(Connection& connection, const Table& table) {
  LoadRecord record;
  record.has_table = co_await has_relation(connection, table.name());
  const bool is_recorded = co_await has_relation(connection, record_table);
  if (!record.has_table || !is_recorded) co_return record;
  const Result row = co_await connection.query(
      fmt::format("SELECT format_version, layout FROM {} WHERE table_name = $1::text",
                  record_table),
      table.plain_name());
  if (row.rows() == 0) co_return record;
  require_format(row.number<int>(0, 0), table.plain_name());
  record.layout = std::string(row.text(0, 1));
  const Result ranges = co_await connection.query(
      fmt::format("SELECT first_row, first_row + rows FROM {} WHERE table_name = $1::text "
                  "ORDER BY first_row",
                  loaded_table),
      table.plain_name());
  for (int i = 0; i < ranges.rows(); ++i) {
    record.loaded.push_back(
        {.begin = ranges.number<std::uint64_t>(i, 0), .end = ranges.number<std::uint64_t>(i, 1)});
  }
  co_return record;
}

namespace {

std::string create_record_tables() {
  return fmt::format(
      "CREATE TABLE IF NOT EXISTS {0} (table_name text PRIMARY KEY, format_version int NOT NULL, "
      "layout text NOT NULL); "
      "CREATE TABLE IF NOT EXISTS {1} (table_name text, first_row int8, rows int8 NOT NULL, "
      "PRIMARY KEY (table_name, first_row))",
      record_table, loaded_table);
}

Task<void> create_schema(Connection& connection, std::string_view schema) {
  // Asked beforehand, as IF NOT EXISTS wants the right to create schemas even if it does.
  const Result found =
      co_await connection.query("SELECT 1 FROM pg_namespace WHERE nspname = $1::text", schema);
  if (found.rows() > 0) co_return;
  co_await connection.script(
      fmt::format("CREATE SCHEMA IF NOT EXISTS {}", database::postgres::quote_identifier(schema)));
}

// What is recorded of this table, or of one of its name that somebody has dropped.
Task<void> forget(Connection& connection, const Table& table) {
  for (const std::string_view ours : {record_table, loaded_table}) {
    co_await connection.query(fmt::format("DELETE FROM {} WHERE table_name = $1::text", ours),
                              table.plain_name());
  }
}

Task<void> require_no_other_rows(Connection& connection, const Table& table) {
  const Result found =
      co_await connection.query(fmt::format("SELECT 1 FROM {} LIMIT 1", table.name()));
  if (found.rows() > 0) refuse_unrecorded_rows(table.plain_name());
}

}  // namespace

Task<void> begin_load(Connection& connection, std::string schema, const Table& table,
                      const Properties& properties) {
  co_await connection.script("BEGIN");
  co_await connection.script(std::string(lock_sql));
  if (!schema.empty()) co_await create_schema(connection, schema);
  const bool had_table = co_await has_relation(connection, table.name());
  co_await connection.script(table.create_statement());
  co_await connection.script(create_record_tables());
  if (!had_table) co_await forget(connection, table);
  const LoadRecord record = co_await read_load_record(connection, table);
  require_layout(record, properties);
  if (!record.layout) {
    co_await require_no_other_rows(connection, table);
    co_await connection.query(fmt::format("INSERT INTO {} (table_name, format_version, layout) "
                                          "VALUES ($1::text, $2::int4, $3::text)",
                                          record_table),
                              table.plain_name(), record_format, layout_of(properties));
  }
  co_await connection.script("COMMIT");
}

Task<std::vector<std::string>> drop_table(Connection& connection, const Table& table) {
  std::vector<std::string> dropped;
  co_await connection.script("BEGIN");
  co_await connection.script(std::string(lock_sql));
  const bool has_table = co_await has_relation(connection, table.name());
  if (has_table) {
    co_await connection.script(fmt::format("DROP TABLE {}", table.name()));
    dropped.push_back(table.plain_name());
  }
  const bool is_recorded = co_await has_relation(connection, record_table);
  if (is_recorded) {
    co_await forget(connection, table);
    const Result left =
        co_await connection.query(fmt::format("SELECT 1 FROM {} LIMIT 1", record_table));
    if (left.rows() == 0) {
      co_await connection.script(fmt::format("DROP TABLE {}, {}", record_table, loaded_table));
      for (const std::string_view ours : {record_table, loaded_table}) dropped.emplace_back(ours);
    }
  }
  co_await connection.script("COMMIT");
  co_return dropped;
}

}  // namespace drover::ycsb::postgres
