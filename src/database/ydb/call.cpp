#include "database/ydb/call.h"

#include <google/protobuf/message_lite.h>
#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>

#include <array>
#include <cassert>
#include <charconv>
#include <string_view>
#include <utility>

#include "coro/worker.h"
#include "database/ydb/channel.h"

namespace drover::database::ydb {
namespace {

std::string_view view_of(const grpc_slice& slice) noexcept {
  return {reinterpret_cast<const char*>(GRPC_SLICE_START_PTR(slice)), GRPC_SLICE_LENGTH(slice)};
}

}  // namespace

std::string copied_text(const grpc_slice& slice) {
  return std::string(view_of(slice));
}

grpc_byte_buffer* serialize(const google::protobuf::MessageLite& message) {
  const std::size_t bytes = message.ByteSizeLong();
  grpc_slice slice = grpc_slice_malloc(bytes);
  message.SerializeWithCachedSizesToArray(GRPC_SLICE_START_PTR(slice));
  grpc_byte_buffer* buffer = grpc_raw_byte_buffer_create(&slice, 1);
  grpc_slice_unref(slice);
  return buffer;
}

bool parse(grpc_byte_buffer* bytes, google::protobuf::MessageLite& message) {
  grpc_byte_buffer_reader reader;
  if (grpc_byte_buffer_reader_init(&reader, bytes) == 0) return false;
  // Most messages come in one piece and are read where they lie.
  grpc_slice* first = nullptr;
  bool parsed = false;
  if (bytes->data.raw.slice_buffer.count == 1 &&
      grpc_byte_buffer_reader_peek(&reader, &first) != 0) {
    const std::string_view view = view_of(*first);
    parsed = message.ParseFromArray(view.data(), static_cast<int>(view.size()));
  } else {
    const grpc_slice all = grpc_byte_buffer_reader_readall(&reader);
    const std::string_view view = view_of(all);
    parsed = message.ParseFromArray(view.data(), static_cast<int>(view.size()));
    grpc_slice_unref(all);
  }
  grpc_byte_buffer_reader_destroy(&reader);
  return parsed;
}

Call::Call(Channel& channel, Method method, const google::protobuf::MessageLite& request,
           SharedMetadata metadata, coro::Duration timeout)
    : channel_(channel),
      method_(method),
      timeout_(timeout),
      metadata_(std::move(metadata)),
      request_(serialize(request)),
      details_(grpc_empty_slice()) {
  grpc_metadata_array_init(&initial_);
  grpc_metadata_array_init(&trailing_);
}

Call::~Call() {
  assert((home_ == nullptr || step_ == Step::ended) && "gRPC still has pointers into this call");
  if (call_ != nullptr) grpc_call_unref(call_);
  if (request_ != nullptr) grpc_byte_buffer_destroy(request_);
  for (grpc_byte_buffer* message : messages_) grpc_byte_buffer_destroy(message);
  grpc_metadata_array_destroy(&initial_);
  grpc_metadata_array_destroy(&trailing_);
  grpc_slice_unref(details_);
}

bool Call::start(std::coroutine_handle<> awaiting, coro::CancelSource& source) {
  assert(home_ == nullptr && "a call is awaited once");
  if (source.cancelled()) {
    cancelled_ = true;
    transport_ = GRPC_STATUS_CANCELLED;
    return false;
  }
  source.add(*this);
  awaiting_ = awaiting;
  home_ = &source.worker();
  publish([](CompletionHandler& call) noexcept { static_cast<Call&>(call).on_completion(); });
  channel_.completions().call_soon(*this);
  return true;
}

void Call::begin(const grpc_op* operations, std::size_t count) noexcept {
  [[maybe_unused]] const grpc_call_error error = grpc_call_start_batch(
      call_, operations, count, static_cast<CompletionHandler*>(this), nullptr);
  assert(error == GRPC_CALL_OK);
}

grpc_op Call::status_operation() noexcept {
  grpc_op operation{};
  operation.op = GRPC_OP_RECV_STATUS_ON_CLIENT;
  operation.data.recv_status_on_client.trailing_metadata = &trailing_;
  operation.data.recv_status_on_client.status = &transport_;
  operation.data.recv_status_on_client.status_details = &details_;
  return operation;
}

void Call::begin_first() noexcept {
  call_ = channel_.start_call(method_, timeout_);
  Hold none = Hold::none;
  // Pairs with on_cancel(), which may have come first.
  if (!hold_.compare_exchange_strong(none, Hold::under_way, std::memory_order_release,
                                     std::memory_order_relaxed)) {
    grpc_call_cancel(call_, nullptr);
  }
  std::array<grpc_op, 6> operations{};
  operations[0].op = GRPC_OP_SEND_INITIAL_METADATA;
  operations[0].data.send_initial_metadata.count = metadata_->size();
  operations[0].data.send_initial_metadata.metadata = metadata_->data();
  operations[1].op = GRPC_OP_SEND_MESSAGE;
  operations[1].data.send_message.send_message = request_;
  operations[2].op = GRPC_OP_SEND_CLOSE_FROM_CLIENT;
  operations[3].op = GRPC_OP_RECV_INITIAL_METADATA;
  operations[3].data.recv_initial_metadata.recv_initial_metadata = &initial_;
  operations[4].op = GRPC_OP_RECV_MESSAGE;
  operations[4].data.recv_message.recv_message = &received_;
  operations[5] = status_operation();
  const bool streams = info_of(method_).streams;
  step_ = streams ? Step::messages : Step::status;
  begin(operations.data(), streams ? 5 : 6);
}

void Call::read_message() noexcept {
  grpc_op operation{};
  operation.op = GRPC_OP_RECV_MESSAGE;
  operation.data.recv_message.recv_message = &received_;
  begin(&operation, 1);
}

void Call::read_status() noexcept {
  step_ = Step::status;
  const grpc_op operation = status_operation();
  begin(&operation, 1);
}

// On the completion thread. Only one batch is under way at a time, so these come in order.
void Call::on_completion() noexcept {
  if (step_ == Step::idle) {
    begin_first();
    return;
  }
  const bool got_message = received_ != nullptr;
  if (got_message) messages_.push_back(std::exchange(received_, nullptr));
  if (step_ == Step::status) {
    end();
  } else if (got_message) {
    read_message();
  } else {
    read_status();
  }
}

void Call::end() noexcept {
  read_hints();
  step_ = Step::ended;
  // Let go of here, for the reason in completion_thread.h, but not while home may be cancelling it.
  if (hold_.exchange(Hold::over, std::memory_order_relaxed) == Hold::under_way) {
    grpc_call_unref(std::exchange(call_, nullptr));
  }
  // From here on the coroutine may go on at home and destroy this.
  home_->post([this] {
    unlink();
    home_->ready(awaiting_);
  });
}

// The call goes on until gRPC says that it has ended, which it does at once.
void Call::on_cancel() noexcept {
  cancelled_ = true;
  // Pairs with begin_first().
  if (hold_.exchange(Hold::over, std::memory_order_acquire) == Hold::under_way) {
    grpc_call_cancel(call_, nullptr);
  }
}

void Call::read_hints() noexcept {
  for (std::size_t i = 0; i < trailing_.count; ++i) {
    const std::string key = copied_text(trailing_.metadata[i].key);
    if (!key.starts_with("x-ydb-")) continue;
    const std::string value = copied_text(trailing_.metadata[i].value);
    if (key == "x-ydb-server-hints" && value == "session-close") session_close_ = true;
    if (key == "x-ydb-consumed-units") {
      std::from_chars(value.data(), value.data() + value.size(), consumed_units_);
    }
  }
}

void Call::require_transport(Stage stage) const {
  if (transport_ == GRPC_STATUS_OK) return;
  throw YdbError(transport(), copied_text(details_), info_of(method_).name, channel_.authority(),
                 stage);
}

void Call::parse_message(std::size_t i, google::protobuf::MessageLite& message, Stage stage) const {
  if (i >= messages_.size()) {
    throw YdbError(TransportStatus::internal, "the reply holds no message", info_of(method_).name,
                   channel_.authority(), stage);
  }
  if (!parse(messages_[i], message)) {
    throw YdbError(TransportStatus::data_loss, "the reply is not what the protocol has for it",
                   info_of(method_).name, channel_.authority(), stage);
  }
}

}  // namespace drover::database::ydb
