// The PostgreSQL backend of one worker: a fixed number of connections and the operations on them. A read, a scan, an
// update and an insert are one statement and one round trip each; a read-modify-write is a transaction of two.
// Belongs to one worker.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "coro/task.h"
#include "database/postgres/access.h"
#include "database/postgres/connection.h"
#include "database/postgres/pooled_backend.h"
#include "database/postgres/session_setup.h"
#include "workload/ycsb/clients/written_values.h"
#include "workload/ycsb/database.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/postgres/statements.h"

namespace drover::ycsb::postgres {

// Its isolation is not `snapshot`.
struct PostgresOptions : BackendSettings, database::postgres::Access {};

class PostgresBackend final : public database::postgres::PooledBackend<Backend, Session> {
 public:
  // Throws PropertyError.
  explicit PostgresBackend(PostgresOptions options);
  ~PostgresBackend() override;

  coro::Task<std::vector<database::Resolution>> resolve(std::vector<Doubt> doubts) override;

 private:
  class PostgresSession;

  coro::Task<std::unique_ptr<Pooled>> connect(std::optional<std::size_t> first_host) override;
  KeyName key_of(const Operation& operation) const {
    return {operation.key, options_.properties.insert_order, options_.properties.zero_padding};
  }

  PostgresOptions options_;
  database::postgres::SessionSettings session_settings_;
  WrittenValues values_;
  bool verify_;
  Statements statements_;
  std::vector<database::postgres::Statement> prepared_;
};

}  // namespace drover::ycsb::postgres
