#include "workload/tpcc/postgres/import/initialise.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "workload/tpcc/import/import_record.h"
#include "workload/tpcc/postgres/import/schema.h"

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

// All at once, so that tables may refer to each other.
std::string drop_statement(const std::string& schema) {
  std::string sql;
  const auto add = [&](std::string_view table) {
    sql += (sql.empty() ? "DROP TABLE IF EXISTS " : ", ") + qualified_name(schema, table);
  };
  for (const Table table : all_tables) add(table_name(table));
  for (const std::string_view ours : {settings_table, loaded_table}) add(ours);
  return sql + ";\n";
}

// First what most transactions lock first: who holds nothing yet cannot stand in the way.
std::string lock_statement(const std::string& schema, std::vector<std::string> names) {
  const auto to_the_front = [&names](std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) std::rotate(names.begin(), found, found + 1);
  };
  to_the_front(table_name(Table::NewOrder));
  to_the_front(table_name(Table::Customer));
  std::string sql;
  for (const std::string& name : names) {
    sql += fmt::format("{}{}", sql.empty() ? "LOCK TABLE " : ", ", qualified_name(schema, name));
  }
  return sql + " IN ACCESS EXCLUSIVE MODE;\n";
}

// Says false after a deadlock, of which there has been the given number: then nothing has happened.
Task<bool> execute_ddl(Connection& connection, std::string sql, int number,
                       const NoteFunction& on_note) {
  constexpr int tries_max = 10;
  std::optional<database::Error> deadlock;
  try {
    co_await connection.script("BEGIN;\n" + std::move(sql));
  } catch (const database::Error& error) {
    const bool again = error.error_class() == database::ErrorClass::retryable;
    if (!again || connection.broken()) throw;
    deadlock = error;
  }
  if (!deadlock) {
    // Apart: a command that is interrupted before leaves all as it was.
    co_await connection.script("COMMIT");
    co_return true;
  }
  co_await connection.script("ROLLBACK");
  if (number >= tries_max) {
    throw database::Error(
        deadlock->error_class(), deadlock->sqlstate(),
        fmt::format("{}; {} tries ended like this: is a load still at work on these tables? End it "
                    "first",
                    deadlock->what(), number));
  }
  if (on_note) {
    on_note(fmt::format("somebody works on these tables ({}): trying again, {} of {}",
                        deadlock->what(), number + 1, tries_max));
  }
  co_return false;
}

Task<bool> schema_exists(Connection& connection, const std::string& schema) {
  const Result found =
      co_await connection.query("SELECT 1 FROM pg_namespace WHERE nspname = $1::text", schema);
  co_return found.rows() > 0;
}

// Once; nothing after a deadlock.
Task<std::optional<std::vector<std::string>>> try_initialise(Connection& connection,
                                                             const InitialiseOptions& options,
                                                             int number) {
  const Catalog catalog = co_await read_catalog(connection, options.schema);
  if (catalog.table_count() > 0 && !options.force) {
    throw UnfitSchema(
        fmt::format("the schema{} holds tables of TPC-C already ({}): drop them with 'drover tpcc "
                    "clean{}', or replace them with 'drover tpcc init --force{}'",
                    options.schema.empty() ? "" : fmt::format(" {}", options.schema),
                    catalog.tables_that_exist(true), schema_argument(options.schema),
                    schema_argument(options.schema)));
  }
  std::string sql;
  if (!options.schema.empty()) {
    // Asked beforehand, as IF NOT EXISTS wants the right to create schemas even if it does.
    const bool exists = co_await schema_exists(connection, options.schema);
    if (!exists) {
      sql += fmt::format("CREATE SCHEMA IF NOT EXISTS {};\n", quote_identifier(options.schema));
    }
  }
  std::vector<std::string> dropped = catalog.names();
  if (!dropped.empty()) {
    sql += lock_statement(options.schema, dropped) + drop_statement(options.schema);
  }
  for (const Table table : all_tables) sql += create_table(table, options.schema) + ";\n";
  sql += create_our_tables(options);
  const bool done = co_await execute_ddl(connection, std::move(sql), number, options.on_note);
  if (!done) co_return std::nullopt;
  co_return dropped;
}

}  // namespace

Task<std::vector<std::string>> initialise(Connection& connection, InitialiseOptions options) {
  for (int number = 1;; ++number) {
    auto dropped = co_await try_initialise(connection, options, number);
    if (dropped) co_return std::move(*dropped);
  }
}

Task<std::vector<std::string>> clean(Connection& connection, std::string schema,
                                     NoteFunction on_note) {
  for (int number = 1;; ++number) {
    const Catalog catalog = co_await read_catalog(connection, schema);
    std::vector<std::string> dropped = catalog.names();
    if (dropped.empty()) co_return dropped;
    std::string sql = lock_statement(schema, dropped) + drop_statement(schema);
    const bool done = co_await execute_ddl(connection, std::move(sql), number, on_note);
    if (done) co_return dropped;
  }
}

}  // namespace drover::tpcc::postgres
