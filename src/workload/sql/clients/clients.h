// Scripts as a workload of the engine: the plan of a run, and the counts that its clients write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "load/plan.h"
#include "load/workload.h"
#include "measure/counter.h"
#include "measure/histogram.h"
#include "workload/sql/database.h"
#include "workload/sql/script/script_set.h"

namespace drover::sql {

struct ScriptPlan : load::Plan {
  std::shared_ptr<const ScriptSet> scripts;     // not null in a run
  std::vector<VariableDefinition> definitions;  // override the built-in variables
  std::int64_t scale = 1;
};

// Returns the value of Plan::workload. The scripts are the types of transactions.
load::WorkloadInfo workload_info(const ScriptPlan& plan);

// Executions of one statement that ended in the measured interval, including those of repeated
// attempts.
struct StatementCounts {
  measure::Counter executions;  // answered with success or an error
  measure::Counter failures;    // answered with an error
  // Time of successful executions from sending to the answer, or to the answer of the pipeline.
  measure::Histogram latency;
};

// Counts of one worker. Its thread writes them. Other threads may read counters and histograms at
// any time, and texts after the run.
struct alignas(measure::cache_line_bytes) WorkerCounts {
  explicit WorkerCounts(const ScriptPlan& plan) : first_failures(plan.scripts->scripts().size()) {
    for (const Statement& statement : plan.scripts->statements()) {
      statements.push_back(statement.has_figures ? std::make_unique<StatementCounts>() : nullptr);
    }
  }

  // By Statement::number. Null for statements without figures.
  std::vector<std::unique_ptr<StatementCounts>> statements;
  // By script: the message of its first failure in the run, or empty.
  std::deque<std::string> first_failures;
  measure::Counter unresolved;  // unknown commits
};

struct RunCounts {
  explicit RunCounts(const ScriptPlan& plan) {
    for (std::size_t i = 0; i < plan.threads; ++i) workers.emplace_back(plan);
  }

  std::deque<WorkerCounts> workers;
};

// Returns the workload of a run. Each client executes one script after another, chosen by weight.
// As in pgbench, variables keep their values between scripts. `plan` and `counts` must outlive the
// workload.
load::WorkloadFactory make_clients(const ScriptPlan& plan, BackendFactory backends,
                                   RunCounts& counts);

}  // namespace drover::sql
