// Server: the simulated database's process for each session, its locks, and what fails at it.
//
// A session has two ends. The server's end is a task of its own, as it is a process of its own in a
// real one: it goes on with what it was sent when the client's end has gone, holds its locks until
// it is through, and may commit what nobody waits for any more.
//
// Everything runs on one worker.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "coro/event.h"
#include "coro/scope.h"
#include "coro/semaphore.h"
#include "coro/task.h"
#include "database/error.h"
#include "scenario.h"
#include "tables.h"
#include "witness.h"
#include "workload/tpcc/random.h"

namespace drover::simulation {

// One message to the server: statements of a transaction, its end, or both.
struct Request {
  std::optional<Change> statements;  // what they are to do
  bool commit = false;
  bool roll_back = false;
};

struct Answer {
  std::optional<database::Error> error;  // the transaction is rolled back
  std::int32_t o_id = 0;
  Orders delivered{};
};

struct Connection {
  std::int32_t pid = 0;

  // The client's end.
  bool cut = false;     // nothing comes through any more
  bool broken = false;  // and the client knows it
  std::optional<Answer> answer;
  coro::Notification heard;  // an answer, or that it is cut

  // The server's end.
  std::optional<Request> request;
  coro::Notification asked;  // a request, or that the client has gone
  bool client_gone = false;
  bool ended = false;
  coro::Instant frozen_until;
  std::optional<Change> open;  // what a commit would write
  std::vector<coro::Semaphore::Permit> locks;
};

using ConnectionPointer = std::shared_ptr<Connection>;

class Server {
 public:
  // Its processes are tasks of `scope`. All must outlive it.
  Server(const Scenario& scenario, Witness& witness, coro::Scope& scope);

  // Throws database::Error if it is refused.
  coro::Task<ConnectionPointer> connect();

  // Sends the request and waits for its answer. Throws database::Error (connection_lost) when the
  // connection breaks, or when there is no answer in time.
  coro::Task<Answer> ask(ConnectionPointer connection, Request request);

  // The client goes away.
  static void abandon(Connection& connection);

  // Asks the process to end; says whether it was still there. One that is frozen hears of it later.
  bool terminate(std::int32_t pid);

  // For those who ask the data: throws database::Error if it cannot be asked.
  coro::Task<void> require_answers();

  // The fault, at its time.
  coro::Task<void> strike(Fault fault);

  const Tables& tables() const noexcept { return tables_; }
  std::size_t processes() const noexcept { return processes_.size(); }

 private:
  enum class CommitFate : std::uint8_t {
    answered,
    cut_before,
    cut_after,
    on_its_own,
    fails,
    rolled_back
  };

  coro::Task<void> serve(ConnectionPointer connection);
  coro::Task<void> handle(Connection& connection, const Request& request, Answer& answer);
  coro::Task<void> execute(Connection& connection, const Change& change, Answer& answer);
  coro::Task<void> lock(Connection& connection, const tpcc::Input& input);
  coro::Task<void> take(Connection& connection, coro::Semaphore& lock);
  coro::Task<void> commit(Connection& connection, Answer& answer);
  coro::Task<void> spend(const Connection& connection, coro::Duration duration);
  coro::Task<void> thawed(const Connection& connection);
  static coro::Task<void> heard(ConnectionPointer connection);

  bool one_in(std::int32_t cases) { return cases > 0 && rng_.one_in(cases); }
  std::optional<database::Error> statement_fault();
  CommitFate commit_fate();
  coro::Duration statement_time();
  static void roll_back(Connection& connection);
  void cut(Connection& connection);
  void end(Connection& connection);
  void kill(Connection& connection);
  void kill_all();
  std::vector<ConnectionPointer> some_processes();

  const Scenario& scenario_;
  Witness& witness_;
  coro::Scope& scope_;
  tpcc::Rng rng_;
  Tables tables_;
  std::vector<std::unique_ptr<coro::Semaphore>> district_locks_;   // of New-Orders
  std::vector<std::unique_ptr<coro::Semaphore>> warehouse_locks_;  // of Payments
  std::vector<std::unique_ptr<coro::Semaphore>> delivery_locks_;
  std::vector<ConnectionPointer> processes_;  // they hold locks
  std::int32_t next_pid_ = 1;
  coro::Instant down_until_;
  coro::Instant standby_until_;
  coro::Instant refuses_until_;
  coro::Instant frozen_until_;
  coro::Instant slow_until_;
  bool denies_ = false;
};

}  // namespace drover::simulation
