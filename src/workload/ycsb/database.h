// A database as the commands of `drover ycsb` see it: what loads, checks and drops the table, and what a run has to know
// before it begins and after it has ended. One implementation for each kind of database.
//
// An object only says where the table is; every call opens what it needs and closes it again.
// Thread safety: the calls may be made on any worker; none changes the object. Tasks must not outlive it.
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
#include "workload/ycsb/backend.h"
#include "workload/ycsb/properties/properties.h"
#include "workload/ycsb/row_range.h"

namespace drover::ycsb {

struct LoadSettings {
  Properties properties = {};  // the rows [insert_start, insert_start + insert_count) are loaded
  std::size_t connections = 2;
  coro::Duration progress_interval = std::chrono::seconds(2);
  load::Share share = {};  // of these rows, where several hosts load
};

// What this command has done and has to do; what an earlier one loaded is only in rows_there. Rows and bytes count as
// they are handed to the server.
struct LoadProgress {
  coro::Duration elapsed{};      // until now, or until the last row was there
  coro::Duration finishing{};    // since then: statistics
  std::uint64_t rows_there = 0;  // of the part, that were loaded before
  std::uint64_t rows = 0;
  std::uint64_t rows_total = 0;  // to load
  std::uint64_t bytes = 0;
};

// Called on the worker that loads; must not throw.
class LoadObserver {
 public:
  virtual ~LoadObserver() = default;
  // Every few seconds, once before and once when all rows are there.
  virtual void on_loading(const LoadProgress&) {}
  // After the rows: "analyze usertable".
  virtual void on_step(std::string_view /*name*/) {}
  // Called with a line for the user about what the server did not do.
  virtual void on_note(std::string_view /*line*/) {}
};

// What the table says of all inserts and updates that were ever committed: read before and after a run, the differences
// are what the run has written, if nobody else wrote.
struct TableSums {
  std::uint64_t rows = 0;
  // Over all fields: an update raises it by 1 a field that it writes. None where values are not counted.
  std::optional<std::uint64_t> versions = {};
};

// What only one pass over the whole table can tell. Plain values, for another process (part_fields.h).
struct TableContents {
  ValueKind values = ValueKind::counted;
  TableSums sums;
};

struct RunPreparation {
  database::ServerFacts server;
  ValueKind values = ValueKind::counted;
  // All rows that were found have lower numbers: where inserts begin.
  std::uint64_t next_row = 0;
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

struct CheckPart;
struct CheckReport;

// Reads the table in place of the check's own sessions: others do it, by Database::check_part(), and it returns when they
// have. It adds their reports to the sums. What it throws ends the check.
using CheckElsewhere = std::function<coro::Task<void>(const CheckPart& all, CheckReport& sums)>;

struct CheckSettings {
  Properties properties = {};
  std::size_t connections = 2;
  // Called on the worker that checks; may be empty.
  std::function<void(const CheckProgress&)> on_progress = {};
  CheckElsewhere check_elsewhere = {};  // empty: the check reads
};

// What one of several has to know of a check, and how much of the table it reads. Plain values, for another process
// (part_fields.h).
struct CheckPart {
  std::string snapshot = {};     // as the server names it; empty: there is none for all
  std::uint64_t table_size = 0;  // by which all cut the table alike
  load::Share share = {};        // of its pieces
};

inline constexpr std::size_t wrong_values_kept = 10;

// A value that nobody can have written there, or a key that is none of ours.
struct WrongValue {
  std::string key;
  std::string field;  // empty: the key itself
  std::string what;
};

struct CheckReport {
  std::uint64_t rows = 0;
  std::uint64_t rows_loaded = 0;  // that loads have recorded: so many must be there
  std::uint64_t values = 0;
  std::uint64_t values_wrong = 0;
  std::vector<WrongValue> first_wrong;  // at most wrong_values_kept
  // The values that begin with a version have these.
  std::uint64_t version_max = 0;
  std::uint64_t versions = 0;  // their sum
  std::string server_version;
  // Set where each session saw its own snapshot in place of one for all: why.
  std::optional<std::string> snapshot_refusal;

  std::uint64_t pieces = 0;  // of the table, that were read

  // What another one has read of the table.
  void add(const CheckReport& other);

  std::uint64_t rows_lost() const noexcept { return rows < rows_loaded ? rows_loaded - rows : 0; }
  bool holds() const noexcept { return values_wrong == 0 && rows_lost() == 0; }
};

// Throws database::Error unless others have read all pieces, each once.
void require_all_read(const CheckReport& sums, std::uint64_t pieces);

// What the backend of one worker is made with.
struct BackendSettings {
  Properties properties = {};
  ValueKind values = ValueKind::counted;  // as prepare() has found
  bool verify = false;                    // what is read; not of foreign values
  database::Isolation isolation = database::Isolation::read_committed;  // one that the database has
  std::size_t connections = 1;
  database::Pooling pooling = database::Pooling::none;
  database::Dialect server_dialect = database::Dialect::postgres;  // as the server was found
  database::SessionUpkeep upkeep = {};                             // of PostgreSQL
  coro::Duration statement_timeout = std::chrono::seconds(60);     // 0: none
  bool wait_for_server = true;                                     // when it is away
  coro::Duration resolve_patience = std::chrono::seconds(60);
  std::uint64_t seed = 0;  // of the pauses between attempts to connect
};

class Database : public database::ObservedServer {
 public:
  // Makes the table if it is not there, and loads what of the part, or of the share of it, is not. It may be killed at any point, on either
  // side: the same call goes on from there. Several may load at the same time, whatever their parts are. Throws
  // UnfitSchema where the rows that are there were made with other properties, or by others. Statistics, and what makes all
  // of it durable, come with a share that is the whole. So several hosts load: one an empty share, which makes the table;
  // then all at the same time theirs; then one the whole, of which nothing is missing.
  virtual coro::Task<LoadProgress> load(LoadSettings settings, LoadObserver& observer) const = 0;

  // Throws UnfitSchema where a run with these properties cannot begin. The table is read whole, unless it is `known` what
  // it has: another host of the same run has read it.
  virtual coro::Task<RunPreparation> prepare(Properties properties,
                                             std::optional<TableContents> known) const = 0;
  coro::Task<RunPreparation> prepare(Properties properties) const {
    return prepare(std::move(properties), std::nullopt);
  }

  // The level of a run that asks for this one, or for none. Throws database::Error, whose message says what to do, if the
  // server has no such level, or does not allow it: on YDB, whose servers have `snapshot` off by default. Asked once the
  // table is known to be ready.
  virtual coro::Task<database::Isolation> choose_isolation(
      Properties properties, std::optional<database::Isolation> wanted,
      const database::ServerFacts& server) const = 0;

  // One pass over the table, in one snapshot.
  virtual coro::Task<TableSums> read_sums(Properties properties, ValueKind values) const = 0;

  // The same, tried for as long as the patience lasts: the database may be on its way up. Nothing if it could not be
  // asked.
  coro::Task<std::optional<TableSums>> read_sums_patiently(Properties properties, ValueKind values,
                                                           coro::Duration patience) const;

  // Throws UnfitSchema where the values are not ours: nobody knows what they must be.
  virtual coro::Task<CheckReport> check(CheckSettings settings) const = 0;

  // Reads a part of the table for a check that another process began, in its snapshot, and concludes (check_elsewhere).
  virtual coro::Task<CheckReport> check_part(CheckPart part, CheckSettings settings) const = 0;

  // Drops the table of this name and what is recorded of it; returns the names of the tables that it dropped.
  virtual coro::Task<std::vector<std::string>> clean(std::string table) const = 0;

  virtual std::unique_ptr<Backend> make_backend(BackendSettings settings) const = 0;
};

}  // namespace drover::ycsb
