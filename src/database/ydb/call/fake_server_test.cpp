#include "database/ydb/call/fake_server_test.h"

#include <fmt/format.h>

#include <chrono>

#include "auth_service.grpc.pb.h"
#include "discovery_service.grpc.pb.h"
#include "operation_service.grpc.pb.h"
#include "query_service.grpc.pb.h"

namespace drover::database::ydb {

using grpc::ServerContext;
using Ydb::StatusIds;

namespace {

// gRPC tells a blocking handler of a cancellation only when it asks.
constexpr std::chrono::milliseconds ask_again(2);

}  // namespace

// While a handler runs. What it has done is seen by whoever stops the server: gRPC sees to that,
// too, but out of sight of the thread sanitizer.
class FakeServer::Handling {
 public:
  Handling(FakeServer& server, ServerContext& context, const char* name);
  Handling(const Handling&) = delete;
  Handling& operator=(const Handling&) = delete;
  ~Handling();

 private:
  FakeServer& server_;
};

class FakeServer::Discovery final : public Ydb::Discovery::V1::DiscoveryService::Service {
 public:
  explicit Discovery(FakeServer& server) : server_(server) {}

  grpc::Status ListEndpoints(ServerContext* context, const Ydb::Discovery::ListEndpointsRequest*,
                             Ydb::Discovery::ListEndpointsResponse* response) override {
    const Handling handling(server_, *context, "ListEndpoints");
    Ydb::Operations::Operation& operation = *response->mutable_operation();
    operation.set_ready(true);
    operation.set_status(StatusIds::SUCCESS);
    Ydb::Discovery::ListEndpointsResult result;
    Ydb::Discovery::EndpointInfo& endpoint = *result.add_endpoints();
    endpoint.set_address("127.0.0.1");
    endpoint.set_port(static_cast<std::uint32_t>(server_.port_));
    endpoint.set_node_id(1);
    operation.mutable_result()->PackFrom(result);
    const auto behave = server_.behaviour().list_endpoints;
    return server_.end(*context, behave ? behave(operation) : Ending{});
  }

 private:
  FakeServer& server_;
};

class FakeServer::Auth final : public Ydb::Auth::V1::AuthService::Service {
 public:
  explicit Auth(FakeServer& server) : server_(server) {}

  grpc::Status Login(ServerContext* context, const Ydb::Auth::LoginRequest* request,
                     Ydb::Auth::LoginResponse* response) override {
    const Handling handling(server_, *context, "Login");
    Ydb::Operations::Operation& operation = *response->mutable_operation();
    operation.set_ready(true);
    operation.set_status(StatusIds::SUCCESS);
    Ydb::Auth::LoginResult result;
    result.set_token("token-of-" + request->user());
    operation.mutable_result()->PackFrom(result);
    const auto behave = server_.behaviour().login;
    return server_.end(*context, behave ? behave(*request, operation) : Ending{});
  }

 private:
  FakeServer& server_;
};

class FakeServer::Operations final : public Ydb::Operation::V1::OperationService::Service {
 public:
  explicit Operations(FakeServer& server) : server_(server) {}

  grpc::Status GetOperation(ServerContext* context,
                            const Ydb::Operations::GetOperationRequest* request,
                            Ydb::Operations::GetOperationResponse* response) override {
    const Handling handling(server_, *context, "GetOperation");
    response->mutable_operation()->set_id(request->id());
    const auto behave = server_.behaviour().get_operation;
    return server_.end(*context, behave ? behave(*response->mutable_operation()) : Ending{});
  }

  grpc::Status CancelOperation(ServerContext* context,
                               const Ydb::Operations::CancelOperationRequest* request,
                               Ydb::Operations::CancelOperationResponse* response) override {
    const Handling handling(server_, *context, "CancelOperation");
    const bool known = request->id() != "unknown";
    response->set_status(known ? StatusIds::SUCCESS : StatusIds::NOT_FOUND);
    return grpc::Status::OK;
  }

 private:
  FakeServer& server_;
};

class FakeServer::Query final : public Ydb::Query::V1::QueryService::Service {
 public:
  explicit Query(FakeServer& server) : server_(server) {}

  grpc::Status CreateSession(ServerContext* context, const Ydb::Query::CreateSessionRequest*,
                             Ydb::Query::CreateSessionResponse* response) override {
    const Handling handling(server_, *context, "CreateSession");
    response->set_status(StatusIds::SUCCESS);
    response->set_node_id(1);
    {
      const std::lock_guard lock(server_.mutex_);
      response->set_session_id(fmt::format("session-{}", ++server_.sessions_made_));
    }
    const auto behave = server_.behaviour().create_session;
    return server_.end(*context, behave ? behave(*response) : Ending{});
  }

  grpc::Status AttachSession(ServerContext* context, const Ydb::Query::AttachSessionRequest*,
                             grpc::ServerWriter<Ydb::Query::SessionState>* writer) override {
    const Handling handling(server_, *context, "AttachSession");
    Ydb::Query::SessionState state;
    state.set_status(StatusIds::SUCCESS);
    const auto behave = server_.behaviour().attach_session;
    if (behave) {
      const Ending ending = behave(state);
      if (ending.hangs || ending.code != grpc::StatusCode::OK) {
        return server_.end(*context, ending);
      }
    }
    return server_.stream(*context, state, *writer);
  }

  grpc::Status DeleteSession(ServerContext* context, const Ydb::Query::DeleteSessionRequest*,
                             Ydb::Query::DeleteSessionResponse* response) override {
    const Handling handling(server_, *context, "DeleteSession");
    response->set_status(StatusIds::SUCCESS);
    return grpc::Status::OK;
  }

  grpc::Status ExecuteQuery(ServerContext* context, const Ydb::Query::ExecuteQueryRequest* request,
                            grpc::ServerWriter<Part>* writer) override {
    const Handling handling(server_, *context, "ExecuteQuery");
    {
      const std::lock_guard lock(server_.mutex_);
      server_.seen_.statements.push_back(*request);
    }
    server_.changed_.notify_all();
    std::vector<Part> parts;
    Ending ending;
    const auto behave = server_.behaviour().execute;
    if (behave) {
      ending = behave(*request, parts);
    } else {
      parts.push_back(part_with(StatusIds::SUCCESS));
    }
    const bool begins = request->tx_control().has_begin_tx() && !request->tx_control().commit_tx();
    for (Part& part : parts) {
      if (begins && part.status() == StatusIds::SUCCESS && !part.has_tx_meta()) {
        part.mutable_tx_meta()->set_id("tx-of-" + request->session_id());
      }
      writer->Write(part);
    }
    return server_.end(*context, ending);
  }

  grpc::Status BeginTransaction(ServerContext* context, const Ydb::Query::BeginTransactionRequest*,
                                Ydb::Query::BeginTransactionResponse* response) override {
    const Handling handling(server_, *context, "BeginTransaction");
    response->set_status(StatusIds::SUCCESS);
    response->mutable_tx_meta()->set_id("tx");
    const auto behave = server_.behaviour().begin;
    return server_.end(*context, behave ? behave(*response) : Ending{});
  }

  grpc::Status CommitTransaction(ServerContext* context,
                                 const Ydb::Query::CommitTransactionRequest*,
                                 Ydb::Query::CommitTransactionResponse* response) override {
    const Handling handling(server_, *context, "CommitTransaction");
    response->set_status(StatusIds::SUCCESS);
    const auto behave = server_.behaviour().commit;
    return server_.end(*context, behave ? behave(*response) : Ending{});
  }

  grpc::Status RollbackTransaction(ServerContext* context,
                                   const Ydb::Query::RollbackTransactionRequest*,
                                   Ydb::Query::RollbackTransactionResponse* response) override {
    const Handling handling(server_, *context, "RollbackTransaction");
    response->set_status(StatusIds::SUCCESS);
    const auto behave = server_.behaviour().rollback;
    return server_.end(*context, behave ? behave(*response) : Ending{});
  }

 private:
  FakeServer& server_;
};

FakeServer::FakeServer(std::string key, std::string certificate)
    : key_(std::move(key)),
      certificate_(std::move(certificate)),
      discovery_(std::make_unique<Discovery>(*this)),
      auth_(std::make_unique<Auth>(*this)),
      operations_(std::make_unique<Operations>(*this)),
      query_(std::make_unique<Query>(*this)) {
  start();
}

FakeServer::~FakeServer() {
  stop();
}

void FakeServer::start() {
  grpc::ServerBuilder builder;
  auto credentials = grpc::InsecureServerCredentials();
  if (!key_.empty()) {
    grpc::SslServerCredentialsOptions options;
    options.pem_key_cert_pairs.push_back({key_, certificate_});
    credentials = grpc::SslServerCredentials(options);
  }
  builder.AddListeningPort(fmt::format("127.0.0.1:{}", port_), credentials, &port_);
  builder.SetMaxReceiveMessageSize(64'000'000);
  // A starved machine may ask whether the connection lives oftener than a server likes.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1);
  builder.RegisterService(discovery_.get());
  builder.RegisterService(auth_.get());
  builder.RegisterService(operations_.get());
  builder.RegisterService(query_.get());
  server_ = builder.BuildAndStart();
  if (!server_) throw std::runtime_error("the server of the test does not start");
}

void FakeServer::stop() {
  if (!server_) return;
  server_->Shutdown(std::chrono::system_clock::now());
  server_->Wait();
  server_.reset();
  const std::lock_guard lock(mutex_);  // pairs with ~Handling()
}

Target FakeServer::target() const {
  Target target = parse_target(fmt::format("ydb://127.0.0.1:{}/Root/test", port_));
  target.tls = !key_.empty();
  return target;
}

void FakeServer::behave(const std::function<void(Behaviour&)>& change) {
  const std::lock_guard lock(mutex_);
  change(behaviour_);
}

Behaviour FakeServer::behaviour() const {
  const std::lock_guard lock(mutex_);
  return behaviour_;
}

Seen FakeServer::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

void FakeServer::wait_until(const std::function<bool(const Seen&)>& so) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this, &so] { return so(seen_); });
}

void FakeServer::say(const Ydb::Query::SessionState& state) {
  const std::lock_guard lock(mutex_);
  said_.push_back(state);
  changed_.notify_all();
}

void FakeServer::end_streams(grpc::StatusCode code) {
  const std::lock_guard lock(mutex_);
  end_code_ = code;
  ++ends_;
  changed_.notify_all();
}

FakeServer::Handling::Handling(FakeServer& server, ServerContext& context, const char* name)
    : server_(server) {
  server_.note(context, name);
}

FakeServer::Handling::~Handling() {
  const std::lock_guard lock(server_.mutex_);
}

void FakeServer::note(ServerContext& context, const std::string& name) {
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : context.client_metadata()) {
    metadata[std::string(key.data(), key.size())] = std::string(value.data(), value.size());
  }
  const std::lock_guard lock(mutex_);
  seen_.metadata.push_back(std::move(metadata));
  seen_.peers.insert(context.peer());
  ++seen_.calls[name];
  changed_.notify_all();
}

grpc::Status FakeServer::end(ServerContext& context, const Ending& ending) {
  for (const auto& [key, value] : ending.trailing) context.AddTrailingMetadata(key, value);
  if (ending.hangs) {
    std::unique_lock lock(mutex_);
    while (!context.IsCancelled()) changed_.wait_for(lock, ask_again);
    ++seen_.cancelled;
    changed_.notify_all();
    return grpc::Status::CANCELLED;
  }
  return {ending.code, ending.details};
}

grpc::Status FakeServer::stream(ServerContext& context, const Ydb::Query::SessionState& first,
                                grpc::ServerWriter<Ydb::Query::SessionState>& writer) {
  std::unique_lock lock(mutex_);
  // Before the client is told: from then on a test may say something to the stream.
  ++seen_.streams;
  std::size_t heard = said_.size();
  const int ends = ends_;
  changed_.notify_all();
  lock.unlock();
  writer.Write(first);
  lock.lock();
  while (!context.IsCancelled() && ends == ends_) {
    if (heard < said_.size()) {
      const Ydb::Query::SessionState state = said_[heard++];
      lock.unlock();
      writer.Write(state);
      lock.lock();
      continue;
    }
    changed_.wait_for(lock, ask_again);
  }
  --seen_.streams;
  changed_.notify_all();
  return {ends == ends_ ? grpc::StatusCode::CANCELLED : end_code_, "ended"};
}

Part part_with(StatusIds::StatusCode status, const std::string& issue) {
  Part part;
  part.set_status(status);
  if (!issue.empty()) part.add_issues()->set_message(issue);
  return part;
}

Part part_with_numbers(const std::vector<int>& numbers, std::int64_t set) {
  Part part = part_with(StatusIds::SUCCESS);
  part.set_result_set_index(set);
  Ydb::Column& column = *part.mutable_result_set()->add_columns();
  column.set_name("n");
  column.mutable_type()->set_type_id(Ydb::Type::INT32);
  for (const int number : numbers) {
    part.mutable_result_set()->add_rows()->add_items()->set_int32_value(number);
  }
  return part;
}

}  // namespace drover::database::ydb
