// The PostgreSQL backend of one worker: a fixed number of connections and the operations on them. A read, a scan, an
// update and an insert are one statement and one round trip each; a read-modify-write is a transaction of two.
//
// A connection that was lost is taken out; keep_open() opens another one beside the operations
// (database/session_pool.h). Belongs to one worker.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "database/postgres/session_setup.h"
#include "database/session_pool.h"
#include "workload/ycsb/clients/written_values.h"
#include "workload/ycsb/database.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/postgres/statements.h"

namespace drover::ycsb::postgres {

// Its isolation is not `snapshot`.
struct PostgresOptions : BackendSettings {
  std::string conninfo = {};
  std::string schema = {};  // empty: the search path of the server
};

class PostgresBackend final : public Backend {
 public:
  // Throws PropertyError.
  explicit PostgresBackend(PostgresOptions options);
  ~PostgresBackend() override;

  // Opens all connections, several at a time. Throws database::Error.
  coro::Task<void> open() override;
  coro::Task<void> keep_open(database::SessionObserver& observer) override;

  coro::Task<database::Session*> acquire() override;
  void release(database::Session& session) noexcept override;

  coro::Task<std::vector<database::Resolution>> resolve(std::vector<Doubt> doubts) override;

 private:
  class PostgresSession;

  coro::Task<std::unique_ptr<PostgresSession>> connect();
  KeyName key_of(const Operation& operation) const {
    return {operation.key, options_.properties.insert_order, options_.properties.zero_padding};
  }

  PostgresOptions options_;
  database::postgres::SessionSettings session_settings_;
  WrittenValues values_;
  bool verify_;
  Statements statements_;
  std::vector<database::postgres::Statement> prepared_;
  database::SessionPool<PostgresSession> pool_;
  // Sessions that were left in the middle of something, which the server may go on with.
  std::vector<database::postgres::SessionIdentity> abandoned_;
  database::ReopenPause resolve_pause_;
};

}  // namespace drover::ycsb::postgres
