// The YDB backend of one worker: its own client with a fixed number of sessions over the nodes of
// the database, and the operations on them. A read, a scan, an update and an insert are one request
// each, which begins and commits its transaction; a read-modify-write is two.
//
// A lost session leaves the pool, and keep_open() opens another one in the background
// (TurnBackend in database/ydb/session.h). Reads and scans use a snapshot at every isolation level,
// and their commits are never of unknown outcome. Belongs to one worker. Failures are
// database::Error.
#pragma once

#include <string>
#include <vector>

#include "coro/task.h"
#include "database/ydb/database_access.h"
#include "database/ydb/session.h"
#include "workload/ycsb/database.h"
#include "workload/ycsb/table.h"

namespace drover::ycsb::ydb {

class YdbSession;

class YdbBackend final : public database::ydb::TurnBackend<Backend, YdbSession> {
 public:
  // Throws PropertyError. The isolation level, `serializable` or `snapshot`, applies to operations
  // that write. The statement timeout is that of one request.
  YdbBackend(database::ydb::YdbDatabase database, BackendSettings settings);
  ~YdbBackend() override;

  // Ends all sessions. Nothing can be acquired afterwards.
  coro::Task<std::vector<database::Resolution>> resolve(std::vector<UnknownCommit> writes) override;

 private:
  friend class YdbSession;

  coro::Task<database::Resolution> resolve_one(database::ydb::ServerSession& session,
                                               const UnknownCommit& write) const;

  const database::ydb::YdbDatabase database_;
  const BackendSettings settings_;
  const Table table_;
  // The texts do not change, so that the server compiles each of them once.
  const OperationStatements statements_;
  OperationValues values_;
};

}  // namespace drover::ycsb::ydb
