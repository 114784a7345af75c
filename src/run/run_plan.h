// What a run is to do: its settings, what the engine needs of them, and what is still to be resolved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "metrics/listen_address.h"
#include "report/document/result.h"
#include "settings/run_settings.h"
#include "ui/terminal/display.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/terminals/plan.h"

namespace drover::run {

inline constexpr std::int64_t run_connections_most = 10'000;

// Everything that is known before the database is asked.
struct RunPlan {
  settings::RunSettings settings;
  tpcc::Plan plan;
  tpcc::StatementStyle style = tpcc::StatementStyle::batched;
  tpcc::Isolation isolation = tpcc::Isolation::read_committed;
  bool all_warehouses = false;
  std::optional<std::int64_t> connections;  // none: auto
  std::optional<std::int64_t> max_inflight;
  bool threads_auto = false;
  std::string delivery_log;  // empty: no file
  ui::Choice ui = ui::Choice::automatic;
  std::optional<metrics::ListenAddress> metrics;
  report::Tool tool;
};

// Resolve what was left to Drover; the number of warehouses is known by now.
void resolve_threads(RunPlan& run);
// Also threads and permits, of which more than connections make no sense. Throws UsageError if the
// server has no room for what was asked for.
void resolve_connections(RunPlan& run, const tpcc::ServerFacts& server);

// All is resolved: what the settings, and those who show the run, say of it.
void complete_plan(RunPlan& run);

}  // namespace drover::run
