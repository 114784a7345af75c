// Unmaking what initialise() made. Belongs to one worker. Errors: database::Error.
#pragma once

#include <string>
#include <vector>

#include "coro/task.h"
#include "tpcc/ydb/catalog.h"
#include "tpcc/ydb/database_access.h"
#include "tpcc/ydb/ydb_database.h"

namespace drover::tpcc::ydb {

// Drops the nine tables and ours, with their indexes; returns the names of those that there were.
// Folders stay, and whatever else is in them.
coro::Task<std::vector<std::string>> clean(YdbDatabase database);

// Those of the catalog.
coro::Task<void> drop_tables(DatabaseAccess& access, Catalog catalog);

}  // namespace drover::tpcc::ydb
