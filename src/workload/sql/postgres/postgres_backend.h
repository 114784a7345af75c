// The PostgreSQL backend of one worker: a fixed number of connections for scripts.
//
// A connection that was lost is taken out; keep_open() opens another one beside the transactions
// (database/session_pool.h). Belongs to one worker.
#pragma once

#include <memory>
#include <string>

#include "coro/task.h"
#include "database/session_pool.h"
#include "workload/sql/database.h"
#include "workload/sql/postgres/postgres_session.h"

namespace drover::sql::postgres {

// Sessions are as the server makes them, but for the limits of BackendSettings::run: isolation and plans are the
// scripts' affair.
struct PostgresOptions : BackendSettings {
  std::string conninfo = {};
  std::string schema = {};  // empty: the search path of the server
};

class PostgresBackend final : public database::Backend {
 public:
  explicit PostgresBackend(PostgresOptions options);

  // Opens all connections, several at a time. Throws database::Error.
  coro::Task<void> open() override { return pool_.open(); }
  coro::Task<void> keep_open(database::SessionObserver& observer) override {
    return pool_.keep_open(observer);
  }
  coro::Task<database::Session*> acquire() override;
  void release(database::Session& session) noexcept override;

 private:
  coro::Task<std::unique_ptr<PostgresSession>> connect();

  PostgresOptions options_;
  database::SessionPool<PostgresSession> pool_;
};

}  // namespace drover::sql::postgres
