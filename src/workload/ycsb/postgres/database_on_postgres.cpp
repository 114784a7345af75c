#include "workload/ycsb/postgres/database_on_postgres.h"

#include <optional>
#include <string>
#include <utility>

#include "database/postgres/citus.h"
#include "database/postgres/connection.h"
#include "database/postgres/dialect.h"
#include "database/postgres/server_watch.h"
#include "database/postgres/session_setup.h"
#include "workload/ycsb/postgres/check.h"
#include "workload/ycsb/postgres/load.h"
#include "workload/ycsb/postgres/load_record.h"
#include "workload/ycsb/postgres/postgres_backend.h"
#include "workload/ycsb/postgres/preparation.h"

namespace drover::ycsb::postgres {
namespace {

using coro::Task;
using database::postgres::Access;
using database::postgres::open_in_schema;
using database::postgres::recover_prepared;
using database::postgres::recovery_note;
using database::postgres::recovery_timeout;
using database::postgres::ServerRole;

class DatabaseOnPostgres final : public database::postgres::PostgresDatabase<Database> {
 public:
  using PostgresDatabase::PostgresDatabase;

  Task<LoadProgress> load(LoadSettings settings, LoadObserver& observer) const override {
    return postgres::load({std::move(settings), at(ServerRole::writable)}, observer);
  }

  Task<RunPreparation> prepare(Properties properties,
                               std::optional<TableContents> known) const override {
    const ServerRole role = writes(properties) ? ServerRole::writable : ServerRole::any;
    const auto connection = co_await open_in_schema(at(role));
    if (!writes(properties)) {
      co_return co_await prepare_run(*connection, std::move(properties), known);
    }
    std::optional<std::string> note = co_await recovery_note(*connection);
    co_await recover_prepared(*connection, recovery_timeout, access_.on_session_note);
    RunPreparation prepared = co_await prepare_run(*connection, std::move(properties), known);
    if (note) prepared.notes.push_back(std::move(*note));
    co_return prepared;
  }

  Task<database::Isolation> choose_isolation(Properties, std::optional<database::Isolation> wanted,
                                             const database::ServerFacts& server) const override {
    co_return wanted.value_or(database::postgres::traits_of(server.dialect).default_isolation);
  }

  Task<TableSums> read_sums(Properties properties, ValueKind values) const override {
    const ServerRole role = writes(properties) ? ServerRole::primary : ServerRole::any;
    const auto connection = co_await open_in_schema(at(role));
    if (role == ServerRole::primary) {
      co_await recover_prepared(*connection, recovery_timeout, access_.on_session_note);
    }
    co_return co_await add_up(*connection, std::move(properties), values);
  }

  Task<CheckReport> check(CheckSettings settings) const override {
    return postgres::check({std::move(settings), access_});
  }

  Task<CheckReport> check_part(CheckPart part, CheckSettings settings) const override {
    return postgres::check_part({std::move(settings), access_}, std::move(part));
  }

  Task<std::vector<std::string>> clean(std::string table) const override {
    const auto connection = co_await open_in_schema(at(ServerRole::writable));
    Properties properties;
    properties.table = std::move(table);
    const Table dropped(properties);
    co_return co_await drop_table(*connection, dropped);
  }

  std::unique_ptr<Backend> make_backend(BackendSettings settings) const override {
    Access access = in(settings.server_dialect);
    return std::make_unique<PostgresBackend>(
        PostgresOptions{std::move(settings), std::move(access)});
  }
};

}  // namespace

std::unique_ptr<Database> make_database(Access access) {
  return std::make_unique<DatabaseOnPostgres>(std::move(access));
}

}  // namespace drover::ycsb::postgres
