// The screen of an import as a pure function of its model and the size of the canvas. From 80 x 24
// on all parts are there; a smaller one shows what matters most.
#pragma once

#include <vector>

#include "ui/canvas.h"
#include "ui/import_model.h"
#include "ui/panels.h"

namespace drover::ui {

void draw_import(const ImportModel& model, Canvas& canvas);

// The lines of the log that are visible at this size: what a page is.
int log_rows_of_import(int rows, int columns);

std::vector<KeyHelp> import_keys();

}  // namespace drover::ui
