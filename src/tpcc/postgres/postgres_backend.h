// The PostgreSQL backend of one worker: a fixed number of connections and the transactions on them.
//
// A connection that was lost is taken out; keep_open() opens it anew beside the transactions, so
// that nobody waits for it while another one is free. While the server refuses, one connection of
// the worker alone tries, with growing random pauses; when it gets through, the others follow, a
// few at a time. Belongs to one worker.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "coro/notification.h"
#include "coro/scope.h"
#include "coro/semaphore.h"
#include "coro/task.h"
#include "database/postgres/connection.h"
#include "tpcc/backend.h"
#include "tpcc/isolation.h"
#include "tpcc/postgres/resolve.h"
#include "tpcc/postgres/transactions.h"
#include "tpcc/random.h"

namespace drover::tpcc::postgres {

struct PostgresOptions {
  std::string conninfo;
  std::string schema = {};  // empty: the search path of the server
  StatementStyle style = StatementStyle::batched;
  // Not `snapshot`. Order-Status and Stock-Level, which only read, have a snapshot of their own at
  // every level.
  Isolation isolation = Isolation::read_committed;
  std::size_t connections = 1;
  // Of one statement, in the server; and with a little more, of a round trip, here. Zero: none.
  coro::Duration statement_timeout = {};
  // What keep_open() does when the server refuses: try again, or throw.
  bool wait_for_server = true;
  // Of resolve(), for the server to be there and the old sessions to be gone.
  coro::Duration resolve_patience = std::chrono::seconds(60);
  std::uint64_t seed = 0;  // of the pauses between attempts
  // The batched style goes as on a server that loses rows (lost_rows.h), whatever this one is.
  bool by_row = false;
  // Lines for people, on the backend's worker.
  std::function<void(std::string_view)> on_note = {};
};

class PostgresBackend final : public Backend {
 public:
  explicit PostgresBackend(PostgresOptions options);
  ~PostgresBackend() override;

  // Opens all connections, several at a time. Throws database::Error.
  coro::Task<void> open() override;
  coro::Task<void> keep_open(SessionObserver& observer) override;

  coro::Task<Session*> acquire() override;
  void release(Session& session) noexcept override;

  coro::Task<std::vector<Finding>> resolve(std::vector<Doubt> doubts) override;

  std::size_t connections() const noexcept { return options_.connections; }

 private:
  class PostgresSession;

  coro::Task<void> connect(PostgresSession& session);
  void found_to_lose_rows();
  coro::Task<std::optional<database::Error>> try_to_reopen(PostgresSession& session);
  coro::Task<void> reopen(PostgresSession& session);
  coro::Task<void> reopen_once(PostgresSession& session, coro::Semaphore& turns);
  coro::Duration pause(int attempt);
  coro::Task<std::unique_ptr<Connection>> connect_after_the_others(coro::Instant give_up);
  coro::Task<std::unique_ptr<Connection>> connect_to_resolve();

  PostgresOptions options_;
  std::vector<Statement> statements_;
  coro::Semaphore usable_;  // a permit for each idle session; a lost one keeps its permit
  std::vector<std::unique_ptr<PostgresSession>> sessions_;
  std::vector<PostgresSession*> idle_;  // last in, first out: the warmest
  std::deque<PostgresSession*> lost_;
  coro::Notification lost_one_;
  SessionObserver* observer_ = nullptr;
  // Sessions that were left in the middle of something, which the server may go on with.
  std::vector<SessionIdentity> abandoned_;
  std::string opened_at_;  // by the server's clock, UTC
  bool by_row_;            // the server loses rows
  Rng rng_;
};

// A connection whose session sees `schema` first (empty: as the server has it).
coro::Task<std::unique_ptr<Connection>> open_in_schema(std::string conninfo, std::string schema);

}  // namespace drover::tpcc::postgres
