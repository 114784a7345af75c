// What one worker counts of scripts beside what the engine counts of any transaction: of each statement.
//
// Written by the worker's thread; counters and histograms may be read at any time, texts when the run has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "measure/counter.h"
#include "measure/histogram.h"
#include "workload/sql/clients/plan.h"

namespace drover::sql {

// The executions of one statement that ended while measuring, those of attempts that were repeated included.
struct StatementCounts {
  measure::Counter executions;  // that were answered, by an error too
  measure::Counter failures;    // of these
  // Successful ones: from when it was sent to its answer; in a pipeline, to the answer of all.
  measure::Histogram latency;
};

struct alignas(measure::cache_line_bytes) WorkerCounts {
  explicit WorkerCounts(const Plan& plan) : first_failures(plan.scripts->scripts().size()) {
    for (const Statement& statement : plan.scripts->statements()) {
      statements.push_back(statement.has_figures ? std::make_unique<StatementCounts>() : nullptr);
    }
  }

  // By Statement::number; none of a statement without figures.
  std::vector<std::unique_ptr<StatementCounts>> statements;
  // Why an execution of each script failed first, at any time of the run; empty: none did.
  std::deque<std::string> first_failures;
  measure::Counter unresolved;  // nobody knows whether they were committed
};

// What the workers of a run write; each its own counts.
struct RunRecords {
  explicit RunRecords(const Plan& plan) {
    for (std::size_t i = 0; i < plan.threads; ++i) workers.emplace_back(plan);
  }

  std::deque<WorkerCounts> workers;
};

}  // namespace drover::sql
