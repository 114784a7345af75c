// Sessions of the server by name, to see to it that they have ended.
// Thread safety: as the connection's. Errors: database::Error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/postgres/connection.h"

namespace drover::database::postgres {

// A session of the server, told from every other that ever had or will have its process number.
struct SessionIdentity {
  std::int32_t pid = 0;
  std::string started;  // backend_start, as text in UTC
  // Or, where a process may be lent to another session later: the application_name that it has for this one.
  std::string application_name = {};
  // Or, where sessions have names and no process numbers: the name.
  std::string session_id = {};
  // Besides the process number, on Citus: citus_backend_gpid(), which the session's connections to
  // other nodes have in their application_name.
  std::string global_pid = {};
};

// Names this connection's own session; nothing where the server does not say. Behind a pooler it gets a
// name of its own; where no session lasts, each transaction gets it from here on.
coro::Task<std::optional<SessionIdentity>> identify_session(Connection& own);

// Ends those that there still are, as a server goes on with what it was sent though its client has
// gone, and returns when they have ended. On Citus the sessions may be those of any node, and their
// connections to other nodes are ended, too. Returns false if some have not ended within the
// patience, or a node could not be asked.
coro::Task<bool> end_sessions(Connection& connection, std::span<const SessionIdentity> sessions,
                              coro::Duration patience);

}  // namespace drover::database::postgres
