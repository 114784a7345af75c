// RunModel: all that the screen of a run shows, and how the person looks at it. Plain values; what
// the layout draws is made of it and of the size alone. For one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "load/plan.h"
#include "load/snapshot.h"
#include "ui/history.h"
#include "ui/panels.h"
#include "ui/terminal/display.h"

namespace drover::ui {

using RunHistory = History<load::Sample>;

// Committed a second, by type, as a mean over the last 10 s: terminals think for seconds.
using Rates = std::vector<double>;
Rates recent_rates(const RunHistory& history, std::size_t types);

// The transactions of a second that the headline counts.
std::uint64_t headline_count(const load::Headline& headline, const load::Sample& second);

// What charts show of some seconds: the headline, and the highest of their percentiles.
ChartPoint headline_point(const load::Headline& headline, const RunHistory::Column& seconds);
ChartPoint p90_point(const RunHistory::Column& seconds);

struct Throughput {
  double headline_now = 0;
  std::optional<double> headline_measured = {};
  std::optional<double> efficiency = {};  // percent; of the measurement, or of now before it
  double per_second = 0;                  // transactions of all types, now
};

enum class RunStage : std::uint8_t { opening, running, asking };

// Where there is no room for both charts, `both` is the throughput.
enum class ChartChoice : std::uint8_t { both, throughput, latency };

struct RunModel : Viewer {
  RunTitle title;
  load::Plan plan;
  RunStage stage = RunStage::opening;
  coro::Duration in_stage{};   // for how long; of `running` the snapshot says it
  bool database_away = false;  // at the end
  RunHistory history;
  std::optional<load::Snapshot> snapshot;  // the last one
  coro::Instant taken_at{};                // on the clock of the run
  double cores = 0;                        // this process, in the last second
  ChartChoice charts = ChartChoice::both;

  void take(const load::Snapshot& next, coro::Instant now);
  // Requires: a snapshot.
  Throughput throughput() const;
};

// The screen of a run as a pure function of its model and the size of the canvas.
//
// From 80 x 24 on all parts are there; a larger one has longer charts, more workers and more of the
// log, and from 140 columns on two parts side by side. A smaller one shows the figures that matter
// most, a line each, as far as they fit.
void draw_run(const RunModel& model, Canvas& canvas);
std::vector<KeyHelp> run_keys();

// The lines of the log that are visible at this size: what a page is.
int log_rows_of_run(const RunModel& model, int rows, int columns);

// What the key t does: the next of the charts that there is room for.
ChartChoice next_charts(ChartChoice charts, int columns);

}  // namespace drover::ui
