// Whether a transaction happened whose commit was never answered: by what it would have left in the
// data.
//
//   New-Order  its order number with exactly its lines: no other order has them, as the number was
//              given to it, and to another one only if it was rolled back
//   Payment    its row in history: customer, district, amount, and the mark in h_date
//   Delivery   lines of its warehouse with its mark in ol_delivery_d, under its carrier
//
// The answer is final only when no session can still execute the transaction:
// database::postgres::end_sessions() first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "workload/tpcc/backend.h"

namespace drover::tpcc::postgres {

// One answer a doubt, in their order. `since` is a time of the server before the run began, as text
// in UTC. Throws database::Error.
coro::Task<std::vector<Finding>> resolve_doubts(database::postgres::Connection& connection,
                                                std::span<const Doubt> doubts, std::string since);

}  // namespace drover::tpcc::postgres
