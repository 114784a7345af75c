// ServerSession: a session of YDB on one node, with at most one transaction and one request at a
// time.
//
//   auto session = co_await ServerSession::open(client);
//   Parameters parameters;
//   parameters.add("$id", Primitive::int32, 7);
//   QueryResult result = co_await session->execute(select_text, std::move(parameters));
//   co_await session->execute_and_commit(upsert_text, std::move(others));
//
// The first statement begins the transaction, and the last one may commit it, which saves calls.
// After an error the server has rolled the transaction back, and the next statement begins a new
// one.
//
// Thread safety: none; a session belongs to the client's worker, and the client must outlive it.
// Errors: YdbError. A session is no longer usable() after a request that was cancelled, lost, or
// answered by BAD_SESSION and the like; and, once its transaction has ended, if the server wants to
// close it. The destructor ends the session on the server, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "coro/event.h"
#include "coro/scope.h"
#include "coro/task.h"
#include "database/backend.h"
#include "database/session_pool.h"
#include "database/ydb/call/call.h"
#include "database/ydb/client.h"
#include "database/ydb/value/value.h"
#include "database/ydb/ydb_error.h"

namespace drover::database::ydb {

enum class TransactionMode : std::uint8_t {
  serializable_read_write,
  snapshot_read_write,
  snapshot_read_only,
};

// The order of the results of a text with several statements. Concurrent statements do not wait for
// each other, and must only read.
enum class ResultSets : std::uint8_t { in_turn, concurrent };

class ServerSession final : AttachListener {
 public:
  // Opens a session on a node that the client chooses.
  static coro::Task<std::unique_ptr<ServerSession>> open(Client& client);

  ServerSession(const ServerSession&) = delete;
  ServerSession& operator=(const ServerSession&) = delete;
  ~ServerSession();

  // Sets the mode of later transactions.
  void set_mode(TransactionMode mode) noexcept { mode_ = mode; }

  // Execute a text, which they read before the first wait. The server compiles equal texts once.

  // Begins a transaction if none is open.
  coro::Task<QueryResult> execute(std::string_view text, Parameters parameters = {},
                                  ResultSets sets = ResultSets::in_turn) {
    return run(text, std::move(parameters), sets, Control::goes_on);
  }

  coro::Task<QueryResult> execute_and_commit(std::string_view text, Parameters parameters = {},
                                             ResultSets sets = ResultSets::in_turn) {
    return run(text, std::move(parameters), sets, Control::commits);
  }

  // Executes without a transaction, as CREATE TABLE and DROP TABLE require.
  coro::Task<QueryResult> execute_alone(std::string_view text) {
    return run(text, {}, ResultSets::in_turn, Control::alone);
  }

  // Both do nothing without a transaction.
  coro::Task<void> commit() {
    return end_transaction(Method::commit_transaction, Stage::committing);
  }
  coro::Task<void> roll_back() {
    return end_transaction(Method::rollback_transaction, Stage::working);
  }

  // Ends the session on the server, and ignores a failure. The session is not usable afterwards.
  coro::Task<void> close();

  bool in_transaction() const noexcept { return !tx_id_.empty(); }
  bool usable() const noexcept { return !broken_ && !closing_; }
  // Returns true if an open transaction can continue.
  bool alive() const noexcept { return !broken_; }

  const std::string& id() const noexcept { return id_; }
  const std::string& authority() const noexcept { return place_.channel().authority(); }

  // Called on the worker when the session becomes unusable while no request is in progress. May
  // destroy the session.
  std::function<void(ServerSession&)> on_end = {};

 private:
  class Request;  // at most one exists at a time
  enum class Control : std::uint8_t { alone, goes_on, commits };

  ServerSession(Client& client, Client::NodeLease place, std::string id);

  coro::Task<void> attach();
  coro::Task<QueryResult> run(std::string_view text, Parameters parameters, ResultSets sets,
                              Control control);
  coro::Task<void> end_transaction(Method method, Stage stage);
  void prepare(Parameters& parameters, std::string_view text, ResultSets sets,
               Control control) const;
  QueryResult take_in(const Call& call, Control control);
  void note_failure(const YdbError& error) noexcept;

  void on_state(const Ydb::Query::SessionState& state) noexcept override;
  void on_stream_end(TransportStatus status, std::string details) noexcept override;
  void tell_end() noexcept;

  Client& client_;
  Client::NodeLease place_;
  std::string id_;
  TransactionMode mode_ = TransactionMode::serializable_read_write;
  std::string tx_id_;
  bool busy_ = false;
  bool broken_ = false;
  bool closing_ = false;
  coro::Event settled_;  // the attempt to attach has succeeded or failed
  std::optional<YdbError> attach_error_;
  AttachStream stream_;
};

// A pool of sessions (database/session_pool.h), on the nodes that the client chooses. A session
// that the server ends is removed at once, also while it is idle.
class SessionPool final : public database::SessionPool<ServerSession> {
 public:
  struct Options {
    std::size_t size = 1;
    bool wait_for_server = true;
    std::uint64_t seed = 0;
  };

  SessionPool(Client& client, Options options)
      : database::SessionPool<ServerSession>(
            {.size = options.size,
             .open = [this, &client](std::size_t) { return open_one(client); },
             .wait_for_server = options.wait_for_server,
             .seed = options.seed}) {}

 private:
  coro::Task<std::unique_ptr<ServerSession>> open_one(Client& client) {
    std::unique_ptr<ServerSession> session = co_await ServerSession::open(client);
    session->on_end = [this](ServerSession& ended) { on_end(ended); };
    co_return session;
  }
};

// The base of a workload's session: a right to use one session of the pool. If that session is
// lost, the next attempt of the transaction takes another one.
class SessionTurn {
 public:
  // The pool exists when the turn is taken, and outlives it.
  explicit SessionTurn(std::optional<SessionPool>& pool) noexcept : pool_(pool) {}

  void begin(SessionPool::Lease lease) { lease_.emplace(std::move(lease)); }
  void end() noexcept { lease_.reset(); }

 protected:
  // Returns the session of this turn. Waits for another one if it was lost.
  coro::Task<ServerSession*> usable_session();
  // Ends the transaction that an error has left open.
  coro::Task<void> roll_back();

 private:
  std::optional<SessionPool>& pool_;
  std::optional<SessionPool::Lease> lease_;
};

// The common part of the workloads' backends on YDB: a client, a pool of sessions, and turns on
// them. `Turn` is the workload's session and derives from SessionTurn.
template <class WorkloadBackend, class Turn>
class TurnBackend : public WorkloadBackend {
 public:
  // Connects, and opens all sessions, several at a time.
  coro::Task<void> open() override {
    client_.emplace(options_);
    pool_.emplace(*client_, pool_options_);
    co_await client_->connect();
    co_await pool_->open();
  }

  // Keeps up with nodes and token, and replaces lost sessions, until it is cancelled.
  coro::Task<void> keep_open(SessionObserver& observer) override {
    auto both = [this, &observer](coro::Scope& scope) -> coro::Task<void> {
      scope.start(client_->keep_up());
      co_await pool_->keep_open(observer);
    };
    co_await coro::with_scope(both);
  }

  coro::Task<database::Session*> acquire() override {
    SessionPool::Lease lease = co_await pool_->acquire();
    // Turns that wait for another session hold no lease, so that there may be more than sessions.
    if (free_.empty()) free_.push_back(add_turn());
    Turn* const turn = free_.back();
    free_.pop_back();
    turn->begin(std::move(lease));
    co_return turn;
  }

  void release(database::Session& session) noexcept override {
    auto& turn = static_cast<Turn&>(session);
    turn.end();
    free_.push_back(&turn);
  }

 protected:
  using MakeTurn = std::function<std::unique_ptr<Turn>(std::optional<SessionPool>&)>;

  // `request_timeout` limits each request. `make_turn` is called after open().
  TurnBackend(ClientOptions client, coro::Duration request_timeout, SessionPool::Options pool,
              MakeTurn make_turn)
      : options_(std::move(client)), pool_options_(pool), make_turn_(std::move(make_turn)) {
    options_.request_timeout = request_timeout;
    options_.seed = pool.seed;
  }

  // Ends all sessions. Afterwards nothing can be acquired.
  coro::Task<void> close_sessions() {
    if (pool_) co_await pool_->close();
  }

 private:
  Turn* add_turn() {
    turns_.push_back(make_turn_(pool_));
    free_.reserve(turns_.size());  // so that release() cannot fail
    return turns_.back().get();
  }

  ClientOptions options_;
  SessionPool::Options pool_options_;
  MakeTurn make_turn_;
  std::optional<Client> client_;     // set by open()
  std::optional<SessionPool> pool_;  // set by open()
  std::vector<std::unique_ptr<Turn>> turns_;
  std::vector<Turn*> free_;
};

}  // namespace drover::database::ydb
