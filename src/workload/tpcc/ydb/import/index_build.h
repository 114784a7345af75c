// Building a secondary index in the background: AlterTable begins an operation of the server, which
// is asked for until it is done.
//
// The operation's id is recorded in drover_tpcc, so that an import that was killed finds the build
// that has gone on without it. A build whose task is cancelled is cancelled at the server, too.
//
// Belongs to one worker.
#pragma once

#include <chrono>
#include <string>

#include "coro/clock.h"
#include "coro/task.h"
#include "workload/tpcc/ydb/database_access.h"
#include "workload/tpcc/ydb/import/schema.h"

namespace drover::tpcc::ydb {

struct IndexBuild {
  Index index;
  std::string operation = {};  // that was begun by an earlier import; empty: none
  coro::Duration poll_interval = std::chrono::seconds(1);
};

// For people: "index idx_order on oorder".
std::string description(const Index& index);

// Returns when the index can be used, at once if it can be already. Throws database::Error if the
// server has failed to build it; the message names the index.
coro::Task<void> build_index(DatabaseAccess& access, IndexBuild build);

// Rows cannot be loaded in bulk into a table with such an index.
coro::Task<void> drop_index(DatabaseAccess& access, Index index);

}  // namespace drover::tpcc::ydb
