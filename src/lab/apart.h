// Runs a measurement in a process of its own, so that its memory is its own, nothing is warm from
// the one before, and one that the system ends (out of memory) does not end the experiment.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace drover::lab {

// What the measurement said that it could not do, or how its process ended.
class MeasurementFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The figures that `measure` hands back. Throws MeasurementFailed with the message of whatever it
// throws. Requires: the calling process has no other threads. The child ends when its parent does.
std::vector<double> measured_apart(const std::function<std::vector<double>()>& measure);

}  // namespace drover::lab
