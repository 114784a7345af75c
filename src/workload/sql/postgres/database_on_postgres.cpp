#include "workload/sql/postgres/database_on_postgres.h"

#include <utility>

#include "database/postgres/connection.h"
#include "database/postgres/server_facts.h"
#include "database/postgres/session_setup.h"
#include "database/postgres/watch/checkpoints.h"
#include "database/postgres/watch/server_activity.h"
#include "database/unfit_schema.h"
#include "workload/sql/postgres/pgbench_tables.h"
#include "workload/sql/postgres/postgres_backend.h"

namespace drover::sql::postgres {
namespace {

using coro::Task;
using database::postgres::Access;
using database::postgres::open_in_schema;

class DatabaseOnPostgres final : public Database {
 public:
  explicit DatabaseOnPostgres(Access access) : access_(std::move(access)) {}

  Task<std::vector<std::string>> initialise(InitialiseSettings settings) const override {
    const auto connection = co_await open_to_write();
    co_return co_await make_pgbench_tables(*connection, std::move(settings));
  }

  Task<std::vector<std::string>> clean() const override {
    const auto connection = co_await open_to_write();
    co_return co_await drop_pgbench_tables(*connection);
  }

  Task<RunPreparation> prepare(bool count_branches) const override {
    RunPreparation prepared;
    const auto connection = co_await open_in_schema(access_);
    prepared.server = co_await database::postgres::read_server_facts(*connection);
    if (!access_.schema.empty() && connection->setup() != nullptr) {
      throw database::UnfitSchema(
          "--schema: the pooler before the server lends its processes by the transaction, so that "
          "no search path "
          "lasts for the statements of a script: name the schema in the script, or set it for the "
          "role (ALTER ROLE … "
          "SET search_path)");
    }
    if (count_branches) prepared.branches = co_await postgres::count_branches(*connection);
    co_return prepared;
  }

  Task<void> require_isolation(database::Isolation) const override { co_return; }

  std::unique_ptr<database::Backend> make_backend(BackendSettings settings) const override {
    Access access = access_;
    access.dialect = settings.server_dialect;
    return std::make_unique<PostgresBackend>(
        PostgresOptions{std::move(settings), std::move(access)});
  }

  std::unique_ptr<database::CheckpointWatch> watch_checkpoints(
      std::function<void(std::string_view)> on_note) const override {
    return std::make_unique<database::postgres::CheckpointCounterWatch>(access_,
                                                                        std::move(on_note));
  }

  std::unique_ptr<database::ActivityWatch> watch_activity(
      std::function<void(std::string_view)> on_note) const override {
    return std::make_unique<database::postgres::ServerActivityWatch>(access_, std::move(on_note));
  }

 private:
  Task<std::unique_ptr<database::postgres::Connection>> open_to_write() const {
    Access access = access_;
    access.role = database::postgres::ServerRole::writable;
    return open_in_schema(std::move(access));
  }

  Access access_;
};

}  // namespace

std::unique_ptr<Database> make_database(Access access) {
  return std::make_unique<DatabaseOnPostgres>(std::move(access));
}

}  // namespace drover::sql::postgres
