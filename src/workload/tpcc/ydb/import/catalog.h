// What a folder of a database holds of TPC-C: tables, and what is recorded of the import. Making the
// tables, empty and without secondary indexes, and dropping them.
//
// YDB changes its scheme a table at a time: an init that was killed leaves some of the tables, and
// is repeated with `force`.
//
// Thread safety: as DatabaseAccess.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coro/task.h"
#include "database/ydb/database_access.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/import/import.h"
#include "workload/tpcc/ydb/import/schema.h"

namespace drover::tpcc::ydb {

using database::ydb::BulkRows;
using database::ydb::DatabaseAccess;
using database::ydb::YdbDatabase;

using Catalog = TablesPresent;

// The row of drover_tpcc.
struct Settings : ImportRecord {
  // The operations that build the indexes, by secondary_indexes(); empty: none is under way.
  std::array<std::string, 2> builds;
};

// A warehouse is loaded in two stages: first the tables that get indexes, for all warehouses, so
// that the indexes are built while the rest is loaded.
enum class Stage : uint8_t {
  indexed = 1,  // warehouse, district, customer, oorder
  rest = 2,     // history, new_order, order_line, stock; of part 0, item
};

// What is loaded as a whole, and recorded as a row of drover_tpcc_loaded. BulkUpsert is no
// transaction: of a part that is not recorded, some rows may be there, and it is loaded again.
struct Part {
  int32_t w_id = 0;  // or item_part
  Stage stage = Stage::rest;

  friend auto operator<=>(const Part&, const Part&) = default;
};

coro::Task<Catalog> read_catalog(DatabaseAccess& access);

// Nothing if drover_tpcc is empty. Requires that it exists. Throws UnfitSchema if it was written by
// another version of the format.
coro::Task<std::optional<Settings>> read_settings(DatabaseAccess& access, std::string folder);

// In ascending order. Requires that the table exists.
coro::Task<std::vector<Part>> read_loaded(DatabaseAccess& access);

coro::Task<void> write_build(DatabaseAccess& access, const Index& index, std::string operation);

coro::Task<void> write_loaded(DatabaseAccess& access, Part part, int64_t rows);

// Whether a database is ready for a run, whoever loaded it. Throws UnfitSchema if tables are
// missing, an import is not complete, or no warehouse is there; database::Error.
coro::Task<LoadedDatabase> inspect_loaded(YdbDatabase database);

// The nine tables and ours, with the row of drover_tpcc, in a folder that is made if it does not
// exist, and partitions for the warehouses that are expected (others can be loaded all the same; YDB
// then splits partitions as they grow beyond 2 GB). Throws UnfitSchema if there are some and `force`
// was not given. Returns the names of the tables that it dropped.
coro::Task<std::vector<std::string>> initialise(YdbDatabase database, InitialiseSettings settings);

// Drops the nine tables and ours, with their indexes; returns the names of those that there were.
// Folders stay, and whatever else is in them.
coro::Task<std::vector<std::string>> clean(YdbDatabase database);

}  // namespace drover::tpcc::ydb
