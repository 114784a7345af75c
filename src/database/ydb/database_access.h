// Access of the commands to a YDB database: its folders, tables, statements, bulk rows and
// indexes. All operations can be repeated, and are, while the error may be temporary: at most 100
// attempts, with pauses from 10 ms to 320 ms, about 25 s in all.
//
//   co_await DatabaseAccess::use(database, [](DatabaseAccess& access) -> Task<void> {
//     co_await access.query("SELECT …");
//   });
//
// Thread safety: none; an object belongs to one worker. Errors: YdbError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "coro/semaphore.h"
#include "coro/task.h"
#include "database/admin_session.h"
#include "database/server.h"
#include "database/ydb/client.h"
#include "database/ydb/session.h"
#include "database/ydb/value/bulk_rows.h"
#include "database/ydb/value/value.h"
#include "database/ydb/ydb_error.h"

namespace drover::database::ydb {

// A database, and the folder of the workload's tables in it.
struct YdbDatabase {
  ClientOptions client;
  std::string folder = {};  // below the database: "bench/tpcc"; empty: the database itself
};

// Returns the folder that --schema names, without slashes at its ends. Throws TargetError unless
// each part consists of letters, digits, '_', '-' and '.', and does not begin with '.'.
std::string parse_folder(std::string_view text);

// Returns "/Root/database/bench/tpcc".
std::string folder_path(const YdbDatabase& database);

// Returns the line PRAGMA TablePathPrefix(…), with which a text names tables without their folder.
std::string folder_pragma(const YdbDatabase& database);

// Returns true if another attempt may succeed.
inline bool is_temporary(const Error& error) noexcept {
  return !error.is_permanent();
}

// Returns the pause before the retry `number`, from 1 on; `random` is from 0.5 to 1.
coro::Duration pause_before(int number, double random) noexcept;

// Repeats the task until it succeeds. Throws the error of the last attempt.
coro::Task<void> with_retries(std::function<coro::Task<void>()> make_task);

// Calls the body with a new session, after the sessions of a run have ended, and again with another
// session after a temporary error, until the timeout. The body continues its own work. Throws only
// Cancelled.
coro::Task<void> ask_with_retries(YdbDatabase database, coro::Duration timeout,
                                  std::function<coro::Task<void>(ServerSession&)> body);

// The state of an operation that builds an index.
struct IndexOperation {
  std::string id = {};
  bool ready = false;
  std::optional<YdbError> error = {};  // set if the operation is ready and has failed
  bool ended = false;                  // the server has cancelled or rejected the build
};

// Starts to build an index in the background. Throws if the server refuses. `table` is a path.
coro::Task<IndexOperation> begin_index(Client& client, std::string table, std::string_view index,
                                       std::span<const std::string_view> columns);

coro::Task<IndexOperation> ask_for_index(Client& client, std::string id);

class DatabaseAccess {
 public:
  using MakeParameters = std::function<Parameters()>;

  // Connects, and keeps up with the database's nodes and the token during the body.
  static coro::Task<void> use(YdbDatabase database,
                              std::function<coro::Task<void>(DatabaseAccess&)> body);

  explicit DatabaseAccess(YdbDatabase database);

  // Returns the names of the folder's tables, and nothing if the folder is missing.
  coro::Task<std::vector<std::string>> table_names();

  // Creates the folder and its parents.
  coro::Task<void> make_folder();

  // Executes and commits a statement. Calls `make_parameters` for each attempt.
  coro::Task<QueryResult> query(std::string text, MakeParameters make_parameters = {}) {
    return run(std::move(text), std::move(make_parameters), Control::commit);
  }

  // Executes CREATE, ALTER or DROP.
  coro::Task<void> change_scheme(std::string text);

  // Inserts or overwrites rows. After an error some of them may have been written.
  coro::Task<void> bulk_upsert(std::string_view table, BulkRows rows);

  // Returns the table's absolute path.
  std::string path_of(std::string_view table) const;

  Client& client() noexcept { return client_; }

 private:
  enum class Control : bool { commit, alone };

  coro::Task<QueryResult> run(std::string text, MakeParameters make_parameters, Control control);

  YdbDatabase database_;
  Client client_;
  coro::Mutex statements_;                  // one statement at a time
  std::unique_ptr<ServerSession> session_;  // null until the first statement
};

// The administration of data (database/admin_session.h) on YDB.
class YdbAdminSession final : public AdminSession {
 public:
  // The access must outlive the session.
  explicit YdbAdminSession(DatabaseAccess& access) noexcept : access_(access) {}

  std::string table(std::string_view name) const override { return std::string(name); }
  coro::Task<AdminRows> query(std::string text,
                              std::vector<AdminParameter> parameters = {}) override;
  coro::Task<void> change_tables(std::string text) override {
    return access_.change_scheme(std::move(text));
  }
  coro::Task<std::vector<bool>> tables_exist(std::vector<std::string> names) override;
  bool is_unknown_column(const Error& error) const noexcept override;

 private:
  DatabaseAccess& access_;
};

// Returns the facts for the result. YDB tells its clients no version.
coro::Task<ServerFacts> read_server_facts(ClientOptions options);

// Throws Error, whose message says what to do, if the server does not support snapshot isolation
// for transactions that write, which is off by default. Executes `probe`, a statement that changes
// no row, and rolls it back.
coro::Task<void> require_snapshot_writes(YdbDatabase database, std::string probe);

// The size at which the server splits a partition. Splitting by load is disabled.
inline constexpr int partition_megabytes = 2000;

// A number of partitions that is enough for several nodes. A partition changes rows on one core.
inline constexpr std::size_t partitions_least = 50;

// Returns " WITH (…)" for a CREATE TABLE. The server does not merge below `partitions`. `keys` are
// the first keys, in YQL, of all partitions except the first.
std::string partition_settings(std::size_t partitions, const std::vector<std::string>& keys);

// Returns keys that divide the numbers 1 to `last` into partitions_least ranges of about the same
// size, or fewer if there are fewer numbers. Requires: last >= 1.
std::vector<std::string> keys_of_ranges(std::int64_t last);

}  // namespace drover::database::ydb
