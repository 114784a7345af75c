#include "workload/tpcc/postgres/import/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "workload/tpcc/import/import.h"
#include "workload/tpcc/postgres/import/schema.h"

namespace drover::tpcc::postgres {

namespace {

using coro::Task;
using database::postgres::Connection;
using database::postgres::Result;

// Whether there is a relation of each name.
Task<std::vector<bool>> relations_exist(Connection& connection,
                                        const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const Result found = co_await connection.query(
      "SELECT to_regclass(name) IS NOT NULL FROM unnest($1::text[]) WITH ORDINALITY "
      "AS wanted (name, place) ORDER BY place",
      views);
  std::vector<bool> exist;
  for (int row = 0; row < found.rows(); ++row) exist.push_back(found.text(row, 0) == "t");
  co_return exist;
}

Task<void> read_objects(Connection& connection, const std::vector<std::string>& tables,
                        Catalog& catalog) {
  const std::vector<std::string_view> views(tables.begin(), tables.end());
  const Result found = co_await connection.query(
      "WITH tables AS (SELECT to_regclass(name)::oid AS id FROM unnest($1::text[]) AS name) "
      "SELECT conname::text, convalidated FROM pg_constraint JOIN tables ON conrelid = id "
      "WHERE contype IN ('p', 'f') UNION "
      "SELECT relname::text, true FROM pg_index JOIN tables ON indrelid = id "
      "JOIN pg_class ON pg_class.oid = indexrelid WHERE indisvalid",
      views);
  for (int row = 0; row < found.rows(); ++row) {
    const bool valid = found.text(row, 1) == "t";
    (valid ? catalog.objects : catalog.unvalidated).emplace_back(found.text(row, 0));
  }
}

}  // namespace

bool Catalog::has(std::string_view object) const noexcept {
  return std::find(objects.begin(), objects.end(), object) != objects.end();
}

bool Catalog::is_unvalidated(std::string_view reference) const noexcept {
  return std::find(unvalidated.begin(), unvalidated.end(), reference) != unvalidated.end();
}

Task<Catalog> read_catalog(Connection& connection, std::string schema) {
  std::vector<std::string> names;
  for (const Table table : all_tables) names.push_back(qualified_name(schema, table_name(table)));
  std::vector<std::string> with_ours = names;
  with_ours.push_back(qualified_name(schema, settings_table));
  with_ours.push_back(qualified_name(schema, loaded_table));
  const std::vector<bool> exist = co_await relations_exist(connection, with_ours);
  Catalog catalog;
  for (size_t index = 0; index < names.size(); ++index) catalog.tables[index] = exist[index];
  catalog.settings_table = exist[names.size()];
  catalog.loaded_table = exist[names.size() + 1];
  co_await read_objects(connection, names, catalog);
  co_return catalog;
}

Task<std::optional<Settings>> read_settings(Connection& connection, std::string schema) {
  const std::string table = qualified_name(schema, settings_table);
  const std::vector<std::string> names(1, table);
  const std::vector<bool> exist = co_await relations_exist(connection, names);
  if (!exist.front()) co_return std::nullopt;
  const Result row = co_await connection.query(
      fmt::format("SELECT format_version, foreign_keys, seed, load_time_us, c_last, c_id, ol_i_id, "
                  "warehouses, complete FROM {}",
                  table));
  if (row.rows() == 0) co_return std::nullopt;
  require_format(row.number<int32_t>(0, 0), schema);
  Settings settings;
  settings.foreign_keys = foreign_keys_of(row.text(0, 1)).value_or(ForeignKeys::none);
  if (!row.is_null(0, 2)) {
    settings.population.emplace();
    settings.population->seed = row.number<uint64_t>(0, 2);
    settings.population->load_time_us = row.number<int64_t>(0, 3);
    settings.load_constants.c_last = row.number<int32_t>(0, 4);
    settings.load_constants.c_id = row.number<int32_t>(0, 5);
    settings.load_constants.ol_i_id = row.number<int32_t>(0, 6);
  }
  settings.warehouses = row.number<int32_t>(0, 7);
  settings.complete = row.text(0, 8) == "t";
  co_return settings;
}

Task<std::vector<int32_t>> read_loaded(Connection& connection, std::string schema) {
  const Result found = co_await connection.query(
      fmt::format("SELECT w_id FROM {} ORDER BY w_id", qualified_name(schema, loaded_table)));
  std::vector<int32_t> loaded;
  for (int row = 0; row < found.rows(); ++row) {
    loaded.push_back(found.number<int32_t>(row, 0));
  }
  co_return loaded;
}

Task<LoadedDatabase> inspect_loaded(Connection& connection, std::string schema) {
  const Catalog catalog = co_await read_catalog(connection, schema);
  require_tables(catalog, schema);
  LoadedDatabase loaded;
  const std::optional<Settings> settings = co_await read_settings(connection, schema);
  if (settings && settings->population) {
    require_complete(*settings, schema);
    loaded.load_constants = settings->load_constants;
  }
  // Warehouses are numbered from 1 without a gap; a hole ends the count.
  const Result counted = co_await connection.query(
      "SELECT coalesce(max(n), 0) FROM (SELECT w_id, row_number() OVER (ORDER BY w_id) AS n "
      "FROM warehouse) AS w WHERE w_id = n");
  loaded.warehouses = counted.number<std::int32_t>(0, 0);
  require_any_warehouse(loaded.warehouses, schema);
  co_return loaded;
}

namespace {

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
