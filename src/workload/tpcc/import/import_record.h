// What a database records of its import, in two small tables of drover's own, and what follows from
// it for a command. How the tables are read and written, each database says for itself.
//
// drover_tpcc has one row: from what the population comes, and how far the import was asked to go.
// drover_tpcc_loaded has a row for each part of the population that is loaded. A database that
// another tool loaded has neither; only an import asks for them.
//
// All that is required here throws UnfitSchema. `schema`: as --schema names it, empty for none.
// Plain values and pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "workload/tpcc/import/import.h"
#include "workload/tpcc/population.h"
#include "workload/tpcc/random.h"
#include "workload/tpcc/schema.h"

namespace drover::tpcc {

// The schema is not in the state that a command needs; the message says what to do.
class UnfitSchema : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::string_view settings_table = "drover_tpcc";
inline constexpr std::string_view loaded_table = "drover_tpcc_loaded";
inline constexpr int32_t format_version = 1;

struct TablesPresent {
  std::array<bool, all_tables.size()> tables{};  // in the order of all_tables
  bool settings_table = false;
  bool loaded_table = false;

  size_t table_count() const noexcept;
  // For messages: "customer, stock".
  std::string tables_that_exist(bool exist) const;
  // The nine and ours.
  std::vector<std::string> names() const;
};

// The row of drover_tpcc.
struct ImportRecord {
  // From here on: set by the first import.
  std::optional<PopulationSeed> population;
  NurandConstants load_constants;  // C-Load (clause 2.1.6.1); of meaning with `population`
  int32_t warehouses = 0;          // that were asked for
  bool complete = false;           // all of them are loaded, with keys and indexes
};

// What a run finds in a database that is ready for it, whoever loaded it.
struct LoadedDatabase {
  std::int32_t warehouses = 0;  // 1..warehouses are there
  // C-Load (clause 2.1.6.1); none where another tool loaded the data.
  std::optional<NurandConstants> load_constants;
};

// For messages: how to name the schema on the command line, " --schema x" or nothing.
std::string schema_argument(std::string_view schema);
// For messages: "make the tables anew with ...".
std::string advice_to_make_anew(std::string_view schema);

// That the row was written by a drover that writes as this one does.
void require_format(int32_t version, std::string_view schema);

// For an import: that the tables are there, all of them, and `drover tpcc init` has made them.
void require_initialised(const TablesPresent& present, std::string_view schema);
// That `request` goes on with what was begun.
void require_same_request(const ImportRequest& request, const ImportRecord& record,
                          std::string_view schema);
// Where a table holds what no import has recorded.
[[noreturn]] void refuse_unrecorded_rows(Table table, std::string_view schema);
// Where all that is asked for is there.
[[noreturn]] void refuse_to_load_again(const ImportRecord& record, std::string_view schema);

// For a run: that all tables are there, that no import has stopped half way, that there is a
// warehouse, that there are as many as it wants.
void require_tables(const TablesPresent& present, std::string_view schema);
void require_complete(const ImportRecord& record, std::string_view schema);
void require_any_warehouse(int32_t warehouses, std::string_view schema);
void require_warehouses(const LoadedDatabase& loaded, int32_t wanted, std::string_view schema);

}  // namespace drover::tpcc
