#include "workload/tpcc/postgres/import/import.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "coro/sleep.h"
#include "coro/worker.h"
#include "workload/tpcc/import/import_record.h"
#include "workload/tpcc/postgres/import/schema.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::Error;
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
    // No session of a client that was killed goes on building an index (from PostgreSQL 14 on).
    "SET client_connection_check_interval = '1s'",
    // A limit for short transactions that the role may have is not meant for these.
    "SET statement_timeout = 0",
    "SET lock_timeout = 0",
};

std::string lock_call(std::string_view function, int32_t lock) {
  return fmt::format("{}({}, to_regclass($1::text)::oid::int)", function, lock);
}

}  // namespace

Task<std::unique_ptr<Connection>> open_import_session(std::string conninfo, std::string schema) {
  std::unique_ptr<Connection> connection = co_await Connection::open(std::move(conninfo));
  for (const std::string_view setting : settings) {
    std::string sql(setting);
    co_await set_if_known(*connection, std::move(sql));
  }
  const std::string table = qualified_name(schema, settings_table);
  co_await connection->query("SELECT " + lock_call("pg_advisory_lock_shared", session_lock), table);
  co_return connection;
}

Task<bool> try_lock_import(Connection& connection, std::string schema) {
  const std::string table = qualified_name(schema, settings_table);
  // CASE keeps the order: the second lock is tried under the first one only. A first one that is
  // got again counts twice, and both go with the session.
  const database::postgres::Result locked =
      co_await connection.query(fmt::format("SELECT CASE WHEN {} THEN {} ELSE false END",
                                            lock_call("pg_try_advisory_lock", import_lock),
                                            lock_call("pg_try_advisory_lock", session_lock)),
                                table);
  if (locked.text(0, 0) != "t") co_return false;
  co_await connection.query("SELECT " + lock_call("pg_advisory_unlock", session_lock), table);
  co_return true;
}

namespace {

constexpr coro::Duration lock_retry_interval = std::chrono::milliseconds(250);

Task<void> lock_import(Connection& connection, const ImportOptions& options,
                       ImportObserver& observer) {
  const coro::Instant give_up = coro::Worker::current().now() + options.lock_wait_max;
  for (bool first = true;; first = false) {
    const bool locked = co_await try_lock_import(connection, options.schema);
    if (locked) co_return;
    if (coro::Worker::current().now() >= give_up) {
      throw UnfitSchema(
          "another import works on this schema (it holds the advisory lock): wait for its end");
    }
    if (first) observer.on_wait();
    co_await coro::sleep_for(lock_retry_interval);
  }
}

Task<ImportOutcome> run_import(const ImportOptions& options, ImportObserver& observer,
                               ImportWork& work) {
  // Holds the lock as long as the import takes.
  const std::unique_ptr<Connection> connection = co_await Connection::open(options.conninfo);
  co_await require_initialised(*connection, options.schema);
  co_await lock_import(*connection, options, observer);
  const ImportPlan plan = co_await begin_import(*connection, options.schema, options.request);
  work.begin(plan);
  work.start();
  if (!plan.missing.empty()) co_await work.load(load_parts(options, plan, work));
  co_await finish_import(options, plan.foreign_keys, observer);
  co_await complete_import(*connection, options.schema);
  co_return work.end();
}

}  // namespace

Task<ImportOutcome> import_warehouses(ImportOptions options, ImportObserver& observer) {
  ImportWork work(observer, options.progress_interval);
  try {
    co_return co_await run_import(options, observer, work);
  } catch (const Error& error) {
    throw work.explained(error);
  }
}

}  // namespace drover::tpcc::postgres
