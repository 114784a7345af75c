// Whether a database is ready for a run, whoever loaded it.
#pragma once

#include <string>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "tpcc/loaded.h"

namespace drover::tpcc::postgres {

// Throws UnfitSchema if tables are missing or an import is not complete.
coro::Task<LoadedDatabase> inspect_loaded(database::postgres::Connection& connection,
                                          std::string schema);

}  // namespace drover::tpcc::postgres
