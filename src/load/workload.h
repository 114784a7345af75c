// What the engine asks of a workload: terminals that want transactions, and transactions that are executed on the
// sessions of a database. Which they are, what they write and what is counted of it beside the engine's figures, the
// workload knows alone.
//
//   class Terminals : public load::Workload {
//     void start_terminals(load::ClientGroup& group) override {
//       for (…) if (!group.start(terminal(group, …))) return;
//     }
//     coro::Task<void> terminal(load::ClientGroup& group, …) {
//       group.terminal_up();
//       for (coro::Instant time = group.start_time(); !group.stopped();) {
//         time = co_await group.transact(MyTransaction(…), time);
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

// Belongs to whoever executes it.
class Transaction {
 public:
  virtual ~Transaction() = default;

  // Its place in WorkloadInfo::types.
  virtual std::size_t type() const noexcept = 0;

  // Executes it once, from its beginning to its commit or rollback; an attempt after an error begins anew. On an
  // error nothing of it is in the database, save for ErrorClass::ambiguous_commit, where nobody knows.
  virtual coro::Task<void> execute(database::Session& session) = 0;

  // After execute(): false where it had to be rolled back, and was.
  virtual bool committed() const noexcept = 0;
  // The last execute() has sent the commit: who abandons the transaction from here on does not know whether it happened.
  virtual bool commit_sent() const noexcept = 0;

  // It has succeeded; `measured`: within the measurement interval.
  virtual void count(bool measured) = 0;

  // The transaction has failed and is not tried again.
  virtual void failed(const database::Error& /*error*/) {}

  // Transactions of the same number stay with the same host (Plan::affinity).
  virtual std::size_t home() const noexcept { return 0; }

  // A copy to be looked up after the run: it is in doubt whether it happened.
  virtual std::unique_ptr<Transaction> keep() const = 0;
};

// One worker's part of a workload. Belongs to its worker.
class Workload {
 public:
  virtual ~Workload() = default;

  virtual database::Backend& backend() noexcept = 0;

  // How many start_terminals() starts.
  virtual std::size_t terminals() const noexcept = 0;

  // Gives each terminal to group.start(), until it says that there is to be an end. Terminals may refer to the group and
  // to this object; they call group.terminal_up() first.
  virtual void start_terminals(ClientGroup& group) = 0;

  // Finds out whether these happened, and counts them; an answer for each, in their order. Asked when all sessions have
  // been given back. Throws nothing but Cancelled, and has counted nothing then.
  virtual coro::Task<std::vector<database::Resolution>> resolve(
      std::vector<const Transaction*> unknown_commits) = 0;

  // A session has ended before its time: a database that fails over may lose what it acknowledged last.
  virtual void on_session_lost() noexcept {}

  // In place of resolve(), or after it was cancelled: nobody will know.
  virtual void leave_unresolved(std::size_t unknown_commits) = 0;
};

// Makes the part of the worker `index`, on that worker's thread.
using WorkloadFactory = std::function<std::unique_ptr<Workload>(std::size_t index)>;

}  // namespace drover::load
