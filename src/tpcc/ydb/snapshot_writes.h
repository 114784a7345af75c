// Whether a server has transactions that read a snapshot and write (--tx-mode snapshot-rw): a
// setting of the server, which is off by default.
#pragma once

#include "coro/task.h"
#include "tpcc/ydb/ydb_database.h"

namespace drover::tpcc::ydb {

// Tries one, on the tables of a run, which changes nothing and is rolled back. Throws
// database::Error, which says what to do, if the server refuses it; another failure as it is, when
// patience.h has come to its end.
coro::Task<void> require_snapshot_writes(YdbDatabase database);

}  // namespace drover::tpcc::ydb
