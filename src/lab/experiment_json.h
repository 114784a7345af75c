// The JSON document of an experiment: everything in it, with medians beside the rounds.
// docs/lab.md describes the fields. Pure functions; any thread.
#pragma once

#include <string>

#include "lab/experiment.h"

namespace drover::lab {

// Indented, with a line break at the end.
std::string experiment_json(const Experiment& experiment);

}  // namespace drover::lab
