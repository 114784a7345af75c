#include "workload/tpcc/ydb/import/import.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "coro/cancellation.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/finish_in_time.h"
#include "database/ydb/database_access.h"
#include "database/ydb/scheme.h"
#include "workload/tpcc/ydb/import/catalog.h"

namespace drover::tpcc::ydb {

using database::finish_in_time;
using database::ydb::patiently;
namespace {

using coro::Task;
using database::Error;
using database::ydb::IndexOperation;
using database::ydb::YdbError;

// An import that is interrupted is not held up for longer.
constexpr coro::Duration cancel_time = std::chrono::seconds(5);

// Returns the id of the operation; nothing if it is done already.
Task<std::string> begin_build(DatabaseAccess& access, const Index& index) {
  // Not to be cancelled: then nobody would know whether a build goes on.
  coro::CancelSource own(coro::Worker::current());
  IndexOperation begun;
  auto begin = [&]() -> Task<void> {
    Task<IndexOperation> beginning = database::ydb::begin_index(
        access.client(), access.path_of(table_name(index.table)), index.name, index.columns);
    begun = co_await std::move(beginning).under(own);
  };
  co_await patiently(begin);
  co_return begun.ready ? std::string() : begun.id;
}

// Returns why the server has given up the build, or nothing: it is done.
Task<std::optional<YdbError>> wait_for(DatabaseAccess& access, const std::string& id,
                                       coro::Duration interval) {
  IndexOperation operation;
  auto ask = [&]() -> Task<void> {
    operation = co_await database::ydb::ask_for_index(access.client(), id);
    if (operation.error && !operation.ended) throw YdbError(*operation.error);
  };
  while (!operation.ready) {
    co_await coro::sleep_for(interval);
    co_await patiently(ask);
  }
  co_return operation.error;
}

Task<void> cancel_build(DatabaseAccess& access, const Index& index, const std::string& id) {
  co_await access.client().cancel_operation(id);
  co_await write_build(access, index, "");
}

// A failure that says what has failed.
Error failure(const Index& index, const Error& error) {
  return Error(error.error_class(), error.sqlstate(),
               fmt::format("{} was not built: {}", description(index), error.what()));
}

// Waits for the end of the build, as wait_for(). Throws if nobody will know it.
Task<std::optional<YdbError>> follow(DatabaseAccess& access, const IndexBuild& build,
                                     const std::string& id) {
  bool cancelled = false;
  std::optional<YdbError> end;
  std::optional<YdbError> lost;
  try {
    co_await write_build(access, build.index, id);
    end = co_await wait_for(access, id, build.poll_interval);
  } catch (const coro::Cancelled&) {
    cancelled = true;
  } catch (const YdbError& thrown) {
    lost = thrown;
  }
  if (cancelled) {
    // What cannot be cancelled goes on, and is found by its id.
    co_await finish_in_time(cancel_build(access, build.index, id), cancel_time);
    throw coro::Cancelled{};
  }
  if (lost && may_pass(*lost)) throw failure(build.index, *lost);
  co_await write_build(access, build.index, "");
  if (lost) co_return lost;
  co_return end;
}

}  // namespace

std::string description(const Index& index) {
  return fmt::format("index {} on {}", index.name, table_name(index.table));
}

Task<void> build_index(DatabaseAccess& access, IndexBuild build) {
  // However a build of an earlier import has ended: the index is there, or it is built now.
  if (!build.operation.empty()) co_await follow(access, build, build.operation);
  const bool exists = co_await index_exists(access, build.index);
  if (exists) co_return;
  std::optional<YdbError> error;
  try {
    const std::string id = co_await begin_build(access, build.index);
    if (!id.empty()) error = co_await follow(access, build, id);
  } catch (const YdbError& thrown) {
    error = thrown;
  }
  if (error) throw failure(build.index, *error);
}

Task<void> drop_index(DatabaseAccess& access, Index index) {
  std::optional<YdbError> error;
  try {
    co_await access.change_scheme(
        fmt::format("ALTER TABLE {} DROP INDEX {};", table_name(index.table), index.name));
  } catch (const YdbError& thrown) {
    error = thrown;
  }
  if (!error) co_return;
  // One that was sent again has found none.
  const bool exists = co_await index_exists(access, index);
  if (exists) throw YdbError(*error);
}

}  // namespace drover::tpcc::ydb
