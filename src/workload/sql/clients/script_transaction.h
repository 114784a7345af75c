// ScriptTransaction: a script, executed once for a client, from its beginning to its end.
//
// A script may be a transaction, several, or a statement alone. Serialization failures and deadlocks are repeated from
// the beginning of the transaction that failed, with the variables and the random numbers that it began with; what the
// script has committed before stays (pgbench repeats the script as a whole, and commits that twice). Where a
// transaction cannot be repeated by itself, for part of it is committed, the failure is one of the class statement.
//
// Belongs to its worker; refers to its client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/error.h"
#include "load/recorder.h"
#include "load/workload.h"
#include "random/rng.h"
#include "workload/sql/backend.h"
#include "workload/sql/clients/worker_counts.h"
#include "workload/sql/script/script_run.h"
#include "workload/sql/script/script_set.h"

namespace drover::sql {

// What the clients of a worker share.
struct ClientSurroundings {
  const ScriptSet& scripts;
  WorkerCounts& counts;
  const load::Recorder* recorder = nullptr;  // null before the run begins

  bool measuring(coro::Instant now) const {
    return recorder != nullptr && recorder->measuring(now);
  }
};

// What a client has from one transaction to the next. It stays where it is.
class Client {
 public:
  // `number` is its own among all clients of the run.
  Client(const Plan& plan, std::uint64_t number, ClientSurroundings& surroundings);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // The script that it executes next.
  std::size_t choose() { return surroundings.scripts.choice().choose(choice_rng_); }

  ClientSurroundings& surroundings;
  Variables variables;
  random::Rng rng;
  Environment environment{variables, rng};

  // Where a transaction begins: what is repeated when it fails.
  struct Beginning {
    std::size_t index = 0;  // of the command
    bool is_whole = false;  // with the variables and the numbers: what follows may change them
    Variables variables;
    random::Rng rng{};
  };
  Beginning beginning;

  // A statement that was sent within the open pipeline.
  struct Sent {
    const Statement* statement;
    coro::Instant at;
  };
  std::vector<Sent> pipeline;

 private:
  random::Rng choice_rng_;
};

class ScriptTransaction final : public load::Transaction {
 public:
  ScriptTransaction(Client& client, std::size_t script) noexcept
      : client_(&client), surroundings_(&client.surroundings), script_(script) {}

  std::size_t type() const noexcept override { return script_; }
  coro::Task<void> execute(database::Session& session) override;
  bool committed() const noexcept override { return true; }
  bool commit_sent() const noexcept override { return committed_ || committing_; }
  void count(bool) override {}
  std::unique_ptr<load::Transaction> keep() const override {
    return std::make_unique<ScriptTransaction>(*this);
  }

 private:
  const Script& script() const { return surroundings_->scripts.scripts()[script_]; }
  const Command& command() const { return script().commands()[index_]; }
  ScriptRun begin();
  void remember_beginning(bool whole);
  coro::Instant begin_statement(const Session& session, const Statement& statement);
  coro::Task<void> prepare(Session& session, const Statement& statement);
  void end_statement(const Session& session, const Statement& statement, coro::Instant sent);
  coro::Task<void> step(Session& session, PipelineStep step);
  coro::Task<void> open_pipeline(Session& session);
  void sync_pipeline(Session& session);
  coro::Task<void> close_pipeline(Session& session);
  void queue(const Statement& statement, coro::Instant now);
  void require_complete(const Session& session);
  StatementCounts* counts_of(const Statement& statement, coro::Instant now);
  void note_success(const Statement& statement, coro::Instant sent, coro::Instant now);
  // What the engine is told of a failure.
  database::Error failure_of(const database::Error& error);
  database::Error failure_of(const ScriptError& error) const;

  Client* client_;
  ClientSurroundings* surroundings_;  // the client's; kept here to avoid a cache miss
  std::size_t script_;
  std::size_t index_ = 0;          // of the command that is being executed
  const Statement* at_ = nullptr;  // if it is one of SQL; in the end the one that failed
  bool repeats_ = false;           // the next execute() goes on at the client's beginning
  bool repeatable_ = true;         // where the open transaction began
  bool in_pipeline_ = false;
  bool open_ = false;                 // a transaction is open after what the pipeline has sent
  bool sync_commits_ = false;         // the pipeline's next sync commits a statement
  std::size_t syncs_ = 0;             // sent in the pipeline
  std::size_t committing_syncs_ = 0;  // up to the first sync that commits a statement; 0: none does
  bool committing_ = false;           // what was sent may be committed, and has not been answered
  bool committed_ = false;            // something may have been committed
};

}  // namespace drover::sql
