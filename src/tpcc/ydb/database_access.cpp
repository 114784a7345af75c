#include "tpcc/ydb/database_access.h"

#include <google/protobuf/any.pb.h>

#include <optional>
#include <utility>

#include "coro/scope.h"
#include "operation.pb.h"
#include "scheme.pb.h"
#include "tpcc/ydb/patience.h"

namespace drover::tpcc::ydb {

using coro::Task;
using database::ydb::Client;
using database::ydb::Method;
using database::ydb::QueryResult;
using database::ydb::Session;
using database::ydb::Stage;
using database::ydb::Status;
using database::ydb::TransportStatus;
using database::ydb::YdbError;

DatabaseAccess::DatabaseAccess(YdbDatabase database)
    : database_(std::move(database)), client_(database_.client) {}

Task<void> DatabaseAccess::use(YdbDatabase database,
                               std::function<Task<void>(DatabaseAccess&)> body) {
  DatabaseAccess access(std::move(database));
  co_await access.use_client(std::move(body));
}

Task<void> DatabaseAccess::use_client(std::function<Task<void>(DatabaseAccess&)> body) {
  co_await client_.connect();
  auto with_client = [&](coro::Scope& scope) -> Task<void> {
    scope.start(client_.keep_up());
    co_await body(*this);
    if (session_) co_await session_->close();
    scope.cancel();
  };
  co_await coro::with_scope(with_client);
}

std::string DatabaseAccess::path_of(std::string_view table) const {
  return folder_path(database_).append("/").append(table);
}

Task<std::vector<std::string>> DatabaseAccess::list_folder() {
  Ydb::Scheme::ListDirectoryRequest request;
  request.set_path(folder_path(database_));
  std::vector<std::string> names;
  bool there = true;
  Ydb::Operations::Operation operation;
  try {
    operation = co_await client_.operate(Method::list_directory, request);
  } catch (const YdbError& error) {
    there = error.status() != Status::scheme_error && error.status() != Status::not_found;
    if (there) throw;
  }
  if (!there) co_return names;
  Ydb::Scheme::ListDirectoryResult listed;
  if (!operation.result().UnpackTo(&listed)) {
    throw YdbError(TransportStatus::data_loss, "the reply is not what the protocol has for it",
                   "ListDirectory", database_.client.target.authority(), Stage::working);
  }
  for (const Ydb::Scheme::Entry& entry : listed.children()) {
    if (entry.type() == Ydb::Scheme::Entry::TABLE) names.push_back(entry.name());
  }
  co_return names;
}

Task<std::vector<std::string>> DatabaseAccess::table_names() {
  std::vector<std::string> names;
  auto list = [&]() -> Task<void> { names = co_await list_folder(); };
  co_await patiently(list);
  co_return names;
}

Task<void> DatabaseAccess::make_one_folder(std::string path) {
  Ydb::Scheme::MakeDirectoryRequest request;
  request.set_path(std::move(path));
  auto make = [&]() -> Task<void> { co_await client_.operate(Method::make_directory, request); };
  co_await patiently(make);
}

Task<void> DatabaseAccess::make_folder() {
  const std::string& folder = database_.folder;
  for (size_t end = 0; end < folder.size(); ++end) {
    end = std::min(folder.find('/', end), folder.size());
    std::string path = database_.client.target.database + "/" + folder.substr(0, end);
    co_await make_one_folder(std::move(path));
  }
}

Task<QueryResult> DatabaseAccess::run(std::string text, Control control) {
  const std::string whole = folder_pragma(database_) + text;
  const auto lock = co_await statements_.lock();
  QueryResult result;
  auto attempt = [&]() -> Task<void> {
    if (session_ && !session_->usable()) session_.reset();
    if (!session_) session_ = co_await Session::open(client_);
    if (control == Control::alone) {
      result = co_await session_->execute_alone(whole);
    } else {
      result = co_await session_->execute_and_commit(whole);
    }
  };
  co_await patiently(attempt);
  co_return result;
}

Task<QueryResult> DatabaseAccess::query(std::string text) {
  return run(std::move(text), Control::commit);
}

Task<void> DatabaseAccess::change_scheme(std::string text) {
  co_await run(std::move(text), Control::alone);
}

Task<void> DatabaseAccess::bulk_upsert(std::string_view table, BulkRows rows) {
  // A BulkUpsertRequest is a text (the table's path) and a message (the rows), numbered 1 and 2. On
  // the wire a message within a message is its bytes, so what has a text and bytes as its fields 1
  // and 2 is the same request, and the rows are not taken apart only to be written again.
  google::protobuf::Any request;
  request.set_type_url(path_of(table));
  request.set_value(rows.encoded());
  rows = BulkRows(std::span<const Column>{});  // many calls may wait: its memory goes now
  auto attempt = [&]() -> Task<void> { co_await client_.operate(Method::bulk_upsert, request); };
  co_await patiently(attempt);
}

}  // namespace drover::tpcc::ydb
