#include "workload/tpcc/ydb/database_on_ydb.h"

#include <cassert>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "database/ydb/client.h"
#include "database/ydb/database_access.h"
#include "database/ydb/ydb_error.h"
#include "workload/tpcc/ydb/check/check.h"
#include "workload/tpcc/ydb/import/import.h"

namespace drover::tpcc::ydb {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::ydb::Client;
using database::ydb::SessionPool;
using database::ydb::TransactionMode;
using database::ydb::with_retries;
using database::ydb::YdbError;

namespace {

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

TransactionMode mode_of(const Input& input, Isolation isolation) noexcept {
  const auto type = static_cast<TransactionType>(input.index());
  if (type == TransactionType::OrderStatus || type == TransactionType::StockLevel) {
    return TransactionMode::snapshot_read_only;
  }
  return isolation == Isolation::snapshot ? TransactionMode::snapshot_read_write
                                          : TransactionMode::serializable_read_write;
}

}  // namespace

Task<Outcome> YdbSession::execute(const Input& input, Trace& trace) {
  ServerSession& session = *co_await usable_session();
  std::exception_ptr error;
  Outcome outcome;
  try {
    session.set_mode(mode_of(input, backend_.settings_.isolation));
    outcome = co_await backend_.transactions_[input.index()]->execute(session, input, trace);
  } catch (const YdbError& thrown) {
    error = std::current_exception();
    const ErrorClass error_class =
        trace.commit_sent ? thrown.error_class() : database::ydb::class_without_commit(thrown);
    if (error_class != thrown.error_class()) {
      error = std::make_exception_ptr(Error(error_class, thrown.sqlstate(), thrown.what()));
    }
  } catch (const Error&) {
    error = std::current_exception();
  }
  if (error) {
    co_await roll_back();
    std::rethrow_exception(error);
  }
  co_return outcome;
}

YdbBackend::YdbBackend(YdbDatabase database, BackendSettings settings)
    : TurnBackend(database.client, settings.run.statement_timeout(),
                  {.size = settings.connections,
                   .wait_for_server = settings.run.waits_for_database(),
                   .seed = settings.seed},
                  [this](std::optional<SessionPool>& pool) {
                    return std::make_unique<YdbSession>(*this, pool);
                  }),
      database_(std::move(database)),
      settings_(std::move(settings)),
      transactions_{
          make_new_order(database_, settings_.style), make_payment(database_, settings_.style),
          make_order_status(database_, settings_.style), make_delivery(database_, settings_.style),
          make_stock_level(database_, settings_.style)} {}

YdbBackend::~YdbBackend() = default;

Task<void> YdbBackend::open() {
  opened_at_us_ = now_us();
  return TurnBackend::open();
}

Task<std::vector<ResolvedCommit>> YdbBackend::resolve(std::vector<UnknownCommit> commits) {
  if (commits.empty()) co_return std::vector<ResolvedCommit>();
  // Closes the sessions, because the server may have no room for another one.
  co_await close_sessions();
  co_return co_await resolve_commits(database_, std::move(commits), opened_at_us_,
                                     settings_.resolve_timeout);
}

std::unique_ptr<Database> make_database(YdbDatabase database) {
  return std::make_unique<DatabaseOnYdb>(std::move(database));
}

}  // namespace drover::tpcc::ydb
