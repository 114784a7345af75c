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
// Operations: all of them are begun by the completion thread (why: completion_thread.h), to which
// home hands the call once. The first batch sends all of the request and takes the first message;
// where there is one only, also the status. The messages of a stream that follow, and then the
// status, are asked for when the one before is there. So the task's worker is posted to once a
// call. The thread takes no message apart: that is done at home, where the memory of the result is.
//
// Cancellation: an await whose reply is whole keeps it; any other throws Cancelled, and whether the
// server has done what it was asked is unknown.
#pragma once

#include <grpc/grpc.h>

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <string>
#include <vector>

#include "coro/cancellation.h"
#include "coro/clock.h"
#include "coro/task.h"
#include "database/ydb/call_metadata.h"
#include "database/ydb/completion_thread.h"
#include "database/ydb/method.h"
#include "database/ydb/ydb_error.h"

namespace google::protobuf {
class MessageLite;
}

namespace drover::database::ydb {

class Channel;

// The bytes of a message for gRPC, which the caller releases with grpc_byte_buffer_destroy().
grpc_byte_buffer* serialize(const google::protobuf::MessageLite& message);

// False if they are no such message.
bool parse(grpc_byte_buffer* bytes, google::protobuf::MessageLite& message);

// The bytes of a slice of gRPC's.
std::string copied_text(const grpc_slice& slice);

class Call final : coro::CancelNode, CompletionHandler {
 public:
  // The request is serialized here and need not outlive the constructor. `timeout` begins with the
  // await, and the server is told of it; zero: none.
  Call(Channel& channel, Method method, const google::protobuf::MessageLite& request,
       SharedMetadata metadata, coro::Duration timeout);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

  bool await_ready() const noexcept { return false; }

  template <coro::DroverPromise Promise>
  bool await_suspend(std::coroutine_handle<Promise> awaiting) {
    return start(awaiting, *awaiting.promise().source);
  }

  // Throws Cancelled.
  void await_resume() const {
    if (cancelled_ && transport_ != GRPC_STATUS_OK) throw coro::Cancelled{};
  }

  // The rest is for after the await.

  TransportStatus transport() const noexcept { return static_cast<TransportStatus>(transport_); }

  // Throws YdbError if the transport has failed. There may be messages all the same.
  void require_transport(Stage stage) const;

  std::size_t messages() const noexcept { return messages_.size(); }

  // Throws YdbError if the message `i` is missing or unreadable.
  void parse_message(std::size_t i, google::protobuf::MessageLite& message, Stage stage) const;

  // The server wants to have no more requests on this session.
  bool wants_session_closed() const noexcept { return session_close_; }

  // What the server says that the call cost, in request units; 0 if it does not.
  double consumed_units() const noexcept { return consumed_units_; }

 private:
  bool start(std::coroutine_handle<> awaiting, coro::CancelSource& source);
  void on_completion() noexcept;
  void on_cancel() noexcept override;
  void end() noexcept;
  grpc_op status_operation() noexcept;
  void begin(const grpc_op* operations, std::size_t count) noexcept;
  void begin_first() noexcept;
  void read_message() noexcept;
  void read_status() noexcept;
  void read_hints() noexcept;

  enum class Step : std::uint8_t { idle, messages, status, ended };  // idle: not begun

  // By the home worker, before the await.
  Channel& channel_;
  Method method_;
  coro::Duration timeout_;
  SharedMetadata metadata_;
  grpc_byte_buffer* request_;
  coro::Worker* home_ = nullptr;
  std::coroutine_handle<> awaiting_;
  bool cancelled_ = false;  // by the home worker only, at any time

  // Whether a cancellation may use `call_`. By both threads: the first to say that it is over has
  // it, home to cancel it, the completion thread to let go of it.
  enum class Hold : std::uint8_t { none, under_way, over };
  std::atomic<Hold> hold_{Hold::none};

  // By gRPC and the completion thread while it is under way; by home before, up to publish(), and
  // after, from the post on.
  Step step_ = Step::idle;
  grpc_call* call_ = nullptr;
  grpc_byte_buffer* received_ = nullptr;
  std::vector<grpc_byte_buffer*> messages_;
  grpc_metadata_array initial_{};
  grpc_metadata_array trailing_{};
  grpc_status_code transport_ = GRPC_STATUS_OK;
  grpc_slice details_{};
  bool session_close_ = false;
  double consumed_units_ = 0;
};

}  // namespace drover::database::ydb
