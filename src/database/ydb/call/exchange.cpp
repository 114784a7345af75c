#include "database/ydb/call/exchange.h"

#include <google/protobuf/message_lite.h>
#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>

#include <cassert>
#include <string_view>
#include <utility>

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

}  // namespace

bool parse(grpc_byte_buffer* bytes, google::protobuf::MessageLite& message) {
  grpc_byte_buffer_reader reader;
  if (grpc_byte_buffer_reader_init(&reader, bytes) == 0) return false;
  // Most messages come in one piece and are read where they lie.
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

}  // namespace drover::database::ydb
