// TPC-C on PostgreSQL, for the commands. See workload/tpcc/database.h.
#pragma once

#include <memory>
#include <string>

#include "workload/tpcc/database.h"

namespace drover::tpcc::postgres {

// `schema` is empty for the search path of the server.
std::unique_ptr<Database> make_database(std::string conninfo, std::string schema);

}  // namespace drover::tpcc::postgres
