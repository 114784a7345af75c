#include "database/ydb/session_turns.h"

#include <utility>

namespace drover::database::ydb {

coro::Task<Session*> SessionTurn::usable_session() {
  if (!(*lease_)->usable()) {
    // Its place in the pool goes to another session.
    lease_.reset();
    SessionPool::Lease other = co_await pool_->acquire();
    lease_.emplace(std::move(other));
  }
  co_return &**lease_;
}

coro::Task<void> SessionTurn::roll_back() {
  if (!lease_) co_return;  // nobody had another session
  Session& session = **lease_;
  if (!session.alive() || !session.in_transaction()) co_return;
  try {
    co_await session.roll_back();
  } catch (const Error&) {
    // The session is gone, and with it the transaction.
  }
}

}  // namespace drover::database::ydb
