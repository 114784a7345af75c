// Which of the commits that a run was told of the database has lost: what a failover to a replica that was behind takes
// back. They are looked for one by one, after the run, if the sums of the tables say that something is missing.
#pragma once

#include <optional>
#include <string>

#include "coro/clock.h"
#include "coro/task.h"
#include "report/document/result.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/terminals/terminals.h"

namespace drover::benchmark {

// `since`: what prepare() said of the time. None if it could not be found out. Await it on a worker, when the run's
// workers have ended.
coro::Task<std::optional<report::LostCommits>> find_lost_commits(const tpcc::Database& database,
                                                                 const tpcc::RunRecords& records,
                                                                 std::string since,
                                                                 coro::Duration patience);

// Whether they are all by which the data have less than the ledger.
bool explain(const report::LostCommits& lost, const report::Ledger& ledger,
             const report::LedgerInData& data) noexcept;

}  // namespace drover::benchmark
