// YCSB on PostgreSQL, for the commands. See workload/ycsb/database.h.
#pragma once

#include <memory>

#include "database/postgres/access.h"
#include "workload/ycsb/database.h"

namespace drover::ycsb::postgres {

std::unique_ptr<Database> make_database(database::postgres::Access access);

}  // namespace drover::ycsb::postgres
