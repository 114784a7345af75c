// Scripts on PostgreSQL and the databases that speak its protocol.
#pragma once

#include <memory>

#include "database/postgres/access.h"
#include "workload/sql/database.h"

namespace drover::sql::postgres {

std::unique_ptr<Database> make_database(database::postgres::Access access);

// Makes the backend of one worker, with a fixed number of connections.
std::unique_ptr<database::Backend> make_backend(ScriptBackendSettings settings,
                                                database::postgres::Access access);

}  // namespace drover::sql::postgres
