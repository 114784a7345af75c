#include "tpcc/ydb/index_build.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "coro/deadline.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/ydb/reply.h"
#include "operation.pb.h"
#include "table.pb.h"
#include "tpcc/ydb/catalog.h"
#include "tpcc/ydb/import_plan.h"
#include "tpcc/ydb/patience.h"
#include "tpcc/ydb/table_session.h"

namespace drover::tpcc::ydb {
namespace {

using coro::Task;
using database::Error;
using database::ydb::Method;
using database::ydb::Stage;
using database::ydb::YdbError;
using Ydb::Operations::Operation;

// An import that is interrupted is not held up for longer.
constexpr coro::Duration cancel_time = std::chrono::seconds(5);

Task<Operation> alter_once(DatabaseAccess& access, const Index& index) {
  TableSession session(access.client());
  co_await session.open();
  Ydb::Table::AlterTableRequest request;
  request.set_session_id(session.id());
  request.set_path(access.path_of(table_name(index.table)));
  request.mutable_operation_params()->set_operation_mode(Ydb::Operations::OperationParams::ASYNC);
  Ydb::Table::TableIndex& wanted = *request.add_add_indexes();
  wanted.set_name(std::string(index.name));
  for (const std::string_view column : index.columns) wanted.add_index_columns(std::string(column));
  wanted.mutable_global_index();
  const Operation operation = co_await session.call(Method::alter_table, request);
  co_await session.close();
  if (operation.ready()) require_success(operation, Method::alter_table, Stage::working);
  co_return operation;
}

// Returns the id of the operation; nothing if it is done already.
Task<std::string> begin_build(DatabaseAccess& access, const Index& index) {
  // Not to be cancelled: then nobody would know whether a build goes on.
  coro::CancelSource own(coro::Worker::current());
  Operation operation;
  auto alter = [&]() -> Task<void> {
    Task<Operation> altering = alter_once(access, index);
    operation = co_await std::move(altering).under(own);
  };
  co_await patiently(alter);
  co_return operation.ready() ? std::string() : operation.id();
}

// Whether the build itself has come to an end, and not only the call that has asked for it.
bool has_ended(const Operation& operation) {
  Ydb::Table::IndexBuildMetadata build;
  if (!operation.metadata().UnpackTo(&build)) return false;
  return build.state() == Ydb::Table::IndexBuildState::STATE_CANCELLED ||
         build.state() == Ydb::Table::IndexBuildState::STATE_REJECTED;
}

// Returns why the server has given up the build, or nothing: it is done.
Task<std::optional<YdbError>> wait_for(DatabaseAccess& access, const std::string& id,
                                       coro::Duration interval) {
  Ydb::Operations::GetOperationRequest request;
  request.set_id(id);
  std::optional<YdbError> end;
  bool ready = false;
  auto ask = [&]() -> Task<void> {
    TableSession node(access.client());
    const Operation operation = co_await node.call(Method::get_operation, request);
    ready = operation.ready();
    if (!ready || operation.status() == Ydb::StatusIds::SUCCESS) co_return;
    const YdbError error = database::ydb::reply_error(operation.status(), operation.issues(),
                                                      Method::alter_table, Stage::working);
    if (!has_ended(operation)) throw YdbError(error);
    end = error;
  };
  while (!ready) {
    co_await coro::sleep_for(interval);
    co_await patiently(ask);
  }
  co_return end;
}

Task<void> cancel_build(DatabaseAccess& access, const Index& index, const std::string& id) {
  co_await access.client().end_operation(Method::cancel_operation, id);
  co_await write_build(access, index, "");
}

// Under a source of its own, as that of the task is cancelled. What cannot be cancelled goes on,
// and is found by its id.
Task<void> cancel_in_time(DatabaseAccess& access, const Index& index, const std::string& id) {
  const coro::Instant give_up = coro::Worker::current().now() + cancel_time;
  coro::CancelSource own(coro::Worker::current());
  try {
    co_await coro::with_deadline(give_up, cancel_build(access, index, id)).under(own);
  } catch (const std::exception&) {
  }
}

// A failure that says what has failed.
Error failure(const Index& index, const Error& error) {
  return Error(error.error_class(), error.sqlstate(),
               fmt::format("{} has not been built: {}", description(index), error.what()));
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
    co_await cancel_in_time(access, build.index, id);
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
