// RunModel: all that the screen of a run shows, and how the person looks at it. Plain values; what
// the layout draws is made of it and of the size alone.
#pragma once

#include <cstdint>
#include <optional>

#include "load/plan.h"
#include "ui/display.h"
#include "ui/log_book.h"
#include "ui/run_figures.h"
#include "ui/run_history.h"

namespace drover::ui {

enum class RunStage : std::uint8_t { opening, running, asking };

// Where there is no room for both charts, `both` is the throughput.
enum class ChartChoice : std::uint8_t { both, throughput, latency };

struct RunModel {
  RunTitle title;
  load::Plan plan;
  RunStage stage = RunStage::opening;
  coro::Duration in_stage{};   // for how long; of `running` the snapshot says it
  bool database_away = false;  // at the end
  bool quitting = false;
  RunHistory history;
  std::optional<RunFigures> figures;  // none before the first snapshot
  LogBook log;
  ChartChoice charts = ChartChoice::both;
  bool help = false;
};

}  // namespace drover::ui
