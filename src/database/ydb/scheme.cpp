#include "database/ydb/scheme.h"

#include <google/protobuf/any.pb.h>

#include <utility>

#include "database/ydb/call/call.h"
#include "operation.pb.h"
#include "scheme.pb.h"
#include "table.pb.h"

namespace drover::database::ydb {

using coro::Task;
using Ydb::Operations::Operation;

Task<std::vector<std::string>> list_tables(Client& client, std::string folder) {
  Ydb::Scheme::ListDirectoryRequest request;
  request.set_path(std::move(folder));
  std::vector<std::string> names;
  bool there = true;
  Operation operation;
  try {
    operation = co_await client.operate(Method::list_directory, request);
  } catch (const YdbError& error) {
    there = error.status() != Status::scheme_error && error.status() != Status::not_found;
    if (there) throw;
  }
  if (!there) co_return names;
  const auto listed = result_of<Ydb::Scheme::ListDirectoryResult>(
      operation, Method::list_directory, client.options().target.authority(), Stage::working);
  for (const Ydb::Scheme::Entry& entry : listed.children()) {
    if (entry.type() == Ydb::Scheme::Entry::TABLE) names.push_back(entry.name());
  }
  co_return names;
}

Task<void> make_folder(Client& client, std::string path) {
  Ydb::Scheme::MakeDirectoryRequest request;
  request.set_path(std::move(path));
  co_await client.operate(Method::make_directory, request);
}

// A BulkUpsertRequest is a text (the table's path) and a message (the rows), numbered 1 and 2. On
// the wire a message within a message is its bytes, so what has a text and bytes as its fields 1
// and 2 is the same request, and the rows are not taken apart only to be written again.
BulkUpsert make_bulk_upsert(std::string table, std::string rows) {
  auto request = std::make_shared<google::protobuf::Any>();
  request->set_type_url(std::move(table));
  request->set_value(std::move(rows));
  return request;
}

Task<void> send(Client& client, BulkUpsert request) {
  co_await client.operate(Method::bulk_upsert, *request);
}

namespace {

// Whether the server has given up the build.
bool has_ended(const Operation& operation) {
  Ydb::Table::IndexBuildMetadata build;
  if (!operation.metadata().UnpackTo(&build)) return false;
  return build.state() == Ydb::Table::IndexBuildState::STATE_CANCELLED ||
         build.state() == Ydb::Table::IndexBuildState::STATE_REJECTED;
}

Ydb::Table::AlterTableRequest request_for(std::string table, std::string_view index,
                                          std::span<const std::string_view> columns) {
  Ydb::Table::AlterTableRequest request;
  request.set_path(std::move(table));
  request.mutable_operation_params()->set_operation_mode(Ydb::Operations::OperationParams::ASYNC);
  Ydb::Table::TableIndex& wanted = *request.add_add_indexes();
  wanted.set_name(std::string(index));
  for (const std::string_view column : columns) wanted.add_index_columns(std::string(column));
  wanted.mutable_global_index();
  return request;
}

}  // namespace

// AlterTable wants to have a session of the Table service: all of its calls go to one node.
Task<IndexOperation> begin_index(Client& client, std::string table, std::string_view index,
                                 std::span<const std::string_view> columns) {
  Ydb::Table::AlterTableRequest request = request_for(std::move(table), index, columns);
  const Client::Place place = client.choose_place();
  Channel& channel = place.channel();
  const coro::Duration timeout = client.options().request_timeout;
  const Ydb::Table::CreateSessionRequest wanted;
  const Operation opened = co_await client.begin_operation(channel, Method::create_table_session,
                                                           wanted, timeout, Stage::working);
  require_success(opened, Method::create_table_session, Stage::working);
  const auto session = result_of<Ydb::Table::CreateSessionResult>(
      opened, Method::create_table_session, channel.authority(), Stage::working);
  request.set_session_id(session.session_id());
  const Operation operation = co_await client.begin_operation(channel, Method::alter_table, request,
                                                              timeout, Stage::working);
  Ydb::Table::DeleteSessionRequest closing;
  closing.set_session_id(session.session_id());
  Call close(channel, Method::delete_table_session, closing, client.metadata(),
             client.options().opening_timeout);
  co_await close;  // whether or not the server can
  if (operation.ready()) require_success(operation, Method::alter_table, Stage::working);
  co_return IndexOperation{.id = operation.id(), .ready = operation.ready()};
}

Task<IndexOperation> ask_for_index(Client& client, std::string id) {
  Ydb::Operations::GetOperationRequest request;
  request.set_id(id);
  const Client::Place place = client.choose_place();
  const Operation operation =
      co_await client.begin_operation(place.channel(), Method::get_operation, request,
                                      client.options().request_timeout, Stage::working);
  IndexOperation found{.id = std::move(id), .ready = operation.ready()};
  if (operation.ready() && operation.status() != Ydb::StatusIds::SUCCESS) {
    found.error =
        reply_error(operation.status(), operation.issues(), Method::alter_table, Stage::working);
    found.ended = has_ended(operation);
  }
  co_return found;
}

}  // namespace drover::database::ydb
