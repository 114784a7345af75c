// The YDB backend of one worker: its own client with a fixed number of sessions over the nodes of the database, and the
// operations on them. A read, a scan, an update and an insert are one request each, which begins and commits its
// transaction; a read-modify-write is two.
//
// A session that was lost is taken out; keep_open() opens another one beside the operations
// (TurnBackend in database/ydb/session.h). Reads and scans have a snapshot in every mode, and no commit of theirs is in doubt.
// Belongs to one worker. Failures are database::Error.
#pragma once

#include <string>
#include <vector>

#include "coro/task.h"
#include "database/ydb/database_access.h"
#include "database/ydb/session.h"
#include "workload/ycsb/clients/written_values.h"
#include "workload/ycsb/database.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/ydb/statements.h"
#include "workload/ycsb/ydb/table.h"

namespace drover::ycsb::ydb {

// Its isolation is `serializable` or `snapshot`, of the operations that write. The statement timeout is that of one
// request.
struct YdbOptions : BackendSettings {
  database::ydb::YdbDatabase database = {};
};

class YdbSession;

class YdbBackend final : public database::ydb::TurnBackend<Backend, YdbSession> {
 public:
  // Throws PropertyError.
  explicit YdbBackend(YdbOptions options);
  ~YdbBackend() override;

  // Ends all sessions: nothing can be acquired afterwards.
  coro::Task<std::vector<database::Resolution>> resolve(std::vector<Doubt> doubts) override;

 private:
  friend class YdbSession;

  YdbOptions options_;
  Table table_;
  bool verify_;
  Statements statements_;
  WrittenValues values_;
};

}  // namespace drover::ycsb::ydb
