// Reading the ledger of a PostgreSQL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/postgres/connection.h"
#include "tpcc/ledger.h"

namespace drover::tpcc::postgres {

// Of the warehouses 1..warehouses, in one snapshot. Throws database::Error.
coro::Task<LedgerSums> read_ledger(database::postgres::Connection& connection,
                                   std::int32_t warehouses);

// The same by a connection of its own, tried for as long as the patience lasts: the database may be
// on its way up. Nothing if it could not be asked.
coro::Task<std::optional<LedgerSums>> read_ledger_patiently(std::string conninfo,
                                                            std::string schema,
                                                            std::int32_t warehouses,
                                                            coro::Duration patience);

}  // namespace drover::tpcc::postgres
