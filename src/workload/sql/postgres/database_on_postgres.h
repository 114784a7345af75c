// Scripts on PostgreSQL, for the commands. See workload/sql/database.h.
#pragma once

#include <memory>
#include <string>

#include "workload/sql/database.h"

namespace drover::sql::postgres {

// `schema` is empty for the search path of the server.
std::unique_ptr<Database> make_database(std::string conninfo, std::string schema = {});

}  // namespace drover::sql::postgres
