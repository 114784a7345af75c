#include "random/zipfian.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "random/permutation.h"
#include "random/portable_math.h"

namespace drover::random {
namespace {

constexpr std::uint64_t added_up_max = 100;

constexpr std::uint64_t hashed_ranks = 10'000'000'000;
constexpr double hashed_skew = 0.99;
constexpr double hashed_zeta = 26.46902820178302;

double weight_at(double x, double skew) {
  return portable_exp(-skew * portable_log(x));
}

// Returns the integral of x^-skew from 1 to x. Requires: x > 0, and |(1 - skew) ln x| <= 700.
double power_integral(double x, double skew) {
  const double log_x = portable_log(x);
  return skew == 1 ? log_x : portable_expm1((1 - skew) * log_x) / (1 - skew);
}

// Returns x^power for x in (0, 1], and 0 for x <= 0, to which rounding may lead.
double power_of(double x, double power) {
  return x <= 0 ? 0 : portable_exp(power * portable_log(x));
}

// Terms of Euler's and Maclaurin's formula at one end: half of the weight, and the first, third and
// fifth derivative. At 100 the further terms are below 10^-16 of the sum.
struct EndTerms {
  double half_weight;
  double derivatives;
};

EndTerms end_terms(double x, double skew) {
  const double weight = weight_at(x, skew);
  const double first = -skew * weight / x;
  const double third = first * (skew + 1) * (skew + 2) / (x * x);
  const double fifth = third * (skew + 3) * (skew + 4) / (x * x);
  return {.half_weight = weight / 2, .derivatives = first / 12 - third / 720 + fifth / 30'240};
}

}  // namespace

double zeta(std::uint64_t items, double skew) {
  if (!(skew >= 0 && skew <= 10)) {
    throw std::invalid_argument(fmt::format("zeta: the skew is {}, not in [0, 10]", skew));
  }
  const std::uint64_t added_up = std::min(items, added_up_max);
  double sum = 0;
  for (std::uint64_t i = added_up; i > 0; --i) sum += weight_at(static_cast<double>(i), skew);
  if (items <= added_up_max) return sum;
  const auto from = static_cast<double>(added_up_max);
  const auto to = static_cast<double>(items);
  const EndTerms at_from = end_terms(from, skew);
  const EndTerms at_to = end_terms(to, skew);
  const double integral = power_integral(to, skew) - power_integral(from, skew);
  return sum + integral + (at_to.half_weight - at_from.half_weight) +
         (at_to.derivatives - at_from.derivatives);
}

// In the paper's terms: the weight h(k) = k^-skew of item k, from 1, is a part of the area below h
// over [k - 1/2, k + 1/2], because h is convex. H is the integral of h. A point of the area is
// drawn by inverting H. It belongs to the nearest k, and is accepted if it lies in the last h(k) of
// that item's area. Item 1 gets exactly h(1), because its area begins there.

Zipfian::Zipfian(std::uint64_t items, double skew) : skew_(skew), one_less_skew_(1 - skew) {
  if (!(skew >= skew_min && skew <= skew_max)) {
    throw std::invalid_argument(fmt::format("a Zipf distribution has a skew in [{}, {}], not {}",
                                            skew_min, skew_max, skew));
  }
  if (skew != 1) inverse_of_one_less_skew_ = 1 / one_less_skew_;
  area_begin_ = power_integral(1.5, skew) - 1;
  // A point at most this far below its k is always accepted, so that most draws need no further H.
  const double weight_2 = portable_exp(-skew * portable_log(2));
  sure_distance_ = 2 - inverse_integral(power_integral(2.5, skew) - weight_2);
  resize(items);
}

void Zipfian::resize(std::uint64_t items) {
  if (items < 1 || items > items_max) {
    throw std::invalid_argument(
        fmt::format("a Zipf distribution has 1 to 2^62 items, not {}", items));
  }
  items_ = items;
  area_end_ = power_integral(static_cast<double>(items) + 0.5, skew_);
}

double Zipfian::inverse_integral(double area) const {
  if (one_less_skew_ == 0) return portable_exp(area);
  // Above -1 even if the end of the area was rounded up: at skew 2 beyond 2^53 items.
  const double t = std::max(one_less_skew_ * area, -1 + 0x1p-53);
  return portable_exp(portable_log1p(t) * inverse_of_one_less_skew_);
}

std::uint64_t Zipfian::draw(Rng& rng) const {
  while (true) {
    const double area = area_end_ + rng.unit() * (area_begin_ - area_end_);
    const double x = std::min(inverse_integral(area), static_cast<double>(items_max));
    const auto nearest = static_cast<std::int64_t>(x + 0.5);
    const auto item = std::clamp<std::int64_t>(nearest, 1, static_cast<std::int64_t>(items_));
    const auto k = static_cast<double>(item);
    if (k - x <= sure_distance_ ||
        area >= power_integral(k + 0.5, skew_) - portable_exp(-skew_ * portable_log(k))) {
      return static_cast<std::uint64_t>(item - 1);
    }
  }
}

OriginalZipfian::OriginalZipfian(std::uint64_t items, double skew,
                                 std::optional<double> zeta_of_items)
    : items_(items), exponent_(1 / (1 - skew)) {
  if (items < 1 || items > items_max) {
    throw std::invalid_argument(fmt::format("{} items, not 1 to 2^62", items));
  }
  if (!(skew > 0 && skew < 1)) {
    throw std::invalid_argument(fmt::format("a skew of {}, not between 0 and 1", skew));
  }
  zeta_ = zeta_of_items ? *zeta_of_items : zeta(items, skew);
  if (!(zeta_ >= 1)) throw std::invalid_argument(fmt::format("a zeta of {}, below 1", zeta_));
  zeta_of_two_ = zeta(2, skew);
  // With at most two items, draw() does not use eta.
  if (items > 2) {
    const double rest = 1 - power_of(2 / static_cast<double>(items), 1 - skew);
    eta_ = rest / (1 - zeta_of_two_ / zeta_);
  }
}

std::uint64_t OriginalZipfian::draw(Rng& rng) const {
  const double u = 1 - rng.unit();  // in [0, 1)
  const double sum = u * zeta_;
  if (sum < 1 || items_ == 1) return 0;
  if (sum < zeta_of_two_ || items_ == 2) return 1;
  const double share = power_of(eta_ * u - eta_ + 1, exponent_);
  const auto rank = static_cast<std::uint64_t>(static_cast<double>(items_) * share);
  return std::min(rank, items_ - 1);
}

ScrambledOriginalZipfian::ScrambledOriginalZipfian(std::uint64_t items)
    : ranks_(hashed_ranks, hashed_skew, hashed_zeta), items_(items) {
  if (items < 1 || items > OriginalZipfian::items_max) {
    throw std::invalid_argument(fmt::format("{} items, not 1 to 2^62", items));
  }
}

std::uint64_t ScrambledOriginalZipfian::draw(Rng& rng) const {
  return static_cast<std::uint64_t>(fnv1a_64_absolute(ranks_.draw(rng))) % items_;
}

}  // namespace drover::random
