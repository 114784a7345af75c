#include "database/ydb/call/call.h"

#include <google/protobuf/message_lite.h>
#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>

#include <cassert>
#include <string_view>
#include <utility>

#include "coro/worker.h"
#include "database/error.h"
#include "query.pb.h"

namespace drover::database::ydb {

namespace {

std::string_view view_of(const grpc_slice& slice) noexcept {
  return {reinterpret_cast<const char*>(GRPC_SLICE_START_PTR(slice)), GRPC_SLICE_LENGTH(slice)};
}

bool parse(const grpc_slice& slice, google::protobuf::MessageLite& message) {
  const std::string_view view = view_of(slice);
  return message.ParseFromArray(view.data(), static_cast<int>(view.size()));
}

grpc_byte_buffer* serialize(const google::protobuf::MessageLite& message) {
  const std::size_t bytes = message.ByteSizeLong();
  grpc_slice slice = grpc_slice_malloc(bytes);
  message.SerializeWithCachedSizesToArray(GRPC_SLICE_START_PTR(slice));
  grpc_byte_buffer* buffer = grpc_raw_byte_buffer_create(&slice, 1);
  grpc_slice_unref(slice);
  return buffer;
}

// Returns false if the bytes are no such message.
bool parse(grpc_byte_buffer* bytes, google::protobuf::MessageLite& message) {
  grpc_byte_buffer_reader reader;
  if (grpc_byte_buffer_reader_init(&reader, bytes) == 0) return false;
  // Most messages are in one piece, which needs no copy.
  grpc_slice* first = nullptr;
  bool parsed = false;
  if (bytes->data.raw.slice_buffer.count == 1 &&
      grpc_byte_buffer_reader_peek(&reader, &first) != 0) {
    parsed = parse(*first, message);
  } else {
    const grpc_slice all = grpc_byte_buffer_reader_readall(&reader);
    parsed = parse(all, message);
    grpc_slice_unref(all);
  }
  grpc_byte_buffer_reader_destroy(&reader);
  return parsed;
}

constexpr int levels_most = 8;
constexpr std::size_t issues_most = 100;

void collect(const Issues& issues, int level, std::size_t& count, std::string& text) {
  for (const Ydb::Issue::IssueMessage& issue : issues) {
    if (++count > issues_most || text.size() > message_bytes_max) return;
    if (!issue.message().empty()) {
      if (!text.empty()) text += "; ";
      text.append(issue.message(), 0, message_bytes_max);
    }
    if (level < levels_most) collect(issue.issues(), level + 1, count, text);
  }
}

TextPosition innermost_position(const Issues& issues, int level) {
  for (const Ydb::Issue::IssueMessage& issue : issues) {
    const TextPosition inner =
        level < levels_most ? innermost_position(issue.issues(), level + 1) : TextPosition{};
    if (inner.row > 0) return inner;
    if (issue.position().row() > 0) return {issue.position().row(), issue.position().column()};
  }
  return {};
}

struct DestroyBuffer {
  void operator()(grpc_byte_buffer* buffer) const noexcept { grpc_byte_buffer_destroy(buffer); }
};
using Buffer = std::unique_ptr<grpc_byte_buffer, DestroyBuffer>;

Ydb::Query::AttachSessionRequest request_for(const std::string& session_id) {
  Ydb::Query::AttachSessionRequest request;
  request.set_session_id(session_id);
  return request;
}

// Owned by the stream, and by itself while gRPC has pointers into it.
class OpenStream final : public Exchange, public std::enable_shared_from_this<OpenStream> {
 public:
  OpenStream(const std::string& session_id, SharedMetadata metadata, AttachListener& listener)
      : Exchange(request_for(session_id), std::move(metadata)),
        listener_(&listener),
        home_(coro::Worker::current()) {}

  void begin(Channel& channel) {
    call_ = channel.start_call(Method::attach_session, coro::Duration::zero());
    self_ = shared_from_this();
    completions_ = &channel.completions();
    completions_->stream_begins();
    publish(
        [](CompletionHandler& open) noexcept { static_cast<OpenStream&>(open).on_completion(); });
    Exchange::begin(true);
  }

  void abandon() noexcept {
    listener_ = nullptr;
    grpc_call_cancel(call_, nullptr);
  }

  void on_completion() noexcept {
    if (reading_status_) {
      CompletionThread& completions = *completions_;
      // The post may destroy this object.
      home_.post([open = std::move(self_)] { open->tell_end(); });
      completions.stream_ends();
      return;
    }
    if (received_ == nullptr) {
      reading_status_ = true;
      read_status();
      return;
    }
    home_.post([open = self_, message = Buffer(std::exchange(received_, nullptr))] {
      open->tell_state(message.get());
    });
    read_message();
  }

 private:
  void tell_state(grpc_byte_buffer* bytes) noexcept {
    if (listener_ == nullptr) return;
    Ydb::Query::SessionState state;
    if (!parse(bytes, state)) state.set_status(Ydb::StatusIds::STATUS_CODE_UNSPECIFIED);
    listener_->on_state(state);
  }

  void tell_end() noexcept {
    if (listener_ == nullptr) return;
    std::exchange(listener_, nullptr)
        ->on_stream_end(static_cast<TransportStatus>(status_), details());
  }

  // Used by the worker.
  AttachListener* listener_;  // null after the end of the stream
  coro::Worker& home_;
  CompletionThread* completions_ = nullptr;

  // Used by the completion thread, from begin() to the last post.
  std::shared_ptr<OpenStream> self_;
  bool reading_status_ = false;
};

}  // namespace

CallMetadata::CallMetadata(const std::string& database, const std::string& token,
                           bool session_balancer) {
  add("x-ydb-database", database);
  add("x-ydb-sdk-build-info", "drover/1.0");
  if (!token.empty()) add("x-ydb-auth-ticket", token);
  if (session_balancer) add("x-ydb-client-capabilities", "session-balancer");
}

CallMetadata::~CallMetadata() {
  for (std::size_t i = 0; i < size_; ++i) grpc_slice_unref(entries_[i].value);
}

void CallMetadata::add(const char* name, const std::string& value) {
  assert(size_ < entries_.size());
  entries_[size_].key = grpc_slice_from_static_string(name);
  entries_[size_].value = grpc_slice_from_copied_buffer(value.data(), value.size());
  ++size_;
}

Exchange::Exchange(const google::protobuf::MessageLite& request, SharedMetadata metadata)
    : metadata_(std::move(metadata)), request_(serialize(request)), details_(grpc_empty_slice()) {
  grpc_metadata_array_init(&initial_);
  grpc_metadata_array_init(&trailing_);
  operations_[0].op = GRPC_OP_SEND_INITIAL_METADATA;
  operations_[0].data.send_initial_metadata.count = metadata_->size();
  operations_[0].data.send_initial_metadata.metadata = metadata_->data();
  operations_[1].op = GRPC_OP_SEND_MESSAGE;
  operations_[1].data.send_message.send_message = request_;
  operations_[2].op = GRPC_OP_SEND_CLOSE_FROM_CLIENT;
  operations_[3].op = GRPC_OP_RECV_INITIAL_METADATA;
  operations_[3].data.recv_initial_metadata.recv_initial_metadata = &initial_;
  operations_[4].op = GRPC_OP_RECV_MESSAGE;
  operations_[4].data.recv_message.recv_message = &received_;
  operations_[5].op = GRPC_OP_RECV_STATUS_ON_CLIENT;
  operations_[5].data.recv_status_on_client.trailing_metadata = &trailing_;
  operations_[5].data.recv_status_on_client.status = &status_;
  operations_[5].data.recv_status_on_client.status_details = &details_;
}

Exchange::~Exchange() {
  if (call_ != nullptr) grpc_call_unref(call_);
  grpc_byte_buffer_destroy(request_);
  grpc_metadata_array_destroy(&initial_);
  grpc_metadata_array_destroy(&trailing_);
  grpc_slice_unref(details_);
}

void Exchange::start(std::size_t first, std::size_t count) noexcept {
  [[maybe_unused]] const grpc_call_error error = grpc_call_start_batch(
      call_, &operations_.at(first), count, static_cast<CompletionHandler*>(this), nullptr);
  assert(error == GRPC_CALL_OK);
}

std::string Exchange::details() const {
  return std::string(view_of(details_));
}

bool Exchange::has_trailing(const char* key, const char* value) const noexcept {
  for (std::size_t i = 0; i < trailing_.count; ++i) {
    const grpc_metadata& entry = trailing_.metadata[i];
    if (view_of(entry.key) == key && view_of(entry.value) == value) return true;
  }
  return false;
}

TextPosition position_of(const Issues& issues) {
  return innermost_position(issues, 1);
}

std::string issues_text(const Issues& issues) {
  std::string text;
  std::size_t count = 0;
  collect(issues, 1, count, text);
  return one_line(text);
}

YdbError reply_error(Ydb::StatusIds::StatusCode status, const Issues& issues, Method method,
                     Stage stage) {
  return YdbError(static_cast<Status>(status), issues_text(issues), info_of(method).name, stage,
                  position_of(issues));
}

YdbError transport_error(TransportStatus status, std::string_view details, Method method,
                         const std::string& peer, Stage stage) {
  return {status, details, info_of(method).name, peer, stage};
}

YdbError unexpected_reply(Method method, const std::string& peer, Stage stage) {
  return transport_error(TransportStatus::data_loss,
                         "the reply does not have the form that the protocol defines", method, peer,
                         stage);
}

Call::Call(Channel& channel, Method method, const google::protobuf::MessageLite& request,
           SharedMetadata metadata, coro::Duration timeout)
    : Exchange(request, std::move(metadata)),
      channel_(channel),
      method_(method),
      timeout_(timeout) {}

Call::~Call() {
  assert((home_ == nullptr || step_ == Step::ended) && "gRPC still has pointers into this call");
  for (grpc_byte_buffer* message : messages_) grpc_byte_buffer_destroy(message);
}

bool Call::start(std::coroutine_handle<> awaiting, coro::CancelSource& source) {
  assert(home_ == nullptr && "a call is awaited once");
  if (source.cancelled()) {
    cancelled_ = true;
    status_ = GRPC_STATUS_CANCELLED;
    return false;
  }
  source.add(*this);
  awaiting_ = awaiting;
  home_ = &source.worker();
  publish([](CompletionHandler& call) noexcept { static_cast<Call&>(call).on_completion(); });
  channel_.completions().call_soon(*this);
  return true;
}

void Call::begin_first() noexcept {
  call_ = channel_.start_call(method_, timeout_);
  Hold none = Hold::none;
  // Pairs with on_cancel(), which may have come first.
  if (!hold_.compare_exchange_strong(none, Hold::under_way, std::memory_order_release,
                                     std::memory_order_relaxed)) {
    grpc_call_cancel(call_, nullptr);
  }
  const bool streams = info_of(method_).streams;
  step_ = streams ? Step::messages : Step::status;
  begin(streams);
}

// Runs on the completion thread.
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
    step_ = Step::status;
    read_status();
  }
}

void Call::end() noexcept {
  session_close_ = has_trailing("x-ydb-server-hints", "session-close");
  step_ = Step::ended;
  // Released here for the reason given at CompletionThread, unless the worker is cancelling it.
  if (hold_.exchange(Hold::over, std::memory_order_relaxed) == Hold::under_way) {
    grpc_call_unref(std::exchange(call_, nullptr));
  }
  // After the post, the coroutine may continue on the worker and destroy this call.
  home_->post([this] {
    unlink();
    home_->ready(awaiting_);
  });
}

void Call::on_cancel() noexcept {
  cancelled_ = true;
  // Pairs with begin_first().
  if (hold_.exchange(Hold::over, std::memory_order_acquire) == Hold::under_way) {
    grpc_call_cancel(call_, nullptr);
  }
}

void Call::require_transport(Stage stage) const {
  if (status_ == GRPC_STATUS_OK) return;
  throw transport_error(transport(), details(), method_, channel_.authority(), stage);
}

void Call::parse_message(std::size_t i, google::protobuf::MessageLite& message, Stage stage) const {
  if (i >= messages_.size()) {
    throw transport_error(TransportStatus::internal, "the reply holds no message", method_,
                          channel_.authority(), stage);
  }
  if (!parse(messages_[i], message)) throw unexpected_reply(method_, channel_.authority(), stage);
}

AttachStream open_attach_stream(Channel& channel, const std::string& session_id,
                                SharedMetadata metadata, AttachListener& listener) {
  auto open = std::make_shared<OpenStream>(session_id, std::move(metadata), listener);
  open->begin(channel);
  return {open.get(), [open](void*) { open->abandon(); }};
}

}  // namespace drover::database::ydb
