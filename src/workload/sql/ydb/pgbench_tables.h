// The tables of the built-in scripts in YDB: those of `pgbench -i`, and a key for the history, which YDB wants: the
// account and the time, for transactions of one account come one after the other.
//
// Thread safety: as the access's. Errors: database::UnfitSchema, database::Error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coro/task.h"
#include "database/ydb/database_access.h"
#include "workload/sql/database.h"

namespace drover::sql::ydb {

// Requires: 1 <= settings.scale <= scale_max. Rows go by BulkUpsert; the branches come last, so that what a killed
// command leaves behind is refused by a run.
coro::Task<std::vector<std::string>> make_pgbench_tables(database::ydb::DatabaseAccess& access,
                                                         InitialiseSettings settings);

// Says which of them there were.
coro::Task<std::vector<std::string>> drop_pgbench_tables(database::ydb::DatabaseAccess& access);

// Throws UnfitSchema where there is no branch.
coro::Task<std::int64_t> count_branches(database::ydb::DatabaseAccess& access);

}  // namespace drover::sql::ydb
