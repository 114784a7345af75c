#include "workload/tpcc/postgres/import/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "database/postgres/citus.h"
#include "database/postgres/dialect.h"
#include "database/postgres/patient_script.h"
#include "text/sentence.h"
#include "workload/tpcc/import/import.h"
#include "workload/tpcc/postgres/import/schema.h"

namespace drover::tpcc::postgres {

namespace {

using coro::Task;
using database::Dialect;
using database::postgres::Connection;
using database::postgres::Result;
using database::postgres::script_patiently;
using database::postgres::traits_of;

// Whether there is a relation of each name.
Task<std::vector<bool>> relations_exist(Connection& connection, const std::string& schema,
                                        const std::vector<std::string_view>& names) {
  std::vector<std::string> qualified;
  for (const std::string_view name : names) qualified.push_back(qualified_name(schema, name));
  const std::vector<std::string_view> views(qualified.begin(), qualified.end());
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

// Where an index is made by no transaction, a build that was interrupted leaves one behind.
Task<void> read_invalid_indexes(Connection& connection, const std::vector<std::string>& tables,
                                Catalog& catalog) {
  if (traits_of(connection.dialect()).ddl_in_transactions) co_return;
  const std::vector<std::string_view> views(tables.begin(), tables.end());
  const Result found = co_await connection.query(
      "SELECT relname::text FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid "
      "WHERE NOT indisvalid AND indrelid IN "
      "(SELECT to_regclass(name)::oid FROM unnest($1::text[]) AS name)",
      views);
  for (int row = 0; row < found.rows(); ++row) {
    catalog.invalid_indexes.emplace_back(found.text(row, 0));
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
  std::vector<std::string_view> names;
  for (const Table table : all_tables) names.push_back(table_name(table));
  names.insert(names.end(), {settings_table, loaded_table});
  const std::vector<bool> exist = co_await relations_exist(connection, schema, names);
  Catalog catalog;
  std::copy_n(exist.begin(), all_tables.size(), catalog.tables.begin());
  catalog.settings_table = exist[all_tables.size()];
  catalog.loaded_table = exist[all_tables.size() + 1];
  std::vector<std::string> tables;
  for (const Table table : all_tables) tables.push_back(qualified_name(schema, table_name(table)));
  co_await read_objects(connection, tables, catalog);
  co_await read_invalid_indexes(connection, tables, catalog);
  co_return catalog;
}

Task<std::optional<Settings>> read_settings(Connection& connection, std::string schema) {
  const std::string table = qualified_name(schema, settings_table);
  const std::vector<std::string_view> names(1, settings_table);
  const std::vector<bool> exist = co_await relations_exist(connection, schema, names);
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

Task<std::vector<Progress>> read_progress(Connection& connection, std::string schema) {
  std::vector<Progress> all;
  if (traits_of(connection.dialect()).rows_a_transaction == 0) co_return all;
  const Result found = co_await connection.query(fmt::format(
      "SELECT w_id, table_name, next, rows FROM {}", qualified_name(schema, progress_table)));
  for (int row = 0; row < found.rows(); ++row) {
    Progress& one = all.emplace_back();
    one.part = found.number<std::int32_t>(row, 0);
    one.table = found.text(row, 1);
    one.next = found.number<std::int32_t>(row, 2);
    one.rows = found.number<std::int64_t>(row, 3);
  }
  co_return all;
}

Task<std::int32_t> count_partitions(Connection& connection, std::string schema) {
  if (connection.dialect() != Dialect::postgres) co_return 0;
  const Result counted = co_await connection.query(
      "SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass($1::text)",
      std::string_view(qualified_name(schema, table_name(Table::Warehouse))));
  co_return counted.number<std::int32_t>(0, 0);
}

namespace {

// A publication identifies updated and deleted rows by the primary key, by a chosen index, or by
// the whole row.
constexpr std::string_view without_identity_sql =
    "SELECT string_agg(DISTINCT c.relname, ', '), min(p.pubname) "
    "FROM pg_publication p JOIN pg_publication_tables t ON t.pubname = p.pubname "
    "JOIN pg_namespace n ON n.nspname = t.schemaname "
    "JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = t.tablename "
    "WHERE (p.pubupdate OR p.pubdelete) "
    "AND c.oid IN (SELECT to_regclass(name)::oid FROM unnest($1::text[]) AS name) "
    "AND c.relreplident <> 'f' AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND "
    "(c.relreplident = 'd' AND i.indisprimary OR c.relreplident = 'i' AND i.indisreplident))";

}  // namespace

Task<void> require_replica_identity(Connection& connection, std::string schema) {
  if (connection.dialect() != Dialect::postgres) co_return;
  std::vector<std::string> changed;
  for (const Table table : all_tables) {
    if (table == Table::Item || table == Table::History) continue;
    changed.push_back(qualified_name(schema, table_name(table)));
  }
  const std::vector<std::string_view> views(changed.begin(), changed.end());
  Result found;
  try {
    found = co_await connection.query(std::string(without_identity_sql), views);
  } catch (const database::Error& error) {
    // The catalogue may have been revoked from this role. The transactions then report the problem.
    if (error.error_class() != database::ErrorClass::denied || connection.broken()) throw;
  }
  if (found.rows() == 0 || found.is_null(0, 0)) co_return;
  throw UnfitSchema(fmt::format(
      "the publication {1} publishes changes of {0}, which has no primary key or other replica "
      "identity: the server would refuse each transaction. Add the primary key, ALTER TABLE … "
      "REPLICA IDENTITY FULL, or leave it out of the publication",
      found.text(0, 0), found.text(0, 1)));
}

Task<void> require_no_row_security(Connection& connection, std::string schema) {
  if (connection.dialect() != Dialect::postgres) co_return;
  std::vector<std::string> names;
  for (const Table table : all_tables) names.push_back(qualified_name(schema, table_name(table)));
  const std::vector<std::string_view> views(names.begin(), names.end());
  const Result found = co_await connection.query(
      "SELECT string_agg(name, ', ' ORDER BY name) FROM unnest($1::text[]) AS name "
      "WHERE row_security_active(to_regclass(name)::oid)",
      views);
  if (found.is_null(0, 0)) co_return;
  throw UnfitSchema(fmt::format(
      "row security is active for this role on {} and may hide rows that a run must see. Use the "
      "owner of the tables (without FORCE ROW LEVEL SECURITY), or a role with BYPASSRLS",
      found.text(0, 0)));
}

namespace {

// Returns a note for the user if this is a worker of Citus, which may not see an import's record.
Task<std::string> find_hidden_record(Connection& connection, std::string schema) {
  if (connection.dialect() != Dialect::citus) co_return std::string();
  const std::int32_t group = co_await database::postgres::citus_node_group(connection);
  if (group == database::postgres::coordinator_group) co_return std::string();
  const std::string coordinator = co_await database::postgres::citus_coordinator(connection);
  co_return fmt::format(
      "note: this worker of Citus has no record of the import (table {0}), which older versions of "
      "Drover kept only at the coordinator. Drover does not know whether the import is complete, "
      "and cannot keep the distance between C-Load and C-Run that TPC-C's clause 2.1.6.1 requires. "
      "Connect to {1}, or execute these statements there: {2}; {3}",
      settings_table, coordinator, make_reference_table(schema, settings_table),
      make_reference_table(schema, loaded_table));
}

}  // namespace

Task<LoadedDatabase> inspect_loaded(Connection& connection, std::string schema) {
  const Catalog catalog = co_await read_catalog(connection, schema);
  require_tables(catalog, schema);
  LoadedDatabase loaded;
  const std::optional<Settings> settings = co_await read_settings(connection, schema);
  if (settings && settings->population) {
    require_complete(*settings, schema);
    loaded.load_constants = settings->load_constants;
  }
  if (!settings) loaded.hidden_record = co_await find_hidden_record(connection, schema);
  // Warehouses are numbered from 1 without a gap; a hole ends the count.
  const Result counted = co_await connection.query(
      "SELECT coalesce(max(n), 0) FROM (SELECT w_id, row_number() OVER (ORDER BY w_id) AS n "
      "FROM warehouse) AS w WHERE w_id = n");
  loaded.warehouses = counted.number<std::int32_t>(0, 0);
  require_any_warehouse(loaded.warehouses, schema);
  co_return loaded;
}

namespace {

// Throws UnfitSchema if another program's table has the name of one of TPC-C's, such as "customer".
Task<void> require_droppable(Connection& connection, const Catalog& catalog,
                             const std::string& schema) {
  constexpr std::string_view no_such_column = "42703";
  for (std::size_t i = 0; i < all_tables.size(); ++i) {
    if (!catalog.tables[i]) continue;
    const Table table = all_tables[i];
    try {
      co_await connection.query(fmt::format("SELECT {} FROM {} LIMIT 0",
                                            column_names(table).front(),
                                            qualified_name(schema, table_name(table))));
    } catch (const database::Error& error) {
      if (error.sqlstate() != no_such_column) throw;
      refuse_foreign_table(table, schema);
    }
  }
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
        fmt::format(
            "{} This was attempt {}. A load may still be running on these tables: end it first",
            text::sentence(deadlock->what()), number));
  }
  if (on_note) {
    on_note(fmt::format("another session uses these tables ({}). Retrying, attempt {} of {}",
                        deadlock->what(), number + 1, tries_max));
  }
  co_return false;
}

Task<bool> schema_exists(Connection& connection, const std::string& schema) {
  const Result found =
      co_await connection.query("SELECT 1 FROM pg_namespace WHERE nspname = $1::text", schema);
  co_return found.rows() > 0;
}

void require_no_tables(const Catalog& catalog, const InitialiseOptions& options) {
  if (catalog.table_count() == 0 || options.force) return;
  throw UnfitSchema(
      fmt::format("the schema{} already has TPC-C tables ({}). Drop them with 'drover tpcc "
                  "clean{}', or replace them with 'drover tpcc init --force{}'",
                  options.schema.empty() ? "" : fmt::format(" {}", options.schema),
                  catalog.tables_that_exist(true), schema_argument(options.schema),
                  schema_argument(options.schema)));
}

// CREATE SCHEMA, if it is not there. Asked beforehand, as IF NOT EXISTS wants the right to create schemas even if it is.
Task<std::vector<std::string>> schema_statements(Connection& connection,
                                                 const std::string& schema) {
  std::vector<std::string> statements;
  if (schema.empty()) co_return statements;
  const bool exists = co_await schema_exists(connection, schema);
  if (!exists) {
    statements.push_back(fmt::format("CREATE SCHEMA IF NOT EXISTS {}", quote_identifier(schema)));
  }
  co_return statements;
}

// Once; nothing after a deadlock.
Task<std::optional<std::vector<std::string>>> try_initialise(Connection& connection,
                                                             const InitialiseOptions& options,
                                                             int number) {
  const Catalog catalog = co_await read_catalog(connection, options.schema);
  require_no_tables(catalog, options);
  co_await require_droppable(connection, catalog, options.schema);
  std::string sql;
  for (const std::string& one : co_await schema_statements(connection, options.schema)) {
    sql += one + ";\n";
  }
  std::vector<std::string> dropped = catalog.names();
  if (!dropped.empty()) {
    sql += lock_statement(options.schema, dropped) + drop_statement(options.schema);
  }
  for (const std::string& one : statements_to_make(options)) sql += one + ";\n";
  const bool done = co_await execute_ddl(connection, std::move(sql), number, options.on_note);
  if (!done) co_return std::nullopt;
  co_return dropped;
}

// Each by itself, where a transaction takes no more.
Task<void> execute_each(Connection& connection, std::vector<std::string> statements,
                        std::string_view advice) {
  for (const std::string& statement : statements) {
    std::optional<database::Error> error;
    try {
      co_await script_patiently(connection, statement);
    } catch (const database::Error& thrown) {
      error = thrown;
    }
    if (!error) continue;
    throw database::Error(error->error_class(), error->sqlstate(),
                          fmt::format("{} (at {}); {}", error->what(),
                                      statement.substr(0, statement.find('(')), advice));
  }
}

// One by one: what refers to others before these, and first what no catalogue asks for, so that nothing of it is left
// where a command is interrupted.
std::vector<std::string> drop_statements(const std::string& schema, Dialect dialect) {
  constexpr std::array referring_first = {Table::OrderLine, Table::NewOrder, Table::History,
                                          Table::Order,     Table::Customer, Table::District,
                                          Table::Stock,     Table::Item,     Table::Warehouse};
  static_assert(referring_first.size() == all_tables.size());
  std::vector<std::string> statements;
  const auto add = [&](std::string_view table) {
    statements.push_back("DROP TABLE IF EXISTS " + qualified_name(schema, table));
  };
  if (traits_of(dialect).rows_a_transaction > 0) add(progress_table);
  for (const Table table : referring_first) add(table_name(table));
  for (const std::string_view ours : {loaded_table, settings_table}) add(ours);
  return statements;
}

Task<std::vector<std::string>> initialise_one_by_one(Connection& connection,
                                                     InitialiseOptions options) {
  const Catalog catalog = co_await read_catalog(connection, options.schema);
  require_no_tables(catalog, options);
  co_await require_droppable(connection, catalog, options.schema);
  std::vector<std::string> dropped = catalog.names();
  std::vector<std::string> statements = co_await schema_statements(connection, options.schema);
  const auto add = [&statements](const std::vector<std::string>& more) {
    statements.insert(statements.end(), more.begin(), more.end());
  };
  if (!dropped.empty()) add(drop_statements(options.schema, options.layout.dialect));
  add(statements_to_make(options));
  co_await execute_each(
      connection, std::move(statements),
      "the tables created so far remain. To start over, use 'drover tpcc init --force'");
  co_return dropped;
}

}  // namespace

std::vector<std::string> statements_to_make(const InitialiseOptions& options) {
  std::vector<std::string> statements;
  const auto add = [&statements](const std::vector<std::string>& more) {
    statements.insert(statements.end(), more.begin(), more.end());
  };
  for (const Table table : all_tables) {
    add(table_statements(table, options.schema, options.layout));
  }
  add(own_table_statements(options.schema, options.foreign_keys, options.layout.dialect));
  return statements;
}

Task<std::vector<std::string>> initialise(Connection& connection, InitialiseOptions options) {
  co_await database::postgres::require_citus_coordinator(connection, "'drover tpcc init'");
  if (!traits_of(options.layout.dialect).ddl_in_transactions) {
    co_return co_await initialise_one_by_one(connection, std::move(options));
  }
  for (int number = 1;; ++number) {
    auto dropped = co_await try_initialise(connection, options, number);
    if (dropped) co_return std::move(*dropped);
  }
}

Task<std::vector<std::string>> clean(Connection& connection, std::string schema,
                                     NoteFunction on_note) {
  co_await database::postgres::require_citus_coordinator(connection, "'drover tpcc clean'");
  const Dialect dialect = connection.dialect();
  for (int number = 1;; ++number) {
    const Catalog catalog = co_await read_catalog(connection, schema);
    std::vector<std::string> dropped = catalog.names();
    if (dropped.empty()) co_return dropped;
    co_await require_droppable(connection, catalog, schema);
    if (!traits_of(dialect).ddl_in_transactions) {
      co_await execute_each(connection, drop_statements(schema, dialect),
                            "repeat 'drover tpcc clean' to continue from here");
      co_return dropped;
    }
    std::string sql = lock_statement(schema, dropped) + drop_statement(schema);
    const bool done = co_await execute_ddl(connection, std::move(sql), number, on_note);
    if (done) co_return dropped;
  }
}

}  // namespace drover::tpcc::postgres
