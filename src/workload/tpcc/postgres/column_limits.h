// The limits of TPC-C's columns in PostgreSQL, also of tables that another tool has made.
#pragma once

#include <string>
#include <vector>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "workload/tpcc/column_limits.h"

namespace drover::tpcc::postgres {

// Returns a warning for each column that the work may fill to the end of its type. Reads the tables
// of warehouses and districts completely, and those of customers and stock only if the work adds a
// hundredth of the limit or more. Throws database::Error.
coro::Task<std::vector<std::string>> find_narrow_columns(database::postgres::Connection& connection,
                                                         std::string schema, PlannedWork work);

}  // namespace drover::tpcc::postgres
