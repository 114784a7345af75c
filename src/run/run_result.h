// The result document of a run, made of its plan and its outcome.
#pragma once

#include <optional>
#include <vector>

#include "load/run.h"
#include "report/document/result.h"
#include "run/run_plan.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/terminals/terminals.h"

namespace drover::run {

// What is known of a run besides its plan and its outcome.
struct RunFacts {
  std::optional<report::Server> server;
  std::optional<report::LedgerInData> ledger_in_data;
  // None where the server does not tell of them.
  std::optional<std::vector<tpcc::ObservedCheckpoint>> checkpoints;
};

// What the data say of a run that was alone: the difference between its end and its beginning.
report::LedgerInData ledger_between(const tpcc::LedgerSums& before, const tpcc::LedgerSums& after);

report::Result make_result(const RunPlan& run, const RunFacts& facts, const load::Outcome& outcome,
                           const tpcc::RunRecords& records);

}  // namespace drover::run
