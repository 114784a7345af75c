#include "workload/tpcc/ydb/ydb_backend.h"

#include <exception>
#include <utility>

#include "coro/scope.h"
#include "database/ydb/ydb_error.h"
#include "workload/tpcc/ydb/resolve.h"

namespace drover::tpcc::ydb {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::ydb::SessionPool;
using database::ydb::Stage;
using database::ydb::TransactionMode;
using database::ydb::YdbError;

namespace {

// What a failure is where there was nothing to commit: nothing is in doubt.
ErrorClass class_without_commit(const YdbError& error) noexcept {
  if (error.error_class() != ErrorClass::ambiguous_commit) return error.error_class();
  if (error.transport() != database::ydb::TransportStatus::ok) {
    return database::ydb::classify(error.transport(), Stage::working);
  }
  return database::ydb::classify(error.status(), Stage::working);
}

TransactionMode mode_of(const Input& input, Isolation isolation) noexcept {
  const auto type = static_cast<TransactionType>(input.index());
  if (type == TransactionType::OrderStatus || type == TransactionType::StockLevel) {
    return TransactionMode::snapshot_read_only;
  }
  return isolation == Isolation::snapshot ? TransactionMode::snapshot_read_write
                                          : TransactionMode::serializable_read_write;
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
      (*lease)->set_mode(mode_of(input, backend_.settings_.isolation));
      outcome = co_await backend_.transactions_[input.index()]->execute(**lease, input, trace);
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

YdbBackend::YdbBackend(YdbDatabase database, BackendSettings settings)
    : database_(std::move(database)),
      settings_(std::move(settings)),
      transactions_{
          make_new_order(database_, settings_.style), make_payment(database_, settings_.style),
          make_order_status(database_, settings_.style), make_delivery(database_, settings_.style),
          make_stock_level(database_, settings_.style)} {
  for (std::size_t i = 0; i < settings_.connections; ++i) free_.push_back(add_session());
}

YdbBackend::~YdbBackend() = default;

YdbBackend::YdbSession* YdbBackend::add_session() {
  sessions_.push_back(std::make_unique<YdbSession>(*this));
  free_.reserve(sessions_.size());  // for release()
  return sessions_.back().get();
}

Task<void> YdbBackend::open() {
  opened_at_us_ = now_us();
  database::ydb::ClientOptions client = database_.client;
  client.request_timeout = settings_.run.statement_timeout();
  client.seed = settings_.seed;
  client_.emplace(std::move(client));
  const SessionPool::Options pool_options{.size = settings_.connections,
                                          .wait_for_server = settings_.run.waits_for_database(),
                                          .seed = settings_.seed};
  pool_.emplace(*client_, pool_options);
  co_await client_->connect();
  co_await pool_->open();
}

Task<void> YdbBackend::keep_open(SessionObserver& observer) {
  auto both = [this, &observer](coro::Scope& scope) -> Task<void> {
    scope.start(client_->keep_up());
    co_await pool_->keep_open(observer);
  };
  co_await coro::with_scope(both);
}

Task<database::Session*> YdbBackend::acquire() {
  SessionPool::Lease lease = co_await pool_->acquire();
  // Those that wait in exchange() are out without a lease.
  if (free_.empty()) free_.push_back(add_session());
  YdbSession* session = free_.back();
  free_.pop_back();
  session->lease.emplace(std::move(lease));
  co_return session;
}

void YdbBackend::release(database::Session& session) noexcept {
  auto& returned = static_cast<YdbSession&>(session);
  returned.lease.reset();
  free_.push_back(&returned);
}

Task<std::vector<Finding>> YdbBackend::resolve(std::vector<Doubt> doubts) {
  if (doubts.empty()) co_return std::vector<Finding>();
  // They are not needed any more, and the server may have no room for one besides them.
  if (pool_) co_await pool_->close();
  YdbDatabase database = database_;
  database.client.request_timeout = settings_.resolve_patience;
  co_return co_await resolve_doubts(std::move(database), std::move(doubts), opened_at_us_,
                                    settings_.resolve_patience);
}

}  // namespace drover::tpcc::ydb
