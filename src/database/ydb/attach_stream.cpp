#include "database/ydb/attach_stream.h"

#include <grpc/byte_buffer.h>
#include <grpc/grpc.h>

#include <array>
#include <cassert>
#include <utility>

#include "coro/worker.h"
#include "database/ydb/call.h"
#include "database/ydb/channel.h"
#include "query.pb.h"

namespace drover::database::ydb {
namespace {

struct DestroyBuffer {
  void operator()(grpc_byte_buffer* buffer) const noexcept { grpc_byte_buffer_destroy(buffer); }
};
using Buffer = std::unique_ptr<grpc_byte_buffer, DestroyBuffer>;

}  // namespace

// Kept by the stream, and by itself while gRPC has pointers into it.
class AttachStream::Open final : public CompletionHandler,
                                 public std::enable_shared_from_this<Open> {
 public:
  Open(CompletionThread& completions, SharedMetadata metadata, Listener& listener)
      : completions_(completions),
        metadata_(std::move(metadata)),
        listener_(&listener),
        home_(coro::Worker::current()),
        details_(grpc_empty_slice()) {
    grpc_metadata_array_init(&initial_);
    grpc_metadata_array_init(&trailing_);
  }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  ~Open() {
    grpc_call_unref(call_);
    grpc_metadata_array_destroy(&initial_);
    grpc_metadata_array_destroy(&trailing_);
    grpc_slice_unref(details_);
  }

  void begin(Channel& channel, const std::string& session_id) {
    Ydb::Query::AttachSessionRequest request;
    request.set_session_id(session_id);
    request_.reset(serialize(request));
    call_ = channel.start_call(Method::attach_session, coro::Duration::zero());
    self_ = shared_from_this();
    completions_.stream_begins();
    std::array<grpc_op, 5> operations{};
    operations[0].op = GRPC_OP_SEND_INITIAL_METADATA;
    operations[0].data.send_initial_metadata.count = metadata_->size();
    operations[0].data.send_initial_metadata.metadata = metadata_->data();
    operations[1].op = GRPC_OP_SEND_MESSAGE;
    operations[1].data.send_message.send_message = request_.get();
    operations[2].op = GRPC_OP_SEND_CLOSE_FROM_CLIENT;
    operations[3].op = GRPC_OP_RECV_INITIAL_METADATA;
    operations[3].data.recv_initial_metadata.recv_initial_metadata = &initial_;
    operations[4] = message_operation();
    publish([](CompletionHandler& open) noexcept { static_cast<Open&>(open).on_completion(); });
    start(operations.data(), operations.size());
  }

  void abandon() noexcept {
    listener_ = nullptr;
    grpc_call_cancel(call_, nullptr);
  }

  void on_completion() noexcept {
    if (reading_status_) {
      CompletionThread& completions = completions_;
      // From here on this may be gone; the thread that it runs on is there until the next line.
      home_.post([open = std::move(self_)] { open->tell_end(); });
      completions.stream_ends();
      return;
    }
    if (received_ == nullptr) {
      reading_status_ = true;
      const grpc_op operation = status_operation();
      start(&operation, 1);
      return;
    }
    // Kept by the next operation, too, so that this post may be dropped unrun.
    home_.post([open = self_, message = Buffer(std::exchange(received_, nullptr))] {
      open->tell_state(message.get());
    });
    const grpc_op operation = message_operation();
    start(&operation, 1);
  }

 private:
  grpc_op message_operation() noexcept {
    grpc_op operation{};
    operation.op = GRPC_OP_RECV_MESSAGE;
    operation.data.recv_message.recv_message = &received_;
    return operation;
  }

  grpc_op status_operation() noexcept {
    grpc_op operation{};
    operation.op = GRPC_OP_RECV_STATUS_ON_CLIENT;
    operation.data.recv_status_on_client.trailing_metadata = &trailing_;
    operation.data.recv_status_on_client.status = &status_;
    operation.data.recv_status_on_client.status_details = &details_;
    return operation;
  }

  void start(const grpc_op* operations, std::size_t count) noexcept {
    [[maybe_unused]] const grpc_call_error error = grpc_call_start_batch(
        call_, operations, count, static_cast<CompletionHandler*>(this), nullptr);
    assert(error == GRPC_CALL_OK);
  }

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
        ->on_stream_end(static_cast<TransportStatus>(status_), copied_text(details_));
  }

  // By the home worker.
  CompletionThread& completions_;
  SharedMetadata metadata_;
  Buffer request_;
  Listener* listener_;  // none once the stream is abandoned or at its end
  coro::Worker& home_;
  grpc_call* call_ = nullptr;

  // By gRPC and the completion thread from begin() to the last post.
  std::shared_ptr<Open> self_;
  bool reading_status_ = false;
  grpc_byte_buffer* received_ = nullptr;
  grpc_metadata_array initial_{};
  grpc_metadata_array trailing_{};
  grpc_status_code status_ = GRPC_STATUS_OK;
  grpc_slice details_;
};

AttachStream::AttachStream(Channel& channel, const std::string& session_id, SharedMetadata metadata,
                           Listener& listener)
    : open_(std::make_shared<Open>(channel.completions(), std::move(metadata), listener)) {
  open_->begin(channel, session_id);
}

AttachStream::~AttachStream() {
  open_->abandon();
}

}  // namespace drover::database::ydb
