// The calls of YDB's protocol, and the transport of one worker: a Channel is the connection to one
// node, and the CompletionThread drives gRPC for all channels of the worker.
//
// Thread safety: objects belong to one worker, except where noted.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

#include "coro/clock.h"

struct grpc_call;
struct grpc_channel;
struct grpc_completion_queue;

namespace drover::database::ydb {

// A node of a database.
struct Endpoint {
  std::string authority;  // "host:port"
  bool tls = false;
  std::string server_name = {};  // in its certificate, if it differs from the host
  std::uint32_t node_id = 0;     // 0: unknown
  float load = 0;                // load_factor; the choice prefers a low load

  bool operator==(const Endpoint&) const = default;
};

enum class Method : std::uint8_t {
  list_endpoints,
  login,
  create_session,
  attach_session,
  delete_session,
  execute_query,
  commit_transaction,
  rollback_transaction,
  bulk_upsert,
  create_table_session,
  delete_table_session,
  alter_table,
  get_operation,
  cancel_operation,
  list_directory,
  make_directory,
};

struct MethodInfo {
  const char* path;      // of HTTP
  const char* name;      // for messages
  bool streams = false;  // the reply has any number of messages
};

inline constexpr auto methods = std::to_array<MethodInfo>({
    {"/Ydb.Discovery.V1.DiscoveryService/ListEndpoints", "ListEndpoints"},
    {"/Ydb.Auth.V1.AuthService/Login", "Login"},
    {"/Ydb.Query.V1.QueryService/CreateSession", "CreateSession"},
    {"/Ydb.Query.V1.QueryService/AttachSession", "AttachSession", true},
    {"/Ydb.Query.V1.QueryService/DeleteSession", "DeleteSession"},
    {"/Ydb.Query.V1.QueryService/ExecuteQuery", "ExecuteQuery", true},
    {"/Ydb.Query.V1.QueryService/CommitTransaction", "CommitTransaction"},
    {"/Ydb.Query.V1.QueryService/RollbackTransaction", "RollbackTransaction"},
    {"/Ydb.Table.V1.TableService/BulkUpsert", "BulkUpsert"},
    {"/Ydb.Table.V1.TableService/CreateSession", "CreateSession of tables"},
    {"/Ydb.Table.V1.TableService/DeleteSession", "DeleteSession of tables"},
    {"/Ydb.Table.V1.TableService/AlterTable", "AlterTable"},
    {"/Ydb.Operation.V1.OperationService/GetOperation", "GetOperation"},
    {"/Ydb.Operation.V1.OperationService/CancelOperation", "CancelOperation"},
    {"/Ydb.Scheme.V1.SchemeService/ListDirectory", "ListDirectory"},
    {"/Ydb.Scheme.V1.SchemeService/MakeDirectory", "MakeDirectory"},
});

constexpr const MethodInfo& info_of(Method method) noexcept {
  return methods[static_cast<std::size_t>(method)];
}

inline constexpr int message_bytes_most = 64'000'000;

// The owner of operations of gRPC; its address is their tag. Must outlive its operations.
class CompletionHandler {
 public:
  // Called on the completion thread. May begin the next operation; after the last one the object
  // may be destroyed.
  using Function = void (*)(CompletionHandler&) noexcept;

  void complete() noexcept { function_.load(std::memory_order_acquire)(*this); }

 protected:
  ~CompletionHandler() = default;

  // Must be called before gRPC gets the first operation. Pairs with complete(), so that the
  // completion thread sees all writes before this call.
  void publish(Function function) noexcept { function_.store(function, std::memory_order_release); }

 private:
  std::atomic<Function> function_{nullptr};
};

// The thread that drives gRPC for one worker: it waits for the data of the worker's connections,
// lets gRPC parse them, and calls the handler of each finished operation.
//
// gRPC 1.51 cannot be polled from Drover's epoll. Its callback API uses a thread pool of its own
// and adds a hop within gRPC and an allocation per call; with this thread, a call hops once. Calls
// are begun and released on this thread as well (call_soon): a second thread on a connection makes
// gRPC pass its work to its own pool, which cost a fifth of the client's processor time
// (docs/ydb.md). Only the few streams of sessions begin on the worker.
//
// Created and destroyed on the worker's thread. gRPC is started once and stays until the process
// ends. It writes nothing to the error stream unless GRPC_VERBOSITY is set.
class CompletionThread {
 public:
  CompletionThread();
  CompletionThread(const CompletionThread&) = delete;
  CompletionThread& operator=(const CompletionThread&) = delete;

  // Blocks until gRPC has finished every operation: calls must have ended, and streams must have
  // ended or been cancelled. Functions that they have posted to the worker still run.
  ~CompletionThread();

  // Called when a stream begins, and on the completion thread after its last operation: gRPC
  // accepts no operation after the shutdown of its queue.
  void stream_begins() noexcept { streams_.fetch_add(1, std::memory_order_relaxed); }
  void stream_ends() noexcept {
    if (streams_.fetch_sub(1, std::memory_order_release) == 1) streams_.notify_all();
  }

  // Calls complete() on the completion thread. Requires: the worker's thread, after publish().
  void call_soon(CompletionHandler& handler) noexcept;

  grpc_completion_queue* queue() const noexcept { return queue_; }

 private:
  void run() noexcept;

  grpc_completion_queue* queue_;
  grpc_call* bell_;  // a call that never begins: empty batches on it complete at once
  std::atomic<int> streams_{0};
  std::thread thread_;
};

// The connection of one worker to one node. It is opened at the first call, and reopened at most a
// second after it was lost.
//
// gRPC shares one TCP connection between channels to the same target by default, and a client then
// waits for it while the server idles. These channels share none
// (GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL). A connection that is silent for 10 s is probed, and closed
// 10 s later.
class Channel {
 public:
  // The completion thread must outlive the channel. Without `ca_pem`, trusts the certificate
  // authorities of this machine.
  Channel(CompletionThread& completions, const Endpoint& endpoint, const std::string& ca_pem = {});
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel();  // calls in progress keep the connection

  // Creates a call, which ends `timeout` from now (zero: no limit). The caller releases it with
  // grpc_call_unref(). Any thread.
  grpc_call* start_call(Method method, coro::Duration timeout) const;

  const std::string& authority() const noexcept { return authority_; }
  CompletionThread& completions() const noexcept { return completions_; }

 private:
  CompletionThread& completions_;
  std::string authority_;
  grpc_channel* channel_;
  std::array<void*, methods.size()> registered_{};  // gRPC's handles of the methods
};

}  // namespace drover::database::ydb
