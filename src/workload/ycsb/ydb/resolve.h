// Looks in the data for writes whose answer never came (workload/ycsb/resolution.h).
//
// A server may still be about to commit one when we look, and a transaction that only reads keeps nobody from committing
// after it (workload/tpcc/ydb/resolve.h). So each answer comes from a transaction that also writes the row: as it is, or,
// where the row of an insert is not there, by deleting it. Whatever the doubted one has read before is then out of date,
// and its commit is ABORTED. What the server has not begun by then is ended with its session: all sessions of the run are
// closed first.
#pragma once

#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/backend.h"
#include "database/ydb/database_access.h"
#include "workload/ycsb/backend.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb::ydb {

// One answer a doubt, in their order. Tries for as long as the patience lasts, the database may be on its way up; what
// is not known then is unknown. Throws nothing but Cancelled.
coro::Task<std::vector<database::Resolution>> resolve_doubts(database::ydb::YdbDatabase database,
                                                             Properties properties,
                                                             ValueKind values,
                                                             std::vector<Doubt> doubts,
                                                             coro::Duration patience);

}  // namespace drover::ycsb::ydb
