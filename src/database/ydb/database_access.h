// DatabaseAccess: what the commands that prepare, load and clean ask of a database of YDB: its folders
// and tables, statements, and rows in bulk. Each call is repeated as patiently() has it; all of them may be.
//
//   co_await DatabaseAccess::use(database, [](DatabaseAccess& access) -> Task<void> {
//     co_await access.query("SELECT …");
//   });
//
// Belongs to one worker. All calls throw YdbError.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "coro/semaphore.h"
#include "coro/task.h"
#include "database/ydb/client.h"
#include "database/ydb/session.h"
#include "database/ydb/value/bulk_rows.h"
#include "database/ydb/value/query_result.h"
#include "database/ydb/ydb_database.h"
#include "database/ydb/ydb_error.h"

namespace drover::database::ydb {

// Patience: how these commands deal with failures of YDB. All that they do may be done
// twice, so whatever may pass is tried again: 100 times at most, with pauses of 10 ms, doubled up
// to 320 ms, times a random number from 0.5 to 1. In all, about 25 s.

// Whether it may go well another time.
bool may_pass(const Error& error) noexcept;

// The pause before the retry `number`, from 1 on; `random` is from 0.5 to 1.
coro::Duration pause_before(int number, double random) noexcept;

// Makes tasks and awaits them until one comes to its end. Throws the error that did not pass.
coro::Task<void> patiently(std::function<coro::Task<void>()> make_task);

// For what is asked once the sessions of a run have ended: a session of its own for the body, and another one each time
// that it fails by what may pass, for as long as the patience lasts. The body goes on from where it was. Throws nothing
// but Cancelled.
coro::Task<void> ask_patiently(YdbDatabase database, coro::Duration patience,
                               std::function<coro::Task<void>(Session&)> body);

class DatabaseAccess {
 public:
  using MakeParameters = std::function<Parameters()>;

  // Connects, and keeps up with the database's nodes and the token while the body runs.
  static coro::Task<void> use(YdbDatabase database,
                              std::function<coro::Task<void>(DatabaseAccess&)> body);

  explicit DatabaseAccess(YdbDatabase database);

  // The names of the tables in the folder; nothing if there is no such folder.
  coro::Task<std::vector<std::string>> table_names();

  // The folder, and those that it lies in.
  coro::Task<void> make_folder();

  // A SELECT by itself. Its parameters are made anew for each attempt.
  coro::Task<QueryResult> query(std::string text, MakeParameters make_parameters = {});

  // CREATE, ALTER or DROP; one that may be sent again.
  coro::Task<void> change_scheme(std::string text);

  // Writes rows, and over those with the same key. Some may be there after an error.
  coro::Task<void> bulk_upsert(std::string_view table, BulkRows rows);

  // Absolute.
  std::string path_of(std::string_view table) const;

  Client& client() noexcept { return client_; }

 private:
  enum class Control : bool { commit, alone };

  coro::Task<QueryResult> run(std::string text, MakeParameters make_parameters, Control control);

  YdbDatabase database_;
  Client client_;
  coro::Mutex statements_;            // one at a time
  std::unique_ptr<Session> session_;  // made when one is wanted
};

}  // namespace drover::database::ydb
