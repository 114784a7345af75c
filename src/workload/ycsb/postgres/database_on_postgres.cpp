#include "workload/ycsb/postgres/database_on_postgres.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "database/postgres/admin_session.h"
#include "database/postgres/citus.h"
#include "database/postgres/dialect.h"
#include "database/postgres/server_facts.h"
#include "database/postgres/server_watch.h"
#include "database/postgres/session_setup.h"
#include "database/postgres/statement.h"
#include "text/plain_text.h"
#include "workload/ycsb/load_record.h"
#include "workload/ycsb/postgres/postgres_backend.h"
#include "workload/ycsb/preparation.h"

namespace drover::ycsb::postgres {

using coro::Task;
using database::Dialect;
using database::postgres::Access;
using database::postgres::Connection;
using database::postgres::open_in_schema;
using database::postgres::PostgresAdminSession;
using database::postgres::Result;
using database::postgres::script_with_retries;
using database::postgres::ServerRole;
using database::postgres::traits_of;

namespace {

std::string folded_name(std::string_view name) {
  std::string folded(name);
  for (char& letter : folded) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return folded;
}

std::string create_table_sql(const Table& table, Dialect dialect) {
  // YugabyteDB hashes a plain primary key, and scans need an order.
  const bool has_order_clause = dialect == Dialect::yugabyte;
  std::string columns =
      fmt::format("{} VARCHAR(255){}", key_column, has_order_clause ? "" : " PRIMARY KEY");
  for (const std::string& field : table.fields) columns += fmt::format(", {} TEXT", field);
  if (has_order_clause) columns += fmt::format(", PRIMARY KEY ({} ASC)", key_column);
  return fmt::format("CREATE TABLE IF NOT EXISTS {} ({})", table.name, columns);
}

std::array<std::string, 2> create_record_tables_sql() {
  return {fmt::format(
              "CREATE TABLE IF NOT EXISTS {} (table_name text PRIMARY KEY, format_version int NOT "
              "NULL, layout text NOT NULL)",
              record_table),
          fmt::format("CREATE TABLE IF NOT EXISTS {} (table_name text, first_row int8, rows int8 "
                      "NOT NULL, PRIMARY KEY (table_name, first_row))",
                      loaded_table)};
}

Task<void> create_schema(Connection& connection, std::string_view schema) {
  // IF NOT EXISTS would need the right to create schemas even if the schema exists.
  const Result found =
      co_await connection.query("SELECT 1 FROM pg_namespace WHERE nspname = $1::text", schema);
  if (found.rows() > 0) co_return;
  co_await connection.script(
      fmt::format("CREATE SCHEMA IF NOT EXISTS {}", database::postgres::quote_identifier(schema)));
}

// Executes `sql`, which distributes the table, unless Citus knows the table already.
Task<void> distribute(Connection& connection, std::string table, std::string sql) {
  const Result found = co_await connection.query(
      "SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass($1::text)", table);
  if (found.rows() == 0) co_await connection.script(std::move(sql));
}

// Returns true if the YCSB table existed.
Task<bool> make_tables(Connection& connection, const std::string& schema, const Table& table) {
  if (!schema.empty()) co_await create_schema(connection, schema);
  PostgresAdminSession session(connection, "");
  const std::vector<bool> exists = co_await session.tables_exist({table.plain_name});
  const bool is_citus = connection.dialect() == Dialect::citus;
  co_await session.change_tables(create_table_sql(table, connection.dialect()));
  if (is_citus) {
    co_await distribute(connection, table.name,
                        fmt::format("SELECT create_distributed_table('{}', '{}')",
                                    text::replaced(table.name, "'", "''"), key_column));
  }
  for (std::string& sql : create_record_tables_sql()) {
    co_await session.change_tables(std::move(sql));
  }
  // Every Citus node gets the records, because runs and checks may connect to any node.
  for (const std::string_view name : {record_table, loaded_table}) {
    if (!is_citus) break;
    co_await distribute(connection, std::string(name),
                        fmt::format("SELECT create_reference_table('{}')", name));
  }
  co_return exists[0];
}

// Begins a transaction that excludes others that create or drop the tables.
Task<void> begin_exclusively(Connection& connection) {
  co_await connection.script("BEGIN");
  co_await connection.script("SELECT pg_advisory_xact_lock(hashtext('drover_ycsb'))");
}

class PostgresTableReader final : public AdminTableReader {
 public:
  PostgresTableReader(Connection& connection, PostgresAdminSession& session,
                      const Properties& properties)
      : AdminTableReader(session, table_of(properties), properties), connection_(connection) {}

  Task<database::ServerFacts> read_server_facts() override {
    auto facts = co_await database::postgres::read_server_facts(connection_);
    co_await database::postgres::add_citus_facts(connection_, table_.name, facts.settings);
    co_return facts;
  }

  Task<std::vector<std::uint64_t>> rows_there(std::uint64_t begin, std::uint64_t rows) override {
    const std::vector<std::string> keys = keys_of_rows(properties_, begin, rows);
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    const Result found = co_await connection_.query(
        fmt::format("SELECT place FROM unnest($1::text[]) WITH ORDINALITY AS wanted (key, place) "
                    "JOIN {} ON {} = key ORDER BY place",
                    table_.name, key_column),
        views);
    std::vector<std::uint64_t> there;
    for (int row = 0; row < found.rows(); ++row) {
      there.push_back(begin + found.number<std::uint64_t>(row, 0) - 1);
    }
    co_return there;
  }

  Task<bool> has_row_security() override {
    const Result active =
        co_await connection_.query("SELECT row_security_active($1::text)", table_.name);
    co_return active.text(0, 0) == "t";
  }

 protected:
  std::string columns_query() const override {
    std::string are_text = fmt::format("{} = ''::text", key_column);
    for (const std::string& field : table_.fields) {
      are_text += fmt::format(" AND {} = ''::text", field);
    }
    return fmt::format("SELECT FROM {} WHERE {} LIMIT 0", table_.name, are_text);
  }
  std::string version_of(const std::string& field) const override {
    return fmt::format("left({}, {})::int8", field, version_size);
  }

 private:
  Connection& connection_;
};

class DatabaseOnPostgres final : public database::postgres::PostgresDatabase<Database> {
 public:
  using PostgresDatabase::PostgresDatabase;

  Task<LoadProgress> load(LoadSettings settings) const override {
    return postgres::load(at(ServerRole::writable), std::move(settings));
  }

  Task<RunPreparation> prepare(Properties properties,
                               std::optional<TableContents> known) const override {
    const bool writes = properties.writes();
    const auto connection =
        co_await open_in_schema(at(writes ? ServerRole::writable : ServerRole::any));
    std::optional<std::string> note;
    if (writes) {
      note = co_await database::postgres::recovery_note(*connection);
      co_await recover_prepared(*connection);
    }
    PostgresAdminSession session(*connection, "");
    PostgresTableReader table(*connection, session, properties);
    RunPreparation prepared = co_await prepare_run(table, properties, known);
    if (note) prepared.notes.push_back(std::move(*note));
    co_return prepared;
  }

  Task<database::Isolation> choose_isolation(Properties, std::optional<database::Isolation> wanted,
                                             const database::ServerFacts& server) const override {
    co_return wanted.value_or(traits_of(server.dialect).default_isolation);
  }

  Task<TableSums> read_sums(Properties properties, ValueKind values) const override {
    const ServerRole role = properties.writes() ? ServerRole::primary : ServerRole::any;
    const auto connection = co_await open_in_schema(at(role));
    if (role == ServerRole::primary) co_await recover_prepared(*connection);
    PostgresAdminSession session(*connection, "");
    PostgresTableReader table(*connection, session, properties);
    co_return co_await table.read_sums(values);
  }

  Task<CheckReport> check(CheckSettings settings) const override {
    return postgres::check(access_, std::move(settings));
  }

  Task<std::vector<std::string>> clean(std::string name) const override {
    const auto connection = co_await open_in_schema(at(ServerRole::writable));
    co_await database::postgres::require_citus_coordinator(*connection, "'drover ycsb clean'");
    Properties properties;
    properties.table = std::move(name);
    const Table table = table_of(properties);
    PostgresAdminSession session(*connection, "");
    const bool is_one_transaction = traits_of(connection->dialect()).ddl_in_transactions;
    if (is_one_transaction) co_await begin_exclusively(*connection);
    std::vector<std::string> dropped = co_await drop_table(session, table);
    if (is_one_transaction) co_await connection->script("COMMIT");
    co_return dropped;
  }

  std::unique_ptr<Backend> make_backend(BackendSettings settings) const override {
    Access access = in(settings.server_dialect);
    return std::make_unique<PostgresBackend>(std::move(access), std::move(settings));
  }

 private:
  Task<void> recover_prepared(Connection& connection) const {
    return database::postgres::recover_prepared(connection, database::postgres::recovery_timeout,
                                                access_.on_session_note);
  }
};

}  // namespace

Table table_of(const Properties& properties) {
  return {folded_name(properties.table), folded_name(properties.field_name_prefix),
          properties.field_count, database::postgres::quote_identifier};
}

Task<void> begin_load(Connection& connection, std::string schema, const Table& table,
                      const Properties& properties) {
  co_await database::postgres::require_citus_coordinator(connection, "'drover ycsb load'");
  PostgresAdminSession session(connection, "");
  const bool is_one_transaction = traits_of(connection.dialect()).ddl_in_transactions;
  if (is_one_transaction) co_await begin_exclusively(connection);
  bool had_table = co_await make_tables(connection, schema, table);
  auto record = [&]() -> Task<void> {
    if (!is_one_transaction) co_await connection.script("BEGIN");
    if (!had_table) co_await forget_table(session, table);
    co_await record_layout(session, table, properties);
    co_await connection.script("COMMIT");
  };
  if (is_one_transaction) {
    co_await record();
    co_return;
  }
  constexpr std::string_view unique_violation = "23505";
  try {
    co_await database::postgres::with_retries(connection, record);
    co_return;
  } catch (const database::Error& error) {
    if (error.sqlstate() != unique_violation) throw;
  }
  // Another load has recorded its layout at the same time. Now the record is found.
  had_table = true;
  co_await database::postgres::with_retries(connection, record);
}

std::unique_ptr<Database> make_database(Access access) {
  return std::make_unique<DatabaseOnPostgres>(std::move(access));
}

}  // namespace drover::ycsb::postgres
