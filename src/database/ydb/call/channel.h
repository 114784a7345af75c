// The calls of YDB, and Channel: the connection of one worker to one endpoint, made when it is first needed and again
// after it was lost, at most a second later.
//
// Channels with the same target and arguments share one TCP connection by default, and the client
// waits for it while the server idles. Ours share none (GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL).
// A message may have 64,000,000 bytes in either direction. A connection that is silent for 10 s is
// asked whether it lives, and given up 10 s later.
//
// Belongs to one worker; not thread-safe but for start_call().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "coro/clock.h"
#include "database/ydb/endpoints.h"

struct grpc_call;
struct grpc_channel;

namespace drover::database::ydb {

class CompletionThread;

// The calls that Drover makes.
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
  const char* path;      // as HTTP has it
  const char* name;      // for people
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
inline constexpr std::size_t method_count = methods.size();

constexpr const MethodInfo& info_of(Method method) noexcept {
  return methods[static_cast<std::size_t>(method)];
}

inline constexpr int message_bytes_most = 64'000'000;

class Channel {
 public:
  // The completion thread must outlive it. Without `ca_pem` it believes what this machine does.
  Channel(CompletionThread& completions, const Endpoint& endpoint, const std::string& ca_pem = {});
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  // Calls that are still under way keep what they need of it.
  ~Channel();

  // No later than `timeout` from now; zero: whenever. To be released with grpc_call_unref(). Any
  // thread.
  grpc_call* start_call(Method method, coro::Duration timeout) const;

  const std::string& authority() const noexcept { return authority_; }
  CompletionThread& completions() const noexcept { return completions_; }

 private:
  CompletionThread& completions_;
  std::string authority_;
  grpc_channel* channel_;
  std::array<void*, method_count> registered_{};  // by gRPC
};

}  // namespace drover::database::ydb
