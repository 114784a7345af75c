// What an import has to do, by what the folder holds already.
//
// A folder goes through these states: made by init; begun (drover_tpcc says seed, load time and
// number of warehouses); loaded (drover_tpcc_loaded has all parts); complete (the indexes are
// there). An import goes on from any of them. Once complete, it can be extended by more warehouses,
// of the same seed.
//
// Thread safety: as DatabaseAccess.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "coro/task.h"
#include "workload/tpcc/import/import.h"
#include "workload/tpcc/ydb/import/catalog.h"
#include "workload/tpcc/ydb/import/import_claim.h"

namespace drover::tpcc::ydb {

struct PartsPlan {
  ImportPlan plan;
  Settings settings;        // as they are recorded
  std::vector<Part> parts;  // to load, in this order: those of Stage::indexed come first
};

// The tables of a part, in the order in which they are loaded.
std::span<const Table> tables_of(Part part);

// Compares the request with what there is, and records it as begun. Requires that init has been run
// and that the claim is taken. Throws UnfitSchema: everything is there already; rows that are not
// ours; another seed or fewer warehouses than were begun with.
coro::Task<PartsPlan> begin_import(DatabaseAccess& access, ImportClaim& claim, std::string folder,
                                   ImportRequest request);

// Whether the index can be used.
coro::Task<bool> index_exists(DatabaseAccess& access, Index index);

}  // namespace drover::tpcc::ydb
