#include "workload/tpcc/postgres/postgres_backend.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "coro/deadline.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
#include "workload/tpcc/postgres/import/schema.h"
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {

using coro::Task;
using database::Error;
using database::ErrorClass;

class PostgresBackend::PostgresSession final : public Session {
 public:
  PostgresSession(PostgresBackend& backend, std::unique_ptr<Connection> made,
                  std::optional<SessionIdentity> named) noexcept
      : connection(std::move(made)), identity(std::move(named)), backend_(backend) {}

  // What comes back without its rows is done once more by single rows: either that says which are
  // missing, or the server has lost them.
  Task<Outcome> execute(const Input& input, Trace& trace) override {
    const Trace begun = trace;
    const bool known = backend_.by_row_;
    if (!known) {
      try {
        co_return co_await execute_once(input, trace, batched() ? Shape::batched : Shape::single);
      } catch (const RowsMissing&) {
        // By single rows, below.
      }
    }
    trace = begun;
    const Outcome outcome = co_await execute_once(input, trace, Shape::by_row);
    if (!known) backend_.found_to_lose_rows();
    co_return outcome;
  }

  // What the pool asks of a session.
  bool usable() const noexcept { return connection && !connection->broken(); }
  bool in_transaction() const noexcept { return connection->in_transaction(); }
  Task<void> close() {
    connection.reset();
    co_return;
  }

  std::unique_ptr<Connection> connection;
  std::optional<SessionIdentity> identity;

 private:
  Task<Outcome> execute_once(const Input& input, Trace& trace, Shape shape) {
    std::exception_ptr error;
    Outcome outcome;
    try {
      if (shape == Shape::by_row) co_await prepare_by_row();
      const auto perform_it = [&](const auto& one) {
        return perform(*connection, one, trace, shape);
      };
      outcome = co_await std::visit(perform_it, input);
    } catch (const Error& thrown) {
      error = std::current_exception();
      if (batched() && is_lost_row(thrown)) {
        error = std::make_exception_ptr(
            RowsMissing(thrown.error_class(), thrown.sqlstate(), thrown.what()));
      }
      // A server that has become a standby: its address may lead to another one now.
      if (thrown.error_class() == ErrorClass::unavailable) connection.reset();
    }
    if (error) {
      co_await roll_back();
      std::rethrow_exception(error);
    }
    co_return outcome;
  }

  bool batched() const noexcept { return backend_.options_.style == StatementStyle::batched; }

  Task<void> prepare_by_row() {
    if (by_row_prepared_) co_return;
    const std::vector<Statement> statements = by_row_statements();
    co_await connection->prepare(statements);
    by_row_prepared_ = true;
  }

  Task<void> roll_back() {
    if (!usable() || !connection->in_transaction()) co_return;
    try {
      co_await connection->execute(rollback_statement);
    } catch (const Error&) {
      // The session is gone, and with it the transaction.
    }
  }

  PostgresBackend& backend_;
  bool by_row_prepared_ = false;
};

namespace {

// What will be the same at each attempt: no access, or tables and columns that are not there
// (families 42 and 3F). A server short of memory, say, may get over it.
bool is_hopeless(const Error& error) noexcept {
  const std::string_view family = std::string_view(error.sqlstate()).substr(0, 2);
  return error.error_class() == ErrorClass::denied || family == "42" || family == "3F";
}

}  // namespace

PostgresBackend::PostgresBackend(PostgresOptions options)
    : options_(std::move(options)),
      statements_(statements_of(options_.style)),
      pool_({.size = options_.connections,
             .open = [this] { return connect(); },
             .is_hopeless = is_hopeless,
             .wait_for_server = options_.run.waits_for_database(),
             .next = database::SessionPool<PostgresSession>::Next::warmest,
             .seed = options_.seed}),
      by_row_(options_.by_row),
      resolve_pause_(options_.seed) {}

PostgresBackend::~PostgresBackend() = default;

namespace {

// The limit of each round trip while a session is set up. A server that lets us in and then says nothing must
// not keep us from trying again.
constexpr coro::Duration set_up_limit = std::chrono::seconds(20);

}  // namespace

Task<std::unique_ptr<Connection>> open_in_schema(std::string conninfo, std::string schema) {
  auto connection = co_await Connection::open(std::move(conninfo));
  if (!schema.empty()) {
    connection->set_round_trip_limit(set_up_limit);
    co_await connection->script(fmt::format("SET search_path TO {}", quote_identifier(schema)));
    connection->set_round_trip_limit(std::nullopt);
  }
  co_return connection;
}

namespace {

void require_writable(const Connection& connection) {
  if (connection.parameter_status("in_hot_standby") != "on" &&
      connection.parameter_status("default_transaction_read_only") != "on") {
    return;
  }
  throw Error(ErrorClass::unavailable, "25006",
              "the server takes no writes: it is a standby, or default_transaction_read_only is "
              "on; name all hosts in the URI with target_session_attrs=read-write");
}

// The server's own timeout comes first: it leaves the session as it was.
constexpr coro::Duration round_trip_grace = std::chrono::seconds(5);

}  // namespace

void PostgresBackend::found_to_lose_rows() {
  if (std::exchange(by_row_, true)) return;
  if (options_.on_note) options_.on_note(lost_rows_found_note());
}

Task<std::unique_ptr<PostgresBackend::PostgresSession>> PostgresBackend::connect() {
  auto connection = co_await open_in_schema(options_.conninfo, options_.schema);
  require_writable(*connection);
  const bool batched = options_.style == StatementStyle::batched;
  if (batched && loses_rows(connection->server_version())) by_row_ = true;
  connection->set_round_trip_limit(set_up_limit);
  // Which level is enough, docs/tpcc-fidelity.md says; and the import has written its times in UTC.
  const auto timeout_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(options_.run.statement_timeout());
  co_await connection->script(
      fmt::format("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL {}; "
                  "SET TimeZone TO 'UTC'",
                  isolation_name(options_.isolation)));
  co_await set_if_known(*connection, fmt::format("SET statement_timeout = {}", timeout_ms.count()));
  // Plans for any parameters: the five that are made first otherwise cost more than they bring.
  co_await set_if_known(*connection, "SET plan_cache_mode = force_generic_plan");
  auto identity = co_await identify_session(*connection);
  if (opened_at_.empty()) {
    const Result now = co_await connection->query("SELECT localtimestamp");
    opened_at_ = now.text(0, 0);
  }
  co_await connection->prepare(statements_);
  std::optional<coro::Duration> limit;
  if (options_.run.statement_timeout() > coro::Duration::zero()) {
    limit = options_.run.statement_timeout() + round_trip_grace;
  }
  connection->set_round_trip_limit(limit);
  co_return std::make_unique<PostgresSession>(*this, std::move(connection), std::move(identity));
}

Task<void> PostgresBackend::open() {
  return pool_.open();
}

Task<void> PostgresBackend::keep_open(SessionObserver& observer) {
  return pool_.keep_open(observer);
}

Task<database::Session*> PostgresBackend::acquire() {
  co_return co_await pool_.take();
}

void PostgresBackend::release(database::Session& session) noexcept {
  auto& returned = static_cast<PostgresSession&>(session);
  if (!pool_.is_sound(returned) && returned.identity) abandoned_.push_back(*returned.identity);
  pool_.release(returned);
}

Task<std::unique_ptr<Connection>> PostgresBackend::connect_to_resolve() {
  auto connection = co_await open_in_schema(options_.conninfo, options_.schema);
  require_writable(*connection);
  co_await connection->script("SET TimeZone TO 'UTC'");
  const bool ended = co_await end_sessions(*connection, abandoned_, options_.resolve_patience);
  if (!ended) {
    throw Error(ErrorClass::denied, "", "old sessions go on, and may still do what we ask about");
  }
  abandoned_.clear();
  co_return connection;
}

// None if it cannot be had in time.
Task<std::unique_ptr<Connection>> PostgresBackend::connect_after_the_others(coro::Instant give_up) {
  for (int attempt = 0; coro::Worker::current().now() < give_up; ++attempt) {
    try {
      co_return co_await coro::with_deadline(give_up, connect_to_resolve());
    } catch (const Error& error) {
      if (error.error_class() == ErrorClass::denied) break;
      // Tried again below: the server may be on its way up.
    } catch (const coro::DeadlineExceeded&) {
      break;
    }
    co_await coro::sleep_for(resolve_pause_(attempt));
  }
  co_return nullptr;
}

Task<std::vector<Finding>> PostgresBackend::resolve(std::vector<Doubt> doubts) {
  // They are not needed any more, and there may be no slot besides theirs.
  co_await pool_.close();
  const coro::Instant begun = coro::Worker::current().now();
  const auto connection = co_await connect_after_the_others(begun + options_.resolve_patience);
  if (connection) {
    // A pass over a large history takes its time, and still has an end.
    const coro::Instant give_up = coro::Worker::current().now() + 10 * options_.resolve_patience;
    try {
      co_return co_await coro::with_deadline(give_up,
                                             resolve_doubts(*connection, doubts, opened_at_));
    } catch (const Error&) {
      // Unknown, like what takes too long.
    } catch (const coro::DeadlineExceeded&) {
    }
  }
  co_return std::vector<Finding>(doubts.size());
}

}  // namespace drover::tpcc::postgres
