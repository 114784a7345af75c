// CallMetadata: the headers that go out with a call. Made once, shared by many calls, which keep it
// until they have ended; a new token is a new one.
//
// Thread safety: unchanging.
#pragma once

#include <grpc/grpc.h>

#include <array>
#include <memory>
#include <string>

namespace drover::database::ydb {

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

}  // namespace drover::database::ydb
