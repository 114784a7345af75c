// The PostgreSQL backend of one worker: a fixed number of connections and the transactions on them.
//
// A connection that was lost is taken out; keep_open() opens another one beside the transactions
// (database/session_pool.h). Belongs to one worker.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "database/postgres/session_setup.h"
#include "database/session_pool.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {

// Its isolation is not `snapshot`: Order-Status and Stock-Level, which only read, have a snapshot of
// their own at every level. The server ends a statement at its timeout; a round trip has a little
// more.
struct PostgresOptions : BackendSettings {
  std::string conninfo = {};
  std::string schema = {};  // empty: the search path of the server
  // The batched style goes as on a server that loses rows (transactions.h), whatever this one is.
  bool by_row = false;
};

class PostgresBackend final : public Backend {
 public:
  explicit PostgresBackend(PostgresOptions options);
  ~PostgresBackend() override;

  // Opens all connections, several at a time. Throws database::Error.
  coro::Task<void> open() override;
  coro::Task<void> keep_open(SessionObserver& observer) override;

  coro::Task<database::Session*> acquire() override;
  void release(database::Session& session) noexcept override;

  coro::Task<std::vector<Finding>> resolve(std::vector<Doubt> doubts) override;

 private:
  class PostgresSession;

  coro::Task<std::unique_ptr<PostgresSession>> connect();
  void found_to_lose_rows();

  PostgresOptions options_;
  database::postgres::SessionSettings session_settings_;
  std::vector<Statement> statements_;
  database::SessionPool<PostgresSession> pool_;
  // Sessions that were left in the middle of something, which the server may go on with.
  std::vector<database::postgres::SessionIdentity> abandoned_;
  std::string opened_at_;  // by the server's clock, UTC
  bool by_row_;            // the server loses rows
  database::ReopenPause resolve_pause_;
};

}  // namespace drover::tpcc::postgres
