// The interfaces of a database for scripts: `Database` for the commands of `drover sql`, and
// `ScriptSession` for the clients of a run. Each kind of database implements both.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/backend.h"
#include "database/server.h"
#include "settings/run_settings.h"
#include "workload/sql/expression/variables.h"
#include "workload/sql/script/script_set.h"

namespace drover::sql {

// The server's answer to a pipeline. If the session ended while it was idle, `error` has the class
// connection_lost, and the statements that are not answered were not executed.
struct PipelineAnswer {
  std::size_t answered = 0;  // statements in a row, from the first on, that succeeded
  std::size_t synced = 0;    // syncs that the server answered before the first error
  std::optional<database::Error> error = {};
};

// Returns a final error in place of a retryable one, if a retry would commit a part of the work
// twice.
inline database::Error not_retried(const database::Error& error) {
  return {database::ErrorClass::statement, error.sqlstate(),
          fmt::format("{} (not retried, because part of the script is already committed)",
                      error.what())};
}

// Executes one statement after another. Belongs to one worker. Throws database::Error with the
// server's message.
class ScriptSession : public database::Session {
 public:
  // Returns false if the session must prepare() the statement before it can execute it outside of a
  // pipeline.
  virtual bool is_ready_for(const Statement&) const noexcept { return true; }
  // Sends nothing that the server executes.
  virtual coro::Task<void> prepare(const Statement&) { co_return; }

  // Sends the statement, waits for its answer, and stores the columns of a \gset or \aset in
  // variables. A NULL column makes its variable null. A \gset throws unless there is one row. In a
  // pipeline, sends the statement at some time before the pipeline's end, and does not wait.
  // Requires: is_ready_for(statement), except in a pipeline.
  virtual coro::Task<void> execute(const Statement& statement, Variables& variables) = 0;

  // Begins a pipeline whose statements are all among `statements`, which the session prepares
  // first. `prepared` counts the prepared ones: if this throws, statements[prepared] cannot be
  // prepared.
  virtual coro::Task<void> open_pipeline(std::span<const Statement> statements,
                                         std::size_t& prepared) = 0;
  virtual void sync_pipeline() = 0;
  // Throws if the session is lost. The error of a statement is part of the answer.
  virtual coro::Task<PipelineAnswer> close_pipeline() = 0;

  // Returns `error`, the last error of a COMMIT or of a statement or pipeline that commits by
  // itself, with its class there: ambiguous_commit if the database may have committed.
  virtual database::Error failed_commit(const database::Error& error) const { return error; }

  // Returns true if a transaction is open, failed or not. Requires: no pipeline is open.
  virtual bool in_transaction() const noexcept = 0;
  // Ends the open transaction and pipeline. Ends the session if this fails.
  virtual coro::Task<void> roll_back() = 0;
};

// Makes the backend of the worker `index`, on that worker's thread. Its sessions are
// ScriptSessions.
using BackendFactory = std::function<std::unique_ptr<database::Backend>(std::size_t index)>;

// Settings of `drover sql init`.
struct InitialiseSettings {
  std::int64_t scale = 1;  // branches, with 10 tellers and 100,000 accounts each
  bool force = false;      // drop existing tables
  // Receives the number of branches whose accounts are inserted. May be empty.
  std::function<void(std::int64_t branches)> on_progress = {};
};

inline constexpr std::int64_t scale_max = 1'000'000;

// Settings of the backend of one worker.
struct ScriptBackendSettings {
  settings::RunSettings run = {};
  Protocol protocol = Protocol::simple;
  // YDB: isolation of transactions that write, `serializable` or `snapshot`.
  database::Isolation isolation = database::Isolation::serializable;
  std::size_t connections = 1;
  database::Pooling pooling = database::Pooling::none;
  database::Dialect server_dialect = database::Dialect::postgres;
  database::SessionUpkeep upkeep = {};  // PostgreSQL
  std::uint64_t seed = 0;
};

struct ScriptPreparation {
  database::ServerFacts server;
  std::optional<std::int64_t> branches;  // rows of pgbench_branches, if they were counted
};

// Addresses a database. Each call opens the connections that it needs, and closes them. Calls may
// be made on any worker. Tasks must not outlive the object. Throws database::UnfitSchema, whose
// message says what to do, and database::Error.
class Database : public database::ObservedServer {
 public:
  // Creates and fills the tables of the built-in scripts, like `pgbench -i`. Returns the names of
  // dropped tables. Throws UnfitSchema for existing tables without InitialiseSettings::force.
  // Requires: 1 <= settings.scale <= scale_max.
  virtual coro::Task<std::vector<std::string>> initialise(InitialiseSettings settings) const = 0;

  // Drops these tables, and returns the names of those that existed.
  virtual coro::Task<std::vector<std::string>> clean() const = 0;

  // `count_branches`: reads the scale of the built-in scripts. Throws UnfitSchema if there is none.
  virtual coro::Task<ScriptPreparation> prepare(bool count_branches) const = 0;

  // Throws Error if the tables of the built-in scripts do not accept writes at the isolation.
  virtual coro::Task<void> require_isolation(database::Isolation) const { co_return; }

  virtual std::unique_ptr<database::Backend> make_backend(ScriptBackendSettings settings) const = 0;
};

}  // namespace drover::sql
