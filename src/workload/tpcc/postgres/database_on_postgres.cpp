#include "workload/tpcc/postgres/database_on_postgres.h"

#include <fmt/format.h>

#include <utility>

#include "coro/deadline.h"
#include "coro/worker.h"
#include "database/error.h"
#include "database/postgres/citus.h"
#include "database/postgres/connection.h"
#include "database/postgres/dialect.h"
#include "database/postgres/server_facts.h"
#include "database/postgres/server_watch.h"
#include "database/postgres/session_setup.h"
#include "workload/tpcc/postgres/check/check.h"
#include "workload/tpcc/postgres/column_limits.h"
#include "workload/tpcc/postgres/import/import.h"
#include "workload/tpcc/postgres/postgres_backend.h"
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::postgres::Access;
using database::postgres::Connection;
using database::postgres::open_connection;
using database::postgres::open_in_schema;
using database::postgres::recover_prepared;
using database::postgres::recovery_note;
using database::postgres::recovery_timeout;
using database::postgres::ServerRole;

// Money of another tool's tables may be binary floating point: each value is rounded to cents.
const Statement ledger_sums{
    "ledger_sums",
    "SELECT (SELECT sum(d_next_o_id)::int8 FROM district WHERE d_w_id BETWEEN $1::int4 AND "
    "$2::int4), "
    "(SELECT (sum(round(w_ytd::numeric, 2)) * 100)::int8 FROM warehouse "
    "WHERE w_id BETWEEN $1::int4 AND $2::int4), "
    "(SELECT count(*) FROM new_order WHERE no_w_id BETWEEN $1::int4 AND $2::int4)"};

Task<LedgerSums> add_up(Connection& connection, WarehouseRange warehouses) {
  co_await connection.prepare({&ledger_sums, 1});
  const Result result = co_await connection.execute(ledger_sums, warehouses.first, warehouses.last);
  co_return LedgerSums{result.int8(0, 0), result.int8(0, 1), result.int8(0, 2)};
}

void require_layout(Layout layout, ForeignKeys foreign_keys) {
  const auto& traits = database::postgres::traits_of(layout.dialect);
  if (layout.partitions > 0 && !has_partitions(layout.dialect)) {
    throw UnfitSchema(fmt::format(
        "--partitions: {} partitions its tables itself. Leave out the option", traits.title));
  }
  if (foreign_keys != ForeignKeys::none && !traits.foreign_keys) {
    throw UnfitSchema(fmt::format(
        "--foreign-keys after-load: {} does not support all ten foreign keys", traits.title));
  }
}

class DatabaseOnPostgres final : public database::postgres::PostgresDatabase<Database> {
 public:
  using PostgresDatabase::PostgresDatabase;

  Task<Initialised> initialise(InitialiseSettings settings) const override {
    const auto connection = co_await open_connection(at(ServerRole::writable));
    const Layout layout{connection->dialect(), settings.partitions};
    require_layout(layout, settings.foreign_keys);
    InitialiseOptions options{access_.schema, settings.foreign_keys, layout, settings.force,
                              std::move(settings.on_note)};
    Initialised made;
    made.has_keys = database::postgres::traits_of(layout.dialect).keys_with_table;
    made.dropped = co_await postgres::initialise(*connection, std::move(options));
    co_return made;
  }

  Task<std::vector<std::string>> clean(NoteFunction on_note) const override {
    const auto connection = co_await open_connection(at(ServerRole::writable));
    co_return co_await postgres::clean(*connection, access_.schema, std::move(on_note));
  }

  Task<ImportOutcome> import_warehouses(ImportSettings settings,
                                        ImportObserver& observer) const override {
    return postgres::import_warehouses({std::move(settings), at(ServerRole::writable)}, observer);
  }

  Task<ImportProgress> load_part(ImportPart part, ImportSettings settings,
                                 ImportObserver& observer) const override {
    return postgres::load_part({std::move(settings), at(ServerRole::writable)}, std::move(part),
                               observer);
  }

  Task<CheckReport> check(CheckSettings settings) const override {
    return postgres::check({std::move(settings), access_});
  }

  Task<std::optional<std::string>> check_pieces(
      CheckPart part, CheckSettings settings,
      std::function<void(const PieceVerdict&)> on_verdict) const override {
    return postgres::check_pieces({std::move(settings), access_}, std::move(part),
                                  std::move(on_verdict));
  }

  Task<RunPreparation> prepare(std::optional<std::int32_t> warehouses) const override {
    RunPreparation prepared;
    const auto connection = co_await open_in_schema(at(ServerRole::writable));
    prepared.server = co_await database::postgres::read_server_facts(*connection);
    if (loses_rows(connection->server_version())) {
      prepared.notes.push_back(lost_rows_note(prepared.server.version));
    }
    if (auto note = co_await recovery_note(*connection)) {
      prepared.notes.push_back(std::move(*note));
    }
    prepared.loaded = co_await require_fit_for_run(*connection, access_.schema);
    const std::int32_t partitions = co_await count_partitions(*connection, access_.schema);
    if (partitions > 0) prepared.server.settings.emplace("partitions", std::to_string(partitions));
    co_await database::postgres::add_citus_facts(
        *connection, std::string(table_name(Table::Warehouse)), prepared.server.settings);
    const std::int32_t wanted = warehouses.value_or(prepared.loaded.warehouses);
    require_warehouses(prepared.loaded, wanted, access_.schema);
    const Result now = co_await connection->query("SELECT now() AT TIME ZONE 'UTC'");
    prepared.server_time = now.text(0, 0);
    co_return prepared;
  }

  Task<WarehouseHomes> find_homes(std::size_t hosts, std::int32_t warehouses) const override {
    auto found = co_await database::postgres::find_citus_homes(
        access_, hosts, std::string(table_name(Table::Warehouse)), warehouses);
    if (!found) co_return WarehouseHomes();
    co_return WarehouseHomes{std::move(found->hosts), std::move(found->problem)};
  }

  Task<std::vector<std::string>> find_narrow_columns(PlannedWork work) const override {
    const auto connection = co_await open_in_schema(access_);
    co_return co_await postgres::find_narrow_columns(*connection, access_.schema, work);
  }

  Task<Isolation> choose_isolation(std::optional<Isolation> wanted,
                                   const ServerFacts& server) const override {
    co_return wanted.value_or(database::postgres::traits_of(server.dialect).default_isolation);
  }

  Task<LedgerSums> read_ledger(WarehouseRange warehouses) const override {
    const auto connection = co_await open_to_read_all();
    co_await recover_prepared(*connection, recovery_timeout, access_.on_session_note);
    co_return co_await add_up(*connection, warehouses);
  }

  Task<std::vector<ResolvedCommit>> find_writes(std::vector<UnknownCommit> writes,
                                                std::string since,
                                                coro::Duration timeout) const override {
    try {
      co_return co_await coro::with_deadline(coro::Worker::current().now() + timeout,
                                             look_for(writes, std::move(since)));
    } catch (const database::Error&) {
      // The writes stay unknown, as after a timeout.
    } catch (const coro::DeadlineExceeded&) {
    }
    co_return std::vector<ResolvedCommit>();
  }

  std::unique_ptr<Backend> make_backend(BackendSettings settings) const override {
    Access access = in(settings.server_dialect);
    return std::make_unique<PostgresBackend>(
        PostgresOptions{std::move(settings), std::move(access)});
  }

 private:
  // The server then refuses a statement from which policies would hide rows.
  Task<std::unique_ptr<Connection>> open_to_read_all() const {
    auto connection = co_await open_in_schema(at(ServerRole::primary));
    co_await set_if_known(*connection, "SET row_security = off");
    co_return connection;
  }

  Task<std::vector<ResolvedCommit>> look_for(std::span<const UnknownCommit> writes,
                                             std::string since) const {
    const auto connection = co_await open_to_read_all();
    co_await recover_prepared(*connection, recovery_timeout, access_.on_session_note);
    co_await set(*connection, "SET TimeZone TO 'UTC'");
    co_return co_await resolve_commits(*connection, writes, std::move(since));
  }
};

}  // namespace

std::unique_ptr<Database> make_database(Access access) {
  return std::make_unique<DatabaseOnPostgres>(std::move(access));
}

}  // namespace drover::tpcc::postgres
