// The statistics of the audit.
//
// Bounds, which an honest figure exceeds by chance less than once in 30,000 on either side, as a
// normal variable exceeds four standard deviations.
//
// Trends of a series of equal intervals: the test of Mann and Kendall, and the slope of Theil and
// Sen. Both use all pairs of values, so single outliers hardly matter, but they miss a step.
//
// Changes of level: a step, a stretch on a higher or lower level, or a ramp from one level to
// another, fitted by least squares and compared with the residuals, so that a step is not part of
// its own noise. If neighbouring residuals are correlated, noise moves by itself and the shape
// counts less. docs/audit.md has the method and its error rates.
//
// Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "report/document/result.h"

namespace drover::report {

inline constexpr double bound_deviations = 4;

// P(Z > 4) of a standard normal Z.
inline constexpr double bound_tail = 3.167e-5;

struct CountBounds {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  bool contain(std::uint64_t count) const { return low <= count && count <= high; }
};

// Each of n trials succeeds with probability p: fewer successes than `low`, or more than `high`,
// have a probability of at most bound_tail each. Exact where successes or failures are few, a
// normal approximation corrected for skewness (Cornish and Fisher) where they are many. Requires: 0
// < p < 1.
CountBounds binomial_bounds(std::uint64_t n, double p);

// A distribution of durations for a test.
struct Distribution {
  double mean = 0;
  double deviation = 0;                      // standard deviation
  std::function<double(double)> cumulative;  // P(X <= x)
};

// Returns the distribution of negative exponential durations with this mean, cut at ten means, of
// which only those are counted that began at 0 or later and ended in [warmup, warmup + interval].
// Short runs miss long pauses: of pauses longer than the warm-up, of length d, they see the share
// (warmup + interval - d) / interval. All in one unit. Requires: mean > 0, interval > 0.
Distribution observed_exponential(double mean, double warmup, double interval);

// Returns the critical distance of the Kolmogorov-Smirnov test for n samples, which chance exceeds
// once in 100,000 (for n above about 35).
double kolmogorov_distance(std::uint64_t n);

struct Trend {
  // About a standard normal variable if there is no trend: how far the number of rising pairs
  // exceeds that of falling ones. It is reduced if neighbouring values are correlated, except for
  // changes of more than a half, which no noise explains.
  double z = 0;
  double median = 0;
  double change = 0;  // from the first value to the last, along the median slope of all pairs
};

// A trend breaks the rule if chance causes it once in 10,000 runs and if it is large enough.
inline constexpr double trend_z_most = 3.89;
inline constexpr double throughput_change_most = 0.05;  // of the median, over the interval
inline constexpr double p90_change_most = 0.25;
inline constexpr double p90_change_most_ms = 10;

// Requires: at least 3 values.
Trend find_trend(const std::vector<double>& values);

bool throughput_has_trend(const Trend& trend);
bool p90_has_trend(const Trend& trend);  // in milliseconds

// The seconds of the measured interval in 20 to 40 bins of equal length.
struct SteadyStateBins {
  double seconds_each = 0;         // at least those of a point of the time series
  double start_s = 0;              // of the first bin, since the start of the run
  std::vector<double> throughput;  // transactions per second
  std::vector<double> p90_ms;      // the median of the seconds' 90th percentiles; of bins with any
};

inline constexpr std::size_t steady_state_bins_least = 20;
inline constexpr std::size_t steady_state_bins_most = 40;

// Seconds that are left over when the bins are full are ignored. Below 40 seconds each is a bin.
SteadyStateBins make_steady_state_bins(const std::vector<TimePoint>& time_series);

// Values on another level.
struct LevelShift {
  enum class Shape { step, stretch, ramp };

  Shape shape = Shape::step;
  std::size_t first = 0;  // the values that lie on the other level: up to the end after a step
  std::size_t last = 0;   // exclusive
  double from = 0;        // the level of the other values; for a ramp that of the first value
  double to = 0;          // the level of these values; for a ramp that of the last value
  double t = 0;           // the shift in standard errors
};

// The number of values from which shifts of less than a half are searched, too.
inline constexpr std::size_t small_shift_values_least = 10;

// Returns a shift with the significance of a broken trend that is at least a tenth of the
// throughput, or a third of the 90th percentile and above 10 ms.
std::optional<LevelShift> find_throughput_shift(const SteadyStateBins& bins);
std::optional<LevelShift> find_p90_shift(const SteadyStateBins& bins);

}  // namespace drover::report
