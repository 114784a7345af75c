// The interface of the commands of `drover tpcc` to a database: tables, import, check, and what a
// run needs before its start and after its end. One implementation for each kind of database.
//
// An object holds only the place of the tables; each call opens its own sessions and closes them.
// Thread safety: calls may be made on any worker; none changes the object. The object must outlive
// the tasks. Errors: UnfitSchema, whose message says what to do, and database::Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/deadline.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/server.h"
#include "settings/run_settings.h"
#include "workload/tpcc/backend.h"
#include "workload/tpcc/check/check_work.h"
#include "workload/tpcc/import/import_record.h"

namespace drover::tpcc {

using database::NoteFunction;

struct InitialiseSettings {
  ForeignKeys foreign_keys = ForeignKeys::none;
  // The number of partitions of each table with warehouses. 0: the server's default.
  std::int32_t partitions = 0;
  bool force = false;  // drop existing tables
  // The expected number, for databases whose tables are partitioned when they are made.
  std::optional<std::int32_t> warehouses = {};
  NoteFunction on_note = {};
};

struct Initialised {
  std::vector<std::string> dropped;  // names of tables
  bool has_keys = false;             // primary keys were created with the tables
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

// The settings of the backend of one worker.
struct BackendSettings {
  settings::RunSettings run = {};
  StatementStyle style = StatementStyle::batched;
  Isolation isolation = Isolation::read_committed;  // a level that the database has
  std::size_t connections = 1;
  database::Pooling pooling = database::Pooling::none;
  database::Dialect server_dialect = database::Dialect::postgres;  // found by prepare()
  bool is_partitioned = false;          // the tables are partitioned (PostgreSQL)
  database::SessionUpkeep upkeep = {};  // PostgreSQL
  coro::Duration resolve_timeout = std::chrono::seconds(60);
  std::uint64_t seed = 0;
  NoteFunction on_note = {};  // called on the backend's worker
};

// The warehouses from the first to the last, both included.
struct WarehouseRange {
  std::int32_t first = 1;
  std::int32_t last = 1;

  bool operator==(const WarehouseRange&) const = default;
};

// Sums over the tables that count all New-Orders, Payments and Deliveries ever committed. The
// difference between two readings is what was written between them.
struct LedgerSums {
  std::int64_t next_o_ids = 0;   // sum(d_next_o_id): each New-Order adds 1
  std::int64_t ytd_cents = 0;    // sum(w_ytd): each Payment adds its amount
  std::int64_t undelivered = 0;  // count(new_order): each New-Order adds 1, each delivery takes 1

  // Returns a sum whose difference is the number of delivered orders. Customers also count them,
  // but a warehouse has 30,000 customers and about 9,000 undelivered orders.
  std::int64_t delivered() const noexcept { return next_o_ids - undelivered; }
};

struct RunPreparation {
  LoadedDatabase loaded;
  ServerFacts server;
  std::string server_time;         // for find_writes(); empty where it needs none
  std::vector<std::string> notes;  // lines for the user
};

struct WarehouseHomes {
  // The number of each warehouse's host. Empty if the database does not tell.
  std::vector<std::size_t> hosts = {};
  std::string problem = {};  // a note for the user if the answer does not fit the hosts, else empty
};

// The expected load of a run on each of its warehouses.
struct PlannedWork {
  double seconds = 0;         // warm-up and measured interval
  double pairs_a_second = 0;  // Payments, and as many New-Orders
  bool is_bound = false;      // pairs_a_second is an upper bound: terminals do not wait
};

class Database : public database::ObservedServer {
 public:
  // Creates the nine tables and Drover's own, empty.
  virtual coro::Task<Initialised> initialise(InitialiseSettings settings) const = 0;

  // Drops the nine tables and Drover's own. Returns the names of those that existed.
  virtual coro::Task<std::vector<std::string>> clean(NoteFunction on_note) const = 0;

  virtual coro::Task<ImportOutcome> import_warehouses(ImportSettings settings,
                                                      ImportObserver& observer) const = 0;

  // Loads a part of the plan of an import that another process has begun and finishes
  // (load_elsewhere). A warehouse is loaded and recorded completely or not at all. Uses only
  // connections, threads and interval of the settings. Returns what it has loaded.
  virtual coro::Task<ImportProgress> load_part(ImportPart part, ImportSettings settings,
                                               ImportObserver& observer) const = 0;

  virtual coro::Task<CheckReport> check(CheckSettings settings) const = 0;

  // Judges pieces of a check that another process has begun and concludes (judge_elsewhere), in
  // that check's snapshot. Calls `on_verdict` for each piece. Returns why there was no common
  // snapshot, as CheckReport::snapshot_refusal. Uses only the connections of the settings.
  virtual coro::Task<std::optional<std::string>> check_pieces(
      CheckPart part, CheckSettings settings,
      std::function<void(const PieceVerdict&)> on_verdict) const = 0;

  // Prepares a run with this number of warehouses; nullopt: with all that are loaded. Throws
  // UnfitSchema if the run cannot start.
  virtual coro::Task<RunPreparation> prepare(std::optional<std::int32_t> warehouses) const = 0;

  // Returns which of the connection string's `hosts` hosts holds each of the warehouses from 1 on.
  virtual coro::Task<WarehouseHomes> find_homes(std::size_t /*hosts*/,
                                                std::int32_t /*warehouses*/) const {
    co_return WarehouseHomes();
  }

  // Returns warnings for the user about columns that this work may fill to the end of their types.
  virtual coro::Task<std::vector<std::string>> find_narrow_columns(PlannedWork /*work*/) const {
    co_return std::vector<std::string>();
  }

  // Returns the isolation level of a run with this request. Throws database::Error, whose message
  // says what to do, if the server lacks the level. `server` comes from prepare().
  virtual coro::Task<Isolation> choose_isolation(std::optional<Isolation> wanted,
                                                 const ServerFacts& server) const = 0;

  // Adds up these warehouses exactly, in one snapshot.
  virtual coro::Task<LedgerSums> read_ledger(WarehouseRange warehouses) const = 0;

  // Repeats read_ledger() until the timeout, because the database may be starting. Returns nothing
  // if no attempt succeeded.
  coro::Task<std::optional<LedgerSums>> read_ledger_within(coro::Duration timeout,
                                                           WarehouseRange warehouses) const {
    const coro::Instant give_up = coro::Worker::current().now() + timeout;
    while (coro::Worker::current().now() < give_up) {
      try {
        co_return co_await coro::with_deadline(give_up, read_ledger(warehouses));
      } catch (const database::Error&) {
        // Tried again below.
      } catch (const coro::DeadlineExceeded&) {
        break;
      }
      co_await coro::sleep_for(std::chrono::milliseconds(200));
    }
    co_return std::nullopt;
  }

  // Returns whether each write is in the data, in the order of `writes`, or nothing if that cannot
  // be found out. `since` is RunPreparation::server_time. Requires that no session of the run is
  // left.
  virtual coro::Task<std::vector<ResolvedCommit>> find_writes(std::vector<UnknownCommit> /*writes*/,
                                                              std::string /*since*/,
                                                              coro::Duration /*timeout*/) const {
    co_return std::vector<ResolvedCommit>();
  }

  virtual std::unique_ptr<Backend> make_backend(BackendSettings settings) const = 0;
};

}  // namespace drover::tpcc
