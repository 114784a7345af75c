// What a PostgreSQL says of itself. Errors: database::Error.
#pragma once

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "database/server.h"

namespace drover::database::postgres {

// The connection was opened by open_in_schema(), which knows whether a pooler stands between. Its own session is not
// counted among those that are used: it ends before a run begins.
coro::Task<ServerFacts> read_server_facts(Connection& connection);

// Which server, database and schema it is; empty where it does not say, as relatives of PostgreSQL, whose hosts are
// servers of their own.
coro::Task<std::string> read_identity(Connection& connection);

}  // namespace drover::database::postgres
