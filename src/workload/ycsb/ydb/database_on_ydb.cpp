#include "workload/ycsb/ydb/database_on_ydb.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "database/ydb/database_access.h"
#include "workload/ycsb/ydb/check.h"
#include "workload/ycsb/ydb/load.h"
#include "workload/ycsb/ydb/load_record.h"
#include "workload/ycsb/ydb/preparation.h"
#include "workload/ycsb/ydb/table.h"
#include "workload/ycsb/ydb/ydb_backend.h"

namespace drover::ycsb::ydb {
namespace {

using coro::Task;
using database::ydb::DatabaseAccess;
using database::ydb::YdbDatabase;

class DatabaseOnYdb final : public Database {
 public:
  explicit DatabaseOnYdb(YdbDatabase database) : database_(std::move(database)) {}

  Task<LoadProgress> load(LoadSettings settings, LoadObserver& observer) const override {
    return ydb::load({std::move(settings), database_}, observer);
  }

  Task<RunPreparation> prepare(Properties properties,
                               std::optional<TableContents> known) const override {
    RunPreparation prepared;
    auto body = [&](DatabaseAccess& access) -> Task<void> {
      prepared = co_await prepare_run(access, properties, known);
    };
    co_await DatabaseAccess::use(without_limit(), body);
    co_return prepared;
  }

  // No key is empty, and a condition that never holds would be taken out of the statement.
  Task<database::Isolation> choose_isolation(Properties properties,
                                             std::optional<database::Isolation> wanted,
                                             const database::ServerFacts&) const override {
    const auto isolation = wanted.value_or(database::Isolation::serializable);
    if (isolation != database::Isolation::snapshot) co_return isolation;
    const Table table(properties);
    co_await database::ydb::require_snapshot_writes(
        database_, fmt::format("UPDATE {0} SET {1} = {1} WHERE {2} = \"\"u;", table.name(),
                               table.field(0), key_column));
    co_return isolation;
  }

  Task<TableSums> read_sums(Properties properties, ValueKind values) const override {
    TableSums sums;
    auto body = [&](DatabaseAccess& access) -> Task<void> {
      sums = co_await add_up(access, properties, values);
    };
    co_await DatabaseAccess::use(without_limit(), body);
    co_return sums;
  }

  Task<CheckReport> check(CheckSettings settings) const override {
    return ydb::check(database_, std::move(settings));
  }

  Task<CheckReport> check_part(CheckPart part, CheckSettings settings) const override {
    return ydb::check_part(database_, std::move(settings), std::move(part));
  }

  Task<std::vector<std::string>> clean(std::string table) const override {
    Properties properties;
    properties.table = std::move(table);
    const Table dropped(properties);
    std::vector<std::string> names;
    auto body = [&](DatabaseAccess& access) -> Task<void> {
      names = co_await drop_table(access, dropped);
    };
    co_await DatabaseAccess::use(database_, body);
    co_return names;
  }

  std::unique_ptr<Backend> make_backend(BackendSettings settings) const override {
    assert(settings.isolation == database::Isolation::serializable ||
           settings.isolation == database::Isolation::snapshot);
    return std::make_unique<YdbBackend>(YdbOptions{std::move(settings), database_});
  }

 private:
  // A pass over the table takes as long as it takes.
  YdbDatabase without_limit() const {
    YdbDatabase database = database_;
    database.client.request_timeout = {};
    return database;
  }

  YdbDatabase database_;
};

}  // namespace

std::unique_ptr<Database> make_database(YdbDatabase database) {
  return std::make_unique<DatabaseOnYdb>(std::move(database));
}

}  // namespace drover::ycsb::ydb
