// What a schema holds of TPC-C: the tables, keys, indexes and references that the server's
// catalogue names, and what is recorded of the import.
//
// drover_tpcc_loaded has one row for each warehouse that is loaded, written in the transaction that
// loaded it, and row 0 for item, which belongs to no warehouse.
//
// Thread safety: as the connection's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "workload/tpcc/import/import_record.h"

namespace drover::tpcc::postgres {

// The row of drover_tpcc.
struct Settings : ImportRecord {
  ForeignKeys foreign_keys = ForeignKeys::none;
};

struct Catalog : TablesPresent {
  std::vector<std::string> objects;      // keys, valid indexes, validated references, by name
  std::vector<std::string> unvalidated;  // references that are not validated yet

  bool has(std::string_view object) const noexcept;
  bool is_unvalidated(std::string_view reference) const noexcept;
};

coro::Task<Catalog> read_catalog(database::postgres::Connection& connection, std::string schema);

// Nothing if drover_tpcc does not exist or is empty. Throws UnfitSchema if it was written by
// another version of the format.
coro::Task<std::optional<Settings>> read_settings(database::postgres::Connection& connection,
                                                  std::string schema);

// The rows of drover_tpcc_loaded in ascending order, 0 for item. Requires that the table exists.
coro::Task<std::vector<int32_t>> read_loaded(database::postgres::Connection& connection,
                                             std::string schema);

// What a run finds, whoever loaded it. Throws UnfitSchema if tables are missing or an import is not
// complete.
coro::Task<LoadedDatabase> inspect_loaded(database::postgres::Connection& connection,
                                          std::string schema);

}  // namespace drover::tpcc::postgres
