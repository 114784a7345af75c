// The table of an experiment for a terminal: a line a cell, medians with their spread. Pure; any
// thread.
#pragma once

#include <string>
#include <vector>

#include "lab/experiment.h"

namespace drover::lab {

// "1.23M", "956", "12.5k": four characters of figures, so that columns stay narrow.
std::string short_number(double value);

// "1.23M ±4%": half of what the rounds spread over, of the median; only with two rounds and more.
std::string spread_text(const Spread& spread);

// "tasks/s", "late p99, µs": a figure's title with its unit, which is said once.
std::string title_with_unit(const Figure& figure);

// A cell's line of a table: subject, settings (a dash in place of no_setting), and figures, with
// `missing` in place of those that were not measured.
std::vector<std::string> row_of(const Experiment& experiment, const Cell& cell,
                                const char* missing);

// "thread 4096": which cell it is.
std::string cell_name(const Cell& cell);

std::string experiment_text(const Experiment& experiment);

}  // namespace drover::lab
