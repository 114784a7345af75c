// The plan of a run of any workload: its settings, and the figures that are still to be resolved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "database/server.h"
#include "metrics/listen_address.h"
#include "report/document/result.h"
#include "run/benchmark.h"
#include "settings/run_settings.h"
#include "ui/display.h"

namespace drover::ranks {
class MemberRun;
}

namespace drover::run {

struct Conducting;

inline constexpr std::int64_t run_connections_most = 10'000;
inline constexpr std::int64_t permits_most = 10'000'000;
inline constexpr std::int64_t threads_most = 1'024;
inline constexpr std::uint64_t shares_most = report::ranks_max;

struct RunPlan {
  settings::RunSettings settings;
  // Totals of all hosts, which the share of the benchmark's plan divides. None: auto.
  std::optional<std::int64_t> connections;
  std::optional<std::int64_t> max_inflight;
  std::optional<std::int64_t> threads;  // of each host; none: auto
  ui::DisplayMode ui = ui::DisplayMode::automatic;
  std::optional<metrics::ListenAddress> metrics;
  report::Tool tool;
  std::shared_ptr<Conducting> conducting = nullptr;  // on the coordinator of several hosts
  ranks::MemberRun* member = nullptr;                // on an agent; must outlive the run
  std::optional<double> start_at = {};               // --start-at: Unix time in seconds

  bool waits_for_others() const noexcept { return start_at || member != nullptr; }
};

// Resolve the values "auto" in the benchmark's plan, after its prepare(). resolve_connections()
// also resolves threads and permits, and throws UsageError if the server has too few free
// connections. resolve_permits() is for runs without a database.
void resolve_threads(const RunPlan& run, Benchmark& benchmark);
void resolve_connections(const RunPlan& run, Benchmark& benchmark,
                         const database::ServerFacts& server);
void resolve_permits(const RunPlan& run, Benchmark& benchmark);

// Completes the settings, and the benchmark, from the resolved plan.
void complete_plan(RunPlan& run, Benchmark& benchmark);
// The part of it that does not depend on the benchmark.
void complete_settings(settings::RunSettings& settings, const load::Plan& plan);

}  // namespace drover::run
