// What an import has to do, by what the schema holds already.
//
// A schema goes through these states: made by init; begun (drover_tpcc says seed, load time and
// number of warehouses); loaded (drover_tpcc_loaded has them all); complete (keys, indexes and
// references are there). An import goes on from any of them. Once complete, it can be extended by
// more warehouses, of the same seed.
//
// Thread safety: as the connection's.
#pragma once

#include <string>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "tpcc/import_plan.h"
#include "tpcc/postgres/catalog.h"

namespace drover::tpcc::postgres {

// Throws UnfitSchema if init has not been run.
coro::Task<void> require_initialised(database::postgres::Connection& connection,
                                     std::string schema);

// Compares the request with what there is, and records it as begun. Throws UnfitSchema: everything
// is there already; rows that are not ours; another seed or fewer warehouses than were begun with.
coro::Task<ImportPlan> begin_import(database::postgres::Connection& connection, std::string schema,
                                    ImportRequest request);

// Records the import as complete. On a session with synchronous_commit as the user has it, this
// makes all earlier commits as durable as itself.
coro::Task<void> complete_import(database::postgres::Connection& connection, std::string schema);

}  // namespace drover::tpcc::postgres
