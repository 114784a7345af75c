// A session for the work of an import: settings that any user may change, and that make it faster
// without harm to others.
//
// Thread safety: as the connection's.
#pragma once

#include <memory>
#include <string>

#include "coro/task.h"
#include "database/postgres/connection.h"

namespace drover::tpcc::postgres {

// A server that does not know one of the settings goes on without it.
coro::Task<std::unique_ptr<database::postgres::Connection>> open_import_session(
    std::string conninfo);

}  // namespace drover::tpcc::postgres
