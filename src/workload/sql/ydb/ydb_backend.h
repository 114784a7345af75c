// The YDB backend of one worker: its own client with a fixed number of sessions, and statements of scripts on them.
//
// A statement that stands alone is a transaction by itself, in one request; one that only reads has a snapshot. BEGIN,
// COMMIT and ROLLBACK are calls of the protocol: BEGIN sends nothing, for the first statement begins the transaction
// with it. A session that was lost is taken out; keep_open() opens another one beside the transactions.
//
// Belongs to one worker. Failures are database::Error.
#pragma once

#include <string>
#include <vector>

#include "coro/task.h"
#include "database/ydb/session_turns.h"
#include "database/ydb/ydb_database.h"
#include "workload/sql/database.h"

namespace drover::sql::ydb {

// Its isolation is `serializable` or `snapshot`, of the transactions that write. The statement timeout is that of one
// request.
struct YdbOptions : BackendSettings {
  database::ydb::YdbDatabase database = {};
};

class YdbBackend final : public database::Backend {
 public:
  explicit YdbBackend(YdbOptions options);
  ~YdbBackend() override;

  // Connects, and opens all sessions, several at a time.
  coro::Task<void> open() override;
  coro::Task<void> keep_open(database::SessionObserver& observer) override;

  coro::Task<database::Session*> acquire() override;
  void release(database::Session& session) noexcept override;

 private:
  class YdbSession;

  // With the folder of the tables; always the same, so that the server compiles it once.
  const std::string& text_of(const Statement& statement);

  YdbOptions options_;
  std::string pragma_;
  std::vector<std::string> texts_;  // by Statement::number; empty until it is needed
  database::ydb::SessionTurns<YdbSession> turns_;
};

}  // namespace drover::sql::ydb
