// TPC-C on YDB, for the commands. See workload/tpcc/database.h.
//
// There are no foreign keys, which init must not be asked for, and no checkpoints. The isolation of
// a run is `serializable` or `snapshot`.
#pragma once

#include <memory>

#include "database/ydb/database_access.h"
#include "workload/tpcc/database.h"

namespace drover::tpcc::ydb {

using database::ydb::YdbDatabase;

std::unique_ptr<Database> make_database(YdbDatabase database);

}  // namespace drover::tpcc::ydb
