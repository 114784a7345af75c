// The result document of a run, made of its plan and its outcome.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "load/run.h"
#include "report/result.h"
#include "tpcc/database.h"

namespace drover::cli {

// What the plan of the engine does not know.
struct RunFacts {
  std::string statements;
  std::string schema;
  std::string isolation;
  std::string on_db_loss;
  double statement_timeout_s = 0;
  bool max_inflight_chosen = false;
  std::optional<double> simulate_ms;
  std::optional<report::Server> server;
  std::optional<report::LedgerInData> ledger_in_data;
  // None where the server does not tell of them.
  std::optional<std::vector<tpcc::ObservedCheckpoint>> checkpoints;
};

report::Result make_result(const load::Plan& plan, const RunFacts& facts,
                           const load::Outcome& outcome);

}  // namespace drover::cli
