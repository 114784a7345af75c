// A run of a benchmark, from its plan to its result, with its displays and monitors.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "database/server.h"
#include "load/run.h"
#include "load/surroundings.h"
#include "metrics/metrics_endpoint.h"
#include "report/document/result.h"
#include "run/benchmark.h"
#include "run/conducting.h"
#include "run/process.h"
#include "run/run_plan.h"

namespace drover::run {

struct MeasuredRun {
  report::Result result;
  bool stop_requested = false;  // by Ctrl-C or a key, at any time
  std::string log_failure;      // reason why a requested log is incomplete; empty: complete
  // Shows the last figures of the run until it is destroyed. Null: not requested.
  std::shared_ptr<metrics::MetricsEndpoint> metrics;
};

struct RunPlace {
  DatabaseKind kind = DatabaseKind::postgres;
  std::string kind_name;  // "PostgreSQL", "YDB"
  std::string schema;
  std::string description;  // for people; never a password
  IdentityOfDatabase identity = {};
};

// Execute a run and block until its end. Ctrl-C ends the run with the result so far. Return none if
// the run was interrupted before its begin. Throw UsageError or database::Error if the run cannot
// begin. `place` of a simulated run is a text for people.
std::optional<MeasuredRun> measure_on_database(RunPlan run, Benchmark& benchmark,
                                               const RunPlace& place);
std::optional<MeasuredRun> measure_simulated(RunPlan run, Benchmark& benchmark,
                                             const std::string& place);

// Opens the endpoint, and prints its address, and who can read it, as notes to `log`.
// `server_version` is empty without a database. Throws std::runtime_error if the address cannot be
// listened on.
std::unique_ptr<metrics::MetricsEndpoint> open_metrics_endpoint(
    const metrics::ListenAddress& address, const load::Plan& plan, const report::Tool& tool,
    const std::string& server_version, load::Observer& log);

// The start of a run at a time of the machine's clock (--start-at), so that runs that users start
// by hand on several hosts begin together.
class StartAt final : public load::Rendezvous {
 public:
  // `unix_s`: Unix time in seconds. Prints the wait as a note to `log`, which must outlive this
  // object.
  StartAt(double unix_s, double (*unix_time)(), load::Observer& log)
      : unix_s_(unix_s), unix_time_(unix_time), log_(log) {}

  coro::Task<void> sessions_open() override { co_return; }
  // Waits until shortly before the time, and returns its instant. Returns a past instant if the
  // terminals started too late.
  coro::Task<coro::Instant> terminals_up() override;

 private:
  const double unix_s_;
  double (*const unix_time_)();
  load::Observer& log_;
};

// Facts about a run that are neither in its plan nor in its outcome.
struct RunFacts {
  std::optional<report::Server> server;
  std::optional<std::vector<database::ObservedCheckpoint>> checkpoints;  // none: not observable
  std::optional<database::ObservedActivity> activity;  // none: not observable or not requested
};

// Returns the result without the sections of the benchmark and the audit.
report::Result make_result(const RunPlan& run, const load::Plan& plan, const RunFacts& facts,
                           const load::Outcome& outcome);

// Return or add parts of a result, for the coordinator of several hosts.
report::Result empty_result(const RunPlan& run, const load::Plan& plan);
report::TimePoint time_point(const load::Sample& sample);
report::Availability availability(const load::Plan& plan, const load::Outcome& outcome);
void add_facts(const RunFacts& facts, const load::Plan& plan, const load::Outcome& outcome,
               report::Result& result);

// Returns the time to wait for an unavailable database, `since_end` after the end of the load: the
// rest of `patience`, which all look-ups after a run share, but at least 5 s.
coro::Duration patience_left(coro::Duration patience, coro::Duration since_end);

// "TPC-C on the private server, PostgreSQL 15.20: 10 rows, 100 terminals, 16 connections, 1
// thread". `who` generates the load.
std::string plan_text(const load::Plan& plan, const std::string& place, const std::string& who);

}  // namespace drover::run
