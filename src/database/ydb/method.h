// The calls of YDB that Drover makes. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace drover::database::ydb {

enum class Method : std::uint8_t {
  list_endpoints,
  login,
  create_session,
  attach_session,
  delete_session,
  execute_query,
  begin_transaction,
  commit_transaction,
  rollback_transaction,
  bulk_upsert,
  create_table_session,
  delete_table_session,
  alter_table,
  get_operation,
  cancel_operation,
  forget_operation,
  list_directory,
  describe_path,
  make_directory,
  remove_directory,
};
inline constexpr std::size_t method_count = 20;

struct MethodInfo {
  const char* path;      // as HTTP has it
  const char* name;      // for people
  bool streams = false;  // the reply has any number of messages
};

inline constexpr std::array<MethodInfo, method_count> methods = {{
    {"/Ydb.Discovery.V1.DiscoveryService/ListEndpoints", "ListEndpoints"},
    {"/Ydb.Auth.V1.AuthService/Login", "Login"},
    {"/Ydb.Query.V1.QueryService/CreateSession", "CreateSession"},
    {"/Ydb.Query.V1.QueryService/AttachSession", "AttachSession", true},
    {"/Ydb.Query.V1.QueryService/DeleteSession", "DeleteSession"},
    {"/Ydb.Query.V1.QueryService/ExecuteQuery", "ExecuteQuery", true},
    {"/Ydb.Query.V1.QueryService/BeginTransaction", "BeginTransaction"},
    {"/Ydb.Query.V1.QueryService/CommitTransaction", "CommitTransaction"},
    {"/Ydb.Query.V1.QueryService/RollbackTransaction", "RollbackTransaction"},
    {"/Ydb.Table.V1.TableService/BulkUpsert", "BulkUpsert"},
    {"/Ydb.Table.V1.TableService/CreateSession", "CreateSession of tables"},
    {"/Ydb.Table.V1.TableService/DeleteSession", "DeleteSession of tables"},
    {"/Ydb.Table.V1.TableService/AlterTable", "AlterTable"},
    {"/Ydb.Operation.V1.OperationService/GetOperation", "GetOperation"},
    {"/Ydb.Operation.V1.OperationService/CancelOperation", "CancelOperation"},
    {"/Ydb.Operation.V1.OperationService/ForgetOperation", "ForgetOperation"},
    {"/Ydb.Scheme.V1.SchemeService/ListDirectory", "ListDirectory"},
    {"/Ydb.Scheme.V1.SchemeService/DescribePath", "DescribePath"},
    {"/Ydb.Scheme.V1.SchemeService/MakeDirectory", "MakeDirectory"},
    {"/Ydb.Scheme.V1.SchemeService/RemoveDirectory", "RemoveDirectory"},
}};

constexpr const MethodInfo& info_of(Method method) noexcept {
  return methods[static_cast<std::size_t>(method)];
}

}  // namespace drover::database::ydb
