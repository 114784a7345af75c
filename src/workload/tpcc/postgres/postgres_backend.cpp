#include "workload/tpcc/postgres/postgres_backend.h"

#include <exception>
#include <utility>

#include "database/error.h"
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {

using coro::Task;
using database::Error;
using database::ErrorClass;

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

}  // namespace drover::tpcc::postgres
