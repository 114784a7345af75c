// Whether a transaction happened whose commit was never answered: by what it would have left in the
// data.
//
//   New-Order  its order number with exactly its lines: no other order has them, as the number was
//              given to it, and to another one only if it was not committed
//   Payment    its row in history: customer, district, amount, and the mark in h_date
//   Delivery   lines of the order that its Trace names with its mark in ol_delivery_d, under its
//              carrier
//
// A server may still be about to commit it when we look, or its commit be on its way yet. Then it
// is not enough to read, be it at SERIALIZABLE: a transaction that only reads sees an instant of
// the past and keeps nobody from committing after it; in the order "first ours, then the doubted
// one" it has rightly seen nothing. So each answer comes from a transaction that also writes, as it
// is, a row that the doubted one has read and writes: the district of a New-Order, the warehouse of
// a Payment, the orders of a Delivery. That leaves three cases:
//
//   the doubted one commits before ours begins: ours sees it
//   it commits between our reading and our commit: our lock on the row is broken, so ours is
//     ABORTED, and tried again
//   ours commits first: its lock on the row is broken (serializable), or the row that it writes is
//     newer than its snapshot (snapshot), so it is ABORTED whenever it comes
//
// In the serializable mode it counts that the doubted one has read the row, in the snapshot mode
// that it writes it.
#pragma once

#include <cstdint>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/ydb/ydb_database.h"
#include "workload/tpcc/backend.h"

namespace drover::tpcc::ydb {

using database::ydb::YdbDatabase;

// One answer a doubt, in their order. `since_us` is a time of this machine before the run began,
// Unix microseconds. Tries for as long as the patience lasts, the database may be on its way up;
// what is not known then is unknown. Throws nothing but Cancelled.
coro::Task<std::vector<Finding>> resolve_doubts(YdbDatabase database, std::vector<Doubt> doubts,
                                                std::int64_t since_us, coro::Duration patience);

}  // namespace drover::tpcc::ydb
