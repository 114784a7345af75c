// Client: a worker's access to a YDB database. It logs in, discovers the nodes, and owns the
// connections to them.
//
//   Client client(options);
//   co_await client.connect();
//   scope.start(client.keep_up());                       // beside the work, until cancelled
//   auto session = co_await ServerSession::open(client);
//
// Thread safety: none; a client belongs to one worker. It has a thread for gRPC
// (CompletionThread). Errors: YdbError, with the class unavailable or denied before a session is
// open.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/ydb/call/call.h"
#include "database/ydb/call/channel.h"
#include "database/ydb/target.h"
#include "database/ydb/ydb_error.h"

namespace Ydb::Operations {
class Operation;
}

namespace drover::database::ydb {

// The nodes of a database, and the choice of one for the next session.
//
// The choice is random among the nodes of the lowest load, and of these among the nodes with the
// fewest sessions of this client. A node that failed or is about to shut down is chosen only if
// there is no other node, until the next discovery.
class Endpoints {
 public:
  explicit Endpoints(std::uint64_t seed)
      : random_(static_cast<std::minstd_rand::result_type>(seed)) {}

  // Sets the nodes that a discovery has found, at most the first 1000. Sessions stay counted.
  void replace(std::vector<Endpoint> endpoints);

  // Returns null if there is no node. Valid until the next replace().
  const Endpoint* choose();

  // Returns null for an unknown node.
  const Endpoint* of_node(std::uint32_t node_id) const noexcept;

  // Avoids a node until the next replace().
  void demote(const std::string& authority) { demoted_.insert(authority); }

  void session_opened(const std::string& authority) { ++sessions_[authority]; }
  void session_closed(const std::string& authority) noexcept;

  std::size_t size() const noexcept { return endpoints_.size(); }
  const std::vector<Endpoint>& list() const noexcept { return endpoints_; }

 private:
  std::vector<Endpoint> endpoints_;
  std::set<std::string> demoted_;                // authorities
  std::map<std::string, std::size_t> sessions_;  // by authority, also of unknown nodes
  std::minstd_rand random_;
};

struct ClientOptions {
  Target target;
  Credentials credentials = {};
  // False: the target's host is the only node, for servers whose own addresses cannot be reached,
  // as in containers.
  bool discovery = true;
  coro::Duration request_timeout = std::chrono::seconds(60);  // of each call; zero: none
  coro::Duration opening_timeout = std::chrono::seconds(5);   // of calls that open a session
  coro::Duration discovery_interval = std::chrono::seconds(60);
  std::uint64_t seed = 0;  // of the choice of nodes
};

class Client {
 public:
  explicit Client(ClientOptions options);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Requires: no session is left, and no call is in progress. Blocks until gRPC has finished
  // cancelled calls.
  ~Client();

  // Logs in if there is a user, then discovers the nodes.
  coro::Task<void> connect();

  // Discovers the nodes each discovery_interval, and logs in before the token expires, until it is
  // cancelled. Repeats what fails.
  coro::Task<void> keep_up();

  // Sends a request whose reply is an operation, to a chosen node, and waits until the operation is
  // ready. Throws if it fails.
  coro::Task<Ydb::Operations::Operation> operate(Method method,
                                                 const google::protobuf::MessageLite& request);

  coro::Task<void> cancel_operation(std::string id);

  const ClientOptions& options() const noexcept { return options_; }
  const Endpoints& endpoints() const noexcept { return endpoints_; }
  std::uint64_t discoveries() const noexcept { return discoveries_; }
  std::uint64_t logins() const noexcept { return logins_; }

  // The following functions are for sessions, and for operations that run in the background.

  // Makes a call with one message each way. Avoids the node after a failure.
  coro::Task<void> ask(Channel& channel, Method method,
                       const google::protobuf::MessageLite& request,
                       google::protobuf::MessageLite& response, SharedMetadata metadata,
                       coro::Duration timeout, Stage stage);
  // Returns the operation of a reply, which may have failed or not be ready.
  coro::Task<Ydb::Operations::Operation> begin_operation(
      Channel& channel, Method method, const google::protobuf::MessageLite& request,
      coro::Duration timeout, Stage stage);

  // A session's place on a node, which is counted while it exists.
  class NodeLease {
   public:
    NodeLease(Client& client, std::shared_ptr<Channel> channel);
    NodeLease(NodeLease&&) noexcept = default;
    NodeLease& operator=(NodeLease&&) = delete;
    ~NodeLease();

    Channel& channel() const noexcept { return *channel_; }

   private:
    Client& client_;
    std::shared_ptr<Channel> channel_;  // null: moved away
  };

  // Returns the place of the next session; without any node, on the target's host.
  NodeLease choose_node() { return {*this, choose_channel()}; }
  // Returns nothing for an unknown node.
  std::optional<NodeLease> lease_node(std::uint32_t node_id);
  const SharedMetadata& metadata() const noexcept { return metadata_; }
  // With discovery, these headers say that the client accepts a session on another node.
  const SharedMetadata& opening_metadata() const noexcept { return opening_metadata_; }
  // Opens no new session on this node until the next discovery.
  void avoid(const Channel& channel) noexcept { endpoints_.demote(channel.authority()); }
  // Avoids the node if the error says that it cannot be reached.
  void note_failure(const Channel& channel, const YdbError& error) noexcept;

 private:
  coro::Task<void> log_in();
  coro::Task<void> discover();
  coro::Task<void> keep_discovering();
  coro::Task<void> keep_logged_in();
  template <class Result>
  coro::Task<Result> ask_target(Method method, const google::protobuf::MessageLite& request);
  coro::Task<Ydb::Operations::Operation> operate_on(std::shared_ptr<Channel> channel, Method method,
                                                    const google::protobuf::MessageLite& request,
                                                    coro::Duration timeout, Stage stage);
  std::shared_ptr<Channel> choose_channel();
  std::shared_ptr<Channel> channel_to(const Endpoint& endpoint);
  Endpoint target_endpoint() const;
  bool logs_in() const noexcept {
    return options_.credentials.token.empty() && !options_.credentials.user.empty();
  }
  void set_token(const std::string& token);
  void forget_unused_channels();

  ClientOptions options_;
  CompletionThread completions_;                              // outlives the channels
  std::map<std::string, std::shared_ptr<Channel>> channels_;  // by authority
  Endpoints endpoints_;
  SharedMetadata metadata_;
  SharedMetadata opening_metadata_;
  coro::Instant renew_at_{};  // the time of the next login
  std::uint64_t discoveries_ = 0;
  std::uint64_t logins_ = 0;
};

}  // namespace drover::database::ydb
