// RunModel: the state of a run's screen, and the figures that the screen and the plain lines show.
// For one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "load/plan.h"
#include "load/snapshot.h"
#include "ui/dashboard.h"
#include "ui/display.h"
#include "ui/terminal/chart.h"

namespace drover::ui {

using RunHistory = History<load::Sample>;

// Returns the transactions committed per second, by type: the mean of the last 10 s, because
// terminals think for seconds.
std::vector<double> recent_rates(const RunHistory& history, std::size_t types);

// Returns the number of a second's transactions that the headline counts.
std::uint64_t headline_count(const load::Headline& headline, const load::Sample& second);

// The points of the charts: the mean of the headline, and the highest percentile of some seconds.
ChartPoint headline_point(const load::Headline& headline, const RunHistory::Column& seconds);
ChartPoint p90_point(const RunHistory::Column& seconds);

struct RunProgress {
  double share = 0;  // 0..1 of the warm-up, or of the measured interval
  std::string done;  // "0:12 of 1:00", "1,234 of 5,000"
  std::string left;  // "0:48", "3,766": to the end of the run
  bool is_warming = false;
};
RunProgress run_progress(const load::Plan& plan, const load::Snapshot& snapshot);

// "for 0:10:00", "until 5,000 are done"
std::string measured_until(const load::Plan& plan);

// "100 terminals up after 0.01 s"
std::string terminals_up_text(const load::Plan& plan, coro::Duration ramp_up);

// Returns at most `most` hosts that generate load: lost hosts first, then the busiest hosts.
std::vector<const load::RankNow*> ranks_to_show(const load::Snapshot& snapshot, std::size_t most);

struct Throughput {
  double headline_now = 0;
  std::optional<double> headline_measured = {};
  std::optional<double> efficiency = {};  // percent, of the measured interval or of now before it
  double per_second = 0;                  // transactions of all types, now
};

enum class RunStage : std::uint8_t { opening, running, asking };

struct RunModel : Viewer {
  RunTitle title;
  load::Plan plan;
  RunStage stage = RunStage::opening;
  coro::Duration in_stage{};
  bool database_away = false;  // at the end
  RunHistory history;
  std::optional<load::Snapshot> snapshot;  // the last one
  coro::Instant taken_at{};
  double cores = 0;  // of this process, in the last second

  void take(const load::Snapshot& next, coro::Instant now);
  // Requires: a snapshot.
  Throughput throughput() const;
};

// Draws the screen of a run. Returns the number of visible lines of the log.
int draw_run(const RunModel& model, Canvas& canvas);
std::vector<KeyHelp> run_keys();

}  // namespace drover::ui
