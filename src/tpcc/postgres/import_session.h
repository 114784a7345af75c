// The sessions of an import: their settings, and the locks by which imports keep out of each
// other's way.
//
// An import holds one lock alone for as long as it takes, and each of its sessions shares a second
// one. The sessions of a client that was killed live on for a moment, with an index half built or a
// commit under way; who holds the first lock and then gets the second one alone knows that they
// have ended. Both are advisory locks on the table drover_tpcc.
//
// Thread safety: as the connection's.
#pragma once

#include <memory>
#include <string>

#include "coro/task.h"
#include "database/postgres/connection.h"

namespace drover::tpcc::postgres {

// A session with settings that any user may change and that make the work faster. A server that
// does not know one of them goes on without it. Requires that drover_tpcc exists.
coro::Task<std::unique_ptr<database::postgres::Connection>> open_import_session(
    std::string conninfo, std::string schema);

// Takes the right to import into the schema, for the life of the session; false if another import
// has it, or sessions of one have not ended. For a session that open_import_session() did not make.
coro::Task<bool> try_lock_import(database::postgres::Connection& connection, std::string schema);

}  // namespace drover::tpcc::postgres
