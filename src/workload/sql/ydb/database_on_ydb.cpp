#include "workload/sql/ydb/database_on_ydb.h"

#include <cassert>
#include <utility>

#include "database/ydb/database_access.h"
#include "database/ydb/server_facts.h"
#include "database/ydb/snapshot_writes.h"
#include "workload/sql/ydb/pgbench_tables.h"
#include "workload/sql/ydb/ydb_backend.h"

namespace drover::sql::ydb {
namespace {

using coro::Task;
using database::ydb::DatabaseAccess;
using database::ydb::YdbDatabase;

class DatabaseOnYdb final : public Database {
 public:
  explicit DatabaseOnYdb(YdbDatabase database) : database_(std::move(database)) {}

  Task<std::vector<std::string>> initialise(InitialiseSettings settings) const override {
    std::vector<std::string> dropped;
    auto body = [&](DatabaseAccess& access) -> Task<void> {
      dropped = co_await make_pgbench_tables(access, std::move(settings));
    };
    co_await DatabaseAccess::use(database_, body);
    co_return dropped;
  }

  Task<std::vector<std::string>> clean() const override {
    std::vector<std::string> dropped;
    auto body = [&](DatabaseAccess& access) -> Task<void> {
      dropped = co_await drop_pgbench_tables(access);
    };
    co_await DatabaseAccess::use(database_, body);
    co_return dropped;
  }

  Task<RunPreparation> prepare(bool count_branches) const override {
    RunPreparation prepared;
    auto body = [&](DatabaseAccess& access) -> Task<void> {
      prepared.server = co_await database::ydb::read_server_facts(access.client().options());
      if (count_branches) prepared.branches = co_await ydb::count_branches(access);
    };
    co_await DatabaseAccess::use(database_, body);
    co_return prepared;
  }

  // No branch has the number 0, and a condition that never holds would be taken out of the statement.
  Task<void> require_isolation(database::Isolation isolation) const override {
    if (isolation != database::Isolation::snapshot) co_return;
    co_await database::ydb::require_snapshot_writes(
        database_, "UPDATE pgbench_branches SET bbalance = bbalance WHERE bid = 0;");
  }

  std::unique_ptr<database::Backend> make_backend(BackendSettings settings) const override {
    assert(settings.protocol == Protocol::declared);
    return std::make_unique<YdbBackend>(YdbOptions{std::move(settings), database_});
  }

  std::unique_ptr<database::CheckpointWatch> watch_checkpoints(
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

}  // namespace drover::sql::ydb
