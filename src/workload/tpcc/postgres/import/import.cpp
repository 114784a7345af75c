#include "workload/tpcc/postgres/import/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "coro/scope.h"
#include "coro/semaphore.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/postgres/admin_session.h"
#include "database/postgres/citus.h"
#include "database/postgres/dialect.h"
#include "database/postgres/session_setup.h"
#include "text/plain_text.h"
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {

namespace {

using coro::Task;
using database::Error;
using database::postgres::Connection;
using database::postgres::DialectTraits;
using database::postgres::PostgresAdminSession;
using database::postgres::Result;
using database::postgres::script_with_retries;
using database::postgres::traits_of;

constexpr std::string_view no_replica_identity = "55000";

bool all_objects_exist(const Catalog& catalog, const std::string& schema, ForeignKeys foreign_keys,
                       Layout layout) {
  return std::ranges::all_of(schema_objects(schema, layout), [&](const SchemaObject& object) {
    const bool wanted =
        object.kind != SchemaObject::Kind::foreign_key || foreign_keys == ForeignKeys::after_load;
    return !wanted || catalog.has(object.name);
  });
}

Task<void> require_recorded_warehouses(Connection& connection, const std::string& schema) {
  std::string recorded = "SELECT w_id FROM " + qualified_name(schema, loaded_table);
  if (traits_of(connection.dialect()).rows_a_transaction > 0) {
    recorded += " EXCEPT SELECT w_id FROM " + qualified_name(schema, progress_table);
  }
  const Result found = co_await connection.query(
      fmt::format("SELECT w_id FROM {} EXCEPT {} ORDER BY w_id LIMIT 1",
                  qualified_name(schema, table_name(Table::Warehouse)), recorded));
  if (found.rows() == 0) co_return;
  throw UnfitSchema(fmt::format(
      "the table warehouse contains warehouse {}, which no import of drover has recorded. "
      "To start over, {}",
      found.text(0, 0), advice_to_make_anew(schema)));
}

Task<void> record_begin(Connection& connection, AdminSession& session, ImportRecord record) {
  std::optional<Error> refusal;
  try {
    co_await write_record(session, record);
  } catch (const Error& error) {
    if (error.sqlstate() != no_replica_identity) throw;
    refusal = error;
  }
  if (!refusal) co_return;
  // The table is in a publication, and an older version of Drover made it without a key.
  co_await script_with_retries(connection, fmt::format("ALTER TABLE {} REPLICA IDENTITY FULL",
                                                       session.table(settings_table)));
  co_await write_record(session, std::move(record));
}

// Opens the first session, which sets the dialect and the pooling of later sessions. Throws
// UnfitSchema if init has not been run.
Task<std::unique_ptr<Connection>> open_first(PostgresImportOptions& options) {
  auto connection = co_await database::postgres::open_connection(options);
  options.pooling = connection->pooling();
  options.dialect = connection->dialect();
  co_await database::postgres::require_citus_coordinator(*connection, "an import");
  PostgresAdminSession session(*connection, options.schema);
  require_initialised(co_await read_tables(session), options.schema);
  co_return connection;
}

Task<std::unique_ptr<Connection>> open_another(const PostgresImportOptions& options) {
  return database::postgres::open_connection(options, options.pooling);
}

// Returns the progress of parts that are begun and not loaded; nothing where the dialect loads
// parts in one transaction.
Task<std::vector<PieceProgress>> read_progress(Connection& connection, std::string schema) {
  std::vector<PieceProgress> all;
  if (traits_of(connection.dialect()).rows_a_transaction == 0) co_return all;
  const Result found = co_await connection.query(fmt::format(
      "SELECT w_id, table_name, next, rows FROM {}", qualified_name(schema, progress_table)));
  for (int row = 0; row < found.rows(); ++row) {
    all.push_back({.part = found.number<std::int32_t>(row, 0),
                   .table = std::string(found.text(row, 1)),
                   .next = found.number<std::int32_t>(row, 2),
                   .rows = found.number<std::int64_t>(row, 3)});
  }
  co_return all;
}

// Compares the request with the schema, and records the import as begun.
Task<ImportPlan> begin_import(Connection& connection, std::string schema, ImportRequest request,
                              bool has_pieces) {
  const Catalog catalog = co_await read_catalog(connection, schema);
  PostgresAdminSession session(connection, schema);
  BegunImport begun = co_await plan_import(session, schema, request, has_pieces);
  begun.plan.has_keys =
      !traits_of(connection.dialect()).keys_with_table && !catalog.objects.empty();
  if (begun.continues) co_await require_recorded_warehouses(connection, schema);
  if (begun.was_complete &&
      all_objects_exist(catalog, schema, begun.record.foreign_keys, {connection.dialect()})) {
    refuse_to_load_again(begun.record, schema);
  }
  co_await record_begin(connection, session, std::move(begun.record));
  co_return std::move(begun.plan);
}

// Records the import as complete. On a session with the user's synchronous_commit, this makes all
// earlier commits as durable as this one.
Task<void> complete_import(Connection& connection, std::string schema) {
  PostgresAdminSession session(connection, std::move(schema));
  require_one_written(co_await session.query(fmt::format("UPDATE {} SET complete = true",
                                                         session.table(settings_table))),
                      settings_table);
}

// The first of the two numbers of each lock. The second number is the table's.
constexpr int32_t import_lock = 0x64727672;  // "drvr"
constexpr int32_t session_lock = import_lock + 1;

constexpr std::array<std::string_view, 4> settings = {
    // A crash of the server may lose the last commits together with their rows in
    // drover_tpcc_loaded, so that the next import loads them again.
    "SET synchronous_commit = off",
    // Sorts an index of some million rows in memory.
    "SET maintenance_work_mem = '256MB'",
    // Several indexes are built at the same time already.
    "SET max_parallel_maintenance_workers = 0",
    // Ends the index build of a killed client (from PostgreSQL 14 on).
    "SET client_connection_check_interval = '1s'",
};

std::string lock_call(std::string_view function, int32_t lock) {
  return fmt::format("{}({}, to_regclass($1::text)::oid::int)", function, lock);
}

Task<bool> holds(Connection& connection, std::string condition, const std::string& table) {
  const Result result = co_await connection.query("SELECT " + std::move(condition), table);
  co_return result.text(0, 0) == "t";
}

// Taking the first lock twice counts twice; both end with the session.
Task<bool> try_lock_by_session(Connection& connection, const std::string& table) {
  // CASE takes the locks in order: the second one only under the first.
  const bool locked = co_await holds(connection,
                                     fmt::format("CASE WHEN {} THEN {} ELSE false END",
                                                 lock_call("pg_try_advisory_lock", import_lock),
                                                 lock_call("pg_try_advisory_lock", session_lock)),
                                     table);
  if (locked) {
    co_await connection.query("SELECT " + lock_call("pg_advisory_unlock", session_lock), table);
  }
  co_return locked;
}

// The rollback to the savepoint releases the second lock.
Task<bool> try_lock_by_transaction(Connection& connection, const std::string& table) {
  co_await connection.script("BEGIN");
  bool locked =
      co_await holds(connection, lock_call("pg_try_advisory_xact_lock", import_lock), table);
  if (locked) {
    co_await connection.script("SAVEPOINT before_sessions");
    locked =
        co_await holds(connection, lock_call("pg_try_advisory_xact_lock", session_lock), table);
    co_await connection.script("ROLLBACK TO SAVEPOINT before_sessions");
  }
  if (!locked) co_await connection.script("ROLLBACK");
  co_return locked;
}

}  // namespace

Task<std::unique_ptr<Connection>> open_import_session(const PostgresImportOptions& options) {
  auto connection = co_await open_another(options);
  for (const std::string_view setting : settings) {
    std::string sql(setting);
    co_await set_if_known(*connection, std::move(sql));
  }
  const DialectTraits& traits = traits_of(connection->dialect());
  if (!traits.load_setting.empty()) co_await set(*connection, std::string(traits.load_setting));
  if (!traits.advisory_locks) co_return connection;
  const std::string table = qualified_name(options.schema, settings_table);
  if (database::postgres::TransactionSetup* const setup = connection->setup()) {
    const Result oid = co_await connection->query("SELECT to_regclass($1::text)::oid::int", table);
    setup->settings.push_back(
        fmt::format("SELECT pg_advisory_xact_lock_shared({}, {})", session_lock, oid.text(0, 0)));
  } else {
    co_await connection->query("SELECT " + lock_call("pg_advisory_lock_shared", session_lock),
                               table);
  }
  co_return connection;
}

Task<bool> try_lock_import(Connection& connection, std::string schema) {
  const std::string table = qualified_name(schema, settings_table);
  const bool is_pooled = connection.setup() != nullptr;
  co_return co_await (is_pooled ? try_lock_by_transaction(connection, table)
                                : try_lock_by_session(connection, table));
}

namespace {

constexpr coro::Duration lock_retry_interval = std::chrono::milliseconds(250);

// The time limit for sessions to end after they were terminated.
constexpr coro::Duration end_wait_max = std::chrono::seconds(15);

// Beats on the session with the first lock while the import works on others. `busy` is locked while
// that session is in use: an import that ends well waits for it, an interrupted one does not.
Task<void> keep_beating(Connection& connection, coro::Mutex& busy, coro::Duration interval) {
  for (;;) {
    {
      const coro::Mutex::Lock lock = co_await busy.lock();
      co_await connection.script(std::string(import_beat));
    }
    co_await coro::sleep_for(interval);
  }
}

// Ends the sessions that hold a lock of this schema, unless the holder of the first lock may be
// alive. Returns their number.
Task<int32_t> end_silent_sessions(Connection& connection, const PostgresImportOptions& options) {
  const std::string sql = fmt::format(
      "WITH held AS (SELECT l.pid, l.classid = {0} AS is_first, "
      "coalesce(a.query = '{1}' AND a.state <> 'active' AND "
      "clock_timestamp() - a.state_change >= interval '{2} milliseconds', false) AS is_silent "
      "FROM pg_locks l LEFT JOIN pg_stat_get_activity(NULL) a ON a.pid = l.pid "
      "WHERE l.locktype = 'advisory' AND l.granted AND l.classid IN ({0}, {3}) "
      "AND l.objid = to_regclass($1::text)::oid AND l.objsubid = 2 AND l.pid <> pg_backend_pid() "
      "AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())) "
      "SELECT count(pg_terminate_backend(pid))::int FROM (SELECT DISTINCT pid FROM held) AS theirs "
      "WHERE NOT EXISTS (SELECT FROM held WHERE is_first AND NOT is_silent)",
      import_lock, import_beat,
      std::chrono::duration_cast<std::chrono::milliseconds>(options.claim.watch).count(),
      session_lock);
  try {
    const Result ended =
        co_await connection.query(sql, qualified_name(options.schema, settings_table));
    co_return ended.number<int32_t>(0, 0);
  } catch (const Error& error) {
    if (error.sqlstate() != "42501") throw;
  }
  co_return 0;  // the sessions belong to another role
}

// Returns false behind pgpool-II, which takes the end of a session for a failure of the server.
bool may_end_sessions(const Connection& connection) {
  return connection.pooling() != database::Pooling::pgpool;
}

Task<void> lock_import(Connection& connection, const PostgresImportOptions& options,
                       ImportObserver& observer) {
  coro::Instant give_up = coro::Worker::current().now() + options.lock_wait_max;
  bool may_end = may_end_sessions(connection);
  for (bool first = true;; first = false) {
    const bool locked = co_await try_lock_import(connection, options.schema);
    if (locked) co_return;
    if (coro::Worker::current().now() >= give_up) {
      const int32_t ended = may_end ? co_await end_silent_sessions(connection, options) : 0;
      if (ended == 0) {
        throw UnfitSchema(
            "another import is running in this schema (it holds the advisory lock). Wait for its "
            "end");
      }
      observer.on_sessions_ended(ended);
      may_end = false;
      give_up = coro::Worker::current().now() + end_wait_max;
    }
    if (first) observer.on_wait();
    co_await coro::sleep_for(lock_retry_interval);
  }
}

Task<void> load_by_others(const PostgresImportOptions& options, const ImportPlan& plan,
                          ImportWork& work) {
  co_await options.load_elsewhere(plan, work);
  const auto connection = co_await open_another(options);
  PostgresAdminSession session(*connection, options.schema);
  const std::vector<LoadedPart> loaded = co_await read_loaded(session);
  require_none_left(missing_parts(loaded, plan.warehouses).size(), plan.missing.size());
}

// Imports while no other import can. `lock` is the session that holds the lock, or null. Closes
// `connection` before the load unless it is that session, because a pooler or a balancer would end
// it for being idle.
Task<void> import_alone(std::unique_ptr<Connection>& connection, PostgresImportOptions& options,
                        ImportObserver& observer, ImportWork& work, Connection* lock) {
  options.progress = co_await read_progress(*connection, options.schema);
  const ImportPlan plan = co_await begin_import(*connection, options.schema, options.request,
                                                !options.progress.empty());
  if (lock != connection.get()) connection.reset();
  work.begin(plan);
  work.start();
  coro::Mutex busy;
  auto body = [&](coro::Scope& scope) -> Task<void> {
    if (lock != nullptr) scope.start(keep_beating(*lock, busy, options.claim.beat));
    if (!plan.missing.empty()) {
      co_await work.load(options.load_elsewhere ? load_by_others(options, plan, work)
                                                : load_parts(options, plan, work));
    }
    co_await finish_import(options, plan.foreign_keys, observer, work);
    const coro::Mutex::Lock beaten = co_await busy.lock();
    scope.cancel();
  };
  co_await coro::with_scope(body);
  if (!connection) connection = co_await open_another(options);
  co_await complete_import(*connection, options.schema);
}

Task<ImportOutcome> run_import(PostgresImportOptions options, ImportObserver& observer,
                               ImportWork& work) {
  auto connection = co_await open_first(options);
  // Holds the lock or the claim until the import ends.
  std::unique_ptr<Connection> holder;
  if (!traits_of(connection->dialect()).advisory_locks) {
    holder = co_await open_another(options);
    // A beat without an answer fails, so that the work stops before another import takes the claim.
    holder->set_round_trip_limit(std::chrono::seconds(5));
    PostgresAdminSession session(*holder, options.schema);
    ImportClaim claim(session, options.claim);
    co_await claim.hold(
        options.schema, [&] { observer.on_wait(); },
        [&] { return import_alone(connection, options, observer, work, nullptr); });
    co_return work.end();
  }
  if (connection->setup() != nullptr) holder = co_await open_another(options);
  Connection& lock = holder ? *holder : *connection;
  co_await lock_import(lock, options, observer);
  // The holder's transaction occupies a process of the pool.
  if (holder) co_await require_process(*connection);
  co_await import_alone(connection, options, observer, work, &lock);
  co_return work.end();
}

Task<void> load_part_of(PostgresImportOptions options, const ImportPlan& plan, ImportWork& work) {
  {
    const auto connection = co_await open_first(options);
    options.progress = co_await read_progress(*connection, options.schema);
  }
  work.begin(plan);
  work.start();
  if (!plan.missing.empty()) co_await work.load(load_parts(options, plan, work));
}

}  // namespace

Task<ImportOutcome> import_warehouses(PostgresImportOptions options, ImportObserver& observer) {
  ImportWork work(observer, options.progress_interval);
  options.on_session_note = [&observer](std::string_view line) { observer.on_note(line); };
  try {
    co_return co_await run_import(options, observer, work);
  } catch (const Error& error) {
    throw work.explained(error);
  }
}

Task<ImportProgress> load_part(PostgresImportOptions options, ImportPart part,
                               ImportObserver& observer) {
  ImportWork work(observer, options.progress_interval);
  const ImportPlan plan = plan_of(part);
  try {
    co_await load_part_of(std::move(options), plan, work);
  } catch (const Error& error) {
    throw work.explained(error);
  }
  co_return work.progress();
}

}  // namespace drover::tpcc::postgres
