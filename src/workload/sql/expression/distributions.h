// The random_* functions of scripts: integers of low … high, both included, in the distributions of pgbench's manual.
// The numbers come from drover::random::Rng, so that they are not pgbench's own.
//
// All require: low <= high, and high - low + 1 is below 2^63. Thread safety: that of the Rng.
#pragma once

#include <cstdint>

#include "random/rng.h"

namespace drover::sql {

std::int64_t uniform_integer(random::Rng& rng, std::int64_t low, std::int64_t high);

// Truncated, with the density exp(-parameter * (x - low) / (high - low + 1)). Requires: parameter > 0.
std::int64_t exponential_integer(random::Rng& rng, std::int64_t low, std::int64_t high,
                                 double parameter);

// The range is cut out of a normal distribution at `parameter` deviations on either side. Requires: parameter >= 2,
// finite.
std::int64_t gaussian_integer(random::Rng& rng, std::int64_t low, std::int64_t high,
                              double parameter);

// low + k - 1 with a probability proportional to k^-parameter. Requires: 1.001 <= parameter <= 1000.
std::int64_t zipfian_integer(random::Rng& rng, std::int64_t low, std::int64_t high,
                             double parameter);

}  // namespace drover::sql
