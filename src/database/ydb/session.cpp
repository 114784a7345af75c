#include "database/ydb/session.h"

#include <cassert>
#include <utility>

#include "coro/deadline.h"
#include "coro/worker.h"
#include "database/ydb/call.h"
#include "database/ydb/channel.h"
#include "database/ydb/client.h"
#include "database/ydb/reply.h"
#include "query.pb.h"

namespace drover::database::ydb {

using coro::Task;

// A request that does not come to its end, be it by a cancellation, leaves the session broken.
class Session::Request {
 public:
  explicit Request(Session& session) noexcept : session_(session) {
    assert(!session.busy_ && "one request at a time");
    session.busy_ = true;
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request() {
    session_.busy_ = false;
    if (!answered_) session_.broken_ = true;
  }

  void answered() noexcept { answered_ = true; }

 private:
  Session& session_;
  bool answered_ = false;
};

Session::Session(Client& client, Client::Place place, std::string id, std::int64_t node_id)
    : client_(client), place_(std::move(place)), id_(std::move(id)), node_id_(node_id) {}

Session::~Session() {
  assert(!busy_ && "a request of this session is under way");
}

const std::string& Session::authority() const noexcept {
  return place_.channel().authority();
}

Task<std::unique_ptr<Session>> Session::open(Client& client) {
  Client::Place place = client.choose_place();
  Ydb::Query::CreateSessionResponse response;
  std::optional<YdbError> error;
  {
    Call call(place.channel(), Method::create_session, Ydb::Query::CreateSessionRequest(),
              client.opening_metadata(), client.options().opening_timeout);
    co_await call;
    try {
      call.require_transport(Stage::opening);
      call.parse_message(0, response, Stage::opening);
      require_success(response, Method::create_session, Stage::opening);
    } catch (const YdbError& thrown) {
      error = thrown;
    }
  }
  if (error) {
    client.note_failure(place.channel(), *error);
    throw YdbError(*error);
  }
  // The server may have made it on another node than the one that we have asked.
  auto its_own = client.place_on_node(static_cast<std::uint32_t>(response.node_id()));
  std::unique_ptr<Session> session(new Session(client,
                                               its_own ? std::move(*its_own) : std::move(place),
                                               response.session_id(), response.node_id()));
  its_own.reset();
  co_await session->attach();
  co_return session;
}

Task<void> Session::attach() {
  stream_.emplace(place_.channel(), id_, client_.metadata(),
                  static_cast<AttachStream::Listener&>(*this));
  const coro::Instant give_up = coro::Worker::current().now() + client_.options().opening_timeout;
  bool in_time = true;
  try {
    co_await coro::with_deadline(give_up, wait_until_attached());
  } catch (const coro::DeadlineExceeded&) {
    in_time = false;
  }
  if (!in_time) {
    attach_error_.emplace(TransportStatus::deadline_exceeded, "the server says nothing",
                          info_of(Method::attach_session).name, place_.channel().authority(),
                          Stage::opening);
  }
  if (!attach_error_) co_return;
  broken_ = true;
  client_.note_failure(place_.channel(), *attach_error_);
  throw YdbError(*attach_error_);
}

Task<void> Session::wait_until_attached() {
  co_await settled_.wait();
}

void Session::on_state(const Ydb::Query::SessionState& state) noexcept {
  if (state.status() != Ydb::StatusIds::SUCCESS) {
    if (!settled_.is_set()) {
      attach_error_ =
          reply_error(state.status(), state.issues(), Method::attach_session, Stage::opening);
    }
    broken_ = true;
  }
  if (state.has_node_shutdown()) client_.avoid(place_.channel());
  if (state.has_node_shutdown() || state.has_session_shutdown()) closing_ = true;
  const bool was_attached = settled_.is_set();
  settled_.set();
  if (was_attached && !usable()) tell_owner();
}

void Session::on_stream_end(TransportStatus status, std::string details) noexcept {
  broken_ = true;
  if (!settled_.is_set()) {
    attach_error_.emplace(status == TransportStatus::ok ? TransportStatus::unavailable : status,
                          details.empty() ? "the server has ended the session" : details,
                          info_of(Method::attach_session).name, place_.channel().authority(),
                          Stage::opening);
    settled_.set();
    return;
  }
  if (status == TransportStatus::unavailable) client_.avoid(place_.channel());
  tell_owner();
}

// The last thing that is done here: the owner may destroy this session.
void Session::tell_owner() noexcept {
  if (owner_ != nullptr && !busy_) owner_->on_session_end(*this);
}

void Session::set_mode_of(Ydb::Query::TransactionSettings& settings) const {
  switch (mode_) {
    case TransactionMode::serializable_read_write:
      settings.mutable_serializable_read_write();
      return;
    case TransactionMode::snapshot_read_write:
      settings.mutable_snapshot_read_write();
      return;
    case TransactionMode::snapshot_read_only:
      settings.mutable_snapshot_read_only();
      return;
    case TransactionMode::stale_read_only:
      settings.mutable_stale_read_only();
      return;
    case TransactionMode::online_read_only:
      settings.mutable_online_read_only();
      return;
  }
}

void Session::prepare(Parameters& parameters, std::string_view text, ResultSets sets,
                      Control control) const {
  Ydb::Query::ExecuteQueryRequest& request = parameters.request();
  request.set_session_id(id_);
  request.set_exec_mode(Ydb::Query::EXEC_MODE_EXECUTE);
  request.set_stats_mode(Ydb::Query::STATS_MODE_NONE);
  request.set_concurrent_result_sets(sets == ResultSets::concurrent);
  Ydb::Query::QueryContent& content = *request.mutable_query_content();
  content.set_syntax(Ydb::Query::SYNTAX_YQL_V1);
  content.set_text(text.data(), text.size());
  if (control == Control::alone) return;
  Ydb::Query::TransactionControl& transaction = *request.mutable_tx_control();
  if (in_transaction()) {
    transaction.set_tx_id(tx_id_);
  } else {
    set_mode_of(*transaction.mutable_begin_tx());
  }
  transaction.set_commit_tx(control == Control::commits);
}

Task<QueryResult> Session::execute(std::string_view text, Parameters parameters, ResultSets sets) {
  return run(text, std::move(parameters), sets, Control::goes_on);
}

Task<QueryResult> Session::execute_and_commit(std::string_view text, Parameters parameters,
                                              ResultSets sets) {
  return run(text, std::move(parameters), sets, Control::commits);
}

Task<QueryResult> Session::execute_alone(std::string_view text, Parameters parameters) {
  return run(text, std::move(parameters), ResultSets::in_turn, Control::alone);
}

Task<QueryResult> Session::run(std::string_view text, Parameters parameters, ResultSets sets,
                               Control control) {
  prepare(parameters, text, sets, control);
  std::optional<YdbError> error;
  {
    Request request(*this);
    Call call(place_.channel(), Method::execute_query, parameters.request(), client_.metadata(),
              client_.options().request_timeout);
    co_await call;
    request.answered();
    note_hints(call);
    try {
      co_return take_in(call, control);
    } catch (const YdbError& thrown) {
      error = thrown;
    }
  }
  note_failure(*error);
  throw YdbError(*error);
}

// A status of YDB in any part says more than how the transport ended.
QueryResult Session::take_in(const Call& call, Control control) {
  const Stage stage = control == Control::goes_on ? Stage::working : Stage::committing;
  QueryResult result;
  std::string tx_id;
  for (std::size_t i = 0; i < call.messages(); ++i) {
    Ydb::Query::ExecuteQueryResponsePart& part = result.add_part();
    call.parse_message(i, part, stage);
    require_success(part, Method::execute_query, stage);
    if (!part.tx_meta().id().empty()) tx_id = part.tx_meta().id();
    result.take_in(part);
  }
  call.require_transport(stage);
  if (call.messages() == 0) {
    throw YdbError(TransportStatus::internal, "the reply has no part",
                   info_of(Method::execute_query).name, place_.channel().authority(), stage);
  }
  result.set_consumed_units(call.consumed_units());
  if (control == Control::commits) tx_id_.clear();
  if (control == Control::goes_on && !in_transaction()) {
    if (tx_id.empty()) {
      throw YdbError(TransportStatus::internal, "the reply does not name the transaction",
                     info_of(Method::execute_query).name, place_.channel().authority(), stage);
    }
    tx_id_ = std::move(tx_id);
  }
  return result;
}

// For the calls that have one message each way.
template <class Response, class Message>
Task<Response> Session::ask(Method method, Message message, Stage stage) {
  std::optional<YdbError> error;
  {
    Request request(*this);
    Call call(place_.channel(), method, message, client_.metadata(),
              client_.options().request_timeout);
    co_await call;
    request.answered();
    note_hints(call);
    try {
      Response response;
      call.require_transport(stage);
      call.parse_message(0, response, stage);
      require_success(response, method, stage);
      co_return response;
    } catch (const YdbError& thrown) {
      error = thrown;
    }
  }
  note_failure(*error);
  throw YdbError(*error);
}

Task<void> Session::begin() {
  assert(!in_transaction());
  Ydb::Query::BeginTransactionRequest message;
  message.set_session_id(id_);
  set_mode_of(*message.mutable_tx_settings());
  const auto response = co_await ask<Ydb::Query::BeginTransactionResponse>(
      Method::begin_transaction, std::move(message), Stage::working);
  tx_id_ = response.tx_meta().id();
}

Task<void> Session::commit() {
  if (!in_transaction()) co_return;
  Ydb::Query::CommitTransactionRequest message;
  message.set_session_id(id_);
  message.set_tx_id(tx_id_);
  co_await ask<Ydb::Query::CommitTransactionResponse>(Method::commit_transaction,
                                                      std::move(message), Stage::committing);
  tx_id_.clear();
}

Task<void> Session::roll_back() {
  if (!in_transaction()) co_return;
  Ydb::Query::RollbackTransactionRequest message;
  message.set_session_id(id_);
  message.set_tx_id(std::exchange(tx_id_, {}));
  co_await ask<Ydb::Query::RollbackTransactionResponse>(Method::rollback_transaction,
                                                        std::move(message), Stage::working);
}

Task<void> Session::close() {
  Ydb::Query::DeleteSessionRequest message;
  message.set_session_id(id_);
  Request request(*this);
  Call call(place_.channel(), Method::delete_session, message, client_.metadata(),
            client_.options().opening_timeout);
  co_await call;
  // Not answered: whatever the server says, this session is over.
}

void Session::note_hints(const Call& call) noexcept {
  if (call.wants_session_closed()) closing_ = true;
}

void Session::note_failure(const YdbError& error) noexcept {
  if (error.ends_session()) broken_ = true;
  // An error that the server itself reports has ended the transaction.
  if (error.status() != Status::unspecified || broken_) tx_id_.clear();
  client_.note_failure(place_.channel(), error);
}

}  // namespace drover::database::ydb
