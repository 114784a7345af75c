// The import of a population into YDB: plan, rows, indexes. The indexes are built by the server
// while the tables that have none are loaded.
//
// It may be killed at any point, on either side: the same call goes on from there, and the rows are
// the same as without the kill. One at a time is at work on a folder (import_claim.h): another one
// is refused, and what was killed is waited for, for 10 s, as it might be alive.
//
// Thread safety: runs on one worker; the threads that make rows end before it does.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/ydb/database_access.h"
#include "database/ydb/ydb_database.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/import/import.h"
#include "workload/tpcc/ydb/import/catalog.h"
#include "workload/tpcc/ydb/import/import_claim.h"
#include "workload/tpcc/ydb/import/schema.h"

namespace drover::tpcc::ydb {

using database::ydb::DatabaseAccess;
using database::ydb::YdbDatabase;

struct ImportOptions : ImportSettings {
  YdbDatabase database = {};
  coro::Duration index_poll_interval = std::chrono::seconds(1);
  ClaimTimes claim = {};
};

// Throws UnfitSchema, and database::Error, whose message then says how far the import came.
// The outcome's finish_time is that from the last row to the last index.
coro::Task<ImportOutcome> import_warehouses(ImportOptions options, ImportObserver& observer);

// See Database::load_part().
coro::Task<ImportProgress> load_part(ImportOptions options, ImportPart part,
                                     ImportObserver& observer);

// What an import has to do, by what the folder holds already.
//
// A folder goes through these states: made by init; begun (drover_tpcc says seed, load time and
// number of warehouses); loaded (drover_tpcc_loaded has all parts); complete (the indexes are
// there). An import goes on from any of them. Once complete, it can be extended by more warehouses,
// of the same seed.

struct PartsPlan {
  ImportPlan plan;
  Settings settings;        // as they are recorded
  std::vector<Part> parts;  // to load, in this order: those of Stage::indexed come first
};

// What of a plan's missing warehouses is not loaded; `loaded` is sorted.
std::vector<Part> parts_to_load(const ImportPlan& plan, const std::vector<Part>& loaded);

// The tables of a part, in the order in which they are loaded.
std::span<const Table> tables_of(Part part);

// Compares the request with what there is, and records it as begun. Requires that init has been run
// and that the claim is taken. Throws UnfitSchema: everything is there already; rows that are not
// ours; another seed or fewer warehouses than were begun with.
coro::Task<PartsPlan> begin_import(DatabaseAccess& access, YdbImportClaim& claim,
                                   std::string folder, ImportRequest request);

// Whether the index can be used.
coro::Task<bool> index_exists(DatabaseAccess& access, Index index);

// Building a secondary index in the background: AlterTable begins an operation of the server, which
// is asked for until it is done.
//
// The operation's id is recorded in drover_tpcc, so that an import that was killed finds the build
// that has gone on without it. A build whose task is cancelled is cancelled at the server, too.

struct IndexBuild {
  Index index;
  std::string operation = {};  // that was begun by an earlier import; empty: none
  coro::Duration poll_interval = std::chrono::seconds(1);
};

// For people: "index idx_order on oorder".
std::string description(const Index& index);

// Returns when the index can be used, at once if it can be already. Throws database::Error if the
// server has failed to build it; the message names the index.
coro::Task<void> build_index(DatabaseAccess& access, IndexBuild build);

// Rows cannot be loaded in bulk into a table with such an index.
coro::Task<void> drop_index(DatabaseAccess& access, Index index);

}  // namespace drover::tpcc::ydb
