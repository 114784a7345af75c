#include "tpcc/ydb/database_on_ydb.h"

#include <cassert>
#include <string>

#include "database/ydb/client.h"
#include "database/ydb/session.h"
#include "tpcc/ydb/check.h"
#include "tpcc/ydb/clean.h"
#include "tpcc/ydb/import.h"
#include "tpcc/ydb/initialise.h"
#include "tpcc/ydb/ledger.h"
#include "tpcc/ydb/loaded.h"
#include "tpcc/ydb/patience.h"
#include "tpcc/ydb/snapshot_writes.h"
#include "tpcc/ydb/ydb_backend.h"

namespace drover::tpcc::ydb {
namespace {

using coro::Task;
using database::ydb::TransactionMode;

// YDB tells its clients no version.
Task<ServerFacts> ask_server(const database::ydb::ClientOptions& options) {
  database::ydb::Client client(options);
  co_await client.connect();
  ServerFacts facts;
  facts.settings["nodes"] = std::to_string(client.endpoints().size());
  facts.settings["discovery"] = options.discovery ? "on" : "off";
  facts.settings["tls"] = options.target.tls ? "on" : "off";
  co_return facts;
}

}  // namespace

Task<std::vector<std::string>> DatabaseOnYdb::initialise(InitialiseSettings settings) const {
  assert(settings.foreign_keys == ForeignKeys::none);
  InitialiseOptions options;
  options.database = database_;
  options.force = settings.force;
  if (settings.warehouses) options.warehouses = *settings.warehouses;
  return ydb::initialise(std::move(options));
}

Task<std::vector<std::string>> DatabaseOnYdb::clean(NoteFunction) const {
  return ydb::clean(database_);
}

Task<ImportOutcome> DatabaseOnYdb::import_warehouses(ImportSettings settings,
                                                     ImportObserver& observer) const {
  ImportOptions options;
  options.database = database_;
  options.request = settings.request;
  options.connections = settings.connections;
  options.threads = settings.threads;
  options.progress_interval = settings.progress_interval;
  return ydb::import_warehouses(std::move(options), observer);
}

Task<CheckReport> DatabaseOnYdb::check(CheckSettings settings) const {
  CheckOptions options;
  options.database = database_;
  options.warehouses = settings.warehouses;
  options.after_import = settings.after_import;
  options.connections = settings.connections;
  options.on_progress = std::move(settings.on_progress);
  return ydb::check(std::move(options));
}

Task<RunPreparation> DatabaseOnYdb::prepare(std::optional<std::int32_t> warehouses) const {
  RunPreparation prepared;
  prepared.server = co_await ask_server(database_.client);
  prepared.loaded = co_await inspect_loaded(database_);
  const std::int32_t wanted = warehouses.value_or(prepared.loaded.warehouses);
  require_warehouses(prepared.loaded, wanted, database_.folder);
  auto ask_ledger = [&]() -> Task<void> {
    prepared.ledger = co_await read_ledger(database_, wanted);
  };
  co_await patiently(ask_ledger);
  co_return prepared;
}

Task<void> DatabaseOnYdb::require_isolation(Isolation isolation) const {
  if (isolation == Isolation::snapshot) co_await require_snapshot_writes(database_);
}

Task<std::optional<LedgerSums>> DatabaseOnYdb::read_ledger_patiently(
    std::int32_t warehouses, coro::Duration patience) const {
  return ydb::read_ledger_patiently(database_, warehouses, patience);
}

std::unique_ptr<Backend> DatabaseOnYdb::make_backend(BackendSettings settings) const {
  assert(settings.isolation == Isolation::serializable ||
         settings.isolation == Isolation::snapshot);
  YdbOptions options;
  options.database = database_;
  options.database.client.seed = settings.seed;
  options.style = settings.style;
  options.mode = settings.isolation == Isolation::snapshot
                     ? TransactionMode::snapshot_read_write
                     : TransactionMode::serializable_read_write;
  options.connections = settings.connections;
  options.statement_timeout = settings.statement_timeout;
  options.wait_for_server = settings.wait_for_server;
  options.resolve_patience = settings.resolve_patience;
  options.seed = settings.seed;
  return std::make_unique<YdbBackend>(std::move(options));
}

std::unique_ptr<CheckpointWatch> DatabaseOnYdb::watch_checkpoints(
    std::function<void(std::string_view)>) const {
  return nullptr;
}

}  // namespace drover::tpcc::ydb
