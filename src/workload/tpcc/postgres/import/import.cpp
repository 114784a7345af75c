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
#include "database/postgres/citus.h"
#include "database/postgres/dialect.h"
#include "database/postgres/patient_script.h"
#include "database/postgres/session_setup.h"
#include "text/plain_text.h"
#include "workload/tpcc/import/import.h"
#include "workload/tpcc/postgres/import/schema.h"
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {

namespace {

using coro::Task;
using database::postgres::Connection;
using database::postgres::DialectTraits;
using database::postgres::Result;
using database::postgres::script_patiently;
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

// Nothing is recorded as loaded: then there must be nothing.
Task<void> require_empty_tables(Connection& connection, const std::string& schema) {
  for (const Table table : all_tables) {
    const Result found = co_await connection.query(
        fmt::format("SELECT 1 FROM {} LIMIT 1", qualified_name(schema, table_name(table))));
    if (found.rows() == 0) continue;
    refuse_unrecorded_rows(table, schema);
  }
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

Task<void> record_begin(Connection& connection, const std::string& schema, const ImportPlan& plan) {
  const NurandConstants constants = load_constants(plan.population.seed);
  std::string sql = fmt::format(
      "UPDATE {} SET seed = {}, load_time_us = {}, c_last = {}, c_id = {}, ol_i_id = {}, "
      "warehouses = {}, complete = false",
      qualified_name(schema, settings_table), plan.population.seed, plan.population.load_time_us,
      constants.c_last, constants.c_id, constants.ol_i_id, plan.warehouses);
  std::optional<database::Error> refusal;
  try {
    const Result written = co_await script_patiently(connection, sql);
    require_written(written, 1, settings_table);
  } catch (const database::Error& error) {
    if (error.sqlstate() != no_replica_identity) throw;
    refusal = error;
  }
  if (!refusal) co_return;
  // The table is in a publication, and an older version of Drover made it without a key.
  co_await script_patiently(connection, fmt::format("ALTER TABLE {} REPLICA IDENTITY FULL",
                                                    qualified_name(schema, settings_table)));
  const Result written = co_await script_patiently(connection, std::move(sql));
  require_written(written, 1, settings_table);
}

std::vector<int32_t> missing_parts(const std::vector<int32_t>& loaded, int32_t warehouses) {
  std::vector<int32_t> missing;
  auto next = loaded.begin();
  for (int32_t part = item_part; part <= warehouses; ++part) {
    if (next != loaded.end() && *next == part) {
      ++next;
    } else {
      missing.push_back(part);
    }
  }
  return missing;
}

}  // namespace

Task<void> require_initialised(Connection& connection, std::string schema) {
  const Catalog catalog = co_await read_catalog(connection, schema);
  tpcc::require_initialised(catalog, schema);
}

Task<ImportPlan> begin_import(Connection& connection, std::string schema, ImportRequest request,
                              bool any_pieces) {
  const Catalog catalog = co_await read_catalog(connection, schema);
  const std::optional<Settings> settings = co_await read_settings(connection, schema);
  if (!settings) {
    throw UnfitSchema(fmt::format("the table {} is empty. To start over, {}", settings_table,
                                  advice_to_make_anew(schema)));
  }
  const std::vector<int32_t> loaded = co_await read_loaded(connection, schema);
  ImportPlan plan;
  plan.foreign_keys = settings->foreign_keys;
  plan.warehouses = request.warehouses;
  plan.missing = missing_parts(loaded, request.warehouses);
  plan.skipped = request.warehouses - plan.warehouses_missing();
  plan.has_keys = !traits_of(connection.dialect()).keys_with_table && !catalog.objects.empty();
  const bool is_begun = !loaded.empty() || any_pieces;
  if (!is_begun || !settings->population) {
    co_await require_empty_tables(connection, schema);
    plan.population = request.fresh_population;
    if (request.seed) plan.population.seed = *request.seed;
  } else {
    require_same_request(request, *settings, schema);
    co_await require_recorded_warehouses(connection, schema);
    plan.population = *settings->population;
    if (plan.missing.empty() && settings->complete &&
        all_objects_exist(catalog, schema, settings->foreign_keys, {connection.dialect()})) {
      refuse_to_load_again(*settings, schema);
    }
  }
  co_await record_begin(connection, schema, plan);
  co_return plan;
}

Task<void> complete_import(Connection& connection, std::string schema) {
  std::string sql =
      fmt::format("UPDATE {} SET complete = true", qualified_name(schema, settings_table));
  const Result written = co_await script_patiently(connection, std::move(sql));
  require_written(written, 1, settings_table);
}

namespace {

using database::Error;

// The first of the two numbers of each lock; the second is the table's.
constexpr int32_t import_lock = 0x64727672;  // "drvr"
constexpr int32_t session_lock = import_lock + 1;

constexpr std::array<std::string_view, 4> settings = {
    // A crash of the server may lose the last commits, and then their rows in drover_tpcc_loaded
    // too: the import that goes on sees it.
    "SET synchronous_commit = off",
    // An index of some millions of rows is sorted in memory.
    "SET maintenance_work_mem = '256MB'",
    // Indexes are built side by side already.
    "SET max_parallel_maintenance_workers = 0",
    // No session of a client that was killed goes on building an index (from PostgreSQL 14 on).
    "SET client_connection_check_interval = '1s'",
};

std::string lock_call(std::string_view function, int32_t lock) {
  return fmt::format("{}({}, to_regclass($1::text)::oid::int)", function, lock);
}

Task<bool> holds(Connection& connection, std::string condition, const std::string& table) {
  const Result result = co_await connection.query("SELECT " + std::move(condition), table);
  co_return result.text(0, 0) == "t";
}

// A first lock that is got again counts twice, and both go with the session.
Task<bool> try_lock_by_session(Connection& connection, const std::string& table) {
  // CASE keeps the order: the second lock is tried under the first one only.
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

// A rollback to the savepoint gives the second lock back.
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

Task<std::unique_ptr<Connection>> open_import_session(const ImportOptions& options) {
  auto connection = co_await database::postgres::open_connection(options, options.pooling);
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
  const bool locked = connection.setup() != nullptr
                          ? co_await try_lock_by_transaction(connection, table)
                          : co_await try_lock_by_session(connection, table);
  co_return locked;
}

namespace {

constexpr coro::Duration lock_retry_interval = std::chrono::milliseconds(250);

// That sessions which are told to end do so.
constexpr coro::Duration end_wait_max = std::chrono::seconds(15);

// Sends signs of life on the session with the first lock, while the import works on others. `busy`
// is locked while that session is in use: an import that ends well waits for it, an interrupted one
// does not.
Task<void> keep_beating(Connection& connection, coro::Mutex& busy, coro::Duration interval) {
  for (;;) {
    {
      const coro::Mutex::Lock lock = co_await busy.lock();
      co_await connection.script(std::string(import_beat));
    }
    co_await coro::sleep_for(interval);
  }
}

// Ends those that hold a lock of this schema, unless the first one's holder may be alive; says how many.
Task<int32_t> end_silent_sessions(Connection& connection, const ImportOptions& options) {
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
  co_return 0;  // sessions of somebody else
}

// pgpool-II takes the end of a session for that of the server.
bool may_end_sessions(const Connection& connection) {
  return connection.pooling() != database::Pooling::pgpool;
}

Task<void> lock_import(Connection& connection, const ImportOptions& options,
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

Task<void> load_by_others(const ImportOptions& options, const ImportPlan& plan, ImportWork& work) {
  co_await options.load_elsewhere(plan, work);
  const auto connection = co_await database::postgres::open_connection(options, options.pooling);
  const std::vector<int32_t> loaded = co_await read_loaded(*connection, options.schema);
  require_none_left(missing_parts(loaded, plan.warehouses).size(), plan.missing.size());
}

// Imports while it has the schema for itself. `lock` is the session that holds the lock, if one
// does. Closes `connection` before the load unless it is that session: a pooler or a balancer would
// end it for being idle.
Task<void> import_alone(std::unique_ptr<Connection>& connection, ImportOptions& options,
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
  if (!connection) {
    connection = co_await database::postgres::open_connection(options, options.pooling);
  }
  co_await complete_import(*connection, options.schema);
}

// The row of drover_tpcc, on a session of its own.
class ClaimedRowOnPostgres final : public ClaimedRow {
 public:
  ClaimedRowOnPostgres(Connection& connection, std::string_view schema)
      : connection_(connection), table_(qualified_name(schema, settings_table)) {}

  Task<std::optional<ClaimHolder>> read() override {
    const Result row = co_await script_patiently(
        connection_,
        fmt::format("SELECT coalesce(import_owner, ''), import_beat FROM {} WHERE id = 1", table_));
    if (row.rows() == 0) co_return std::nullopt;
    co_return ClaimHolder{std::string(row.text(0, 0)), row.number<std::int64_t>(0, 1)};
  }

  // The names are ours: hexadecimal digits.
  Task<std::optional<ClaimHolder>> exchange(ClaimHolder seen, ClaimHolder next) override {
    co_await script_patiently(
        connection_,
        fmt::format("UPDATE {} SET import_owner = '{}', import_beat = {} WHERE id = 1 AND "
                    "coalesce(import_owner, '') = '{}' AND import_beat = {}",
                    table_, next.owner, next.beat, text::replaced(seen.owner, "'", "''"),
                    seen.beat));
    co_return co_await read();
  }

 private:
  Connection& connection_;
  std::string table_;
};

Task<ImportOutcome> run_import(ImportOptions options, ImportObserver& observer, ImportWork& work) {
  auto connection = co_await database::postgres::open_connection(options);
  options.pooling = connection->pooling();
  options.dialect = connection->dialect();
  co_await database::postgres::require_citus_coordinator(*connection, "an import");
  co_await require_initialised(*connection, options.schema);
  // Holds the lock as long as the import takes.
  std::unique_ptr<Connection> holder;
  if (!traits_of(connection->dialect()).advisory_locks) {
    holder = co_await database::postgres::open_connection(options, options.pooling);
    // A beat without an answer is none: the work stops before anybody takes over.
    holder->set_round_trip_limit(std::chrono::seconds(5));
    ClaimedRowOnPostgres row(*holder, options.schema);
    ImportClaim claim(row, options.claim);
    co_await claim.hold(
        options.schema, [&] { observer.on_wait(); },
        [&] { return import_alone(connection, options, observer, work, nullptr); });
    co_return work.end();
  }
  if (connection->setup() != nullptr) {
    holder = co_await database::postgres::open_connection(options, options.pooling);
  }
  Connection& lock = holder ? *holder : *connection;
  co_await lock_import(lock, options, observer);
  // The holder's transaction occupies a process of the pool.
  if (holder) co_await require_process(*connection);
  co_await import_alone(connection, options, observer, work, &lock);
  co_return work.end();
}

Task<void> load_part_of(ImportOptions options, const ImportPlan& plan, ImportWork& work) {
  {
    const auto connection = co_await database::postgres::open_connection(options);
    options.pooling = connection->pooling();
    options.dialect = connection->dialect();
    co_await database::postgres::require_citus_coordinator(*connection, "an import");
    co_await require_initialised(*connection, options.schema);
    options.progress = co_await read_progress(*connection, options.schema);
  }
  work.begin(plan);
  work.start();
  if (!plan.missing.empty()) co_await work.load(load_parts(options, plan, work));
}

}  // namespace

Task<ImportOutcome> import_warehouses(ImportOptions options, ImportObserver& observer) {
  ImportWork work(observer, options.progress_interval);
  options.on_session_note = [&observer](std::string_view line) { observer.on_note(line); };
  try {
    co_return co_await run_import(options, observer, work);
  } catch (const Error& error) {
    throw work.explained(error);
  }
}

Task<ImportProgress> load_part(ImportOptions options, ImportPart part, ImportObserver& observer) {
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
