#include "database/ydb/session.h"

#include <cassert>
#include <utility>

#include "coro/deadline.h"
#include "coro/worker.h"
#include "query.pb.h"

namespace drover::database::ydb {

using coro::Task;

// A request that was cancelled or not answered leaves the session broken.
class ServerSession::Request {
 public:
  explicit Request(ServerSession& session) noexcept : session_(session) {
    assert(!session.busy_ && "one request at a time");
    session.busy_ = true;
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request() {
    session_.busy_ = false;
    if (!answered_) session_.broken_ = true;
  }

  void answered(const Call& call) noexcept {
    answered_ = true;
    if (call.wants_session_closed()) session_.closing_ = true;
  }

 private:
  ServerSession& session_;
  bool answered_ = false;
};

ServerSession::ServerSession(Client& client, Client::NodeLease place, std::string id)
    : client_(client), place_(std::move(place)), id_(std::move(id)) {}

ServerSession::~ServerSession() {
  assert(!busy_ && "a request of this session is under way");
}

Task<std::unique_ptr<ServerSession>> ServerSession::open(Client& client) {
  Client::NodeLease place = client.choose_node();
  const Ydb::Query::CreateSessionRequest request;
  Ydb::Query::CreateSessionResponse response;
  co_await client.ask(place.channel(), Method::create_session, request, response,
                      client.opening_metadata(), client.options().opening_timeout, Stage::opening);
  require_success(response, Method::create_session, Stage::opening);
  // The server may have created the session on another node.
  auto its_own = client.lease_node(static_cast<std::uint32_t>(response.node_id()));
  std::unique_ptr<ServerSession> session(new ServerSession(
      client, its_own ? std::move(*its_own) : std::move(place), response.session_id()));
  its_own.reset();
  co_await session->attach();
  co_return session;
}

Task<void> ServerSession::attach() {
  auto attached = [this]() -> Task<void> { co_await settled_.wait(); };
  stream_ = open_attach_stream(place_.channel(), id_, client_.metadata(), *this);
  const coro::Instant give_up = coro::Worker::current().now() + client_.options().opening_timeout;
  try {
    co_await coro::with_deadline(give_up, attached());
  } catch (const coro::DeadlineExceeded&) {
    attach_error_ =
        transport_error(TransportStatus::deadline_exceeded, "the server does not answer",
                        Method::attach_session, authority(), Stage::opening);
  }
  if (!attach_error_) co_return;
  broken_ = true;
  client_.note_failure(place_.channel(), *attach_error_);
  throw YdbError(*attach_error_);
}

void ServerSession::on_state(const Ydb::Query::SessionState& state) noexcept {
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
  if (was_attached && !usable()) tell_end();
}

void ServerSession::on_stream_end(TransportStatus status, std::string details) noexcept {
  broken_ = true;
  if (!settled_.is_set()) {
    attach_error_ =
        transport_error(status == TransportStatus::ok ? TransportStatus::unavailable : status,
                        details.empty() ? "the server ended the session" : details,
                        Method::attach_session, authority(), Stage::opening);
    settled_.set();
    return;
  }
  if (status == TransportStatus::unavailable) client_.avoid(place_.channel());
  tell_end();
}

// Must be the last action: the callback may destroy the session.
void ServerSession::tell_end() noexcept {
  const auto told = on_end;
  if (told && !busy_) told(*this);
}

void ServerSession::prepare(Parameters& parameters, std::string_view text, ResultSets sets,
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
    Ydb::Query::TransactionSettings& settings = *transaction.mutable_begin_tx();
    if (mode_ == TransactionMode::serializable_read_write) {
      settings.mutable_serializable_read_write();
    } else if (mode_ == TransactionMode::snapshot_read_write) {
      settings.mutable_snapshot_read_write();
    } else {
      settings.mutable_snapshot_read_only();
    }
  }
  transaction.set_commit_tx(control == Control::commits);
}

Task<QueryResult> ServerSession::run(std::string_view text, Parameters parameters, ResultSets sets,
                                     Control control) {
  prepare(parameters, text, sets, control);
  try {
    Request request(*this);
    Call call(place_.channel(), Method::execute_query, parameters.request(), client_.metadata(),
              client_.options().request_timeout);
    co_await call;
    request.answered(call);
    co_return take_in(call, control);
  } catch (const YdbError& error) {
    note_failure(error);
    throw;
  }
}

// Reports the status of a message, if there is one, rather than that of the transport.
QueryResult ServerSession::take_in(const Call& call, Control control) {
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
    throw transport_error(TransportStatus::internal, "the server sent an incomplete reply",
                          Method::execute_query, authority(), stage);
  }
  if (control == Control::commits) tx_id_.clear();
  if (control == Control::goes_on && !in_transaction()) {
    if (tx_id.empty()) {
      throw transport_error(TransportStatus::internal, "the reply does not name the transaction",
                            Method::execute_query, authority(), stage);
    }
    tx_id_ = std::move(tx_id);
  }
  return result;
}

// The requests and replies of commit and rollback have the same fields.
Task<void> ServerSession::end_transaction(Method method, Stage stage) {
  if (!in_transaction()) co_return;
  Ydb::Query::CommitTransactionRequest message;
  message.set_session_id(id_);
  message.set_tx_id(tx_id_);
  if (method == Method::rollback_transaction) tx_id_.clear();  // also if the call fails
  try {
    Request request(*this);
    Call call(place_.channel(), method, message, client_.metadata(),
              client_.options().request_timeout);
    co_await call;
    request.answered(call);
    Ydb::Query::CommitTransactionResponse response;
    call.require_transport(stage);
    call.parse_message(0, response, stage);
    require_success(response, method, stage);
    tx_id_.clear();
  } catch (const YdbError& error) {
    note_failure(error);
    throw;
  }
}

Task<void> ServerSession::close() {
  Ydb::Query::DeleteSessionRequest message;
  message.set_session_id(id_);
  Request request(*this);
  Call call(place_.channel(), Method::delete_session, message, client_.metadata(),
            client_.options().opening_timeout);
  co_await call;
  // The request stays unanswered, so the session is not used any more.
}

void ServerSession::note_failure(const YdbError& error) noexcept {
  if (error.ends_session()) broken_ = true;
  // An error that the server reports has ended the transaction.
  if (error.status() != Status::unspecified || broken_) tx_id_.clear();
  client_.note_failure(place_.channel(), error);
}

coro::Task<ServerSession*> SessionTurn::usable_session() {
  if (!(*lease_)->usable()) {
    lease_.reset();
    lease_.emplace(co_await pool_->acquire());
  }
  co_return &**lease_;
}

coro::Task<void> SessionTurn::roll_back() {
  if (!lease_) co_return;
  ServerSession& session = **lease_;
  if (!session.alive() || !session.in_transaction()) co_return;
  try {
    co_await session.roll_back();
  } catch (const Error&) {
    // The session has ended, and its transaction with it.
  }
}

}  // namespace drover::database::ydb
