// What a run has to know of the table before it begins, and its sums.
// Thread safety: as the access's. Errors: database::UnfitSchema, PropertyError, database::Error.
#pragma once

#include <optional>

#include "coro/task.h"
#include "database/ydb/database_access.h"
#include "workload/ycsb/database.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb::ydb {

coro::Task<RunPreparation> prepare_run(database::ydb::DatabaseAccess& access,
                                       const Properties& properties,
                                       const std::optional<TableContents>& known);

coro::Task<TableSums> add_up(database::ydb::DatabaseAccess& access, const Properties& properties,
                             ValueKind values);

}  // namespace drover::ycsb::ydb
