// Whether a run was in a steady state: its seconds as bins, and what moves in them.
//
// A trend of a series of equal intervals: the test of Mann and Kendall, and the slope of Theil and
// Sen. Both look at all pairs of values, so that single outliers do not carry them away; which is
// why they miss a step.
//
// A change of level: a step, a stretch that lies higher or lower than the rest, or a straight way from one
// level to another, fitted by least squares and held against what it leaves unexplained, so that a step is no
// part of the noise that it is measured by. Where neighbours in what is left resemble each other, noise
// wanders by itself, and the shape counts for less. docs/audit.md has the method, and how often it errs.
//
// Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "report/document/result.h"

namespace drover::report {

struct Trend {
  // About a standard normal variable if there is no trend: how far the number of rising pairs
  // exceeds that of falling ones. Made smaller where neighbouring values resemble each other, but
  // not where the change is of more than half: no noise wanders as far.
  double z = 0;
  double median = 0;
  double change = 0;  // from the first value to the last, along the median slope of all pairs
};

// A trend is held against a run if chance makes it once in 10,000, and if it matters besides.
inline constexpr double trend_z_most = 3.89;
inline constexpr double throughput_change_most = 0.05;  // of the median, over the interval
inline constexpr double p90_change_most = 0.25;
inline constexpr double p90_change_most_ms = 10;

// Requires: at least 3 values.
Trend find_trend(const std::vector<double>& values);

bool throughput_has_trend(const Trend& trend);
bool p90_has_trend(const Trend& trend);  // in milliseconds

// The seconds of the measurement interval, put together to 20 to 40 bins of equal length.
struct SteadyStateBins {
  double seconds_each = 0;         // at least those of a point of the time series
  double start_s = 0;              // of the first, since the run began
  std::vector<double> throughput;  // transactions a second
  std::vector<double> p90_ms;      // the median of the seconds' 90th percentiles; of bins with any
};

inline constexpr std::size_t steady_state_bins_least = 20;
inline constexpr std::size_t steady_state_bins_most = 40;

// Seconds that are left over when the bins are full count in none. Below 40 seconds, each is a bin.
SteadyStateBins make_steady_state_bins(const std::vector<TimePoint>& time_series);

// What lies on another level.
struct LevelShift {
  enum class Shape { step, stretch, ramp };

  Shape shape = Shape::step;
  std::size_t first = 0;  // the values that lie on the other level: up to the end after a step
  std::size_t last = 0;   // behind it
  double from = 0;        // the level beside them; of a ramp that of the first value
  double to = 0;          // their level; of a ramp that of the last value
  double t = 0;           // how far beyond the noise it is, in standard errors
};

// From so many values on changes of level by less than a half are looked for, too.
inline constexpr std::size_t small_shift_values_least = 10;

// A step is held against a run as a trend is; one of a tenth of the throughput matters, or one of
// a third of the 90th percentile that is above 10 ms.
std::optional<LevelShift> find_throughput_shift(const SteadyStateBins& bins);
std::optional<LevelShift> find_p90_shift(const SteadyStateBins& bins);

}  // namespace drover::report
