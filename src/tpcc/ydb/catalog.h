// What a folder of a database holds of TPC-C: tables, and what is recorded of the import.
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
#include "tpcc/import_record.h"
#include "tpcc/ydb/database_access.h"
#include "tpcc/ydb/schema.h"

namespace drover::tpcc::ydb {

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

// Writes the row, but for `builds`, whoever has claimed it (import_claim.h): for one that init has
// made.
coro::Task<void> write_settings(DatabaseAccess& access, Settings settings);

coro::Task<void> write_build(DatabaseAccess& access, const Index& index, std::string operation);

coro::Task<void> write_loaded(DatabaseAccess& access, Part part, int64_t rows);

}  // namespace drover::tpcc::ydb
