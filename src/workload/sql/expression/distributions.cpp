#include "workload/sql/expression/distributions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "random/zipfian.h"

namespace drover::sql {
namespace {

// The integer at a share of the range, in [0, 1]. In unsigned numbers, for the sum may pass 2^63 on its way.
std::int64_t at_share(std::int64_t low, std::int64_t high, double share) {
  const double range = static_cast<double>(high - low + 1);
  const double offset = std::floor(range * share);
  // A double of that size may lie beside the range, by rounding.
  if (!(offset < static_cast<double>(high - low))) return high;
  return low + static_cast<std::int64_t>(std::max(offset, 0.0));
}

}  // namespace

std::int64_t uniform_integer(random::Rng& rng, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(high - low + 1)));
}

std::int64_t exponential_integer(random::Rng& rng, std::int64_t low, std::int64_t high,
                                 double parameter) {
  const double cut = std::exp(-parameter);
  return at_share(low, high, -std::log(cut + (1.0 - cut) * rng.unit()) / parameter);
}

std::int64_t gaussian_integer(random::Rng& rng, std::int64_t low, std::int64_t high,
                              double parameter) {
  double deviation = 0;
  do {  // at most one of twenty is outside
    const double radius = std::sqrt(-2.0 * std::log(rng.unit()));
    deviation = radius * std::sin(2.0 * std::numbers::pi * rng.unit());
  } while (deviation < -parameter || deviation >= parameter);
  return at_share(low, high, (deviation + parameter) / (2.0 * parameter));
}

std::int64_t zipfian_integer(random::Rng& rng, std::int64_t low, std::int64_t high,
                             double parameter) {
  // What is left out of the largest ranges would be drawn once in more than 10^15 times.
  const std::uint64_t items =
      std::min(static_cast<std::uint64_t>(high - low + 1), random::Zipfian::items_max);
  return low + static_cast<std::int64_t>(random::Zipfian(items, parameter).draw(rng));
}

}  // namespace drover::sql
