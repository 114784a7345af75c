#include "database/ydb/session_pool.h"

#include <algorithm>
#include <cassert>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "database/ydb/client.h"

namespace drover::database::ydb {

using coro::Task;

namespace {

// How many sessions are opened, or closed, at the same time.
constexpr std::size_t at_a_time = 16;

}  // namespace

SessionPool::SessionPool(Client& client, Options options)
    : client_(client),
      options_(options),
      random_(static_cast<std::minstd_rand::result_type>(options.seed)) {}

SessionPool::~SessionPool() {
  assert(waiters_.empty() && "somebody still waits for a session");
  assert(idle_.size() == sessions_.size() && "a session is still handed out");
}

Task<void> SessionPool::open() {
  coro::Semaphore turns(at_a_time);
  auto open_all = [this, &turns](coro::Scope& scope) -> Task<void> {
    for (std::size_t i = sessions_.size(); i < options_.size; ++i) scope.start(open_one(turns));
    co_return;
  };
  co_await coro::with_scope(open_all);
}

Task<void> SessionPool::open_one(coro::Semaphore& turns) {
  const auto turn = co_await turns.acquire();
  const std::optional<YdbError> refusal = co_await try_to_open();
  if (refusal) throw YdbError(*refusal);
}

// Nothing, or why there is none.
Task<std::optional<YdbError>> SessionPool::try_to_open() {
  std::optional<YdbError> refusal;
  std::unique_ptr<Session> session;
  try {
    session = co_await Session::open(client_);
  } catch (const YdbError& error) {
    refusal = error;
  }
  if (refusal) co_return refusal;
  session->set_owner(this);
  sessions_.push_back(std::move(session));
  hand_out(*sessions_.back());
  co_return std::nullopt;
}

// To the longest waiter itself, so that nobody barges in.
void SessionPool::hand_out(Session& session) noexcept {
  if (coro::Waiter* first = waiters_.first()) {
    static_cast<AcquireAwaiter*>(first)->session_ = &session;
    waiters_.wake_first();
    return;
  }
  idle_.push_back(&session);
}

Task<SessionPool::Lease> SessionPool::acquire() {
  for (;;) {
    AcquireAwaiter awaiter(*this);
    Session& session = co_await awaiter;
    if (session.usable()) co_return Lease(*this, session);
    drop(session);  // it has ended on its way here
  }
}

void SessionPool::release(Session& session) noexcept {
  // A transaction that was left open would be found by whoever comes next.
  if (session.usable() && !session.in_transaction()) {
    hand_out(session);
  } else {
    drop(session);
  }
}

void SessionPool::drop(Session& session) noexcept {
  std::erase_if(sessions_, [&session](const auto& one) { return one.get() == &session; });
  ++lost_;
  if (observer_ != nullptr) observer_->on_session_lost();
  lost_one_.notify();
}

// One that is handed out is dropped when it comes back.
void SessionPool::on_session_end(Session& session) noexcept {
  const auto place = std::find(idle_.begin(), idle_.end(), &session);
  if (place == idle_.end()) return;
  idle_.erase(place);
  drop(session);
}

// Full jitter, so that the workers of many clients do not come all at once.
coro::Duration SessionPool::pause(int attempt) {
  constexpr coro::Duration first = std::chrono::milliseconds(50);
  constexpr coro::Duration longest = std::chrono::milliseconds(500);
  const coro::Duration most =
      std::min<coro::Duration>(first * (1 << std::min(attempt, 8)), longest);
  return coro::Duration(std::uniform_int_distribution<std::int64_t>(0, most.count())(random_));
}

Task<void> SessionPool::reopen_first() {
  for (int attempt = 0;; ++attempt) {
    const std::optional<YdbError> refusal = co_await try_to_open();
    if (!refusal) break;
    observer_->on_session_refused(*refusal);
    if (refusal->error_class() == ErrorClass::denied || !options_.wait_for_server) {
      throw YdbError(*refusal);
    }
    co_await coro::sleep_for(pause(attempt));
  }
  --lost_;
  observer_->on_session_opened();
}

Task<void> SessionPool::reopen_once(coro::Semaphore& turns) {
  const auto turn = co_await turns.acquire();
  const std::optional<YdbError> refusal = co_await try_to_open();
  if (refusal) {
    observer_->on_session_refused(*refusal);
    lost_one_.notify();
    co_return;
  }
  --lost_;
  observer_->on_session_opened();
}

Task<void> SessionPool::keep_open(Observer& observer) {
  observer_ = &observer;
  for (;;) {
    co_await lost_one_.wait();
    while (lost_ > 0) {
      // One finds out whether the database is there, then the others follow.
      co_await reopen_first();
      coro::Semaphore turns(at_a_time);
      auto reopen_others = [this, &turns, count = lost_](coro::Scope& scope) -> Task<void> {
        for (std::size_t i = 0; i < count; ++i) scope.start(reopen_once(turns));
        co_return;
      };
      co_await coro::with_scope(reopen_others);
    }
  }
}

Task<void> SessionPool::close_one(Session& session, coro::Semaphore& turns) {
  const auto turn = co_await turns.acquire();
  co_await session.close();
}

Task<void> SessionPool::close() {
  // Destroyed at the end in any case, which ends those that could not be closed.
  std::vector<std::unique_ptr<Session>> closed;
  for (Session* session : std::exchange(idle_, {})) {
    const auto is_it = [session](const auto& one) { return one.get() == session; };
    const auto place = std::find_if(sessions_.begin(), sessions_.end(), is_it);
    closed.push_back(std::move(*place));
    sessions_.erase(place);
  }
  coro::Semaphore turns(at_a_time);
  auto close_all = [this, &closed, &turns](coro::Scope& scope) -> Task<void> {
    for (const auto& session : closed) scope.start(close_one(*session, turns));
    co_return;
  };
  co_await coro::with_scope(close_all);
}

}  // namespace drover::database::ydb
