// The table of an experiment for a terminal: a line a cell, medians with their spread. Pure; any
// thread.
#pragma once

#include <string>

#include "lab/experiment.h"

namespace drover::lab {

// "1.23M", "956", "12.5k": four characters of figures, so that columns stay narrow.
std::string short_number(double value);

// "1.23M ±4%": half of what the rounds spread over, of the median; only with two rounds and more.
std::string spread_text(const Spread& spread);

std::string experiment_text(const Experiment& experiment);

}  // namespace drover::lab
