// StubServer: what speaks YDB's protocol as far as `drover tpcc run` needs it, answers at once and
// keeps no data, so that the cost of the client can be measured alone.
//
// Thread safety: any thread. Its handlers run on threads of gRPC and never wait.
#pragma once

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <memory>

namespace drover::bench {

// What it was asked for so far.
struct StubCounts {
  std::int64_t requests = 0;  // statements, commits and roll-backs
  std::int64_t parts = 0;     // of the replies to statements
  std::int64_t sessions = 0;
  std::int64_t connections = 0;  // over which sessions were made
  std::int64_t new_orders = 0;   // committed
};

class StubServer {
 public:
  // On `port` of this machine, 0: a free one. Pretends that so many warehouses are loaded. Throws
  // std::runtime_error.
  StubServer(int port, std::int32_t warehouses);
  StubServer(const StubServer&) = delete;
  StubServer& operator=(const StubServer&) = delete;
  ~StubServer();

  int port() const noexcept { return port_; }
  StubCounts counts() const;

 private:
  class Query;
  class Scheme;

  std::unique_ptr<Query> query_;
  std::unique_ptr<Scheme> scheme_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace drover::bench
