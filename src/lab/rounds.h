// Measurements in processes of their own, round by round: so the memory of each is its own, nothing
// is warm from the one before, and one that the system ends (out of memory) does not end the
// experiment.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/experiment.h"

namespace drover::lab {

// What the measurement said that it could not do, or how its process ended.
class MeasurementFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The figures that `measure` hands back. Throws MeasurementFailed with the message of whatever it
// throws. Requires: the calling process has no other threads. The child ends when its parent does.
std::vector<double> measured_apart(const std::function<std::vector<double>()>& measure);

// One cell to measure: where its figures go, and what makes them (see measured_apart()).
struct Measurement {
  Cell cell;
  std::function<std::vector<double>()> measure;
};

// Said after each measurement, for progress: which cell, and its figures; none if it failed.
using OnMeasured = std::function<void(const Cell& cell, const std::vector<double>& figures)>;

// An experiment that is still to be measured.
struct Study {
  Experiment experiment = {};  // without cells and findings
  std::vector<Measurement> measurements = {};
  std::function<void(Experiment&)> conclude;  // makes the findings of the cells
};

// Measures every cell once a round. One that fails is given up, with the reason in its note; the
// others go on. Stops early, with what there is, once `interrupted()` says so; a measurement that
// is then under way does not count.
Experiment measure_study(Study study, std::size_t rounds, const OnMeasured& on_measured,
                         const std::function<bool()>& interrupted);

}  // namespace drover::lab
