// What a run has to know of the table before it begins, and its sums.
// Thread safety: as the connection's. Errors: database::UnfitSchema, PropertyError, database::Error.
#pragma once

#include <optional>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "workload/ycsb/database.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb::postgres {

// Returns true if operations of the mix write. Runs that only read work on a standby, too.
bool writes(const Properties& properties) noexcept;

coro::Task<RunPreparation> prepare_run(database::postgres::Connection& connection,
                                       Properties properties, std::optional<TableContents> known);

coro::Task<TableSums> add_up(database::postgres::Connection& connection, Properties properties,
                             ValueKind values);

}  // namespace drover::ycsb::postgres
