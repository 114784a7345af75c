#include "workload/sql/expression/distributions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

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

// Rejection-inversion: W. Hörmann, G. Derflinger, "Rejection-inversion to generate variates from monotone discrete
// distributions", ACM TOMACS 6 (1996). It takes little more than one draw on average for every parameter and range,
// while pgbench's way takes thousands where the parameter is near 1 and the range short.
class ZipfianSampler {
 public:
  ZipfianSampler(double elements, double exponent)
      : elements_(elements),
        exponent_(exponent),
        first_(area(1.5) - 1.0),
        last_(area(elements + 0.5)),
        squeeze_(2.0 - inverse_area(area(2.5) - height(2.0))) {}

  double operator()(random::Rng& rng) const {
    for (;;) {
      const double at = last_ + rng.unit() * (first_ - last_);
      const double x = inverse_area(at);
      const double k = std::clamp(std::floor(x + 0.5), 1.0, elements_);
      if (k - x <= squeeze_ || at >= area(k + 0.5) - height(k)) return k;
    }
  }

 private:
  double height(double x) const { return std::exp(-exponent_ * std::log(x)); }

  // The integral of the height from 1 to x.
  double area(double x) const {
    const double logarithm = std::log(x);
    const double t = (1.0 - exponent_) * logarithm;
    return t == 0 ? logarithm : std::expm1(t) / t * logarithm;
  }

  double inverse_area(double y) const {
    const double t = std::max(y * (1.0 - exponent_), -1.0);
    return t == 0 ? std::exp(y) : std::exp(std::log1p(t) / t * y);
  }

  double elements_;
  double exponent_;
  double first_;
  double last_;
  double squeeze_;
};

}  // namespace

std::int64_t uniform_integer(random::Rng& rng, std::int64_t low, std::int64_t high) {
  const std::uint64_t range =
      static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  random::Uint128 product = static_cast<random::Uint128>(rng.next()) * range;
  if (static_cast<std::uint64_t>(product) < range) {
    // Some results would be favoured: draw those cases again, as Rng::uniform does.
    const std::uint64_t favoured = (0 - range) % range;
    while (static_cast<std::uint64_t>(product) < favoured) {
      product = static_cast<random::Uint128>(rng.next()) * range;
    }
  }
  return low + static_cast<std::int64_t>(product >> 64);
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
  const std::int64_t elements = high - low + 1;
  if (elements == 1) return low;
  const double rank = ZipfianSampler(static_cast<double>(elements), parameter)(rng);
  // The largest double may be above the range.
  if (!(rank < static_cast<double>(elements))) return high;
  return low + static_cast<std::int64_t>(rank) - 1;
}

}  // namespace drover::sql
