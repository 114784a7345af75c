#include "workload/tpcc/ydb/database_on_ydb.h"

#include <fmt/format.h>

#include <cassert>
#include <string>
#include <string_view>

#include "database/ydb/client.h"
#include "database/ydb/session.h"
#include "database/ydb/ydb_error.h"
#include "workload/tpcc/ydb/check/check.h"
#include "workload/tpcc/ydb/database_access.h"
#include "workload/tpcc/ydb/import/catalog.h"
#include "workload/tpcc/ydb/import/import.h"
#include "workload/tpcc/ydb/transactions.h"
#include "workload/tpcc/ydb/ydb_backend.h"

namespace drover::tpcc::ydb {
namespace {

using coro::Task;
using database::Error;
using database::ydb::Client;
using database::ydb::Status;
using database::ydb::TransactionMode;
using database::ydb::YdbError;

// YDB tells its clients no version.
Task<ServerFacts> ask_server(const database::ydb::ClientOptions& options) {
  Client client(options);
  co_await client.connect();
  ServerFacts facts;
  facts.settings["nodes"] = std::to_string(client.endpoints().size());
  facts.settings["discovery"] = options.discovery ? "on" : "off";
  facts.settings["tls"] = options.target.tls ? "on" : "off";
  co_return facts;
}

// Warehouses are numbered from 1. Some servers refuse such a transaction when it begins, others
// when it writes, and a condition that never holds would be taken out of the statement.
constexpr std::string_view probe = "UPDATE warehouse SET w_ytd = w_ytd WHERE w_id = 0;";

Task<void> write_nothing(const YdbDatabase& database) {
  const std::string text = folder_pragma(database).append(probe);
  Client client(database.client);
  co_await client.connect();
  const auto session = co_await ServerSession::open(client);
  session->set_mode(TransactionMode::snapshot_read_write);
  co_await session->execute(text);
  co_await session->roll_back();
}

bool is_refusal(const YdbError& error) noexcept {
  return error.status() == Status::bad_request || error.status() == Status::unsupported;
}

// Tries a transaction that reads a snapshot and writes, which is a setting of the server and off by
// default: on the tables of a run, where it changes nothing and is rolled back.
Task<void> require_snapshot_writes(const YdbDatabase& database) {
  auto attempt = [&]() -> Task<void> { co_await write_nothing(database); };
  try {
    co_await patiently(attempt);
  } catch (const YdbError& error) {
    if (!is_refusal(error)) throw;
    throw Error(error.error_class(), error.sqlstate(),
                fmt::format("--tx-mode snapshot-rw: this server has no snapshots for transactions "
                            "that write: {}. Run with --tx-mode serializable-rw, which is the "
                            "default, or have enable_snapshot_isolation_rw set in the server's "
                            "table_service_config",
                            error.what()));
  }
}

// The sums of warehouses 1..warehouses, in one snapshot, exact.
Task<LedgerSums> read_sums(YdbDatabase database, std::int32_t warehouses) {
  const Statement statement = StatementTexts(database).of({"ledger_sums"});
  Client client(database.client);
  co_await client.connect();
  const auto session = co_await ServerSession::open(client);
  session->set_mode(TransactionMode::snapshot_read_only);
  const Values values = {{"$warehouses", warehouses}};
  const QueryResult read = co_await send_and_commit(*session, statement, values);
  co_return LedgerSums{read.set(0).at(0, "next_o_ids").integer(), read.set(1).at(0, "ytd").cents(),
                       read.set(2).at(0, "undelivered").integer()};
}

class DatabaseOnYdb final : public Database {
 public:
  explicit DatabaseOnYdb(YdbDatabase database) : database_(std::move(database)) {}

  std::string_view kind() const noexcept override { return "YDB"; }
  std::string description() const override { return database_.client.target.url(); }

  Task<std::vector<std::string>> initialise(InitialiseSettings settings) const override {
    assert(settings.foreign_keys == ForeignKeys::none);
    return ydb::initialise(database_, std::move(settings));
  }

  Task<std::vector<std::string>> clean(NoteFunction) const override {
    return ydb::clean(database_);
  }

  Task<ImportOutcome> import_warehouses(ImportSettings settings,
                                        ImportObserver& observer) const override {
    return ydb::import_warehouses({{std::move(settings)}, database_}, observer);
  }

  Task<CheckReport> check(CheckSettings settings) const override {
    return ydb::check(database_, std::move(settings));
  }

  Task<RunPreparation> prepare(std::optional<std::int32_t> warehouses) const override {
    RunPreparation prepared;
    prepared.server = co_await ask_server(database_.client);
    prepared.loaded = co_await inspect_loaded(database_);
    const std::int32_t wanted = warehouses.value_or(prepared.loaded.warehouses);
    require_warehouses(prepared.loaded, wanted, database_.folder);
    auto ask_ledger = [&]() -> Task<void> { prepared.ledger = co_await read_ledger(wanted); };
    co_await patiently(ask_ledger);
    co_return prepared;
  }

  Task<void> require_isolation(Isolation isolation) const override {
    if (isolation == Isolation::snapshot) co_await require_snapshot_writes(database_);
  }

  Task<LedgerSums> read_ledger(std::int32_t warehouses) const override {
    return read_sums(database_, warehouses);
  }

  std::unique_ptr<Backend> make_backend(BackendSettings settings) const override {
    assert(settings.isolation == Isolation::serializable ||
           settings.isolation == Isolation::snapshot);
    YdbDatabase database = database_;
    database.client.seed = settings.seed;
    return std::make_unique<YdbBackend>(std::move(database), std::move(settings));
  }

  std::unique_ptr<CheckpointWatch> watch_checkpoints(
      std::function<void(std::string_view)>) const override {
    return nullptr;
  }

 private:
  YdbDatabase database_;
};

}  // namespace

std::unique_ptr<Database> make_database(YdbDatabase database) {
  return std::make_unique<DatabaseOnYdb>(std::move(database));
}

}  // namespace drover::tpcc::ydb
