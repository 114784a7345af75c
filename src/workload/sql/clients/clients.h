// Scripts as a workload of the engine: the plan of a run, and the counts that its clients write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "load/plan.h"
#include "load/recorder.h"
#include "load/workload.h"
#include "measure/counter.h"
#include "measure/histogram.h"
#include "random/rng.h"
#include "workload/sql/database.h"
#include "workload/sql/script/script_set.h"

namespace drover::sql {

struct ScriptPlan : load::Plan {
  std::shared_ptr<const ScriptSet> scripts;     // not null in a run
  std::vector<VariableDefinition> definitions;  // override the built-in variables
  std::int64_t scale = 1;
};

// Returns the value of Plan::workload. The scripts are the types of transactions.
load::WorkloadInfo workload_info(const ScriptPlan& plan);

// Executions of one statement that ended in the measured interval, including those of repeated
// attempts.
struct StatementCounts {
  measure::Counter executions;  // answered with success or an error
  measure::Counter failures;    // answered with an error
  // Time of successful executions from sending to the answer, or to the answer of the pipeline.
  measure::Histogram latency;
};

// Counts of one worker. Its thread writes them. Other threads may read counters and histograms at
// any time, and texts after the run.
struct alignas(measure::cache_line_bytes) WorkerCounts {
  explicit WorkerCounts(const ScriptPlan& plan) : first_failures(plan.scripts->scripts().size()) {
    for (const Statement& statement : plan.scripts->statements()) {
      statements.push_back(statement.has_figures ? std::make_unique<StatementCounts>() : nullptr);
    }
  }

  // By Statement::number. Null for statements without figures.
  std::vector<std::unique_ptr<StatementCounts>> statements;
  // By script: the message of its first failure in the run, or empty.
  std::deque<std::string> first_failures;
  measure::Counter unresolved;  // unknown commits
};

struct RunCounts {
  explicit RunCounts(const ScriptPlan& plan) {
    for (std::size_t i = 0; i < plan.threads; ++i) workers.emplace_back(plan);
  }

  std::deque<WorkerCounts> workers;
};

// Returns the workload of a run. Each client executes one script after another, chosen by weight.
// As in pgbench, variables keep their values between scripts. `plan` and `counts` must outlive the
// workload.
load::WorkloadFactory make_clients(const ScriptPlan& plan, BackendFactory backends,
                                   RunCounts& counts);

// ScriptTransaction: one execution of a script for a client.
//
// A script contains one database transaction, several, or single statements. After a serialization
// failure or a deadlock, a retry starts at the beginning of the failed transaction, with the
// variables and random numbers of that point. Earlier commits of the script are kept. (pgbench
// repeats the whole script, and commits them twice.) If a part of the failed transaction is already
// committed, the failure is final, with the class `statement`.
//
// Belongs to its worker; refers to its client.

// State that the clients of a worker share.
struct WorkerContext {
  const ScriptSet& scripts;
  WorkerCounts& counts;
  const load::Recorder* recorder = nullptr;  // null before the run begins

  bool measuring(coro::Instant now) const {
    return recorder != nullptr && recorder->measuring(now);
  }
};

// State that a client keeps between transactions. Must not move.
class ClientState {
 public:
  // `number` is unique among all clients of the run.
  ClientState(const ScriptPlan& plan, std::uint64_t number, WorkerContext& worker);
  ClientState(const ClientState&) = delete;
  ClientState& operator=(const ClientState&) = delete;

  // Draws the index of the next script.
  std::size_t choose() { return worker.scripts.choose(choice_rng_); }

  WorkerContext& worker;
  Variables variables;
  random::Rng rng;
  EvaluationContext context{variables, rng};

  // The beginning of the current transaction, to which a retry returns.
  struct Beginning {
    std::size_t index = 0;   // of the command
    bool has_state = false;  // `variables` and `rng` are stored and must be restored
    Variables variables;
    random::Rng rng{};
  };
  Beginning beginning;

  // A statement that was sent in the open pipeline.
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
  ScriptTransaction(ClientState& client, std::size_t script) noexcept
      : client_(&client), worker_(&client.worker), script_(script) {}

  std::size_t type() const noexcept override { return script_; }
  coro::Task<void> execute(database::Session& session) override;
  bool committed() const noexcept override { return true; }
  bool commit_sent() const noexcept override { return committed_ || committing_; }
  void count(bool) override {}
  std::unique_ptr<load::Transaction> keep() const override {
    return std::make_unique<ScriptTransaction>(*this);
  }

 private:
  const Script& script() const { return worker_->scripts.scripts()[script_]; }
  const Command& command() const { return script().commands()[command_index_]; }
  ScriptRun begin_attempt();
  void remember_beginning(bool with_state);
  coro::Instant begin_statement(const ScriptSession& session, const Statement& statement);
  coro::Task<void> prepare(ScriptSession& session, const Statement& statement);
  void end_statement(const ScriptSession& session, const Statement& statement, coro::Instant sent);
  coro::Task<void> step(ScriptSession& session, PipelineStep step);
  coro::Task<void> open_pipeline(ScriptSession& session);
  void sync_pipeline(ScriptSession& session);
  coro::Task<void> close_pipeline(ScriptSession& session);
  void queue(const Statement& statement, coro::Instant now);
  void require_complete(const ScriptSession& session);
  StatementCounts* counts_of(const Statement& statement, coro::Instant now);
  void note_success(const Statement& statement, coro::Instant sent, coro::Instant now);
  // Return the error that the engine receives.
  database::Error failure_of(const database::Error& error);
  database::Error failure_of(const ScriptError& error) const;

  ClientState* client_;
  WorkerContext* worker_;  // a copy of client_->worker avoids a cache miss
  std::size_t script_;
  std::size_t command_index_ = 0;         // of the current command
  const Statement* statement_ = nullptr;  // the current or failed statement; null at other commands
  bool is_retry_ = false;                 // the next execute() starts at the client's beginning
  bool is_repeatable_ = true;             // the open transaction has committed nothing
  bool in_pipeline_ = false;
  bool open_ = false;                 // a transaction is open after the statements of the pipeline
  bool sync_commits_ = false;         // the pipeline's next sync commits a statement
  std::size_t syncs_ = 0;             // sent in the pipeline
  std::size_t committing_syncs_ = 0;  // up to the first sync that commits a statement; 0: none
  bool committing_ = false;           // unanswered statements may commit
  bool committed_ = false;            // answered statements may have committed
};

}  // namespace drover::sql
