// An import: its request, plan, progress and outcome, for every database. What a database records
// of an import is in import_record.h.
//
// Thread safety: plain values and pure functions, except ImportWork, which belongs, like its
// observer, to the worker that imports.
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
#include "settings/field.h"
#include "workload/tpcc/population.h"
#include "workload/tpcc/random.h"
#include "workload/tpcc/schema.h"

namespace drover::tpcc {

using database::UnfitSchema;
using settings::Of;

inline constexpr int32_t warehouses_max = 1'000'000;
// The part of the population that belongs to no warehouse: the table item.
inline constexpr int32_t item_part = 0;

// `after_load`: the database enforces the references of clause 1.3.
enum class ForeignKeys : uint8_t { none, after_load };

std::string_view foreign_keys_name(ForeignKeys foreign_keys) noexcept;
std::optional<ForeignKeys> foreign_keys_of(std::string_view name) noexcept;

struct ImportRequest {
  int32_t warehouses = 1;                // in [1..warehouses_max]
  std::optional<uint64_t> seed = {};     // none: the recorded seed, or that of fresh_population
  PopulationSeed fresh_population = {};  // of a new import; its load time is always used
};

struct ImportPlan {
  PopulationSeed population;
  ForeignKeys foreign_keys = ForeignKeys::none;
  int32_t warehouses = 0;        // in the database after the import
  int32_t skipped = 0;           // warehouses that are loaded already
  std::vector<int32_t> missing;  // the w_ids to load, preceded by item_part if item is missing
  bool has_keys = false;         // the tables have keys, so that loading is slow

  int32_t warehouses_missing() const noexcept;
};

// The share of a plan that one of several hosts loads.
struct PartRange {
  uint32_t first = 0;  // a w_id or item_part
  uint32_t last = 0;   // included
};
struct ImportPart {
  PopulationSeed population;
  std::vector<PartRange> ranges;  // ascending
};

// Returns the elements [begin, end) of plan.missing.
ImportPart part_of(const ImportPlan& plan, size_t begin, size_t end);
// Returns a plan that loads only the part.
ImportPlan plan_of(const ImportPart& part);

struct TableProgress {
  int64_t rows = 0;
  int64_t rows_total = 0;  // of order_line: an estimate, because the number of lines is random
};

// Amounts that one command has loaded. Rows and bytes count when they are handed to the server,
// warehouses when they are committed.
struct ImportProgress {
  coro::Duration elapsed{};
  int32_t warehouses = 0;
  int32_t warehouses_total = 0;
  int64_t rows = 0;
  int64_t rows_total = 0;  // an estimate
  int64_t bytes = 0;
  std::array<TableProgress, all_tables.size()> tables = {};  // by Table

  // Adds the counts of another host, but not its time.
  void add(const ImportProgress& other) noexcept;
};

// The messages by which hosts divide an import (settings/field.h).

inline constexpr settings::Whole part_number{static_cast<std::uint64_t>(warehouses_max)};

void describe(auto& visit, Of<PopulationSeed> auto& population) {
  visit.field("seed", population.seed, settings::any_whole);
  visit.field("load_time_us", population.load_time_us, settings::amount);
}

void describe(auto& visit, Of<PartRange> auto& range) {
  visit.field("first", range.first, part_number);
  visit.field("last", range.last, part_number);
}

void describe(auto& visit, Of<ImportPart> auto& part) {
  visit.field("population", part.population);
  visit.field("ranges", part.ranges);
}

void describe(auto& visit, Of<TableProgress> auto& table) {
  visit.field("rows", table.rows, settings::amount);
  visit.field("rows_total", table.rows_total, settings::amount);
}

// Does not contain the time, which the observer measures.
void describe(auto& visit, Of<ImportProgress> auto& progress) {
  visit.field("warehouses", progress.warehouses, settings::amount);
  visit.field("warehouses_total", progress.warehouses_total, settings::amount);
  visit.field("rows", progress.rows, settings::amount);
  visit.field("rows_total", progress.rows_total, settings::amount);
  visit.field("bytes", progress.bytes, settings::amount);
  visit.within("tables", "", settings::Need::required, [&](auto& tables) {
    for (const Table table : all_tables) {
      tables.field(table_name(table).data(), progress.tables[static_cast<std::size_t>(table)]);
    }
  });
}

struct ImportOutcome {
  ImportPlan plan;
  int64_t rows = 0;
  int64_t bytes = 0;
  coro::Duration load_time{};
  coro::Duration finish_time{};
  std::vector<std::string> notes = {};  // lines for the user
};

// Must not throw.
class ImportObserver {
 public:
  virtual ~ImportObserver() = default;

  // The import waits for another import of the schema, or for its sessions to end.
  virtual void on_wait() {}
  // The import has ended the sessions of an import that gave no sign of life.
  virtual void on_sessions_ended(int32_t /*count*/) {}
  virtual void on_note(std::string_view /*line*/) {}
  // Called before the first row is loaded.
  virtual void on_plan(const ImportPlan&) {}
  // Called every few seconds during the load, and once at its end.
  virtual void on_loading(const ImportProgress&) {}
  // A step after the load starts: "primary key order_line_pkey", "analyze stock", ...
  virtual void on_step(std::string_view /*name*/, size_t /*number*/, size_t /*total*/) {}
  // Steps run side by side and end in any order.
  virtual void on_step_done(std::string_view /*name*/, coro::Duration /*took*/) {}
};

// A running import: counts for its observer and measures the times of the outcome.
class ImportWork {
 public:
  ImportWork(ImportObserver& observer, coro::Duration progress_interval)
      : observer_(observer), progress_interval_(progress_interval) {}

  void begin(ImportPlan plan);
  // Starts the clock of the outcome's times.
  void start() noexcept;

  // Adds the rows of one part in this table to the expected total.
  void expect(Table table) noexcept;
  void count(Table table, int64_t rows, int64_t bytes) noexcept;
  void count_warehouse() noexcept { ++progress_.warehouses; }
  // Takes over the progress of all hosts, where other hosts load.
  void show(const ImportProgress& all) noexcept;
  const ImportProgress& progress() const noexcept { return progress_; }

  // Awaits `loading`, and reports progress meanwhile and at the end.
  coro::Task<void> load(coro::Task<void> loading);

  void note(std::string line) { outcome_.notes.push_back(std::move(line)); }

  // Returns the outcome. To be called when keys and indexes are done.
  ImportOutcome end();

  // Returns the error with the number of loaded warehouses in its message.
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

// Has other processes load the plan by Database::load_part(), and returns when they are done. An
// exception ends the import.
using LoadElsewhere = std::function<coro::Task<void>(const ImportPlan&, ImportWork&)>;

// Throws database::Error if other processes have left parts of a plan unloaded.
void require_none_left(size_t left, size_t of);

}  // namespace drover::tpcc
