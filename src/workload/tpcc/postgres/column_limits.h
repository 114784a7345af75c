// What the columns of TPC-C can hold in PostgreSQL, whoever made them.
#pragma once

#include <string>
#include <vector>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "workload/tpcc/column_limits.h"

namespace drover::tpcc::postgres {

// A line for each column that the work may fill to the end of its type. Reads tables of warehouses
// and districts whole, and those of customers and stock where the work adds a hundredth of the
// limit or more. Throws database::Error.
coro::Task<std::vector<std::string>> find_narrow_columns(database::postgres::Connection& connection,
                                                         std::string schema, PlannedWork work);

}  // namespace drover::tpcc::postgres
