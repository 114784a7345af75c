// One snapshot for all sessions of a reader: the first one exports it, the others import it, and so all of them read the
// database as it was at one instant, whatever is written meanwhile.
//
// Each session stays in one transaction, REPEATABLE READ and READ ONLY. A statement that the server refuses is rolled
// back to a savepoint: the snapshot survives it.
//
// A server that cannot share a snapshot (one that speaks the protocol but is no PostgreSQL) leaves
// each session with a snapshot of its own; then `refusal` says why.
//
// All sessions are on one server: a balancer may lead a session to a standby whose data lag.
// PostgreSQL servers are told apart by the time at which they started, and by their snapshots.
//
// Belongs to one worker.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "coro/task.h"
#include "database/error.h"
#include "database/postgres/connection.h"

namespace drover::database::postgres {

// Whether the server has judged the statement and the session lives on.
bool refused_by_server(const Error& error, const Connection& session) noexcept;

class SharedSnapshot {
 public:
  using Opener = std::function<coro::Task<std::unique_ptr<Connection>>()>;

  SharedSnapshot() = default;
  // One that another process has begun, and keeps open; without a name each session has its own.
  explicit SharedSnapshot(std::string name) : id_(std::move(name)) {}

  // Begins the first session, whose transaction must stay open until the last one has joined. All of these throw
  // database::Error where the session is lost or cannot begin at all.
  coro::Task<void> begin(Connection& first);
  // Opens a further session, and begins it in the snapshot of the first, or in one of its own. Calls
  // `open` again, a limited number of times, while the session is on another server than the first
  // one. Throws Error if it is there every time.
  coro::Task<std::unique_ptr<Connection>> join(Opener open);
  // After a statement that the server refused.
  static coro::Task<void> recover(Connection& session);

  // Empty: there is none to be shared.
  const std::string& name() const noexcept { return id_; }

  // Set where not all sessions see the same: what the server said to the first that does not.
  const std::optional<std::string>& refusal() const noexcept { return refusal_; }

 private:
  coro::Task<std::optional<std::string>> begin_beside(Connection& other);

  std::string id_;      // empty: none to be had
  std::string server_;  // the identity of the first session's server; empty: unknown
  std::optional<std::string> refusal_;
};

}  // namespace drover::database::postgres
