#include "workload/tpcc/ydb/database_access.h"

#include <algorithm>
#include <utility>

#include "coro/scope.h"
#include "database/ydb/scheme.h"
#include "workload/tpcc/ydb/patience.h"

namespace drover::tpcc::ydb {

using coro::Task;
using database::ydb::QueryResult;
using database::ydb::Session;

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

Task<std::vector<std::string>> DatabaseAccess::table_names() {
  std::vector<std::string> names;
  auto list = [&]() -> Task<void> {
    names = co_await database::ydb::list_tables(client_, folder_path(database_));
  };
  co_await patiently(list);
  co_return names;
}

Task<void> DatabaseAccess::make_folder() {
  const std::string& folder = database_.folder;
  for (size_t end = 0; end < folder.size(); ++end) {
    end = std::min(folder.find('/', end), folder.size());
    const std::string path = database_.client.target.database + "/" + folder.substr(0, end);
    auto make = [&]() -> Task<void> { co_await database::ydb::make_folder(client_, path); };
    co_await patiently(make);
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
  const auto request = database::ydb::make_bulk_upsert(path_of(table), rows.encoded());
  rows = BulkRows(std::span<const Column>{});  // many calls may wait: its memory goes now
  auto attempt = [&]() -> Task<void> { co_await send(client_, request); };
  co_await patiently(attempt);
}

}  // namespace drover::tpcc::ydb
