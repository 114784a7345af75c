// What the tables say of all New-Orders and Payments that were ever committed, in two sums: read
// before and after a run, their difference is what the run has written, if nobody else wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/postgres/connection.h"

namespace drover::tpcc::postgres {

struct LedgerSums {
  std::int64_t next_o_ids = 0;  // sum(d_next_o_id): each New-Order raises one by 1
  std::int64_t ytd_cents = 0;   // sum(w_ytd): each Payment raises one by its amount
};

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
