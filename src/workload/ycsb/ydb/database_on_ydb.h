// YCSB on YDB, for the commands. See workload/ycsb/database.h.
//
// There are no checkpoints. The isolation of a run is `serializable` or `snapshot`.
#pragma once

#include <memory>

#include "database/ydb/database_access.h"
#include "workload/ycsb/database.h"

namespace drover::ycsb::ydb {

std::unique_ptr<Database> make_database(database::ydb::YdbDatabase database);

}  // namespace drover::ycsb::ydb
