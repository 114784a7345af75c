// A YDB of the tests' own: a server of gRPC's, in the process of the test, on a free port of this
// machine. It has sessions and streams as the protocol has them, and no data: what a statement
// returns, and what goes wrong, a test says.
//
// Thread safety: any thread. Its handlers run on threads of gRPC.
#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "auth.pb.h"
#include "database/ydb/target.h"
#include "discovery.pb.h"
#include "operation.pb.h"
#include "query.pb.h"

namespace drover::database::ydb {

// How a call ends.
struct Ending {
  grpc::StatusCode code = grpc::StatusCode::OK;
  std::string details = {};
  bool hangs = false;  // until the client has cancelled it, or the server stops
  std::vector<std::pair<std::string, std::string>> trailing = {};
};

using Part = Ydb::Query::ExecuteQueryResponsePart;

// What a test may decide; what it leaves out goes well.
struct Behaviour {
  std::function<Ending(const Ydb::Query::ExecuteQueryRequest&, std::vector<Part>&)> execute;
  std::function<Ending(Ydb::Query::CreateSessionResponse&)> create_session;
  std::function<Ending(Ydb::Query::SessionState&)> attach_session;
  std::function<Ending(Ydb::Query::BeginTransactionResponse&)> begin;
  std::function<Ending(Ydb::Query::CommitTransactionResponse&)> commit;
  std::function<Ending(Ydb::Query::RollbackTransactionResponse&)> rollback;
  std::function<Ending(Ydb::Operations::Operation&)> list_endpoints;
  std::function<Ending(const Ydb::Auth::LoginRequest&, Ydb::Operations::Operation&)> login;
  std::function<Ending(Ydb::Operations::Operation&)> get_operation;
};

// What it has seen so far.
struct Seen {
  std::vector<Ydb::Query::ExecuteQueryRequest> statements;
  std::vector<std::map<std::string, std::string>> metadata;  // of each call
  std::set<std::string> peers;                               // the connections that had a call
  std::map<std::string, int> calls;                          // by name
  int cancelled = 0;                                         // calls that hung
  int streams = 0;                                           // sessions that are attached now
};

class FakeServer {
 public:
  // `key` and `certificate` are PEM; empty: without TLS.
  explicit FakeServer(std::string key = {}, std::string certificate = {});
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;
  ~FakeServer();

  Target target() const;

  // Ends all calls and connections. start() is on the same port again.
  void stop();
  void start();

  void behave(const std::function<void(Behaviour&)>& change);
  Seen seen() const;

  // Blocks the calling thread until it is so.
  void wait_until(const std::function<bool(const Seen&)>& so) const;

  // On the streams of all sessions that are attached.
  void say(const Ydb::Query::SessionState& state);
  void end_streams(grpc::StatusCode code);

 private:
  class Handling;
  class Discovery;
  class Auth;
  class Operations;
  class Query;

  void note(grpc::ServerContext& context, const std::string& name);
  Behaviour behaviour() const;
  grpc::Status end(grpc::ServerContext& context, const Ending& ending);
  grpc::Status stream(grpc::ServerContext& context, const Ydb::Query::SessionState& first,
                      grpc::ServerWriter<Ydb::Query::SessionState>& writer);

  std::string key_;
  std::string certificate_;
  int port_ = 0;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Behaviour behaviour_;
  Seen seen_;
  std::vector<Ydb::Query::SessionState> said_;
  int ends_ = 0;  // how often end_streams() was called
  grpc::StatusCode end_code_ = grpc::StatusCode::OK;
  std::int64_t sessions_made_ = 0;

  std::unique_ptr<Discovery> discovery_;
  std::unique_ptr<Auth> auth_;
  std::unique_ptr<Operations> operations_;
  std::unique_ptr<Query> query_;
  std::unique_ptr<grpc::Server> server_;
};

// A part that says no more than a status.
Part part_with(Ydb::StatusIds::StatusCode status, const std::string& issue = {});

// Rows of one column "n" of Int32.
Part part_with_numbers(const std::vector<int>& numbers, std::int64_t set = 0);

}  // namespace drover::database::ydb
