// The rounds of an experiment: measurements in processes of their own, and the statistics of their
// results.
#pragma once

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/experiment.h"

namespace drover::lab {

// The error message of a measurement, or the way in which its process ended.
class MeasurementFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Calls `measure` in a child process and returns its figures. Each measurement thus has memory of
// its own and no warm caches, and the experiment survives a child that runs out of memory. Throws
// MeasurementFailed with the message of any exception of `measure`. Requires: the calling process
// has no other threads. The child ends when its parent ends.
std::vector<double> measured_apart(const std::function<std::vector<double>()>& measure);

// A cell to measure, and the function that returns its figures (see measured_apart()).
struct Measurement {
  Cell cell;
  std::function<std::vector<double>()> measure;
};

// Called after each measurement, to show progress. `figures` is empty if the measurement failed.
using OnMeasured = std::function<void(const Cell& cell, const std::vector<double>& figures)>;

// An experiment before its measurements.
struct Study {
  Experiment experiment = {};  // without cells and findings
  std::vector<Measurement> measurements = {};
  std::function<void(Experiment&)> conclude;  // adds the findings
};

// Measures every cell once per round. A cell that fails gets the reason as its note and is not
// measured again. Stops early with the results so far once `interrupted()` returns true, and then
// discards the measurement in progress.
Experiment measure_study(Study study, std::size_t rounds, const OnMeasured& on_measured,
                         const std::function<bool()>& interrupted);

// The median of a few measurements, and an interval that contains the median of their distribution:
// two order statistics, and the exact probability for any continuous distribution.
// Source: H. David and H. Nagaraja, "Order Statistics" (2003), 7.1. Assumes independent
// measurements of one distribution.
struct MedianInterval {
  double median = 0;
  double low = 0;
  double high = 0;
  double confidence = 0;  // 0 to 1; 0 for a single measurement
};

// Returns the narrowest interval with at least this confidence, or the whole sample if its
// confidence is lower. Requires: a sample that is not empty, of finite values.
MedianInterval median_interval(std::span<const double> sample, double confidence = 0.9);

// Returns "1.04 (0.98 to 1.10, 94% confidence)", or "1.04 (one round)" for a single measurement.
std::string interval_text(const MedianInterval& interval);

}  // namespace drover::lab
