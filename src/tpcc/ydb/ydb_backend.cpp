#include "tpcc/ydb/ydb_backend.h"

#include <exception>
#include <utility>

#include "coro/scope.h"
#include "database/ydb/ydb_error.h"
#include "tpcc/ydb/delivery.h"
#include "tpcc/ydb/new_order.h"
#include "tpcc/ydb/order_status.h"
#include "tpcc/ydb/payment.h"
#include "tpcc/ydb/resolve.h"
#include "tpcc/ydb/stock_level.h"
#include "tpcc/ydb/transactions.h"

namespace drover::tpcc::ydb {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::ydb::ClientOptions;
using database::ydb::SessionPool;
using database::ydb::Stage;
using database::ydb::TransactionMode;
using database::ydb::YdbError;

// The five, in the style and the mode of the run.
class YdbBackend::Transactions {
 public:
  explicit Transactions(const YdbOptions& options)
      : batched_(options.style == StatementStyle::batched),
        mode_(options.mode),
        new_order_(options.database),
        payment_(options.database),
        order_status_(options.database),
        delivery_(options.database),
        stock_level_(options.database) {}

  Task<Outcome> execute(ServerSession& session, const Input& input, Trace& trace) {
    const auto type = static_cast<TransactionType>(input.index());
    const bool reads_only =
        type == TransactionType::OrderStatus || type == TransactionType::StockLevel;
    session.set_mode(reads_only ? TransactionMode::snapshot_read_only : mode_);
    switch (type) {
      case TransactionType::NewOrder: {
        const auto& order = std::get<NewOrderInput>(input);
        return batched_ ? new_order_.batched(session, order, trace)
                        : new_order_.single(session, order, trace);
      }
      case TransactionType::Payment: {
        const auto& payment = std::get<PaymentInput>(input);
        return batched_ ? payment_.batched(session, payment, trace)
                        : payment_.single(session, payment, trace);
      }
      case TransactionType::OrderStatus: {
        const auto& status = std::get<OrderStatusInput>(input);
        return batched_ ? order_status_.batched(session, status)
                        : order_status_.single(session, status);
      }
      case TransactionType::Delivery: {
        const auto& delivery = std::get<DeliveryInput>(input);
        return batched_ ? delivery_.batched(session, delivery, trace)
                        : delivery_.single(session, delivery, trace);
      }
      case TransactionType::StockLevel:
        break;
    }
    const auto& level = std::get<StockLevelInput>(input);
    return batched_ ? stock_level_.batched(session, level) : stock_level_.single(session, level);
  }

 private:
  bool batched_;
  TransactionMode mode_;
  NewOrder new_order_;
  Payment payment_;
  OrderStatus order_status_;
  Delivery delivery_;
  StockLevel stock_level_;
};

namespace {

// What a failure is where there was nothing to commit: nothing is in doubt.
ErrorClass class_without_commit(const YdbError& error) noexcept {
  if (error.error_class() != ErrorClass::ambiguous_commit) return error.error_class();
  if (error.transport() != database::ydb::TransportStatus::ok) {
    return database::ydb::classify(error.transport(), Stage::working);
  }
  return database::ydb::classify(error.status(), Stage::working);
}

}  // namespace

class YdbBackend::YdbSession final : public Session {
 public:
  explicit YdbSession(YdbBackend& backend) noexcept : backend_(backend) {}

  Task<Outcome> execute(const Input& input, Trace& trace) override {
    // The attempt before has lost it.
    if (!(*lease)->usable()) co_await exchange();
    std::exception_ptr error;
    Outcome outcome;
    try {
      outcome = co_await backend_.transactions_->execute(**lease, input, trace);
    } catch (const YdbError& thrown) {
      error = std::current_exception();
      const ErrorClass error_class =
          trace.commit_sent ? thrown.error_class() : class_without_commit(thrown);
      if (error_class != thrown.error_class()) {
        error = std::make_exception_ptr(Error(error_class, thrown.sqlstate(), thrown.what()));
      }
    } catch (const Error&) {
      error = std::current_exception();
    }
    if (error) {
      co_await roll_back();
      std::rethrow_exception(error);
    }
    co_return outcome;
  }

  std::optional<SessionPool::Lease> lease;  // while it is out, but for the time of an exchange

 private:
  // Its place in the pool goes to another session; we wait for one in line.
  Task<void> exchange() {
    lease.reset();
    SessionPool::Lease other = co_await backend_.pool_->acquire();
    lease.emplace(std::move(other));
  }

  Task<void> roll_back() {
    ServerSession& session = **lease;
    if (!session.alive() || !session.in_transaction()) co_return;
    try {
      co_await session.roll_back();
    } catch (const Error&) {
      // The session is gone, and with it the transaction.
    }
  }

  YdbBackend& backend_;
};

namespace {

ClientOptions client_options(const YdbOptions& options) {
  ClientOptions made = options.database.client;
  made.request_timeout = options.statement_timeout;
  made.seed = options.seed;
  return made;
}

}  // namespace

// Tells the engine what the pool tells us.
class YdbBackend::PoolObserver final : public SessionPool::Observer {
 public:
  explicit PoolObserver(SessionObserver& observer) noexcept : observer_(observer) {}

  void on_session_lost() noexcept override { observer_.on_session_lost(); }
  void on_session_refused(const Error& error) noexcept override {
    observer_.on_session_refused(error);
  }
  void on_session_opened() noexcept override { observer_.on_session_opened(); }

 private:
  SessionObserver& observer_;
};

YdbBackend::YdbBackend(YdbOptions options)
    : options_(std::move(options)), transactions_(std::make_unique<Transactions>(options_)) {
  for (std::size_t i = 0; i < options_.connections; ++i) free_.push_back(add_session());
}

YdbBackend::~YdbBackend() = default;

YdbBackend::YdbSession* YdbBackend::add_session() {
  sessions_.push_back(std::make_unique<YdbSession>(*this));
  free_.reserve(sessions_.size());  // for release()
  return sessions_.back().get();
}

Task<void> YdbBackend::open() {
  opened_at_us_ = now_us();
  client_.emplace(client_options(options_));
  const SessionPool::Options pool_options{.size = options_.connections,
                                          .wait_for_server = options_.wait_for_server,
                                          .seed = options_.seed};
  pool_.emplace(*client_, pool_options);
  co_await client_->connect();
  co_await pool_->open();
}

Task<void> YdbBackend::keep_open(SessionObserver& observer) {
  observer_ = std::make_unique<PoolObserver>(observer);
  auto both = [this](coro::Scope& scope) -> Task<void> {
    scope.start(client_->keep_up());
    co_await pool_->keep_open(*observer_);
  };
  co_await coro::with_scope(both);
}

Task<Session*> YdbBackend::acquire() {
  SessionPool::Lease lease = co_await pool_->acquire();
  // Those that wait in exchange() are out without a lease.
  if (free_.empty()) free_.push_back(add_session());
  YdbSession* session = free_.back();
  free_.pop_back();
  session->lease.emplace(std::move(lease));
  co_return session;
}

void YdbBackend::release(Session& session) noexcept {
  auto& returned = static_cast<YdbSession&>(session);
  returned.lease.reset();
  free_.push_back(&returned);
}

Task<std::vector<Finding>> YdbBackend::resolve(std::vector<Doubt> doubts) {
  if (doubts.empty()) co_return std::vector<Finding>();
  // They are not needed any more, and the server may have no room for one besides them.
  if (pool_) co_await pool_->close();
  YdbDatabase database = options_.database;
  database.client.request_timeout = options_.resolve_patience;
  co_return co_await resolve_doubts(std::move(database), std::move(doubts), opened_at_us_,
                                    options_.resolve_patience);
}

}  // namespace drover::tpcc::ydb
