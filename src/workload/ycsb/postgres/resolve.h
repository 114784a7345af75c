// Looks in the data for writes whose answer never came (workload/ycsb/resolution.h). The answer is final only when no
// session can still execute the write: database::postgres::end_sessions() first.
#pragma once

#include <span>
#include <vector>

#include "coro/task.h"
#include "database/backend.h"
#include "database/postgres/connection.h"
#include "workload/ycsb/backend.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb::postgres {

// One answer a doubt, in their order. Throws database::Error.
coro::Task<std::vector<database::Resolution>> resolve_doubts(
    database::postgres::Connection& connection, const Properties& properties, ValueKind values,
    std::span<const Doubt> doubts);

}  // namespace drover::ycsb::postgres
