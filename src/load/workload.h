// The interface between the engine and a workload: terminals that ask for transactions, and
// transactions that execute on the connections of a database. The workload decides what its
// transactions do, and counts what the engine does not.
//
//   class Terminals : public load::Workload {
//     void start_terminals(load::ClientGroup& group) override {
//       for (…) if (!group.start(terminal(group, …))) return;
//     }
//     coro::Task<void> terminal(load::ClientGroup& group, …) {
//       group.terminal_up();
//       for (coro::Instant time = group.start_time(); !group.stopped();) {
//         time = (co_await group.transact(MyTransaction(…), time)).at;
//       }
//     }
//   };
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "coro/task.h"
#include "database/backend.h"
#include "database/error.h"

namespace drover::load {

class ClientGroup;

// One transaction. Belongs to the task that executes it.
class Transaction {
 public:
  virtual ~Transaction() = default;

  // Returns the index in WorkloadInfo::types.
  virtual std::size_t type() const noexcept = 0;

  // Executes one attempt, from the beginning to the commit or rollback. Throws database::Error if
  // the attempt left nothing in the database, or with ErrorClass::ambiguous_commit if that is
  // unknown.
  virtual coro::Task<void> execute(database::Session& session) = 0;

  // Returns false if execute() rolled back on purpose.
  virtual bool committed() const noexcept = 0;
  // Returns true if the last execute() has sent the commit. If it is cancelled then, the outcome is
  // unknown.
  virtual bool commit_sent() const noexcept = 0;

  // Counts the success. `measured` is true within the measured interval.
  virtual void count(bool measured) = 0;

  // Called when the transaction has failed and is not retried.
  virtual void failed(const database::Error& /*error*/) {}

  // Returns the home, which decides the server host of the transaction (Plan::affinity).
  virtual std::size_t home() const noexcept { return 0; }

  // Returns a copy whose unknown commit is looked up after the run.
  virtual std::unique_ptr<Transaction> keep() const = 0;
};

// One worker's part of a workload. Belongs to its worker.
class Workload {
 public:
  virtual ~Workload() = default;

  virtual database::Backend& backend() noexcept = 0;

  // Returns the number of terminals that start_terminals() starts.
  virtual std::size_t terminals() const noexcept = 0;

  // Passes each terminal to group.start(), until that returns false. Terminals may refer to the
  // group and to this object. They call group.terminal_up() first.
  virtual void start_terminals(ClientGroup& group) = 0;

  // Looks up unknown commits, counts them, and returns their outcomes in the same order. Called
  // when all connections have been given back. Throws only Cancelled, and has counted nothing then.
  virtual coro::Task<std::vector<database::Resolution>> resolve(
      std::vector<const Transaction*> unknown_commits) = 0;

  // Called when a connection is lost. A failover may lose the last acknowledged commits.
  virtual void on_session_lost() noexcept {}

  // Counts unknown commits as unresolved: instead of resolve(), or after it was cancelled.
  virtual void leave_unresolved(std::size_t unknown_commits) = 0;
};

// Creates the workload of the worker `index`, on that worker's thread.
using WorkloadFactory = std::function<std::unique_ptr<Workload>(std::size_t index)>;

}  // namespace drover::load
