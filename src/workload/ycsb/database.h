// The interface to a database that the commands of `drover ycsb` need: load, check and drop the
// table, and prepare and conclude a run. Each kind of database has one implementation.
//
// A Database only knows where the table is. Each call opens and closes its own connections.
// Thread safety: calls may be made on any worker. Tasks must not outlive the object.
// Errors: database::UnfitSchema, whose message says what to do, PropertyError, and database::Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/server.h"
#include "load/plan.h"
#include "settings/field.h"
#include "workload/ycsb/backend.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb {

// The progress of this command. Rows and bytes count when they are sent to the server.
struct LoadProgress {
  coro::Duration elapsed{};      // until now, or until the last row was stored
  coro::Duration finishing{};    // after the last row: statistics
  std::uint64_t rows_there = 0;  // that an earlier load has stored
  std::uint64_t rows = 0;
  std::uint64_t rows_total = 0;  // to load
  std::uint64_t bytes = 0;
};

struct LoadSettings {
  Properties properties = {};  // the rows [insert_start, insert_start + insert_count) are loaded
  std::size_t connections = 2;
  load::Share share = {};                                 // of the rows, if several hosts load
  std::uint64_t rows_of_piece = 0;                        // 0: rows of some MiB
  coro::Duration silence_max = std::chrono::seconds(10);  // PostgreSQL: of another, silent load

  // The functions are called on the worker that loads, must not throw, and may be empty.
  // `on_progress` is called at the interval, and before the first and after the last row.
  std::function<void(const LoadProgress&)> on_progress = {};
  coro::Duration progress_interval = std::chrono::seconds(2);
  // Called at steps after the rows, with a text such as "analyze usertable".
  std::function<void(std::string_view name)> on_step = {};
  // Called with a line for the user about a step that the server skipped.
  std::function<void(std::string_view line)> on_note = {};
};

// Sums over the table. If nobody else writes, their differences before and after a run are what the
// run has written.
struct TableSums {
  std::uint64_t rows = 0;
  // Sum over all fields. An update adds 1 per field that it writes. Nothing if values have no
  // version.
  std::optional<std::uint64_t> versions = {};
};

// Facts that need a pass over the whole table.
struct TableContents {
  ValueKind values = ValueKind::counted;
  TableSums sums;
};

struct RunPreparation {
  database::ServerFacts server;
  ValueKind values = ValueKind::counted;
  std::uint64_t next_row = 0;  // above the numbers of all rows; inserts begin here
  // The rows from insertstart to next_row that the table lacks, in ascending order: rows that were
  // not loaded, or whose inserts failed. Nothing if too many rows would have to be looked up.
  std::optional<std::vector<RowRange>> missing_rows;
  TableSums before;
  std::vector<std::string> notes;  // lines for people
};

struct CheckProgress {
  std::uint64_t rows = 0;
  double part = 0;  // 0..1 of the table; 1 at the end
};

// A host's part of a check.
struct CheckPart {
  std::string snapshot = {};     // the server's name of it; empty: there is no common snapshot
  std::uint64_t table_size = 0;  // from which all hosts compute the same pieces
  load::Share share = {};        // of the pieces
};

inline constexpr std::size_t wrong_values_kept = 10;

// A value that no client can have written there, or a key that is not a YCSB key.
struct WrongValue {
  std::string key;
  std::string field;  // empty: the key is wrong
  std::string what;
};

struct CheckReport {
  std::uint64_t rows = 0;
  std::uint64_t rows_loaded = 0;  // recorded by loads, and therefore expected
  std::uint64_t values = 0;
  std::uint64_t values_wrong = 0;
  std::vector<WrongValue> first_wrong;  // at most wrong_values_kept
  std::uint64_t version_max = 0;
  std::uint64_t versions = 0;  // the sum of the values' versions
  std::string server_version;
  // Why each session had a snapshot of its own, or nothing if all had the same one.
  std::optional<std::string> snapshot_refusal;
  std::uint64_t pieces = 0;  // of the table that were read

  // Adds the report of another part of the table.
  void add(const CheckReport& other);

  std::uint64_t rows_lost() const noexcept { return rows < rows_loaded ? rows_loaded - rows : 0; }
  bool holds() const noexcept { return values_wrong == 0 && rows_lost() == 0; }
};

// Has other processes read the table by CheckSettings::part, and adds their reports to `sums`.
// An error that it throws ends the check.
using CheckElsewhere = std::function<coro::Task<void>(const CheckPart& all, CheckReport& sums)>;

struct CheckSettings {
  Properties properties = {};
  std::size_t connections = 2;
  std::function<void(const CheckProgress&)> on_progress =
      {};                               // on the check's worker; may be empty
  CheckElsewhere check_elsewhere = {};  // empty: this process reads the table
  // A part of the check of another process, in whose snapshot it is read. Nothing: the whole table.
  std::optional<CheckPart> part = {};
  std::uint64_t blocks_of_piece = 4096;  // PostgreSQL: of the table, which a session reads at once
};

struct BackendSettings {
  Properties properties = {};
  ValueKind values = ValueKind::counted;  // as prepare() has found
  bool verify = false;                    // the values read, unless they are foreign
  database::Isolation isolation = database::Isolation::read_committed;
  std::size_t connections = 1;
  database::Pooling pooling = database::Pooling::none;
  database::Dialect server_dialect = database::Dialect::postgres;
  database::SessionUpkeep upkeep = {};                          // PostgreSQL only
  coro::Duration statement_timeout = std::chrono::seconds(60);  // 0: none
  bool wait_for_server = true;                                  // while it is unavailable
  coro::Duration resolve_timeout = std::chrono::seconds(60);
  std::uint64_t seed = 0;  // of the pauses between attempts to connect
};

class Database : public database::ObservedServer {
 public:
  // Creates the table if it does not exist, and loads those rows of the share that no load has
  // recorded. After an interruption at any point, the same call resumes the load. Several loads may
  // run at the same time. Throws UnfitSchema if the table has rows with other properties or rows of
  // another tool.
  //
  // A share that is the whole also collects statistics and makes all rows durable. So several hosts
  // load in three steps: an empty share, which creates the table; all shares at the same time; and
  // the whole, of which no row is missing.
  virtual coro::Task<LoadProgress> load(LoadSettings settings) const = 0;

  // Throws UnfitSchema if a run with these properties is not possible. Reads the whole table,
  // unless another host of the run has read it and found `known`.
  virtual coro::Task<RunPreparation> prepare(Properties properties,
                                             std::optional<TableContents> known) const = 0;
  coro::Task<RunPreparation> prepare(Properties properties) const {
    return prepare(std::move(properties), std::nullopt);
  }

  // Returns the isolation level of a run that wants this level, or any. Throws database::Error,
  // whose message says what to do, if the server does not have or allow the level. Requires:
  // prepare() has succeeded.
  virtual coro::Task<database::Isolation> choose_isolation(
      Properties properties, std::optional<database::Isolation> wanted,
      const database::ServerFacts& server) const = 0;

  // Reads the whole table in one snapshot.
  virtual coro::Task<TableSums> read_sums(Properties properties, ValueKind values) const = 0;

  // Does the same, and retries until `timeout` has passed, because the database may be unavailable.
  // Returns nothing if no attempt has succeeded.
  coro::Task<std::optional<TableSums>> read_sums_within(coro::Duration timeout,
                                                        Properties properties,
                                                        ValueKind values) const;

  // Throws UnfitSchema if no load of drover has recorded the table.
  virtual coro::Task<CheckReport> check(CheckSettings settings) const = 0;

  // Drops the table and its records; returns the names of the dropped tables.
  virtual coro::Task<std::vector<std::string>> clean(std::string table) const = 0;

  virtual std::unique_ptr<Backend> make_backend(BackendSettings settings) const = 0;
};

// The messages between the processes of a load, a check or a run on several hosts, described as
// settings/field.h says.

using settings::Of;

// Without the times, which the coordinator measures itself.
void describe(auto& visit, Of<LoadProgress> auto& progress) {
  visit.field("rows_there", progress.rows_there, settings::count);
  visit.field("rows", progress.rows, settings::count);
  visit.field("rows_total", progress.rows_total, settings::count);
  visit.field("bytes", progress.bytes, settings::count);
}

// Without the share, which each host knows.
void describe(auto& visit, Of<CheckPart> auto& part) {
  visit.field("snapshot", part.snapshot, settings::name);
  visit.field("table_size", part.table_size, settings::count);
}

void describe(auto& visit, Of<TableSums> auto& sums) {
  visit.field("rows", sums.rows, settings::count);
  visit.field("versions", sums.versions, settings::any_whole);
}

void describe(auto& visit, Of<TableContents> auto& contents) {
  visit.field("values", contents.values, settings::only("counted|stamped|foreign"));
  visit.field("sums", contents.sums);
}

void describe(auto& visit, Of<WrongValue> auto& wrong) {
  visit.field("key", wrong.key, settings::sentence);
  visit.field("field", wrong.field, settings::sentence);
  visit.field("what", wrong.what, settings::sentence);
}

void describe(auto& visit, Of<CheckReport> auto& report) {
  visit.field("rows", report.rows, settings::count);
  visit.field("values", report.values, settings::count);
  visit.field("values_wrong", report.values_wrong, settings::count);
  visit.field("first_wrong", report.first_wrong);
  visit.field("version_max", report.version_max, settings::count);
  visit.field("versions", report.versions, settings::count);
  visit.field("pieces", report.pieces, settings::count);
  visit.field("snapshot_refusal", report.snapshot_refusal, settings::sentence);
}

}  // namespace drover::ycsb
