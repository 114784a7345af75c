// What a database must do for scripts: hand out sessions that execute one statement after the other.
//
// A session belongs to one worker; nothing here is thread-safe. Failures are database::Error, whose message is the
// server's.
#pragma once

#include <fmt/format.h>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "coro/task.h"
#include "database/backend.h"
#include "workload/sql/expression/variables.h"
#include "workload/sql/script/statement.h"

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

class Session : public database::Session {
 public:
  // Returns false if the session must prepare() the statement before it can execute it outside of a
  // pipeline.
  virtual bool is_ready_for(const Statement&) const noexcept { return true; }
  // Sends nothing that the server executes.
  virtual coro::Task<void> prepare(const Statement&) { co_return; }

  // Sends the statement, waits for its answer, and stores in the variables what the statement asks
  // for; a column that is NULL makes its variable null. A \gset throws unless there is one row. In
  // a pipeline the statement is sent at some time before the pipeline's end, and execute() does not
  // wait. Requires: is_ready_for(statement), except in a pipeline.
  virtual coro::Task<void> execute(const Statement& statement, Variables& variables) = 0;

  // Begins a pipeline whose statements are all among `statements`, which the session prepares
  // first. `prepared` counts the prepared ones: if this throws, statements[prepared] cannot be
  // prepared.
  virtual coro::Task<void> open_pipeline(std::span<const Statement> statements,
                                         std::size_t& prepared) = 0;
  virtual void sync_pipeline() = 0;
  // Throws where the session was lost; the error of a statement is part of the answer.
  virtual coro::Task<PipelineAnswer> close_pipeline() = 0;

  // Returns `error`, the last error of a COMMIT or of a statement or pipeline that commits by
  // itself, with its class there: ambiguous_commit if the database may have committed.
  virtual database::Error failed_commit(const database::Error& error) const { return error; }

  // A transaction is open, failed or not. Not within a pipeline.
  virtual bool in_transaction() const noexcept = 0;
  // Ends the transaction and the pipeline that are open. What goes wrong ends the session.
  virtual coro::Task<void> roll_back() = 0;
};

// Makes the backend of the worker `index`, on that worker's thread; its sessions are sql::Session.
using BackendFactory = std::function<std::unique_ptr<database::Backend>(std::size_t index)>;

}  // namespace drover::sql
