#include "workload/sql/postgres/postgres_backend.h"

#include <utility>

#include "database/postgres/session_setup.h"

namespace drover::sql::postgres {

using coro::Task;

PostgresBackend::PostgresBackend(PostgresOptions options)
    : options_(std::move(options)),
      pool_({.size = options_.connections,
             .open = [this] { return connect(); },
             .is_hopeless = database::postgres::is_hopeless,
             .wait_for_server = options_.run.waits_for_database(),
             .next = database::SessionPool<PostgresSession>::Next::warmest,
             .seed = options_.seed}) {}

Task<std::unique_ptr<PostgresSession>> PostgresBackend::connect() {
  auto connection = co_await database::postgres::open_in_schema(options_.conninfo, options_.schema);
  co_await database::postgres::limit_statements(*connection, options_.run.statement_timeout());
  co_return std::make_unique<PostgresSession>(std::move(connection), options_.protocol);
}

Task<database::Session*> PostgresBackend::acquire() {
  co_return co_await pool_.take();
}

void PostgresBackend::release(database::Session& session) noexcept {
  pool_.release(static_cast<PostgresSession&>(session));
}

}  // namespace drover::sql::postgres
