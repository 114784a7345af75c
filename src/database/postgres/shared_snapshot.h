// SharedSnapshot: one snapshot for all sessions of a reader. The first session exports it and the
// other sessions import it, so that all read the database as it was at one instant.
//
// Each session stays in one transaction, REPEATABLE READ and READ ONLY. After a statement that the
// server refuses, the session rolls back to a savepoint and keeps the snapshot. On a server that
// cannot share a snapshot each session has its own, and refusal() says why.
//
// All sessions must be on one server, because a balancer may lead a session to a standby whose data
// lag. PostgreSQL servers differ by the time at which they started, and by their snapshots.
//
// Thread safety: none; an object belongs to one worker. Errors: database::Error.
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

// Returns true if the server has refused the statement and the session stays usable.
bool refused_by_server(const Error& error, const Connection& session) noexcept;

class SharedSnapshot {
 public:
  using Opener = std::function<coro::Task<std::unique_ptr<Connection>>()>;

  SharedSnapshot() = default;
  // Uses a snapshot that another process keeps open. Without a name each session has its own.
  explicit SharedSnapshot(std::string name) : id_(std::move(name)) {}

  // Begins the first session, whose transaction must stay open until the last session has joined.
  coro::Task<void> begin(Connection& first);
  // Opens a further session in the snapshot of the first one, or in its own. Calls
  // `open` up to 32 times while the session is on another server, and then throws Error.
  coro::Task<std::unique_ptr<Connection>> join(Opener open);
  // Rolls back a statement that the server has refused.
  static coro::Task<void> recover(Connection& session);

  // Returns the name of the snapshot. Empty: it is not shared.
  const std::string& name() const noexcept { return id_; }

  // Returns why not all sessions have the same snapshot, or nothing if they have.
  const std::optional<std::string>& refusal() const noexcept { return refusal_; }

 private:
  coro::Task<std::optional<std::string>> begin_beside(Connection& other);

  std::string id_;      // empty: not shared
  std::string server_;  // the identity of the first session's server; empty: unknown
  std::optional<std::string> refusal_;
};

}  // namespace drover::database::postgres
