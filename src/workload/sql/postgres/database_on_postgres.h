// Scripts on PostgreSQL, for the commands. See workload/sql/database.h.
#pragma once

#include <memory>

#include "database/postgres/access.h"
#include "workload/sql/database.h"

namespace drover::sql::postgres {

std::unique_ptr<Database> make_database(database::postgres::Access access);

}  // namespace drover::sql::postgres
