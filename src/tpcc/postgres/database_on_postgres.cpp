#include "tpcc/postgres/database_on_postgres.h"

#include <utility>

#include "database/postgres/checkpoints.h"
#include "database/postgres/connection.h"
#include "database/postgres/server_info.h"
#include "tpcc/postgres/check.h"
#include "tpcc/postgres/import.h"
#include "tpcc/postgres/initialise.h"
#include "tpcc/postgres/ledger.h"
#include "tpcc/postgres/loaded.h"
#include "tpcc/postgres/lost_rows.h"
#include "tpcc/postgres/postgres_backend.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::postgres::Connection;

class CheckpointsOfPostgres final : public CheckpointWatch {
 public:
  CheckpointsOfPostgres(std::string conninfo, std::function<void(std::string_view)> on_note)
      : watch_(std::move(conninfo), std::move(on_note)) {}

  Task<void> run() override { return watch_.run(); }

  std::optional<std::vector<ObservedCheckpoint>> observed() const override {
    if (!watch_.known()) return std::nullopt;
    std::vector<ObservedCheckpoint> all;
    for (const auto& [start, end, requested] : watch_.checkpoints()) {
      all.push_back({start, end, requested});
    }
    return all;
  }

 private:
  database::postgres::CheckpointWatch watch_;
};

}  // namespace

std::string DatabaseOnPostgres::description() const {
  return database::postgres::describe_conninfo(conninfo_);
}

Task<std::vector<std::string>> DatabaseOnPostgres::initialise(InitialiseSettings settings) const {
  const std::unique_ptr<Connection> connection = co_await Connection::open(conninfo_);
  InitialiseOptions options;
  options.schema = schema_;
  options.foreign_keys = settings.foreign_keys;
  options.force = settings.force;
  options.on_note = std::move(settings.on_note);
  co_return co_await postgres::initialise(*connection, std::move(options));
}

Task<std::vector<std::string>> DatabaseOnPostgres::clean(NoteFunction on_note) const {
  const std::unique_ptr<Connection> connection = co_await Connection::open(conninfo_);
  co_return co_await postgres::clean(*connection, schema_, std::move(on_note));
}

Task<ImportOutcome> DatabaseOnPostgres::import_warehouses(ImportSettings settings,
                                                          ImportObserver& observer) const {
  ImportOptions options;
  options.conninfo = conninfo_;
  options.schema = schema_;
  options.request = settings.request;
  options.connections = settings.connections;
  options.threads = settings.threads;
  options.progress_interval = settings.progress_interval;
  return postgres::import_warehouses(std::move(options), observer);
}

Task<CheckReport> DatabaseOnPostgres::check(CheckSettings settings) const {
  CheckOptions options;
  options.conninfo = conninfo_;
  options.schema = schema_;
  options.warehouses = settings.warehouses;
  options.after_import = settings.after_import;
  options.connections = settings.connections;
  options.on_progress = std::move(settings.on_progress);
  return postgres::check(std::move(options));
}

Task<RunPreparation> DatabaseOnPostgres::prepare(std::optional<std::int32_t> warehouses) const {
  RunPreparation prepared;
  const std::unique_ptr<Connection> connection = co_await open_in_schema(conninfo_, schema_);
  database::postgres::ServerInfo info = co_await database::postgres::server_info(*connection);
  prepared.server.version = std::move(info.version);
  prepared.server.settings = std::move(info.settings);
  prepared.server.connections_max = info.connections_max;
  prepared.server.connections_used = info.connections_used;
  if (loses_rows(connection->server_version())) {
    prepared.notes.push_back(lost_rows_note(prepared.server.version));
  }
  prepared.loaded = co_await inspect_loaded(*connection, schema_);
  const std::int32_t wanted = warehouses.value_or(prepared.loaded.warehouses);
  require_warehouses(prepared.loaded, wanted, schema_);
  prepared.ledger = co_await read_ledger(*connection, wanted);
  co_return prepared;
}

Task<std::optional<LedgerSums>> DatabaseOnPostgres::read_ledger_patiently(
    std::int32_t warehouses, coro::Duration patience) const {
  return postgres::read_ledger_patiently(conninfo_, schema_, warehouses, patience);
}

std::unique_ptr<Backend> DatabaseOnPostgres::make_backend(BackendSettings settings) const {
  PostgresOptions options;
  options.conninfo = conninfo_;
  options.schema = schema_;
  options.style = settings.style;
  options.isolation = settings.isolation;
  options.connections = settings.connections;
  options.statement_timeout = settings.statement_timeout;
  options.wait_for_server = settings.wait_for_server;
  options.resolve_patience = settings.resolve_patience;
  options.seed = settings.seed;
  options.on_note = std::move(settings.on_note);
  return std::make_unique<PostgresBackend>(std::move(options));
}

std::unique_ptr<CheckpointWatch> DatabaseOnPostgres::watch_checkpoints(
    std::function<void(std::string_view)> on_note) const {
  return std::make_unique<CheckpointsOfPostgres>(conninfo_, std::move(on_note));
}

}  // namespace drover::tpcc::postgres
