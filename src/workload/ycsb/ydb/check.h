// The check of a table: each value must be one that a client of drover has written to its row and field.
//
// It only reads, by ranges of keys, a few rows at a time, in parallel sessions, each request at an instant of its own. Runs
// on one worker.
#pragma once

#include "coro/task.h"
#include "database/ydb/database_access.h"
#include "workload/ycsb/database.h"

namespace drover::ycsb::ydb {

// Throws UnfitSchema, PropertyError and database::Error. Requires: connections > 0.
coro::Task<CheckReport> check(database::ydb::YdbDatabase database, CheckSettings settings);

// See Database::check_part(). Each request has a snapshot of its own, whoever reads.
coro::Task<CheckReport> check_part(database::ydb::YdbDatabase database, CheckSettings settings,
                                   CheckPart part);

}  // namespace drover::ycsb::ydb
