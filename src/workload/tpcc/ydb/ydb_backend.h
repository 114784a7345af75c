// The YDB backend of one worker: its own client with a fixed number of sessions over the nodes of
// the database, and the transactions on them.
//
// A session that was lost is taken out; keep_open() opens another one beside the transactions
// (database/ydb/session_turns.h), and keeps up with nodes and token.
// Belongs to one worker. Failures are database::ydb::YdbError.
//
// Order-Status and Stock-Level only read, and have a snapshot in every mode. Of them no commit is
// in doubt.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "coro/task.h"
#include "database/ydb/session_turns.h"
#include "database/ydb/ydb_database.h"
#include "settings/run_settings.h"
#include "workload/tpcc/backend.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/ydb/transactions.h"

namespace drover::tpcc::ydb {

using database::ydb::YdbDatabase;

class YdbBackend final : public Backend {
 public:
  // The isolation is `serializable` or `snapshot`, of the three transactions that write. The
  // statement timeout is that of one request, which may be many statements.
  YdbBackend(YdbDatabase database, BackendSettings settings);
  ~YdbBackend() override;

  // Connects, and opens all sessions, several at a time.
  coro::Task<void> open() override;
  coro::Task<void> keep_open(SessionObserver& observer) override;

  coro::Task<database::Session*> acquire() override;
  void release(database::Session& session) noexcept override;

  // Ends all sessions: nothing can be acquired afterwards.
  coro::Task<std::vector<Finding>> resolve(std::vector<Doubt> doubts) override;

 private:
  class YdbSession;

  YdbDatabase database_;
  BackendSettings settings_;
  std::array<std::unique_ptr<Transaction>, std::variant_size_v<Input>> transactions_;  // by type
  database::ydb::SessionTurns<YdbSession> turns_;
  std::int64_t opened_at_us_ = 0;
};

}  // namespace drover::tpcc::ydb
