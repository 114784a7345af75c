// From the options of a run, as they were written, to its plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/database_option.h"
#include "cli/run_options.h"
#include "coro/clock.h"
#include "load/plan.h"
#include "metrics/listen_address.h"
#include "tpcc/database.h"
#include "ui/display.h"

namespace drover::cli {

// Everything that is known before the database is asked.
struct RunPlan {
  load::Plan plan;
  tpcc::StatementStyle style = tpcc::StatementStyle::batched;
  bool all_warehouses = false;
  std::optional<std::int64_t> connections;  // none: auto
  std::optional<std::int64_t> max_inflight;
  bool threads_auto = false;
  tpcc::Isolation isolation = tpcc::Isolation::read_committed;
  bool wait_for_server = true;
  coro::Duration statement_timeout{};
  ui::Choice ui = ui::Choice::automatic;
  std::optional<metrics::ListenAddress> metrics;
};

// Throws UsageError, also for an option that only the other kind of database has.
RunPlan make_run_plan(const RunRequest& written, DatabaseKind kind);

// Resolve what was left to Drover; the number of warehouses is known by now.
void resolve_threads(RunPlan& run);
// Also threads and permits, of which more than connections make no sense. Throws UsageError if the
// server has no room for what was asked for.
void resolve_connections(RunPlan& run, const tpcc::ServerFacts& server);

}  // namespace drover::cli
