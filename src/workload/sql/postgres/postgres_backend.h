// The PostgreSQL backend of one worker: a fixed number of connections for scripts.
// Belongs to one worker.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "coro/task.h"
#include "database/postgres/access.h"
#include "database/postgres/pooled_backend.h"
#include "workload/sql/database.h"
#include "workload/sql/postgres/postgres_session.h"

namespace drover::sql::postgres {

// Sessions have the server's settings, except for the limits of BackendSettings::run and, on Citus,
// plan_cache_mode (set_up_citus_scripts()).
struct PostgresOptions : BackendSettings, database::postgres::Access {};

class PostgresBackend final : public database::postgres::PooledBackend<database::Backend, Session> {
 public:
  explicit PostgresBackend(PostgresOptions options);

 private:
  coro::Task<std::unique_ptr<Pooled>> connect(std::optional<std::size_t> first_host) override;

  PostgresOptions options_;
  ServerWrites writes_;
  Scratch scratch_;
};

}  // namespace drover::sql::postgres
