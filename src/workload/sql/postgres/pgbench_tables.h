// The tables that `pgbench -i` makes, for the built-in scripts: the same columns, primary keys and rows, made by the
// server itself. Errors: database::UnfitSchema and database::Error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "workload/sql/database.h"

namespace drover::sql::postgres {

using database::postgres::Connection;

// Requires: 1 <= settings.scale <= scale_max.
coro::Task<std::vector<std::string>> make_pgbench_tables(Connection& connection,
                                                         InitialiseSettings settings);

// Says which of them there were.
coro::Task<std::vector<std::string>> drop_pgbench_tables(Connection& connection);

// Throws UnfitSchema where there is no branch.
coro::Task<std::int64_t> count_branches(Connection& connection);

}  // namespace drover::sql::postgres
