// Fills an experiment's cells, round by round, each measurement in a process of its own.
#pragma once

#include <functional>
#include <vector>

#include "lab/experiment.h"

namespace drover::lab {

// One cell to measure: where its figures go, and what makes them (see measured_apart()).
struct Measurement {
  Cell cell;
  std::function<std::vector<double>()> measure;
};

// Said after each measurement, for progress: which cell, in which round, and its figures; none if
// it failed.
using OnMeasured =
    std::function<void(const Cell& cell, std::size_t round, const std::vector<double>& figures)>;

// Measures every cell once a round. One that fails is given up, with the reason in its note; the
// others go on. Stops early, with what there is, once `interrupted()` says so; a measurement that
// is then under way does not count.
void measure_rounds(Experiment& experiment, std::vector<Measurement> measurements,
                    std::size_t rounds, const OnMeasured& on_measured,
                    const std::function<bool()>& interrupted);

}  // namespace drover::lab
