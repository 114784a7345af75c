// Whether a transaction happened whose commit was never answered: by what it would have left in the
// data.
//
//   New-Order  its order number with exactly its lines: no other order has them, as the number was
//              given to it, and to another one only if it was not committed
//   Payment    its row in history: customer, district, amount, and the mark in h_date
//   Delivery   lines of the order that its Trace names with its mark in ol_delivery_d, under its
//              carrier
//
// A server may still be about to commit it when we look. So each answer comes from a transaction
// that also writes a row which the doubted one writes too, as it is: the district of a New-Order,
// the warehouse of a Payment, the orders of a Delivery. YDB lets only one of the two commit unless
// it can put them in an order. If the doubted one comes first, ours sees it or is aborted and tried
// again; if ours does, the doubted one has read what is out of date, and fails.
#pragma once

#include <cstdint>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "tpcc/backend.h"
#include "tpcc/ydb/ydb_database.h"

namespace drover::tpcc::ydb {

// One answer a doubt, in their order. `since_us` is a time of this machine before the run began,
// Unix microseconds. Tries for as long as the patience lasts, the database may be on its way up;
// what is not known then is unknown. Throws nothing but Cancelled.
coro::Task<std::vector<Resolution>> resolve_doubts(YdbDatabase database, std::vector<Doubt> doubts,
                                                   std::int64_t since_us, coro::Duration patience);

}  // namespace drover::tpcc::ydb
