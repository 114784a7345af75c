// Exchange: what gRPC reads and writes of a call while it is under way: the request and its headers,
// the message that comes next, the status. Its last operation must have completed before it goes.
//
// The first batch sends all of the request and takes the first message; where there is one only,
// also the status. The messages of a stream that follow, and then the status, are asked for when
// the one before is there. So only one batch is under way at a time, and completions come in order.
//
// Belongs to whoever begins it, and from then on to gRPC and the completion thread.
#pragma once

#include <grpc/grpc.h>

#include <array>
#include <memory>
#include <string>

#include "database/ydb/call/completion_thread.h"

namespace google::protobuf {
class MessageLite;
}

namespace drover::database::ydb {

// False if they are no such message.
bool parse(grpc_byte_buffer* bytes, google::protobuf::MessageLite& message);

// The headers that go out with a call. Made once, shared by many calls, which keep it until they
// have ended; a new token is a new one. Unchanging: any thread.
class CallMetadata {
 public:
  // An empty token is left out. Neither may hold a line break: a header ends there.
  CallMetadata(const std::string& database, const std::string& token, bool session_balancer);
  CallMetadata(const CallMetadata&) = delete;
  CallMetadata& operator=(const CallMetadata&) = delete;
  ~CallMetadata();

  // For gRPC, which only reads it.
  grpc_metadata* data() const noexcept { return const_cast<grpc_metadata*>(entries_.data()); }
  std::size_t size() const noexcept { return size_; }

 private:
  void add(const char* name, const std::string& value);

  std::array<grpc_metadata, 4> entries_{};
  std::size_t size_ = 0;
};

using SharedMetadata = std::shared_ptr<const CallMetadata>;

class Exchange : public CompletionHandler {
 public:
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

 protected:
  // The request is serialized here and need not outlive the constructor.
  Exchange(const google::protobuf::MessageLite& request, SharedMetadata metadata);
  ~Exchange();

  // Requires: `call_`.
  void begin(bool streams) noexcept { start(0, streams ? 5 : 6); }
  void read_message() noexcept { start(4, 1); }
  void read_status() noexcept { start(5, 1); }

  // What gRPC says of the status.
  std::string details() const;

  // Whether the server has sent this header behind its messages.
  bool has_trailing(const char* key, const char* value) const noexcept;

  grpc_call* call_ = nullptr;             // released with the exchange
  grpc_byte_buffer* received_ = nullptr;  // none: the stream has ended
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

}  // namespace drover::database::ydb
