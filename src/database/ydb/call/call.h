// Call: one RPC of YDB, awaited: the request goes out, and the task goes on when the whole reply is
// there, one message or, of a stream, all of them.
//
//   Call call(channel, Method::execute_query, request, metadata, timeout);
//   co_await call;
//   call.require_transport(Stage::working);
//   call.parse(0, response);
//
// What keeps gRPC's pointers valid. gRPC writes into members of this object (the status, the
// metadata, the message) until it has completed the call's last operation, and the object lies in
// the frame of the coroutine that awaits it. That frame stays: it is suspended in this await, a
// task of ours is destroyed only when it has ended, and the await ends only through the function
// that the completion thread posts home after the last completion. A cancellation does not shorten
// that: it asks gRPC to cancel, and the task goes on when gRPC has let go of the call. So nothing
// is counted or allocated to keep a call alive.
//
// All operations (exchange.h) are begun by the completion thread (why: completion_thread.h), to which
// home hands the call once. So the task's worker is posted to once a call. The thread takes no
// message apart: that is done at home, where the memory of the result is.
//
// Cancellation: an await whose reply is whole keeps it; any other throws Cancelled, and whether the
// server has done what it was asked is unknown.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <vector>

#include "coro/cancellation.h"
#include "coro/clock.h"
#include "coro/task.h"
#include "database/ydb/call/channel.h"
#include "database/ydb/call/exchange.h"
#include "database/ydb/ydb_error.h"
#include "issue.pb.h"
#include "types.pb.h"

namespace drover::database::ydb {

// What all replies of YDB have: a status, and issues that explain it.
using Issues = google::protobuf::RepeatedPtrField<Ydb::Issue::IssueMessage>;

// The messages of all issues, nested ones behind their own, "; " between: one line fit for a
// terminal, of 4 KiB at most. A server may nest and repeat at will: 8 levels and 100 issues are
// looked at.
std::string issues_text(const Issues& issues);

// The first place that they name, of the innermost issue: those around it name what holds it.
TextPlace place_of(const Issues& issues);

YdbError reply_error(Ydb::StatusIds::StatusCode status, const Issues& issues, Method method,
                     Stage stage);

YdbError transport_error(TransportStatus status, std::string_view details, Method method,
                         const std::string& peer, Stage stage);

// A reply that cannot be read.
YdbError unexpected_reply(Method method, const std::string& peer, Stage stage);

// Throws YdbError unless the reply says success.
template <class Response>
void require_success(const Response& response, Method method, Stage stage) {
  if (response.status() == Ydb::StatusIds::SUCCESS) return;
  throw reply_error(response.status(), response.issues(), method, stage);
}

// What a successful operation has brought.
template <class Result, class Operation>
Result result_of(const Operation& operation, Method method, const std::string& peer, Stage stage) {
  Result result;
  if (!operation.result().UnpackTo(&result)) throw unexpected_reply(method, peer, stage);
  return result;
}

class Call final : coro::CancelNode, Exchange {
 public:
  // The request is serialized here and need not outlive the constructor. `timeout` begins with the
  // await, and the server is told of it; zero: none.
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

  // The rest is for after the await.

  TransportStatus transport() const noexcept { return static_cast<TransportStatus>(status_); }

  // Throws YdbError if the transport has failed. There may be messages all the same.
  void require_transport(Stage stage) const;

  std::size_t messages() const noexcept { return messages_.size(); }

  // Throws YdbError if the message `i` is missing or unreadable.
  void parse_message(std::size_t i, google::protobuf::MessageLite& message, Stage stage) const;

  // The server wants to have no more requests on this session.
  bool wants_session_closed() const noexcept { return session_close_; }

 private:
  bool start(std::coroutine_handle<> awaiting, coro::CancelSource& source);
  void begin_first() noexcept;
  void on_completion() noexcept;
  void on_cancel() noexcept override;
  void end() noexcept;

  enum class Step : std::uint8_t { idle, messages, status, ended };  // idle: not begun

  // By the home worker, before the await.
  Channel& channel_;
  Method method_;
  coro::Duration timeout_;
  coro::Worker* home_ = nullptr;
  std::coroutine_handle<> awaiting_;
  bool cancelled_ = false;  // by the home worker only, at any time

  // Whether a cancellation may use `call_`. By both threads: the first to say that it is over has
  // it, home to cancel it, the completion thread to let go of it.
  enum class Hold : std::uint8_t { none, under_way, over };
  std::atomic<Hold> hold_{Hold::none};

  // As the members of the exchange: by gRPC and the completion thread while it is under way; by home
  // before, up to publish(), and after, from the post on.
  Step step_ = Step::idle;
  std::vector<grpc_byte_buffer*> messages_;
  bool session_close_ = false;
};

}  // namespace drover::database::ydb
