#include "workload/tpcc/ydb/ydb_backend.h"

#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "database/ydb/ydb_error.h"

namespace drover::tpcc::ydb {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::ydb::SessionPool;
using database::ydb::TransactionMode;
using database::ydb::YdbError;

namespace {

TransactionMode mode_of(const Input& input, Isolation isolation) noexcept {
  const auto type = static_cast<TransactionType>(input.index());
  if (type == TransactionType::OrderStatus || type == TransactionType::StockLevel) {
    return TransactionMode::snapshot_read_only;
  }
  return isolation == Isolation::snapshot ? TransactionMode::snapshot_read_write
                                          : TransactionMode::serializable_read_write;
}

}  // namespace

class YdbSession final : public Session, public database::ydb::SessionTurn {
 public:
  YdbSession(YdbBackend& backend, std::optional<SessionPool>& pool) noexcept
      : SessionTurn(pool), backend_(backend) {}

  Task<Outcome> execute(const Input& input, Trace& trace) override {
    ServerSession& session = *co_await usable_session();
    std::exception_ptr error;
    Outcome outcome;
    try {
      session.set_mode(mode_of(input, backend_.settings_.isolation));
      outcome = co_await backend_.transactions_[input.index()]->execute(session, input, trace);
    } catch (const YdbError& thrown) {
      error = std::current_exception();
      const ErrorClass error_class =
          trace.commit_sent ? thrown.error_class() : database::ydb::class_without_commit(thrown);
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

 private:
  YdbBackend& backend_;
};

YdbBackend::YdbBackend(YdbDatabase database, BackendSettings settings)
    : TurnBackend(database.client, settings.run.statement_timeout(),
                  {.size = settings.connections,
                   .wait_for_server = settings.run.waits_for_database(),
                   .seed = settings.seed},
                  [this](std::optional<SessionPool>& pool) {
                    return std::make_unique<YdbSession>(*this, pool);
                  }),
      database_(std::move(database)),
      settings_(std::move(settings)),
      transactions_{
          make_new_order(database_, settings_.style), make_payment(database_, settings_.style),
          make_order_status(database_, settings_.style), make_delivery(database_, settings_.style),
          make_stock_level(database_, settings_.style)} {}

YdbBackend::~YdbBackend() = default;

Task<void> YdbBackend::open() {
  opened_at_us_ = now_us();
  return TurnBackend::open();
}

Task<std::vector<ResolvedCommit>> YdbBackend::resolve(std::vector<UnknownCommit> commits) {
  if (commits.empty()) co_return std::vector<ResolvedCommit>();
  // Closes the sessions, because the server may have no room for another one.
  co_await close_sessions();
  co_return co_await resolve_commits(database_, std::move(commits), opened_at_us_,
                                     settings_.resolve_timeout);
}

}  // namespace drover::tpcc::ydb
