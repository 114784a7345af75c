#include "database/ydb/call_metadata.h"

#include <cassert>

namespace drover::database::ydb {

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

}  // namespace drover::database::ydb
