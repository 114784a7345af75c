#include "tpcc/postgres/postgres_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "database/error.h"
#include "tpcc/postgres/schema.h"

namespace drover::tpcc::postgres {

using coro::Task;
using database::Error;
using database::ErrorClass;

class PostgresBackend::PostgresSession final : public Session {
 public:
  explicit PostgresSession(StatementStyle style) noexcept : style_(style) {}

  Task<Outcome> execute(const Input& input) override {
    std::exception_ptr error;
    Outcome outcome;
    try {
      outcome = co_await dispatch(input);
    } catch (const Error&) {
      error = std::current_exception();
    }
    if (error) {
      co_await roll_back();
      std::rethrow_exception(error);
    }
    co_return outcome;
  }

  bool usable() const noexcept { return connection && !connection->broken(); }

  std::unique_ptr<Connection> connection;

 private:
  Task<Outcome> dispatch(const Input& input) {
    const bool batched = style_ == StatementStyle::batched;
    Connection& c = *connection;
    switch (static_cast<TransactionType>(input.index())) {
      case TransactionType::NewOrder: {
        const auto& order = std::get<NewOrderInput>(input);
        return batched ? new_order_batched(c, order) : new_order_single(c, order);
      }
      case TransactionType::Payment: {
        const auto& payment = std::get<PaymentInput>(input);
        return batched ? payment_batched(c, payment) : payment_single(c, payment);
      }
      case TransactionType::OrderStatus: {
        const auto& status = std::get<OrderStatusInput>(input);
        return batched ? order_status_batched(c, status) : order_status_single(c, status);
      }
      case TransactionType::Delivery: {
        const auto& delivery = std::get<DeliveryInput>(input);
        return batched ? delivery_batched(c, delivery) : delivery_single(c, delivery);
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

  StatementStyle style_;
};

PostgresBackend::PostgresBackend(PostgresOptions options)
    : options_(std::move(options)),
      statements_(statements_of(options_.style)),
      free_(options_.connections) {
  for (std::size_t i = 0; i < options_.connections; ++i) {
    sessions_.push_back(std::make_unique<PostgresSession>(options_.style));
    idle_.push_back(sessions_.back().get());
  }
  permits_.reserve(options_.connections);
}

PostgresBackend::~PostgresBackend() = default;

Task<std::unique_ptr<Connection>> open_in_schema(std::string conninfo, std::string schema) {
  auto connection = co_await Connection::open(std::move(conninfo));
  if (!schema.empty()) {
    co_await connection->script(fmt::format("SET search_path TO {}", quote_identifier(schema)));
  }
  co_return connection;
}

Task<void> PostgresBackend::connect(PostgresSession& session) {
  session.connection.reset();
  auto connection = co_await open_in_schema(options_.conninfo, options_.schema);
  // Read committed is enough for all five, with the locks that they take (docs/tpcc-fidelity.md);
  // and the import has written its times in UTC.
  co_await connection->script(
      "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED; "
      "SET TimeZone TO 'UTC'");
  try {
    // Plans for any parameters: the five that are made first otherwise cost more than they bring.
    co_await connection->script("SET plan_cache_mode = force_generic_plan");
  } catch (const Error& error) {
    if (error.error_class() != ErrorClass::statement) throw;
    // A server that speaks the protocol but does not know the setting.
  }
  co_await connection->prepare(statements_);
  session.connection = std::move(connection);
}

Task<void> PostgresBackend::open() {
  constexpr std::size_t at_a_time = 16;
  coro::Semaphore turns(at_a_time);
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

Task<void> PostgresBackend::reconnect(PostgresSession& session) {
  const coro::Instant give_up = coro::Worker::current().now() + options_.reconnect_patience;
  coro::Duration pause = std::chrono::milliseconds(50);
  for (;;) {
    try {
      co_await connect(session);
      co_return;
    } catch (const Error& error) {
      const bool hopeless =
          error.error_class() == ErrorClass::denied || error.error_class() == ErrorClass::statement;
      if (hopeless) throw;
      if (coro::Worker::current().now() >= give_up) {
        throw Error(ErrorClass::unavailable, error.sqlstate(), error.what());
      }
    }
    co_await coro::sleep_for(pause);
    pause = std::min<coro::Duration>(pause * 2, std::chrono::seconds(2));
  }
}

Task<Session*> PostgresBackend::acquire() {
  permits_.push_back(co_await free_.acquire());
  PostgresSession* session = idle_.back();
  idle_.pop_back();
  if (session->usable()) co_return session;
  try {
    co_await reconnect(*session);
  } catch (...) {
    release(*session);
    throw;
  }
  co_return session;
}

void PostgresBackend::release(Session& session) noexcept {
  auto* returned = static_cast<PostgresSession*>(&session);
  // A lost one comes last, so that nobody waits for it while another one is free.
  idle_.insert(returned->usable() ? idle_.end() : idle_.begin(), returned);
  permits_.pop_back();
}

}  // namespace drover::tpcc::postgres
