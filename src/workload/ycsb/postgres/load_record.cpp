#include "workload/ycsb/postgres/load_record.h"

#include <fmt/format.h>

#include "database/postgres/admin_session.h"
#include "database/postgres/citus.h"
#include "database/postgres/dialect.h"
#include "database/postgres/statement.h"

namespace drover::ycsb::postgres {

using coro::Task;
using database::postgres::Connection;
using database::postgres::Result;
using database::postgres::script_with_retries;
using database::postgres::traits_of;

namespace {

constexpr std::string_view key_is_taken = "23505";
constexpr std::string_view no_such_column = "42703";

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

std::vector<std::string> create_record_tables() {
  return {fmt::format(
              "CREATE TABLE IF NOT EXISTS {} (table_name text PRIMARY KEY, format_version int NOT "
              "NULL, layout text NOT NULL)",
              record_table),
          fmt::format("CREATE TABLE IF NOT EXISTS {} (table_name text, first_row int8, rows int8 "
                      "NOT NULL, PRIMARY KEY (table_name, first_row))",
                      loaded_table)};
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

// Throws UnfitSchema if the table lacks YCSB's key column.
Task<void> require_key_column(Connection& connection, const Table& table) {
  try {
    co_await connection.query(fmt::format("SELECT {} FROM {} LIMIT 0", key_column, table.name()));
  } catch (const database::Error& error) {
    if (error.sqlstate() != no_such_column) throw;
    refuse_foreign_table(table.plain_name());
  }
}

Task<void> require_no_other_rows(Connection& connection, const Table& table) {
  const Result found =
      co_await connection.query(fmt::format("SELECT 1 FROM {} LIMIT 1", table.name()));
  if (found.rows() > 0) refuse_unrecorded_rows(table.plain_name());
}

}  // namespace

namespace {

// Executes `sql`, which distributes the table, unless Citus knows the table already.
Task<void> distribute(Connection& connection, std::string table, std::string sql) {
  const Result found = co_await connection.query(
      "SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass($1::text)", table);
  if (found.rows() == 0) co_await connection.script(std::move(sql));
}

// Runs and checks read the records, and may be connected to a worker.
Task<void> distribute_records(Connection& connection) {
  for (const std::string_view name : {record_table, loaded_table}) {
    co_await distribute(connection, std::string(name),
                        fmt::format("SELECT create_reference_table('{}')", name));
  }
}

// Says whether the table was there before.
Task<bool> make_tables(Connection& connection, const std::string& schema, const Table& table) {
  if (!schema.empty()) co_await create_schema(connection, schema);
  const bool had_table = co_await has_relation(connection, table.name());
  const database::Dialect dialect = connection.dialect();
  co_await script_with_retries(connection, table.create_statement(dialect));
  const bool is_citus = dialect == database::Dialect::citus;
  if (is_citus) co_await distribute(connection, table.name(), table.distribute_statement());
  for (std::string& sql : create_record_tables()) {
    co_await script_with_retries(connection, std::move(sql));
  }
  if (is_citus) co_await distribute_records(connection);
  co_return had_table;
}

Task<void> record_table_as(Connection& connection, const Table& table, const Properties& properties,
                           bool had_table) {
  if (!had_table) co_await forget(connection, table);
  const LoadRecord record = co_await read_load_record(connection, table);
  require_layout(record, properties);
  if (record.layout) co_return;
  co_await require_key_column(connection, table);
  co_await require_no_other_rows(connection, table);
  co_await connection.query(fmt::format("INSERT INTO {} (table_name, format_version, layout) "
                                        "VALUES ($1::text, $2::int8, $3::text)",
                                        record_table),
                            table.plain_name(), std::int64_t{record_format}, layout_of(properties));
}

}  // namespace

Task<void> begin_load(Connection& connection, std::string schema, const Table& table,
                      const Properties& properties) {
  co_await database::postgres::require_citus_coordinator(connection, "'drover ycsb load'");
  const bool is_one_transaction = traits_of(connection.dialect()).ddl_in_transactions;
  if (is_one_transaction) {
    co_await connection.script("BEGIN");
    co_await connection.script(std::string(lock_sql));
    const bool had_table = co_await make_tables(connection, schema, table);
    co_await record_table_as(connection, table, properties, had_table);
    co_await connection.script("COMMIT");
    co_return;
  }
  bool had_table = co_await make_tables(connection, schema, table);
  auto record = [&]() -> Task<void> {
    co_await connection.script("BEGIN");
    co_await record_table_as(connection, table, properties, had_table);
    co_await connection.script("COMMIT");
  };
  bool is_recorded_by_another = false;
  try {
    co_await database::postgres::with_retries(connection, record);
  } catch (const database::Error& error) {
    if (error.sqlstate() != key_is_taken) throw;
    is_recorded_by_another = true;
  }
  if (!is_recorded_by_another) co_return;
  // Of two loads that found no record one is refused by its key, and finds it now.
  had_table = true;
  co_await database::postgres::with_retries(connection, record);
}

Task<std::vector<std::string>> drop_table(Connection& connection, const Table& table) {
  co_await database::postgres::require_citus_coordinator(connection, "'drover ycsb clean'");
  std::vector<std::string> dropped;
  const bool is_one_transaction = traits_of(connection.dialect()).ddl_in_transactions;
  if (is_one_transaction) {
    co_await connection.script("BEGIN");
    co_await connection.script(std::string(lock_sql));
  }
  const bool has_table = co_await has_relation(connection, table.name());
  if (has_table) co_await require_key_column(connection, table);
  // First what says what is loaded: a table without it is refused, and a record without its rows
  // would be believed.
  const bool was_recorded = co_await has_relation(connection, record_table);
  if (was_recorded && !is_one_transaction) co_await forget(connection, table);
  if (has_table) {
    co_await script_with_retries(connection, fmt::format("DROP TABLE {}", table.name()));
    dropped.push_back(table.plain_name());
  }
  const bool is_recorded = co_await has_relation(connection, record_table);
  if (is_recorded) {
    co_await forget(connection, table);
    const Result left =
        co_await connection.query(fmt::format("SELECT 1 FROM {} LIMIT 1", record_table));
    if (left.rows() == 0) {
      for (const std::string_view ours : {record_table, loaded_table}) {
        co_await script_with_retries(connection, fmt::format("DROP TABLE {}", ours));
        dropped.emplace_back(ours);
      }
    }
  }
  if (is_one_transaction) co_await connection.script("COMMIT");
  co_return dropped;
}

}  // namespace drover::ycsb::postgres
