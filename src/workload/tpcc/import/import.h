// What an import is asked for, what of it there is to do, how far it is, and what it has done; and
// what a database records of its import, in two small tables of drover's own, and what follows from it
// for a command. The same for all databases; how the tables are read and written, each says for itself.
//
// drover_tpcc has one row: from what the population comes, and how far the import was asked to go.
// drover_tpcc_loaded has a row for each part of the population that is loaded. A database that
// another tool loaded has neither; only an import asks for them.
//
// All that is required here throws UnfitSchema. `schema`: as --schema names it, empty for none.
//
// Thread safety: plain values and pure functions, but for ImportWork, which belongs to the worker that
// imports, as its observer does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/error.h"
#include "database/unfit_schema.h"
#include "workload/tpcc/population.h"
#include "workload/tpcc/random.h"
#include "workload/tpcc/schema.h"

namespace drover::tpcc {

inline constexpr int32_t warehouses_max = 1'000'000;
// The part of the population that belongs to no warehouse: item.
inline constexpr int32_t item_part = 0;

// Whether the references of clause 1.3 are enforced.
enum class ForeignKeys : uint8_t { none, after_load };

std::string_view foreign_keys_name(ForeignKeys foreign_keys) noexcept;
std::optional<ForeignKeys> foreign_keys_of(std::string_view name) noexcept;

struct ImportRequest {
  int32_t warehouses = 1;                // in [1..warehouses_max]
  std::optional<uint64_t> seed = {};     // none: that of the import to go on with, or ...
  PopulationSeed fresh_population = {};  // ... this, whose load time is taken in any case
};

struct ImportPlan {
  PopulationSeed population;
  ForeignKeys foreign_keys = ForeignKeys::none;
  int32_t warehouses = 0;        // when it is done
  int32_t skipped = 0;           // that are loaded already
  std::vector<int32_t> missing;  // w_ids to load; item_part, if it is among them, is the first
  bool has_keys = false;         // so that loading is slow

  int32_t warehouses_missing() const noexcept;
};

// What of a plan one of several loads. Plain values, for another process (part_fields.h).
struct PartRange {
  uint32_t first = 0;  // w_ids, or item_part; both included
  uint32_t last = 0;
};
struct ImportPart {
  PopulationSeed population;
  std::vector<PartRange> ranges;  // ascending
};

// Those of plan.missing from place `begin` on, `end` not among them.
ImportPart part_of(const ImportPlan& plan, size_t begin, size_t end);
// A plan of the part alone.
ImportPlan plan_of(const ImportPart& part);

struct TableProgress {
  int64_t rows = 0;
  int64_t rows_total = 0;  // of the lines of orders, which are random in number, an estimate
};

// What this command has done; what an earlier one loaded is not in it. Rows and bytes count as they
// are handed to the server, warehouses when they are committed.
struct ImportProgress {
  coro::Duration elapsed{};
  int32_t warehouses = 0;
  int32_t warehouses_total = 0;
  int64_t rows = 0;
  int64_t rows_total = 0;  // an estimate: the lines of orders are random in number
  int64_t bytes = 0;
  std::array<TableProgress, all_tables.size()> tables = {};  // by Table

  // What another one has done besides. The time stays.
  void add(const ImportProgress& other) noexcept;
};

struct ImportOutcome {
  ImportPlan plan;
  int64_t rows = 0;
  int64_t bytes = 0;
  coro::Duration load_time{};
  coro::Duration finish_time{};
  std::vector<std::string> notes = {};  // lines for people: what the server left undone
};

// Must not throw.
class ImportObserver {
 public:
  virtual ~ImportObserver() = default;

  // Another import works on the schema, or its sessions are still ending; it is waited for.
  virtual void on_wait() {}
  // So many sessions of an import that gave no sign of life were ended, as they kept this one out.
  virtual void on_sessions_ended(int32_t /*count*/) {}
  // Called with a line for the user, such as which sessions hold a lock. May be called at any time.
  virtual void on_note(std::string_view /*line*/) {}
  // What is to be done, before anything is.
  virtual void on_plan(const ImportPlan&) {}
  // Every few seconds while warehouses are loaded, and once when they are.
  virtual void on_loading(const ImportProgress&) {}
  // After the load, when a step starts: "primary key order_line_pkey", "analyze stock", ...
  virtual void on_step(std::string_view /*name*/, size_t /*number*/, size_t /*total*/) {}
  // When it is done. Steps run side by side: they do not end in the order in which they start.
  virtual void on_step_done(std::string_view /*name*/, coro::Duration /*took*/) {}
};

// An import under way: counts for its observer, and keeps the times of the outcome.
class ImportWork {
 public:
  ImportWork(ImportObserver& observer, coro::Duration progress_interval)
      : observer_(observer), progress_interval_(progress_interval) {}

  void begin(ImportPlan plan);
  // The times of the outcome count from here on.
  void start() noexcept;

  // A part of the population is to be loaded into this table: a warehouse's, or all of item.
  void expect(Table table) noexcept;
  void count(Table table, int64_t rows, int64_t bytes) noexcept;
  void count_warehouse() noexcept { ++progress_.warehouses; }
  // Where others load: what they have done so far, all together.
  void show(const ImportProgress& all) noexcept;
  const ImportProgress& progress() const noexcept { return progress_; }

  // Awaits `loading`, and tells the observer meanwhile and afterwards.
  coro::Task<void> load(coro::Task<void> loading);

  void note(std::string line) { outcome_.notes.push_back(std::move(line)); }

  // When all is done, keys and indexes, too.
  ImportOutcome end();

  // The error, with how far the import came in its message.
  database::Error explained(const database::Error& error) const;

 private:
  coro::Task<void> report_progress();
  void tell_progress();

  ImportObserver& observer_;
  coro::Duration progress_interval_;
  ImportProgress progress_;
  ImportOutcome outcome_;
  coro::Instant start_{};
  bool planned_ = false;
};

// Loads in place of the import's own sessions: others do it, by Database::load_part(), and it returns when they have.
// What it throws ends the import.
using LoadElsewhere = std::function<coro::Task<void>(const ImportPlan&, ImportWork&)>;

// Throws database::Error where others have left some parts of `of`.
void require_none_left(size_t left, size_t of);

using database::UnfitSchema;

inline constexpr std::string_view settings_table = "drover_tpcc";
inline constexpr std::string_view loaded_table = "drover_tpcc_loaded";
// How far the parts are that go in pieces.
inline constexpr std::string_view progress_table = "drover_tpcc_progress";
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
  // For people: why the record of an import may be elsewhere; empty if it is here or there is none.
  std::string hidden_record = {};
};

// For messages: how to name the schema on the command line, " --schema x" or nothing.
std::string schema_argument(std::string_view schema);
// For messages: "make the tables anew with ...".
std::string advice_to_make_anew(std::string_view schema);

// That the row was written by a drover that writes as this one does.
void require_format(int32_t version, std::string_view schema);

// For an import: that the tables are there, all of them, and `drover tpcc init` has made them.
void require_initialised(const TablesPresent& present, std::string_view schema);
// Throws UnfitSchema: a table has the name of one of TPC-C's, but not its first column.
[[noreturn]] void refuse_foreign_table(Table table, std::string_view schema);
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
