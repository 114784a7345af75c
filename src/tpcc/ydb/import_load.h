// Loading the parts of a population by BulkUpsert, several calls at a time. The rows are made on
// the threads of a pool.
//
// The calls take batches in the order of the parts: one at the end of a part does not wait for the
// others. A part whose batches are all there is recorded in drover_tpcc_loaded.
//
// Thread safety: runs on one worker; the pool's threads end before it does.
#pragma once

#include <cstddef>

#include "coro/event.h"
#include "coro/task.h"
#include "tpcc/import_progress.h"
#include "tpcc/ydb/database_access.h"
#include "tpcc/ydb/import_plan.h"

namespace drover::tpcc::ydb {

struct LoadOptions {
  size_t connections = 2;  // calls under way at a time; at least one
  size_t threads = 1;      // that make rows, beside the calling one, which sends them
};

// Sets `indexed_loaded` when all parts of Stage::indexed are there. Throws the first error of a
// call, after all have stopped. The counters have what the server has taken.
coro::Task<void> load_parts(DatabaseAccess& access, LoadOptions options, const PartsPlan& plan,
                            ImportCounters& counters, coro::Event& indexed_loaded);

}  // namespace drover::tpcc::ydb
