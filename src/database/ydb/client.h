// Client: a worker's way to a database of YDB. Knows its nodes (discovery), who we are (login), and
// has the connections; sessions are made with it.
//
//   Client client(options);
//   co_await client.connect();
//   scope.start(client.keep_up());                       // beside the work, until cancelled
//   auto session = co_await Session::open(client);
//
// Belongs to one worker; not thread-safe. Has a thread of its own for gRPC (completion_thread.h).
// Everything throws YdbError, whose class is unavailable or denied while nothing is open yet.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/ydb/call/channel.h"
#include "database/ydb/call/completion_thread.h"
#include "database/ydb/credentials.h"
#include "database/ydb/endpoints.h"
#include "database/ydb/target.h"
#include "database/ydb/ydb_error.h"

namespace google::protobuf {
class MessageLite;
}
namespace Ydb::Operations {
class Operation;
}

namespace drover::database::ydb {

class CallMetadata;
class Channel;

struct ClientOptions {
  Target target;
  Credentials credentials = {};
  // Without it, the host of the target is the only node: for servers that name themselves by what
  // cannot be reached from here, as in containers.
  bool discovery = true;
  coro::Duration request_timeout = std::chrono::seconds(60);  // of each call; zero: none
  coro::Duration opening_timeout = std::chrono::seconds(5);   // of what comes before a session
  coro::Duration discovery_interval = std::chrono::seconds(60);
  std::uint64_t seed = 0;  // of the choice of nodes
};

class Client {
 public:
  explicit Client(ClientOptions options);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Requires: no session of it is left, and no call is under way. Blocks until gRPC has let go of
  // what was cancelled.
  ~Client();

  // Logs in if there is a user, then finds the nodes.
  coro::Task<void> connect();

  // Finds the nodes anew each discovery_interval, and logs in again before the token runs out,
  // until it is cancelled. A failure of either is not thrown: what is known stays good, and it is
  // tried again.
  coro::Task<void> keep_up();

  // Makes a request whose reply is an operation, and waits until that is ready. Throws if it fails.
  // The method says which request it is. On a node of the best.
  coro::Task<Ydb::Operations::Operation> operate(Method method,
                                                 const google::protobuf::MessageLite& request);

  coro::Task<void> cancel_operation(std::string id);

  const ClientOptions& options() const noexcept { return options_; }
  const Endpoints& endpoints() const noexcept { return endpoints_; }
  std::uint64_t discoveries() const noexcept { return discoveries_; }
  std::uint64_t logins() const noexcept { return logins_; }

  // For sessions, and for operations that nobody waits for.

  // A call with one message each way. Takes note of a failure of the node.
  coro::Task<void> ask(Channel& channel, Method method,
                       const google::protobuf::MessageLite& request,
                       google::protobuf::MessageLite& response,
                       std::shared_ptr<const CallMetadata> metadata, coro::Duration timeout,
                       Stage stage);
  // The operation that a reply has, failed or not ready as it may be.
  coro::Task<Ydb::Operations::Operation> begin_operation(
      Channel& channel, Method method, const google::protobuf::MessageLite& request,
      coro::Duration timeout, Stage stage);

  // A session's place on a node, which counts from when it is chosen.
  class Place {
   public:
    Place(Client& client, std::shared_ptr<Channel> channel);
    Place(Place&&) noexcept = default;
    Place& operator=(Place&&) = delete;
    ~Place();

    Channel& channel() const noexcept { return *channel_; }

   private:
    Client& client_;
    std::shared_ptr<Channel> channel_;  // null: moved away
  };

  // Where the next session goes. Without any node, on the host of the target.
  Place choose_place() { return {*this, choose_channel()}; }
  // Nothing if the node is not known.
  std::optional<Place> place_on_node(std::uint32_t node_id);
  const std::shared_ptr<const CallMetadata>& metadata() const noexcept { return metadata_; }
  // The same, saying that we know how to be moved to another node. With discovery alone: without
  // it no other node is known, and a session there could not be reached.
  const std::shared_ptr<const CallMetadata>& opening_metadata() const noexcept {
    return opening_metadata_;
  }
  // No new session is to go there until the next discovery.
  void avoid(const Channel& channel) noexcept;
  // The same, if the error says that the node cannot be reached.
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
  void set_token(const std::string& token);
  void forget_unused_channels();

  ClientOptions options_;
  CompletionThread completions_;                              // outlives the channels
  std::map<std::string, std::shared_ptr<Channel>> channels_;  // by authority
  Endpoints endpoints_;
  std::shared_ptr<const CallMetadata> metadata_;
  std::shared_ptr<const CallMetadata> opening_metadata_;
  coro::Instant renew_at_{};  // of the token
  std::uint64_t discoveries_ = 0;
  std::uint64_t logins_ = 0;
};

}  // namespace drover::database::ydb
