#include "workload/tpcc/postgres/import/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "database/postgres/admin_session.h"
#include "database/postgres/citus.h"
#include "database/postgres/dialect.h"
#include "text/plain_text.h"
#include "workload/tpcc/postgres/import/schema.h"

namespace drover::tpcc::postgres {

namespace {

using coro::Task;
using database::Dialect;
using database::postgres::Connection;
using database::postgres::PostgresAdminSession;
using database::postgres::Result;
using database::postgres::script_with_retries;
using database::postgres::traits_of;

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

// Reads the indexes that interrupted builds have left, which happens outside of transactions.
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
  PostgresAdminSession session(connection, schema);
  Catalog catalog{co_await read_tables(session), {}, {}, {}};
  std::vector<std::string> tables;
  for (const Table table : all_tables) tables.push_back(qualified_name(schema, table_name(table)));
  co_await read_objects(connection, tables, catalog);
  co_await read_invalid_indexes(connection, tables, catalog);
  co_return catalog;
}

Task<std::int32_t> count_partitions(Connection& connection, std::string schema) {
  if (connection.dialect() != Dialect::postgres) co_return 0;
  const Result counted = co_await connection.query(
      "SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass($1::text)",
      std::string_view(qualified_name(schema, table_name(Table::Warehouse))));
  co_return counted.number<std::int32_t>(0, 0);
}

namespace {

// Finds published tables without a replica identity. A publication identifies changed rows by the
// primary key, by a chosen index, or by the whole row.
constexpr std::string_view without_identity_sql =
    "SELECT string_agg(DISTINCT c.relname, ', '), min(p.pubname) "
    "FROM pg_publication p JOIN pg_publication_tables t ON t.pubname = p.pubname "
    "JOIN pg_namespace n ON n.nspname = t.schemaname "
    "JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = t.tablename "
    "WHERE (p.pubupdate OR p.pubdelete) "
    "AND c.oid IN (SELECT to_regclass(name)::oid FROM unnest($1::text[]) AS name) "
    "AND c.relreplident <> 'f' AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND "
    "(c.relreplident = 'd' AND i.indisprimary OR c.relreplident = 'i' AND i.indisreplident))";

// Throws UnfitSchema if a publication cannot identify the rows that a run changes.
Task<void> require_replica_identity(Connection& connection, const std::string& schema) {
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
      "identity, so the server would refuse each transaction. Add the primary key, use ALTER TABLE "
      "… REPLICA IDENTITY FULL, or remove the table from the publication",
      found.text(0, 0), found.text(0, 1)));
}

// Throws UnfitSchema if policies may hide rows of TPC-C's tables from the role.
Task<void> require_no_row_security(Connection& connection, const std::string& schema) {
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

Task<LoadedDatabase> require_fit_for_run(Connection& connection, std::string schema) {
  PostgresAdminSession session(connection, schema);
  co_await require_no_row_security(connection, schema);
  LoadedDatabase loaded = co_await inspect_loaded(session, schema);
  if (!loaded.has_record) loaded.hidden_record = co_await find_hidden_record(connection, schema);
  co_await require_replica_identity(connection, schema);
  co_return loaded;
}

namespace {

// Returns one statement for all tables, because they may refer to each other.
std::string drop_statement(const std::string& schema) {
  std::string sql;
  const auto add = [&](std::string_view table) {
    sql += (sql.empty() ? "DROP TABLE IF EXISTS " : ", ") + qualified_name(schema, table);
  };
  for (const Table table : all_tables) add(table_name(table));
  for (const std::string_view ours : {settings_table, loaded_table}) add(ours);
  return sql + ";\n";
}

// Locks first the tables that most transactions lock first, to avoid deadlocks with them.
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

// Returns false after a deadlock, which has undone everything. `number` counts the attempts.
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
    // Sent alone, so that a command that is interrupted before it changes nothing.
    co_await connection.script("COMMIT");
    co_return true;
  }
  co_await connection.script("ROLLBACK");
  if (number >= tries_max) {
    throw database::Error(
        deadlock->error_class(), deadlock->sqlstate(),
        fmt::format(
            "{} This was attempt {}. If a load is still running on these tables, end it first",
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

// Returns the tables that an init or a clean drops. Throws UnfitSchema if they must stay.
Task<std::vector<std::string>> tables_to_drop(Connection& connection, const std::string& schema,
                                              bool force) {
  PostgresAdminSession session(connection, schema);
  const TablesPresent present = co_await read_tables(session);
  require_no_tables(present, force, schema.empty() ? "schema" : fmt::format("schema {}", schema),
                    schema);
  co_await require_droppable(session, present, schema);
  co_return present.names();
}

// Returns CREATE SCHEMA if the schema does not exist. IF NOT EXISTS alone would require the right
// to create schemas even if the schema exists.
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

// Returns nothing after a deadlock.
Task<std::optional<std::vector<std::string>>> try_initialise(Connection& connection,
                                                             const InitialiseOptions& options,
                                                             int number) {
  std::vector<std::string> dropped =
      co_await tables_to_drop(connection, options.schema, options.force);
  std::string sql;
  for (const std::string& one : co_await schema_statements(connection, options.schema)) {
    sql += one + ";\n";
  }
  if (!dropped.empty()) {
    sql += lock_statement(options.schema, dropped) + drop_statement(options.schema);
  }
  for (const std::string& one : statements_to_make(options)) sql += one + ";\n";
  const bool done = co_await execute_ddl(connection, std::move(sql), number, options.on_note);
  if (!done) co_return std::nullopt;
  co_return dropped;
}

// Executes statements one by one, for dialects whose transactions take no DDL.
Task<void> execute_each(Connection& connection, std::vector<std::string> statements,
                        std::string_view advice) {
  for (const std::string& statement : statements) {
    std::optional<database::Error> error;
    try {
      co_await script_with_retries(connection, statement);
    } catch (const database::Error& thrown) {
      error = thrown;
    }
    if (!error) continue;
    throw database::Error(error->error_class(), error->sqlstate(),
                          fmt::format("{} (at {}); {}", error->what(),
                                      statement.substr(0, statement.find('(')), advice));
  }
}

// Returns the statements in an order that an interrupted command can repeat: referring tables come
// before the tables to which they refer, and progress_table, for which no later command looks,
// first.
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
  std::vector<std::string> dropped =
      co_await tables_to_drop(connection, options.schema, options.force);
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
    std::vector<std::string> dropped = co_await tables_to_drop(connection, schema, true);
    if (dropped.empty()) co_return dropped;
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
