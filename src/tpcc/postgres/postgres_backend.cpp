#include "tpcc/postgres/postgres_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <exception>

#include "coro/deadline.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
#include "tpcc/postgres/lost_rows.h"
#include "tpcc/postgres/schema.h"

namespace drover::tpcc::postgres {

using coro::Task;
using database::Error;
using database::ErrorClass;

class PostgresBackend::PostgresSession final : public Session {
 public:
  explicit PostgresSession(PostgresBackend& backend) noexcept : backend_(backend) {}

  // What comes back without its rows is done once more by single rows: either that says which are
  // missing, or the server has lost them.
  Task<Outcome> execute(const Input& input, Trace& trace) override {
    const Trace begun = trace;
    const bool known = backend_.by_row_;
    if (!known) {
      try {
        co_return co_await execute_once(input, trace, false);
      } catch (const RowsMissing&) {
        // By single rows, below.
      }
    }
    trace = begun;
    const Outcome outcome = co_await execute_once(input, trace, true);
    if (!known) backend_.found_to_lose_rows();
    co_return outcome;
  }

  bool usable() const noexcept { return connection && !connection->broken(); }

  std::unique_ptr<Connection> connection;
  std::optional<SessionIdentity> identity;
  std::optional<coro::Semaphore::Permit> permit;  // while it is out, or lost
  bool by_row_prepared = false;

 private:
  Task<Outcome> execute_once(const Input& input, Trace& trace, bool by_row) {
    std::exception_ptr error;
    Outcome outcome;
    try {
      if (by_row) co_await prepare_by_row();
      outcome = co_await dispatch(input, trace, by_row);
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
    if (by_row_prepared) co_return;
    const std::vector<Statement> statements = by_row_statements();
    co_await connection->prepare(statements);
    by_row_prepared = true;
  }

  Task<Outcome> dispatch(const Input& input, Trace& trace, bool by_row) {
    const bool batched = this->batched();
    Connection& c = *connection;
    switch (static_cast<TransactionType>(input.index())) {
      case TransactionType::NewOrder: {
        const auto& order = std::get<NewOrderInput>(input);
        if (by_row) return new_order_by_row(c, order, trace);
        return batched ? new_order_batched(c, order, trace) : new_order_single(c, order, trace);
      }
      case TransactionType::Payment: {
        const auto& payment = std::get<PaymentInput>(input);
        return batched ? payment_batched(c, payment, trace) : payment_single(c, payment, trace);
      }
      case TransactionType::OrderStatus: {
        const auto& status = std::get<OrderStatusInput>(input);
        return batched ? order_status_batched(c, status) : order_status_single(c, status);
      }
      case TransactionType::Delivery: {
        const auto& delivery = std::get<DeliveryInput>(input);
        if (by_row) return delivery_by_row(c, delivery, trace);
        return batched ? delivery_batched(c, delivery, trace) : delivery_single(c, delivery, trace);
      }
      case TransactionType::StockLevel:
        break;
    }
    const auto& level = std::get<StockLevelInput>(input);
    return batched ? stock_level_batched(c, level) : stock_level_single(c, level);
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
};

PostgresBackend::PostgresBackend(PostgresOptions options)
    : options_(std::move(options)),
      statements_(statements_of(options_.style)),
      usable_(options_.connections),
      by_row_(options_.by_row),
      rng_(Rng::stream(options_.seed, RandomPurpose::Retry, {options_.connections})) {
  for (std::size_t i = 0; i < options_.connections; ++i) {
    sessions_.push_back(std::make_unique<PostgresSession>(*this));
    idle_.push_back(sessions_.back().get());
  }
}

PostgresBackend::~PostgresBackend() = default;

namespace {

// Of each round trip while a session is set up. A server that lets us in and then says nothing must
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

// Has the server do it, unless it speaks the protocol but does not know the setting.
Task<void> set_if_known(Connection& connection, std::string setting) {
  try {
    co_await connection.script(std::move(setting));
  } catch (const Error& error) {
    if (error.error_class() != ErrorClass::statement) throw;
  }
}

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

Task<void> PostgresBackend::connect(PostgresSession& session) {
  session.connection.reset();
  session.identity.reset();
  session.by_row_prepared = false;
  auto connection = co_await open_in_schema(options_.conninfo, options_.schema);
  require_writable(*connection);
  const bool batched = options_.style == StatementStyle::batched;
  if (batched && loses_rows(connection->server_version())) by_row_ = true;
  connection->set_round_trip_limit(set_up_limit);
  // Which level is enough, docs/tpcc-fidelity.md says; and the import has written its times in UTC.
  const auto timeout_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(options_.statement_timeout);
  co_await connection->script(
      fmt::format("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL {}; "
                  "SET TimeZone TO 'UTC'",
                  isolation_name(options_.isolation)));
  co_await set_if_known(*connection, fmt::format("SET statement_timeout = {}", timeout_ms.count()));
  // Plans for any parameters: the five that are made first otherwise cost more than they bring.
  co_await set_if_known(*connection, "SET plan_cache_mode = force_generic_plan");
  session.identity = co_await identify_session(*connection);
  if (opened_at_.empty()) {
    const Result now = co_await connection->query("SELECT localtimestamp");
    opened_at_ = now.text(0, 0);
  }
  co_await connection->prepare(statements_);
  std::optional<coro::Duration> limit;
  if (options_.statement_timeout > coro::Duration::zero()) {
    limit = options_.statement_timeout + round_trip_grace;
  }
  connection->set_round_trip_limit(limit);
  session.connection = std::move(connection);
}

namespace {

// What will be the same at each attempt: no access, or tables and columns that are not there
// (families 42 and 3F). A server short of memory, say, may get over it.
bool is_hopeless(const Error& error) noexcept {
  const std::string_view family = std::string_view(error.sqlstate()).substr(0, 2);
  return error.error_class() == ErrorClass::denied || family == "42" || family == "3F";
}

// How many sessions are opened at the same time.
constexpr std::size_t opened_at_a_time = 16;

}  // namespace

Task<void> PostgresBackend::open() {
  coro::Semaphore turns(opened_at_a_time);
  auto open_one = [this, &turns](PostgresSession& session) -> Task<void> {
    const auto turn = co_await turns.acquire();
    co_await connect(session);
  };
  auto open_all = [this, &open_one](coro::Scope& scope) -> Task<void> {
    for (const auto& session : sessions_) scope.start(open_one(*session));
    co_return;
  };
  co_await coro::with_scope(open_all);
}

// Nothing, or why the server refused. Throws what will be the same at each attempt.
Task<std::optional<Error>> PostgresBackend::try_to_reopen(PostgresSession& session) {
  std::optional<Error> refusal;
  try {
    co_await connect(session);
  } catch (const Error& error) {
    refusal = error;
  }
  if (!refusal) {
    idle_.insert(idle_.begin(), &session);
    session.permit.reset();
    observer_->on_session_opened();
    co_return std::nullopt;
  }
  observer_->on_session_refused(*refusal);
  if (is_hopeless(*refusal) || !options_.wait_for_server) throw Error(*refusal);
  co_return refusal;
}

// Full jitter, so that the workers of many clients do not come all at once.
coro::Duration PostgresBackend::pause(int attempt) {
  constexpr coro::Duration first = std::chrono::milliseconds(50);
  constexpr coro::Duration longest = std::chrono::milliseconds(500);
  const coro::Duration most =
      std::min<coro::Duration>(first * (1 << std::min(attempt, 8)), longest);
  return coro::Duration(static_cast<std::int64_t>(static_cast<double>(most.count()) * rng_.unit()));
}

Task<void> PostgresBackend::reopen(PostgresSession& session) {
  for (int attempt = 0;; ++attempt) {
    const auto refusal = co_await try_to_reopen(session);
    if (!refusal) co_return;
    co_await coro::sleep_for(pause(attempt));
  }
}

Task<void> PostgresBackend::reopen_once(PostgresSession& session, coro::Semaphore& turns) {
  const auto turn = co_await turns.acquire();
  const auto refusal = co_await try_to_reopen(session);
  if (!refusal) co_return;
  lost_.push_back(&session);
  lost_one_.notify();
}

Task<void> PostgresBackend::keep_open(SessionObserver& observer) {
  observer_ = &observer;
  for (;;) {
    co_await lost_one_.wait();
    while (!lost_.empty()) {
      // One finds out whether the server is there, then the others follow.
      PostgresSession* first = lost_.front();
      lost_.pop_front();
      co_await reopen(*first);
      coro::Semaphore turns(opened_at_a_time);
      std::deque<PostgresSession*> others = std::exchange(lost_, {});
      auto reopen_others = [&](coro::Scope& scope) -> Task<void> {
        for (PostgresSession* session : others) scope.start(reopen_once(*session, turns));
        co_return;
      };
      co_await coro::with_scope(reopen_others);
    }
  }
}

Task<Session*> PostgresBackend::acquire() {
  auto permit = co_await usable_.acquire();
  assert(!idle_.empty());
  PostgresSession* session = idle_.back();
  idle_.pop_back();
  session->permit.emplace(std::move(permit));
  co_return session;
}

void PostgresBackend::release(Session& session) noexcept {
  auto& returned = static_cast<PostgresSession&>(session);
  if (returned.usable()) {
    idle_.push_back(&returned);
    returned.permit.reset();
    return;
  }
  if (returned.identity) abandoned_.push_back(*returned.identity);
  returned.connection.reset();
  lost_.push_back(&returned);
  if (observer_ != nullptr) observer_->on_session_lost();
  lost_one_.notify();
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
    co_await coro::sleep_for(pause(attempt));
  }
  co_return nullptr;
}

Task<std::vector<Finding>> PostgresBackend::resolve(std::vector<Doubt> doubts) {
  // They are not needed any more, and there may be no slot besides theirs.
  for (const auto& session : sessions_) session->connection.reset();
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
