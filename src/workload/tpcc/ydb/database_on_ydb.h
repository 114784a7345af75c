// TPC-C on YDB: the database for the commands (workload/tpcc/database.h) and the backend of a run.
//
// There are no foreign keys, which init must not be asked for, and no checkpoints. The isolation of
// a run is `serializable` or `snapshot`.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "database/ydb/database_access.h"
#include "database/ydb/session.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/ydb/transactions.h"

namespace drover::tpcc::ydb {

std::unique_ptr<Database> make_database(YdbDatabase database);

class YdbBackend;

class YdbSession final : public tpcc::Session, public database::ydb::SessionTurn {
 public:
  YdbSession(YdbBackend& backend, std::optional<database::ydb::SessionPool>& pool) noexcept
      : SessionTurn(pool), backend_(backend) {}

  coro::Task<Outcome> execute(const Input& input, Trace& trace) override;

 private:
  YdbBackend& backend_;
};

// The backend of one worker: a client with a fixed number of sessions over the nodes of the
// database, and the transactions on them. Belongs to the worker. Errors: database::ydb::YdbError.
//
// A lost session is removed; keep_open() opens another one beside the transactions, and follows
// changes of nodes and token. Order-Status and Stock-Level use a snapshot in every mode, and their
// commits are never unknown.
class YdbBackend final : public database::ydb::TurnBackend<Backend, YdbSession> {
 public:
  // The isolation of the three writing transactions is `serializable` or `snapshot`. The statement
  // timeout limits one request, which may contain several statements.
  YdbBackend(YdbDatabase database, BackendSettings settings);
  ~YdbBackend() override;

  coro::Task<void> open() override;

  // Ends all sessions. No session can be acquired afterwards.
  coro::Task<std::vector<ResolvedCommit>> resolve(std::vector<UnknownCommit> commits) override;

 private:
  friend class YdbSession;

  YdbDatabase database_;
  BackendSettings settings_;
  std::array<std::unique_ptr<YdbTransaction>, std::variant_size_v<Input>> transactions_;  // by type
  std::int64_t opened_at_us_ = 0;
};

// Returns whether each commit is in the data (resolve.cpp). `since_us`: a time of this machine
// before the run began, Unix microseconds. Repeats its questions until the timeout, because the
// database may be starting; what is not known then is unknown. Throws only Cancelled.
coro::Task<std::vector<ResolvedCommit>> resolve_commits(YdbDatabase database,
                                                        std::vector<UnknownCommit> commits,
                                                        std::int64_t since_us,
                                                        coro::Duration timeout);

}  // namespace drover::tpcc::ydb
