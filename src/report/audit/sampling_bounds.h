// How far chance may carry an honest figure: bounds that it leaves less than once in 30,000 on
// either side, which is what four standard deviations are to a normal distribution.
//
// Pure functions.
#pragma once

#include <cstdint>
#include <functional>

namespace drover::report {

inline constexpr double bound_deviations = 4;

// P(Z > 4) of a standard normal Z.
inline constexpr double bound_tail = 3.167e-5;

struct CountBounds {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  bool contain(std::uint64_t count) const { return low <= count && count <= high; }
};

// Each of n trials succeeds with probability p: fewer successes than `low`, or more than `high`, have a
// probability of at most bound_tail each. Exact where successes or failures are few,
// a normal approximation corrected for skewness (Cornish and Fisher) where they are many. Requires:
// 0 < p < 1.
CountBounds binomial_bounds(std::uint64_t n, double p);

// A distribution of durations, as a test sees it.
struct Distribution {
  double mean = 0;
  double deviation = 0;                      // standard deviation
  std::function<double(double)> cumulative;  // P(X <= x)
};

// Durations that are negative exponential with this mean, and cut at ten means: as a stationary
// process shows them to who counts those that began at 0 or later and ended in
// [warmup, warmup + interval]. Short runs do not see long pauses: of those of length d, the share
// (warmup + interval - d) / interval that began in time, which matters once d is above the warm-up.
// All in one unit. Requires: mean > 0, interval > 0.
Distribution observed_exponential(double mean, double warmup, double interval);

// The critical distance of the test of Kolmogorov and Smirnov for n samples: exceeded by chance
// once in 100,000 (from n of about 35).
double kolmogorov_distance(std::uint64_t n);

}  // namespace drover::report
