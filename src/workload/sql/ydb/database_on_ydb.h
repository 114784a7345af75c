// Scripts of YQL on YDB, for the commands. See workload/sql/database.h. There are no checkpoints.
#pragma once

#include <memory>

#include "database/ydb/ydb_database.h"
#include "workload/sql/database.h"

namespace drover::sql::ydb {

std::unique_ptr<Database> make_database(database::ydb::YdbDatabase database);

}  // namespace drover::sql::ydb
