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

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "coro/event.h"
#include "coro/task.h"
#include "database/ydb/attach_stream.h"
#include "database/ydb/client.h"
#include "database/ydb/method.h"
#include "database/ydb/parameters.h"
#include "database/ydb/query_result.h"
#include "database/ydb/ydb_error.h"

namespace Ydb::Query {
class TransactionSettings;
}

namespace drover::database::ydb {

class Call;

enum class TransactionMode : std::uint8_t {
  serializable_read_write,
  snapshot_read_write,
  snapshot_read_only,
  stale_read_only,
  online_read_only,
};

// The results of a text with several: one after the other, or at the same time. The latter is for
// texts that only read: their statements do not wait for each other then.
enum class ResultSets : std::uint8_t { in_turn, concurrent };

class Session final : AttachStream::Listener {
 public:
  // Is told, on the worker, that a session has become unusable while no request was under way. May
  // destroy it.
  class Owner {
   public:
    virtual void on_session_end(Session& session) noexcept = 0;

   protected:
    ~Owner() = default;
  };

  // On a node of the client's choice.
  static coro::Task<std::unique_ptr<Session>> open(Client& client);

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  // Of the transactions to come. Those that only read cannot be begun by begin(), nor be committed
  // but by their last statement, if they are online or stale.
  void set_mode(TransactionMode mode) noexcept { mode_ = mode; }

  // The text is read before the first wait. Equal texts share a compilation in the server.

  // In the transaction, which it begins if there is none.
  coro::Task<QueryResult> execute(std::string_view text, Parameters parameters = {},
                                  ResultSets sets = ResultSets::in_turn);

  // The same, then commits.
  coro::Task<QueryResult> execute_and_commit(std::string_view text, Parameters parameters = {},
                                             ResultSets sets = ResultSets::in_turn);

  // Without a transaction: what makes and drops tables.
  coro::Task<QueryResult> execute_alone(std::string_view text, Parameters parameters = {});

  // Requires: no transaction.
  coro::Task<void> begin();

  // Both do nothing without a transaction.
  coro::Task<void> commit();
  coro::Task<void> roll_back();

  // Has the server end the session, and does not mind if it cannot. Then it is not usable.
  coro::Task<void> close();

  bool in_transaction() const noexcept { return !tx_id_.empty(); }
  bool usable() const noexcept { return !broken_ && !closing_; }
  // Whether a transaction that has begun can go on.
  bool alive() const noexcept { return !broken_; }

  const std::string& id() const noexcept { return id_; }
  std::int64_t node_id() const noexcept { return node_id_; }
  const std::string& authority() const noexcept;  // of the node: "host:port"

  void set_owner(Owner* owner) noexcept { owner_ = owner; }

 private:
  class Request;  // while it lives, no other may be made
  enum class Control : std::uint8_t { alone, goes_on, commits };

  Session(Client& client, Client::Place place, std::string id, std::int64_t node_id);

  coro::Task<void> attach();
  coro::Task<void> wait_until_attached();
  coro::Task<QueryResult> run(std::string_view text, Parameters parameters, ResultSets sets,
                              Control control);
  template <class Response, class Message>
  coro::Task<Response> ask(Method method, Message message, Stage stage);
  void prepare(Parameters& parameters, std::string_view text, ResultSets sets,
               Control control) const;
  QueryResult take_in(const Call& call, Control control);
  void set_mode_of(Ydb::Query::TransactionSettings& settings) const;
  void note_hints(const Call& call) noexcept;
  void note_failure(const YdbError& error) noexcept;

  void on_state(const Ydb::Query::SessionState& state) noexcept override;
  void on_stream_end(TransportStatus status, std::string details) noexcept override;
  void tell_owner() noexcept;

  Client& client_;
  Client::Place place_;
  std::string id_;
  std::int64_t node_id_;
  TransactionMode mode_ = TransactionMode::serializable_read_write;
  std::string tx_id_;
  bool busy_ = false;
  bool broken_ = false;
  bool closing_ = false;
  Owner* owner_ = nullptr;
  coro::Event settled_;  // attached, or not to be
  std::optional<YdbError> attach_error_;
  std::optional<AttachStream> stream_;
};

}  // namespace drover::database::ydb
