// From the options of a run, as they were written, to its plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/run_options.h"
#include "coro/clock.h"
#include "database/postgres/server_info.h"
#include "load/plan.h"
#include "metrics/listen_address.h"
#include "tpcc/postgres/postgres_backend.h"
#include "ui/display.h"

namespace drover::cli {

// Everything that is known before the database is asked.
struct RunPlan {
  load::Plan plan;
  tpcc::postgres::StatementStyle style = tpcc::postgres::StatementStyle::batched;
  bool all_warehouses = false;
  std::optional<std::int64_t> connections;  // none: auto
  std::optional<std::int64_t> max_inflight;
  bool threads_auto = false;
  tpcc::postgres::Isolation isolation = tpcc::postgres::Isolation::read_committed;
  bool wait_for_server = true;
  coro::Duration statement_timeout{};
  ui::Choice ui = ui::Choice::automatic;
  std::optional<metrics::ListenAddress> metrics;
};

// Throws UsageError.
RunPlan make_run_plan(const RunRequest& written);

// Resolve what was left to Drover; the number of warehouses is known by now.
void resolve_threads(RunPlan& run);
// Also threads and permits, of which more than connections make no sense. Throws UsageError if the
// server has no room for what was asked for.
void resolve_connections(RunPlan& run, const database::postgres::ServerInfo& server);

}  // namespace drover::cli
