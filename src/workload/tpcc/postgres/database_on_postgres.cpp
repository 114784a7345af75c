#include "workload/tpcc/postgres/database_on_postgres.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "coro/deadline.h"
#include "coro/worker.h"
#include "database/postgres/citus.h"
#include "database/postgres/dialect.h"
#include "database/postgres/server_facts.h"
#include "database/postgres/server_watch.h"
#include "workload/tpcc/postgres/check/check.h"
#include "workload/tpcc/postgres/import/import.h"

namespace drover::tpcc::postgres {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::postgres::Access;
using database::postgres::open_connection;
using database::postgres::open_in_schema;
using database::postgres::recover_prepared;
using database::postgres::recovery_note;
using database::postgres::recovery_timeout;
using database::postgres::ServerRole;

namespace {

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

class PostgresBackend::PostgresSession final : public Pooled {
 public:
  PostgresSession(PostgresBackend& backend, database::postgres::OpenedSession opened) noexcept
      : Pooled(std::move(opened)), backend_(backend) {}

  // A transaction that misses rows is executed again by single rows, which either names the missing
  // rows or succeeds because the server had lost them. The same happens if the server does not
  // support a statement of the batched style.
  Task<Outcome> execute(const Input& input, Trace& trace) override {
    const Trace begun = trace;
    const bool known = backend_.by_row_;
    std::string note;
    if (!known) {
      try {
        co_return co_await execute_once(input, trace, backend_.shapes_[input.index()]);
      } catch (const RowsMissing& error) {
        note = by_row_note(error);
      }
    }
    trace = begun;
    co_await prepare_by_row();
    const Outcome outcome =
        co_await execute_once(input, trace, backend_.shape_by_row(input.index()));
    if (!known) backend_.found_to_need_single_rows(note);
    co_return outcome;
  }

 private:
  Task<Outcome> execute_once(const Input& input, Trace& trace, Shape shape) {
    std::exception_ptr error;
    Outcome outcome;
    try {
      const auto perform_it = [&](const auto& one) {
        return perform(connection(), one, trace, shape);
      };
      outcome = co_await std::visit(perform_it, input);
    } catch (const Error& thrown) {
      error = std::current_exception();
      const bool has_by_row = backend_.shape_by_row(input.index()) != shape;
      const bool needs_by_row = is_lost_row(thrown) || (has_by_row && is_not_supported(thrown));
      if (backend_.batched() && needs_by_row) {
        error = std::make_exception_ptr(
            RowsMissing(thrown.error_class(), thrown.sqlstate(), thrown.what()));
      }
      note_error(thrown);
    }
    if (error) {
      co_await end_transaction();
      std::rethrow_exception(error);
    }
    co_return outcome;
  }

  Task<void> prepare_by_row() {
    if (by_row_prepared_) co_return;
    const std::vector<Statement> statements = by_row_statements(backend_.options_.server_dialect);
    co_await connection().prepare(statements);
    by_row_prepared_ = true;
  }

  PostgresBackend& backend_;
  bool by_row_prepared_ = false;
};

PostgresBackend::PostgresBackend(PostgresOptions options)
    : PooledBackend({.connections = options.connections,
                     .wait_for_server = options.run.waits_for_database(),
                     .seed = options.seed,
                     .upkeep = options.upkeep}),
      options_(std::move(options)),
      // docs/tpcc-fidelity.md explains which isolation level is sufficient.
      session_settings_{.access = options_,
                        .pooling = options_.pooling,
                        .isolation = options_.isolation,
                        .statement_timeout = options_.run.statement_timeout(),
                        // A generic plan locks the partitions of all warehouses.
                        .generic_plans = !options_.is_partitioned},
      shapes_(shapes_of(options_.style, options_.server_dialect)),
      statements_(statements_of(shapes_, options_.server_dialect)),
      by_row_(options_.by_row) {}

PostgresBackend::~PostgresBackend() = default;

// CockroachDB has its own statements instead of those that may lose rows.
bool PostgresBackend::batched() const noexcept {
  return options_.style == StatementStyle::batched &&
         (options_.server_dialect == database::Dialect::postgres ||
          options_.server_dialect == database::Dialect::citus);
}

Shape PostgresBackend::shape_by_row(std::size_t transaction) const noexcept {
  return shapes_where_rows_are_lost(options_.server_dialect).at(transaction);
}

void PostgresBackend::found_to_need_single_rows(std::string_view note) {
  if (std::exchange(by_row_, true)) return;
  if (options_.on_note) options_.on_note(note);
}

Task<std::unique_ptr<PostgresBackend::Pooled>> PostgresBackend::connect(
    std::optional<std::size_t> first_host) {
  database::postgres::SessionSettings settings = session_settings_.at(first_host);
  settings.access.role = database::postgres::ServerRole::writable;
  settings.access.role_timeout = role_timeout();
  database::postgres::OpenedSession opened =
      co_await database::postgres::open_session(settings, statements_);
  if (batched() && loses_rows(opened.connection->server_version())) by_row_ = true;
  if (opened_at_.empty()) {
    const Result now = co_await opened.connection->query("SELECT localtimestamp");
    opened_at_ = now.text(0, 0);
  }
  co_return std::make_unique<PostgresSession>(*this, std::move(opened));
}

Task<std::vector<ResolvedCommit>> PostgresBackend::resolve(std::vector<UnknownCommit> commits) {
  std::vector<ResolvedCommit> found;
  auto ask = [&](Connection& connection) -> Task<void> {
    found = co_await resolve_commits(connection, commits, opened_at_);
  };
  // A scan of a large history takes longer than the timeout, and still has a limit.
  const coro::Duration timeout = options_.resolve_timeout;
  co_await ask_after_run(session_settings_, {timeout, 10 * timeout}, ask);
  found.resize(commits.size());
  co_return found;
}

std::unique_ptr<Database> make_database(Access access) {
  return std::make_unique<DatabaseOnPostgres>(std::move(access));
}

}  // namespace drover::tpcc::postgres
