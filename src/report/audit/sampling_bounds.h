// Bounds that an honest figure exceeds by chance less than once in 30,000 on either side, as a
// normal variable exceeds four standard deviations.
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

}  // namespace drover::report
