// One run of a benchmark, from its plan to its result, with what a person sees of it meanwhile; and the result alone,
// made of a plan and an outcome.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "database/server.h"
#include "load/run.h"
#include "metrics/metrics_endpoint.h"
#include "report/document/result.h"
#include "run/benchmark.h"
#include "run/conducting.h"
#include "run/needs.h"
#include "run/run_plan.h"

namespace drover::run {

struct MeasuredRun {
  report::Result result;
  bool stop_requested = false;  // by Ctrl-C or a key, at any time
  std::string log_failure;      // why a log that was asked for is not whole; empty: it is
  // Shows the last figures for as long as this lives; none if nobody asked for it.
  std::shared_ptr<metrics::MetricsEndpoint> metrics;
};

// Where a run happens.
struct RunPlace {
  DatabaseKind kind = DatabaseKind::postgres;
  std::string kind_name;  // "PostgreSQL", "YDB"
  std::string schema;
  std::string description;  // for people; never a password
  IdentityOfDatabase identity = {};
};

// Blocks until the run is over. Ctrl-C ends it with the result so far. Throws UsageError and database::Error where the
// run could not begin. Nothing if it was interrupted before it began.
std::optional<MeasuredRun> measure_on_database(RunPlan run, Benchmark& benchmark,
                                               const RunPlace& place);
// The same where transactions are simulated; `place` says of what, for people.
std::optional<MeasuredRun> measure_simulated(RunPlan run, Benchmark& benchmark,
                                             const std::string& place);

// Listens from then on, and says where as a note to `log`; a second note says who can read it, if
// that is more than this machine. `server_version` is empty where there is no database. Throws
// std::runtime_error if the address cannot be listened on.
std::unique_ptr<metrics::MetricsEndpoint> open_metrics_endpoint(
    const metrics::ListenAddress& address, const load::Plan& plan, const report::Tool& tool,
    const std::string& server_version, load::Observer& log);

// What is known of a run besides its plan and its outcome.
struct RunFacts {
  std::optional<report::Server> server;
  // None where the server does not tell of them.
  std::optional<std::vector<database::ObservedCheckpoint>> checkpoints;
  std::optional<database::ObservedActivity> activity;  // none, too, where nobody asked for it
};

// All but the benchmark's own sections and the audit, which comes when these are there.
report::Result make_result(const RunPlan& run, const load::Plan& plan, const RunFacts& facts,
                           const load::Outcome& outcome);

// The parts of it. A result in which nothing was counted yet.
report::Result empty_result(const RunPlan& run, const load::Plan& plan);
report::TimePoint time_point(const load::Sample& sample);
report::Availability availability(const load::Plan& plan, const load::Outcome& outcome);
// Whose times are those of the outcome.
void add_facts(const RunFacts& facts, const load::Plan& plan, const load::Outcome& outcome,
               report::Result& result);

// Returns how long to wait for a database that is away, `since_end` after the end of the load: the
// rest of `patience`, which all questions after a run share, but at least 5 s.
coro::Duration patience_left(coro::Duration patience, coro::Duration since_end);

// "TPC-C on the private server, PostgreSQL 15.20: 10 rows, 100 terminals, 16 connections, 1 thread"; `who` makes the load.
std::string plan_text(const load::Plan& plan, const std::string& place, const std::string& who);

}  // namespace drover::run
