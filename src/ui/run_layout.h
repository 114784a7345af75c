// The screen of a run as a pure function of its model and the size of the canvas.
//
// From 80 x 24 on all parts are there; a larger one has longer charts, more workers and more of the
// log, and from 140 columns on two parts side by side. A smaller one shows the figures that matter
// most, a line each, as far as they fit.
#pragma once

#include <vector>

#include "ui/canvas.h"
#include "ui/panels.h"
#include "ui/run_model.h"

namespace drover::ui {

void draw_run(const RunModel& model, Canvas& canvas);

// The lines of the log that are visible at this size: what a page is.
int log_rows_of_run(const RunModel& model, int rows, int columns);

// What the key t does: the next of the charts that there is room for.
ChartChoice next_charts(ChartChoice charts, int columns);

std::vector<KeyHelp> run_keys();

}  // namespace drover::ui
