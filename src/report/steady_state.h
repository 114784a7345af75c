// Whether a run was in a steady state: its seconds as bins, and what moves in them.
//
// A trend of a series of equal intervals: the test of Mann and Kendall, and the slope of Theil and
// Sen. Both look at all pairs of values, so that single outliers do not carry them away; which is
// why they miss a step, and level_shift.h looks for that one.
//
// Pure functions.
#pragma once

#include <optional>
#include <vector>

#include "report/level_shift.h"
#include "report/result.h"

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
  double seconds_each = 0;
  double start_s = 0;              // of the first, since the run began
  std::vector<double> throughput;  // transactions a second
  std::vector<double> p90_ms;      // the median of the seconds' 90th percentiles; of bins with any
};

inline constexpr std::size_t steady_state_bins_least = 20;
inline constexpr std::size_t steady_state_bins_most = 40;

// Seconds that are left over when the bins are full count in none. Of less than
// 40 seconds, each is a bin.
SteadyStateBins make_steady_state_bins(const std::vector<TimePoint>& time_series);

// A step is held against a run as a trend is; one of a tenth of the throughput matters, or one of
// a third of the 90th percentile that is above 10 ms.
std::optional<LevelShift> find_throughput_shift(const SteadyStateBins& bins);
std::optional<LevelShift> find_p90_shift(const SteadyStateBins& bins);

}  // namespace drover::report
