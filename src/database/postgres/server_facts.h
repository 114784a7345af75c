// Facts about a PostgreSQL server, found by asking it: its version, settings and limits, its
// identity, and the pooler in front of it.
//
// A pooler (PgBouncer, pgpool-II) reports a process number at connect that differs from
// pg_backend_pid(). With transaction pooling, two sessions get the same process one after the
// other, or one session gets several. pgpool-II answers a command of its own.
//
// Thread safety: as the connection's. Errors: database::Error.
#pragma once

#include <string>

#include "coro/task.h"
#include "database/postgres/access.h"
#include "database/postgres/connection.h"
#include "database/server.h"

namespace drover::database::postgres {

// Finds the pooler in front of the server. `first` was opened with `access`; it has nothing queued
// and no transaction. Behind a pooler, opens a second session for a moment. If the pooler allows no
// second one, returns `transaction`, which is correct for any pooler. Throws for a pgpool-II that
// replicates by itself.
coro::Task<Pooling> find_pooling(Connection& first, Access access);

// Returns true if pgpool-II is in front of the server.
coro::Task<bool> is_pgpool(Connection& connection);

// Reads the facts. The connection was opened by open_in_schema(), and is not counted among the used
// connections, because it ends before a run begins.
coro::Task<ServerFacts> read_server_facts(Connection& connection);

// Returns a text that identifies the server, database and schema. Empty if the server does not
// tell, as relatives of PostgreSQL, whose hosts are servers of their own.
coro::Task<std::string> read_identity(Connection& connection);

}  // namespace drover::database::postgres
