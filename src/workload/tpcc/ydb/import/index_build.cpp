#include "workload/tpcc/ydb/import/import.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "coro/cancellation.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/admin_session.h"
#include "database/ydb/database_access.h"

namespace drover::tpcc::ydb {

using database::finish_in_time;
using database::ydb::with_retries;
namespace {

using coro::Task;
using database::Error;
using database::ydb::IndexOperation;
using database::ydb::YdbError;

// Limits how long an interrupted import waits.
constexpr coro::Duration cancel_time = std::chrono::seconds(5);

// Records the operation that builds the index; empty: none.
Task<void> write_build(DatabaseAccess& access, const SecondaryIndex& index, std::string operation) {
  using database::ydb::Primitive;
  const std::string column = fmt::format("build_{}", index.name);
  const Column columns[] = {{"id", Primitive::int32}, {column, Primitive::utf8}};
  BulkRows row(columns);
  row.add(int32_t{1}, operation).end_row();
  co_await access.bulk_upsert(settings_table, std::move(row));
}

// Returns the id of the operation, or an empty text if the index exists already.
Task<std::string> begin_build(DatabaseAccess& access, const SecondaryIndex& index) {
  // Not cancelled, because a build of unknown id could not be stopped.
  coro::CancelSource own(coro::Worker::current());
  IndexOperation begun;
  auto begin = [&]() -> Task<void> {
    Task<IndexOperation> beginning = database::ydb::begin_index(
        access.client(), access.path_of(table_name(index.table)), index.name, index.columns);
    begun = co_await std::move(beginning).under(own);
  };
  co_await with_retries(begin);
  co_return begun.ready ? std::string() : begun.id;
}

// Returns the error of a failed build, or nothing if the index is built.
Task<std::optional<YdbError>> wait_for(DatabaseAccess& access, const std::string& id,
                                       coro::Duration interval) {
  IndexOperation operation;
  auto ask = [&]() -> Task<void> {
    operation = co_await database::ydb::ask_for_index(access.client(), id);
    if (operation.error && !operation.ended) throw YdbError(*operation.error);
  };
  while (!operation.ready) {
    co_await coro::sleep_for(interval);
    co_await with_retries(ask);
  }
  co_return operation.error;
}

Task<void> cancel_build(DatabaseAccess& access, const SecondaryIndex& index,
                        const std::string& id) {
  co_await access.client().cancel_operation(id);
  co_await write_build(access, index, "");
}

Error failure(const SecondaryIndex& index, const Error& error) {
  return Error(error.error_class(), error.sqlstate(),
               fmt::format("{} was not built: {}", description(index), error.what()));
}

// Returns what wait_for() returns. Throws if the end of the build cannot be known.
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
    // A build that cannot be cancelled goes on, and the next import finds its id.
    co_await finish_in_time(cancel_build(access, build.index, id), cancel_time);
    throw coro::Cancelled{};
  }
  if (lost && is_temporary(*lost)) throw failure(build.index, *lost);
  co_await write_build(access, build.index, "");
  if (lost) co_return lost;
  co_return end;
}

}  // namespace

std::string description(const SecondaryIndex& index) {
  return fmt::format("index {} on {}", index.name, table_name(index.table));
}

Task<void> build_index(DatabaseAccess& access, IndexBuild build) {
  // If the build of an earlier import has failed, another build follows.
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

Task<void> drop_index(DatabaseAccess& access, SecondaryIndex index) {
  std::optional<YdbError> error;
  try {
    co_await access.change_scheme(
        fmt::format("ALTER TABLE {} DROP INDEX {};", table_name(index.table), index.name));
  } catch (const YdbError& thrown) {
    error = thrown;
  }
  if (!error) co_return;
  // A repeated statement fails because the first one has dropped the index.
  const bool exists = co_await index_exists(access, index);
  if (exists) throw YdbError(*error);
}

}  // namespace drover::tpcc::ydb
