#include "database/ydb/call/attach_stream.h"

#include <grpc/byte_buffer.h>

#include <utility>

#include "coro/worker.h"
#include "database/ydb/call/channel.h"
#include "database/ydb/call/exchange.h"
#include "query.pb.h"

namespace drover::database::ydb {
namespace {

struct DestroyBuffer {
  void operator()(grpc_byte_buffer* buffer) const noexcept { grpc_byte_buffer_destroy(buffer); }
};
using Buffer = std::unique_ptr<grpc_byte_buffer, DestroyBuffer>;

Ydb::Query::AttachSessionRequest request_for(const std::string& session_id) {
  Ydb::Query::AttachSessionRequest request;
  request.set_session_id(session_id);
  return request;
}

// Kept by the stream, and by itself while gRPC has pointers into it.
class Open final : public Exchange, public std::enable_shared_from_this<Open> {
 public:
  Open(const std::string& session_id, SharedMetadata metadata, AttachListener& listener)
      : Exchange(request_for(session_id), std::move(metadata)),
        listener_(&listener),
        home_(coro::Worker::current()) {}

  void begin(Channel& channel) {
    call_ = channel.start_call(Method::attach_session, coro::Duration::zero());
    self_ = shared_from_this();
    completions_ = &channel.completions();
    completions_->stream_begins();
    publish([](CompletionHandler& open) noexcept { static_cast<Open&>(open).on_completion(); });
    Exchange::begin(true);
  }

  void abandon() noexcept {
    listener_ = nullptr;
    grpc_call_cancel(call_, nullptr);
  }

  void on_completion() noexcept {
    if (reading_status_) {
      CompletionThread& completions = *completions_;
      // From here on this may be gone; the thread that it runs on is there until the next line.
      home_.post([open = std::move(self_)] { open->tell_end(); });
      completions.stream_ends();
      return;
    }
    if (received_ == nullptr) {
      reading_status_ = true;
      read_status();
      return;
    }
    // Kept by the next operation, too, so that this post may be dropped unrun.
    home_.post([open = self_, message = Buffer(std::exchange(received_, nullptr))] {
      open->tell_state(message.get());
    });
    read_message();
  }

 private:
  void tell_state(grpc_byte_buffer* bytes) noexcept {
    if (listener_ == nullptr) return;
    Ydb::Query::SessionState state;
    // What cannot be read is no success.
    if (!parse(bytes, state)) state.set_status(Ydb::StatusIds::STATUS_CODE_UNSPECIFIED);
    listener_->on_state(state);
  }

  void tell_end() noexcept {
    if (listener_ == nullptr) return;
    std::exchange(listener_, nullptr)
        ->on_stream_end(static_cast<TransportStatus>(status_), details());
  }

  // By the home worker.
  AttachListener* listener_;  // none once the stream is abandoned or at its end
  coro::Worker& home_;
  CompletionThread* completions_ = nullptr;

  // As the members of the exchange, by the completion thread from begin() to the last post.
  std::shared_ptr<Open> self_;
  bool reading_status_ = false;
};

}  // namespace

AttachStream open_attach_stream(Channel& channel, const std::string& session_id,
                                SharedMetadata metadata, AttachListener& listener) {
  auto open = std::make_shared<Open>(session_id, std::move(metadata), listener);
  open->begin(channel);
  return {open.get(), [open](void*) { open->abandon(); }};
}

}  // namespace drover::database::ydb
