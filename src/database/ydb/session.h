// Session: one session of YDB, on one node, with at most one transaction and one request at a time.
//
//   auto session = co_await Session::open(client);
//   Parameters parameters;
//   parameters.add("$id", Primitive::int32, 7);
//   QueryResult result = co_await session->execute(select_text, std::move(parameters));
//   co_await session->execute_and_commit(upsert_text, std::move(others));
//
// The first statement begins the transaction, so that it costs no call of its own; the last one may
// commit it, which saves another. After an error the server has rolled the transaction back, and
// the next statement begins another one.
//
// Belongs to the client's worker; not thread-safe. The client must outlive it. All calls throw
// YdbError. A session whose request was cancelled, lost or answered by BAD_SESSION and the like is
// not usable() any more; one that the server has asked to close is neither, from the end of its
// transaction on. To destroy a session is to end it at the server, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "coro/event.h"
#include "coro/task.h"
#include "database/session_pool.h"
#include "database/ydb/call/attach_stream.h"
#include "database/ydb/call/channel.h"
#include "database/ydb/client.h"
#include "database/ydb/value/query_result.h"
#include "database/ydb/value/value.h"
#include "database/ydb/ydb_error.h"

namespace drover::database::ydb {

class Call;

enum class TransactionMode : std::uint8_t {
  serializable_read_write,
  snapshot_read_write,
  snapshot_read_only,
};

// The results of a text with several: one after the other, or at the same time. The latter is for
// texts that only read: their statements do not wait for each other then.
enum class ResultSets : std::uint8_t { in_turn, concurrent };

class Session final : AttachListener {
 public:
  // On a node of the client's choice.
  static coro::Task<std::unique_ptr<Session>> open(Client& client);

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  // For the transactions to come.
  void set_mode(TransactionMode mode) noexcept { mode_ = mode; }

  // The text is read before the first wait. Equal texts share a compilation in the server.

  // In the transaction, which it begins if there is none.
  coro::Task<QueryResult> execute(std::string_view text, Parameters parameters = {},
                                  ResultSets sets = ResultSets::in_turn) {
    return run(text, std::move(parameters), sets, Control::goes_on);
  }

  // The same, then commits.
  coro::Task<QueryResult> execute_and_commit(std::string_view text, Parameters parameters = {},
                                             ResultSets sets = ResultSets::in_turn) {
    return run(text, std::move(parameters), sets, Control::commits);
  }

  // Without a transaction: what makes and drops tables.
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

  // Has the server end the session, and does not mind if it cannot. Then it is not usable.
  coro::Task<void> close();

  bool in_transaction() const noexcept { return !tx_id_.empty(); }
  bool usable() const noexcept { return !broken_ && !closing_; }
  // Whether a transaction that has begun can go on.
  bool alive() const noexcept { return !broken_; }

  const std::string& id() const noexcept { return id_; }
  const std::string& authority() const noexcept;  // of the node: "host:port"

  // Is told, on the worker, that the session has become unusable while no request was under way.
  // May destroy it.
  std::function<void(Session&)> on_end = {};

 private:
  class Request;  // while it lives, no other may be made
  enum class Control : std::uint8_t { alone, goes_on, commits };

  Session(Client& client, Client::Place place, std::string id);

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
  Client::Place place_;
  std::string id_;
  TransactionMode mode_ = TransactionMode::serializable_read_write;
  std::string tx_id_;
  bool busy_ = false;
  bool broken_ = false;
  bool closing_ = false;
  coro::Event settled_;  // attached, or not to be
  std::optional<YdbError> attach_error_;
  AttachStream stream_;
};

// Sessions over the nodes of the database, in a pool (database/session_pool.h), taken in turn. A session
// that the server ends is taken out at once, idle ones included. Failures to open one are YdbError.
//
// Belongs to the client's worker; not thread-safe. The client must outlive it.
class SessionPool final : public database::SessionPool<Session> {
 public:
  struct Options {
    std::size_t size = 1;
    bool wait_for_server = true;
    std::uint64_t seed = 0;
  };

  SessionPool(Client& client, Options options)
      : database::SessionPool<Session>(
            {.size = options.size,
             .open = [this, &client](std::size_t) { return open_one(client); },
             .wait_for_server = options.wait_for_server,
             .seed = options.seed}) {}

 private:
  coro::Task<std::unique_ptr<Session>> open_one(Client& client) {
    std::unique_ptr<Session> session = co_await Session::open(client);
    session->on_end = [this](Session& ended) { on_end(ended); };
    co_return session;
  }
};

}  // namespace drover::database::ydb
