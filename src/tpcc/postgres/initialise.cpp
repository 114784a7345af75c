#include "tpcc/postgres/initialise.h"

#include <fmt/format.h>

#include "tpcc/postgres/schema.h"
#include "tpcc/unfit_schema.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::postgres::Connection;
using database::postgres::Result;

std::string create_our_tables(const InitialiseOptions& options) {
  const std::string settings = qualified_name(options.schema, settings_table);
  return fmt::format(
      "CREATE TABLE {0} (\n"
      "  format_version int NOT NULL,\n"
      "  foreign_keys text NOT NULL,\n"
      "  seed numeric(20),\n"
      "  load_time_us bigint,\n"
      "  c_last int,\n"
      "  c_id int,\n"
      "  ol_i_id int,\n"
      "  warehouses int,\n"
      "  complete boolean NOT NULL DEFAULT false\n"
      ");\n"
      "CREATE TABLE {1} (w_id int PRIMARY KEY, rows bigint NOT NULL);\n"
      "INSERT INTO {0} (format_version, foreign_keys) VALUES ({2}, '{3}');\n",
      settings, qualified_name(options.schema, loaded_table), format_version,
      foreign_keys_name(options.foreign_keys));
}

std::string drop_statements(const std::string& schema) {
  std::string sql;
  for (const Table table : drop_order()) sql += drop_table(table, schema) + ";\n";
  for (const std::string_view ours : {settings_table, loaded_table}) {
    sql += fmt::format("DROP TABLE IF EXISTS {};\n", qualified_name(schema, ours));
  }
  return sql;
}

Task<bool> schema_exists(Connection& connection, const std::string& schema) {
  const std::string_view name = schema;
  const Result found =
      co_await connection.query("SELECT 1 FROM pg_namespace WHERE nspname = $1::text", name);
  co_return found.rows() > 0;
}

}  // namespace

Task<std::vector<std::string>> initialise(Connection& connection, InitialiseOptions options) {
  const Catalog catalog = co_await read_catalog(connection, options.schema);
  if (catalog.table_count() > 0 && !options.force) {
    throw UnfitSchema(
        fmt::format("the schema{} holds tables of TPC-C already ({}): drop them with 'drover tpcc "
                    "clean{}', or replace them with 'drover tpcc init --force{}'",
                    options.schema.empty() ? "" : fmt::format(" {}", options.schema),
                    catalog.tables_that_exist(true), schema_argument(options.schema),
                    schema_argument(options.schema)));
  }
  std::string sql = "BEGIN;\n";
  if (!options.schema.empty()) {
    // Asked beforehand, as IF NOT EXISTS wants the right to create schemas even if it does.
    const bool exists = co_await schema_exists(connection, options.schema);
    if (!exists) {
      sql += fmt::format("CREATE SCHEMA IF NOT EXISTS {};\n", quote_identifier(options.schema));
    }
  }
  const std::vector<std::string> dropped = catalog.names();
  if (!dropped.empty()) sql += drop_statements(options.schema);
  for (const Table table : all_tables) sql += create_table(table, options.schema) + ";\n";
  sql += create_our_tables(options);
  co_await connection.script(std::move(sql));
  co_await connection.script("COMMIT");
  co_return dropped;
}

Task<std::vector<std::string>> clean(Connection& connection, std::string schema) {
  const Catalog catalog = co_await read_catalog(connection, schema);
  std::vector<std::string> dropped = catalog.names();
  if (dropped.empty()) co_return dropped;
  // The commit goes apart: a command that is interrupted before leaves all as it was.
  co_await connection.script("BEGIN;\n" + drop_statements(schema));
  co_await connection.script("COMMIT");
  co_return dropped;
}

}  // namespace drover::tpcc::postgres
