// The record of an import, which is kept in the database. Functions read and write the record
// through an AdminSession, and verify what commands require of the record.
//
//   drover_tpcc         one row: seed and load time of the population, the requested number of
//                       warehouses, and the claim of the import that is running
//   drover_tpcc_loaded  one row for each loaded part of the population: w_id, or 0 for item
//
// Tables that another tool loaded have neither; only an import needs them.
//
// `schema` is the value of --schema, empty without one. The functions named require_ and refuse_
// throw UnfitSchema, whose message says what to do.
//
// Thread safety: that of the session. Other errors: database::Error.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/admin_session.h"
#include "workload/tpcc/import/import.h"
#include "workload/tpcc/random.h"
#include "workload/tpcc/schema.h"

namespace drover::tpcc {

using database::AdminSession;

inline constexpr std::string_view settings_table = "drover_tpcc";
inline constexpr std::string_view loaded_table = "drover_tpcc_loaded";
// The progress of parts that are loaded in several transactions.
inline constexpr std::string_view progress_table = "drover_tpcc_progress";
inline constexpr int32_t format_version = 1;

struct TablesPresent {
  std::vector<Table> existing;  // of TPC-C's tables
  std::vector<Table> missing;
  bool settings_table = false;
  bool loaded_table = false;

  // Returns the names of all tables that exist, Drover's own included.
  std::vector<std::string> names() const;
};

coro::Task<TablesPresent> read_tables(AdminSession& session);

// For messages: "customer, stock".
std::string names_of(const std::vector<Table>& tables);

// The row of drover_tpcc.
struct ImportRecord {
  ForeignKeys foreign_keys = ForeignKeys::none;
  std::optional<PopulationSeed> population;  // nothing before the first import
  NurandConstants load_constants;            // C-Load (clause 2.1.6.1), if there is a population
  int32_t warehouses = 0;                    // requested
  bool complete = false;                     // warehouses, keys and indexes are there
  // The server's operations that build indexes (YDB), by index_build_columns. Empty: none runs.
  std::array<std::string, 2> index_builds;
};
inline constexpr std::array<std::string_view, 2> index_build_columns = {"build_idx_customer_name",
                                                                        "build_idx_order"};

// Returns nothing if drover_tpcc is empty. Requires that the table exists. Throws UnfitSchema if
// another version of the format wrote it.
coro::Task<std::optional<ImportRecord>> read_record(AdminSession& session, std::string schema);

// Writes population, warehouses and `complete`. With an owner, writes only while that import has
// the claim.
coro::Task<void> write_record(AdminSession& session, ImportRecord record,
                              std::optional<std::string> owner = {});

// Throws database::Error unless the statement has written one row of the table, on databases that
// count rows.
void require_one_written(const database::AdminRows& written, std::string_view table);

// The tables of a warehouse are loaded together, or (YDB) in two stages: first the tables that get
// indexes, for all warehouses, so that the server builds the indexes while the rest is loaded.
enum class LoadStage : uint8_t {
  whole = 0,
  indexed = 1,  // warehouse, district, customer, oorder
  rest = 2,     // history, new_order, order_line, stock; item
};

// A row of drover_tpcc_loaded.
struct LoadedPart {
  int32_t w_id = 0;  // or item_part
  LoadStage stage = LoadStage::whole;

  friend auto operator<=>(const LoadedPart&, const LoadedPart&) = default;
};

// Returns the rows of drover_tpcc_loaded in ascending order. Requires that the table exists.
coro::Task<std::vector<LoadedPart>> read_loaded(AdminSession& session);

// Returns item_part and the w_ids up to `warehouses` that are not loaded in all of their stages.
std::vector<int32_t> missing_parts(const std::vector<LoadedPart>& loaded, int32_t warehouses);

// The beginning of an import.
struct BegunImport {
  ImportPlan plan;
  ImportRecord record;              // of the plan, not yet written
  std::vector<LoadedPart> loaded;   // before
  int32_t recorded_warehouses = 0;  // requested from earlier imports
  bool continues = false;           // an earlier import
  bool was_complete = false;        // all warehouses were loaded, and recorded as complete
};

// Compares the request with the record and with the tables. `has_pieces`: parts of the population
// are loaded that drover_tpcc_loaded does not list. Throws UnfitSchema if the tables have rows that
// no import has recorded, or if the import has another seed or more warehouses than the request.
coro::Task<BegunImport> plan_import(AdminSession& session, std::string schema,
                                    ImportRequest request, bool has_pieces);

// The data that a run finds in the database, whichever tool loaded them.
struct LoadedDatabase {
  std::int32_t warehouses = 0;                    // warehouses 1 to this number exist
  std::optional<NurandConstants> load_constants;  // C-Load; none: another tool loaded the data
  bool has_record = false;                        // of an import
  std::string hidden_record = {};  // a note for the user if the record may be elsewhere, else empty
};

// Throws UnfitSchema if tables are missing, the import is incomplete, or there is no warehouse.
coro::Task<LoadedDatabase> inspect_loaded(AdminSession& session, std::string schema);

// Returns the number of warehouses to check. Throws database::Error if there is none or if w_id
// does not count from 1.
coro::Task<std::int32_t> count_warehouses_to_check(AdminSession& session);

// Throws UnfitSchema if another program's table has the name of one of TPC-C's, such as "customer",
// but not its first column.
coro::Task<void> require_droppable(AdminSession& session, TablesPresent present,
                                   std::string schema);

// Both return a part of a message: " --schema x", or nothing without a schema; "create the tables
// again with ...".
std::string schema_argument(std::string_view schema);
std::string advice_to_make_anew(std::string_view schema);

// Throws unless there are no tables or they may be replaced. `place`: "schema x".
void require_no_tables(const TablesPresent& present, bool force, std::string_view place,
                       std::string_view schema);
// Throws unless 'drover tpcc init' has made all tables.
void require_initialised(const TablesPresent& present, std::string_view schema);
// Throws: everything that was requested is loaded already.
[[noreturn]] void refuse_to_load_again(const ImportRecord& record, std::string_view schema);
void require_warehouses(const LoadedDatabase& loaded, int32_t wanted, std::string_view schema);

// Throws database::Error, for a check: the tables `missing` ("customer, stock") are not in `place`.
// `option`: what --schema names, "schema" or "folder".
[[noreturn]] void refuse_missing_tables(std::string_view missing, std::string_view sqlstate,
                                        std::string_view place, std::string_view option);

struct ClaimTimes {
  coro::Duration beat = std::chrono::seconds(1);     // between two beats
  coro::Duration watch = std::chrono::seconds(10);   // without a beat, after which an owner is dead
  coro::Duration release = std::chrono::seconds(5);  // the time limit of release()
};

// The claim of an import on a schema, for databases without locks that outlive a transaction: only
// one import at a time loads a schema.
//
//   ImportClaim claim(session, {});
//   co_await claim.hold(schema, on_wait, work);
//
// The row of drover_tpcc names the owner, by a random name, and a beat: a number that the owner
// increments while it lives. An import that wants the claim watches the beat. A beat that moves is
// an import at work. A beat that stands still for ClaimTimes::watch is what a killed import has
// left, and is taken over by an update that requires the row to be as it was seen: of two imports,
// one succeeds. No clock is compared with that of another machine.
//
// The claim does not protect rows: an import that stood still for so long that its claim was taken
// notices at its next beat, and rows that it sends until then must do no harm. On YDB they are the
// same rows with the same keys, because only an owner writes seed and load time. 'init --force' and
// 'clean' ignore the claim; an import whose tables they drop fails at its next beat.
//
// Belongs to the worker of the session, which must outlive it. Errors: database::Error.
class ImportClaim {
 public:
  ImportClaim(AdminSession& session, ClaimTimes times);

  // Takes the claim, does the work while it keeps the claim, and releases the claim in any case.
  // Throws what the work, take() and keep() throw.
  coro::Task<void> hold(std::string schema, std::function<void()> on_wait,
                        std::function<coro::Task<void>()> work);

  // Requires that drover_tpcc exists. Throws UnfitSchema if another import is at work. Takes
  // nothing if drover_tpcc is empty. Calls `on_wait` once if there is an owner to watch.
  coro::Task<void> take(std::string schema, std::function<void()> on_wait = {});

  // Beats until it is cancelled. Throws database::Error when the claim is lost.
  coro::Task<void> keep();

  // Writes the record. Throws database::Error if the claim is lost.
  coro::Task<void> write(ImportRecord record);

  // Releases the claim if this import has it. Throws nothing and ignores cancellation. A claim that
  // cannot be released in time looks dead to the next import.
  coro::Task<void> release();

 private:
  // The claim in drover_tpcc.
  struct Holder {
    std::string owner = {};  // empty: none
    std::int64_t beat = 0;

    bool operator==(const Holder&) const = default;
  };

  coro::Task<std::optional<Holder>> read();
  coro::Task<std::optional<Holder>> exchange(Holder seen, Holder next);
  coro::Task<bool> replace(Holder seen, Holder next);
  coro::Task<void> give_up();
  static void require(bool is_ours);

  AdminSession& session_;
  ClaimTimes times_;
  Holder ours_;
};

}  // namespace drover::tpcc
