// Whether a database is ready for a run, whoever loaded it. Belongs to one worker.
#pragma once

#include "coro/task.h"
#include "tpcc/loaded.h"
#include "tpcc/ydb/ydb_database.h"

namespace drover::tpcc::ydb {

// Throws UnfitSchema if tables are missing, an import is not complete, or no warehouse is there;
// database::Error.
coro::Task<LoadedDatabase> inspect_loaded(YdbDatabase database);

}  // namespace drover::tpcc::ydb
