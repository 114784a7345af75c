// One snapshot for all sessions of a reader: the first one exports it, the others import it, and so all of them read the
// database as it was at one instant, whatever is written meanwhile.
//
// Each session stays in one transaction, REPEATABLE READ and READ ONLY. A statement that the server refuses is rolled
// back to a savepoint: the snapshot survives it.
//
// A server that cannot share a snapshot (one that speaks the protocol but is no PostgreSQL, a session that a balancer
// sent elsewhere) leaves each session with a snapshot of its own; then `refusal` says why.
//
// Belongs to one worker.
#pragma once

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
  SharedSnapshot() = default;
  // One that another process has begun, and keeps open; without a name each session has its own.
  explicit SharedSnapshot(std::string name) : id_(std::move(name)) {}

  // Begins the first session, whose transaction must stay open until the last one has joined. All of these throw
  // database::Error where the session is lost or cannot begin at all.
  coro::Task<void> begin(Connection& first);
  // Begins a further session in the snapshot of the first, or in one of its own.
  coro::Task<void> join(Connection& other);
  // After a statement that the server refused.
  static coro::Task<void> recover(Connection& session);

  // Empty: there is none to be shared.
  const std::string& name() const noexcept { return id_; }

  // Set where not all sessions see the same: what the server said to the first that does not.
  const std::optional<std::string>& refusal() const noexcept { return refusal_; }

 private:
  std::string id_;  // empty: none to be had
  std::optional<std::string> refusal_;
};

}  // namespace drover::database::postgres
