// What the sessions of a run are waiting for, as pg_stat_activity tells it.
//
// Those of the run are the client backends of the same database, user and application_name as the session that asks: a
// pooler hands the name on, and a name of one's own in the connection string is that of all. So runs beside this one,
// by the same user, are among them.
//
// Nothing is SET or prepared in the session: a pooler may share it with others.
//
// Thread safety: as the connection's. Errors: database::Error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coro/task.h"
#include "database/postgres/connection.h"

namespace drover::database::postgres {

struct WaitEventCount {
  // "LWLock:WALWrite"; "CPU" of a session that works and waits for nothing. On Citus with the node:
  // "IO:WALSync at host:5432", "CPU at coordinator".
  std::string event;
  std::uint32_t sessions = 0;
};

// The sessions that are in a statement or in a transaction, by their event, but for the one that asks.
coro::Task<std::vector<WaitEventCount>> read_wait_events(Connection& connection);

// Why the server does not show to this session what sessions do, for people; empty if it does.
coro::Task<std::string> why_no_wait_events(Connection& connection);

}  // namespace drover::database::postgres
