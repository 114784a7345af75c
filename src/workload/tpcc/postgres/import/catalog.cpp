#include "workload/tpcc/postgres/import/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "database/postgres/admin_session.h"
#include "database/postgres/citus.h"
#include "database/postgres/dialect.h"
#include "text/plain_text.h"

namespace drover::tpcc::postgres {

namespace {

using coro::Task;
using database::Dialect;
using database::postgres::Connection;
using database::postgres::PostgresAdminSession;
using database::postgres::Result;
using database::postgres::script_with_retries;
using database::postgres::traits_of;

std::vector<std::string> qualified_names(const std::string& schema) {
  std::vector<std::string> names;
  for (const Table table : all_tables) names.push_back(qualified_name(schema, table_name(table)));
  return names;
}

Task<void> read_objects(Connection& connection, std::span<const std::string_view> tables,
                        Catalog& catalog) {
  const Result found = co_await connection.query(
      "WITH tables AS (SELECT to_regclass(name)::oid AS id FROM unnest($1::text[]) AS name) "
      "SELECT conname::text, convalidated FROM pg_constraint JOIN tables ON conrelid = id "
      "WHERE contype IN ('p', 'f') UNION "
      "SELECT relname::text, true FROM pg_index JOIN tables ON indrelid = id "
      "JOIN pg_class ON pg_class.oid = indexrelid WHERE indisvalid",
      tables);
  for (int row = 0; row < found.rows(); ++row) {
    const bool valid = found.text(row, 1) == "t";
    (valid ? catalog.objects : catalog.unvalidated).emplace_back(found.text(row, 0));
  }
}

// Reads the indexes that interrupted builds have left, which happens outside of transactions.
Task<void> read_invalid_indexes(Connection& connection, std::span<const std::string_view> tables,
                                Catalog& catalog) {
  if (traits_of(connection.dialect()).ddl_in_transactions) co_return;
  const Result found = co_await connection.query(
      "SELECT relname::text FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid "
      "WHERE NOT indisvalid AND indrelid IN "
      "(SELECT to_regclass(name)::oid FROM unnest($1::text[]) AS name)",
      tables);
  for (int row = 0; row < found.rows(); ++row) {
    catalog.invalid_indexes.emplace_back(found.text(row, 0));
  }
}

}  // namespace

bool Catalog::has(std::string_view object) const noexcept {
  return std::ranges::find(objects, object) != objects.end();
}

bool Catalog::is_unvalidated(std::string_view reference) const noexcept {
  return std::ranges::find(unvalidated, reference) != unvalidated.end();
}

Task<Catalog> read_catalog(Connection& connection, std::string schema) {
  PostgresAdminSession session(connection, schema);
  Catalog catalog{co_await read_tables(session), {}, {}, {}};
  const std::vector<std::string> tables = qualified_names(schema);
  const std::vector<std::string_view> views(tables.begin(), tables.end());
  co_await read_objects(connection, views, catalog);
  co_await read_invalid_indexes(connection, views, catalog);
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
  const std::vector<std::string> names = qualified_names(schema);
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

// Returns statements that lock and drop the tables in one transaction. One statement drops all
// tables, because they may refer to each other. The tables that most transactions lock first are
// locked first, to avoid deadlocks with them.
std::vector<std::string> drop_together(const std::string& schema, std::vector<std::string> names) {
  const auto to_the_front = [&names](std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) std::rotate(names.begin(), found, found + 1);
  };
  to_the_front(table_name(Table::NewOrder));
  to_the_front(table_name(Table::Customer));
  for (std::string& name : names) name = qualified_name(schema, name);
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  return {fmt::format("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", all),
          "DROP TABLE IF EXISTS " + all};
}

// Returns false after a deadlock, which has undone everything. `number` counts the attempts.
Task<bool> execute_together(Connection& connection, const std::vector<std::string>& statements,
                            int number, const NoteFunction& on_note) {
  constexpr int tries_max = 10;
  std::optional<database::Error> deadlock;
  try {
    co_await connection.script(fmt::format("BEGIN;\n{};\n", fmt::join(statements, ";\n")));
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
std::vector<std::string> drop_one_by_one(const std::string& schema, Dialect dialect) {
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

void append(std::vector<std::string>& statements, const std::vector<std::string>& more) {
  statements.insert(statements.end(), more.begin(), more.end());
}

// An init or a clean.
struct DdlCommand {
  std::string schema;
  bool force = true;                     // drop existing tables
  std::vector<std::string> making = {};  // statements after the tables were dropped
  std::string_view advice;               // if statements that are executed one by one fail
  NoteFunction on_note = {};
};

// Drops existing tables and executes the statements of the command; again after a deadlock. Returns
// the names of the tables that it dropped.
Task<std::vector<std::string>> execute_ddl(Connection& connection, DdlCommand command) {
  const Dialect dialect = connection.dialect();
  const bool together = traits_of(dialect).ddl_in_transactions;
  for (int number = 1;; ++number) {
    std::vector<std::string> dropped =
        co_await tables_to_drop(connection, command.schema, command.force);
    std::vector<std::string> statements;
    if (!dropped.empty()) {
      statements = together ? drop_together(command.schema, dropped)
                            : drop_one_by_one(command.schema, dialect);
    }
    append(statements, command.making);
    if (statements.empty()) co_return dropped;
    bool done = true;
    if (together) {
      done = co_await execute_together(connection, statements, number, command.on_note);
    } else {
      co_await execute_each(connection, std::move(statements), command.advice);
    }
    if (done) co_return dropped;
  }
}

}  // namespace

Task<std::vector<std::string>> initialise(Connection& connection, InitialiseOptions options) {
  co_await database::postgres::require_citus_coordinator(connection, "'drover tpcc init'");
  DdlCommand init{
      .schema = options.schema,
      .force = options.force,
      .making = co_await schema_statements(connection, options.schema),
      .advice = "the tables created so far remain. To start over, use 'drover tpcc init --force'",
      .on_note = options.on_note};
  append(init.making, statements_to_make(options));
  co_return co_await execute_ddl(connection, std::move(init));
}

Task<std::vector<std::string>> clean(Connection& connection, std::string schema,
                                     NoteFunction on_note) {
  co_await database::postgres::require_citus_coordinator(connection, "'drover tpcc clean'");
  co_return co_await execute_ddl(connection,
                                 {.schema = std::move(schema),
                                  .advice = "repeat 'drover tpcc clean' to continue from here",
                                  .on_note = std::move(on_note)});
}

}  // namespace drover::tpcc::postgres
