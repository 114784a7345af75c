#include "workload/sql/postgres/pgbench_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "database/error.h"
#include "database/postgres/session_setup.h"
#include "workload/sql/builtin/pgbench_schema.h"

namespace drover::sql::postgres {

using coro::Task;
using database::Error;
using database::postgres::Result;

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

std::string branches_and_tellers_sql(std::int64_t scale) {
  return fmt::format(
      "INSERT INTO pgbench_branches (bid, bbalance) SELECT bid, 0 FROM generate_series(1, {}) AS "
      "bid; "
      "INSERT INTO pgbench_tellers (tid, bid, tbalance) SELECT tid, (tid - 1) / {} + 1, 0 "
      "FROM generate_series(1, {}) AS tid",
      scale, tellers_per_branch, scale * tellers_per_branch);
}

// Accounts of the branches first + 1 … last.
std::string accounts_sql(std::int64_t first, std::int64_t last) {
  return fmt::format(
      "INSERT INTO pgbench_accounts (aid, bid, abalance, filler) SELECT aid, (aid - 1) / {} + 1, "
      "0, '' "
      "FROM generate_series({}::bigint, {}::bigint) AS aid",
      accounts_per_branch, first * accounts_per_branch + 1, last * accounts_per_branch);
}

Task<void> fill(Connection& connection, const InitialiseSettings& settings) {
  constexpr std::int64_t branches_at_a_time = 10;
  co_await connection.script(branches_and_tellers_sql(settings.scale));
  for (std::int64_t done = 0; done < settings.scale;) {
    const std::int64_t next = std::min(done + branches_at_a_time, settings.scale);
    co_await connection.script(accounts_sql(done, next));
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

}  // namespace

Task<std::vector<std::string>> drop_pgbench_tables(Connection& connection) {
  std::vector<std::string> there = co_await tables_there(connection);
  if (!there.empty())
    co_await connection.script(fmt::format("DROP TABLE {}", fmt::join(there, ", ")));
  co_return there;
}

Task<std::vector<std::string>> make_pgbench_tables(Connection& connection,
                                                   InitialiseSettings settings) {
  if (!settings.force) refuse_tables_there(co_await tables_there(connection));
  std::vector<std::string> dropped = co_await drop_pgbench_tables(connection);
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
