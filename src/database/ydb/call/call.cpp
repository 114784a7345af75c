#include "database/ydb/call/call.h"

#include <grpc/byte_buffer.h>

#include <cassert>
#include <utility>

#include "coro/worker.h"
#include "database/error.h"

namespace drover::database::ydb {
namespace {

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

TextPlace innermost_place(const Issues& issues, int level) {
  for (const Ydb::Issue::IssueMessage& issue : issues) {
    const TextPlace inner =
        level < levels_most ? innermost_place(issue.issues(), level + 1) : TextPlace{};
    if (inner.row > 0) return inner;
    if (issue.position().row() > 0) return {issue.position().row(), issue.position().column()};
  }
  return {};
}

}  // namespace

TextPlace place_of(const Issues& issues) {
  return innermost_place(issues, 1);
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
                  place_of(issues));
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

// On the completion thread.
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

}  // namespace drover::database::ydb
