// One run of the benchmark, from its plan to its result, with what a person sees of it meanwhile; and the result
// alone, made of a plan and an outcome.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "load/run.h"
#include "metrics/metrics_endpoint.h"
#include "report/document/result.h"
#include "run/needs.h"
#include "run/run_plan.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/terminals/terminals.h"

namespace drover::run {

struct MeasuredRun {
  report::Result result;
  bool stop_requested = false;       // by Ctrl-C or a key, at any time
  std::string delivery_log_failure;  // empty: none
  // Shows the last figures for as long as this lives; none if nobody asked for it.
  std::shared_ptr<metrics::MetricsEndpoint> metrics;
};

// Where a run happens.
struct RunPlace {
  const tpcc::Database& database;
  DatabaseKind kind;
  std::string schema;
  std::string description;  // for people; never a password
};

// Block until the run is over. Ctrl-C ends it with the result so far. They throw UsageError and
// database::Error where the run could not begin.

// Nothing if it was interrupted before it began.
std::optional<MeasuredRun> measure_on_database(RunPlan run, const RunPlace& place);
MeasuredRun measure_simulated(RunPlan run);

// Listens from then on, and says where as a note to `log`; a second note says who can read it, if
// that is more than this machine. `server_version` is empty where there is no database. Throws
// std::runtime_error if the address cannot be listened on.
std::unique_ptr<metrics::MetricsEndpoint> open_metrics_endpoint(
    const metrics::ListenAddress& address, const RunPlan& run, const std::string& server_version,
    load::Observer& log);

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
