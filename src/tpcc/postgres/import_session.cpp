#include "tpcc/postgres/import_session.h"

#include <array>
#include <string_view>
#include <utility>

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::postgres::Connection;

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

}  // namespace

Task<std::unique_ptr<Connection>> open_import_session(std::string conninfo) {
  std::unique_ptr<Connection> connection = co_await Connection::open(std::move(conninfo));
  for (const std::string_view setting : settings) co_await set_if_known(*connection, setting);
  co_return connection;
}

}  // namespace drover::tpcc::postgres
