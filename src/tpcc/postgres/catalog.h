// What a schema holds of TPC-C: the tables, keys, indexes and references that the server's
// catalogue names, and what two small tables of ours say of the import.
//
// drover_tpcc has one row: how the schema was made and from what its population comes.
// drover_tpcc_loaded has one row for each warehouse that is loaded, written in the transaction that
// loaded it, and row 0 for item, which belongs to no warehouse.
//
// A database that another tool loaded has neither; only an import asks for them.
//
// Thread safety: as the connection's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "tpcc/import_plan.h"
#include "tpcc/population.h"
#include "tpcc/random.h"
#include "tpcc/schema.h"
#include "tpcc/unfit_schema.h"

namespace drover::tpcc::postgres {

inline constexpr std::string_view settings_table = "drover_tpcc";
inline constexpr std::string_view loaded_table = "drover_tpcc_loaded";
inline constexpr int32_t format_version = 1;

// The row of drover_tpcc.
struct Settings {
  ForeignKeys foreign_keys = ForeignKeys::none;
  // From here on: set by the first import.
  std::optional<PopulationSeed> population;
  NurandConstants load_constants;  // C-Load (clause 2.1.6.1); of meaning with `population`
  int32_t warehouses = 0;          // that were asked for
  bool complete = false;           // all of them are loaded, with keys and indexes
};

struct Catalog {
  std::array<bool, all_tables.size()> tables{};  // in the order of all_tables
  bool settings_table = false;
  bool loaded_table = false;
  std::vector<std::string> objects;      // keys, valid indexes, validated references, by name
  std::vector<std::string> unvalidated;  // references that are not validated yet

  size_t table_count() const noexcept;
  bool has(std::string_view object) const noexcept;
  bool is_unvalidated(std::string_view reference) const noexcept;
  // For messages: "customer, stock".
  std::string tables_that_exist(bool exist) const;
};

coro::Task<Catalog> read_catalog(database::postgres::Connection& connection, std::string schema);

// Nothing if drover_tpcc does not exist or is empty. Throws UnfitSchema if it was written by
// another version of the format.
coro::Task<std::optional<Settings>> read_settings(database::postgres::Connection& connection,
                                                  std::string schema);

// The rows of drover_tpcc_loaded in ascending order, 0 for item. Requires that the table exists.
coro::Task<std::vector<int32_t>> read_loaded(database::postgres::Connection& connection,
                                             std::string schema);

}  // namespace drover::tpcc::postgres
