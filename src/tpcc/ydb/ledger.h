// Reading the ledger of a YDB.
#pragma once

#include <cstdint>
#include <optional>

#include "coro/clock.h"
#include "coro/task.h"
#include "tpcc/ledger.h"
#include "tpcc/ydb/ydb_database.h"

namespace drover::tpcc::ydb {

// Of the warehouses 1..warehouses, in one snapshot, exact. Throws database::Error.
coro::Task<LedgerSums> read_ledger(YdbDatabase database, std::int32_t warehouses);

// The same, tried for as long as the patience lasts: the database may be on its way up. Nothing if
// it could not be asked.
coro::Task<std::optional<LedgerSums>> read_ledger_patiently(YdbDatabase database,
                                                            std::int32_t warehouses,
                                                            coro::Duration patience);

}  // namespace drover::tpcc::ydb
