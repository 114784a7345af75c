// Whether a transaction happened whose commit was never answered: by what it would have left in the
// data.
//
//   New-Order  its order number with exactly its lines: no other order has them, as the number was
//              given to it, and to another one only if it was rolled back
//   Payment    its row in history: customer, district, amount, and the mark in h_date
//   Delivery   lines of its warehouse with its mark in ol_delivery_d, under its carrier
//
// The answer is final only when no session can still execute the transaction: end_sessions() first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/postgres/connection.h"
#include "workload/tpcc/backend.h"

namespace drover::tpcc::postgres {

// A session of the server, told from every other that ever had or will have its process number.
struct SessionIdentity {
  std::int32_t pid = 0;
  std::string started;  // backend_start, as text in UTC
};

// Names this connection's own session; nothing where the server has no pg_stat_activity.
coro::Task<std::optional<SessionIdentity>> identify_session(database::postgres::Connection& own);

// Ends those that there still are, as a server goes on with what it was sent though its client has
// gone, and returns when they have ended. False if some would not within the patience, or could not
// be asked.
coro::Task<bool> end_sessions(database::postgres::Connection& connection,
                              std::span<const SessionIdentity> sessions, coro::Duration patience);

// One answer a doubt, in their order. `since` is a time of the server before the run began, as text
// in UTC. Throws database::Error.
coro::Task<std::vector<Finding>> resolve_doubts(database::postgres::Connection& connection,
                                                std::span<const Doubt> doubts, std::string since);

}  // namespace drover::tpcc::postgres
