#include "tpcc/postgres/import_session.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "tpcc/postgres/catalog.h"
#include "tpcc/postgres/schema.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::postgres::Connection;

// The first of the two numbers of each lock; the second is the table's.
constexpr int32_t import_lock = 0x64727672;  // "drvr"
constexpr int32_t session_lock = import_lock + 1;

constexpr std::array<std::string_view, 6> settings = {
    // A crash of the server may lose the last commits, and then their rows in drover_tpcc_loaded
    // too: the import that goes on sees it.
    "SET synchronous_commit = off",
    // An index of some millions of rows is sorted in memory.
    "SET maintenance_work_mem = '256MB'",
    // Indexes are built side by side already.
    "SET max_parallel_maintenance_workers = 0",
    // Of a client that was killed no session goes on building an index (from PostgreSQL 14 on).
    "SET client_connection_check_interval = '1s'",
    // A limit for short transactions that the role may have is not meant for these.
    "SET statement_timeout = 0",
    "SET lock_timeout = 0",
};

Task<void> set_if_known(Connection& connection, std::string_view setting) {
  try {
    std::string sql(setting);
    co_await connection.script(std::move(sql));
  } catch (const Error& error) {
    if (error.error_class() != ErrorClass::statement) throw;
  }
}

std::string lock_call(std::string_view function, int32_t lock) {
  return fmt::format("{}({}, to_regclass($1::text)::oid::int)", function, lock);
}

}  // namespace

Task<std::unique_ptr<Connection>> open_import_session(std::string conninfo, std::string schema) {
  std::unique_ptr<Connection> connection = co_await Connection::open(std::move(conninfo));
  for (const std::string_view setting : settings) co_await set_if_known(*connection, setting);
  const std::string table = qualified_name(schema, settings_table);
  const std::string_view name = table;
  co_await connection->query("SELECT " + lock_call("pg_advisory_lock_shared", session_lock), name);
  co_return connection;
}

Task<bool> try_lock_import(Connection& connection, std::string schema) {
  const std::string table = qualified_name(schema, settings_table);
  const std::string_view name = table;
  // CASE keeps the order: the second lock is tried under the first one only. A first one that is
  // got again counts twice, and both go with the session.
  const database::postgres::Result locked =
      co_await connection.query(fmt::format("SELECT CASE WHEN {} THEN {} ELSE false END",
                                            lock_call("pg_try_advisory_lock", import_lock),
                                            lock_call("pg_try_advisory_lock", session_lock)),
                                name);
  if (locked.text(0, 0) != "t") co_return false;
  co_await connection.query("SELECT " + lock_call("pg_advisory_unlock", session_lock), name);
  co_return true;
}

}  // namespace drover::tpcc::postgres
