#include "workload/sql/postgres/database_on_postgres.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "database/error.h"
#include "database/postgres/admin_session.h"
#include "database/postgres/citus.h"
#include "database/postgres/connection.h"
#include "database/postgres/dialect.h"
#include "database/postgres/server_facts.h"
#include "database/postgres/server_watch.h"
#include "database/postgres/session_setup.h"
#include "database/postgres/statement.h"
#include "workload/sql/builtin/builtin.h"

namespace drover::sql::postgres {
namespace {

using coro::Task;
using database::Error;
using database::postgres::Access;
using database::postgres::Connection;
using database::postgres::open_in_schema;
using database::postgres::Result;
using database::postgres::script_with_retries;
using database::postgres::traits_of;

// From this scale on, account numbers are bigint, as in pgbench.
constexpr std::int64_t scale_of_bigint = 20'000;

Task<std::vector<std::string>> existing_tables(Connection& connection) {
  std::vector<std::string> existing;
  for (const std::string_view name : pgbench_table_names) {
    const Result found = co_await connection.query("SELECT to_regclass($1::text)::oid", name);
    if (!found.is_null(0, 0)) existing.emplace_back(name);
  }
  co_return existing;
}

struct PgbenchTable {
  std::string_view name;
  std::string_view columns;  // {0}: the type of aid; {1}: behind the column of the key
  // The key, and the column by which Citus distributes: that of the conditions of the scripts.
  std::string_view column;
};

constexpr std::array<PgbenchTable, 4> pgbench_tables = {{
    {"pgbench_history", "tid int, bid int, aid {0}, delta int, mtime timestamp, filler char(22)",
     "aid"},
    {"pgbench_tellers", "tid int {1}, bid int, tbalance int, filler char(84)", "tid"},
    {"pgbench_accounts", "aid {0} {1}, bid int, abalance int, filler char(84)", "aid"},
    {"pgbench_branches", "bid int {1}, bbalance int, filler char(88)", "bid"},
}};

bool has_key(const PgbenchTable& table) {
  return table.name != "pgbench_history";
}

// `key`: the constraint of the column of the key.
std::string create_sql(const PgbenchTable& table, std::string_view aid, std::string_view key) {
  return fmt::format("CREATE TABLE {} ({})", table.name,
                     fmt::format(fmt::runtime(table.columns), aid, key));
}

std::string branches_sql(std::int64_t first, std::int64_t last) {
  return fmt::format(
      "INSERT INTO pgbench_branches (bid, bbalance) SELECT bid, 0 FROM generate_series({}, {}) AS "
      "bid",
      first, last);
}

// The divisions have no remainder, because some databases divide integers into decimals.
std::string tellers_sql(std::int64_t first, std::int64_t last) {
  return fmt::format(
      "INSERT INTO pgbench_tellers (tid, bid, tbalance) SELECT tid, (tid - 1 - (tid - 1) % {0}) / "
      "{0} "
      "+ 1, 0 FROM generate_series({1}, {2}) AS tid",
      tellers_per_branch, first, last);
}

std::string accounts_sql(std::int64_t first, std::int64_t last) {
  return fmt::format(
      "INSERT INTO pgbench_accounts (aid, bid, abalance, filler) SELECT aid, (aid - 1 - (aid - "
      "1) % {0}) / {0} + 1, 0, '' FROM generate_series({1}::bigint, {2}::bigint) AS aid",
      accounts_per_branch, first, last);
}

Task<void> fill(Connection& connection, const InitialiseSettings& settings) {
  constexpr std::int64_t branches_at_a_time = 10;
  co_await connection.script(branches_sql(1, settings.scale) + "; " +
                             tellers_sql(1, settings.scale * tellers_per_branch));
  for (std::int64_t done = 0; done < settings.scale;) {
    const std::int64_t next = std::min(done + branches_at_a_time, settings.scale);
    co_await connection.script(
        accounts_sql(done * accounts_per_branch + 1, next * accounts_per_branch));
    done = next;
    if (settings.on_progress) settings.on_progress(done);
  }
}

Task<void> finish(Connection& connection) {
  // In transaction pooling, the search path applies only within a transaction, where VACUUM is not
  // allowed.
  const std::string_view analyze = connection.setup() != nullptr ? "ANALYZE" : "VACUUM ANALYZE";
  for (const std::string_view name : pgbench_table_names) {
    co_await connection.script(fmt::format("{} {}", analyze, name));
  }
  for (const PgbenchTable& table : pgbench_tables) {
    if (!has_key(table)) continue;
    co_await connection.script(
        fmt::format("ALTER TABLE {} ADD PRIMARY KEY ({})", table.name, table.column));
  }
}

Task<void> create_and_fill(Connection& connection, const InitialiseSettings& settings) {
  co_await connection.script("BEGIN");
  std::optional<Error> error;
  try {
    const std::string_view aid = settings.scale >= scale_of_bigint ? "bigint" : "int";
    for (const PgbenchTable& table : pgbench_tables) {
      co_await connection.script(create_sql(table, aid, "NOT NULL") +
                                 (has_key(table) ? " WITH (fillfactor = 100)" : ""));
    }
    co_await fill(connection, settings);
    co_await connection.script("COMMIT");
  } catch (const Error& thrown) {
    error = thrown;
  }
  if (!error) co_return;
  co_await database::postgres::roll_back(connection);
  throw Error(*error);
}

using MakeRows = std::string (*)(std::int64_t first, std::int64_t last);

// Inserts the rows 1 to `rows` with at most `rows_most` per transaction. `on_done` receives the
// number of inserted rows.
Task<void> fill_in_pieces(Connection& connection, std::int64_t rows, std::int64_t rows_most,
                          MakeRows make, std::function<void(std::int64_t)> on_done = {}) {
  for (std::int64_t done = 0; done < rows;) {
    const std::int64_t next = std::min(done + rows_most, rows);
    co_await script_with_retries(connection, make(done + 1, next));
    done = next;
    if (on_done) on_done(done);
  }
}

// Does the work of create_and_fill() on databases whose transactions are too limited for it.
Task<void> create_and_fill_in_pieces(Connection& connection, const InitialiseSettings& settings) {
  for (const PgbenchTable& table : pgbench_tables) {
    co_await script_with_retries(connection, create_sql(table, "bigint", "PRIMARY KEY"));
  }
  if (connection.dialect() == database::Dialect::citus) {
    for (const PgbenchTable& table : pgbench_tables) {
      co_await connection.script(
          fmt::format("SELECT create_distributed_table('{}', '{}')", table.name, table.column));
    }
  }
  constexpr std::int64_t rows_without_limit = 100'000;
  const std::int64_t limit = traits_of(connection.dialect()).rows_a_transaction;
  const std::int64_t most = limit > 0 ? limit : rows_without_limit;
  // The branches come last, because a run reads the scale from them.
  co_await fill_in_pieces(connection, settings.scale * accounts_per_branch, most, accounts_sql,
                          [&settings](std::int64_t accounts) {
                            if (!settings.on_progress) return;
                            settings.on_progress(accounts / accounts_per_branch);
                          });
  co_await fill_in_pieces(connection, settings.scale * tellers_per_branch, most, tellers_sql);
  co_await fill_in_pieces(connection, settings.scale, most, branches_sql);
  for (const std::string_view name : pgbench_table_names) {
    co_await script_with_retries(connection, fmt::format("ANALYZE {}", name));
  }
}

Task<std::vector<std::string>> drop_pgbench_tables(Connection& connection) {
  co_await database::postgres::require_citus_coordinator(connection,
                                                         "making or dropping its tables");
  std::vector<std::string> existing = co_await existing_tables(connection);
  if (traits_of(connection.dialect()).ddl_in_transactions) {
    if (existing.empty()) co_return existing;
    // COMMIT is a round trip of its own: a command that is interrupted while it waits for the
    // tables' locks leaves them unchanged.
    co_await connection.script("BEGIN");
    co_await connection.script(fmt::format("DROP TABLE {}", fmt::join(existing, ", ")));
    co_await connection.script("COMMIT");
    co_return existing;
  }
  for (const std::string& name : existing) {
    co_await script_with_retries(connection, fmt::format("DROP TABLE {}", name));
  }
  co_return existing;
}

Task<std::vector<std::string>> make_pgbench_tables(Connection& connection,
                                                   InitialiseSettings settings) {
  if (!settings.force) require_no_pgbench_tables(co_await existing_tables(connection));
  std::vector<std::string> dropped = co_await drop_pgbench_tables(connection);
  if (!traits_of(connection.dialect()).ddl_in_transactions) {
    co_await create_and_fill_in_pieces(connection, settings);
    co_return dropped;
  }
  co_await create_and_fill(connection, settings);
  co_await finish(connection);
  co_return dropped;
}

Task<std::int64_t> count_branches(Connection& connection) {
  std::optional<std::int64_t> branches;
  try {
    const Result counted = co_await connection.query("SELECT count(*) FROM pgbench_branches");
    branches = counted.number<std::int64_t>(0, 0);
  } catch (const Error& error) {
    if (error.sqlstate() != "42P01") throw;  // undefined_table
  }
  require_branches(branches);
  co_return *branches;
}

constexpr std::string_view no_schema_to_create_in = "3F000";

[[noreturn]] void refuse_missing_schema(std::string_view schema) {
  if (schema.empty()) {
    throw database::UnfitSchema(
        "no schema of the search path exists, so there is no place for the tables. Name a schema "
        "with --schema");
  }
  throw database::UnfitSchema(
      fmt::format("the schema {0} does not exist. Create it with CREATE SCHEMA {0}, or name "
                  "another one with --schema",
                  database::postgres::quote_identifier(schema)));
}

class DatabaseOnPostgres final : public database::postgres::PostgresDatabase<Database> {
 public:
  using PostgresDatabase::PostgresDatabase;

  Task<std::vector<std::string>> initialise(InitialiseSettings settings) const override {
    const auto connection = co_await open_to_write();
    try {
      co_return co_await make_pgbench_tables(*connection, std::move(settings));
    } catch (const Error& error) {
      if (error.sqlstate() == no_schema_to_create_in) refuse_missing_schema(access_.schema);
      throw;
    }
  }

  Task<std::vector<std::string>> clean() const override {
    const auto connection = co_await open_to_write();
    co_return co_await drop_pgbench_tables(*connection);
  }

  Task<ScriptPreparation> prepare(bool count_branches) const override {
    ScriptPreparation prepared;
    const auto connection = co_await open_in_schema(access_);
    prepared.server = co_await database::postgres::read_server_facts(*connection);
    if (!access_.schema.empty() && connection->setup() != nullptr) {
      throw database::UnfitSchema(
          "--schema has no effect behind a pooler in transaction pooling mode, because a search "
          "path does not last from one transaction to the next. Name the schema in the script, or "
          "set it for the role (ALTER ROLE … SET search_path)");
    }
    if (count_branches) prepared.branches = co_await postgres::count_branches(*connection);
    co_return prepared;
  }

  std::unique_ptr<database::Backend> make_backend(ScriptBackendSettings settings) const override {
    Access access = in(settings.server_dialect);
    return postgres::make_backend(std::move(settings), std::move(access));
  }

 private:
  Task<std::unique_ptr<database::postgres::Connection>> open_to_write() const {
    return open_in_schema(at(database::postgres::ServerRole::writable));
  }
};

}  // namespace

std::unique_ptr<Database> make_database(Access access) {
  return std::make_unique<DatabaseOnPostgres>(std::move(access));
}

}  // namespace drover::sql::postgres
