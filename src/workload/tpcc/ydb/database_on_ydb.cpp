#include "workload/tpcc/ydb/database_on_ydb.h"

#include <cassert>
#include <string>
#include <string_view>

#include "database/ydb/client.h"
#include "database/ydb/database_access.h"
#include "database/ydb/session.h"
#include "workload/tpcc/ydb/check/check.h"
#include "workload/tpcc/ydb/import/import.h"
#include "workload/tpcc/ydb/transactions.h"
#include "workload/tpcc/ydb/ydb_backend.h"

namespace drover::tpcc::ydb {

using database::ydb::with_retries;
namespace {

using coro::Task;
using database::ydb::Client;
using database::ydb::TransactionMode;

// Changes nothing, because warehouses are numbered from 1. Some servers refuse such a transaction
// when it begins, others when it writes, and the server would optimise away a condition that never
// holds.
constexpr std::string_view probe = "UPDATE warehouse SET w_ytd = w_ytd WHERE w_id = 0;";

// Returns exact sums of the warehouses in one snapshot.
Task<LedgerSums> read_sums(YdbDatabase database, WarehouseRange warehouses) {
  const Statement statement = StatementTexts(database).of({"ledger_sums"});
  Client client(database.client);
  co_await client.connect();
  const auto session = co_await ServerSession::open(client);
  session->set_mode(TransactionMode::snapshot_read_only);
  const Values values = {{"$w_first", warehouses.first}, {"$w_last", warehouses.last}};
  const QueryResult read = co_await send_and_commit(*session, statement, values);
  co_return LedgerSums{read.set(0).at(0, "next_o_ids").integer(), read.set(1).at(0, "ytd").cents(),
                       read.set(2).at(0, "undelivered").integer()};
}

class DatabaseOnYdb final : public Database {
 public:
  explicit DatabaseOnYdb(YdbDatabase database) : database_(std::move(database)) {}

  Task<Initialised> initialise(InitialiseSettings settings) const override {
    assert(settings.foreign_keys == ForeignKeys::none);
    Initialised made;
    made.has_keys = true;
    made.dropped = co_await ydb::initialise(database_, std::move(settings));
    co_return made;
  }

  Task<std::vector<std::string>> clean(NoteFunction) const override {
    return ydb::clean(database_);
  }

  Task<ImportOutcome> import_warehouses(ImportSettings settings,
                                        ImportObserver& observer) const override {
    return ydb::import_warehouses({{std::move(settings)}, database_}, observer);
  }

  Task<ImportProgress> load_part(ImportPart part, ImportSettings settings,
                                 ImportObserver& observer) const override {
    return ydb::load_part({{std::move(settings)}, database_}, std::move(part), observer);
  }

  Task<CheckReport> check(CheckSettings settings) const override {
    return ydb::check(database_, std::move(settings));
  }

  Task<std::optional<std::string>> check_pieces(
      CheckPart part, CheckSettings settings,
      std::function<void(const PieceVerdict&)> on_verdict) const override {
    return ydb::check_pieces(database_, std::move(part), std::move(settings),
                             std::move(on_verdict));
  }

  Task<RunPreparation> prepare(std::optional<std::int32_t> warehouses) const override {
    RunPreparation prepared;
    prepared.server = co_await database::ydb::read_server_facts(database_.client);
    auto inspect = [&](DatabaseAccess& access) -> Task<void> {
      YdbAdminSession session(access);
      prepared.loaded = co_await inspect_loaded(session, database_.folder);
    };
    co_await DatabaseAccess::use(database_, inspect);
    const std::int32_t wanted = warehouses.value_or(prepared.loaded.warehouses);
    require_warehouses(prepared.loaded, wanted, database_.folder);
    co_return prepared;
  }

  Task<Isolation> choose_isolation(std::optional<Isolation> wanted,
                                   const ServerFacts&) const override {
    const Isolation isolation = wanted.value_or(Isolation::serializable);
    if (isolation == Isolation::snapshot) {
      co_await database::ydb::require_snapshot_writes(database_, std::string(probe));
    }
    co_return isolation;
  }

  Task<LedgerSums> read_ledger(WarehouseRange warehouses) const override {
    LedgerSums sums;
    auto ask = [&]() -> Task<void> { sums = co_await read_sums(database_, warehouses); };
    co_await with_retries(ask);
    co_return sums;
  }

  std::unique_ptr<Backend> make_backend(BackendSettings settings) const override {
    assert(settings.isolation == Isolation::serializable ||
           settings.isolation == Isolation::snapshot);
    YdbDatabase database = database_;
    database.client.seed = settings.seed;
    return std::make_unique<YdbBackend>(std::move(database), std::move(settings));
  }

 private:
  YdbDatabase database_;
};

}  // namespace

std::unique_ptr<Database> make_database(YdbDatabase database) {
  return std::make_unique<DatabaseOnYdb>(std::move(database));
}

}  // namespace drover::tpcc::ydb
