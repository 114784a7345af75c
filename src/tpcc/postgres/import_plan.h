// What an import has to do, by what the schema holds already.
//
// A schema goes through these states: made by init; begun (drover_tpcc says seed, load time and
// number of warehouses); loaded (drover_tpcc_loaded has them all); complete (keys, indexes and
// references are there). An import goes on from any of them. Once complete, it can be extended by
// more warehouses, of the same seed.
//
// Thread safety: as the connection's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "tpcc/postgres/catalog.h"

namespace drover::tpcc::postgres {

inline constexpr int32_t warehouses_max = 1'000'000;
// The part of the population that belongs to no warehouse: item.
inline constexpr int32_t item_part = 0;

struct ImportPlan {
  PopulationSeed population;
  ForeignKeys foreign_keys = ForeignKeys::none;
  int32_t warehouses = 0;        // when it is done
  int32_t skipped = 0;           // that are loaded already
  std::vector<int32_t> missing;  // w_ids to load; item_part, if it is among them, is the first
  bool has_keys = false;         // so that loading is slow

  int32_t warehouses_missing() const noexcept;
};

struct ImportRequest {
  int32_t warehouses = 1;                // in [1..warehouses_max]
  std::optional<uint64_t> seed = {};     // none: that of the import to go on with, or ...
  PopulationSeed fresh_population = {};  // ... this, whose load time is taken in any case
};

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
