// The YDB backend of one worker: its own client with a fixed number of sessions over the nodes of
// the database, and the transactions on them.
//
// A session that was lost is taken out; keep_open() opens another one beside the transactions
// (database/ydb/session_pool.h), and keeps up with nodes and token. So a Session here is a turn,
// and not a session of the server: an attempt that finds its own lost goes on with another one.
// Belongs to one worker. Failures are database::ydb::YdbError.
//
// Order-Status and Stock-Level only read, and have a snapshot in every mode. Of them no commit is
// in doubt.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/ydb/client.h"
#include "database/ydb/session.h"
#include "database/ydb/session_pool.h"
#include "tpcc/backend.h"
#include "tpcc/statement_style.h"
#include "tpcc/ydb/ydb_database.h"

namespace drover::tpcc::ydb {

struct YdbOptions {
  YdbDatabase database;
  StatementStyle style = StatementStyle::batched;
  // Of the three transactions that write: serializable_read_write or snapshot_read_write.
  database::ydb::TransactionMode mode = database::ydb::TransactionMode::serializable_read_write;
  std::size_t connections = 1;  // sessions
  // Of one request, which may be many statements; the server is told of it. Zero: none.
  coro::Duration statement_timeout = {};
  // What keep_open() does when the server refuses: try again, or throw.
  bool wait_for_server = true;
  // Of resolve(), for the server to be there.
  coro::Duration resolve_patience = std::chrono::seconds(60);
  std::uint64_t seed = 0;  // of the pauses between attempts, and of the choice of nodes
};

class YdbBackend final : public Backend {
 public:
  explicit YdbBackend(YdbOptions options);
  ~YdbBackend() override;

  // Connects, and opens all sessions, several at a time.
  coro::Task<void> open() override;
  coro::Task<void> keep_open(SessionObserver& observer) override;

  coro::Task<Session*> acquire() override;
  void release(Session& session) noexcept override;

  // Ends all sessions: nothing can be acquired afterwards.
  coro::Task<std::vector<Finding>> resolve(std::vector<Doubt> doubts) override;

  std::size_t connections() const noexcept { return options_.connections; }

 private:
  class YdbSession;
  class Transactions;
  class PoolObserver;

  YdbSession* add_session();

  YdbOptions options_;
  std::unique_ptr<Transactions> transactions_;
  // From keep_open() on; the pool still has it when that has ended.
  std::unique_ptr<PoolObserver> observer_;
  std::optional<database::ydb::Client> client_;     // from open() on
  std::optional<database::ydb::SessionPool> pool_;  // the same
  std::vector<std::unique_ptr<YdbSession>> sessions_;
  std::vector<YdbSession*> free_;  // that hold no session of the pool
  std::int64_t opened_at_us_ = 0;
};

}  // namespace drover::tpcc::ydb
