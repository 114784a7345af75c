// The PostgreSQL backend of one worker: a fixed number of connections and the transactions on them.
// Belongs to one worker.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coro/task.h"
#include "database/postgres/access.h"
#include "database/postgres/pooled_backend.h"
#include "database/postgres/session_setup.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {

// The isolation is not `snapshot`. Order-Status and Stock-Level, which only read, have a snapshot
// at every level. The server ends a statement at its timeout; a round trip has a little more time.
struct PostgresOptions : BackendSettings, database::postgres::Access {
  // Executes the batched style as on a server that loses rows (transactions.h).
  bool by_row = false;
};

class PostgresBackend final : public database::postgres::PooledBackend<Backend, Session> {
 public:
  explicit PostgresBackend(PostgresOptions options);
  ~PostgresBackend() override;

  coro::Task<std::vector<ResolvedCommit>> resolve(std::vector<UnknownCommit> commits) override;

 private:
  class PostgresSession;

  coro::Task<std::unique_ptr<Pooled>> connect(std::optional<std::size_t> first_host) override;
  bool batched() const noexcept;
  Shape shape_by_row(std::size_t transaction) const noexcept;
  void found_to_need_single_rows(std::string_view note);

  PostgresOptions options_;
  database::postgres::SessionSettings session_settings_;
  Shapes shapes_;
  std::vector<Statement> statements_;
  std::string opened_at_;  // by the server's clock, UTC
  bool by_row_;            // the server loses rows or refuses a batched statement
};

// Returns whether each commit is in the data (resolve.cpp). `since`: a time of the server before
// the run began, as text in UTC. Requires that no session can still execute the transactions:
// database::postgres::end_sessions() first. Throws database::Error.
coro::Task<std::vector<ResolvedCommit>> resolve_commits(database::postgres::Connection& connection,
                                                        std::span<const UnknownCommit> commits,
                                                        std::string since);

}  // namespace drover::tpcc::postgres
