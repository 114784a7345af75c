// Calls of YDB: Call awaits one call, and AttachStream is the open call by which a session lives.
//
//   Call call(channel, Method::execute_query, request, metadata, timeout);
//   co_await call;
//   call.require_transport(Stage::working);
//   call.parse_message(0, response, Stage::working);
//
// Thread safety: objects belong to one worker, and while a call is in progress to gRPC and the
// completion thread.
#pragma once

#include <grpc/grpc.h>

#include <array>
#include <atomic>
#include <coroutine>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "coro/cancellation.h"
#include "coro/clock.h"
#include "coro/task.h"
#include "database/ydb/call/channel.h"
#include "database/ydb/ydb_error.h"
#include "issue.pb.h"
#include "types.pb.h"

namespace google::protobuf {
class MessageLite;
}
namespace Ydb::Query {
class SessionState;
}

namespace drover::database::ydb {

// The explanations of a reply's status.
using Issues = google::protobuf::RepeatedPtrField<Ydb::Issue::IssueMessage>;

// Returns the messages of all issues, each followed by its nested ones, as one line with "; "
// between them. Reads at most 8 levels and 100 issues.
std::string issues_text(const Issues& issues);

// Returns the first position that the issues name, of the innermost issue.
TextPosition position_of(const Issues& issues);

YdbError reply_error(Ydb::StatusIds::StatusCode status, const Issues& issues, Method method,
                     Stage stage);
YdbError transport_error(TransportStatus status, std::string_view details, Method method,
                         const std::string& peer, Stage stage);
// Returns the error of a reply that cannot be parsed.
YdbError unexpected_reply(Method method, const std::string& peer, Stage stage);

// Throws YdbError unless the reply's status is success.
template <class Response>
void require_success(const Response& response, Method method, Stage stage) {
  if (response.status() == Ydb::StatusIds::SUCCESS) return;
  throw reply_error(response.status(), response.issues(), method, stage);
}

// Returns the result of a successful operation.
template <class Result, class Operation>
Result result_of(const Operation& operation, Method method, const std::string& peer, Stage stage) {
  Result result;
  if (!operation.result().UnpackTo(&result)) throw unexpected_reply(method, peer, stage);
  return result;
}

// The headers of calls. Immutable, and shared by the calls that use it; a new token makes a new
// one.
class CallMetadata {
 public:
  // Omits an empty token. Requires: no line break in database and token.
  CallMetadata(const std::string& database, const std::string& token, bool session_balancer);
  CallMetadata(const CallMetadata&) = delete;
  CallMetadata& operator=(const CallMetadata&) = delete;
  ~CallMetadata();

  // gRPC only reads the entries.
  grpc_metadata* data() const noexcept { return const_cast<grpc_metadata*>(entries_.data()); }
  std::size_t size() const noexcept { return size_; }

 private:
  void add(const char* name, const std::string& value);

  std::array<grpc_metadata, 4> entries_{};
  std::size_t size_ = 0;
};

using SharedMetadata = std::shared_ptr<const CallMetadata>;

// The memory that gRPC reads and writes during a call. The last operation must have completed
// before it is destroyed.
//
// The first batch sends the request and receives the first message, and the status of a call that
// does not stream. The further messages of a stream, and then its status, are received one by one.
// So only one batch is in progress at a time.
class Exchange : public CompletionHandler {
 public:
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

 protected:
  // Serializes the request.
  Exchange(const google::protobuf::MessageLite& request, SharedMetadata metadata);
  ~Exchange();

  // Requires: `call_`.
  void begin(bool streams) noexcept { start(0, streams ? 5 : 6); }
  void read_message() noexcept { start(4, 1); }
  void read_status() noexcept { start(5, 1); }

  // Returns gRPC's text for the status.
  std::string details() const;

  // Returns true if the server has sent this header after its messages.
  bool has_trailing(const char* key, const char* value) const noexcept;

  grpc_call* call_ = nullptr;             // released by the destructor
  grpc_byte_buffer* received_ = nullptr;  // null: the stream has ended
  grpc_status_code status_ = GRPC_STATUS_OK;

 private:
  void start(std::size_t first, std::size_t count) noexcept;

  SharedMetadata metadata_;
  grpc_byte_buffer* request_;
  grpc_metadata_array initial_{};
  grpc_metadata_array trailing_{};
  grpc_slice details_;
  std::array<grpc_op, 6> operations_{};  // the last two: the next message, and the status
};

// One call, awaited until its whole reply has arrived.
//
// The object lies in the frame of the awaiting coroutine, which is resumed only after the last
// completion, so gRPC's pointers stay valid without an allocation. A cancellation asks gRPC to
// cancel the call, and the coroutine waits for that completion, too. The completion thread begins
// all operations; the worker's thread parses the messages.
//
// A cancelled await whose reply is complete keeps it. Otherwise it throws Cancelled, and it is
// unknown whether the server has executed the call.
class Call final : coro::CancelNode, Exchange {
 public:
  // Serializes the request. `timeout` begins with the await, and the server knows it; zero: none.
  Call(Channel& channel, Method method, const google::protobuf::MessageLite& request,
       SharedMetadata metadata, coro::Duration timeout);
  ~Call();

  bool await_ready() const noexcept { return false; }

  template <coro::DroverPromise Promise>
  bool await_suspend(std::coroutine_handle<Promise> awaiting) {
    return start(awaiting, *awaiting.promise().source);
  }

  // Throws Cancelled.
  void await_resume() const {
    if (cancelled_ && status_ != GRPC_STATUS_OK) throw coro::Cancelled{};
  }

  // The following functions may be called after the await.

  TransportStatus transport() const noexcept { return static_cast<TransportStatus>(status_); }

  // Throws YdbError if the transport has failed. There may be messages nevertheless.
  void require_transport(Stage stage) const;

  std::size_t messages() const noexcept { return messages_.size(); }

  // Throws YdbError if the message `i` is missing or cannot be parsed.
  void parse_message(std::size_t i, google::protobuf::MessageLite& message, Stage stage) const;

  // Returns true if the server wants no more requests on this session.
  bool wants_session_closed() const noexcept { return session_close_; }

 private:
  bool start(std::coroutine_handle<> awaiting, coro::CancelSource& source);
  void begin_first() noexcept;
  void on_completion() noexcept;
  void on_cancel() noexcept override;
  void end() noexcept;

  enum class Step : std::uint8_t { idle, messages, status, ended };

  // Written by the worker before the await.
  Channel& channel_;
  Method method_;
  coro::Duration timeout_;
  coro::Worker* home_ = nullptr;
  std::coroutine_handle<> awaiting_;
  bool cancelled_ = false;  // by the worker only, at any time

  // Decides who may use `call_`. The first thread to set `over` uses it: the worker to cancel the
  // call, or the completion thread to release it.
  enum class Hold : std::uint8_t { none, under_way, over };
  std::atomic<Hold> hold_{Hold::none};

  // Like the members of Exchange: used by the completion thread during the call, by the worker
  // before publish() and after the post.
  Step step_ = Step::idle;
  std::vector<grpc_byte_buffer*> messages_;
  bool session_close_ = false;
};

// Called on the worker, never during open_attach_stream().
class AttachListener {
 public:
  virtual void on_state(const Ydb::Query::SessionState& state) noexcept = 0;
  // The last call. `details` is gRPC's text for a failure.
  virtual void on_stream_end(TransportStatus status, std::string details) noexcept = 0;

 protected:
  ~AttachListener() = default;
};

// The open call by which a session lives: the server ends the session when the call ends, and
// announces on it that the session or its node shuts down. Destroying it cancels the call without
// waiting; the call keeps its memory until its last completion. So the worker must outlive its
// CompletionThread.
using AttachStream = std::shared_ptr<void>;

// Begins the call, which has no deadline. Requires: the channel's worker.
AttachStream open_attach_stream(Channel& channel, const std::string& session_id,
                                SharedMetadata metadata, AttachListener& listener);

}  // namespace drover::database::ydb
