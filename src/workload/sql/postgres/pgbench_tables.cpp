#include "workload/sql/postgres/pgbench_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string_view>

#include "database/error.h"
#include "database/postgres/citus.h"
#include "database/postgres/dialect.h"
#include "database/postgres/patient_script.h"
#include "database/postgres/session_setup.h"
#include "database/unfit_schema.h"
#include "workload/sql/builtin/pgbench_schema.h"

namespace drover::sql::postgres {

using coro::Task;
using database::Error;
using database::postgres::Result;
using database::postgres::script_patiently;
using database::postgres::traits_of;

namespace {

// From here on the numbers of accounts may not fit into an int, as pgbench has it.
constexpr std::int64_t scale_of_bigint = 20'000;

Task<std::vector<std::string>> tables_there(Connection& connection) {
  std::vector<std::string> there;
  for (const std::string_view name : pgbench_table_names) {
    const Result found = co_await connection.query("SELECT to_regclass($1::text)::oid", name);
    if (!found.is_null(0, 0)) there.emplace_back(name);
  }
  co_return there;
}

std::string create_sql(std::int64_t scale) {
  const std::string_view aid = scale >= scale_of_bigint ? "bigint" : "int";
  return fmt::format(
      "CREATE TABLE pgbench_history (tid int, bid int, aid {0}, delta int, mtime timestamp, filler "
      "char(22)); "
      "CREATE TABLE pgbench_tellers (tid int NOT NULL, bid int, tbalance int, filler char(84)) "
      "WITH (fillfactor = 100); "
      "CREATE TABLE pgbench_accounts (aid {0} NOT NULL, bid int, abalance int, filler char(84)) "
      "WITH (fillfactor = 100); "
      "CREATE TABLE pgbench_branches (bid int NOT NULL, bbalance int, filler char(88)) "
      "WITH (fillfactor = 100)",
      aid);
}

// The same tables with their keys, each by itself.
constexpr std::array<const char*, 4> tables_with_keys = {
    "CREATE TABLE pgbench_history (tid int, bid int, aid bigint, delta int, mtime timestamp, "
    "filler char(22))",
    "CREATE TABLE pgbench_tellers (tid int PRIMARY KEY, bid int, tbalance int, filler char(84))",
    "CREATE TABLE pgbench_accounts (aid bigint PRIMARY KEY, bid int, abalance int, filler "
    "char(84))",
    "CREATE TABLE pgbench_branches (bid int PRIMARY KEY, bbalance int, filler char(88))"};

// By the columns that the scripts name.
constexpr std::array<const char*, 4> distributed = {
    "SELECT create_distributed_table('pgbench_history', 'aid')",
    "SELECT create_distributed_table('pgbench_accounts', 'aid')",
    "SELECT create_distributed_table('pgbench_tellers', 'tid')",
    "SELECT create_distributed_table('pgbench_branches', 'bid')"};

std::string branches_sql(std::int64_t first, std::int64_t last) {
  return fmt::format(
      "INSERT INTO pgbench_branches (bid, bbalance) SELECT bid, 0 FROM generate_series({}, {}) AS "
      "bid",
      first, last);
}

// Divided without a rest, so that it makes no difference whether a quotient is a whole number or a decimal.
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
  // Where no session lasts, a name without its schema is found within transactions only.
  const std::string_view analyze = connection.setup() != nullptr ? "ANALYZE" : "VACUUM ANALYZE";
  for (const std::string_view name : pgbench_table_names) {
    co_await connection.script(fmt::format("{} {}", analyze, name));
  }
  for (const std::string_view key :
       {"pgbench_branches ADD PRIMARY KEY (bid)", "pgbench_tellers ADD PRIMARY KEY (tid)",
        "pgbench_accounts ADD PRIMARY KEY (aid)"}) {
    co_await connection.script(fmt::format("ALTER TABLE {}", key));
  }
}

Task<void> create_and_fill(Connection& connection, const InitialiseSettings& settings) {
  co_await connection.script("BEGIN");
  std::optional<Error> error;
  try {
    co_await connection.script(create_sql(settings.scale));
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

// Rows 1 to `rows`, so many a transaction at most. `on_done` is told of the last row that is there.
Task<void> fill_in_pieces(Connection& connection, std::int64_t rows, std::int64_t rows_most,
                          MakeRows make, std::function<void(std::int64_t)> on_done = {}) {
  for (std::int64_t done = 0; done < rows;) {
    const std::int64_t next = std::min(done + rows_most, rows);
    co_await script_patiently(connection, make(done + 1, next));
    done = next;
    if (on_done) on_done(done);
  }
}

// Where no transaction takes all of it.
Task<void> create_and_fill_in_pieces(Connection& connection, const InitialiseSettings& settings) {
  for (const char* sql : tables_with_keys) co_await script_patiently(connection, sql);
  if (connection.dialect() == database::Dialect::citus) {
    for (const char* sql : distributed) co_await connection.script(sql);
  }
  constexpr std::int64_t rows_without_limit = 100'000;
  const std::int64_t limit = traits_of(connection.dialect()).rows_a_transaction;
  const std::int64_t most = limit > 0 ? limit : rows_without_limit;
  // The branches last: they say what there is.
  co_await fill_in_pieces(connection, settings.scale * accounts_per_branch, most, accounts_sql,
                          [&settings](std::int64_t accounts) {
                            if (!settings.on_progress) return;
                            settings.on_progress(accounts / accounts_per_branch);
                          });
  co_await fill_in_pieces(connection, settings.scale * tellers_per_branch, most, tellers_sql);
  co_await fill_in_pieces(connection, settings.scale, most, branches_sql);
  for (const std::string_view name : pgbench_table_names) {
    co_await script_patiently(connection, fmt::format("ANALYZE {}", name));
  }
}

}  // namespace

Task<std::vector<std::string>> drop_pgbench_tables(Connection& connection) {
  co_await database::postgres::require_citus_coordinator(connection,
                                                         "making or dropping its tables");
  std::vector<std::string> there = co_await tables_there(connection);
  if (traits_of(connection.dialect()).ddl_in_transactions) {
    if (there.empty()) co_return there;
    // COMMIT is a round trip of its own: a command that is interrupted while it waits for the
    // tables' locks leaves them unchanged.
    co_await connection.script("BEGIN");
    co_await connection.script(fmt::format("DROP TABLE {}", fmt::join(there, ", ")));
    co_await connection.script("COMMIT");
    co_return there;
  }
  for (const std::string& name : there) {
    co_await script_patiently(connection, fmt::format("DROP TABLE {}", name));
  }
  co_return there;
}

Task<std::vector<std::string>> make_pgbench_tables(Connection& connection,
                                                   InitialiseSettings settings) {
  if (!settings.force) refuse_tables_there(co_await tables_there(connection));
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
  if (branches.value_or(0) == 0) refuse_no_branches(branches.has_value());
  co_return *branches;
}

}  // namespace drover::sql::postgres
