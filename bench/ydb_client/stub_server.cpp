#include "stub_server.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answer.h"
#include "query_service.grpc.pb.h"
#include "scheme_service.grpc.pb.h"
#include "workload/tpcc/schema.h"

namespace drover::bench {
namespace {

using grpc::CallbackServerContext;
using grpc::ServerUnaryReactor;
using grpc::ServerWriteReactor;

template <class Response>
ServerUnaryReactor* succeed(CallbackServerContext& context, Response& response) {
  response.set_status(Ydb::StatusIds::SUCCESS);
  ServerUnaryReactor* reactor = context.DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

// Sends the parts one after the other, then ends. Owns itself.
class Sending final : public ServerWriteReactor<Part> {
 public:
  explicit Sending(std::vector<Part> parts) : parts_(std::move(parts)) { send_next(); }

  void OnWriteDone(bool ok) override {
    if (ok) {
      send_next();
    } else {
      Finish(grpc::Status::CANCELLED);
    }
  }
  void OnDone() override { delete this; }

 private:
  void send_next() {
    const Part& part = parts_[sent_++];
    if (sent_ < parts_.size()) {
      StartWrite(&part);
    } else {
      StartWriteAndFinish(&part, grpc::WriteOptions(), grpc::Status::OK);
    }
  }

  std::vector<Part> parts_;
  std::size_t sent_ = 0;
};

// The stream by which a session lives: one message, then silence until the client is gone. Owns
// itself.
class Attached final : public ServerWriteReactor<Ydb::Query::SessionState> {
 public:
  Attached() {
    state_.set_status(Ydb::StatusIds::SUCCESS);
    StartWrite(&state_);
  }

  void OnCancel() override { Finish(grpc::Status::CANCELLED); }
  void OnDone() override { delete this; }

 private:
  Ydb::Query::SessionState state_;
};

}  // namespace

class StubServer::Query final : public Ydb::Query::V1::QueryService::CallbackService {
 public:
  explicit Query(std::int32_t warehouses) : warehouses_(warehouses) {}

  StubCounts counts() const {
    const std::lock_guard lock(mutex_);
    return {.requests = requests_,
            .parts = parts_,
            .sessions = sessions_,
            .connections = static_cast<std::int64_t>(peers_.size()),
            .new_orders = committed_.new_orders};
  }

 private:
  ServerUnaryReactor* CreateSession(CallbackServerContext* context,
                                    const Ydb::Query::CreateSessionRequest*,
                                    Ydb::Query::CreateSessionResponse* response) override {
    const std::lock_guard lock(mutex_);
    peers_.insert(context->peer());
    response->set_node_id(1);
    response->set_session_id("session-" + std::to_string(++sessions_));
    return succeed(*context, *response);
  }

  ServerWriteReactor<Ydb::Query::SessionState>* AttachSession(
      CallbackServerContext*, const Ydb::Query::AttachSessionRequest*) override {
    return new Attached;
  }

  ServerUnaryReactor* DeleteSession(CallbackServerContext* context,
                                    const Ydb::Query::DeleteSessionRequest*,
                                    Ydb::Query::DeleteSessionResponse* response) override {
    return succeed(*context, *response);
  }

  ServerWriteReactor<Part>* ExecuteQuery(CallbackServerContext*,
                                         const Ydb::Query::ExecuteQueryRequest* request) override {
    ++requests_;
    std::vector<Part> parts = answer(*request, warehouses_, committed_);
    parts_ += static_cast<std::int64_t>(parts.size());
    return new Sending(std::move(parts));
  }

  ServerUnaryReactor* CommitTransaction(CallbackServerContext* context,
                                        const Ydb::Query::CommitTransactionRequest*,
                                        Ydb::Query::CommitTransactionResponse* response) override {
    ++requests_;
    return succeed(*context, *response);
  }

  ServerUnaryReactor* RollbackTransaction(
      CallbackServerContext* context, const Ydb::Query::RollbackTransactionRequest*,
      Ydb::Query::RollbackTransactionResponse* response) override {
    ++requests_;
    return succeed(*context, *response);
  }

  const std::int32_t warehouses_;
  Committed committed_;
  std::atomic<std::int64_t> requests_{0};
  std::atomic<std::int64_t> parts_{0};

  mutable std::mutex mutex_;  // of the rest
  std::int64_t sessions_ = 0;
  std::set<std::string> peers_;
};

// All tables are there, and none of those of the import: as if another tool had loaded them.
class StubServer::Scheme final : public Ydb::Scheme::V1::SchemeService::CallbackService {
  ServerUnaryReactor* ListDirectory(CallbackServerContext* context,
                                    const Ydb::Scheme::ListDirectoryRequest*,
                                    Ydb::Scheme::ListDirectoryResponse* response) override {
    Ydb::Scheme::ListDirectoryResult result;
    for (const tpcc::Table table : tpcc::all_tables) {
      Ydb::Scheme::Entry& entry = *result.add_children();
      entry.set_name(std::string(tpcc::table_name(table)));
      entry.set_type(Ydb::Scheme::Entry::TABLE);
    }
    Ydb::Operations::Operation& operation = *response->mutable_operation();
    operation.set_ready(true);
    operation.mutable_result()->PackFrom(result);
    return succeed(*context, operation);
  }
};

StubServer::StubServer(int port, std::int32_t warehouses)
    : query_(std::make_unique<Query>(warehouses)), scheme_(std::make_unique<Scheme>()) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:" + std::to_string(port), grpc::InsecureServerCredentials(),
                           &port_);
  // The client asks whether the connection lives, which a server that says nothing else dislikes.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
  builder.RegisterService(query_.get());
  builder.RegisterService(scheme_.get());
  server_ = builder.BuildAndStart();
  if (!server_ || port_ == 0) {
    throw std::runtime_error("the stub of YDB does not start on port " + std::to_string(port));
  }
}

StubServer::~StubServer() {
  server_->Shutdown(std::chrono::system_clock::now());
}

StubCounts StubServer::counts() const {
  return query_->counts();
}

}  // namespace drover::bench
