// The import of a population: plan, load, keys and indexes, statistics, references.
//
// It may be killed at any point, on either side: the same call goes on from there, and the rows are
// the same as without the kill.
//
// A schema goes through these states: made by init; begun (drover_tpcc says seed, load time and
// number of warehouses); loaded (drover_tpcc_loaded has them all); complete (keys, indexes and
// references are there). An import goes on from any of them. Once complete, it can be extended by
// more warehouses, of the same seed.
//
// Its sessions have settings that any user may change and that make the work faster, and locks by
// which imports keep out of each other's way. An import holds one lock alone for as long as it
// takes, and each of its sessions shares a second one. The sessions of a client that was killed
// live on for a moment, with an index half built or a commit under way; who holds the first lock
// and then gets the second one alone knows that they have ended. What keeps the locks and gives no sign of life for long
// is ended: sessions of a process that stands still, or of a host that is gone. Who holds the first lock says each second
// that it lives; without one that does, no session has any business here. Both are advisory locks on the
// table drover_tpcc; where the dialect has none, its row is claimed (import_claim.h). Behind a pooler that lends processes by the transaction, sessions hold none:
// there a transaction that stays open holds the first lock, and each transaction shares the second.
//
// Thread safety: runs on one worker; the threads that make rows end before it does.
#pragma once

#include <memory>
#include <string>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/postgres/access.h"
#include "database/postgres/connection.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/import/import_claim.h"
#include "workload/tpcc/postgres/import/catalog.h"

namespace drover::tpcc::postgres {

struct ImportOptions : ImportSettings, database::postgres::Access {
  // How far the parts were when it began, where they go in pieces.
  std::vector<Progress> progress = {};
  ClaimTimes claim = {};
  // How long the sessions of a killed import may take to end by themselves.
  coro::Duration lock_wait_max = std::chrono::seconds(15);
  database::Pooling pooling = database::Pooling::none;  // before the server; an import finds out
};

// Throws UnfitSchema, and database::Error, whose message then says how far the import came.
coro::Task<ImportOutcome> import_warehouses(ImportOptions options, ImportObserver& observer);

// See Database::load_part().
coro::Task<ImportProgress> load_part(ImportOptions options, ImportPart part,
                                     ImportObserver& observer);

// The stages of which it is made.

// A server that does not know one of the settings goes on without it. Requires that drover_tpcc
// exists.
coro::Task<std::unique_ptr<database::postgres::Connection>> open_import_session(
    const ImportOptions& options);

// Takes the right to import into the schema, for the life of the session, or, where none lasts, of a transaction that
// stays open; false if another import has it, or sessions of one have not ended. For a session that
// open_import_session() did not make.
coro::Task<bool> try_lock_import(database::postgres::Connection& connection, std::string schema);

// The last statement of a session with that right, again and again while its import lives.
inline constexpr std::string_view import_beat =
    "SELECT 1 /* the import of drover with this session is alive */";

// Throws UnfitSchema if init has not been run.
coro::Task<void> require_initialised(database::postgres::Connection& connection,
                                     std::string schema);

// Compares the request with what there is, and records it as begun. Throws UnfitSchema: everything
// is there already; rows that are not ours; another seed or fewer warehouses than were begun with.
// `any_pieces`: of parts that are begun.
coro::Task<ImportPlan> begin_import(database::postgres::Connection& connection, std::string schema,
                                    ImportRequest request, bool any_pieces = false);

// Loads the missing parts (a warehouse, or item) by binary COPY over several connections, which
// take them in order, one at a time. The rows are made on the threads of a pool; while one piece of
// them is sent, the next is made. Each part is one transaction, with its row in drover_tpcc_loaded:
// it is loaded whole and recorded, or not at all. Where a transaction may have no more than some rows, a part goes in
// pieces, each with the record of how far the part is; a piece that was recorded by somebody else is an error. Throws the first error of a connection, after all
// have stopped.
coro::Task<void> load_parts(const ImportOptions& options, const ImportPlan& plan, ImportWork& work);

// Makes primary keys, secondary indexes, statistics and references. Makes each only if it does not
// exist yet, so that the next import continues after a kill. The steps run on several connections,
// the longest first, and never two on one table, whose locks exclude each other. When the server
// warns that it skips the statistics of another role's table, the warning becomes a note of the
// work.
coro::Task<void> finish_import(const ImportOptions& options, ForeignKeys references,
                               ImportObserver& observer, ImportWork& work);

// Records the import as complete. On a session with synchronous_commit as the user has it, this
// makes all earlier commits as durable as itself.
coro::Task<void> complete_import(database::postgres::Connection& connection, std::string schema);

}  // namespace drover::tpcc::postgres
