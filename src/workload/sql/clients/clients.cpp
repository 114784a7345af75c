#include "workload/sql/clients/clients.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
#include "load/client_group.h"
#include "load/clients.h"

namespace drover::sql {

using coro::Instant;
using coro::Task;
using coro::Worker;
using database::Error;
using database::ErrorClass;

namespace {

// Purposes of random number streams. Number 6 belongs to the engine.
enum class RandomPurpose : std::uint8_t { client = 1, choice, default_seed };

// Returns true if the statement has committed nothing when an administrator ends its session in the
// middle (57P01). CALL, DO, VACUUM and similar statements, and joined statements, may have
// committed a part by then.
bool is_one_transaction(const Statement& statement) {
  constexpr std::array<std::string_view, 6> words = {"insert", "update", "delete",
                                                     "merge",  "with",   "copy"};
  if (statement.effects.size() != 1) return false;
  if (statement.effects.front() != Effect::writes) return true;
  return std::ranges::find(words, first_word(statement.parameterised)) != words.end();
}

}  // namespace

ClientState::ClientState(const ScriptPlan& plan, std::uint64_t number,
                         WorkerContext& context_of_worker)
    : worker(context_of_worker),
      variables(worker.scripts.names()),
      rng(random::Rng::stream(plan.seed, RandomPurpose::client, {number})),
      beginning{.variables = Variables(worker.scripts.names())},
      choice_rng_(random::Rng::stream(plan.seed, RandomPurpose::choice, {number})) {
  random::Rng default_seed = random::Rng::stream(plan.seed, RandomPurpose::default_seed);
  set_builtin_variables({.client_id = static_cast<std::int64_t>(number),
                         .default_seed = static_cast<std::int64_t>(default_seed.next()),
                         .random_seed = static_cast<std::int64_t>(plan.seed),
                         .scale = plan.scale},
                        variables);
  set_definitions(plan.definitions, variables);
}

Task<void> ScriptTransaction::execute(database::Session& handed_out) {
  auto& session = static_cast<ScriptSession&>(handed_out);
  std::optional<Error> failure;
  try {
    ScriptRun run = begin_attempt();
    while (const Command* next = run.next()) {
      command_index_ = run.index();
      if (std::holds_alternative<SqlCommand>(next->action)) {
        const Statement& statement = worker_->scripts.statement(script_, command_index_);
        const Instant sent = begin_statement(session, statement);
        if (!in_pipeline_ && !session.is_ready_for(statement)) co_await prepare(session, statement);
        co_await session.execute(statement, client_->variables);
        if (!in_pipeline_) end_statement(session, statement, sent);
      } else if (const auto* pipeline = std::get_if<PipelineCommand>(&next->action)) {
        co_await step(session, pipeline->step);
      } else {
        co_await coro::sleep_for(run.pause());
      }
    }
    require_complete(session);
  } catch (const ScriptError& error) {
    failure = failure_of(error);
  } catch (const Error& error) {
    const bool is_answered = error.error_class() != ErrorClass::connection_lost;
    if (committing_ && is_answered) {
      failure = failure_of(session.failed_commit(error));
    } else {
      failure = failure_of(error);
    }
  }
  if (!failure) co_return;
  is_retry_ = failure->error_class() == ErrorClass::retryable;
  std::string& first = worker_->counts.first_failures[script_];
  if (first.empty() && !is_retry_) first = failure->what();
  co_await session.roll_back();
  throw Error(*failure);
}

// Returns the rest of the script that this attempt executes.
ScriptRun ScriptTransaction::begin_attempt() {
  statement_ = nullptr;
  in_pipeline_ = committing_ = false;
  if (!is_retry_) return ScriptRun(script(), client_->context);
  const ClientState::Beginning& beginning = client_->beginning;
  if (beginning.has_state) {
    client_->variables = beginning.variables;
    client_->rng = beginning.rng;
  }
  return ScriptRun(script(), client_->context, beginning.index);
}

// Stores the current command for a retry. A single statement outside of a transaction needs no
// variables and random numbers, because it changes no variable before it has succeeded.
void ScriptTransaction::remember_beginning(bool with_state) {
  ClientState::Beginning& beginning = client_->beginning;
  beginning.index = command_index_;
  beginning.has_state = with_state;
  if (with_state) {
    beginning.variables = client_->variables;
    beginning.rng = client_->rng;
  }
  is_repeatable_ = true;
}

// Returns the time at which the statement is sent. Neither begin_statement() nor end_statement() is
// a coroutine, to save memory per client: see PostgresSession::execute().
Instant ScriptTransaction::begin_statement(const ScriptSession& session,
                                           const Statement& statement) {
  statement_ = &statement;
  const Instant now = Worker::current().now();
  if (in_pipeline_) {
    queue(statement, now);
    return now;
  }
  const bool open = session.in_transaction();
  if (!open) remember_beginning(statement.does(Effect::begins) || statement.effects.size() > 1);
  committing_ = statement.may_commit(open);
  return now;
}

// Preparing a statement cannot leave an unknown commit.
Task<void> ScriptTransaction::prepare(ScriptSession& session, const Statement& statement) {
  const bool commits = std::exchange(committing_, false);
  co_await session.prepare(statement);
  committing_ = commits;
}

void ScriptTransaction::end_statement(const ScriptSession& session, const Statement& statement,
                                      Instant sent) {
  note_success(statement, sent, Worker::current().now());
  if (statement.does(Effect::commits) && session.in_transaction()) is_repeatable_ = false;
  committed_ = committed_ || committing_;
  committing_ = false;
}

void ScriptTransaction::queue(const Statement& statement, Instant now) {
  if (statement.command->storing != Storing::none) {
    throw script().error(command(), storing_in_pipeline);
  }
  const bool commits = statement.may_commit(open_);
  committing_ = committing_ || commits;
  open_ = statement.leaves_open(open_);
  // A BEGIN includes the statements that the pipeline has sent since its last sync in its
  // transaction.
  sync_commits_ = !open_ && (sync_commits_ || commits);
  client_->pipeline.push_back({&statement, now});
}

Task<void> ScriptTransaction::step(ScriptSession& session, PipelineStep step) {
  statement_ = nullptr;
  if (step == PipelineStep::start) {
    co_await open_pipeline(session);
    co_return;
  }
  if (!in_pipeline_) throw script().error(command(), no_pipeline);
  if (step == PipelineStep::sync) {
    sync_pipeline(session);
  } else {
    co_await close_pipeline(session);
  }
}

void ScriptTransaction::sync_pipeline(ScriptSession& session) {
  session.sync_pipeline();
  ++syncs_;
  if (std::exchange(sync_commits_, false) && committing_syncs_ == 0) committing_syncs_ = syncs_;
}

Task<void> ScriptTransaction::open_pipeline(ScriptSession& session) {
  if (worker_->scripts.protocol() == Protocol::simple) {
    throw script().error(command(), simple_pipeline);
  }
  if (in_pipeline_) throw script().error(command(), nested_pipeline);
  open_ = session.in_transaction();
  if (!open_) remember_beginning(true);
  client_->pipeline.clear();
  sync_commits_ = false;
  syncs_ = committing_syncs_ = 0;
  const auto statements = worker_->scripts.pipeline(script_, command_index_);
  std::size_t prepared = 0;
  try {
    co_await session.open_pipeline(statements, prepared);
  } catch (const Error&) {
    if (prepared < statements.size()) {
      statement_ = &statements[prepared];
      command_index_ = statement_->index;
    }
    throw;
  }
  in_pipeline_ = true;
}

Task<void> ScriptTransaction::close_pipeline(ScriptSession& session) {
  const PipelineAnswer answer = co_await session.close_pipeline();
  in_pipeline_ = false;
  const Instant now = Worker::current().now();
  bool commits = committing_syncs_ > 0 && answer.synced >= committing_syncs_;
  for (std::size_t i = 0; i < answer.answered; ++i) {
    const ClientState::Sent& sent = client_->pipeline[i];
    note_success(*sent.statement, sent.at, now);
    commits = commits || sent.statement->does(Effect::commits);
  }
  committed_ = committed_ || (committing_ && (commits || !answer.error));
  const bool to_commit = std::exchange(committing_, false);
  if (commits && (answer.error || session.in_transaction())) is_repeatable_ = false;
  if (!answer.error) co_return;
  if (answer.answered < client_->pipeline.size()) {
    statement_ = client_->pipeline[answer.answered].statement;
    command_index_ = statement_->index;
  }
  throw Error(to_commit ? session.failed_commit(*answer.error) : *answer.error);
}

void ScriptTransaction::require_complete(const ScriptSession& session) {
  statement_ = nullptr;
  if (in_pipeline_) throw script().error(command(), unfinished_pipeline);
  if (session.in_transaction()) {
    throw script().error(command(),
                         "end of script reached without completing the last transaction");
  }
}

// Returns null outside of the measured interval and for statements without figures.
StatementCounts* ScriptTransaction::counts_of(const Statement& statement, Instant now) {
  if (!worker_->measuring(now)) return nullptr;
  return worker_->counts.statements[statement.number].get();
}

void ScriptTransaction::note_success(const Statement& statement, Instant sent, Instant now) {
  StatementCounts* counts = counts_of(statement, now);
  if (counts == nullptr) return;
  counts->executions.add();
  counts->latency.record(static_cast<std::uint64_t>((now - sent).count()));
}

Error ScriptTransaction::failure_of(const Error& error) {
  if (statement_ != nullptr) {
    if (StatementCounts* counts = counts_of(*statement_, Worker::current().now())) {
      counts->executions.add();
      counts->failures.add();
    }
  }
  ErrorClass error_class = error.error_class();
  const auto* end = dynamic_cast<const database::NeverExecuted*>(&error);
  const bool unexecuted =
      end != nullptr && (end->idle() || (statement_ != nullptr && is_one_transaction(*statement_)));
  if (error_class == ErrorClass::connection_lost && committing_ && !unexecuted) {
    error_class = ErrorClass::ambiguous_commit;
  }
  committing_ = error_class == ErrorClass::ambiguous_commit;
  const std::uint32_t line = script().position(command()).line;
  std::string where = fmt::format("{}:{}: ", script().file(), line);
  if (statement_ != nullptr) where += statement_->title + ": ";
  const Error made(error_class, error.sqlstate(), where + error.what(), error.backoff());
  return error_class == ErrorClass::retryable && !is_repeatable_ ? not_retried(made) : made;
}

Error ScriptTransaction::failure_of(const ScriptError& error) const {
  return {ErrorClass::statement, "",
          fmt::format("{}:{}:{}: {}", error.file(), error.position().line, error.position().column,
                      error.message())};
}

namespace {

class ScriptClients final : public load::Workload {
 public:
  ScriptClients(const ScriptPlan& plan, std::size_t index,
                std::unique_ptr<database::Backend> backend, WorkerCounts& counts)
      : plan_(plan),
        backend_(std::move(backend)),
        counts_(counts),
        context_{.scripts = *plan.scripts, .counts = counts},
        loop_(plan, index) {
    for (std::size_t i = 0; i < loop_.clients(); ++i) {
      clients_.emplace_back(plan, plan.first_client() + index + i * plan.threads, context_);
    }
  }

  database::Backend& backend() noexcept override { return *backend_; }
  std::size_t terminals() const noexcept override { return loop_.clients(); }

  void start_terminals(load::ClientGroup& group) override {
    context_.recorder = &group.recorder();
    loop_.start(group, [this](std::size_t number) {
      ClientState& client = clients_[number / plan_.threads];
      return ScriptTransaction(client, client.choose());
    });
  }

  // Unknown commits stay unresolved, because the data of a script is unknown.
  coro::Task<std::vector<database::Resolution>> resolve(
      std::vector<const load::Transaction*> unknown) override {
    leave_unresolved(unknown.size());
    co_return std::vector(unknown.size(), database::Resolution::unknown);
  }
  void leave_unresolved(std::size_t unknown) override { counts_.unresolved.add(unknown); }

 private:
  const ScriptPlan& plan_;
  const std::unique_ptr<database::Backend> backend_;
  WorkerCounts& counts_;
  WorkerContext context_;
  std::deque<ClientState> clients_;  // transactions refer to them
  load::ClientLoop loop_;
};

}  // namespace

load::WorkloadInfo workload_info(const ScriptPlan& plan) {
  load::WorkloadInfo info;
  info.benchmark = "SQL";
  info.key = "sql";
  info.types.clear();
  for (std::size_t i = 0; i < plan.scripts->titles().size(); ++i) {
    info.types.push_back({.name = plan.scripts->titles()[i], .share = plan.scripts->shares()[i]});
  }
  info.terminal = "client";
  info.looks_up_commits = false;
  return info;
}

load::WorkloadFactory make_clients(const ScriptPlan& plan, BackendFactory backends,
                                   RunCounts& counts) {
  return [&plan, backends = std::move(backends), &counts](std::size_t index) {
    return std::make_unique<ScriptClients>(plan, index, backends(index), counts.workers[index]);
  };
}

}  // namespace drover::sql
