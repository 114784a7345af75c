// TPC-C on PostgreSQL, for the commands. See workload/tpcc/database.h.
#pragma once

#include <memory>

#include "database/postgres/access.h"
#include "workload/tpcc/database.h"

namespace drover::tpcc::postgres {

std::unique_ptr<Database> make_database(database::postgres::Access access);

}  // namespace drover::tpcc::postgres
