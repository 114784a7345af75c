#include "report/audit/sampling_bounds.h"

#include <algorithm>
#include <cmath>

#include "report/document/specification.h"

namespace drover::report {
namespace {

// From this expected number of successes on the normal approximation is good to a count.
constexpr double many = 100;

// The first count of successes at which what is known of the distribution up to it, P(X <= count),
// is enough. Requires: n p < many, so that the probability of 0 is a number that a double can hold.
template <typename Enough>
std::uint64_t first_count(std::uint64_t n, double p, Enough enough) {
  const auto trials = static_cast<double>(n);
  double probability = std::exp(trials * std::log1p(-p));
  double cumulative = probability;
  std::uint64_t count = 0;
  while (count < n && !enough(cumulative)) {
    const auto at = static_cast<double>(count);
    probability *= (trials - at) / (at + 1) * (p / (1 - p));
    cumulative += probability;
    ++count;
  }
  return count;
}

// The smallest count that leaves at most bound_tail above it.
std::uint64_t exact_high(std::uint64_t n, double p) {
  return first_count(n, p, [](double cumulative) { return 1 - cumulative <= bound_tail; });
}

// The largest count that leaves at most bound_tail below it.
std::uint64_t exact_low(std::uint64_t n, double p) {
  return first_count(n, p, [](double cumulative) { return cumulative > bound_tail; });
}

}  // namespace

CountBounds binomial_bounds(std::uint64_t n, double p) {
  const double successes = static_cast<double>(n) * p;
  const double failures = static_cast<double>(n) * (1 - p);
  if (successes < many) return {exact_low(n, p), exact_high(n, p)};
  if (failures < many) return {n - exact_high(n, 1 - p), n - exact_low(n, 1 - p)};
  const double reach = bound_deviations * std::sqrt(successes * (1 - p));
  const double skew = (1 - 2 * p) * (bound_deviations * bound_deviations - 1) / 6;
  const double low = std::floor(successes - reach + skew);
  const double high = std::ceil(successes + reach + skew);
  return {static_cast<std::uint64_t>(std::max(low, 0.0)),
          std::min(static_cast<std::uint64_t>(high), n)};
}

Distribution observed_exponential(double mean, double warmup, double interval) {
  const double end = warmup + interval;
  const double cut = think_time_cut * mean;
  // The integral of (1/mean) exp(-x/mean) (end - x) / interval.
  const auto thinned = [=](double x) { return std::exp(-x / mean) * (mean - end + x) / interval; };
  // What is seen of the durations up to x, as a share of all that there are.
  const auto seen = [=](double x) {
    if (x <= 0) return 0.0;
    const double limit = std::min({x, cut, end});
    double share = -std::expm1(-std::min(limit, warmup) / mean);
    if (limit > warmup) share += thinned(limit) - thinned(warmup);
    const double cut_seen = std::clamp((end - cut) / interval, 0.0, 1.0);
    if (x >= cut) share += std::exp(-think_time_cut) * cut_seen;
    return share;
  };
  const double all = seen(cut);
  Distribution result;
  result.cumulative = [seen, all](double x) { return std::min(seen(x) / all, 1.0); };
  // The mean is the integral of 1 - F, the mean square that of 2 x (1 - F).
  constexpr int steps = 4'000;
  const double step = cut / steps;
  double square = 0;
  for (int i = 0; i < steps; ++i) {
    const double x = (i + 0.5) * step;
    const double beyond = 1 - result.cumulative(x);
    result.mean += beyond * step;
    square += 2 * x * beyond * step;
  }
  result.deviation = std::sqrt(std::max(square - result.mean * result.mean, 0.0));
  return result;
}

double kolmogorov_distance(std::uint64_t n) {
  // 2 exp(-2 c^2) = 1e-5
  static const double critical = std::sqrt(std::log(2e5) / 2);
  return critical / std::sqrt(static_cast<double>(std::max<std::uint64_t>(n, 1)));
}

}  // namespace drover::report
