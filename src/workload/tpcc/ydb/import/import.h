// The import of a population into YDB: plan, rows, indexes. The indexes are built by the server
// while the tables that have none are loaded.
//
// It may be killed at any point, on either side: the same call goes on from there, and the rows are
// the same as without the kill. One at a time is at work on a folder (import_claim.h): another one
// is refused, and what was killed is waited for, for 10 s, as it might be alive.
//
// Thread safety: runs on one worker; the threads that make rows end before it does.
#pragma once

#include <chrono>

#include "coro/clock.h"
#include "coro/task.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/ydb/import/import_claim.h"
#include "workload/tpcc/ydb/ydb_database.h"

namespace drover::tpcc::ydb {

struct ImportOptions : ImportSettings {
  YdbDatabase database = {};
  coro::Duration index_poll_interval = std::chrono::seconds(1);
  ImportClaim::Times claim = {};
};

// Throws UnfitSchema, and database::Error, whose message then says how far the import came.
// The outcome's finish_time is that from the last row to the last index.
coro::Task<ImportOutcome> import_warehouses(ImportOptions options, ImportObserver& observer);

}  // namespace drover::tpcc::ydb
