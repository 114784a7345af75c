// The PostgreSQL backend of one worker: a fixed number of connections and the transactions on them.
//
// A connection that was lost is opened anew when its turn comes, with growing pauses between
// attempts; meanwhile the others work on. Belongs to one worker.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "coro/clock.h"
#include "coro/semaphore.h"
#include "coro/task.h"
#include "database/postgres/connection.h"
#include "tpcc/backend.h"
#include "tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {

struct PostgresOptions {
  std::string conninfo;
  std::string schema;  // empty: the search path of the server
  StatementStyle style = StatementStyle::batched;
  std::size_t connections = 1;
  // How long acquire() goes on trying to open a lost connection before it gives up.
  coro::Duration reconnect_patience = std::chrono::seconds(10);
};

class PostgresBackend final : public Backend {
 public:
  explicit PostgresBackend(PostgresOptions options);
  ~PostgresBackend() override;

  // Opens all connections, several at a time. Throws database::Error.
  coro::Task<void> open() override;

  // Throws database::Error (unavailable or denied) when the patience is over.
  coro::Task<Session*> acquire() override;
  void release(Session& session) noexcept override;

  std::size_t connections() const noexcept { return options_.connections; }

 private:
  class PostgresSession;

  coro::Task<void> connect(PostgresSession& session);
  coro::Task<void> reconnect(PostgresSession& session);

  PostgresOptions options_;
  std::vector<Statement> statements_;
  std::vector<std::unique_ptr<PostgresSession>> sessions_;
  std::vector<PostgresSession*> idle_;  // last in, first out: the warmest
  coro::Semaphore free_;
  std::vector<coro::Semaphore::Permit> permits_;  // one for each session that is out
};

// A connection whose session sees `schema` first (empty: as the server has it).
coro::Task<std::unique_ptr<Connection>> open_in_schema(std::string conninfo, std::string schema);

}  // namespace drover::tpcc::postgres
