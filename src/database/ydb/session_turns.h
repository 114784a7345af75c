// Sessions as the terminals of a workload have them: turns.
//
// A session of the server that was lost is taken out of its pool, which opens another one beside the transactions. So a
// turn is not a session: an attempt that finds its own lost goes on with another one.
//
// Belongs to one worker. All calls throw YdbError.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "coro/clock.h"
#include "coro/scope.h"
#include "coro/task.h"
#include "database/backend.h"
#include "database/ydb/client.h"
#include "database/ydb/session.h"

namespace drover::database::ydb {

// What a workload's session is made of.
class SessionTurn {
 public:
  // The pool is there once the turn is taken, and outlives it.
  explicit SessionTurn(std::optional<SessionPool>& pool) noexcept : pool_(pool) {}

  void begin(SessionPool::Lease lease) { lease_.emplace(std::move(lease)); }
  void end() noexcept { lease_.reset(); }

 protected:
  // The session of this turn; where the attempt before has lost it, another one, for which it waits in line.
  coro::Task<Session*> usable_session();
  // Ends the transaction that an error has left open, if there is one.
  coro::Task<void> roll_back();

 private:
  std::optional<SessionPool>& pool_;
  std::optional<SessionPool::Lease> lease_;  // while it is out, but for the time of an exchange
};

// A client with a pool of sessions, and turns on them. Turn is derived from SessionTurn.
template <class Turn>
class SessionTurns {
 public:
  using MakeTurn = std::function<std::unique_ptr<Turn>(std::optional<SessionPool>&)>;

  SessionTurns(std::size_t sessions, MakeTurn make_turn) : make_turn_(std::move(make_turn)) {
    for (std::size_t i = 0; i < sessions; ++i) free_.push_back(add_turn());
  }

  // Connects, and opens all sessions, several at a time.
  coro::Task<void> open(ClientOptions client, coro::Duration request_timeout,
                        SessionPool::Options options) {
    client.request_timeout = request_timeout;
    client.seed = options.seed;
    client_.emplace(std::move(client));
    pool_.emplace(*client_, options);
    co_await client_->connect();
    co_await pool_->open();
  }

  // Keeps up with nodes and token, and opens sessions in place of those that were lost.
  coro::Task<void> keep_open(SessionObserver& observer) {
    auto both = [this, &observer](coro::Scope& scope) -> coro::Task<void> {
      scope.start(client_->keep_up());
      co_await pool_->keep_open(observer);
    };
    co_await coro::with_scope(both);
  }

  coro::Task<Turn*> acquire() {
    SessionPool::Lease lease = co_await pool_->acquire();
    // Those that wait for another session are out without a lease.
    if (free_.empty()) free_.push_back(add_turn());
    Turn* const turn = free_.back();
    free_.pop_back();
    turn->begin(std::move(lease));
    co_return turn;
  }

  void release(Turn& turn) noexcept {
    turn.end();
    free_.push_back(&turn);
  }

  // Ends all sessions: nothing can be acquired afterwards.
  coro::Task<void> close() {
    if (pool_) co_await pool_->close();
  }

 private:
  Turn* add_turn() {
    turns_.push_back(make_turn_(pool_));
    free_.reserve(turns_.size());  // for release()
    return turns_.back().get();
  }

  MakeTurn make_turn_;
  std::optional<Client> client_;     // from open() on
  std::optional<SessionPool> pool_;  // the same
  std::vector<std::unique_ptr<Turn>> turns_;
  std::vector<Turn*> free_;  // that hold no session of the pool
};

}  // namespace drover::database::ydb
