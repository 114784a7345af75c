// The page of an experiment: one self-contained file with its pictures, its table, how it was
// measured and on what. Looks as the reports do, opens without a network, and nothing in it runs.
// Pure; any thread.
#pragma once

#include <string>

#include "lab/experiment.h"

namespace drover::lab {

std::string experiment_html(const Experiment& experiment);

}  // namespace drover::lab
