// What the stub says to a request of the five transactions and of `drover tpcc run`: result sets of
// the size that they have on a loaded database, made up on the spot, in the parts in which YDB
// sends them: one for each set, and a last one that names the transaction. It keeps no rows.
//
// Thread safety: answer() may be called by any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "query.pb.h"

namespace drover::bench {

using Part = Ydb::Query::ExecuteQueryResponsePart;

// What was committed, so that the sums of `drover tpcc run` agree with the "data".
struct Committed {
  std::atomic<std::int64_t> new_orders{0};
  std::atomic<std::int64_t> payment_cents{0};
};

// The parts of the reply to one request, in their order.
std::vector<Part> answer(const Ydb::Query::ExecuteQueryRequest& request, std::int32_t warehouses,
                         Committed& committed);

}  // namespace drover::bench
