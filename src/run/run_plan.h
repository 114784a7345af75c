// What a run is to do, whatever it measures: its settings, and what is still to be resolved.
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

// Everything that is known before the database is asked.
struct RunPlan {
  settings::RunSettings settings;
  // Totals of all hosts of the run, which the share of the benchmark's plan divides. None: auto.
  std::optional<std::int64_t> connections;
  std::optional<std::int64_t> max_inflight;
  std::optional<std::int64_t> threads;  // of each host; none: auto
  ui::DisplayMode ui = ui::DisplayMode::automatic;
  std::optional<metrics::ListenAddress> metrics;
  report::Tool tool;
  // Where several hosts make the run: this process gathers what they do, or is one of them, which then outlives the run.
  std::shared_ptr<Conducting> conducting = nullptr;
  ranks::MemberRun* member = nullptr;
  // When a run that is started by hand is to begin: Unix time, seconds.
  std::optional<double> start_at = {};

  bool waits_for_others() const noexcept { return start_at || member != nullptr; }
};

// Resolve what was left to Drover, in the benchmark's plan; prepare() has been there.
void resolve_threads(const RunPlan& run, Benchmark& benchmark);
// Also threads and permits, of which more than connections make no sense. Throws UsageError if the
// server has no room for what was asked for.
void resolve_connections(const RunPlan& run, Benchmark& benchmark,
                         const database::ServerFacts& server);
// Where there is no database there are permits alone.
void resolve_permits(const RunPlan& run, Benchmark& benchmark);

// All is resolved: what the settings, and those who show the run, say of it.
void complete_plan(RunPlan& run, Benchmark& benchmark);
// The part of it that no benchmark is asked for.
void complete_settings(settings::RunSettings& settings, const load::Plan& plan);

}  // namespace drover::run
