// YCSB on PostgreSQL, for the commands. See workload/ycsb/database.h.
#pragma once

#include <memory>
#include <string>

#include "workload/ycsb/database.h"

namespace drover::ycsb::postgres {

// `schema` is empty for the search path of the server.
std::unique_ptr<Database> make_database(std::string conninfo, std::string schema);

}  // namespace drover::ycsb::postgres
