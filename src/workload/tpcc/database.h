// A database as the commands of `drover tpcc` see it: what makes the tables, loads, checks and
// drops them, and what a run has to know before it begins and after it has ended. One
// implementation for each kind of database.
//
// An object only says where the tables are; every call opens what it needs and closes it again.
// Thread safety: the calls may be made on any worker; none changes the object. Tasks must not
// outlive it. Errors: UnfitSchema, whose message says what to do, and database::Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/activity_watch.h"
#include "database/checkpoint_watch.h"
#include "database/isolation.h"
#include "database/server_facts.h"
#include "settings/run_settings.h"
#include "workload/tpcc/backend.h"
#include "workload/tpcc/check/check_report.h"
#include "workload/tpcc/column_limits.h"
#include "workload/tpcc/import/import_record.h"
#include "workload/tpcc/transaction.h"

namespace drover::tpcc {

// Takes lines for people; may be empty.
using NoteFunction = std::function<void(std::string_view)>;

struct InitialiseSettings {
  ForeignKeys foreign_keys = ForeignKeys::none;
  std::int32_t partitions =
      0;               // in how many the tables of warehouses are cut; 0: as the server has it
  bool force = false;  // drop tables that are there
  // That the tables are to be cut for, where the database does not see to it; none: some.
  std::optional<std::int32_t> warehouses = {};
  NoteFunction on_note = {};
};

struct Initialised {
  std::vector<std::string> dropped;  // names of tables
  bool has_keys = false;             // primary keys came with the tables
};

struct ImportSettings {
  ImportRequest request = {};
  std::size_t connections = 2;
  std::size_t threads = 1;  // that make rows
  coro::Duration progress_interval = std::chrono::seconds(2);
  LoadElsewhere load_elsewhere = {};  // empty: the import loads
};

using database::Isolation;
using database::isolation_name;
using database::ServerFacts;

// What the backend of one worker is made with.
struct BackendSettings {
  settings::RunSettings run = {};
  StatementStyle style = StatementStyle::batched;
  Isolation isolation = Isolation::read_committed;  // one that the database has
  std::size_t connections = 1;
  database::Pooling pooling = database::Pooling::none;
  database::Dialect server_dialect = database::Dialect::postgres;  // as the server was found
  bool is_partitioned = false;          // so are the tables, of PostgreSQL
  database::SessionUpkeep upkeep = {};  // of PostgreSQL
  coro::Duration resolve_patience = std::chrono::seconds(60);
  std::uint64_t seed = 0;
  NoteFunction on_note = {};  // called on the backend's worker
};

// The warehouses from the first to the last, both included.
struct WarehouseRange {
  std::int32_t first = 1;
  std::int32_t last = 1;

  bool operator==(const WarehouseRange&) const = default;
};

// What the tables say of all New-Orders, Payments and Deliveries that were ever committed, in three
// numbers: read before and after a run, their differences are what the run has written, if nobody
// else wrote.
struct LedgerSums {
  std::int64_t next_o_ids = 0;  // sum(d_next_o_id): each New-Order raises one by 1
  std::int64_t ytd_cents = 0;   // sum(w_ytd): each Payment raises one by its amount
  // Rows of new_order: one more a New-Order, one less a delivered order.
  std::int64_t undelivered = 0;

  // As a difference to the sums before: how many orders Deliveries have taken. No customer is read
  // for it, of which there are 30,000 a warehouse; of undelivered orders there are about 9,000.
  std::int64_t delivered() const noexcept { return next_o_ids - undelivered; }
};

struct RunPreparation {
  LoadedDatabase loaded;
  ServerFacts server;
  std::string server_time;  // before the run, as find_writes() wants it; empty where it needs none
  std::vector<std::string> notes;  // lines for people
};

struct WarehouseHomes {
  // The number of each warehouse's host. Empty if the database does not tell.
  std::vector<std::size_t> hosts = {};
  // For the user: why the database's answer does not fit the hosts; empty if it fits.
  std::string problem = {};
};

using database::CheckpointWatch;
using database::ObservedCheckpoint;

class Database {
 public:
  Database() = default;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  virtual ~Database() = default;

  // Creates the nine tables and Drover's own, empty.
  virtual coro::Task<Initialised> initialise(InitialiseSettings settings) const = 0;

  // Drops the nine tables and ours; returns the names of those that there were.
  virtual coro::Task<std::vector<std::string>> clean(NoteFunction on_note) const = 0;

  virtual coro::Task<ImportOutcome> import_warehouses(ImportSettings settings,
                                                      ImportObserver& observer) const = 0;

  // Loads a part of an import's plan, which another process began, holds, and finishes (load_elsewhere). Each warehouse
  // is there whole and recorded, or not at all. Of the settings it goes by connections, threads and interval. Returns
  // what it has done.
  virtual coro::Task<ImportProgress> load_part(ImportPart part, ImportSettings settings,
                                               ImportObserver& observer) const = 0;

  virtual coro::Task<CheckReport> check(CheckSettings settings) const = 0;

  // Judges pieces of a check that another process began, in its snapshot, and concludes (judge_elsewhere). Tells each
  // verdict when it is known. Returns why the snapshot was none for all, as CheckReport has it. Of the settings it goes
  // by connections.
  virtual coro::Task<std::optional<std::string>> check_pieces(
      CheckPart part, CheckSettings settings,
      std::function<void(const PieceVerdict&)> on_verdict) const = 0;

  // `warehouses`: how many the run has; none for all that are there. Throws UnfitSchema if it
  // cannot begin.
  virtual coro::Task<RunPreparation> prepare(std::optional<std::int32_t> warehouses) const = 0;

  // Returns which of the connection string's `hosts` hosts holds each of the warehouses from 1 on.
  virtual coro::Task<WarehouseHomes> find_homes(std::size_t /*hosts*/,
                                                std::int32_t /*warehouses*/) const {
    co_return WarehouseHomes();
  }

  // Returns warnings for the user, before a run with this work: which columns are too narrow for
  // it.
  virtual coro::Task<std::vector<std::string>> find_narrow_columns(PlannedWork work) const {
    static_cast<void>(work);
    co_return std::vector<std::string>();
  }

  // The level of a run that asks for this one, or for none. Throws database::Error, whose message says what to do, where
  // the server has no such level. To be asked after prepare(), which says of which dialect it is.
  virtual coro::Task<Isolation> choose_isolation(std::optional<Isolation> wanted,
                                                 const ServerFacts& server) const = 0;

  // Adds up these warehouses, in one snapshot, exactly.
  virtual coro::Task<LedgerSums> read_ledger(WarehouseRange warehouses) const = 0;

  // The same, tried for as long as the patience lasts: the database may be on its way up. Nothing
  // if it could not be asked.
  coro::Task<std::optional<LedgerSums>> read_ledger_patiently(WarehouseRange warehouses,
                                                              coro::Duration patience) const;

  // Which of these writes are in the data, one answer each, in their order; none if it cannot be found out. `since` is
  // what prepare() said of the time. To be asked when no session of the run is left.
  virtual coro::Task<std::vector<Finding>> find_writes(std::vector<Doubt> writes, std::string since,
                                                       coro::Duration patience) const {
    static_cast<void>(writes);
    static_cast<void>(since);
    static_cast<void>(patience);
    co_return std::vector<Finding>();
  }

  virtual std::unique_ptr<Backend> make_backend(BackendSettings settings) const = 0;

  // `on_note` is called with lines for people. Null where there are no checkpoints to be seen.
  virtual std::unique_ptr<CheckpointWatch> watch_checkpoints(
      std::function<void(std::string_view)> on_note) const = 0;

  // Likewise. Null where the server does not tell what its sessions do.
  virtual std::unique_ptr<database::ActivityWatch> watch_activity(
      std::function<void(std::string_view)> on_note) const {
    static_cast<void>(on_note);
    return nullptr;
  }
};

}  // namespace drover::tpcc
